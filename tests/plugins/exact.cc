// A plug-in with two tasks. Still-v0 uses the C interface. Still-v1 makes its group itself and
// therefore needs the C++ interface of exactly its own release.
#include <envpool.h>

#include <memory>

class Still {
 public:
  static engine::EnvSpec Spec(const engine::ParamValues&) {
    engine::EnvSpec spec;
    spec.observation = engine::SpaceSpec::Discrete(7);
    spec.action = engine::SpaceSpec::Discrete(2);
    return spec;
  }
  void Reset(engine::Rng& rng) { value_ = rng.Integers(7); }
  engine::StepResult Step(engine::ActionView action, engine::Rng&) {
    return {.reward = static_cast<double>(action.Index())};
  }
  void Observe(engine::ObsRow row) const { *row.Data<std::int64_t>() = value_; }

 private:
  std::int64_t value_ = 0;
};

ENVPOOL_PLUGIN(exact) {
  registry.Add<Still>("Still-v0", {.max_episode_steps = 5});
  engine::TaskEntry entry;
  entry.id = "Still-v1";
  entry.max_episode_steps = 5;
  entry.spec = &Still::Spec;
  entry.make_group = [](const engine::ParamValues& options, const engine::GroupConfig& config) {
    return std::unique_ptr<engine::EnvGroup>(
        std::make_unique<engine::EnvGroupOf<Still>>(options, config));
  };
  registry.Add(std::move(entry));
}
