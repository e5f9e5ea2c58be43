// Simple adversary: agents cover a goal without showing an adversary which landmark it is. The
// rules are those of simple_adversary_v3 of MPE2 1.1.1.
#ifndef ENGINE_ENVS_MPE_ADVERSARY_H_
#define ENGINE_ENVS_MPE_ADVERSARY_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "engine/envs/mpe/game.h"
#include "engine/envs/mpe/goal.h"
#include "engine/envs/mpe/nearest.h"

namespace engine::mpe {

class Adversary {
 public:
  static ParamSchema Options() {
    ParamSchema schema = {CountOption("N", 2, 1, "Number of good agents, and of landmarks.")};
    Neighbors::AddOptions(schema);
    return schema;
  }

  explicit Adversary(const ParamValues& options)
      : count_(CountOf(options, "N")), neighbors_(options) {}

  Layout MakeLayout() const {
    Layout layout;
    layout.AddAgent("adversary_0", {.size = 0.15, .movable = true});
    for (std::size_t i = 0; i < count_; ++i)
      layout.AddAgent("agent_" + std::to_string(i), {.size = 0.15, .movable = true});
    for (std::size_t i = 0; i < count_; ++i) layout.AddLandmark({.size = 0.08});
    return layout;
  }

  struct State {
    explicit State(const Adversary& scenario) : goal(scenario.count_ + 1, scenario.count_) {}
    void Save(StateWriter& state) const { goal.Save(state); }
    void Load(StateReader& state) { goal.Load(state); }

    Goal goal;
  };

  void Reset(World& world, State& state, Rng& rng) const {
    state.goal.Draw(rng);
    world.PlaceAgents(rng);
    world.PlaceLandmarks(1.0, rng);
  }

  double Reward(const World& world, const State& state, std::size_t agent) const {
    const std::size_t goal = state.goal.entity();
    const double of_adversary = world.Distance(kAdversary, goal);
    if (agent == kAdversary) return -of_adversary;
    double nearest = std::numeric_limits<double>::infinity();
    for (std::size_t good = 1; good <= count_; ++good)
      nearest = std::min(nearest, world.Distance(good, goal));
    return -nearest + of_adversary;
  }

  template <class Out>
  void Observe(const World& world, const State& state, std::size_t agent, Out& out) const {
    if (agent != kAdversary) out.Put(world.position(state.goal.entity()) - world.position(agent));
    PutLandmarks(world, agent, neighbors_.landmarks, out);
    PutOthers(world, agent, neighbors_.agents, out);
  }

  // The adversary's squared distance to the goal; a good agent's squared distances to the landmarks
  // and to the goal.
  template <class Out>
  void Measure(const World& world, const State& state, std::size_t agent, Out& out) const {
    const auto put = [&](std::size_t landmark) {
      out.Put(SquaredLength(world.position(agent) - world.position(landmark)));
    };
    if (agent != kAdversary) {
      for (std::size_t landmark = count_ + 1; landmark < world.size(); ++landmark) put(landmark);
    }
    put(state.goal.entity());
  }

  Color ColorOf(const World&, const State& state, std::size_t entity) const {
    if (entity == kAdversary) return {0.85, 0.35, 0.35};
    if (entity <= count_) return {0.35, 0.35, 0.85};
    return entity == state.goal.entity() ? Color{0.15, 0.65, 0.15} : Color{0.15, 0.15, 0.15};
  }

 private:
  static constexpr std::size_t kAdversary = 0;

  std::size_t count_;  // of good agents, and of landmarks
  Neighbors neighbors_;
};

}  // namespace engine::mpe

#endif  // ENGINE_ENVS_MPE_ADVERSARY_H_
