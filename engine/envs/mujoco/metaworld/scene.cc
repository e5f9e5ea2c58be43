// See the header.
#include "engine/envs/mujoco/metaworld/scene.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "engine/base/error.h"
#include "engine/base/numpy_arrays.h"
#include "engine/envs/mujoco/layout.h"
#include "engine/envs/mujoco/library.h"
#include "engine/envs/mujoco/metaworld/rotation.h"
#include "engine/envs/mujoco/mujoco_types.h"

namespace engine::mujoco::metaworld {
namespace {

constexpr std::array<double, 4> kHandRotation = {1.0, 0.0, 1.0, 0.0};
constexpr std::array<double, 2> kOpenGripper = {-1.0, 1.0};  // controls

// Requires that the model has a body that the user moves, and two controls.
void CheckModel(const Model& model, const ArmModelFields& fields) {
  const int mocap = model.BodyId("mocap");
  if (fields.body_mocapid[mocap] == 0 && model->nu == std::ssize(kOpenGripper)) return;
  ThrowUnfit(model.shared_base()->name(),
             "expected a model of MetaWorld 3.1.1, in which the body \"mocap\" moves the hand");
}

// Whether a geom of a body can collide.
bool Collides(const Model& model, int body) {
  const ModelLayout& at = UsedLayout().model;
  const auto ints = [&](Offset offset) { return MemberAt<const int*>(model.get(), offset); };
  const int first = ints(at.body_geomadr)[body];
  for (int geom = first; geom < first + ints(at.body_geomnum)[body]; ++geom) {
    if (ints(at.geom_contype)[geom] != 0 || ints(at.geom_conaffinity)[geom] != 0) return true;
  }
  return false;
}

}  // namespace

std::array<Offset, 3> Scene::OwnArrays() {
  const ArmModelLayout& at = UsedLayout().arm_model;
  return {at.body_pos, at.site_pos, at.eq_data};
}

void Scene::SetWelds(Model& model) {
  const ArmModelFields fields = ArmFieldsOf(*model.get());
  // Since 3.17 a row has another number, which stays.
  constexpr std::array<double, 11> kWeld = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 5.0};
  for (std::int64_t i = 0; i < model.num_equalities(); ++i) {
    if (fields.eq_type[i] != kEqualityWeld) continue;
    std::ranges::copy(kWeld, fields.eq_data + i * UsedLayout().arm_model.num_eq_data);
  }
}

Scene::Scene(const BaseModelPtr& base, const ParamValues& options)
    : model_(base, options, OwnArrays()),
      numbers_(ArmFieldsOf(*model_.get())),
      simulation_((SetWelds(model_), model_)),
      data_(ArmFieldsOf(*simulation_.get())),
      mocap_touches_(Collides(model_, model_.BodyId("mocap"))),
      hand_(model_.BodyId("hand")),
      left_pad_(model_.BodyId("leftpad")),
      right_pad_(model_.BodyId("rightpad")),
      left_claw_(model_.BodyId("leftclaw")),
      right_claw_(model_.BodyId("rightclaw")),
      left_finger_(model_.SiteId("leftEndEffector")),
      right_finger_(model_.SiteId("rightEndEffector")),
      left_pad_geom_(model_.GeomId("leftpad_geom")),
      right_pad_geom_(model_.GeomId("rightpad_geom")) {
  CheckModel(model_, numbers_);
  Forward();  // the simulation expects a state before its first step
}

int Scene::Id(int type, const char* name) const {
  const int id = Library().name_to_id(model_.get(), type, name);
  if (id < 0) {
    ThrowUnfit(model_.shared_base()->name(), std::string("it has no \"") + name + "\"");
  }
  return id;
}

Vector Scene::Body(const char* name) const {
  return At(simulation_.data().xpos, Id(kObjectBody, name));
}
Vector Scene::Geom(const char* name) const {
  return At(simulation_.data().geom_xpos, Id(kObjectGeom, name));
}
Vector Scene::Site(const char* name) const {
  return At(simulation_.data().site_xpos, Id(kObjectSite, name));
}
std::span<const double, 4> Scene::BodyRotation(const char* name) const {
  return std::span<const double, 4>(data_.xquat + 4 * Id(kObjectBody, name), 4);
}
std::array<double, 4> Scene::RotationOfBody(const char* name) const {
  return QuaternionOf(data_.xmat + 9 * Id(kObjectBody, name));
}
std::array<double, 4> Scene::RotationOfGeom(const char* name) const {
  return QuaternionOf(data_.geom_xmat + 9 * Id(kObjectGeom, name));
}
std::array<double, 4> Scene::RotationOfSite(const char* name) const {
  return QuaternionOf(data_.site_xmat + 9 * Id(kObjectSite, name));
}
std::size_t Scene::JointPlace(const char* name) const {
  return static_cast<std::size_t>(numbers_.jnt_qposadr[Id(kObjectJoint, name)]);
}
std::size_t Scene::JointVelocity(const char* name) const {
  return static_cast<std::size_t>(numbers_.jnt_dofadr[Id(kObjectJoint, name)]);
}
double& Scene::Joint(const char* name) { return simulation_.qpos()[JointPlace(name)]; }

