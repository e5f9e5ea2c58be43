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
  std::array<int, kMaxWarnings> before;
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
  computed_ = Computed::kForward;
  return Run([this] { Library().forward(env_model_.unactuated(), simulation_.get()); });
}

void Physics::Step(int steps, StepOrder order) {
  const mjModel* const model = env_model_.physics();
  mjData* const data = simulation_.get();
  const bool is_legacy = order == StepOrder::kLegacy;
  const bool is_runge_kutta = this->model().integrator == kIntegratorRk4;
  // Both flags are false after a reset, and if a step fails.
  const bool was_up_to_date = std::exchange(is_up_to_date_, false);
  computed_ = is_legacy ? Computed::kStep1 : Computed::kStep;
  if (!is_legacy) before_.resize(env_model_.shared().model().state_size());
  Check(Run([=, this] {
    const Functions& mj = Library();
    int whole_steps = steps;
    if (is_legacy && !is_runge_kutta) {
      mj.step2(model, data);
      --whole_steps;
    } else if (is_legacy && was_up_to_date) {
      // These calls are mj_step without the part that the latest mj_step1 has computed.
      mj.forward_skip(model, data, kStageVelocity, 0);
      mj.check_acc(model, data);
      mj.runge_kutta(model, data, 4);
      --whole_steps;
    }
    for (int i = 0; i < whole_steps; ++i) {
      if (!is_legacy && i + 1 == whole_steps) GetState(before_);
      mj.step(model, data);
    }
    if (is_legacy) mj.step1(model, data);
  }));
  is_up_to_date_ = is_legacy && UsedLayout().physics_is_known;
}

void Physics::ThrowPhysicsError(unsigned warnings) {
  // The order is that of mjtWarning, which is the same in all versions in which these tasks run.
  static constexpr const char* kNames[] = {"INERTIA", "CONTACTFULL", "CNSTRFULL", "BADQPOS",
                                           "BADQVEL", "BADQACC",     "BADCTRL"};
  std::string names;
  for (std::size_t i = 0; i < kMaxWarnings; ++i) {
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

void Physics::GetState(std::span<double> state) const {
  Library().get_state(env_model_.physics(), simulation_.get(), state.data(),
                      env_model_.shared().model().state_signature());
}

void Physics::SetState(std::span<const double> state) {
  Library().set_state(env_model_.physics(), simulation_.get(), state.data(),
                      env_model_.shared().model().state_signature());
}

void Physics::Save(StateWriter& state) const {
  state.Put(computed_);
  state.Put(is_up_to_date_);
  std::vector<double> now(env_model_.shared().model().state_size());
  Guarded([&] { GetState(now); });
  state.PutAll(std::span(now));
  if (computed_ == Computed::kStep) state.PutAll(std::span(before_));
  state.PutAll(sensors());
  env_model_.Save(state);
}

void Physics::Load(StateReader& state) {
  state.Get(computed_);
  ExpectState(computed_ <= Computed::kStep, "a latest call of MuJoCo");
  state.Get(is_up_to_date_);
  std::vector<double> now(env_model_.shared().model().state_size());
  state.GetAll(std::span(now));
  if (computed_ == Computed::kStep) {
    before_.resize(now.size());
    state.GetAll(std::span(before_));
  }
  std::vector<double> sensors(this->sensors().size());
  state.GetAll(std::span(sensors));
  env_model_.Load(state);
  Guarded([&] {
    const Functions& mj = Library();
    mj.reset_data(env_model_.physics(), simulation_.get());
    SetState(computed_ == Computed::kStep ? before_ : now);
    switch (computed_) {
      case Computed::kForward:
        mj.forward(env_model_.unactuated(), simulation_.get());
        break;
      case Computed::kStep1:
        mj.step1(env_model_.physics(), simulation_.get());
        break;
      case Computed::kStep:
        mj.step(env_model_.physics(), simulation_.get());
        break;
    }
    // These calls start from another warm start than the calls before the state was saved, so the
    // state has to be set again.
    SetState(now);
  });
  std::ranges::copy(sensors, data_.sensordata);
}

void Physics::Render(const Renderer& renderer, std::span<std::uint8_t> rgb) const {
  renderer.DrawVariant(*env_model_.drawn(), simulation_.get(), env_model_.has_own_hfield(), rgb);
}

}  // namespace engine::mujoco::suite
