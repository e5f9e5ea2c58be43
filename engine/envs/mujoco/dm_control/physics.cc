// See the header.
#include "engine/envs/mujoco/dm_control/physics.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "engine/base/error.h"
#include "engine/envs/mujoco/library.h"

namespace engine::mujoco::suite {

Physics::Physics(const SuiteModel& model, std::span<const OwnArray> own)
    : env_model_(model, own),
      simulation_(model.model()),
      data_(SuiteFieldsOf(*simulation_.get())) {}

template <class Call>
unsigned Physics::Run(const Call& call) {
  std::array<int, kMostWarnings> before;
  const auto count = static_cast<std::size_t>(UsedLayout().suite_data.num_warnings);
  for (std::size_t i = 0; i < count; ++i) before[i] = data_.warning[i].number;
  Guarded(call);
  unsigned raised = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (data_.warning[i].number > before[i]) [[unlikely]]
      raised |= 1U << i;
  }
  return raised;
}

unsigned Physics::Reset() {
  is_up_to_date_ = false;
  Guarded([this] { Library().reset_data(env_model_.physics(), simulation_.get()); });
  return TryForward();
}

unsigned Physics::TryForward() {
  is_up_to_date_ = false;
  return Run([this] { Library().forward(env_model_.unactuated(), simulation_.get()); });
}

void Physics::Step(int steps, StepOrder order) {
  const mjModel* const model = env_model_.physics();
  mjData* const data = simulation_.get();
  const bool is_legacy = order == StepOrder::kLegacy;
  const bool is_runge_kutta = this->model().integrator == kIntegratorRk4;
  // Both are false at a reset and where a step has failed.
  const bool was_up_to_date = std::exchange(is_up_to_date_, false);
  Check(Run([=] {
    const Functions& mj = Library();
    int whole_steps = steps;
    if (is_legacy && !is_runge_kutta) {
      mj.step2(model, data);
      --whole_steps;
    } else if (is_legacy && was_up_to_date) {
      // mj_step, without what the latest mj_step1 has computed.
      mj.forward_skip(model, data, kStageVelocity, 0);
      mj.check_acc(model, data);
      mj.runge_kutta(model, data, 4);
      --whole_steps;
    }
    for (int i = 0; i < whole_steps; ++i) mj.step(model, data);
    if (is_legacy) mj.step1(model, data);
  }));
  is_up_to_date_ = is_legacy && UsedLayout().physics_is_known;
}

void Physics::ThrowPhysicsError(unsigned warnings) {
  // In the order of mjtWarning, which is the same in all versions with these tasks.
  static constexpr const char* kNames[] = {"INERTIA", "CONTACTFULL", "CNSTRFULL", "BADQPOS",
                                           "BADQVEL", "BADQACC",     "BADCTRL"};
  std::string names;
  for (std::size_t i = 0; i < kMostWarnings; ++i) {
    if ((warnings >> i & 1U) == 0) continue;
    if (!names.empty()) names += ", ";
    names +=
        i < std::size(kNames) ? std::string("mjWARN_") + kNames[i] : "warning " + std::to_string(i);
  }
  throw Error(ErrorKind::kInternal, "the state of the physics is invalid: MuJoCo raised " + names);
}

void Physics::SetControls(const double* controls) {
  std::copy_n(controls, simulation_.model().nu, simulation_.data().ctrl);
}

Vector Physics::LinearVelocity(int object_type, int id) const {
  double velocity[6];  // rotational, then linear
  Guarded([&] {
    Library().object_velocity(env_model_.physics(), simulation_.get(), object_type, id, velocity,
                              0);
  });
  return {velocity[3], velocity[4], velocity[5]};
}

void Physics::Render(const Renderer& renderer, std::span<std::uint8_t> rgb) const {
  renderer.DrawVariant(*env_model_.drawn(), simulation_.get(), env_model_.has_own_hfield(), rgb);
}

}  // namespace engine::mujoco::suite