double Scene::Opening() const {
  constexpr double kWidest = 0.1;  // m
  const double* const positions = simulation_.data().xpos;
  const Vector gap = At(positions, right_claw_) - At(positions, left_claw_);
  return Clip(Norm(gap) / kWidest, 0.0, 1.0);
}

bool Scene::Touches(const char* geom) const {
  const ArmDataLayout& at = UsedLayout().arm_data;
  const ContactLayout& contact = UsedLayout().contact;
  const mjData* const data = simulation_.get();
  const int touched = Id(kObjectGeom, geom);
  const auto* next = MemberAt<const std::byte*>(data, at.contact);
  const double* const forces = MemberAt<const double*>(data, at.efc_force);
  const int num_forces = MemberAt<int>(data, at.nefc);
  double left = 0.0;
  double right = 0.0;
  for (int i = 0; i < MemberAt<int>(data, at.ncon); ++i, next += contact.bytes) {
    const int* const geoms = &MemberAt<int>(next, contact.geom);
    const auto has = [&](int id) { return geoms[0] == id || geoms[1] == id; };
    if (!has(touched)) continue;
    // The address of a contact without a force is -1: to the reference, the last force.
    int address = MemberAt<int>(next, contact.efc_address);
    if (address < 0) address += num_forces;
    if (address < 0) continue;
    if (has(left_pad_geom_)) left += forces[address];
    if (has(right_pad_geom_)) right += forces[address];
  }
  return left > 0.0 && right > 0.0;
}

Vector Scene::BodyPlace(const char* name) const {
  return At(numbers_.body_pos, Id(kObjectBody, name));
}
Vector Scene::SitePlace(const char* name) const {
  return At(numbers_.site_pos, Id(kObjectSite, name));
}
void Scene::MoveBody(const char* name, Vector to) {
  to.CopyTo(numbers_.body_pos + 3 * Id(kObjectBody, name));
}
void Scene::MoveSite(const char* name, Vector to) {
  to.CopyTo(numbers_.site_pos + 3 * Id(kObjectSite, name));
}
void Scene::MoveMark(const char* name, Vector to) {
  to.CopyTo(simulation_.data().site_xpos + 3 * Id(kObjectSite, name));
}

void Scene::ResetHand(Vector start) {
  constexpr int kSteps = 50;
  start.CopyTo(data_.mocap_pos);
  std::ranges::copy(kHandRotation, data_.mocap_quat);
  simulation_.Step(std::span<const double>(kOpenGripper), kSteps * kSubsteps, BodyForces::kNo);
  episode_.tcp = tcp();
}

void Scene::MoveHand(Vector by, const Space& space) {
  const Vector to = Vector::At(data_.mocap_pos) + by;
  const Vector clipped = {Clip(to.x, space.low.x, space.high.x),
                          Clip(to.y, space.low.y, space.high.y),
                          Clip(to.z, space.low.z, space.high.z)};
  clipped.CopyTo(data_.mocap_pos);
  std::ranges::copy(kHandRotation, data_.mocap_quat);
}

void Scene::Step(std::span<const double> controls, bool is_first) {
  int steps = kSubsteps;
  if (!is_first && !mocap_touches_) {
    simulation_.StepAfterReset(controls);
    --steps;
  }
  simulation_.Step(controls, steps, BodyForces::kNo);
  Forward();
}

void Scene::Advance(int steps) {
  const std::span<const double> controls(simulation_.data().ctrl, kOpenGripper.size());
  simulation_.Step(controls, steps, BodyForces::kNo);
}

void Scene::Set(std::size_t place, std::span<const double> values, std::size_t velocity,
                std::size_t count) {
  std::ranges::copy(values, simulation_.qpos().subspan(place).begin());
  std::ranges::fill(simulation_.qvel().subspan(velocity, count), 0.0);
  Forward();
}

template <class Visit>
void Scene::ForEachArray(const Visit& visit) const {
  visit(std::span(numbers_.body_pos, static_cast<std::size_t>(3 * model_->nbody)));
  visit(std::span(numbers_.site_pos, static_cast<std::size_t>(3 * model_->nsite)));
}

std::size_t Scene::state_size() const {
  std::size_t size = model_.state_size();
  ForEachArray([&](std::span<double> array) { size += array.size(); });
  return size;
}

void Scene::GetState(std::span<double> state) const {
  Guarded([&] {
    Library().get_state(model_.get(), simulation_.get(), state.data(), model_.state_signature());
  });
  auto next = state.subspan(model_.state_size()).begin();
  ForEachArray([&](std::span<double> array) { next = std::ranges::copy(array, next).out; });
}

void Scene::SetState(std::span<const double> state) {
  std::size_t used = model_.state_size();
  ForEachArray([&](std::span<double> array) {
    std::ranges::copy(state.subspan(used, array.size()), array.begin());
    used += array.size();
  });
  Guarded([&] {
    const Functions& mj = Library();
    mj.reset_data(model_.get(), simulation_.get());
    mj.set_state(model_.get(), simulation_.get(), state.data(), model_.state_signature());
  });
}

}  // namespace engine::mujoco::metaworld
