// An environment of the suite: dm_control's control.Environment with a task, which computes rewards
// and observations. Each instance runs on one thread at a time.
#ifndef ENGINE_ENVS_MUJOCO_DM_CONTROL_ENVIRONMENT_H_
#define ENGINE_ENVS_MUJOCO_DM_CONTROL_ENVIRONMENT_H_

#include <cstdint>
#include <memory>
#include <span>

#include "engine/base/random_state.h"
#include "engine/base/rng.h"
#include "engine/env/environment.h"
#include "engine/envs/mujoco/dm_control/options.h"
#include "engine/envs/mujoco/dm_control/physics.h"
#include "engine/envs/mujoco/dm_control/suite_model.h"
#include "engine/envs/mujoco/dm_control/task.h"
#include "engine/envs/mujoco/renderer.h"

namespace engine::mujoco::suite {

// Makes the tasks of a pool, and owns the configuration that they share. Any thread.
class TaskFactory {
 public:
  virtual ~TaskFactory() = default;
  virtual std::unique_ptr<SuiteTask> Make() const = 0;
};

template <class E>
class TaskFactoryOf final : public TaskFactory {
 public:
  TaskFactoryOf(SuiteModel& model, const ParamValues& options) : config_(model, options) {}

  std::unique_ptr<SuiteTask> Make() const override { return std::make_unique<E>(config_); }

 private:
  const typename E::Config config_;
};

// The data that the environments of a pool share. Any thread may read it.
struct Setup {
  // Throws Error{kOption} if the model differs from the description.
  Setup(Description described, const ParamValues& given);

  Description description;
  SuiteOptions options;
  SuiteModel model;
  Renderer renderer;
  std::unique_ptr<const TaskFactory> tasks;  // set by the caller
  std::int64_t max_episode_steps = 0;        // limit of the engine, set by MakeSuiteGroup; 0: none
};

template <class E>
std::unique_ptr<Setup> MakeSetup(const ParamValues& options) {
  auto setup = std::make_unique<Setup>(E::Describe(options), options);
  setup->tasks = std::make_unique<TaskFactoryOf<E>>(setup->model, options);
  return setup;
}

class SuiteEnvironment {
 public:
  static constexpr bool kNeverWaits = true;
  static constexpr bool kSetsEveryInfo = true;

  static ParamSchema ResetOptions() { return {}; }
  struct Start {
    explicit Start(const ParamValues&) {}
  };
  struct Config {
    explicit Config(std::unique_ptr<const Setup> shared) : setup(std::move(shared)) {}

    std::unique_ptr<const Setup> setup;
  };

  explicit SuiteEnvironment(const Config& config) : SuiteEnvironment(*config.setup) {}
  explicit SuiteEnvironment(const Setup& setup);

  // A seed of the user is at most EnvSpec::max_seed, which the engine has checked.
  void Seed(std::uint64_t seed, Rng& rng);
  void Reset(const Start& start, Rng& rng);
  StepResult Step(ActionView action, Rng& rng);
  void Observe(ObsRow row) const {
    ObservationWriter writer(row, setup_.options.is_flat);
    task_->Observe(physics_, writer);
  }
  // Sets Shimmy's infos: see TimeStepInfos() in options.h.
  void Info(InfoRow row, bool /*after_reset*/) const {
    row.Set(0, discount_);
    row.Set(1, static_cast<std::int32_t>(step_type_));
  }
  void Render(std::span<std::uint8_t> rgb) const { physics_.Render(setup_.renderer, rgb); }
  void EnableRender() { setup_.renderer.Open(); }

  static constexpr std::uint32_t kStateVersion = 1;
  void Save(StateWriter& state) const;
  void Load(StateReader& state);

 private:
  // The values are those of dm_env.
  enum class StepType : std::int32_t { kFirst, kMid, kLast };

  const Setup& setup_;
  Physics physics_;
  std::unique_ptr<SuiteTask> task_;
  RandomState random_;
  double steps_ = 0.0;     // steps of the episode
  double discount_ = 1.0;  // of the latest step; 1 after a reset
  StepType step_type_ = StepType::kFirst;
};

}  // namespace engine::mujoco::suite

#endif  // ENGINE_ENVS_MUJOCO_DM_CONTROL_ENVIRONMENT_H_
