// The ids, limits and thresholds of Gymnasium 1.4.0's Box2D tasks, and EnvPool's ids of these
// tasks. Called once when the engine's module is loaded.
#include <memory>
#include <utility>

#include "engine/envs/box2d/bipedal_walker.h"
#include "engine/envs/box2d/car_racing.h"
#include "engine/envs/box2d/lunar_lander.h"
#include "engine/tasks/registry.h"

namespace engine {
namespace {

using box2d::BipedalWalker;
using box2d::CarRacing;
using box2d::Landers;
using box2d::LunarLander;
using box2d::Races;

// Adds tasks whose class depends on the option `continuous`.
class LanderAdder {
 public:
  explicit LanderAdder(Registry& registry) : registry_(registry) {}

  template <class Classes>
  void Add(const char* id, bool continuous) const {
    TaskEntry entry;
    entry.id = id;
    entry.max_episode_steps = 1000;
    entry.reward_threshold = 200.0;
    entry.options = LunarLander::OptionsOf(continuous);
    entry.spec = &LunarLander::Spec;
    entry.make_group = [](const ParamValues& values,
                          const GroupConfig& config) -> std::unique_ptr<EnvGroup> {
      if (values.Get<bool>("continuous")) {
        return std::make_unique<EnvGroupOf<typename Classes::Continuous>>(values, config);
      }
      return std::make_unique<EnvGroupOf<typename Classes::Discrete>>(values, config);
    };
    registry_.Add(std::move(entry));
  }

 private:
  Registry& registry_;
};

// Adds the tasks of CarRacing, whose class also depends on the option `continuous`.
class RaceAdder {
 public:
  explicit RaceAdder(Registry& registry) : registry_(registry) {}

  template <class Classes>
  void Add(const char* id) const {
    TaskEntry entry;
    entry.id = id;
    entry.max_episode_steps = 1000;
    entry.reward_threshold = 900.0;
    entry.options = CarRacing::Options();
    entry.reset_options = CarRacing::ResetOptions();
    entry.spec = &CarRacing::Spec;
    entry.make_group = [](const ParamValues& values,
                          const GroupConfig& config) -> std::unique_ptr<EnvGroup> {
      if (values.Get<bool>("continuous")) {
        return std::make_unique<EnvGroupOf<typename Classes::Continuous>>(values, config);
      }
      return std::make_unique<EnvGroupOf<typename Classes::Discrete>>(values, config);
    };
    registry_.Add(std::move(entry));
  }

 private:
  Registry& registry_;
};

}  // namespace

void RegisterBox2d(Registry& registry) {
  const LanderAdder landers(registry);
  landers.Add<Landers>("LunarLander-v2", false);
  landers.Add<Landers>("LunarLander-v3", false);
  landers.Add<Landers>("LunarLanderContinuous-v2", true);
  landers.Add<Landers>("LunarLanderContinuous-v3", true);
  registry.Add<BipedalWalker>("BipedalWalker-v3",
                              {.max_episode_steps = 1600, .reward_threshold = 300.0});
  registry.Add<BipedalWalker>("BipedalWalkerHardcore-v3",
                              {.max_episode_steps = 2000, .reward_threshold = 300.0},
                              BipedalWalker::OptionsOf(true));
  const RaceAdder races(registry);
  races.Add<Races>("CarRacing-v2");
  races.Add<Races>("CarRacing-v3");
}

}  // namespace engine
