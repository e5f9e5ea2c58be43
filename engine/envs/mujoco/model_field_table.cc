// The fields of mjModel that users may change, and where each supported version of MuJoCo keeps
// them. Written by `python -m tools.mujoco_fields` from MuJoCo's headers; do not edit.
#include "engine/envs/mujoco/model_fields.h"

namespace engine::mujoco {
namespace {

// clang-format off
constexpr std::string_view kCounts[] = {
    "nactuator", "nbody", "ncam", "neq", "ngeom", "njnt", "nlight", "nmat", "nout", "npair", "nq",
    "nsensor", "nsite", "ntendon", "nu", "nv"
};

constexpr ModelField kFields[] = {
    {"qpos0", Element::kDouble, 10, 1},
    {"qpos_spring", Element::kDouble, 10, 1},
    {"body_pos", Element::kDouble, 1, 3},
    {"body_quat", Element::kDouble, 1, 4},
    {"body_ipos", Element::kDouble, 1, 3},
    {"body_iquat", Element::kDouble, 1, 4},
    {"body_mass", Element::kDouble, 1, 1},
    {"body_inertia", Element::kDouble, 1, 3},
    {"body_gravcomp", Element::kDouble, 1, 1},
    {"body_margin", Element::kDouble, 1, 1},
    {"jnt_pos", Element::kDouble, 5, 3},
    {"jnt_axis", Element::kDouble, 5, 3},
    {"jnt_stiffness", Element::kDouble, 5, 1},
    {"jnt_stiffnesspoly", Element::kDouble, 5, 2},
    {"jnt_range", Element::kDouble, 5, 2},
    {"jnt_margin", Element::kDouble, 5, 1},
    {"jnt_solref", Element::kDouble, 5, 2},
    {"jnt_solimp", Element::kDouble, 5, 5},
    {"jnt_actfrcrange", Element::kDouble, 5, 2},
    {"jnt_limited", Element::kByte, 5, 1},
    {"jnt_actfrclimited", Element::kByte, 5, 1},
    {"jnt_actgravcomp", Element::kByte, 5, 1},
    {"jnt_group", Element::kInt, 5, 1},
    {"dof_damping", Element::kDouble, 15, 1},
    {"dof_dampingpoly", Element::kDouble, 15, 2},
    {"dof_armature", Element::kDouble, 15, 1},
    {"dof_frictionloss", Element::kDouble, 15, 1},
    {"dof_solref", Element::kDouble, 15, 2},
    {"dof_solimp", Element::kDouble, 15, 5},
    {"geom_size", Element::kDouble, 4, 3},
    {"geom_rbound", Element::kDouble, 4, 1},
    {"geom_aabb", Element::kDouble, 4, 6},
    {"geom_pos", Element::kDouble, 4, 3},
    {"geom_quat", Element::kDouble, 4, 4},
    {"geom_friction", Element::kDouble, 4, 3},
    {"geom_solmix", Element::kDouble, 4, 1},
    {"geom_solref", Element::kDouble, 4, 2},
    {"geom_solimp", Element::kDouble, 4, 5},
    {"geom_margin", Element::kDouble, 4, 1},
    {"geom_gap", Element::kDouble, 4, 1},
    {"geom_adhesion", Element::kDouble, 4, 1},
    {"geom_fluid", Element::kDouble, 4, 12},
    {"geom_rgba", Element::kFloat, 4, 4},
    {"geom_contype", Element::kInt, 4, 1},
    {"geom_conaffinity", Element::kInt, 4, 1},
    {"geom_condim", Element::kInt, 4, 1},
    {"geom_priority", Element::kInt, 4, 1},
    {"geom_group", Element::kInt, 4, 1},
    {"site_size", Element::kDouble, 12, 3},
    {"site_pos", Element::kDouble, 12, 3},
    {"site_quat", Element::kDouble, 12, 4},
    {"site_rgba", Element::kFloat, 12, 4},
    {"site_group", Element::kInt, 12, 1},
    {"cam_pos", Element::kDouble, 2, 3},
    {"cam_quat", Element::kDouble, 2, 4},
    {"cam_fovy", Element::kDouble, 2, 1},
    {"cam_ipd", Element::kDouble, 2, 1},
    {"light_pos", Element::kDouble, 6, 3},
    {"light_dir", Element::kDouble, 6, 3},
    {"light_attenuation", Element::kFloat, 6, 3},
    {"light_cutoff", Element::kFloat, 6, 1},
    {"light_exponent", Element::kFloat, 6, 1},
    {"light_ambient", Element::kFloat, 6, 3},
    {"light_diffuse", Element::kFloat, 6, 3},
    {"light_specular", Element::kFloat, 6, 3},
    {"light_active", Element::kByte, 6, 1},
    {"light_castshadow", Element::kByte, 6, 1},
    {"mat_rgba", Element::kFloat, 7, 4},
    {"mat_emission", Element::kFloat, 7, 1},
    {"mat_specular", Element::kFloat, 7, 1},
    {"mat_shininess", Element::kFloat, 7, 1},
    {"mat_reflectance", Element::kFloat, 7, 1},
    {"mat_texrepeat", Element::kFloat, 7, 2},
    {"pair_friction", Element::kDouble, 9, 5},
    {"pair_solref", Element::kDouble, 9, 2},
    {"pair_solreffriction", Element::kDouble, 9, 2},
    {"pair_solimp", Element::kDouble, 9, 5},
    {"pair_margin", Element::kDouble, 9, 1},
    {"pair_gap", Element::kDouble, 9, 1},
    {"pair_adhesion", Element::kDouble, 9, 1},
    {"pair_dim", Element::kInt, 9, 1},
    {"eq_data", Element::kDouble, 3, 11},
    {"eq_data", Element::kDouble, 3, 12},
    {"eq_solref", Element::kDouble, 3, 2},
    {"eq_solimp", Element::kDouble, 3, 5},
    {"eq_active0", Element::kByte, 3, 1},
    {"tendon_range", Element::kDouble, 13, 2},
    {"tendon_width", Element::kDouble, 13, 1},
    {"tendon_rgba", Element::kFloat, 13, 4},
    {"tendon_stiffness", Element::kDouble, 13, 1},
    {"tendon_stiffnesspoly", Element::kDouble, 13, 2},
    {"tendon_damping", Element::kDouble, 13, 1},
    {"tendon_dampingpoly", Element::kDouble, 13, 2},
    {"tendon_armature", Element::kDouble, 13, 1},
    {"tendon_frictionloss", Element::kDouble, 13, 1},
    {"tendon_lengthspring", Element::kDouble, 13, 2},
    {"tendon_margin", Element::kDouble, 13, 1},
    {"tendon_solref_lim", Element::kDouble, 13, 2},
    {"tendon_solimp_lim", Element::kDouble, 13, 5},
    {"tendon_solref_fri", Element::kDouble, 13, 2},
    {"tendon_solimp_fri", Element::kDouble, 13, 5},
    {"tendon_actfrcrange", Element::kDouble, 13, 2},
    {"tendon_limited", Element::kByte, 13, 1},
    {"tendon_actfrclimited", Element::kByte, 13, 1},
    {"tendon_group", Element::kInt, 13, 1},
    {"actuator_gear", Element::kDouble, 8, 6},
    {"actuator_gear", Element::kDouble, 14, 6},
    {"actuator_gainprm", Element::kDouble, 0, 10},
    {"actuator_gainprm", Element::kDouble, 14, 10},
    {"actuator_biasprm", Element::kDouble, 0, 10},
    {"actuator_biasprm", Element::kDouble, 14, 10},
    {"actuator_dynprm", Element::kDouble, 0, 10},
    {"actuator_dynprm", Element::kDouble, 14, 10},
    {"actuator_ctrlrange", Element::kDouble, 14, 2},
    {"actuator_forcerange", Element::kDouble, 0, 2},
    {"actuator_forcerange", Element::kDouble, 14, 2},
    {"actuator_actrange", Element::kDouble, 0, 2},
    {"actuator_actrange", Element::kDouble, 14, 2},
    {"actuator_cranklength", Element::kDouble, 0, 1},
    {"actuator_cranklength", Element::kDouble, 14, 1},
    {"actuator_damping", Element::kDouble, 0, 1},
    {"actuator_damping", Element::kDouble, 14, 1},
    {"actuator_dampingpoly", Element::kDouble, 0, 2},
    {"actuator_dampingpoly", Element::kDouble, 14, 2},
    {"actuator_armature", Element::kDouble, 0, 1},
    {"actuator_armature", Element::kDouble, 14, 1},
    {"actuator_ctrllimited", Element::kByte, 14, 1},
    {"actuator_forcelimited", Element::kByte, 0, 1},
    {"actuator_forcelimited", Element::kByte, 14, 1},
    {"actuator_actlimited", Element::kByte, 0, 1},
    {"actuator_actlimited", Element::kByte, 14, 1},
    {"actuator_group", Element::kInt, 0, 1},
    {"actuator_group", Element::kInt, 14, 1},
    {"sensor_cutoff", Element::kDouble, 11, 1},
    {"sensor_noise", Element::kDouble, 11, 1},
    {"opt.apirate", Element::kDouble, -1, 0},
    {"opt.ccd_iterations", Element::kInt, -1, 0},
    {"opt.ccd_tolerance", Element::kDouble, -1, 0},
    {"opt.cone", Element::kInt, -1, 0},
    {"opt.density", Element::kDouble, -1, 0},
    {"opt.disableactuator", Element::kInt, -1, 0},
    {"opt.disableflags", Element::kInt, -1, 0},
    {"opt.enableflags", Element::kInt, -1, 0},
    {"opt.gravity", Element::kDouble, -1, 3},
    {"opt.impratio", Element::kDouble, -1, 0},
    {"opt.integrator", Element::kInt, -1, 0},
    {"opt.iterations", Element::kInt, -1, 0},
    {"opt.jacobian", Element::kInt, -1, 0},
    {"opt.ls_iterations", Element::kInt, -1, 0},
    {"opt.ls_tolerance", Element::kDouble, -1, 0},
    {"opt.magnetic", Element::kDouble, -1, 3},
    {"opt.noslip_iterations", Element::kInt, -1, 0},
    {"opt.noslip_tolerance", Element::kDouble, -1, 0},
    {"opt.o_friction", Element::kDouble, -1, 5},
    {"opt.o_margin", Element::kDouble, -1, 0},
    {"opt.o_solimp", Element::kDouble, -1, 5},
    {"opt.o_solref", Element::kDouble, -1, 2},
    {"opt.sdf_initpoints", Element::kInt, -1, 0},
    {"opt.sdf_iterations", Element::kInt, -1, 0},
    {"opt.sleep_tolerance", Element::kDouble, -1, 0},
    {"opt.solver", Element::kInt, -1, 0},
    {"opt.timestep", Element::kDouble, -1, 0},
    {"opt.tolerance", Element::kDouble, -1, 0},
    {"opt.viscosity", Element::kDouble, -1, 0},
    {"opt.wind", Element::kDouble, -1, 3},
};

constexpr OtherMember kOthers[] = {
    {"B_colind", WhyFixed::kStructure}, {"B_rowadr", WhyFixed::kStructure},
    {"B_rownnz", WhyFixed::kStructure}, {"D_colind", WhyFixed::kStructure},
    {"D_diag", WhyFixed::kStructure}, {"D_rowadr", WhyFixed::kStructure},
    {"D_rownnz", WhyFixed::kStructure}, {"M_colind", WhyFixed::kStructure},
    {"M_rowadr", WhyFixed::kStructure}, {"M_rownnz", WhyFixed::kStructure},
    {"actuator_acc0", WhyFixed::kDerived}, {"actuator_actadr", WhyFixed::kStructure},
    {"actuator_actearly", WhyFixed::kStructure}, {"actuator_actnum", WhyFixed::kStructure},
    {"actuator_biastype", WhyFixed::kStructure}, {"actuator_ctrladr", WhyFixed::kStructure},
    {"actuator_ctrlnum", WhyFixed::kStructure}, {"actuator_ctrlspec", WhyFixed::kStructure},
    {"actuator_delay", WhyFixed::kOther}, {"actuator_dyntype", WhyFixed::kStructure},
    {"actuator_gaintype", WhyFixed::kStructure}, {"actuator_history", WhyFixed::kStructure},
    {"actuator_historyadr", WhyFixed::kStructure}, {"actuator_length0", WhyFixed::kDerived},
    {"actuator_lengthrange", WhyFixed::kDerived}, {"actuator_outadr", WhyFixed::kStructure},
    {"actuator_outnum", WhyFixed::kStructure}, {"actuator_plugin", WhyFixed::kStructure},
    {"actuator_trnid", WhyFixed::kStructure}, {"actuator_trntype", WhyFixed::kStructure},
    {"actuator_user", WhyFixed::kUnread}, {"body_bvhadr", WhyFixed::kStructure},
    {"body_bvhnum", WhyFixed::kStructure}, {"body_conaffinity", WhyFixed::kStructure},
    {"body_contype", WhyFixed::kStructure}, {"body_dofadr", WhyFixed::kStructure},
    {"body_dofnum", WhyFixed::kStructure}, {"body_geomadr", WhyFixed::kStructure},
    {"body_geomnum", WhyFixed::kStructure}, {"body_invweight0", WhyFixed::kDerived},
    {"body_jntadr", WhyFixed::kStructure}, {"body_jntnum", WhyFixed::kStructure},
    {"body_mocapid", WhyFixed::kStructure}, {"body_parentid", WhyFixed::kStructure},
    {"body_plugin", WhyFixed::kStructure}, {"body_rootid", WhyFixed::kStructure},
    {"body_sameframe", WhyFixed::kDerived}, {"body_simple", WhyFixed::kDerived},
    {"body_subtreemass", WhyFixed::kDerived}, {"body_treeid", WhyFixed::kStructure},
    {"body_user", WhyFixed::kUnread}, {"body_weldid", WhyFixed::kStructure},
    {"bvh_aabb", WhyFixed::kAsset}, {"bvh_child", WhyFixed::kAsset},
    {"bvh_depth", WhyFixed::kAsset}, {"bvh_nodeid", WhyFixed::kAsset},
    {"cam_bodyid", WhyFixed::kStructure}, {"cam_intrinsic", WhyFixed::kStructure},
    {"cam_mat0", WhyFixed::kDerived}, {"cam_mode", WhyFixed::kStructure},
    {"cam_orthographic", WhyFixed::kStructure}, {"cam_output", WhyFixed::kStructure},
    {"cam_pos0", WhyFixed::kDerived}, {"cam_poscom0", WhyFixed::kDerived},
    {"cam_projection", WhyFixed::kStructure}, {"cam_resolution", WhyFixed::kStructure},
    {"cam_sensorsize", WhyFixed::kStructure}, {"cam_targetbodyid", WhyFixed::kStructure},
    {"cam_user", WhyFixed::kUnread}, {"dof_M0", WhyFixed::kDerived},
    {"dof_Madr", WhyFixed::kStructure}, {"dof_bodyid", WhyFixed::kStructure},
    {"dof_invweight0", WhyFixed::kDerived}, {"dof_jntid", WhyFixed::kStructure},
    {"dof_length", WhyFixed::kDerived}, {"dof_parentid", WhyFixed::kStructure},
    {"dof_simplenum", WhyFixed::kDerived}, {"dof_treeid", WhyFixed::kStructure},
    {"efm0_L", WhyFixed::kAsset}, {"efm0_L_colind", WhyFixed::kAsset},
    {"efm0_L_rowadr", WhyFixed::kAsset}, {"efm0_L_rownnz", WhyFixed::kAsset},
    {"efm0_dofid", WhyFixed::kAsset}, {"efmC_perm", WhyFixed::kAsset},
    {"eq_obj1id", WhyFixed::kStructure}, {"eq_obj2id", WhyFixed::kStructure},
    {"eq_objtype", WhyFixed::kStructure}, {"eq_type", WhyFixed::kStructure},
    {"exclude_signature", WhyFixed::kStructure}, {"flex_activelayers", WhyFixed::kAsset},
    {"flex_bandwidth", WhyFixed::kAsset}, {"flex_bending", WhyFixed::kAsset},
    {"flex_bendingadr", WhyFixed::kAsset}, {"flex_bvhadr", WhyFixed::kAsset},
    {"flex_bvhnum", WhyFixed::kAsset}, {"flex_cellnum", WhyFixed::kAsset},
    {"flex_centered", WhyFixed::kAsset}, {"flex_conaffinity", WhyFixed::kAsset},
    {"flex_condim", WhyFixed::kAsset}, {"flex_contype", WhyFixed::kAsset},
    {"flex_damping", WhyFixed::kAsset}, {"flex_dim", WhyFixed::kAsset},
    {"flex_edge", WhyFixed::kAsset}, {"flex_edgeadr", WhyFixed::kAsset},
    {"flex_edgedamping", WhyFixed::kAsset}, {"flex_edgeequality", WhyFixed::kAsset},
    {"flex_edgeflap", WhyFixed::kAsset}, {"flex_edgenum", WhyFixed::kAsset},
    {"flex_edgestiffness", WhyFixed::kAsset}, {"flex_elem", WhyFixed::kAsset},
    {"flex_elemadr", WhyFixed::kAsset}, {"flex_elemdataadr", WhyFixed::kAsset},
    {"flex_elemedge", WhyFixed::kAsset}, {"flex_elemedgeadr", WhyFixed::kAsset},
    {"flex_elemlayer", WhyFixed::kAsset}, {"flex_elemnum", WhyFixed::kAsset},
    {"flex_elemtexcoord", WhyFixed::kAsset}, {"flex_evpair", WhyFixed::kAsset},
    {"flex_evpairadr", WhyFixed::kAsset}, {"flex_evpairnum", WhyFixed::kAsset},
    {"flex_flatskin", WhyFixed::kAsset}, {"flex_friction", WhyFixed::kAsset},
    {"flex_gap", WhyFixed::kAsset}, {"flex_group", WhyFixed::kAsset},
    {"flex_internal", WhyFixed::kAsset}, {"flex_interp", WhyFixed::kAsset},
    {"flex_margin", WhyFixed::kAsset}, {"flex_matid", WhyFixed::kAsset},
    {"flex_node", WhyFixed::kAsset}, {"flex_node0", WhyFixed::kAsset},
    {"flex_nodeadr", WhyFixed::kAsset}, {"flex_nodebodyid", WhyFixed::kAsset},
    {"flex_nodenum", WhyFixed::kAsset}, {"flex_passive", WhyFixed::kAsset},
    {"flex_plasticadr", WhyFixed::kAsset}, {"flex_plasticmode", WhyFixed::kAsset},
    {"flex_priority", WhyFixed::kAsset}, {"flex_radius", WhyFixed::kAsset},
    {"flex_rgba", WhyFixed::kAsset}, {"flex_rigid", WhyFixed::kAsset},
    {"flex_selfcollide", WhyFixed::kAsset}, {"flex_shell", WhyFixed::kAsset},
    {"flex_shelldataadr", WhyFixed::kAsset}, {"flex_shellnum", WhyFixed::kAsset},
    {"flex_size", WhyFixed::kAsset}, {"flex_solimp", WhyFixed::kAsset},
    {"flex_solmix", WhyFixed::kAsset}, {"flex_solref", WhyFixed::kAsset},
    {"flex_stiffness", WhyFixed::kAsset}, {"flex_stiffnessadr", WhyFixed::kAsset},
    {"flex_texcoord", WhyFixed::kAsset}, {"flex_texcoordadr", WhyFixed::kAsset},
    {"flex_vert", WhyFixed::kAsset}, {"flex_vert0", WhyFixed::kAsset},
    {"flex_vertadr", WhyFixed::kAsset}, {"flex_vertbodyid", WhyFixed::kAsset},
    {"flex_vertcell", WhyFixed::kAsset}, {"flex_vertedge", WhyFixed::kAsset},
    {"flex_vertedgeadr", WhyFixed::kAsset}, {"flex_vertedgenum", WhyFixed::kAsset},
    {"flex_vertmetric", WhyFixed::kAsset}, {"flex_vertnum", WhyFixed::kAsset},
    {"flex_yield", WhyFixed::kAsset}, {"flexedge_J_colind", WhyFixed::kAsset},
    {"flexedge_J_rowadr", WhyFixed::kAsset}, {"flexedge_J_rownnz", WhyFixed::kAsset},
    {"flexedge_invweight0", WhyFixed::kDerived}, {"flexedge_length0", WhyFixed::kDerived},
    {"flexedge_rigid", WhyFixed::kAsset}, {"flexvert_J_colind", WhyFixed::kAsset},
    {"flexvert_J_rowadr", WhyFixed::kAsset}, {"flexvert_J_rownnz", WhyFixed::kAsset},
    {"geom_bodyid", WhyFixed::kStructure}, {"geom_castshadow", WhyFixed::kStructure},
    {"geom_dataid", WhyFixed::kStructure}, {"geom_matid", WhyFixed::kStructure},
    {"geom_plugin", WhyFixed::kStructure}, {"geom_sameframe", WhyFixed::kStructure},
    {"geom_surfacevel", WhyFixed::kOther}, {"geom_type", WhyFixed::kStructure},
    {"geom_user", WhyFixed::kUnread}, {"hfield_adr", WhyFixed::kAsset},
    {"hfield_data", WhyFixed::kAsset}, {"hfield_ncol", WhyFixed::kAsset},
    {"hfield_nrow", WhyFixed::kAsset}, {"hfield_pathadr", WhyFixed::kAsset},
    {"hfield_size", WhyFixed::kAsset}, {"jnt_actuatorid", WhyFixed::kStructure},
    {"jnt_bodyid", WhyFixed::kStructure}, {"jnt_dofadr", WhyFixed::kStructure},
    {"jnt_plasticadr", WhyFixed::kStructure}, {"jnt_qposadr", WhyFixed::kStructure},
    {"jnt_springyield", WhyFixed::kOther}, {"jnt_type", WhyFixed::kStructure},
    {"jnt_user", WhyFixed::kUnread}, {"key_act", WhyFixed::kUnread},
    {"key_ctrl", WhyFixed::kUnread}, {"key_mpos", WhyFixed::kUnread},
    {"key_mquat", WhyFixed::kUnread}, {"key_plastic", WhyFixed::kUnread},
    {"key_qpos", WhyFixed::kUnread}, {"key_qvel", WhyFixed::kUnread},
    {"key_time", WhyFixed::kUnread}, {"light_bodyid", WhyFixed::kStructure},
    {"light_bulbradius", WhyFixed::kStructure}, {"light_dir0", WhyFixed::kDerived},
    {"light_directional", WhyFixed::kStructure}, {"light_intensity", WhyFixed::kStructure},
    {"light_mode", WhyFixed::kStructure}, {"light_pos0", WhyFixed::kDerived},
    {"light_poscom0", WhyFixed::kDerived}, {"light_range", WhyFixed::kStructure},
    {"light_softness", WhyFixed::kStructure}, {"light_targetbodyid", WhyFixed::kStructure},
    {"light_texid", WhyFixed::kStructure}, {"light_type", WhyFixed::kStructure},
    {"mapD2M", WhyFixed::kStructure}, {"mapM2D", WhyFixed::kStructure},
    {"mapM2M", WhyFixed::kStructure}, {"mat_metallic", WhyFixed::kStructure},
    {"mat_roughness", WhyFixed::kStructure}, {"mat_texid", WhyFixed::kStructure},
    {"mat_texuniform", WhyFixed::kStructure}, {"mesh_bvhadr", WhyFixed::kAsset},
    {"mesh_bvhnum", WhyFixed::kAsset}, {"mesh_extrema", WhyFixed::kAsset},
    {"mesh_face", WhyFixed::kAsset}, {"mesh_faceadr", WhyFixed::kAsset},
    {"mesh_facenormal", WhyFixed::kAsset}, {"mesh_facenum", WhyFixed::kAsset},
    {"mesh_facetexcoord", WhyFixed::kAsset}, {"mesh_graph", WhyFixed::kAsset},
    {"mesh_graphadr", WhyFixed::kAsset}, {"mesh_normal", WhyFixed::kAsset},
    {"mesh_normaladr", WhyFixed::kAsset}, {"mesh_normalnum", WhyFixed::kAsset},
    {"mesh_octadr", WhyFixed::kAsset}, {"mesh_octnum", WhyFixed::kAsset},
    {"mesh_pathadr", WhyFixed::kAsset}, {"mesh_polyadr", WhyFixed::kAsset},
    {"mesh_polymap", WhyFixed::kAsset}, {"mesh_polymapadr", WhyFixed::kAsset},
    {"mesh_polymapnum", WhyFixed::kAsset}, {"mesh_polynormal", WhyFixed::kAsset},
    {"mesh_polynum", WhyFixed::kAsset}, {"mesh_polyvert", WhyFixed::kAsset},
    {"mesh_polyvertadr", WhyFixed::kAsset}, {"mesh_polyvertnum", WhyFixed::kAsset},
    {"mesh_pos", WhyFixed::kAsset}, {"mesh_quat", WhyFixed::kAsset},
    {"mesh_scale", WhyFixed::kAsset}, {"mesh_texcoord", WhyFixed::kAsset},
    {"mesh_texcoordadr", WhyFixed::kAsset}, {"mesh_texcoordnum", WhyFixed::kAsset},
    {"mesh_vert", WhyFixed::kAsset}, {"mesh_vertadr", WhyFixed::kAsset},
    {"mesh_vertnum", WhyFixed::kAsset}, {"nB", WhyFixed::kSize}, {"nC", WhyFixed::kSize},
    {"nD", WhyFixed::kSize}, {"nJfe", WhyFixed::kSize}, {"nJfv", WhyFixed::kSize},
    {"nJmom", WhyFixed::kSize}, {"nJten", WhyFixed::kSize}, {"nM", WhyFixed::kSize},
    {"na", WhyFixed::kSize}, {"nactuator", WhyFixed::kSize},
    {"name_actuatoradr", WhyFixed::kNames}, {"name_bodyadr", WhyFixed::kNames},
    {"name_camadr", WhyFixed::kNames}, {"name_eqadr", WhyFixed::kNames},
    {"name_excludeadr", WhyFixed::kNames}, {"name_flexadr", WhyFixed::kNames},
    {"name_geomadr", WhyFixed::kNames}, {"name_hfieldadr", WhyFixed::kNames},
    {"name_jntadr", WhyFixed::kNames}, {"name_keyadr", WhyFixed::kNames},
    {"name_lightadr", WhyFixed::kNames}, {"name_matadr", WhyFixed::kNames},
    {"name_meshadr", WhyFixed::kNames}, {"name_numericadr", WhyFixed::kNames},
    {"name_pairadr", WhyFixed::kNames}, {"name_pluginadr", WhyFixed::kNames},
    {"name_sensoradr", WhyFixed::kNames}, {"name_siteadr", WhyFixed::kNames},
    {"name_skinadr", WhyFixed::kNames}, {"name_tendonadr", WhyFixed::kNames},
    {"name_texadr", WhyFixed::kNames}, {"name_textadr", WhyFixed::kNames},
    {"name_tupleadr", WhyFixed::kNames}, {"names", WhyFixed::kNames},
    {"names_map", WhyFixed::kNames}, {"narena", WhyFixed::kSize}, {"nbody", WhyFixed::kSize},
    {"nbuffer", WhyFixed::kSize}, {"nbvh", WhyFixed::kSize}, {"nbvhdynamic", WhyFixed::kSize},
    {"nbvhstatic", WhyFixed::kSize}, {"ncam", WhyFixed::kSize}, {"nconmax", WhyFixed::kSize},
    {"nefm0L", WhyFixed::kSize}, {"nefm0dof", WhyFixed::kSize}, {"nefmCvert", WhyFixed::kSize},
    {"nemax", WhyFixed::kSize}, {"neq", WhyFixed::kSize}, {"nexclude", WhyFixed::kSize},
    {"nflex", WhyFixed::kSize}, {"nflexbending", WhyFixed::kSize}, {"nflexedge", WhyFixed::kSize},
    {"nflexelem", WhyFixed::kSize}, {"nflexelemdata", WhyFixed::kSize},
    {"nflexelemedge", WhyFixed::kSize}, {"nflexevpair", WhyFixed::kSize},
    {"nflexnode", WhyFixed::kSize}, {"nflexshelldata", WhyFixed::kSize},
    {"nflexstiffness", WhyFixed::kSize}, {"nflextexcoord", WhyFixed::kSize},
    {"nflexvert", WhyFixed::kSize}, {"ngeom", WhyFixed::kSize}, {"ngravcomp", WhyFixed::kSize},
    {"nhfield", WhyFixed::kSize}, {"nhfielddata", WhyFixed::kSize}, {"nhistory", WhyFixed::kSize},
    {"njmax", WhyFixed::kSize}, {"njnt", WhyFixed::kSize}, {"nkey", WhyFixed::kSize},
    {"nlight", WhyFixed::kSize}, {"nmat", WhyFixed::kSize}, {"nmesh", WhyFixed::kSize},
    {"nmeshdegmax", WhyFixed::kSize}, {"nmeshface", WhyFixed::kSize},
    {"nmeshgraph", WhyFixed::kSize}, {"nmeshnormal", WhyFixed::kSize},
    {"nmeshpoly", WhyFixed::kSize}, {"nmeshpolymap", WhyFixed::kSize},
    {"nmeshpolyvert", WhyFixed::kSize}, {"nmeshtexcoord", WhyFixed::kSize},
    {"nmeshvert", WhyFixed::kSize}, {"nmocap", WhyFixed::kSize}, {"nnames", WhyFixed::kSize},
    {"nnames_map", WhyFixed::kSize}, {"nnumeric", WhyFixed::kSize},
    {"nnumericdata", WhyFixed::kSize}, {"noct", WhyFixed::kSize}, {"nout", WhyFixed::kSize},
    {"npair", WhyFixed::kSize}, {"npaths", WhyFixed::kSize}, {"nplastic", WhyFixed::kSize},
    {"nplugin", WhyFixed::kSize}, {"npluginattr", WhyFixed::kSize},
    {"npluginstate", WhyFixed::kSize}, {"npolygonmax", WhyFixed::kSize}, {"nq", WhyFixed::kSize},
    {"nsensor", WhyFixed::kSize}, {"nsensordata", WhyFixed::kSize}, {"nsite", WhyFixed::kSize},
    {"nskin", WhyFixed::kSize}, {"nskinbone", WhyFixed::kSize},
    {"nskinbonevert", WhyFixed::kSize}, {"nskinface", WhyFixed::kSize},
    {"nskintexvert", WhyFixed::kSize}, {"nskinvert", WhyFixed::kSize},
    {"ntendon", WhyFixed::kSize}, {"ntex", WhyFixed::kSize}, {"ntexdata", WhyFixed::kSize},
    {"ntext", WhyFixed::kSize}, {"ntextdata", WhyFixed::kSize}, {"ntree", WhyFixed::kSize},
    {"ntuple", WhyFixed::kSize}, {"ntupledata", WhyFixed::kSize}, {"nu", WhyFixed::kSize},
    {"numeric_adr", WhyFixed::kUnread}, {"numeric_data", WhyFixed::kUnread},
    {"numeric_size", WhyFixed::kUnread}, {"nuser_actuator", WhyFixed::kSize},
    {"nuser_body", WhyFixed::kSize}, {"nuser_cam", WhyFixed::kSize},
    {"nuser_geom", WhyFixed::kSize}, {"nuser_jnt", WhyFixed::kSize},
    {"nuser_sensor", WhyFixed::kSize}, {"nuser_site", WhyFixed::kSize},
    {"nuser_tendon", WhyFixed::kSize}, {"nuserdata", WhyFixed::kSize}, {"nv", WhyFixed::kSize},
    {"nwrap", WhyFixed::kSize}, {"oct_aabb", WhyFixed::kAsset}, {"oct_child", WhyFixed::kAsset},
    {"oct_coeff", WhyFixed::kAsset}, {"oct_depth", WhyFixed::kAsset},
    {"pair_geom1", WhyFixed::kStructure}, {"pair_geom2", WhyFixed::kStructure},
    {"pair_signature", WhyFixed::kStructure}, {"paths", WhyFixed::kNames},
    {"plugin", WhyFixed::kUnread}, {"plugin_attr", WhyFixed::kUnread},
    {"plugin_attradr", WhyFixed::kUnread}, {"plugin_stateadr", WhyFixed::kUnread},
    {"plugin_statenum", WhyFixed::kUnread}, {"sensor_adr", WhyFixed::kStructure},
    {"sensor_datatype", WhyFixed::kStructure}, {"sensor_delay", WhyFixed::kOther},
    {"sensor_dim", WhyFixed::kStructure}, {"sensor_history", WhyFixed::kStructure},
    {"sensor_historyadr", WhyFixed::kStructure}, {"sensor_interval", WhyFixed::kOther},
    {"sensor_intprm", WhyFixed::kStructure}, {"sensor_needstage", WhyFixed::kStructure},
    {"sensor_objid", WhyFixed::kStructure}, {"sensor_objtype", WhyFixed::kStructure},
    {"sensor_plugin", WhyFixed::kStructure}, {"sensor_refid", WhyFixed::kStructure},
    {"sensor_reftype", WhyFixed::kStructure}, {"sensor_type", WhyFixed::kStructure},
    {"sensor_user", WhyFixed::kUnread}, {"site_bodyid", WhyFixed::kStructure},
    {"site_dataid", WhyFixed::kStructure}, {"site_matid", WhyFixed::kStructure},
    {"site_sameframe", WhyFixed::kStructure}, {"site_type", WhyFixed::kStructure},
    {"site_user", WhyFixed::kUnread}, {"skin_boneadr", WhyFixed::kAsset},
    {"skin_bonebindpos", WhyFixed::kAsset}, {"skin_bonebindquat", WhyFixed::kAsset},
    {"skin_bonebodyid", WhyFixed::kAsset}, {"skin_bonenum", WhyFixed::kAsset},
    {"skin_bonevertadr", WhyFixed::kAsset}, {"skin_bonevertid", WhyFixed::kAsset},
    {"skin_bonevertnum", WhyFixed::kAsset}, {"skin_bonevertweight", WhyFixed::kAsset},
    {"skin_face", WhyFixed::kAsset}, {"skin_faceadr", WhyFixed::kAsset},
    {"skin_facenum", WhyFixed::kAsset}, {"skin_group", WhyFixed::kAsset},
    {"skin_inflate", WhyFixed::kAsset}, {"skin_matid", WhyFixed::kAsset},
    {"skin_pathadr", WhyFixed::kAsset}, {"skin_rgba", WhyFixed::kAsset},
    {"skin_texcoord", WhyFixed::kAsset}, {"skin_texcoordadr", WhyFixed::kAsset},
    {"skin_vert", WhyFixed::kAsset}, {"skin_vertadr", WhyFixed::kAsset},
    {"skin_vertnum", WhyFixed::kAsset}, {"ten_J_colind", WhyFixed::kStructure},
    {"ten_J_rowadr", WhyFixed::kStructure}, {"ten_J_rownnz", WhyFixed::kStructure},
    {"tendon_actuatorid", WhyFixed::kStructure}, {"tendon_adr", WhyFixed::kStructure},
    {"tendon_invweight0", WhyFixed::kDerived}, {"tendon_length0", WhyFixed::kDerived},
    {"tendon_matid", WhyFixed::kStructure}, {"tendon_num", WhyFixed::kStructure},
    {"tendon_plasticadr", WhyFixed::kStructure}, {"tendon_springyield", WhyFixed::kOther},
    {"tendon_treeid", WhyFixed::kStructure}, {"tendon_treenum", WhyFixed::kStructure},
    {"tendon_type", WhyFixed::kStructure}, {"tendon_user", WhyFixed::kUnread},
    {"tex_adr", WhyFixed::kAsset}, {"tex_colorspace", WhyFixed::kAsset},
    {"tex_contenttypeadr", WhyFixed::kAsset}, {"tex_data", WhyFixed::kAsset},
    {"tex_height", WhyFixed::kAsset}, {"tex_nchannel", WhyFixed::kAsset},
    {"tex_pathadr", WhyFixed::kAsset}, {"tex_type", WhyFixed::kAsset},
    {"tex_width", WhyFixed::kAsset}, {"text_adr", WhyFixed::kAsset},
    {"text_data", WhyFixed::kAsset}, {"text_size", WhyFixed::kAsset},
    {"tree_bodyadr", WhyFixed::kStructure}, {"tree_bodynum", WhyFixed::kStructure},
    {"tree_dofadr", WhyFixed::kStructure}, {"tree_dofnum", WhyFixed::kStructure},
    {"tree_sleep_policy", WhyFixed::kStructure}, {"tuple_adr", WhyFixed::kUnread},
    {"tuple_objid", WhyFixed::kUnread}, {"tuple_objprm", WhyFixed::kUnread},
    {"tuple_objtype", WhyFixed::kUnread}, {"tuple_size", WhyFixed::kUnread},
    {"wrap_objid", WhyFixed::kStructure}, {"wrap_prm", WhyFixed::kOther},
    {"wrap_type", WhyFixed::kStructure}
};

constexpr Offset kCounts_3_3_0[] = {
    65535, 16, 44, 180, 36, 32, 48, 168, 65535, 172, 0, 192, 40, 184, 8, 4
};
constexpr Offset kFields_3_3_0[] = {
    1352, 1360, 1472, 1480, 1488, 1496, 1504, 1520, 1536, 1544, 1712, 1720, 1728, 0, 1736, 1752,
    1696, 1704, 1744, 1672, 1680, 1688, 1664, 1848, 0, 1840, 1832, 1816, 1824, 1984, 2000, 1992,
    2008, 2016, 2024, 1960, 1968, 1976, 2032, 2040, 0, 2048, 2064, 1880, 1888, 1896, 1936, 1928,
    2112, 2120, 2128, 2144, 2096, 2176, 2184, 2224, 2232, 2328, 2336, 2368, 2376, 2384, 2392,
    2400, 2408, 2320, 2304, 3496, 3448, 3456, 3464, 3472, 3440, 3576, 3536, 3544, 3552, 3560,
    3568, 0, 3504, 3648, 0, 3632, 3640, 3624, 3736, 3696, 3808, 3752, 0, 3760, 0, 0, 3768, 3776,
    3744, 3704, 3712, 3720, 3728, 0, 3688, 0, 3680, 0, 3984, 0, 3936, 0, 3944, 0, 3928, 3960, 0,
    3968, 0, 3976, 0, 3992, 0, 0, 0, 0, 0, 0, 3904, 0, 3912, 0, 3920, 0, 3896, 4112, 4120, 360,
    628, 400, 604, 480, 640, 632, 636, 408, 368, 600, 616, 608, 620, 384, 456, 624, 392, 560, 496,
    520, 504, 644, 648, 0, 612, 352, 376, 488, 432
};
constexpr Offset kCounts_3_3_1[] = {
    65535, 16, 44, 180, 36, 32, 48, 168, 65535, 172, 0, 192, 40, 184, 8, 4
};
constexpr Offset kFields_3_3_1[] = {
    1352, 1360, 1472, 1480, 1488, 1496, 1504, 1520, 1536, 1544, 1712, 1720, 1728, 0, 1736, 1752,
    1696, 1704, 1744, 1672, 1680, 1688, 1664, 1848, 0, 1840, 1832, 1816, 1824, 1984, 2000, 1992,
    2008, 2016, 2024, 1960, 1968, 1976, 2032, 2040, 0, 2048, 2064, 1880, 1888, 1896, 1936, 1928,
    2112, 2120, 2128, 2144, 2096, 2176, 2184, 2224, 2232, 2328, 2336, 2368, 2376, 2384, 2392,
    2400, 2408, 2320, 2304, 3504, 3456, 3464, 3472, 3480, 3448, 3584, 3544, 3552, 3560, 3568,
    3576, 0, 3512, 3656, 0, 3640, 3648, 3632, 3752, 3712, 3840, 3776, 0, 3784, 0, 3792, 3800,
    3808, 3768, 3720, 3728, 3736, 3744, 3760, 3696, 3704, 3688, 0, 4016, 0, 3968, 0, 3976, 0,
    3960, 3992, 0, 4000, 0, 4008, 0, 4024, 0, 0, 0, 0, 0, 0, 3936, 0, 3944, 0, 3952, 0, 3928,
    4144, 4152, 360, 628, 400, 604, 480, 640, 632, 636, 408, 368, 600, 616, 608, 620, 384, 456,
    624, 392, 560, 496, 520, 504, 644, 648, 0, 612, 352, 376, 488, 432
};
constexpr Offset kCounts_3_3_2[] = {
    65535, 16, 44, 180, 36, 32, 48, 168, 65535, 172, 0, 192, 40, 184, 8, 4
};
constexpr Offset kFields_3_3_2[] = {
    1352, 1360, 1472, 1480, 1488, 1496, 1504, 1520, 1536, 1544, 1712, 1720, 1728, 0, 1736, 1752,
    1696, 1704, 1744, 1672, 1680, 1688, 1664, 1848, 0, 1840, 1832, 1816, 1824, 1984, 2000, 1992,
    2008, 2016, 2024, 1960, 1968, 1976, 2032, 2040, 0, 2048, 2064, 1880, 1888, 1896, 1936, 1928,
    2112, 2120, 2128, 2144, 2096, 2176, 2184, 2224, 2232, 2328, 2336, 2368, 2376, 2384, 2392,
    2400, 2408, 2320, 2304, 3504, 3456, 3464, 3472, 3480, 3448, 3584, 3544, 3552, 3560, 3568,
    3576, 0, 3512, 3656, 0, 3640, 3648, 3632, 3752, 3712, 3840, 3776, 0, 3784, 0, 3792, 3800,
    3808, 3768, 3720, 3728, 3736, 3744, 3760, 3696, 3704, 3688, 0, 4016, 0, 3968, 0, 3976, 0,
    3960, 3992, 0, 4000, 0, 4008, 0, 4024, 0, 0, 0, 0, 0, 0, 3936, 0, 3944, 0, 3952, 0, 3928,
    4144, 4152, 360, 628, 400, 604, 480, 640, 632, 636, 408, 368, 600, 616, 608, 620, 384, 456,
    624, 392, 560, 496, 520, 504, 644, 648, 0, 612, 352, 376, 488, 432
};
constexpr Offset kCounts_3_3_3[] = {
    65535, 16, 44, 180, 36, 32, 48, 168, 65535, 172, 0, 192, 40, 184, 8, 4
};
constexpr Offset kFields_3_3_3[] = {
    1352, 1360, 1472, 1480, 1488, 1496, 1504, 1520, 1536, 1544, 1712, 1720, 1728, 0, 1736, 1752,
    1696, 1704, 1744, 1672, 1680, 1688, 1664, 1848, 0, 1840, 1832, 1816, 1824, 1984, 2000, 1992,
    2008, 2016, 2024, 1960, 1968, 1976, 2032, 2040, 0, 2048, 2064, 1880, 1888, 1896, 1936, 1928,
    2112, 2120, 2128, 2144, 2096, 2176, 2184, 2224, 2232, 2352, 2360, 2392, 2400, 2408, 2416,
    2424, 2432, 2344, 2312, 3552, 3504, 3512, 3520, 3528, 3496, 3632, 3592, 3600, 3608, 3616,
    3624, 0, 3560, 3704, 0, 3688, 3696, 3680, 3800, 3760, 3888, 3824, 0, 3832, 0, 3840, 3848,
    3856, 3816, 3768, 3776, 3784, 3792, 3808, 3744, 3752, 3736, 0, 4064, 0, 4016, 0, 4024, 0,
    4008, 4040, 0, 4048, 0, 4056, 0, 4072, 0, 0, 0, 0, 0, 0, 3984, 0, 3992, 0, 4000, 0, 3976,
    4192, 4200, 360, 628, 400, 604, 480, 640, 632, 636, 408, 368, 600, 616, 608, 620, 384, 456,
    624, 392, 560, 496, 520, 504, 644, 648, 0, 612, 352, 376, 488, 432
};
constexpr Offset kCounts_3_3_4[] = {
    65535, 16, 48, 184, 40, 36, 52, 172, 65535, 176, 0, 196, 44, 188, 8, 4
};
constexpr Offset kFields_3_3_4[] = {
    1352, 1360, 1472, 1480, 1488, 1496, 1504, 1520, 1536, 1544, 1736, 1744, 1752, 0, 1760, 1776,
    1720, 1728, 1768, 1696, 1704, 1712, 1688, 1872, 0, 1864, 1856, 1840, 1848, 2008, 2024, 2016,
    2032, 2040, 2048, 1984, 1992, 2000, 2056, 2064, 0, 2072, 2088, 1904, 1912, 1920, 1960, 1952,
    2136, 2144, 2152, 2168, 2120, 2200, 2208, 2248, 2256, 2376, 2384, 2416, 2424, 2432, 2440,
    2448, 2456, 2368, 2336, 3592, 3544, 3552, 3560, 3568, 3536, 3672, 3632, 3640, 3648, 3656,
    3664, 0, 3600, 3744, 0, 3728, 3736, 3720, 3840, 3800, 3928, 3864, 0, 3872, 0, 3880, 3888,
    3896, 3856, 3808, 3816, 3824, 3832, 3848, 3784, 3792, 3776, 0, 4104, 0, 4056, 0, 4064, 0,
    4048, 4080, 0, 4088, 0, 4096, 0, 4112, 0, 0, 0, 0, 0, 0, 4024, 0, 4032, 0, 4040, 0, 4016,
    4232, 4240, 360, 628, 400, 604, 480, 640, 632, 636, 408, 368, 600, 616, 608, 620, 384, 456,
    624, 392, 560, 496, 520, 504, 644, 648, 0, 612, 352, 376, 488, 432
};
constexpr Offset kCounts_3_3_5[] = {
    65535, 16, 48, 184, 40, 36, 52, 172, 65535, 176, 0, 196, 44, 188, 8, 4
};
constexpr Offset kFields_3_3_5[] = {
    1352, 1360, 1472, 1480, 1488, 1496, 1504, 1520, 1536, 1544, 1744, 1752, 1760, 0, 1768, 1784,
    1728, 1736, 1776, 1704, 1712, 1720, 1696, 1880, 0, 1872, 1864, 1848, 1856, 2016, 2032, 2024,
    2040, 2048, 2056, 1992, 2000, 2008, 2064, 2072, 0, 2080, 2096, 1912, 1920, 1928, 1968, 1960,
    2144, 2152, 2160, 2176, 2128, 2208, 2216, 2256, 2264, 2384, 2392, 2424, 2432, 2440, 2448,
    2456, 2464, 2376, 2344, 3600, 3552, 3560, 3568, 3576, 3544, 3680, 3640, 3648, 3656, 3664,
    3672, 0, 3608, 3752, 0, 3736, 3744, 3728, 3848, 3808, 3936, 3872, 0, 3880, 0, 3888, 3896,
    3904, 3864, 3816, 3824, 3832, 3840, 3856, 3792, 3800, 3784, 0, 4112, 0, 4064, 0, 4072, 0,
    4056, 4088, 0, 4096, 0, 4104, 0, 4120, 0, 0, 0, 0, 0, 0, 4032, 0, 4040, 0, 4048, 0, 4024,
    4248, 4256, 360, 628, 400, 604, 480, 640, 632, 636, 408, 368, 600, 616, 608, 620, 384, 456,
    624, 392, 560, 496, 520, 504, 644, 648, 0, 612, 352, 376, 488, 432
};
constexpr Offset kCounts_3_3_6[] = {
    65535, 16, 68, 204, 60, 36, 72, 192, 65535, 196, 0, 216, 64, 208, 8, 4
};
constexpr Offset kFields_3_3_6[] = {
    1352, 1360, 1472, 1480, 1488, 1496, 1504, 1520, 1536, 1544, 1744, 1752, 1760, 0, 1768, 1784,
    1728, 1736, 1776, 1704, 1712, 1720, 1696, 1880, 0, 1872, 1864, 1848, 1856, 2016, 2032, 2024,
    2040, 2048, 2056, 1992, 2000, 2008, 2064, 2072, 0, 2080, 2096, 1912, 1920, 1928, 1968, 1960,
    2144, 2152, 2160, 2176, 2128, 2208, 2216, 2256, 2264, 2384, 2392, 2424, 2432, 2440, 2448,
    2456, 2464, 2376, 2344, 3608, 3560, 3568, 3576, 3584, 3552, 3688, 3648, 3656, 3664, 3672,
    3680, 0, 3616, 3760, 0, 3744, 3752, 3736, 3856, 3816, 3944, 3880, 0, 3888, 0, 3896, 3904,
    3912, 3872, 3824, 3832, 3840, 3848, 3864, 3800, 3808, 3792, 0, 4120, 0, 4072, 0, 4080, 0,
    4064, 4096, 0, 4104, 0, 4112, 0, 4128, 0, 0, 0, 0, 0, 0, 4040, 0, 4048, 0, 4056, 0, 4032,
    4256, 4264, 360, 628, 400, 604, 480, 640, 632, 636, 408, 368, 600, 616, 608, 620, 384, 456,
    624, 392, 560, 496, 520, 504, 644, 648, 0, 612, 352, 376, 488, 432
};
constexpr Offset kCounts_3_3_7[] = {
    65535, 16, 68, 204, 60, 36, 72, 192, 65535, 196, 0, 216, 64, 208, 8, 4
};
constexpr Offset kFields_3_3_7[] = {
    1344, 1352, 1464, 1472, 1480, 1488, 1496, 1512, 1528, 1536, 1736, 1744, 1752, 0, 1760, 1776,
    1720, 1728, 1768, 1696, 1704, 1712, 1688, 1872, 0, 1864, 1856, 1840, 1848, 2008, 2024, 2016,
    2032, 2040, 2048, 1984, 1992, 2000, 2056, 2064, 0, 2072, 2088, 1904, 1912, 1920, 1960, 1952,
    2136, 2144, 2152, 2168, 2120, 2200, 2208, 2248, 2256, 2376, 2384, 2416, 2424, 2432, 2440,
    2448, 2456, 2368, 2336, 3600, 3552, 3560, 3568, 3576, 3544, 3680, 3640, 3648, 3656, 3664,
    3672, 0, 3608, 3752, 0, 3736, 3744, 3728, 3848, 3808, 3936, 3872, 0, 3880, 0, 3888, 3896,
    3904, 3864, 3816, 3824, 3832, 3840, 3856, 3792, 3800, 3784, 0, 4112, 0, 4064, 0, 4072, 0,
    4056, 4088, 0, 4096, 0, 4104, 0, 4120, 0, 0, 0, 0, 0, 0, 4032, 0, 4040, 0, 4048, 0, 4024,
    4248, 4256, 0, 620, 392, 596, 472, 632, 624, 628, 400, 360, 592, 608, 600, 612, 376, 448, 616,
    384, 552, 488, 512, 496, 636, 640, 0, 604, 352, 368, 480, 424
};
constexpr Offset kCounts_3_4_0[] = {
    65535, 16, 68, 204, 60, 36, 72, 192, 65535, 196, 0, 216, 64, 208, 8, 4
};
constexpr Offset kFields_3_4_0[] = {
    1352, 1360, 1472, 1480, 1488, 1496, 1504, 1520, 1536, 1544, 1744, 1752, 1760, 0, 1768, 1784,
    1728, 1736, 1776, 1704, 1712, 1720, 1696, 1880, 0, 1872, 1864, 1848, 1856, 2064, 2080, 2072,
    2088, 2096, 2104, 2040, 2048, 2056, 2112, 2120, 0, 2128, 2144, 1960, 1968, 1976, 2016, 2008,
    2192, 2200, 2208, 2224, 2176, 2256, 2264, 2304, 2312, 2432, 2440, 2472, 2480, 2488, 2496,
    2504, 2512, 2424, 2392, 3656, 3608, 3616, 3624, 3632, 3600, 3736, 3696, 3704, 3712, 3720,
    3728, 0, 3664, 3808, 0, 3792, 3800, 3784, 3920, 3880, 4008, 3944, 0, 3952, 0, 3960, 3968,
    3976, 3936, 3888, 3896, 3904, 3912, 3928, 3864, 3872, 3840, 0, 4184, 0, 4136, 0, 4144, 0,
    4128, 4160, 0, 4168, 0, 4176, 0, 4192, 0, 0, 0, 0, 0, 0, 4104, 0, 4112, 0, 4120, 0, 4096,
    4320, 4328, 0, 628, 392, 604, 480, 640, 632, 636, 408, 360, 600, 616, 608, 620, 376, 456, 624,
    384, 560, 496, 520, 504, 644, 648, 400, 612, 352, 368, 488, 432
};
constexpr Offset kCounts_3_5_0[] = {
    65535, 32, 136, 424, 120, 72, 144, 400, 65535, 408, 0, 448, 128, 432, 16, 8
};
constexpr Offset kFields_3_5_0[] = {
    1712, 1720, 1832, 1840, 1848, 1856, 1864, 1880, 1896, 1904, 2104, 2112, 2120, 0, 2128, 2144,
    2088, 2096, 2136, 2064, 2072, 2080, 2056, 2240, 0, 2232, 2224, 2208, 2216, 2424, 2440, 2432,
    2448, 2456, 2464, 2400, 2408, 2416, 2472, 2480, 0, 2488, 2504, 2320, 2328, 2336, 2376, 2368,
    2552, 2560, 2568, 2584, 2536, 2616, 2624, 2664, 2672, 2800, 2808, 2840, 2848, 2856, 2864,
    2872, 2880, 2792, 2760, 4112, 4064, 4072, 4080, 4088, 4056, 4192, 4152, 4160, 4168, 4176,
    4184, 0, 4120, 4264, 0, 4248, 4256, 4240, 4376, 4336, 4464, 4400, 0, 4408, 0, 4416, 4424,
    4432, 4392, 4344, 4352, 4360, 4368, 4384, 4320, 4328, 4296, 0, 4664, 0, 4616, 0, 4624, 0,
    4608, 4640, 0, 4648, 0, 4656, 0, 4672, 0, 0, 0, 0, 0, 0, 4584, 0, 4592, 0, 4600, 0, 4552,
    4800, 4808, 0, 988, 752, 964, 840, 1000, 992, 996, 768, 720, 960, 976, 968, 980, 736, 816,
    984, 744, 920, 856, 880, 864, 1004, 1008, 760, 972, 712, 728, 848, 792
};
constexpr Offset kCounts_3_6_0[] = {
    65535, 32, 136, 424, 120, 72, 144, 400, 65535, 408, 0, 456, 128, 432, 16, 8
};
constexpr Offset kFields_3_6_0[] = {
    1720, 1728, 1840, 1848, 1856, 1864, 1872, 1888, 1904, 1912, 2112, 2120, 2128, 0, 2136, 2152,
    2096, 2104, 2144, 2072, 2080, 2088, 2064, 2248, 0, 2240, 2232, 2216, 2224, 2432, 2448, 2440,
    2456, 2464, 2472, 2408, 2416, 2424, 2480, 2488, 0, 2496, 2512, 2328, 2336, 2344, 2384, 2376,
    2560, 2568, 2576, 2592, 2544, 2624, 2632, 2672, 2680, 2808, 2816, 2848, 2856, 2864, 2872,
    2880, 2888, 2800, 2768, 4120, 4072, 4080, 4088, 4096, 4064, 4200, 4160, 4168, 4176, 4184,
    4192, 0, 4128, 4272, 0, 4256, 4264, 4248, 4408, 4368, 4496, 4432, 0, 4440, 0, 4448, 4456,
    4464, 4424, 4376, 4384, 4392, 4400, 4416, 4352, 4360, 4304, 0, 4696, 0, 4648, 0, 4656, 0,
    4640, 4672, 0, 4680, 0, 4688, 0, 4704, 0, 0, 0, 0, 0, 0, 4616, 0, 4624, 0, 4632, 0, 4584,
    4832, 4840, 0, 996, 760, 972, 848, 1008, 1000, 1004, 776, 728, 968, 984, 976, 988, 744, 824,
    992, 752, 928, 864, 888, 872, 1012, 1016, 768, 980, 720, 736, 856, 800
};
constexpr Offset kCounts_3_7_0[] = {
    65535, 32, 136, 424, 120, 72, 144, 400, 65535, 408, 0, 456, 128, 432, 16, 8
};
constexpr Offset kFields_3_7_0[] = {
    1720, 1728, 1840, 1848, 1856, 1864, 1872, 1888, 1904, 1912, 2120, 2128, 2136, 2144, 2152,
    2168, 2104, 2112, 2160, 2080, 2088, 2096, 2072, 2264, 2272, 2256, 2248, 2232, 2240, 2456,
    2472, 2464, 2480, 2488, 2496, 2432, 2440, 2448, 2504, 2512, 0, 2520, 2536, 2352, 2360, 2368,
    2408, 2400, 2584, 2592, 2600, 2616, 2568, 2648, 2656, 2696, 2704, 2832, 2840, 2872, 2880,
    2888, 2896, 2904, 2912, 2824, 2792, 4144, 4096, 4104, 4112, 4120, 4088, 4224, 4184, 4192,
    4200, 4208, 4216, 0, 4152, 4296, 0, 4280, 4288, 4272, 4440, 4400, 4544, 4464, 4472, 4480,
    4488, 4496, 4504, 4512, 4456, 4408, 4416, 4424, 4432, 4448, 4384, 4392, 4336, 0, 4768, 0,
    4720, 0, 4728, 0, 4712, 4744, 0, 4752, 0, 4760, 0, 4776, 0, 4616, 0, 4624, 0, 4632, 4688, 0,
    4696, 0, 4704, 0, 4656, 4904, 4912, 0, 996, 760, 972, 848, 1008, 1000, 1004, 776, 728, 968,
    984, 976, 988, 744, 824, 992, 752, 928, 864, 888, 872, 1012, 1016, 768, 980, 720, 736, 856,
    800
};
constexpr Offset kCounts_3_8_0[] = {
    65535, 32, 136, 432, 120, 72, 144, 408, 65535, 416, 0, 464, 128, 440, 16, 8
};
constexpr Offset kFields_3_8_0[] = {
    1728, 1736, 1848, 1856, 1864, 1872, 1880, 1896, 1912, 1920, 2128, 2136, 2144, 2152, 2160,
    2176, 2112, 2120, 2168, 2088, 2096, 2104, 2080, 2272, 2280, 2264, 2256, 2240, 2248, 2464,
    2480, 2472, 2488, 2496, 2504, 2440, 2448, 2456, 2512, 2520, 0, 2528, 2544, 2360, 2368, 2376,
    2416, 2408, 2592, 2600, 2608, 2624, 2576, 2656, 2664, 2704, 2712, 2840, 2848, 2880, 2888,
    2896, 2904, 2912, 2920, 2832, 2800, 4176, 4128, 4136, 4144, 4152, 4120, 4256, 4216, 4224,
    4232, 4240, 4248, 0, 4184, 4328, 0, 4312, 4320, 4304, 4472, 4432, 4576, 4496, 4504, 4512,
    4520, 4528, 4536, 4544, 4488, 4440, 4448, 4456, 4464, 4480, 4416, 4424, 4368, 0, 4800, 0,
    4752, 0, 4760, 0, 4744, 4776, 0, 4784, 0, 4792, 0, 4808, 0, 4648, 0, 4656, 0, 4664, 4720, 0,
    4728, 0, 4736, 0, 4688, 4936, 4944, 0, 1004, 768, 980, 856, 1016, 1008, 1012, 784, 736, 976,
    992, 984, 996, 752, 832, 1000, 760, 936, 872, 896, 880, 1020, 1024, 776, 988, 728, 744, 864,
    808
};
constexpr Offset kCounts_3_8_1[] = {
    65535, 32, 136, 440, 120, 72, 144, 416, 65535, 424, 0, 472, 128, 448, 16, 8
};
constexpr Offset kFields_3_8_1[] = {
    1736, 1744, 1856, 1864, 1872, 1880, 1888, 1904, 1920, 1928, 2136, 2144, 2152, 2160, 2168,
    2184, 2120, 2128, 2176, 2096, 2104, 2112, 2088, 2280, 2288, 2272, 2264, 2248, 2256, 2472,
    2488, 2480, 2496, 2504, 2512, 2448, 2456, 2464, 2520, 2528, 0, 2536, 2552, 2368, 2376, 2384,
    2424, 2416, 2600, 2608, 2616, 2632, 2584, 2664, 2672, 2712, 2720, 2848, 2856, 2888, 2896,
    2904, 2912, 2920, 2928, 2840, 2808, 4192, 4144, 4152, 4160, 4168, 4136, 4272, 4232, 4240,
    4248, 4256, 4264, 0, 4200, 4344, 0, 4328, 4336, 4320, 4488, 4448, 4592, 4512, 4520, 4528,
    4536, 4544, 4552, 4560, 4504, 4456, 4464, 4472, 4480, 4496, 4432, 4440, 4384, 0, 4816, 0,
    4768, 0, 4776, 0, 4760, 4792, 0, 4800, 0, 4808, 0, 4824, 0, 4664, 0, 4672, 0, 4680, 4736, 0,
    4744, 0, 4752, 0, 4704, 4952, 4960, 0, 1012, 776, 988, 864, 1024, 1016, 1020, 792, 744, 984,
    1000, 992, 1004, 760, 840, 1008, 768, 944, 880, 904, 888, 1028, 1032, 784, 996, 736, 752, 872,
    816
};
constexpr Offset kCounts_3_9_0[] = {
    65535, 32, 136, 440, 120, 72, 144, 416, 65535, 424, 0, 472, 128, 448, 16, 8
};
constexpr Offset kFields_3_9_0[] = {
    1736, 1744, 1856, 1864, 1872, 1880, 1888, 1904, 1920, 1928, 2136, 2144, 2152, 2160, 2168,
    2184, 2120, 2128, 2176, 2096, 2104, 2112, 2088, 2280, 2288, 2272, 2264, 2248, 2256, 2472,
    2488, 2480, 2496, 2504, 2512, 2448, 2456, 2464, 2520, 2528, 0, 2536, 2552, 2368, 2376, 2384,
    2424, 2416, 2600, 2608, 2616, 2632, 2584, 2664, 2672, 2712, 2720, 2848, 2856, 2888, 2896,
    2904, 2912, 2920, 2928, 2840, 2808, 4184, 4136, 4144, 4152, 4160, 4128, 4264, 4224, 4232,
    4240, 4248, 4256, 0, 4192, 4336, 0, 4320, 4328, 4312, 4480, 4440, 4584, 4504, 4512, 4520,
    4528, 4536, 4544, 4552, 4496, 4448, 4456, 4464, 4472, 4488, 4424, 4432, 4376, 0, 4808, 0,
    4760, 0, 4768, 0, 4752, 4784, 0, 4792, 0, 4800, 0, 4816, 0, 4656, 0, 4664, 0, 4672, 4728, 0,
    4736, 0, 4744, 0, 4696, 4944, 4952, 0, 1012, 776, 988, 864, 1024, 1016, 1020, 792, 744, 984,
    1000, 992, 1004, 760, 840, 1008, 768, 944, 880, 904, 888, 1028, 1032, 784, 996, 736, 752, 872,
    816
};
constexpr Offset kCounts_3_10_0[] = {
    65535, 32, 136, 440, 120, 72, 144, 416, 65535, 424, 0, 472, 128, 448, 16, 8
};
constexpr Offset kFields_3_10_0[] = {
    1736, 1744, 1856, 1864, 1872, 1880, 1888, 1904, 1920, 1928, 2136, 2144, 2152, 2160, 2168,
    2184, 2120, 2128, 2176, 2096, 2104, 2112, 2088, 2280, 2288, 2272, 2264, 2248, 2256, 2472,
    2488, 2480, 2496, 2504, 2512, 2448, 2456, 2464, 2520, 2528, 0, 2536, 2552, 2368, 2376, 2384,
    2424, 2416, 2600, 2608, 2616, 2632, 2584, 2664, 2672, 2712, 2720, 2848, 2856, 2888, 2896,
    2904, 2912, 2920, 2928, 2840, 2808, 4184, 4136, 4144, 4152, 4160, 4128, 4264, 4224, 4232,
    4240, 4248, 4256, 0, 4192, 4336, 0, 4320, 4328, 4312, 4480, 4440, 4584, 4504, 4512, 4520,
    4528, 4536, 4544, 4552, 4496, 4448, 4456, 4464, 4472, 4488, 4424, 4432, 4376, 0, 4808, 0,
    4760, 0, 4768, 0, 4752, 4784, 0, 4792, 0, 4800, 0, 4816, 0, 4656, 0, 4664, 0, 4672, 4728, 0,
    4736, 0, 4744, 0, 4696, 4944, 4952, 0, 1012, 776, 988, 864, 1024, 1016, 1020, 792, 744, 984,
    1000, 992, 1004, 760, 840, 1008, 768, 944, 880, 904, 888, 1028, 1032, 784, 996, 736, 752, 872,
    816
};
constexpr Offset kCounts_3_11_0[] = {
    24, 48, 152, 472, 136, 88, 160, 448, 32, 456, 0, 504, 144, 480, 16, 8
};
constexpr Offset kFields_3_11_0[] = {
    1792, 1800, 1912, 1920, 1928, 1936, 1944, 1960, 1976, 1984, 2192, 2200, 2208, 2216, 2224,
    2240, 2176, 2184, 2232, 2152, 2160, 2168, 2144, 2336, 2344, 2328, 2320, 2304, 2312, 2528,
    2544, 2536, 2552, 2560, 2568, 2504, 2512, 2520, 2576, 2584, 2600, 2608, 2624, 2424, 2432,
    2440, 2480, 2472, 2672, 2680, 2688, 2704, 2656, 2736, 2744, 2784, 2792, 2920, 2928, 2960,
    2968, 2976, 2984, 2992, 3000, 2912, 2880, 4296, 4248, 4256, 4264, 4272, 4240, 4384, 4336,
    4344, 4352, 4360, 4368, 4376, 4304, 4456, 0, 4440, 4448, 4432, 4600, 4560, 4704, 4624, 4632,
    4640, 4648, 4656, 4664, 4672, 4616, 4568, 4576, 4584, 4592, 4608, 4544, 4552, 4496, 4992, 0,
    4848, 0, 4856, 0, 4840, 0, 4984, 4968, 0, 4872, 0, 4832, 0, 4912, 0, 4920, 0, 4928, 0, 4976,
    4960, 0, 4864, 0, 4936, 0, 5104, 5112, 0, 1068, 832, 1044, 920, 1080, 1072, 1076, 848, 800,
    1040, 1056, 1048, 1060, 816, 896, 1064, 824, 1000, 936, 960, 944, 1084, 1088, 840, 1052, 792,
    808, 928, 872
};
constexpr Offset kCounts_3_12_0[] = {
    24, 48, 152, 472, 136, 88, 160, 448, 32, 456, 0, 504, 144, 480, 16, 8
};
constexpr Offset kFields_3_12_0[] = {
    1792, 1800, 1912, 1920, 1928, 1936, 1944, 1960, 1976, 1984, 2192, 2200, 2208, 2216, 2224,
    2240, 2176, 2184, 2232, 2152, 2160, 2168, 2144, 2336, 2344, 2328, 2320, 2304, 2312, 2528,
    2544, 2536, 2552, 2560, 2568, 2504, 2512, 2520, 2576, 2584, 2600, 2608, 2624, 2424, 2432,
    2440, 2480, 2472, 2672, 2680, 2688, 2704, 2656, 2736, 2744, 2784, 2792, 2920, 2928, 2960,
    2968, 2984, 2992, 3000, 3008, 2912, 2880, 4312, 4264, 4272, 4280, 4288, 4256, 4400, 4352,
    4360, 4368, 4376, 4384, 4392, 4320, 4472, 0, 4456, 4464, 4448, 4616, 4576, 4720, 4640, 4648,
    4656, 4664, 4672, 4680, 4688, 4632, 4584, 4592, 4600, 4608, 4624, 4560, 4568, 4512, 5008, 0,
    4864, 0, 4872, 0, 4856, 0, 5000, 4984, 0, 4888, 0, 4848, 0, 4928, 0, 4936, 0, 4944, 0, 4992,
    4976, 0, 4880, 0, 4952, 0, 5120, 5128, 0, 1068, 832, 1044, 920, 1080, 1072, 1076, 848, 800,
    1040, 1056, 1048, 1060, 816, 896, 1064, 824, 1000, 936, 960, 944, 1084, 1088, 840, 1052, 792,
    808, 928, 872
};
constexpr Offset kCounts_3_13_0[] = {
    24, 48, 152, 472, 136, 88, 160, 448, 32, 456, 0, 504, 144, 480, 16, 8
};
constexpr Offset kFields_3_13_0[] = {
    1792, 1800, 1912, 1920, 1928, 1936, 1944, 1960, 1976, 1984, 2192, 2200, 2208, 2216, 2224,
    2240, 2176, 2184, 2232, 2152, 2160, 2168, 2144, 2336, 2344, 2328, 2320, 2304, 2312, 2528,
    2544, 2536, 2552, 2560, 2568, 2504, 2512, 2520, 2576, 2584, 2600, 2608, 2624, 2424, 2432,
    2440, 2480, 2472, 2680, 2688, 2696, 2712, 2664, 2744, 2752, 2792, 2800, 2928, 2936, 2968,
    2976, 2992, 3000, 3008, 3016, 2920, 2888, 4320, 4272, 4280, 4288, 4296, 4264, 4408, 4360,
    4368, 4376, 4384, 4392, 4400, 4328, 4480, 0, 4464, 4472, 4456, 4624, 4584, 4728, 4648, 4656,
    4664, 4672, 4680, 4688, 4696, 4640, 4592, 4600, 4608, 4616, 4632, 4568, 4576, 4520, 5016, 0,
    4872, 0, 4880, 0, 4864, 0, 5008, 4992, 0, 4896, 0, 4856, 0, 4936, 0, 4944, 0, 4952, 0, 5000,
    4984, 0, 4888, 0, 4960, 0, 5128, 5136, 0, 1068, 832, 1044, 920, 1080, 1072, 1076, 848, 800,
    1040, 1056, 1048, 1060, 816, 896, 1064, 824, 1000, 936, 960, 944, 1084, 1088, 840, 1052, 792,
    808, 928, 872
};
constexpr Offset kCounts_3_14_0[] = {
    24, 48, 152, 472, 136, 88, 160, 448, 32, 456, 0, 504, 144, 480, 16, 8
};
constexpr Offset kFields_3_14_0[] = {
    1792, 1800, 1912, 1920, 1928, 1936, 1944, 1960, 1976, 1984, 2192, 2200, 2208, 2216, 2224,
    2240, 2176, 2184, 2232, 2152, 2160, 2168, 2144, 2336, 2344, 2328, 2320, 2304, 2312, 2528,
    2544, 2536, 2552, 2560, 2568, 2504, 2512, 2520, 2576, 2584, 2600, 2608, 2624, 2424, 2432,
    2440, 2480, 2472, 2680, 2688, 2696, 2712, 2664, 2744, 2752, 2792, 2800, 2928, 2936, 2968,
    2976, 2992, 3000, 3008, 3016, 2920, 2888, 4320, 4272, 4280, 4288, 4296, 4264, 4408, 4360,
    4368, 4376, 4384, 4392, 4400, 4328, 4480, 0, 4464, 4472, 4456, 4624, 4584, 4728, 4648, 4656,
    4664, 4672, 4680, 4688, 4696, 4640, 4592, 4600, 4608, 4616, 4632, 4568, 4576, 4520, 5016, 0,
    4872, 0, 4880, 0, 4864, 0, 5008, 4992, 0, 4896, 0, 4856, 0, 4936, 0, 4944, 0, 4952, 0, 5000,
    4984, 0, 4888, 0, 4960, 0, 5128, 5136, 0, 1068, 832, 1044, 920, 1080, 1072, 1076, 848, 800,
    1040, 1056, 1048, 1060, 816, 896, 1064, 824, 1000, 936, 960, 944, 1084, 1088, 840, 1052, 792,
    808, 928, 872
};
constexpr Offset kCounts_3_15_0[] = {
    24, 48, 152, 464, 136, 88, 160, 440, 32, 448, 0, 496, 144, 472, 16, 8
};
constexpr Offset kFields_3_15_0[] = {
    1784, 1792, 1904, 1912, 1920, 1928, 1936, 1952, 1968, 1976, 2184, 2192, 2200, 2208, 2216,
    2232, 2168, 2176, 2224, 2144, 2152, 2160, 2136, 2328, 2336, 2320, 2312, 2296, 2304, 2520,
    2536, 2528, 2544, 2552, 2560, 2496, 2504, 2512, 2568, 2576, 2592, 2600, 2616, 2416, 2424,
    2432, 2472, 2464, 2672, 2680, 2688, 2704, 2656, 2736, 2744, 2784, 2792, 2920, 2928, 2960,
    2968, 2984, 2992, 3000, 3008, 2912, 2880, 4280, 4232, 4240, 4248, 4256, 4224, 4368, 4320,
    4328, 4336, 4344, 4352, 4360, 4288, 4440, 0, 4424, 4432, 4416, 4584, 4544, 4688, 4608, 4616,
    4624, 4632, 4640, 4648, 4656, 4600, 4552, 4560, 4568, 4576, 4592, 4528, 4536, 4480, 4976, 0,
    4832, 0, 4840, 0, 4824, 0, 4968, 4952, 0, 4856, 0, 4816, 0, 4896, 0, 4904, 0, 4912, 0, 4960,
    4944, 0, 4848, 0, 4920, 0, 5088, 5096, 0, 1060, 824, 1036, 912, 1072, 1064, 1068, 840, 792,
    1032, 1048, 1040, 1052, 808, 888, 1056, 816, 992, 928, 952, 936, 1076, 1080, 832, 1044, 784,
    800, 920, 864
};
constexpr Offset kCounts_3_16_0[] = {
    24, 48, 152, 472, 136, 88, 160, 448, 32, 456, 0, 504, 144, 480, 16, 8
};
constexpr Offset kFields_3_16_0[] = {
    1792, 1800, 1912, 1920, 1928, 1936, 1944, 1960, 1976, 1984, 2192, 2200, 2208, 2216, 2224,
    2240, 2176, 2184, 2232, 2152, 2160, 2168, 2144, 2336, 2344, 2328, 2320, 2304, 2312, 2528,
    2544, 2536, 2552, 2560, 2568, 2504, 2512, 2520, 2576, 2584, 2600, 2608, 2624, 2424, 2432,
    2440, 2480, 2472, 2680, 2688, 2696, 2712, 2664, 2744, 2752, 2792, 2800, 2928, 2936, 2968,
    2976, 2992, 3000, 3008, 3016, 2920, 2888, 4296, 4248, 4256, 4264, 4272, 4240, 4384, 4336,
    4344, 4352, 4360, 4368, 4376, 4304, 4456, 0, 4440, 4448, 4432, 4600, 4560, 4704, 4624, 4632,
    4640, 4648, 4656, 4664, 4672, 4616, 4568, 4576, 4584, 4592, 4608, 4544, 4552, 4496, 4992, 0,
    4848, 0, 4856, 0, 4840, 0, 4984, 4968, 0, 4872, 0, 4832, 0, 4912, 0, 4920, 0, 4928, 0, 4976,
    4960, 0, 4864, 0, 4936, 0, 5104, 5112, 0, 1068, 832, 1044, 920, 1080, 1072, 1076, 848, 800,
    1040, 1056, 1048, 1060, 816, 896, 1064, 824, 1000, 936, 960, 944, 1084, 1088, 840, 1052, 792,
    808, 928, 872
};
constexpr Offset kCounts_3_17_0[] = {
    24, 48, 152, 472, 136, 88, 160, 448, 32, 456, 0, 504, 144, 480, 16, 8
};
constexpr Offset kFields_3_17_0[] = {
    1792, 1800, 1912, 1920, 1928, 1936, 1944, 1960, 1976, 1984, 2192, 2200, 2208, 2216, 2224,
    2240, 2176, 2184, 2232, 2152, 2160, 2168, 2144, 2336, 2344, 2328, 2320, 2304, 2312, 2528,
    2544, 2536, 2552, 2560, 2568, 2504, 2512, 2520, 2576, 2584, 2600, 2608, 2624, 2424, 2432,
    2440, 2480, 2472, 2680, 2688, 2696, 2712, 2664, 2744, 2752, 2792, 2800, 2928, 2936, 2968,
    2976, 2992, 3000, 3008, 3016, 2920, 2888, 4304, 4256, 4264, 4272, 4280, 4248, 4392, 4344,
    4352, 4360, 4368, 4376, 4384, 4312, 0, 4464, 4448, 4456, 4440, 4608, 4568, 4712, 4632, 4640,
    4648, 4656, 4664, 4672, 4680, 4624, 4576, 4584, 4592, 4600, 4616, 4552, 4560, 4504, 5000, 0,
    4856, 0, 4864, 0, 4848, 0, 4992, 4976, 0, 4880, 0, 4840, 0, 4920, 0, 4928, 0, 4936, 0, 4984,
    4968, 0, 4872, 0, 4944, 0, 5112, 5120, 0, 1068, 832, 1044, 920, 1080, 1072, 1076, 848, 800,
    1040, 1056, 1048, 1060, 816, 896, 1064, 824, 1000, 936, 960, 944, 1084, 1088, 840, 1052, 792,
    808, 928, 872
};
constexpr Offset kCounts_4_0_0[] = {
    24, 48, 152, 464, 136, 88, 160, 440, 32, 448, 0, 496, 144, 472, 16, 8
};
constexpr Offset kFields_4_0_0[] = {
    1792, 1800, 1912, 1920, 1928, 1936, 1944, 1960, 1976, 1984, 2200, 2208, 2216, 2224, 2240,
    2256, 2184, 2192, 2248, 2160, 2168, 2176, 2144, 2352, 2360, 2344, 2336, 2320, 2328, 2552,
    2568, 2560, 2576, 2584, 2592, 2528, 2536, 2544, 2600, 2608, 2624, 2632, 2648, 2440, 2448,
    2456, 2496, 2488, 2704, 2712, 2720, 2736, 2688, 2768, 2776, 2816, 2824, 2952, 2960, 2992,
    3000, 3016, 3024, 3032, 3040, 2944, 2912, 4304, 4256, 4264, 4272, 4280, 4248, 4392, 4344,
    4352, 4360, 4368, 4376, 4384, 4312, 0, 4464, 4448, 4456, 4440, 4624, 4584, 4736, 4648, 4656,
    4664, 4672, 4680, 4688, 4696, 4640, 4592, 4600, 4608, 4616, 4632, 4568, 4576, 4512, 5024, 0,
    4880, 0, 4888, 0, 4872, 0, 5016, 5000, 0, 4904, 0, 4864, 0, 4944, 0, 4952, 0, 4960, 0, 5008,
    4992, 0, 4896, 0, 4968, 0, 5136, 5144, 0, 1068, 832, 1044, 920, 1080, 1072, 1076, 848, 800,
    1040, 1056, 1048, 1060, 816, 896, 1064, 824, 1000, 936, 960, 944, 1084, 1088, 840, 1052, 792,
    808, 928, 872
};

constexpr ModelFieldRow kRows[] = {
    {.version = "3.3.0", .first = 1352, .last = 4528, .buffer = 1344, .nbuffer = 344,
    .jnt_qposadr = 1640, .jnt_dofadr = 1648, .actuator_ctrladr = 0, .actuator_outadr = 0,
    .counts = kCounts_3_3_0, .fields = kFields_3_3_0},
    {.version = "3.3.1", .first = 1352, .last = 4560, .buffer = 1344, .nbuffer = 344,
    .jnt_qposadr = 1640, .jnt_dofadr = 1648, .actuator_ctrladr = 0, .actuator_outadr = 0,
    .counts = kCounts_3_3_1, .fields = kFields_3_3_1},
    {.version = "3.3.2", .first = 1352, .last = 4560, .buffer = 1344, .nbuffer = 344,
    .jnt_qposadr = 1640, .jnt_dofadr = 1648, .actuator_ctrladr = 0, .actuator_outadr = 0,
    .counts = kCounts_3_3_2, .fields = kFields_3_3_2},
    {.version = "3.3.3", .first = 1352, .last = 4608, .buffer = 1344, .nbuffer = 344,
    .jnt_qposadr = 1640, .jnt_dofadr = 1648, .actuator_ctrladr = 0, .actuator_outadr = 0,
    .counts = kCounts_3_3_3, .fields = kFields_3_3_3},
    {.version = "3.3.4", .first = 1352, .last = 4648, .buffer = 1344, .nbuffer = 344,
    .jnt_qposadr = 1664, .jnt_dofadr = 1672, .actuator_ctrladr = 0, .actuator_outadr = 0,
    .counts = kCounts_3_3_4, .fields = kFields_3_3_4},
    {.version = "3.3.5", .first = 1352, .last = 4664, .buffer = 1344, .nbuffer = 344,
    .jnt_qposadr = 1672, .jnt_dofadr = 1680, .actuator_ctrladr = 0, .actuator_outadr = 0,
    .counts = kCounts_3_3_5, .fields = kFields_3_3_5},
    {.version = "3.3.6", .first = 1352, .last = 4776, .buffer = 1344, .nbuffer = 344,
    .jnt_qposadr = 1672, .jnt_dofadr = 1680, .actuator_ctrladr = 0, .actuator_outadr = 0,
    .counts = kCounts_3_3_6, .fields = kFields_3_3_6},
    {.version = "3.3.7", .first = 1344, .last = 4768, .buffer = 1336, .nbuffer = 344,
    .jnt_qposadr = 1664, .jnt_dofadr = 1672, .actuator_ctrladr = 0, .actuator_outadr = 0,
    .counts = kCounts_3_3_7, .fields = kFields_3_3_7},
    {.version = "3.4.0", .first = 1352, .last = 4840, .buffer = 1344, .nbuffer = 344,
    .jnt_qposadr = 1672, .jnt_dofadr = 1680, .actuator_ctrladr = 0, .actuator_outadr = 0,
    .counts = kCounts_3_4_0, .fields = kFields_3_4_0},
    {.version = "3.5.0", .first = 1712, .last = 5352, .buffer = 1704, .nbuffer = 704,
    .jnt_qposadr = 2032, .jnt_dofadr = 2040, .actuator_ctrladr = 0, .actuator_outadr = 0,
    .counts = kCounts_3_5_0, .fields = kFields_3_5_0},
    {.version = "3.6.0", .first = 1720, .last = 5384, .buffer = 1712, .nbuffer = 712,
    .jnt_qposadr = 2040, .jnt_dofadr = 2048, .actuator_ctrladr = 0, .actuator_outadr = 0,
    .counts = kCounts_3_6_0, .fields = kFields_3_6_0},
    {.version = "3.7.0", .first = 1720, .last = 5456, .buffer = 1712, .nbuffer = 712,
    .jnt_qposadr = 2040, .jnt_dofadr = 2048, .actuator_ctrladr = 0, .actuator_outadr = 0,
    .counts = kCounts_3_7_0, .fields = kFields_3_7_0},
    {.version = "3.8.0", .first = 1728, .last = 5488, .buffer = 1720, .nbuffer = 720,
    .jnt_qposadr = 2048, .jnt_dofadr = 2056, .actuator_ctrladr = 0, .actuator_outadr = 0,
    .counts = kCounts_3_8_0, .fields = kFields_3_8_0},
    {.version = "3.8.1", .first = 1736, .last = 5504, .buffer = 1728, .nbuffer = 728,
    .jnt_qposadr = 2056, .jnt_dofadr = 2064, .actuator_ctrladr = 0, .actuator_outadr = 0,
    .counts = kCounts_3_8_1, .fields = kFields_3_8_1},
    {.version = "3.9.0", .first = 1736, .last = 5496, .buffer = 1728, .nbuffer = 728,
    .jnt_qposadr = 2056, .jnt_dofadr = 2064, .actuator_ctrladr = 0, .actuator_outadr = 0,
    .counts = kCounts_3_9_0, .fields = kFields_3_9_0},
    {.version = "3.10.0", .first = 1736, .last = 5496, .buffer = 1728, .nbuffer = 728,
    .jnt_qposadr = 2056, .jnt_dofadr = 2064, .actuator_ctrladr = 0, .actuator_outadr = 0,
    .counts = kCounts_3_10_0, .fields = kFields_3_10_0},
    {.version = "3.11.0", .first = 1792, .last = 5656, .buffer = 1784, .nbuffer = 776,
    .jnt_qposadr = 2112, .jnt_dofadr = 2120, .actuator_ctrladr = 4768, .actuator_outadr = 4792,
    .counts = kCounts_3_11_0, .fields = kFields_3_11_0},
    {.version = "3.12.0", .first = 1792, .last = 5672, .buffer = 1784, .nbuffer = 776,
    .jnt_qposadr = 2112, .jnt_dofadr = 2120, .actuator_ctrladr = 4784, .actuator_outadr = 4808,
    .counts = kCounts_3_12_0, .fields = kFields_3_12_0},
    {.version = "3.13.0", .first = 1792, .last = 5680, .buffer = 1784, .nbuffer = 776,
    .jnt_qposadr = 2112, .jnt_dofadr = 2120, .actuator_ctrladr = 4792, .actuator_outadr = 4816,
    .counts = kCounts_3_13_0, .fields = kFields_3_13_0},
    {.version = "3.14.0", .first = 1792, .last = 5680, .buffer = 1784, .nbuffer = 776,
    .jnt_qposadr = 2112, .jnt_dofadr = 2120, .actuator_ctrladr = 4792, .actuator_outadr = 4816,
    .counts = kCounts_3_14_0, .fields = kFields_3_14_0},
    {.version = "3.15.0", .first = 1784, .last = 5640, .buffer = 1776, .nbuffer = 768,
    .jnt_qposadr = 2104, .jnt_dofadr = 2112, .actuator_ctrladr = 4752, .actuator_outadr = 4776,
    .counts = kCounts_3_15_0, .fields = kFields_3_15_0},
    {.version = "3.16.0", .first = 1792, .last = 5656, .buffer = 1784, .nbuffer = 776,
    .jnt_qposadr = 2112, .jnt_dofadr = 2120, .actuator_ctrladr = 4768, .actuator_outadr = 4792,
    .counts = kCounts_3_16_0, .fields = kFields_3_16_0},
    {.version = "3.17.0", .first = 1792, .last = 5664, .buffer = 1784, .nbuffer = 776,
    .jnt_qposadr = 2112, .jnt_dofadr = 2120, .actuator_ctrladr = 4776, .actuator_outadr = 4800,
    .counts = kCounts_3_17_0, .fields = kFields_3_17_0},
    {.version = "4.0.0", .first = 1792, .last = 5696, .buffer = 1784, .nbuffer = 776,
    .jnt_qposadr = 2112, .jnt_dofadr = 2120, .actuator_ctrladr = 4800, .actuator_outadr = 4824,
    .counts = kCounts_4_0_0, .fields = kFields_4_0_0},
};
// clang-format on

}  // namespace

std::span<const std::string_view> ModelCounts() { return kCounts; }
std::span<const ModelField> AllModelFields() { return kFields; }
std::span<const OtherMember> OtherModelMembers() { return kOthers; }
std::span<const ModelFieldRow> ModelFieldRows() { return kRows; }

}  // namespace engine::mujoco
