// See the header.
#include "engine/envs/mujoco/probe.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>

#include "engine/base/error.h"
#include "engine/envs/mujoco/fields.h"
#include "engine/envs/mujoco/layout.h"
#include "engine/envs/mujoco/library.h"
#include "engine/envs/mujoco/model_changes.h"
#include "engine/envs/mujoco/mujoco_types.h"

namespace engine::mujoco {
namespace {

// Body 1 slides along x, with friction in its joint and in a tendon. Its second actuator has an
// activation. Body 2 is a ball that intersects the ground, and body 3 is moved by the user. Geom 0
// is the ground, geoms 0 to 2 belong to the world, geom 3 belongs to body 1, and geom 4 belongs to
// body 2.
constexpr const char* kXml = R"(
<mujoco>
  <option timestep="0.0078125" gravity="0 0 -2" integrator="RK4">
    <flag filterparent="disable" autoreset="disable" energy="enable"/>
  </option>
  <visual><global offwidth="641" offheight="483" bvactive="false"/></visual>
  <statistic extent="3.5"/>
  <asset>
    <hfield name="hills" nrow="2" ncol="3" size="4 5 0.5 0.25" elevation="0 0 0 0 0 1"/>
  </asset>
  <worldbody>
    <light pos="1 2 7"/>
    <camera/><camera/><camera/><camera/><camera/><camera/>
    <geom type="plane" size="5 5 1" name="ground"/>
    <geom type="capsule" size="0.1 0.2" pos="-3 0 5"/>
    <geom type="capsule" size="0.1 0.2" pos="-4 0 5" rgba="0.25 0.5 0.75 1"/>
    <body name="slider" pos="1 2 3">
      <inertial pos="0.5 0 0" mass="2" diaginertia="1 1 1"/>
      <joint name="slide" type="slide" axis="1 0 0" frictionloss="0.125" limited="true"
             range="-9 8" stiffness="0.5" damping="0.0625"/>
      <geom name="box" type="box" size="0.1 0.2 0.3" pos="0 0.25 0" contype="5" conaffinity="6"
            condim="4" priority="2" solmix="0.75" solref="0.03 0.8" solimp="0.7 0.9 0.01 0.4 3"
            friction="0.5 0.25 0.125" margin="0.02" gap="0.01"/>
      <site name="top" pos="0 0 0.75" size="0.03125" rgba="0.5 0.25 0.125 1"/><site/>
    </body>
    <body name="ball" pos="3 0 0.09">
      <freejoint/>
      <geom name="ball" size="0.1"/>
      <site/>
    </body>
    <body name="hand" mocap="true" pos="4 5 6" quat="0 1 0 0"/>
  </worldbody>
  <contact>
    <pair geom1="ground" geom2="box" condim="6" solref="0.05 0.7" solreffriction="0.04 0.9"
          solimp="0.6 0.8 0.02 0.3 2" margin="0.04" gap="0.03" friction="1 2 0.1 0.2 0.3"/>
    <exclude body1="slider" body2="ball"/>
  </contact>
  <equality><joint joint1="slide" active="false"/></equality>
  <tendon>
    <fixed limited="true" range="-9 9" frictionloss="0.0625"><joint joint="slide" coef="2"/></fixed>
  </tendon>
  <actuator>
    <motor joint="slide" gear="3" ctrllimited="true" ctrlrange="-2 3"/>
    <general joint="slide" dyntype="integrator" gainprm="4" biastype="affine"/>
  </actuator>
  <sensor><velocimeter site="top"/><jointpos joint="slide"/></sensor>
</mujoco>)";
constexpr int kSlider = 1;
constexpr int kBall = 2;
constexpr int kBox = 3;
constexpr int kBallGeom = 4;

struct Deleter {
  void operator()(mjSpec* spec) const { Library().delete_spec(spec); }
  void operator()(mjModel* model) const { Library().delete_model(model); }
  void operator()(mjData* data) const { Library().delete_data(data); }
};
template <class T>
using Owned = std::unique_ptr<T, Deleter>;

[[noreturn]] void ThrowUnlike(const std::string& how) {
  throw Error(ErrorKind::kInternal, "the MuJoCo library says that it is version " +
                                        std::string(UsedLayout().version) +
                                        " but does not work like it: " + how);
}

void Expect(const char* name, double actual, double expected) {
  constexpr double kTolerance = 1e-6;
  if (std::abs(actual - expected) <= kTolerance) return;
  ThrowUnlike(std::string(name) + " of a known model is " + std::to_string(actual) + ", expected " +
              std::to_string(expected));
}

// Checks consecutive elements of an array of the model or of mjData, from index `first` on. An
// array that the version does not have passes the check.
template <class T, class Struct>
void ExpectArray(const Struct& owner, const char* name, Offset offset, int first,
                 std::initializer_list<double> expected) {
  if (offset == 0) return;
  const T* values = MemberAt<const T*>(&owner, offset) + first;
  for (const double value : expected) Expect(name, static_cast<double>(*values++), value);
}

Owned<mjModel> CompileProbe() {
  const Functions& mj = Library();
  char error[1024] = "";
  mjSpec* parsed = nullptr;
  Guarded([&] { parsed = mj.parse_xml_string(kXml, nullptr, error, sizeof error); });
  const Owned<mjSpec> spec(parsed);
  if (spec == nullptr) ThrowUnlike(error);
  mjModel* compiled = nullptr;
  Guarded([&] { compiled = mj.compile(spec.get(), nullptr); });
  if (compiled == nullptr) ThrowUnlike("it does not compile a known model");
  return Owned<mjModel>(compiled);
}

// These numbers are checked first, because a wrong offset of an array would be read as a pointer.
void CheckNumbers(const mjModel& model) {
  const ModelLayout& at = UsedLayout().model;
  const FlagBits& flags = UsedLayout().flags;
  const auto count = [&](const char* name, Offset offset, double expected) {
    Expect(name, static_cast<double>(CountAt(at, model, offset)), expected);
  };
  count("nq", at.nq, 8);
  count("nv", at.nv, 7);
  count("nu", at.nu, 2);
  count("nbody", at.nbody, 4);
  count("nsite", at.nsite, 3);
  count("ngeom", at.ngeom, 5);
  count("ncam", at.ncam, 6);
  count("ntendon", at.ntendon, 1);
  count("ntree", at.ntree, 2);
  count("neq", at.neq, 1);
  count("nflex", at.nflex, 0);
  count("nplugin", at.nplugin, 0);
  count("npair", at.npair, 1);
  count("nexclude", at.nexclude, 1);
  if (MemberAt<std::uint64_t>(&model, at.narena) == 0) ThrowUnlike("narena is 0");
  Expect("opt.timestep", MemberAt<double>(&model, at.timestep), 0.0078125);
  Expect("opt.integrator", MemberAt<int>(&model, at.integrator), kIntegratorRk4);
  Expect("opt.disableflags", MemberAt<int>(&model, at.disableflags),
         flags.disable_filterparent | flags.disable_autoreset);
  Expect("opt.enableflags", MemberAt<int>(&model, at.enableflags), 2);
  Expect("vis.global.offwidth", MemberAt<int>(&model, at.offwidth), 641);
  Expect("vis.global.offheight", MemberAt<int>(&model, at.offheight), 483);
  Expect("vis.global.bvactive", MemberAt<int>(&model, at.bvactive), 0);
  Expect("stat.extent", MemberAt<double>(&model, at.extent), 3.5);
}

// Checks the members that only the tasks of Gymnasium-Robotics and of MetaWorld use.
void CheckArmModel(const mjModel& model) {
  const ArmModelLayout& at = UsedLayout().arm_model;
  const auto ints = [&](const char* name, Offset offset, std::initializer_list<double> expected) {
    ExpectArray<int>(model, name, offset, 0, expected);
  };
  ints("jnt_qposadr", at.jnt_qposadr, {0, 1});
  ints("jnt_dofadr", at.jnt_dofadr, {0, 1});
  ints("actuator_biastype", at.actuator_biastype, {0, 1});
  ints("actuator_trnid", at.actuator_trnid, {0, -1, 0, -1});
  ints("body_mocapid", at.body_mocapid, {-1, -1, -1, 0});
  ExpectArray<double>(model, "body_pos", at.body_pos, 3 * kSlider, {1, 2, 3});
  ints("eq_type", at.eq_type, {2});
  ints("eq_obj1id", at.eq_obj1id, {0});
  ints("eq_obj2id", at.eq_obj2id, {-1});
  ExpectArray<double>(model, "eq_data", at.eq_data, 0, {0, 1, 0});
  ExpectArray<double>(model, "site_pos", at.site_pos, 0, {0, 0, 0.75});
  ExpectArray<float>(model, "site_rgba", at.site_rgba, 0, {0.5, 0.25, 0.125, 1});
}

// Checks the contact of the ball and the ground, the only one, which lifts the ball.
void CheckContact(mjData& data) {
  const ArmDataLayout& at = UsedLayout().arm_data;
  const ContactLayout& contact = UsedLayout().contact;
  const int num_forces = MemberAt<int>(&data, at.nefc);
  const int num_contacts = MemberAt<int>(&data, at.ncon);
  Expect("ncon", num_contacts, 1);
  const auto* const first = MemberAt<const std::byte*>(&data, at.contact);
  const int* const geoms = &MemberAt<int>(first, contact.geom);
  Expect("contact.geom[0]", geoms[0], 0);
  Expect("contact.geom[1]", geoms[1], kBallGeom);
  const int address = MemberAt<int>(first, contact.efc_address);
  if (!(0 <= address && address < num_forces)) {
    ThrowUnlike("contact.efc_address of a known model is " + std::to_string(address));
  }
  const double force = MemberAt<const double*>(&data, at.efc_force)[address];
  if (!(force > 0.0)) ThrowUnlike("efc_force of a known model is " + std::to_string(force));
}

void CheckArmData(mjData& data) {
  const ArmDataLayout& at = UsedLayout().arm_data;
  const auto expect = [&](const char* name, Offset offset, int first,
                          std::initializer_list<double> expected) {
    ExpectArray<double>(data, name, offset, first, expected);
  };
  Expect("time", MemberAt<double>(&data, at.time), 0.5);
  expect("mocap_pos", at.mocap_pos, 0, {4, 5, 6});
  expect("mocap_quat", at.mocap_quat, 0, {0, 1, 0, 0});
  expect("sensordata", at.sensordata, 0, {0.5, 0, 0, 0.25});
  expect("xquat", at.xquat, 4 * kSlider, {1, 0, 0, 0});
  expect("xmat", at.xmat, 9 * kSlider, {1, 0, 0, 0, 1, 0, 0, 0, 1});
  expect("geom_xmat", at.geom_xmat, 9 * kBox, {1, 0, 0, 0, 1, 0, 0, 0, 1});
  expect("site_xmat", at.site_xmat, 0, {1, 0, 0, 0, 1, 0, 0, 0, 1});
  CheckContact(data);
}

// Checks the members that only dm_control's tasks use, if the version has them.
void CheckSuiteNumbers(const mjModel& model) {
  const SuiteModelLayout& at = UsedLayout().suite_model;
  const auto count = [&](const char* name, Offset offset, double expected) {
    Expect(name, static_cast<double>(CountAt(UsedLayout().model, model, offset)), expected);
  };
  count("na", at.na, 1);
  count("njnt", at.njnt, 2);
  count("nlight", at.nlight, 1);
  count("nwrap", at.nwrap, 1);
  count("nsensordata", at.nsensordata, 4);
  count("nhfielddata", at.nhfielddata, 6);
  Expect("opt.gravity", (&MemberAt<double>(&model, at.gravity))[2], -2);
}

void CheckSuiteArrays(const mjModel& model) {
  const SuiteModelLayout& at = UsedLayout().suite_model;
  const auto ints = [&](const char* name, Offset offset, int first,
                        std::initializer_list<double> expected) {
    ExpectArray<int>(model, name, offset, first, expected);
  };
  const auto doubles = [&](const char* name, Offset offset, int first,
                           std::initializer_list<double> expected) {
    ExpectArray<double>(model, name, offset, first, expected);
  };
  ints("jnt_type", at.jnt_type, 0, {kJointSlide, kJointFree});
  ints("jnt_qposadr", at.jnt_qposadr, 0, {0, 1});
  ints("jnt_dofadr", at.jnt_dofadr, 0, {0, 1});
  ExpectArray<std::uint8_t>(model, "jnt_limited", at.jnt_limited, 0, {1, 0});
  doubles("jnt_range", at.jnt_range, 0, {-9, 8});
  doubles("jnt_stiffness", at.jnt_stiffness, 0, {0.5, 0});
  doubles("dof_damping", at.dof_damping, 0, {0.0625, 0});
  doubles("body_pos", at.body_pos, 3 * kSlider, {1, 2, 3});
  doubles("body_quat", at.body_quat, 4 * kSlider, {1, 0, 0, 0});
  doubles("body_subtreemass", at.body_subtreemass, kSlider, {2});
  doubles("geom_size", at.geom_size, 3 * kBox, {0.1, 0.2, 0.3});
  doubles("geom_pos", at.geom_pos, 3 * kBox, {0, 0.25, 0});
  ExpectArray<float>(model, "geom_rgba", at.geom_rgba, 4 * 2, {0.25, 0.5, 0.75, 1});
  doubles("site_pos", at.site_pos, 0, {0, 0, 0.75});
  doubles("site_size", at.site_size, 0, {0.03125});
  ExpectArray<float>(model, "site_rgba", at.site_rgba, 0, {0.5, 0.25, 0.125, 1});
  doubles("light_pos", at.light_pos, 0, {1, 2, 7});
  doubles("wrap_prm", at.wrap_prm, 0, {2});
  ExpectArray<std::uint8_t>(model, "actuator_ctrllimited", at.actuator_ctrllimited, 0, {1, 0});
  ints("sensor_type", at.sensor_type, 0, {kSensorVelocimeter, kSensorJointPosition});
  ints("sensor_dim", at.sensor_dim, 0, {3, 1});
  ints("sensor_adr", at.sensor_adr, 0, {0, 3});
  ints("hfield_nrow", at.hfield_nrow, 0, {2});
  ints("hfield_ncol", at.hfield_ncol, 0, {3});
  ints("hfield_adr", at.hfield_adr, 0, {0});
  doubles("hfield_size", at.hfield_size, 0, {4, 5, 0.5, 0.25});
  const float* const heights = MemberAt<const float*>(&model, at.hfield_data);
  double sum = 0.0;
  for (int i = 0; i < 6; ++i) sum += heights[i];
  Expect("the sum of hfield_data", sum, 1);
}

void CheckSuiteData(mjData& data) {
  const SuiteDataLayout& at = UsedLayout().suite_data;
  const auto expect = [&](const char* name, Offset offset, int first,
                          std::initializer_list<double> expected) {
    ExpectArray<double>(data, name, offset, first, expected);
  };
  Expect("time", MemberAt<double>(&data, at.time), 0.5);
  if (MemberAt<int>(&data, at.ncon) < 1) ThrowUnlike("ncon is 0");
  const WarningStat* const warnings = &MemberAt<WarningStat>(&data, at.warning);
  for (int i = 0; i < at.num_warnings; ++i) Expect("warning", warnings[i].number, 0);
  expect("sensordata", at.sensordata, 0, {0.5, 0, 0, 0.25});
  expect("xmat", at.xmat, 9 * kSlider, {1, 0, 0, 0, 1, 0, 0, 0, 1});
  expect("xquat", at.xquat, 4 * kSlider, {1, 0, 0, 0});
  expect("xanchor", at.xanchor, 1, {2, 3});
  expect("site_xmat", at.site_xmat, 0, {1, 0, 0, 0, 1, 0, 0, 0, 1});
  expect("geom_xmat", at.geom_xmat, 9 * kBox, {1, 0, 0, 0, 1, 0, 0, 0, 1});
}

void CheckArrays(const mjModel& model) {
  const ModelLayout& at = UsedLayout().model;
  const auto ints = [&](const char* name, Offset offset, int first,
                        std::initializer_list<double> expected) {
    ExpectArray<int>(model, name, offset, first, expected);
  };
  const auto doubles = [&](const char* name, Offset offset, int first,
                           std::initializer_list<double> expected) {
    ExpectArray<double>(model, name, offset, first, expected);
  };
  doubles("qpos0", at.qpos0, 0, {0, 3, 0, 0.09});
  ints("tree_dofnum", at.tree_dofnum, 0, {1, 6});
  ExpectArray<std::uint8_t>(model, "tendon_limited", at.tendon_limited, 0, {1});
  doubles("tendon_frictionloss", at.tendon_frictionloss, 0, {0.0625});
  doubles("actuator_ctrlrange", at.actuator_ctrlrange, 0, {-2, 3});
  doubles("body_mass", at.body_mass, kSlider, {2});
  ints("body_contype", at.body_contype, kSlider, {5, 1});
  ints("body_conaffinity", at.body_conaffinity, kSlider, {6, 1});
  ints("body_geomnum", at.body_geomnum, 0, {3, 1, 1});
  ints("body_geomadr", at.body_geomadr, 0, {0, 3, 4});
  ints("body_weldid", at.body_weldid, 0, {0, 1, 2});
  ints("body_dofnum", at.body_dofnum, 0, {0, 1, 6});
  ints("body_parentid", at.body_parentid, 0, {0, 0, 0});
  ints("geom_type", at.geom_type, 0,
       {kGeomPlane, kGeomCapsule, kGeomCapsule, kGeomBox, kGeomSphere});
  ints("geom_contype", at.geom_contype, kBox, {5});
  ints("geom_conaffinity", at.geom_conaffinity, kBox, {6});
  ints("geom_condim", at.geom_condim, kBox, {4});
  ints("geom_priority", at.geom_priority, kBox, {2});
  ints("geom_plugin", at.geom_plugin, kBox, {-1});
  doubles("geom_solmix", at.geom_solmix, kBox, {0.75});
  doubles("geom_solref", at.geom_solref, kBox * kReferences, {0.03, 0.8});
  doubles("geom_solimp", at.geom_solimp, kBox * kImpedances, {0.7, 0.9, 0.01, 0.4, 3});
  doubles("geom_friction", at.geom_friction, kBox * 3, {0.5, 0.25, 0.125});
  doubles("geom_margin", at.geom_margin, kBox, {0.02});
  doubles("geom_gap", at.geom_gap, kBox, {0.01});
  doubles("geom_adhesion", at.geom_adhesion, kBox, {0});
  ints("pair_dim", at.pair_dim, 0, {6});
  ints("pair_geom1", at.pair_geom1, 0, {0});
  ints("pair_geom2", at.pair_geom2, 0, {kBox});
  ints("pair_signature", at.pair_signature, 0, {kSlider});
  doubles("pair_solref", at.pair_solref, 0, {0.05, 0.7});
  doubles("pair_solreffriction", at.pair_solreffriction, 0, {0.04, 0.9});
  doubles("pair_solimp", at.pair_solimp, 0, {0.6, 0.8, 0.02, 0.3, 2});
  doubles("pair_margin", at.pair_margin, 0, {0.04});
  doubles("pair_gap", at.pair_gap, 0, {0.03});
  doubles("pair_adhesion", at.pair_adhesion, 0, {0});
  doubles("pair_friction", at.pair_friction, 0, {1, 2, 0.1, 0.2, 0.3});
}

// Checks the table of the fields that users may change: all arrays are in one buffer, one after
// another.
void CheckFields(const mjModel& model) {
  const ModelFieldRow& at = UsedModelFields();
  const auto size = static_cast<double>(MemberAt<std::int64_t>(&model, at.nbuffer));
  double previous = 0.0;
  for (Offset member = at.first; member <= at.last; member += sizeof(void*)) {
    const auto place = static_cast<double>(MemberAt<const std::byte*>(&model, member) -
                                           MemberAt<const std::byte*>(&model, at.buffer));
    if (!(previous <= place && place <= size)) {
      ThrowUnlike("the arrays of a known model are not one after another in its buffer");
    }
    previous = place;
  }
}

void CheckData(const mjModel& model) {
  const Functions& mj = Library();
  mjData* made = nullptr;
  Guarded([&] { made = mj.make_data(&model); });
  const Owned<mjData> data(made);
  if (data == nullptr) ThrowUnlike("it makes no mjData");
  const DataFields fields = FieldsOf(UsedLayout().data, *data);
  Expect("qpos", fields.qpos[3], 0.09);
  fields.qpos[0] = 0.25;
  fields.qvel[0] = 0.5;
  fields.ctrl[0] = 0.5;
  const SuiteDataLayout& suite = UsedLayout().suite_data;
  const bool has_suite = UsedLayout().has_suite();
  MemberAt<double>(data.get(), UsedLayout().arm_data.time) = 0.5;
  if (has_suite) {
    MemberAt<double*>(data.get(), suite.act)[0] = 0.125;
  }
  Guarded([&] {
    mj.forward(&model, data.get());
    mj.rne_post_constraint(&model, data.get());
  });
  const auto expect = [](const char* name, const double* values,
                         std::initializer_list<double> expected) {
    for (const double value : expected) Expect(name, *values++, value);
  };
  expect("xpos", fields.xpos + 3 * kSlider, {1.25, 2, 3});
  expect("xipos", fields.xipos + 3 * kSlider, {1.75, 2, 3});
  expect("site_xpos", fields.site_xpos, {1.25, 2, 3.75});
  expect("geom_xpos", fields.geom_xpos + 3 * kBox, {1.25, 2.25, 3});
  expect("cinert", fields.cinert + 10 * kSlider + 9, {2});  // the mass of the slider
  expect("cvel", fields.cvel + 6 * kSlider, {0, 0, 0, 0.5, 0, 0});
  expect("qfrc_actuator", fields.qfrc_actuator, {has_suite ? 2.0 : 1.5});
  expect("qfrc_constraint", fields.qfrc_constraint, {-0.25});
  expect("ten_length", fields.ten_length, {0.5});
  expect("ten_velocity", fields.ten_velocity, {1});
  const double lift = fields.cfrc_ext[6 * kBall + 5];
  if (!(lift > 0.0)) ThrowUnlike("cfrc_ext of a known model is " + std::to_string(lift));
  CheckArmData(*data);
  if (has_suite) CheckSuiteData(*data);
}

}  // namespace

void CheckLayout() {
  const Owned<mjModel> model = CompileProbe();
  CheckNumbers(*model);
  CheckArrays(*model);
  CheckFields(*model);
  CheckArmModel(*model);
  if (UsedLayout().has_suite()) {
    CheckSuiteNumbers(*model);
    CheckSuiteArrays(*model);
  }
  CheckData(*model);
}

}  // namespace engine::mujoco
