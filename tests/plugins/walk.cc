// A plug-in whose class has only the members that every environment must have.
#include <envpool.h>

#include <algorithm>

class Walk {
 public:
  static engine::EnvSpec Spec(const engine::ParamValues&) {
    engine::EnvSpec spec;
    spec.observation = engine::SpaceSpec::Box<double>({1}, -1.0, 1.0);
    spec.action = engine::SpaceSpec::Discrete(2);
    return spec;
  }
  void Reset(engine::Rng& rng) { place_ = rng.Uniform(-0.5, 0.5); }
  engine::StepResult Step(engine::ActionView action, engine::Rng& rng) {
    place_ += (action.Index() == 1 ? 0.125 : -0.125) + rng.Normal(0.0, 0.01);
    place_ = std::clamp(place_, -1.0, 1.0);
    return {.reward = place_, .terminated = place_ == 1.0};
  }
  void Observe(engine::ObsRow row) const { *row.Data<double>() = place_; }

 private:
  double place_ = 0.0;
};

ENVPOOL_PLUGIN(walk) { registry.Add<Walk>("Walk-v0", {.max_episode_steps = 20}); }
