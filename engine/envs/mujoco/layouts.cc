// Where each supported version of MuJoCo keeps the members of its structures that are used. Written
// by `python -m tools.mujoco_layouts` from MuJoCo's headers; do not edit.
#include "engine/envs/mujoco/layout.h"

namespace engine::mujoco {
namespace {

// clang-format off
constexpr Layout kLayouts[] = {
    {.version = "3.3.0", .physics_is_known = false,
    .model = {
    .bytes = 4536, .count_bytes = 4,
    .nq = 0, .nv = 4, .nu = 8, .nbody = 16, .nsite = 40, .ngeom = 36, .ncam = 44, .ntendon = 184,
    .ntree = 300, .neq = 180, .nflex = 52, .nplugin = 228, .npair = 172, .nexclude = 176,
    .narena = 336, .timestep = 352, .disableflags = 632, .enableflags = 636, .offwidth = 688,
    .offheight = 692, .extent = 1312, .qpos0 = 1352, .tree_dofnum = 0, .tendon_limited = 3688,
    .tendon_frictionloss = 3768, .actuator_ctrlrange = 3960, .body_mass = 1504,
    .body_contype = 1568, .body_conaffinity = 1576, .body_geomnum = 1440, .body_geomadr = 1448,
    .body_weldid = 1384, .body_dofnum = 1416, .body_parentid = 1368, .geom_type = 1872,
    .geom_contype = 1880, .geom_conaffinity = 1888, .geom_condim = 1896, .geom_priority = 1936,
    .geom_solmix = 1960, .geom_solref = 1968, .geom_solimp = 1976, .geom_friction = 2024,
    .geom_margin = 2032, .geom_gap = 2040, .geom_adhesion = 0, .geom_plugin = 1944,
    .pair_dim = 3504, .pair_geom1 = 3512, .pair_geom2 = 3520, .pair_signature = 3528,
    .pair_solref = 3536, .pair_solreffriction = 3544, .pair_solimp = 3552, .pair_margin = 3560,
    .pair_gap = 3568, .pair_adhesion = 0, .pair_friction = 3576},
    .data = {
    .qpos = 161656, .qvel = 161664, .ctrl = 161696, .xpos = 161792, .xipos = 161816,
    .site_xpos = 161864, .geom_xpos = 161848, .cinert = 161928, .cvel = 162176, .cfrc_ext = 162456,
    .qfrc_actuator = 162400, .qfrc_constraint = 162424, .ten_length = 162040,
    .ten_velocity = 162160},
    .picture = {
    .option_bytes = 92, .option_flags = 50, .num_flags = 32, .perturb_bytes = 144,
    .scene_bytes = 9176, .context_bytes = 61512},
    .flags = {
    .disable_filterparent = 512, .disable_island = 0, .disable_autoreset = 32768,
    .disable_sensor = 4096, .enable_override = 1, .enable_sleep = 0},
    .arm_model = {
    .jnt_qposadr = 1640, .jnt_dofadr = 1648, .actuator_biastype = 3864, .actuator_trnid = 3872,
    .body_mocapid = 1392, .body_pos = 1472, .eq_type = 3592, .eq_obj1id = 3600, .eq_obj2id = 3608,
    .eq_data = 3648, .site_pos = 2120, .site_rgba = 2144, .num_eq_data = 11},
    .arm_data = {
    .time = 161616, .ncon = 161584, .nefc = 161600, .mocap_pos = 161728, .mocap_quat = 161736,
    .sensordata = 161768, .xmat = 161808, .xquat = 161800, .geom_xmat = 161856,
    .site_xmat = 161872, .contact = 162464, .efc_force = 162760},
    .contact = {
    .bytes = 576, .geom = 532, .efc_address = 568}},
    {.version = "3.3.1", .physics_is_known = false,
    .model = {
    .bytes = 4576, .count_bytes = 4,
    .nq = 0, .nv = 4, .nu = 8, .nbody = 16, .nsite = 40, .ngeom = 36, .ncam = 44, .ntendon = 184,
    .ntree = 300, .neq = 180, .nflex = 52, .nplugin = 228, .npair = 172, .nexclude = 176,
    .narena = 336, .timestep = 352, .disableflags = 632, .enableflags = 636, .offwidth = 688,
    .offheight = 692, .extent = 1312, .qpos0 = 1352, .tree_dofnum = 0, .tendon_limited = 3696,
    .tendon_frictionloss = 3800, .actuator_ctrlrange = 3992, .body_mass = 1504,
    .body_contype = 1568, .body_conaffinity = 1576, .body_geomnum = 1440, .body_geomadr = 1448,
    .body_weldid = 1384, .body_dofnum = 1416, .body_parentid = 1368, .geom_type = 1872,
    .geom_contype = 1880, .geom_conaffinity = 1888, .geom_condim = 1896, .geom_priority = 1936,
    .geom_solmix = 1960, .geom_solref = 1968, .geom_solimp = 1976, .geom_friction = 2024,
    .geom_margin = 2032, .geom_gap = 2040, .geom_adhesion = 0, .geom_plugin = 1944,
    .pair_dim = 3512, .pair_geom1 = 3520, .pair_geom2 = 3528, .pair_signature = 3536,
    .pair_solref = 3544, .pair_solreffriction = 3552, .pair_solimp = 3560, .pair_margin = 3568,
    .pair_gap = 3576, .pair_adhesion = 0, .pair_friction = 3584},
    .data = {
    .qpos = 161656, .qvel = 161664, .ctrl = 161696, .xpos = 161792, .xipos = 161816,
    .site_xpos = 161864, .geom_xpos = 161848, .cinert = 161928, .cvel = 162176, .cfrc_ext = 162488,
    .qfrc_actuator = 162432, .qfrc_constraint = 162456, .ten_length = 162040,
    .ten_velocity = 162160},
    .picture = {
    .option_bytes = 92, .option_flags = 50, .num_flags = 32, .perturb_bytes = 144,
    .scene_bytes = 9176, .context_bytes = 61512},
    .flags = {
    .disable_filterparent = 512, .disable_island = 0, .disable_autoreset = 32768,
    .disable_sensor = 4096, .enable_override = 1, .enable_sleep = 0},
    .arm_model = {
    .jnt_qposadr = 1640, .jnt_dofadr = 1648, .actuator_biastype = 3896, .actuator_trnid = 3904,
    .body_mocapid = 1392, .body_pos = 1472, .eq_type = 3600, .eq_obj1id = 3608, .eq_obj2id = 3616,
    .eq_data = 3656, .site_pos = 2120, .site_rgba = 2144, .num_eq_data = 11},
    .arm_data = {
    .time = 161616, .ncon = 161584, .nefc = 161600, .mocap_pos = 161728, .mocap_quat = 161736,
    .sensordata = 161768, .xmat = 161808, .xquat = 161800, .geom_xmat = 161856,
    .site_xmat = 161872, .contact = 162496, .efc_force = 162792},
    .contact = {
    .bytes = 576, .geom = 532, .efc_address = 568}},
    {.version = "3.3.2", .physics_is_known = false,
    .model = {
    .bytes = 4576, .count_bytes = 4,
    .nq = 0, .nv = 4, .nu = 8, .nbody = 16, .nsite = 40, .ngeom = 36, .ncam = 44, .ntendon = 184,
    .ntree = 300, .neq = 180, .nflex = 52, .nplugin = 228, .npair = 172, .nexclude = 176,
    .narena = 336, .timestep = 352, .disableflags = 632, .enableflags = 636, .offwidth = 688,
    .offheight = 692, .extent = 1312, .qpos0 = 1352, .tree_dofnum = 0, .tendon_limited = 3696,
    .tendon_frictionloss = 3800, .actuator_ctrlrange = 3992, .body_mass = 1504,
    .body_contype = 1568, .body_conaffinity = 1576, .body_geomnum = 1440, .body_geomadr = 1448,
    .body_weldid = 1384, .body_dofnum = 1416, .body_parentid = 1368, .geom_type = 1872,
    .geom_contype = 1880, .geom_conaffinity = 1888, .geom_condim = 1896, .geom_priority = 1936,
    .geom_solmix = 1960, .geom_solref = 1968, .geom_solimp = 1976, .geom_friction = 2024,
    .geom_margin = 2032, .geom_gap = 2040, .geom_adhesion = 0, .geom_plugin = 1944,
    .pair_dim = 3512, .pair_geom1 = 3520, .pair_geom2 = 3528, .pair_signature = 3536,
    .pair_solref = 3544, .pair_solreffriction = 3552, .pair_solimp = 3560, .pair_margin = 3568,
    .pair_gap = 3576, .pair_adhesion = 0, .pair_friction = 3584},
    .data = {
    .qpos = 161648, .qvel = 161656, .ctrl = 161688, .xpos = 161784, .xipos = 161808,
    .site_xpos = 161856, .geom_xpos = 161840, .cinert = 161920, .cvel = 162168, .cfrc_ext = 162480,
    .qfrc_actuator = 162424, .qfrc_constraint = 162448, .ten_length = 162032,
    .ten_velocity = 162152},
    .picture = {
    .option_bytes = 92, .option_flags = 50, .num_flags = 32, .perturb_bytes = 144,
    .scene_bytes = 9176, .context_bytes = 61512},
    .flags = {
    .disable_filterparent = 512, .disable_island = 0, .disable_autoreset = 32768,
    .disable_sensor = 4096, .enable_override = 1, .enable_sleep = 0},
    .arm_model = {
    .jnt_qposadr = 1640, .jnt_dofadr = 1648, .actuator_biastype = 3896, .actuator_trnid = 3904,
    .body_mocapid = 1392, .body_pos = 1472, .eq_type = 3600, .eq_obj1id = 3608, .eq_obj2id = 3616,
    .eq_data = 3656, .site_pos = 2120, .site_rgba = 2144, .num_eq_data = 11},
    .arm_data = {
    .time = 161608, .ncon = 161576, .nefc = 161592, .mocap_pos = 161720, .mocap_quat = 161728,
    .sensordata = 161760, .xmat = 161800, .xquat = 161792, .geom_xmat = 161848,
    .site_xmat = 161864, .contact = 162488, .efc_force = 162784},
    .contact = {
    .bytes = 576, .geom = 532, .efc_address = 568}},
    {.version = "3.3.3", .physics_is_known = false,
    .model = {
    .bytes = 4624, .count_bytes = 4,
    .nq = 0, .nv = 4, .nu = 8, .nbody = 16, .nsite = 40, .ngeom = 36, .ncam = 44, .ntendon = 184,
    .ntree = 300, .neq = 180, .nflex = 52, .nplugin = 228, .npair = 172, .nexclude = 176,
    .narena = 336, .timestep = 352, .disableflags = 632, .enableflags = 636, .offwidth = 688,
    .offheight = 692, .extent = 1312, .qpos0 = 1352, .tree_dofnum = 0, .tendon_limited = 3744,
    .tendon_frictionloss = 3848, .actuator_ctrlrange = 4040, .body_mass = 1504,
    .body_contype = 1568, .body_conaffinity = 1576, .body_geomnum = 1440, .body_geomadr = 1448,
    .body_weldid = 1384, .body_dofnum = 1416, .body_parentid = 1368, .geom_type = 1872,
    .geom_contype = 1880, .geom_conaffinity = 1888, .geom_condim = 1896, .geom_priority = 1936,
    .geom_solmix = 1960, .geom_solref = 1968, .geom_solimp = 1976, .geom_friction = 2024,
    .geom_margin = 2032, .geom_gap = 2040, .geom_adhesion = 0, .geom_plugin = 1944,
    .pair_dim = 3560, .pair_geom1 = 3568, .pair_geom2 = 3576, .pair_signature = 3584,
    .pair_solref = 3592, .pair_solreffriction = 3600, .pair_solimp = 3608, .pair_margin = 3616,
    .pair_gap = 3624, .pair_adhesion = 0, .pair_friction = 3632},
    .data = {
    .qpos = 161656, .qvel = 161664, .ctrl = 161696, .xpos = 161792, .xipos = 161816,
    .site_xpos = 161864, .geom_xpos = 161848, .cinert = 161928, .cvel = 162184, .cfrc_ext = 162464,
    .qfrc_actuator = 162408, .qfrc_constraint = 162432, .ten_length = 162040,
    .ten_velocity = 162168},
    .picture = {
    .option_bytes = 92, .option_flags = 50, .num_flags = 32, .perturb_bytes = 144,
    .scene_bytes = 10776, .context_bytes = 61512},
    .flags = {
    .disable_filterparent = 512, .disable_island = 0, .disable_autoreset = 32768,
    .disable_sensor = 4096, .enable_override = 1, .enable_sleep = 0},
    .arm_model = {
    .jnt_qposadr = 1640, .jnt_dofadr = 1648, .actuator_biastype = 3944, .actuator_trnid = 3952,
    .body_mocapid = 1392, .body_pos = 1472, .eq_type = 3648, .eq_obj1id = 3656, .eq_obj2id = 3664,
    .eq_data = 3704, .site_pos = 2120, .site_rgba = 2144, .num_eq_data = 11},
    .arm_data = {
    .time = 161616, .ncon = 161576, .nefc = 161592, .mocap_pos = 161728, .mocap_quat = 161736,
    .sensordata = 161768, .xmat = 161808, .xquat = 161800, .geom_xmat = 161856,
    .site_xmat = 161872, .contact = 162472, .efc_force = 163024},
    .contact = {
    .bytes = 576, .geom = 532, .efc_address = 568}},
    {.version = "3.3.4", .physics_is_known = false,
    .model = {
    .bytes = 4664, .count_bytes = 4,
    .nq = 0, .nv = 4, .nu = 8, .nbody = 16, .nsite = 44, .ngeom = 40, .ncam = 48, .ntendon = 188,
    .ntree = 304, .neq = 184, .nflex = 56, .nplugin = 232, .npair = 176, .nexclude = 180,
    .narena = 336, .timestep = 352, .disableflags = 632, .enableflags = 636, .offwidth = 692,
    .offheight = 696, .extent = 1312, .qpos0 = 1352, .tree_dofnum = 0, .tendon_limited = 3784,
    .tendon_frictionloss = 3888, .actuator_ctrlrange = 4080, .body_mass = 1504,
    .body_contype = 1568, .body_conaffinity = 1576, .body_geomnum = 1440, .body_geomadr = 1448,
    .body_weldid = 1384, .body_dofnum = 1416, .body_parentid = 1368, .geom_type = 1896,
    .geom_contype = 1904, .geom_conaffinity = 1912, .geom_condim = 1920, .geom_priority = 1960,
    .geom_solmix = 1984, .geom_solref = 1992, .geom_solimp = 2000, .geom_friction = 2048,
    .geom_margin = 2056, .geom_gap = 2064, .geom_adhesion = 0, .geom_plugin = 1968,
    .pair_dim = 3600, .pair_geom1 = 3608, .pair_geom2 = 3616, .pair_signature = 3624,
    .pair_solref = 3632, .pair_solreffriction = 3640, .pair_solimp = 3648, .pair_margin = 3656,
    .pair_gap = 3664, .pair_adhesion = 0, .pair_friction = 3672},
    .data = {
    .qpos = 161656, .qvel = 161664, .ctrl = 161696, .xpos = 161792, .xipos = 161816,
    .site_xpos = 161864, .geom_xpos = 161848, .cinert = 161928, .cvel = 162184, .cfrc_ext = 162464,
    .qfrc_actuator = 162408, .qfrc_constraint = 162432, .ten_length = 162040,
    .ten_velocity = 162168},
    .picture = {
    .option_bytes = 96, .option_flags = 50, .num_flags = 32, .perturb_bytes = 144,
    .scene_bytes = 10776, .context_bytes = 61512},
    .flags = {
    .disable_filterparent = 512, .disable_island = 0, .disable_autoreset = 32768,
    .disable_sensor = 4096, .enable_override = 1, .enable_sleep = 0},
    .arm_model = {
    .jnt_qposadr = 1664, .jnt_dofadr = 1672, .actuator_biastype = 3984, .actuator_trnid = 3992,
    .body_mocapid = 1392, .body_pos = 1472, .eq_type = 3688, .eq_obj1id = 3696, .eq_obj2id = 3704,
    .eq_data = 3744, .site_pos = 2144, .site_rgba = 2168, .num_eq_data = 11},
    .arm_data = {
    .time = 161616, .ncon = 161576, .nefc = 161592, .mocap_pos = 161728, .mocap_quat = 161736,
    .sensordata = 161768, .xmat = 161808, .xquat = 161800, .geom_xmat = 161856,
    .site_xmat = 161872, .contact = 162472, .efc_force = 163024},
    .contact = {
    .bytes = 576, .geom = 532, .efc_address = 568}},
    {.version = "3.3.5", .physics_is_known = false,
    .model = {
    .bytes = 4680, .count_bytes = 4,
    .nq = 0, .nv = 4, .nu = 8, .nbody = 16, .nsite = 44, .ngeom = 40, .ncam = 48, .ntendon = 188,
    .ntree = 304, .neq = 184, .nflex = 56, .nplugin = 232, .npair = 176, .nexclude = 180,
    .narena = 336, .timestep = 352, .disableflags = 632, .enableflags = 636, .offwidth = 692,
    .offheight = 696, .extent = 1312, .qpos0 = 1352, .tree_dofnum = 0, .tendon_limited = 3792,
    .tendon_frictionloss = 3896, .actuator_ctrlrange = 4088, .body_mass = 1504,
    .body_contype = 1568, .body_conaffinity = 1576, .body_geomnum = 1440, .body_geomadr = 1448,
    .body_weldid = 1384, .body_dofnum = 1416, .body_parentid = 1368, .geom_type = 1904,
    .geom_contype = 1912, .geom_conaffinity = 1920, .geom_condim = 1928, .geom_priority = 1968,
    .geom_solmix = 1992, .geom_solref = 2000, .geom_solimp = 2008, .geom_friction = 2056,
    .geom_margin = 2064, .geom_gap = 2072, .geom_adhesion = 0, .geom_plugin = 1976,
    .pair_dim = 3608, .pair_geom1 = 3616, .pair_geom2 = 3624, .pair_signature = 3632,
    .pair_solref = 3640, .pair_solreffriction = 3648, .pair_solimp = 3656, .pair_margin = 3664,
    .pair_gap = 3672, .pair_adhesion = 0, .pair_friction = 3680},
    .data = {
    .qpos = 161656, .qvel = 161664, .ctrl = 161696, .xpos = 161792, .xipos = 161816,
    .site_xpos = 161864, .geom_xpos = 161848, .cinert = 161928, .cvel = 162184, .cfrc_ext = 162464,
    .qfrc_actuator = 162408, .qfrc_constraint = 162432, .ten_length = 162048,
    .ten_velocity = 162168},
    .picture = {
    .option_bytes = 92, .option_flags = 50, .num_flags = 31, .perturb_bytes = 144,
    .scene_bytes = 10776, .context_bytes = 61512},
    .flags = {
    .disable_filterparent = 512, .disable_island = 0, .disable_autoreset = 32768,
    .disable_sensor = 4096, .enable_override = 1, .enable_sleep = 0},
    .arm_model = {
    .jnt_qposadr = 1672, .jnt_dofadr = 1680, .actuator_biastype = 3992, .actuator_trnid = 4000,
    .body_mocapid = 1392, .body_pos = 1472, .eq_type = 3696, .eq_obj1id = 3704, .eq_obj2id = 3712,
    .eq_data = 3752, .site_pos = 2152, .site_rgba = 2176, .num_eq_data = 11},
    .arm_data = {
    .time = 161616, .ncon = 161576, .nefc = 161592, .mocap_pos = 161728, .mocap_quat = 161736,
    .sensordata = 161768, .xmat = 161808, .xquat = 161800, .geom_xmat = 161856,
    .site_xmat = 161872, .contact = 162472, .efc_force = 163024},
    .contact = {
    .bytes = 576, .geom = 532, .efc_address = 568}},
    {.version = "3.3.6", .physics_is_known = false,
    .model = {
    .bytes = 4792, .count_bytes = 4,
    .nq = 0, .nv = 4, .nu = 8, .nbody = 16, .nsite = 64, .ngeom = 60, .ncam = 68, .ntendon = 208,
    .ntree = 40, .neq = 204, .nflex = 76, .nplugin = 252, .npair = 196, .nexclude = 200,
    .narena = 336, .timestep = 352, .disableflags = 632, .enableflags = 636, .offwidth = 692,
    .offheight = 696, .extent = 1312, .qpos0 = 1352, .tree_dofnum = 0, .tendon_limited = 3800,
    .tendon_frictionloss = 3904, .actuator_ctrlrange = 4096, .body_mass = 1504,
    .body_contype = 1568, .body_conaffinity = 1576, .body_geomnum = 1440, .body_geomadr = 1448,
    .body_weldid = 1384, .body_dofnum = 1416, .body_parentid = 1368, .geom_type = 1904,
    .geom_contype = 1912, .geom_conaffinity = 1920, .geom_condim = 1928, .geom_priority = 1968,
    .geom_solmix = 1992, .geom_solref = 2000, .geom_solimp = 2008, .geom_friction = 2056,
    .geom_margin = 2064, .geom_gap = 2072, .geom_adhesion = 0, .geom_plugin = 1976,
    .pair_dim = 3616, .pair_geom1 = 3624, .pair_geom2 = 3632, .pair_signature = 3640,
    .pair_solref = 3648, .pair_solreffriction = 3656, .pair_solimp = 3664, .pair_margin = 3672,
    .pair_gap = 3680, .pair_adhesion = 0, .pair_friction = 3688},
    .data = {
    .qpos = 161656, .qvel = 161664, .ctrl = 161696, .xpos = 161792, .xipos = 161816,
    .site_xpos = 161864, .geom_xpos = 161848, .cinert = 161928, .cvel = 162184, .cfrc_ext = 162360,
    .qfrc_actuator = 162304, .qfrc_constraint = 162328, .ten_length = 162048,
    .ten_velocity = 162168},
    .picture = {
    .option_bytes = 92, .option_flags = 50, .num_flags = 31, .perturb_bytes = 144,
    .scene_bytes = 11176, .context_bytes = 61512},
    .flags = {
    .disable_filterparent = 1024, .disable_island = 262144, .disable_autoreset = 65536,
    .disable_sensor = 8192, .enable_override = 1, .enable_sleep = 0},
    .arm_model = {
    .jnt_qposadr = 1672, .jnt_dofadr = 1680, .actuator_biastype = 4000, .actuator_trnid = 4008,
    .body_mocapid = 1392, .body_pos = 1472, .eq_type = 3704, .eq_obj1id = 3712, .eq_obj2id = 3720,
    .eq_data = 3760, .site_pos = 2152, .site_rgba = 2176, .num_eq_data = 11},
    .arm_data = {
    .time = 161616, .ncon = 161576, .nefc = 161592, .mocap_pos = 161728, .mocap_quat = 161736,
    .sensordata = 161768, .xmat = 161808, .xquat = 161800, .geom_xmat = 161856,
    .site_xmat = 161872, .contact = 162368, .efc_force = 162840},
    .contact = {
    .bytes = 576, .geom = 532, .efc_address = 568}},
    {.version = "3.3.7", .physics_is_known = false,
    .model = {
    .bytes = 4784, .count_bytes = 4,
    .nq = 0, .nv = 4, .nu = 8, .nbody = 16, .nsite = 64, .ngeom = 60, .ncam = 68, .ntendon = 208,
    .ntree = 40, .neq = 204, .nflex = 76, .nplugin = 252, .npair = 196, .nexclude = 200,
    .narena = 336, .timestep = 352, .disableflags = 624, .enableflags = 628, .offwidth = 684,
    .offheight = 688, .extent = 1304, .qpos0 = 1344, .tree_dofnum = 0, .tendon_limited = 3792,
    .tendon_frictionloss = 3896, .actuator_ctrlrange = 4088, .body_mass = 1496,
    .body_contype = 1560, .body_conaffinity = 1568, .body_geomnum = 1432, .body_geomadr = 1440,
    .body_weldid = 1376, .body_dofnum = 1408, .body_parentid = 1360, .geom_type = 1896,
    .geom_contype = 1904, .geom_conaffinity = 1912, .geom_condim = 1920, .geom_priority = 1960,
    .geom_solmix = 1984, .geom_solref = 1992, .geom_solimp = 2000, .geom_friction = 2048,
    .geom_margin = 2056, .geom_gap = 2064, .geom_adhesion = 0, .geom_plugin = 1968,
    .pair_dim = 3608, .pair_geom1 = 3616, .pair_geom2 = 3624, .pair_signature = 3632,
    .pair_solref = 3640, .pair_solreffriction = 3648, .pair_solimp = 3656, .pair_margin = 3664,
    .pair_gap = 3672, .pair_adhesion = 0, .pair_friction = 3680},
    .data = {
    .qpos = 161656, .qvel = 161664, .ctrl = 161696, .xpos = 161792, .xipos = 161816,
    .site_xpos = 161864, .geom_xpos = 161848, .cinert = 161928, .cvel = 162184, .cfrc_ext = 162360,
    .qfrc_actuator = 162304, .qfrc_constraint = 162328, .ten_length = 162048,
    .ten_velocity = 162168},
    .picture = {
    .option_bytes = 92, .option_flags = 50, .num_flags = 31, .perturb_bytes = 144,
    .scene_bytes = 11184, .context_bytes = 61512},
    .flags = {
    .disable_filterparent = 1024, .disable_island = 262144, .disable_autoreset = 65536,
    .disable_sensor = 8192, .enable_override = 1, .enable_sleep = 0},
    .arm_model = {
    .jnt_qposadr = 1664, .jnt_dofadr = 1672, .actuator_biastype = 3992, .actuator_trnid = 4000,
    .body_mocapid = 1384, .body_pos = 1464, .eq_type = 3696, .eq_obj1id = 3704, .eq_obj2id = 3712,
    .eq_data = 3752, .site_pos = 2144, .site_rgba = 2168, .num_eq_data = 11},
    .arm_data = {
    .time = 161616, .ncon = 161576, .nefc = 161592, .mocap_pos = 161728, .mocap_quat = 161736,
    .sensordata = 161768, .xmat = 161808, .xquat = 161800, .geom_xmat = 161856,
    .site_xmat = 161872, .contact = 162368, .efc_force = 162840},
    .contact = {
    .bytes = 576, .geom = 532, .efc_address = 568}},
    {.version = "3.4.0", .physics_is_known = false,
    .model = {
    .bytes = 4856, .count_bytes = 4,
    .nq = 0, .nv = 4, .nu = 8, .nbody = 16, .nsite = 64, .ngeom = 60, .ncam = 68, .ntendon = 208,
    .ntree = 40, .neq = 204, .nflex = 76, .nplugin = 252, .npair = 196, .nexclude = 200,
    .narena = 336, .timestep = 352, .disableflags = 632, .enableflags = 636, .offwidth = 692,
    .offheight = 696, .extent = 1312, .qpos0 = 1352, .tree_dofnum = 1936, .tendon_limited = 3864,
    .tendon_frictionloss = 3968, .actuator_ctrlrange = 4160, .body_mass = 1504,
    .body_contype = 1568, .body_conaffinity = 1576, .body_geomnum = 1440, .body_geomadr = 1448,
    .body_weldid = 1384, .body_dofnum = 1416, .body_parentid = 1368, .geom_type = 1952,
    .geom_contype = 1960, .geom_conaffinity = 1968, .geom_condim = 1976, .geom_priority = 2016,
    .geom_solmix = 2040, .geom_solref = 2048, .geom_solimp = 2056, .geom_friction = 2104,
    .geom_margin = 2112, .geom_gap = 2120, .geom_adhesion = 0, .geom_plugin = 2024,
    .pair_dim = 3664, .pair_geom1 = 3672, .pair_geom2 = 3680, .pair_signature = 3688,
    .pair_solref = 3696, .pair_solreffriction = 3704, .pair_solimp = 3712, .pair_margin = 3720,
    .pair_gap = 3728, .pair_adhesion = 0, .pair_friction = 3736},
    .data = {
    .qpos = 161672, .qvel = 161680, .ctrl = 161712, .xpos = 161816, .xipos = 161840,
    .site_xpos = 161888, .geom_xpos = 161872, .cinert = 161952, .cvel = 162248, .cfrc_ext = 162424,
    .qfrc_actuator = 162368, .qfrc_constraint = 162392, .ten_length = 162072,
    .ten_velocity = 162232},
    .picture = {
    .option_bytes = 92, .option_flags = 50, .num_flags = 31, .perturb_bytes = 144,
    .scene_bytes = 11184, .context_bytes = 61512},
    .flags = {
    .disable_filterparent = 1024, .disable_island = 262144, .disable_autoreset = 65536,
    .disable_sensor = 8192, .enable_override = 1, .enable_sleep = 32},
    .arm_model = {
    .jnt_qposadr = 1672, .jnt_dofadr = 1680, .actuator_biastype = 4064, .actuator_trnid = 4072,
    .body_mocapid = 1392, .body_pos = 1472, .eq_type = 3752, .eq_obj1id = 3760, .eq_obj2id = 3768,
    .eq_data = 3808, .site_pos = 2200, .site_rgba = 2224, .num_eq_data = 11},
    .arm_data = {
    .time = 161632, .ncon = 161576, .nefc = 161592, .mocap_pos = 161744, .mocap_quat = 161752,
    .sensordata = 161784, .xmat = 161832, .xquat = 161824, .geom_xmat = 161880,
    .site_xmat = 161896, .contact = 162432, .efc_force = 162936},
    .contact = {
    .bytes = 576, .geom = 532, .efc_address = 568}},
    {.version = "3.5.0", .physics_is_known = false,
    .model = {
    .bytes = 5368, .count_bytes = 8,
    .nq = 0, .nv = 8, .nu = 16, .nbody = 32, .nsite = 128, .ngeom = 120, .ncam = 136,
    .ntendon = 432, .ntree = 80, .neq = 424, .nflex = 152, .nplugin = 520, .npair = 408,
    .nexclude = 416, .narena = 696, .timestep = 712, .disableflags = 992, .enableflags = 996,
    .offwidth = 1052, .offheight = 1056, .extent = 1672, .qpos0 = 1712, .tree_dofnum = 2296,
    .tendon_limited = 4320, .tendon_frictionloss = 4424, .actuator_ctrlrange = 4640,
    .body_mass = 1864, .body_contype = 1928, .body_conaffinity = 1936, .body_geomnum = 1800,
    .body_geomadr = 1808, .body_weldid = 1744, .body_dofnum = 1776, .body_parentid = 1728,
    .geom_type = 2312, .geom_contype = 2320, .geom_conaffinity = 2328, .geom_condim = 2336,
    .geom_priority = 2376, .geom_solmix = 2400, .geom_solref = 2408, .geom_solimp = 2416,
    .geom_friction = 2464, .geom_margin = 2472, .geom_gap = 2480, .geom_adhesion = 0,
    .geom_plugin = 2384, .pair_dim = 4120, .pair_geom1 = 4128, .pair_geom2 = 4136,
    .pair_signature = 4144, .pair_solref = 4152, .pair_solreffriction = 4160, .pair_solimp = 4168,
    .pair_margin = 4176, .pair_gap = 4184, .pair_adhesion = 0, .pair_friction = 4192},
    .data = {
    .qpos = 161672, .qvel = 161680, .ctrl = 161720, .xpos = 161824, .xipos = 161848,
    .site_xpos = 161896, .geom_xpos = 161880, .cinert = 161960, .cvel = 162248, .cfrc_ext = 162424,
    .qfrc_actuator = 162368, .qfrc_constraint = 162392, .ten_length = 162072,
    .ten_velocity = 162232},
    .picture = {
    .option_bytes = 92, .option_flags = 50, .num_flags = 31, .perturb_bytes = 144,
    .scene_bytes = 11184, .context_bytes = 61512},
    .flags = {
    .disable_filterparent = 1024, .disable_island = 262144, .disable_autoreset = 65536,
    .disable_sensor = 8192, .enable_override = 1, .enable_sleep = 32},
    .arm_model = {
    .jnt_qposadr = 2032, .jnt_dofadr = 2040, .actuator_biastype = 4520, .actuator_trnid = 4528,
    .body_mocapid = 1752, .body_pos = 1832, .eq_type = 4208, .eq_obj1id = 4216, .eq_obj2id = 4224,
    .eq_data = 4264, .site_pos = 2560, .site_rgba = 2584, .num_eq_data = 11},
    .arm_data = {
    .time = 161632, .ncon = 161576, .nefc = 161592, .mocap_pos = 161752, .mocap_quat = 161760,
    .sensordata = 161792, .xmat = 161840, .xquat = 161832, .geom_xmat = 161888,
    .site_xmat = 161904, .contact = 162432, .efc_force = 162936},
    .contact = {
    .bytes = 576, .geom = 532, .efc_address = 568}},
    {.version = "3.6.0", .physics_is_known = false,
    .model = {
    .bytes = 5400, .count_bytes = 8,
    .nq = 0, .nv = 8, .nu = 16, .nbody = 32, .nsite = 128, .ngeom = 120, .ncam = 136,
    .ntendon = 432, .ntree = 80, .neq = 424, .nflex = 152, .nplugin = 528, .npair = 408,
    .nexclude = 416, .narena = 704, .timestep = 720, .disableflags = 1000, .enableflags = 1004,
    .offwidth = 1060, .offheight = 1064, .extent = 1680, .qpos0 = 1720, .tree_dofnum = 2304,
    .tendon_limited = 4352, .tendon_frictionloss = 4456, .actuator_ctrlrange = 4672,
    .body_mass = 1872, .body_contype = 1936, .body_conaffinity = 1944, .body_geomnum = 1808,
    .body_geomadr = 1816, .body_weldid = 1752, .body_dofnum = 1784, .body_parentid = 1736,
    .geom_type = 2320, .geom_contype = 2328, .geom_conaffinity = 2336, .geom_condim = 2344,
    .geom_priority = 2384, .geom_solmix = 2408, .geom_solref = 2416, .geom_solimp = 2424,
    .geom_friction = 2472, .geom_margin = 2480, .geom_gap = 2488, .geom_adhesion = 0,
    .geom_plugin = 2392, .pair_dim = 4128, .pair_geom1 = 4136, .pair_geom2 = 4144,
    .pair_signature = 4152, .pair_solref = 4160, .pair_solreffriction = 4168, .pair_solimp = 4176,
    .pair_margin = 4184, .pair_gap = 4192, .pair_adhesion = 0, .pair_friction = 4200},
    .data = {
    .qpos = 161672, .qvel = 161680, .ctrl = 161720, .xpos = 161824, .xipos = 161848,
    .site_xpos = 161896, .geom_xpos = 161880, .cinert = 161960, .cvel = 162224, .cfrc_ext = 162400,
    .qfrc_actuator = 162344, .qfrc_constraint = 162368, .ten_length = 162048,
    .ten_velocity = 162208},
    .picture = {
    .option_bytes = 92, .option_flags = 50, .num_flags = 31, .perturb_bytes = 144,
    .scene_bytes = 11184, .context_bytes = 61512},
    .flags = {
    .disable_filterparent = 1024, .disable_island = 262144, .disable_autoreset = 65536,
    .disable_sensor = 8192, .enable_override = 1, .enable_sleep = 32},
    .arm_model = {
    .jnt_qposadr = 2040, .jnt_dofadr = 2048, .actuator_biastype = 4552, .actuator_trnid = 4560,
    .body_mocapid = 1760, .body_pos = 1840, .eq_type = 4216, .eq_obj1id = 4224, .eq_obj2id = 4232,
    .eq_data = 4272, .site_pos = 2568, .site_rgba = 2592, .num_eq_data = 11},
    .arm_data = {
    .time = 161632, .ncon = 161576, .nefc = 161592, .mocap_pos = 161752, .mocap_quat = 161760,
    .sensordata = 161792, .xmat = 161840, .xquat = 161832, .geom_xmat = 161888,
    .site_xmat = 161904, .contact = 162408, .efc_force = 162912},
    .contact = {
    .bytes = 576, .geom = 532, .efc_address = 568}},
    {.version = "3.7.0", .physics_is_known = false,
    .model = {
    .bytes = 5472, .count_bytes = 8,
    .nq = 0, .nv = 8, .nu = 16, .nbody = 32, .nsite = 128, .ngeom = 120, .ncam = 136,
    .ntendon = 432, .ntree = 80, .neq = 424, .nflex = 152, .nplugin = 528, .npair = 408,
    .nexclude = 416, .narena = 704, .timestep = 720, .disableflags = 1000, .enableflags = 1004,
    .offwidth = 1060, .offheight = 1064, .extent = 1680, .qpos0 = 1720, .tree_dofnum = 2328,
    .tendon_limited = 4384, .tendon_frictionloss = 4504, .actuator_ctrlrange = 4744,
    .body_mass = 1872, .body_contype = 1936, .body_conaffinity = 1944, .body_geomnum = 1808,
    .body_geomadr = 1816, .body_weldid = 1752, .body_dofnum = 1784, .body_parentid = 1736,
    .geom_type = 2344, .geom_contype = 2352, .geom_conaffinity = 2360, .geom_condim = 2368,
    .geom_priority = 2408, .geom_solmix = 2432, .geom_solref = 2440, .geom_solimp = 2448,
    .geom_friction = 2496, .geom_margin = 2504, .geom_gap = 2512, .geom_adhesion = 0,
    .geom_plugin = 2416, .pair_dim = 4152, .pair_geom1 = 4160, .pair_geom2 = 4168,
    .pair_signature = 4176, .pair_solref = 4184, .pair_solreffriction = 4192, .pair_solimp = 4200,
    .pair_margin = 4208, .pair_gap = 4216, .pair_adhesion = 0, .pair_friction = 4224},
    .data = {
    .qpos = 161664, .qvel = 161672, .ctrl = 161712, .xpos = 161816, .xipos = 161840,
    .site_xpos = 161888, .geom_xpos = 161872, .cinert = 161952, .cvel = 162216, .cfrc_ext = 162392,
    .qfrc_actuator = 162336, .qfrc_constraint = 162360, .ten_length = 162040,
    .ten_velocity = 162200},
    .picture = {
    .option_bytes = 92, .option_flags = 50, .num_flags = 31, .perturb_bytes = 144,
    .scene_bytes = 11184, .context_bytes = 61512},
    .flags = {
    .disable_filterparent = 1024, .disable_island = 262144, .disable_autoreset = 65536,
    .disable_sensor = 8192, .enable_override = 1, .enable_sleep = 32},
    .arm_model = {
    .jnt_qposadr = 2040, .jnt_dofadr = 2048, .actuator_biastype = 4600, .actuator_trnid = 4608,
    .body_mocapid = 1760, .body_pos = 1840, .eq_type = 4240, .eq_obj1id = 4248, .eq_obj2id = 4256,
    .eq_data = 4296, .site_pos = 2592, .site_rgba = 2616, .num_eq_data = 11},
    .arm_data = {
    .time = 161624, .ncon = 161568, .nefc = 161584, .mocap_pos = 161744, .mocap_quat = 161752,
    .sensordata = 161784, .xmat = 161832, .xquat = 161824, .geom_xmat = 161880,
    .site_xmat = 161896, .contact = 162400, .efc_force = 162904},
    .contact = {
    .bytes = 576, .geom = 532, .efc_address = 568}},
    {.version = "3.8.0", .physics_is_known = false,
    .model = {
    .bytes = 5504, .count_bytes = 8,
    .nq = 0, .nv = 8, .nu = 16, .nbody = 32, .nsite = 128, .ngeom = 120, .ncam = 136,
    .ntendon = 440, .ntree = 80, .neq = 432, .nflex = 152, .nplugin = 536, .npair = 416,
    .nexclude = 424, .narena = 712, .timestep = 728, .disableflags = 1008, .enableflags = 1012,
    .offwidth = 1068, .offheight = 1072, .extent = 1688, .qpos0 = 1728, .tree_dofnum = 2336,
    .tendon_limited = 4416, .tendon_frictionloss = 4536, .actuator_ctrlrange = 4776,
    .body_mass = 1880, .body_contype = 1944, .body_conaffinity = 1952, .body_geomnum = 1816,
    .body_geomadr = 1824, .body_weldid = 1760, .body_dofnum = 1792, .body_parentid = 1744,
    .geom_type = 2352, .geom_contype = 2360, .geom_conaffinity = 2368, .geom_condim = 2376,
    .geom_priority = 2416, .geom_solmix = 2440, .geom_solref = 2448, .geom_solimp = 2456,
    .geom_friction = 2504, .geom_margin = 2512, .geom_gap = 2520, .geom_adhesion = 0,
    .geom_plugin = 2424, .pair_dim = 4184, .pair_geom1 = 4192, .pair_geom2 = 4200,
    .pair_signature = 4208, .pair_solref = 4216, .pair_solreffriction = 4224, .pair_solimp = 4232,
    .pair_margin = 4240, .pair_gap = 4248, .pair_adhesion = 0, .pair_friction = 4256},
    .data = {
    .qpos = 161664, .qvel = 161672, .ctrl = 161712, .xpos = 161816, .xipos = 161840,
    .site_xpos = 161888, .geom_xpos = 161872, .cinert = 161952, .cvel = 162216, .cfrc_ext = 162392,
    .qfrc_actuator = 162336, .qfrc_constraint = 162360, .ten_length = 162040,
    .ten_velocity = 162200},
    .picture = {
    .option_bytes = 92, .option_flags = 50, .num_flags = 31, .perturb_bytes = 144,
    .scene_bytes = 11184, .context_bytes = 61512},
    .flags = {
    .disable_filterparent = 1024, .disable_island = 262144, .disable_autoreset = 65536,
    .disable_sensor = 8192, .enable_override = 1, .enable_sleep = 16},
    .arm_model = {
    .jnt_qposadr = 2048, .jnt_dofadr = 2056, .actuator_biastype = 4632, .actuator_trnid = 4640,
    .body_mocapid = 1768, .body_pos = 1848, .eq_type = 4272, .eq_obj1id = 4280, .eq_obj2id = 4288,
    .eq_data = 4328, .site_pos = 2600, .site_rgba = 2624, .num_eq_data = 11},
    .arm_data = {
    .time = 161624, .ncon = 161568, .nefc = 161584, .mocap_pos = 161744, .mocap_quat = 161752,
    .sensordata = 161784, .xmat = 161832, .xquat = 161824, .geom_xmat = 161880,
    .site_xmat = 161896, .contact = 162400, .efc_force = 162904},
    .contact = {
    .bytes = 576, .geom = 532, .efc_address = 568}},
    {.version = "3.8.1", .physics_is_known = false,
    .model = {
    .bytes = 5520, .count_bytes = 8,
    .nq = 0, .nv = 8, .nu = 16, .nbody = 32, .nsite = 128, .ngeom = 120, .ncam = 136,
    .ntendon = 448, .ntree = 80, .neq = 440, .nflex = 152, .nplugin = 544, .npair = 424,
    .nexclude = 432, .narena = 720, .timestep = 736, .disableflags = 1016, .enableflags = 1020,
    .offwidth = 1076, .offheight = 1080, .extent = 1696, .qpos0 = 1736, .tree_dofnum = 2344,
    .tendon_limited = 4432, .tendon_frictionloss = 4552, .actuator_ctrlrange = 4792,
    .body_mass = 1888, .body_contype = 1952, .body_conaffinity = 1960, .body_geomnum = 1824,
    .body_geomadr = 1832, .body_weldid = 1768, .body_dofnum = 1800, .body_parentid = 1752,
    .geom_type = 2360, .geom_contype = 2368, .geom_conaffinity = 2376, .geom_condim = 2384,
    .geom_priority = 2424, .geom_solmix = 2448, .geom_solref = 2456, .geom_solimp = 2464,
    .geom_friction = 2512, .geom_margin = 2520, .geom_gap = 2528, .geom_adhesion = 0,
    .geom_plugin = 2432, .pair_dim = 4200, .pair_geom1 = 4208, .pair_geom2 = 4216,
    .pair_signature = 4224, .pair_solref = 4232, .pair_solreffriction = 4240, .pair_solimp = 4248,
    .pair_margin = 4256, .pair_gap = 4264, .pair_adhesion = 0, .pair_friction = 4272},
    .data = {
    .qpos = 161664, .qvel = 161672, .ctrl = 161712, .xpos = 161816, .xipos = 161840,
    .site_xpos = 161888, .geom_xpos = 161872, .cinert = 161952, .cvel = 162216, .cfrc_ext = 162392,
    .qfrc_actuator = 162336, .qfrc_constraint = 162360, .ten_length = 162040,
    .ten_velocity = 162200},
    .picture = {
    .option_bytes = 92, .option_flags = 50, .num_flags = 31, .perturb_bytes = 144,
    .scene_bytes = 11184, .context_bytes = 61512},
    .flags = {
    .disable_filterparent = 1024, .disable_island = 262144, .disable_autoreset = 65536,
    .disable_sensor = 8192, .enable_override = 1, .enable_sleep = 16},
    .arm_model = {
    .jnt_qposadr = 2056, .jnt_dofadr = 2064, .actuator_biastype = 4648, .actuator_trnid = 4656,
    .body_mocapid = 1776, .body_pos = 1856, .eq_type = 4288, .eq_obj1id = 4296, .eq_obj2id = 4304,
    .eq_data = 4344, .site_pos = 2608, .site_rgba = 2632, .num_eq_data = 11},
    .arm_data = {
    .time = 161624, .ncon = 161568, .nefc = 161584, .mocap_pos = 161744, .mocap_quat = 161752,
    .sensordata = 161784, .xmat = 161832, .xquat = 161824, .geom_xmat = 161880,
    .site_xmat = 161896, .contact = 162400, .efc_force = 162904},
    .contact = {
    .bytes = 576, .geom = 532, .efc_address = 568}},
    {.version = "3.9.0", .physics_is_known = false,
    .model = {
    .bytes = 5512, .count_bytes = 8,
    .nq = 0, .nv = 8, .nu = 16, .nbody = 32, .nsite = 128, .ngeom = 120, .ncam = 136,
    .ntendon = 448, .ntree = 80, .neq = 440, .nflex = 152, .nplugin = 544, .npair = 424,
    .nexclude = 432, .narena = 720, .timestep = 736, .disableflags = 1016, .enableflags = 1020,
    .offwidth = 1076, .offheight = 1080, .extent = 1696, .qpos0 = 1736, .tree_dofnum = 2344,
    .tendon_limited = 4424, .tendon_frictionloss = 4544, .actuator_ctrlrange = 4784,
    .body_mass = 1888, .body_contype = 1952, .body_conaffinity = 1960, .body_geomnum = 1824,
    .body_geomadr = 1832, .body_weldid = 1768, .body_dofnum = 1800, .body_parentid = 1752,
    .geom_type = 2360, .geom_contype = 2368, .geom_conaffinity = 2376, .geom_condim = 2384,
    .geom_priority = 2424, .geom_solmix = 2448, .geom_solref = 2456, .geom_solimp = 2464,
    .geom_friction = 2512, .geom_margin = 2520, .geom_gap = 2528, .geom_adhesion = 0,
    .geom_plugin = 2432, .pair_dim = 4192, .pair_geom1 = 4200, .pair_geom2 = 4208,
    .pair_signature = 4216, .pair_solref = 4224, .pair_solreffriction = 4232, .pair_solimp = 4240,
    .pair_margin = 4248, .pair_gap = 4256, .pair_adhesion = 0, .pair_friction = 4264},
    .data = {
    .qpos = 161672, .qvel = 161680, .ctrl = 161720, .xpos = 161824, .xipos = 161848,
    .site_xpos = 161896, .geom_xpos = 161880, .cinert = 161960, .cvel = 162224, .cfrc_ext = 162400,
    .qfrc_actuator = 162344, .qfrc_constraint = 162368, .ten_length = 162048,
    .ten_velocity = 162208},
    .picture = {
    .option_bytes = 92, .option_flags = 50, .num_flags = 31, .perturb_bytes = 144,
    .scene_bytes = 11184, .context_bytes = 61512},
    .flags = {
    .disable_filterparent = 1024, .disable_island = 262144, .disable_autoreset = 65536,
    .disable_sensor = 8192, .enable_override = 1, .enable_sleep = 16},
    .arm_model = {
    .jnt_qposadr = 2056, .jnt_dofadr = 2064, .actuator_biastype = 4640, .actuator_trnid = 4648,
    .body_mocapid = 1776, .body_pos = 1856, .eq_type = 4280, .eq_obj1id = 4288, .eq_obj2id = 4296,
    .eq_data = 4336, .site_pos = 2608, .site_rgba = 2632, .num_eq_data = 11},
    .arm_data = {
    .time = 161632, .ncon = 161568, .nefc = 161584, .mocap_pos = 161752, .mocap_quat = 161760,
    .sensordata = 161792, .xmat = 161840, .xquat = 161832, .geom_xmat = 161888,
    .site_xmat = 161904, .contact = 162408, .efc_force = 162944},
    .contact = {
    .bytes = 576, .geom = 532, .efc_address = 568}},
    {.version = "3.10.0", .physics_is_known = false,
    .model = {
    .bytes = 5512, .count_bytes = 8,
    .nq = 0, .nv = 8, .nu = 16, .nbody = 32, .nsite = 128, .ngeom = 120, .ncam = 136,
    .ntendon = 448, .ntree = 80, .neq = 440, .nflex = 152, .nplugin = 544, .npair = 424,
    .nexclude = 432, .narena = 720, .timestep = 736, .disableflags = 1016, .enableflags = 1020,
    .offwidth = 1076, .offheight = 1080, .extent = 1696, .qpos0 = 1736, .tree_dofnum = 2344,
    .tendon_limited = 4424, .tendon_frictionloss = 4544, .actuator_ctrlrange = 4784,
    .body_mass = 1888, .body_contype = 1952, .body_conaffinity = 1960, .body_geomnum = 1824,
    .body_geomadr = 1832, .body_weldid = 1768, .body_dofnum = 1800, .body_parentid = 1752,
    .geom_type = 2360, .geom_contype = 2368, .geom_conaffinity = 2376, .geom_condim = 2384,
    .geom_priority = 2424, .geom_solmix = 2448, .geom_solref = 2456, .geom_solimp = 2464,
    .geom_friction = 2512, .geom_margin = 2520, .geom_gap = 2528, .geom_adhesion = 0,
    .geom_plugin = 2432, .pair_dim = 4192, .pair_geom1 = 4200, .pair_geom2 = 4208,
    .pair_signature = 4216, .pair_solref = 4224, .pair_solreffriction = 4232, .pair_solimp = 4240,
    .pair_margin = 4248, .pair_gap = 4256, .pair_adhesion = 0, .pair_friction = 4264},
    .data = {
    .qpos = 160664, .qvel = 160672, .ctrl = 160712, .xpos = 160816, .xipos = 160840,
    .site_xpos = 160888, .geom_xpos = 160872, .cinert = 160952, .cvel = 161216, .cfrc_ext = 161392,
    .qfrc_actuator = 161336, .qfrc_constraint = 161360, .ten_length = 161040,
    .ten_velocity = 161200},
    .picture = {
    .option_bytes = 92, .option_flags = 50, .num_flags = 31, .perturb_bytes = 144,
    .scene_bytes = 11184, .context_bytes = 61512},
    .flags = {
    .disable_filterparent = 1024, .disable_island = 262144, .disable_autoreset = 65536,
    .disable_sensor = 8192, .enable_override = 1, .enable_sleep = 16},
    .arm_model = {
    .jnt_qposadr = 2056, .jnt_dofadr = 2064, .actuator_biastype = 4640, .actuator_trnid = 4648,
    .body_mocapid = 1776, .body_pos = 1856, .eq_type = 4280, .eq_obj1id = 4288, .eq_obj2id = 4296,
    .eq_data = 4336, .site_pos = 2608, .site_rgba = 2632, .num_eq_data = 11},
    .arm_data = {
    .time = 160624, .ncon = 160560, .nefc = 160576, .mocap_pos = 160744, .mocap_quat = 160752,
    .sensordata = 160784, .xmat = 160832, .xquat = 160824, .geom_xmat = 160880,
    .site_xmat = 160896, .contact = 161400, .efc_force = 161848},
    .contact = {
    .bytes = 576, .geom = 532, .efc_address = 568}},
    {.version = "3.11.0", .physics_is_known = false,
    .model = {
    .bytes = 5672, .count_bytes = 8,
    .nq = 0, .nv = 8, .nu = 16, .nbody = 48, .nsite = 144, .ngeom = 136, .ncam = 152,
    .ntendon = 480, .ntree = 96, .neq = 472, .nflex = 168, .nplugin = 576, .npair = 456,
    .nexclude = 464, .narena = 768, .timestep = 792, .disableflags = 1072, .enableflags = 1076,
    .offwidth = 1132, .offheight = 1136, .extent = 1752, .qpos0 = 1792, .tree_dofnum = 2400,
    .tendon_limited = 4544, .tendon_frictionloss = 4664, .actuator_ctrlrange = 4984,
    .body_mass = 1944, .body_contype = 2008, .body_conaffinity = 2016, .body_geomnum = 1880,
    .body_geomadr = 1888, .body_weldid = 1824, .body_dofnum = 1856, .body_parentid = 1808,
    .geom_type = 2416, .geom_contype = 2424, .geom_conaffinity = 2432, .geom_condim = 2440,
    .geom_priority = 2480, .geom_solmix = 2504, .geom_solref = 2512, .geom_solimp = 2520,
    .geom_friction = 2568, .geom_margin = 2576, .geom_gap = 2584, .geom_adhesion = 2600,
    .geom_plugin = 2488, .pair_dim = 4304, .pair_geom1 = 4312, .pair_geom2 = 4320,
    .pair_signature = 4328, .pair_solref = 4336, .pair_solreffriction = 4344, .pair_solimp = 4352,
    .pair_margin = 4360, .pair_gap = 4368, .pair_adhesion = 4376, .pair_friction = 4384},
    .data = {
    .qpos = 160680, .qvel = 160688, .ctrl = 160728, .xpos = 160832, .xipos = 160856,
    .site_xpos = 160904, .geom_xpos = 160888, .cinert = 160968, .cvel = 161232, .cfrc_ext = 161416,
    .qfrc_actuator = 161360, .qfrc_constraint = 161384, .ten_length = 161064,
    .ten_velocity = 161216},
    .picture = {
    .option_bytes = 92, .option_flags = 50, .num_flags = 31, .perturb_bytes = 144,
    .scene_bytes = 11184, .context_bytes = 61512},
    .flags = {
    .disable_filterparent = 1024, .disable_island = 262144, .disable_autoreset = 65536,
    .disable_sensor = 8192, .enable_override = 1, .enable_sleep = 16},
    .arm_model = {
    .jnt_qposadr = 2112, .jnt_dofadr = 2120, .actuator_biastype = 4760, .actuator_trnid = 4824,
    .body_mocapid = 1832, .body_pos = 1912, .eq_type = 4400, .eq_obj1id = 4408, .eq_obj2id = 4416,
    .eq_data = 4456, .site_pos = 2680, .site_rgba = 2704, .num_eq_data = 11},
    .arm_data = {
    .time = 160640, .ncon = 160560, .nefc = 160576, .mocap_pos = 160760, .mocap_quat = 160768,
    .sensordata = 160800, .xmat = 160848, .xquat = 160840, .geom_xmat = 160896,
    .site_xmat = 160912, .contact = 161424, .efc_force = 161952},
    .contact = {
    .bytes = 584, .geom = 540, .efc_address = 576}},
    {.version = "3.12.0", .physics_is_known = false,
    .model = {
    .bytes = 5688, .count_bytes = 8,
    .nq = 0, .nv = 8, .nu = 16, .nbody = 48, .nsite = 144, .ngeom = 136, .ncam = 152,
    .ntendon = 480, .ntree = 96, .neq = 472, .nflex = 168, .nplugin = 576, .npair = 456,
    .nexclude = 464, .narena = 768, .timestep = 792, .disableflags = 1072, .enableflags = 1076,
    .offwidth = 1132, .offheight = 1136, .extent = 1752, .qpos0 = 1792, .tree_dofnum = 2400,
    .tendon_limited = 4560, .tendon_frictionloss = 4680, .actuator_ctrlrange = 5000,
    .body_mass = 1944, .body_contype = 2008, .body_conaffinity = 2016, .body_geomnum = 1880,
    .body_geomadr = 1888, .body_weldid = 1824, .body_dofnum = 1856, .body_parentid = 1808,
    .geom_type = 2416, .geom_contype = 2424, .geom_conaffinity = 2432, .geom_condim = 2440,
    .geom_priority = 2480, .geom_solmix = 2504, .geom_solref = 2512, .geom_solimp = 2520,
    .geom_friction = 2568, .geom_margin = 2576, .geom_gap = 2584, .geom_adhesion = 2600,
    .geom_plugin = 2488, .pair_dim = 4320, .pair_geom1 = 4328, .pair_geom2 = 4336,
    .pair_signature = 4344, .pair_solref = 4352, .pair_solreffriction = 4360, .pair_solimp = 4368,
    .pair_margin = 4376, .pair_gap = 4384, .pair_adhesion = 4392, .pair_friction = 4400},
    .data = {
    .qpos = 160680, .qvel = 160688, .ctrl = 160728, .xpos = 160832, .xipos = 160856,
    .site_xpos = 160904, .geom_xpos = 160888, .cinert = 160968, .cvel = 161232, .cfrc_ext = 161416,
    .qfrc_actuator = 161360, .qfrc_constraint = 161384, .ten_length = 161064,
    .ten_velocity = 161216},
    .picture = {
    .option_bytes = 92, .option_flags = 50, .num_flags = 31, .perturb_bytes = 144,
    .scene_bytes = 11584, .context_bytes = 61512},
    .flags = {
    .disable_filterparent = 1024, .disable_island = 262144, .disable_autoreset = 65536,
    .disable_sensor = 8192, .enable_override = 1, .enable_sleep = 16},
    .arm_model = {
    .jnt_qposadr = 2112, .jnt_dofadr = 2120, .actuator_biastype = 4776, .actuator_trnid = 4840,
    .body_mocapid = 1832, .body_pos = 1912, .eq_type = 4416, .eq_obj1id = 4424, .eq_obj2id = 4432,
    .eq_data = 4472, .site_pos = 2680, .site_rgba = 2704, .num_eq_data = 11},
    .arm_data = {
    .time = 160640, .ncon = 160560, .nefc = 160576, .mocap_pos = 160760, .mocap_quat = 160768,
    .sensordata = 160800, .xmat = 160848, .xquat = 160840, .geom_xmat = 160896,
    .site_xmat = 160912, .contact = 161424, .efc_force = 161928},
    .contact = {
    .bytes = 584, .geom = 540, .efc_address = 576}},
    {.version = "3.13.0", .physics_is_known = false,
    .model = {
    .bytes = 5696, .count_bytes = 8,
    .nq = 0, .nv = 8, .nu = 16, .nbody = 48, .nsite = 144, .ngeom = 136, .ncam = 152,
    .ntendon = 480, .ntree = 96, .neq = 472, .nflex = 168, .nplugin = 576, .npair = 456,
    .nexclude = 464, .narena = 768, .timestep = 792, .disableflags = 1072, .enableflags = 1076,
    .offwidth = 1132, .offheight = 1136, .extent = 1752, .qpos0 = 1792, .tree_dofnum = 2400,
    .tendon_limited = 4568, .tendon_frictionloss = 4688, .actuator_ctrlrange = 5008,
    .body_mass = 1944, .body_contype = 2008, .body_conaffinity = 2016, .body_geomnum = 1880,
    .body_geomadr = 1888, .body_weldid = 1824, .body_dofnum = 1856, .body_parentid = 1808,
    .geom_type = 2416, .geom_contype = 2424, .geom_conaffinity = 2432, .geom_condim = 2440,
    .geom_priority = 2480, .geom_solmix = 2504, .geom_solref = 2512, .geom_solimp = 2520,
    .geom_friction = 2568, .geom_margin = 2576, .geom_gap = 2584, .geom_adhesion = 2600,
    .geom_plugin = 2488, .pair_dim = 4328, .pair_geom1 = 4336, .pair_geom2 = 4344,
    .pair_signature = 4352, .pair_solref = 4360, .pair_solreffriction = 4368, .pair_solimp = 4376,
    .pair_margin = 4384, .pair_gap = 4392, .pair_adhesion = 4400, .pair_friction = 4408},
    .data = {
    .qpos = 160688, .qvel = 160696, .ctrl = 160736, .xpos = 160840, .xipos = 160864,
    .site_xpos = 160912, .geom_xpos = 160896, .cinert = 160976, .cvel = 161240, .cfrc_ext = 161424,
    .qfrc_actuator = 161368, .qfrc_constraint = 161392, .ten_length = 161072,
    .ten_velocity = 161224},
    .picture = {
    .option_bytes = 92, .option_flags = 50, .num_flags = 31, .perturb_bytes = 144,
    .scene_bytes = 11584, .context_bytes = 61512},
    .flags = {
    .disable_filterparent = 1024, .disable_island = 262144, .disable_autoreset = 65536,
    .disable_sensor = 8192, .enable_override = 1, .enable_sleep = 16},
    .arm_model = {
    .jnt_qposadr = 2112, .jnt_dofadr = 2120, .actuator_biastype = 4784, .actuator_trnid = 4848,
    .body_mocapid = 1832, .body_pos = 1912, .eq_type = 4424, .eq_obj1id = 4432, .eq_obj2id = 4440,
    .eq_data = 4480, .site_pos = 2688, .site_rgba = 2712, .num_eq_data = 11},
    .arm_data = {
    .time = 160648, .ncon = 160560, .nefc = 160576, .mocap_pos = 160768, .mocap_quat = 160776,
    .sensordata = 160808, .xmat = 160856, .xquat = 160848, .geom_xmat = 160904,
    .site_xmat = 160920, .contact = 161432, .efc_force = 162040},
    .contact = {
    .bytes = 584, .geom = 540, .efc_address = 576}},
    {.version = "3.14.0", .physics_is_known = false,
    .model = {
    .bytes = 5696, .count_bytes = 8,
    .nq = 0, .nv = 8, .nu = 16, .nbody = 48, .nsite = 144, .ngeom = 136, .ncam = 152,
    .ntendon = 480, .ntree = 96, .neq = 472, .nflex = 168, .nplugin = 576, .npair = 456,
    .nexclude = 464, .narena = 768, .timestep = 792, .disableflags = 1072, .enableflags = 1076,
    .offwidth = 1132, .offheight = 1136, .extent = 1752, .qpos0 = 1792, .tree_dofnum = 2400,
    .tendon_limited = 4568, .tendon_frictionloss = 4688, .actuator_ctrlrange = 5008,
    .body_mass = 1944, .body_contype = 2008, .body_conaffinity = 2016, .body_geomnum = 1880,
    .body_geomadr = 1888, .body_weldid = 1824, .body_dofnum = 1856, .body_parentid = 1808,
    .geom_type = 2416, .geom_contype = 2424, .geom_conaffinity = 2432, .geom_condim = 2440,
    .geom_priority = 2480, .geom_solmix = 2504, .geom_solref = 2512, .geom_solimp = 2520,
    .geom_friction = 2568, .geom_margin = 2576, .geom_gap = 2584, .geom_adhesion = 2600,
    .geom_plugin = 2488, .pair_dim = 4328, .pair_geom1 = 4336, .pair_geom2 = 4344,
    .pair_signature = 4352, .pair_solref = 4360, .pair_solreffriction = 4368, .pair_solimp = 4376,
    .pair_margin = 4384, .pair_gap = 4392, .pair_adhesion = 4400, .pair_friction = 4408},
    .data = {
    .qpos = 160688, .qvel = 160696, .ctrl = 160736, .xpos = 160840, .xipos = 160864,
    .site_xpos = 160912, .geom_xpos = 160896, .cinert = 160976, .cvel = 161256, .cfrc_ext = 161440,
    .qfrc_actuator = 161384, .qfrc_constraint = 161408, .ten_length = 161088,
    .ten_velocity = 161240},
    .picture = {
    .option_bytes = 92, .option_flags = 50, .num_flags = 31, .perturb_bytes = 144,
    .scene_bytes = 11584, .context_bytes = 61512},
    .flags = {
    .disable_filterparent = 1024, .disable_island = 262144, .disable_autoreset = 65536,
    .disable_sensor = 8192, .enable_override = 1, .enable_sleep = 16},
    .arm_model = {
    .jnt_qposadr = 2112, .jnt_dofadr = 2120, .actuator_biastype = 4784, .actuator_trnid = 4848,
    .body_mocapid = 1832, .body_pos = 1912, .eq_type = 4424, .eq_obj1id = 4432, .eq_obj2id = 4440,
    .eq_data = 4480, .site_pos = 2688, .site_rgba = 2712, .num_eq_data = 11},
    .arm_data = {
    .time = 160648, .ncon = 160560, .nefc = 160576, .mocap_pos = 160768, .mocap_quat = 160776,
    .sensordata = 160808, .xmat = 160856, .xquat = 160848, .geom_xmat = 160904,
    .site_xmat = 160920, .contact = 161448, .efc_force = 162056},
    .contact = {
    .bytes = 584, .geom = 540, .efc_address = 576}},
    {.version = "3.15.0", .physics_is_known = false,
    .model = {
    .bytes = 5656, .count_bytes = 8,
    .nq = 0, .nv = 8, .nu = 16, .nbody = 48, .nsite = 144, .ngeom = 136, .ncam = 152,
    .ntendon = 472, .ntree = 96, .neq = 464, .nflex = 168, .nplugin = 568, .npair = 448,
    .nexclude = 456, .narena = 760, .timestep = 784, .disableflags = 1064, .enableflags = 1068,
    .offwidth = 1124, .offheight = 1128, .extent = 1744, .qpos0 = 1784, .tree_dofnum = 2392,
    .tendon_limited = 4528, .tendon_frictionloss = 4648, .actuator_ctrlrange = 4968,
    .body_mass = 1936, .body_contype = 2000, .body_conaffinity = 2008, .body_geomnum = 1872,
    .body_geomadr = 1880, .body_weldid = 1816, .body_dofnum = 1848, .body_parentid = 1800,
    .geom_type = 2408, .geom_contype = 2416, .geom_conaffinity = 2424, .geom_condim = 2432,
    .geom_priority = 2472, .geom_solmix = 2496, .geom_solref = 2504, .geom_solimp = 2512,
    .geom_friction = 2560, .geom_margin = 2568, .geom_gap = 2576, .geom_adhesion = 2592,
    .geom_plugin = 2480, .pair_dim = 4288, .pair_geom1 = 4296, .pair_geom2 = 4304,
    .pair_signature = 4312, .pair_solref = 4320, .pair_solreffriction = 4328, .pair_solimp = 4336,
    .pair_margin = 4344, .pair_gap = 4352, .pair_adhesion = 4360, .pair_friction = 4368},
    .data = {
    .qpos = 160688, .qvel = 160696, .ctrl = 160736, .xpos = 160840, .xipos = 160864,
    .site_xpos = 160912, .geom_xpos = 160896, .cinert = 160976, .cvel = 161280, .cfrc_ext = 161464,
    .qfrc_actuator = 161408, .qfrc_constraint = 161432, .ten_length = 161112,
    .ten_velocity = 161264},
    .picture = {
    .option_bytes = 92, .option_flags = 50, .num_flags = 31, .perturb_bytes = 144,
    .scene_bytes = 11584, .context_bytes = 61512},
    .flags = {
    .disable_filterparent = 1024, .disable_island = 262144, .disable_autoreset = 65536,
    .disable_sensor = 8192, .enable_override = 1, .enable_sleep = 16},
    .arm_model = {
    .jnt_qposadr = 2104, .jnt_dofadr = 2112, .actuator_biastype = 4744, .actuator_trnid = 4808,
    .body_mocapid = 1824, .body_pos = 1904, .eq_type = 4384, .eq_obj1id = 4392, .eq_obj2id = 4400,
    .eq_data = 4440, .site_pos = 2680, .site_rgba = 2704, .num_eq_data = 11},
    .arm_data = {
    .time = 160648, .ncon = 160560, .nefc = 160576, .mocap_pos = 160768, .mocap_quat = 160776,
    .sensordata = 160808, .xmat = 160856, .xquat = 160848, .geom_xmat = 160904,
    .site_xmat = 160920, .contact = 161472, .efc_force = 162080},
    .contact = {
    .bytes = 584, .geom = 540, .efc_address = 576}},
    {.version = "3.16.0", .physics_is_known = false,
    .model = {
    .bytes = 5672, .count_bytes = 8,
    .nq = 0, .nv = 8, .nu = 16, .nbody = 48, .nsite = 144, .ngeom = 136, .ncam = 152,
    .ntendon = 480, .ntree = 96, .neq = 472, .nflex = 168, .nplugin = 576, .npair = 456,
    .nexclude = 464, .narena = 768, .timestep = 792, .disableflags = 1072, .enableflags = 1076,
    .offwidth = 1132, .offheight = 1136, .extent = 1752, .qpos0 = 1792, .tree_dofnum = 2400,
    .tendon_limited = 4544, .tendon_frictionloss = 4664, .actuator_ctrlrange = 4984,
    .body_mass = 1944, .body_contype = 2008, .body_conaffinity = 2016, .body_geomnum = 1880,
    .body_geomadr = 1888, .body_weldid = 1824, .body_dofnum = 1856, .body_parentid = 1808,
    .geom_type = 2416, .geom_contype = 2424, .geom_conaffinity = 2432, .geom_condim = 2440,
    .geom_priority = 2480, .geom_solmix = 2504, .geom_solref = 2512, .geom_solimp = 2520,
    .geom_friction = 2568, .geom_margin = 2576, .geom_gap = 2584, .geom_adhesion = 2600,
    .geom_plugin = 2488, .pair_dim = 4304, .pair_geom1 = 4312, .pair_geom2 = 4320,
    .pair_signature = 4328, .pair_solref = 4336, .pair_solreffriction = 4344, .pair_solimp = 4352,
    .pair_margin = 4360, .pair_gap = 4368, .pair_adhesion = 4376, .pair_friction = 4384},
    .data = {
    .qpos = 160688, .qvel = 160696, .ctrl = 160736, .xpos = 160840, .xipos = 160864,
    .site_xpos = 160912, .geom_xpos = 160896, .cinert = 160976, .cvel = 161280, .cfrc_ext = 161464,
    .qfrc_actuator = 161408, .qfrc_constraint = 161432, .ten_length = 161112,
    .ten_velocity = 161264},
    .picture = {
    .option_bytes = 92, .option_flags = 50, .num_flags = 31, .perturb_bytes = 144,
    .scene_bytes = 11584, .context_bytes = 61512},
    .flags = {
    .disable_filterparent = 1024, .disable_island = 262144, .disable_autoreset = 65536,
    .disable_sensor = 8192, .enable_override = 1, .enable_sleep = 16},
    .arm_model = {
    .jnt_qposadr = 2112, .jnt_dofadr = 2120, .actuator_biastype = 4760, .actuator_trnid = 4824,
    .body_mocapid = 1832, .body_pos = 1912, .eq_type = 4400, .eq_obj1id = 4408, .eq_obj2id = 4416,
    .eq_data = 4456, .site_pos = 2688, .site_rgba = 2712, .num_eq_data = 11},
    .arm_data = {
    .time = 160648, .ncon = 160560, .nefc = 160576, .mocap_pos = 160768, .mocap_quat = 160776,
    .sensordata = 160808, .xmat = 160856, .xquat = 160848, .geom_xmat = 160904,
    .site_xmat = 160920, .contact = 161472, .efc_force = 162080},
    .contact = {
    .bytes = 584, .geom = 540, .efc_address = 576}},
    {.version = "3.17.0", .physics_is_known = true,
    .model = {
    .bytes = 5680, .count_bytes = 8,
    .nq = 0, .nv = 8, .nu = 16, .nbody = 48, .nsite = 144, .ngeom = 136, .ncam = 152,
    .ntendon = 480, .ntree = 96, .neq = 472, .nflex = 168, .nplugin = 576, .npair = 456,
    .nexclude = 464, .narena = 768, .timestep = 792, .disableflags = 1072, .enableflags = 1076,
    .offwidth = 1132, .offheight = 1136, .extent = 1752, .qpos0 = 1792, .tree_dofnum = 2400,
    .tendon_limited = 4552, .tendon_frictionloss = 4672, .actuator_ctrlrange = 4992,
    .body_mass = 1944, .body_contype = 2008, .body_conaffinity = 2016, .body_geomnum = 1880,
    .body_geomadr = 1888, .body_weldid = 1824, .body_dofnum = 1856, .body_parentid = 1808,
    .geom_type = 2416, .geom_contype = 2424, .geom_conaffinity = 2432, .geom_condim = 2440,
    .geom_priority = 2480, .geom_solmix = 2504, .geom_solref = 2512, .geom_solimp = 2520,
    .geom_friction = 2568, .geom_margin = 2576, .geom_gap = 2584, .geom_adhesion = 2600,
    .geom_plugin = 2488, .pair_dim = 4312, .pair_geom1 = 4320, .pair_geom2 = 4328,
    .pair_signature = 4336, .pair_solref = 4344, .pair_solreffriction = 4352, .pair_solimp = 4360,
    .pair_margin = 4368, .pair_gap = 4376, .pair_adhesion = 4384, .pair_friction = 4392},
    .data = {
    .qpos = 160688, .qvel = 160696, .ctrl = 160736, .xpos = 160840, .xipos = 160864,
    .site_xpos = 160912, .geom_xpos = 160896, .cinert = 160976, .cvel = 161280, .cfrc_ext = 161464,
    .qfrc_actuator = 161408, .qfrc_constraint = 161432, .ten_length = 161112,
    .ten_velocity = 161264},
    .picture = {
    .option_bytes = 92, .option_flags = 50, .num_flags = 31, .perturb_bytes = 144,
    .scene_bytes = 11584, .context_bytes = 61512},
    .flags = {
    .disable_filterparent = 1024, .disable_island = 262144, .disable_autoreset = 65536,
    .disable_sensor = 8192, .enable_override = 1, .enable_sleep = 16},
    .arm_model = {
    .jnt_qposadr = 2112, .jnt_dofadr = 2120, .actuator_biastype = 4768, .actuator_trnid = 4832,
    .body_mocapid = 1832, .body_pos = 1912, .eq_type = 4408, .eq_obj1id = 4416, .eq_obj2id = 4424,
    .eq_data = 4464, .site_pos = 2688, .site_rgba = 2712, .num_eq_data = 12},
    .arm_data = {
    .time = 160648, .ncon = 160560, .nefc = 160576, .mocap_pos = 160768, .mocap_quat = 160776,
    .sensordata = 160808, .xmat = 160856, .xquat = 160848, .geom_xmat = 160904,
    .site_xmat = 160920, .contact = 161472, .efc_force = 162080},
    .contact = {
    .bytes = 584, .geom = 540, .efc_address = 576},
    .suite_model = {
    .na = 40, .njnt = 88, .nlight = 160, .nwrap = 496, .nsensordata = 744, .nhfielddata = 424,
    .integrator = 1040, .gravity = 848, .jnt_type = 2104, .jnt_qposadr = 2112, .jnt_dofadr = 2120,
    .jnt_limited = 2152, .jnt_range = 2224, .jnt_stiffness = 2208, .dof_damping = 2336,
    .body_pos = 1912, .body_quat = 1920, .body_subtreemass = 1952, .geom_size = 2528,
    .geom_pos = 2552, .geom_rgba = 2624, .site_pos = 2688, .site_size = 2680, .site_rgba = 2712,
    .light_pos = 2928, .wrap_prm = 4736, .actuator_ctrllimited = 4984, .sensor_type = 5032,
    .sensor_dim = 5096, .sensor_adr = 5104, .hfield_nrow = 4120, .hfield_ncol = 4128,
    .hfield_adr = 4136, .hfield_size = 4112, .hfield_data = 4144},
    .suite_data = {
    .time = 160648, .ncon = 160560, .warning = 160264, .act = 160704, .sensordata = 160808,
    .xmat = 160856, .xquat = 160848, .xanchor = 160880, .site_xmat = 160920, .geom_xmat = 160904,
    .num_warnings = 7}},
    {.version = "4.0.0", .physics_is_known = true,
    .model = {
    .bytes = 5712, .count_bytes = 8,
    .nq = 0, .nv = 8, .nu = 16, .nbody = 48, .nsite = 144, .ngeom = 136, .ncam = 152,
    .ntendon = 472, .ntree = 96, .neq = 464, .nflex = 168, .nplugin = 568, .npair = 448,
    .nexclude = 456, .narena = 768, .timestep = 792, .disableflags = 1072, .enableflags = 1076,
    .offwidth = 1132, .offheight = 1136, .extent = 1752, .qpos0 = 1792, .tree_dofnum = 2416,
    .tendon_limited = 4568, .tendon_frictionloss = 4688, .actuator_ctrlrange = 5016,
    .body_mass = 1944, .body_contype = 2008, .body_conaffinity = 2016, .body_geomnum = 1880,
    .body_geomadr = 1888, .body_weldid = 1824, .body_dofnum = 1856, .body_parentid = 1808,
    .geom_type = 2432, .geom_contype = 2440, .geom_conaffinity = 2448, .geom_condim = 2456,
    .geom_priority = 2496, .geom_solmix = 2528, .geom_solref = 2536, .geom_solimp = 2544,
    .geom_friction = 2592, .geom_margin = 2600, .geom_gap = 2608, .geom_adhesion = 2624,
    .geom_plugin = 2504, .pair_dim = 4312, .pair_geom1 = 4320, .pair_geom2 = 4328,
    .pair_signature = 4336, .pair_solref = 4344, .pair_solreffriction = 4352, .pair_solimp = 4360,
    .pair_margin = 4368, .pair_gap = 4376, .pair_adhesion = 4384, .pair_friction = 4392},
    .data = {
    .qpos = 160688, .qvel = 160696, .ctrl = 160744, .xpos = 160848, .xipos = 160872,
    .site_xpos = 160936, .geom_xpos = 160912, .cinert = 161008, .cvel = 161296, .cfrc_ext = 161480,
    .qfrc_actuator = 161424, .qfrc_constraint = 161448, .ten_length = 161128,
    .ten_velocity = 161280},
    .picture = {
    .option_bytes = 92, .option_flags = 50, .num_flags = 31, .perturb_bytes = 144,
    .scene_bytes = 11584, .context_bytes = 61512},
    .flags = {
    .disable_filterparent = 1024, .disable_island = 262144, .disable_autoreset = 65536,
    .disable_sensor = 8192, .enable_override = 1, .enable_sleep = 16},
    .arm_model = {
    .jnt_qposadr = 2112, .jnt_dofadr = 2120, .actuator_biastype = 4792, .actuator_trnid = 4856,
    .body_mocapid = 1832, .body_pos = 1912, .eq_type = 4408, .eq_obj1id = 4416, .eq_obj2id = 4424,
    .eq_data = 4464, .site_pos = 2712, .site_rgba = 2736, .num_eq_data = 12},
    .arm_data = {
    .time = 160648, .ncon = 160560, .nefc = 160576, .mocap_pos = 160776, .mocap_quat = 160784,
    .sensordata = 160816, .xmat = 160864, .xquat = 160856, .geom_xmat = 160928,
    .site_xmat = 160952, .contact = 161488, .efc_force = 162096},
    .contact = {
    .bytes = 608, .geom = 564, .efc_address = 600},
    .suite_model = {
    .na = 40, .njnt = 88, .nlight = 160, .nwrap = 488, .nsensordata = 744, .nhfielddata = 416,
    .integrator = 1040, .gravity = 848, .jnt_type = 2104, .jnt_qposadr = 2112, .jnt_dofadr = 2120,
    .jnt_limited = 2160, .jnt_range = 2240, .jnt_stiffness = 2216, .dof_damping = 2352,
    .body_pos = 1912, .body_quat = 1920, .body_subtreemass = 1952, .geom_size = 2552,
    .geom_pos = 2576, .geom_rgba = 2648, .site_pos = 2712, .site_size = 2704, .site_rgba = 2736,
    .light_pos = 2952, .wrap_prm = 4760, .actuator_ctrllimited = 5008, .sensor_type = 5056,
    .sensor_dim = 5120, .sensor_adr = 5128, .hfield_nrow = 4120, .hfield_ncol = 4128,
    .hfield_adr = 4136, .hfield_size = 4112, .hfield_data = 4144},
    .suite_data = {
    .time = 160648, .ncon = 160560, .warning = 160264, .act = 160704, .sensordata = 160816,
    .xmat = 160864, .xquat = 160856, .xanchor = 160896, .site_xmat = 160952, .geom_xmat = 160928,
    .num_warnings = 7}},
};
// clang-format on

}  // namespace

std::span<const Layout> Layouts() { return kLayouts; }

}  // namespace engine::mujoco
