// See the header.
#include "engine/envs/mujoco/dm_control/environment.h"

#include <cmath>
#include <string>
#include <utility>

#include "engine/base/error.h"
#include "engine/envs/mujoco/layout.h"
#include "engine/envs/mujoco/library.h"

namespace engine::mujoco::suite {
namespace {

[[noreturn]] void ThrowUnlike(const std::string& model, const std::string& what,
                              const std::string& actual, const std::string& expected) {
  throw Error(ErrorKind::kOption, "the model \"" + model + "\" of dm_control: expected " +
                                      expected + " as " + what + ", found " + actual +
                                      "; these tasks are those of dm_control 1.0.50");
}

// The description is part of the code, so that a spec does not need the model. Throws
// Error{kOption} if the model differs from the description.
void CheckModel(const Description& description, const SuiteModel& model) {
  const ModelFields& fields = model.model().unchanged();
  const auto* const are_limited = MemberAt<const std::uint8_t*>(
      model.model().base(), UsedLayout().suite_model.actuator_ctrllimited);
  const auto expect = [&](const std::string& what, double actual, double expected) {
    if (actual == expected) return;
    ThrowUnlike(description.model, what, std::to_string(actual), std::to_string(expected));
  };
  expect("opt.timestep", fields.timestep, description.timestep);
  expect("nu", static_cast<double>(fields.nu), static_cast<double>(description.controls.size()));
  for (std::size_t i = 0; i < description.controls.size(); ++i) {
    // As in dm_control, the bound of a control without a limit is MuJoCo's largest number.
    constexpr double kUnlimited = 1e10;
    const bool is_limited = are_limited[i] != 0;
    const double low = is_limited ? fields.actuator_ctrlrange[2 * i] : -kUnlimited;
    const double high = is_limited ? fields.actuator_ctrlrange[2 * i + 1] : kUnlimited;
    const std::string what = "the range of control " + std::to_string(i);
    expect(what, low, description.controls[i].low);
    expect(what, high, description.controls[i].high);
  }
}

}  // namespace

Setup::Setup(Description described, const ParamValues& given)
    : description(std::move(described)),
      options(given, description),
      model(description.model, given),
      renderer(given, model.model()) {
  CheckModel(description, model);
}

SuiteEnvironment::SuiteEnvironment(const Setup& setup)
    : setup_(setup),
      physics_(setup.model, setup.description.own_arrays),
      task_(setup.tasks->Make()) {}

void SuiteEnvironment::Seed(std::uint64_t seed, Rng&) {
  // A user's seed fits into 32 bits. The cast truncates only the engine's random seeds, which have
  // 64 bits.
  random_.Seed(static_cast<std::uint32_t>(seed));
  task_->Seeded(physics_, random_);
}

void SuiteEnvironment::Reset(const Start&, Rng&) {
  steps_ = 0.0;
  discount_ = 1.0;
  step_type_ = StepType::kFirst;
  physics_.Reset();  // warnings are ignored
  task_->InitializeEpisode(physics_, random_);
  physics_.Forward();
}

StepResult SuiteEnvironment::Step(ActionView action, Rng&) {
  physics_.SetControls(action.Data<double>());
  physics_.Step(setup_.options.steps, setup_.options.order);
  steps_ += 1.0;
  const bool truncated = steps_ >= setup_.options.step_limit;
  const bool terminated = !truncated && task_->Terminates(physics_);
  const auto limit = static_cast<double>(setup_.max_episode_steps);
  const bool is_last = terminated || truncated || (limit > 0.0 && steps_ >= limit);
  discount_ = terminated ? 0.0 : 1.0;
  step_type_ = is_last ? StepType::kLast : StepType::kMid;
  return {.reward = task_->Reward(physics_), .terminated = terminated, .truncated = truncated};
}

void SuiteEnvironment::Save(StateWriter& state) const {
  state.Put(steps_);
  state.Put(discount_);
  state.Put(step_type_);
  state.Put(random_);
  physics_.Save(state);
  task_->Save(state);
}

void SuiteEnvironment::Load(StateReader& state) {
  state.Get(steps_);
  state.Get(discount_);
  state.Get(step_type_);
  ExpectState(StepType::kFirst <= step_type_ && step_type_ <= StepType::kLast, "a step type");
  state.Get(random_);
  ExpectState(random_.IsValid(), "a random generator");
  physics_.Load(state);
  task_->Load(state);
}

}  // namespace engine::mujoco::suite
