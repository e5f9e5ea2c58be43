// Testing/Scene-v0: an environment with scenes that Python draws. The pool's threads run it.
#ifndef ENGINE_TESTS_ENGINE_TESTING_MODULE_SCENE_H_
#define ENGINE_TESTS_ENGINE_TESTING_MODULE_SCENE_H_

#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>

#include "engine/env/environment.h"

namespace engine::testing {

// Observation int64 (2,): a number drawn at the reset, and the steps since the reset. The scene is
// these two numbers and -1. After action 1, Scene() writes only a part and throws until the next
// step.
class SceneOnly {
 public:
  static ParamSchema Options() {
    return {{.name = "side",
             .default_value = std::int64_t{2},
             .doc = "Pixels of a row and of a column, for whoever draws.",
             .low = 1.0,
             .high = 100.0}};
  }
  static ParamSchema ResetOptions() { return {}; }
  static EnvSpec Spec(const ParamValues&) {
    EnvSpec spec;
    spec.observation = SpaceSpec::Box<std::int64_t>({2}, std::int64_t{0},
                                                    std::numeric_limits<std::int64_t>::max());
    spec.action = SpaceSpec::Discrete(2);
    spec.scene_size = 3;
    return spec;
  }

  struct Config {
    explicit Config(const ParamValues&) {}
  };
  struct Start {
    explicit Start(const ParamValues&) {}
  };

  explicit SceneOnly(const Config&) {}

  void Reset(const Start&, Rng& rng) {
    number_ = rng.Integers(256);
    steps_ = 0;
    throws_ = false;
  }
  StepResult Step(ActionView action, Rng&) {
    ++steps_;
    throws_ = action.Index() == 1;
    return {.reward = 1.0};
  }
  void Observe(ObsRow row) const {
    auto* out = row.Data<std::int64_t>();
    out[0] = number_;
    out[1] = steps_;
  }
  void Scene(std::span<double> scene) const {
    scene[0] = static_cast<double>(number_);
    scene[1] = static_cast<double>(steps_);
    if (throws_) throw std::runtime_error("no scene");
    scene[2] = -1.0;
  }

 private:
  std::int64_t number_ = 0;
  std::int64_t steps_ = 0;
  bool throws_ = false;
};

}  // namespace engine::testing

#endif  // ENGINE_TESTS_ENGINE_TESTING_MODULE_SCENE_H_
