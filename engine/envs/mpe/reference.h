// Simple reference: each of two agents knows the goal of the other one and tells it. The rules are
// those of simple_reference_v3 of MPE2 1.1.1.
#ifndef ENGINE_ENVS_MPE_REFERENCE_H_
#define ENGINE_ENVS_MPE_REFERENCE_H_

#include <array>
#include <cstddef>

#include "engine/envs/mpe/game.h"
#include "engine/envs/mpe/goal.h"
#include "engine/envs/mpe/nearest.h"

namespace engine::mpe {

class Reference {
 public:
  static ParamSchema Options() { return {LocalRatioOption()}; }
  explicit Reference(const ParamValues& options)
      : local_ratio_(options.Get<double>("local_ratio")) {}

  Layout MakeLayout() const {
    Layout layout(10);
    layout.AddAgent("agent_0", {.movable = true, .silent = false});
    layout.AddAgent("agent_1", {.movable = true, .silent = false});
    for (std::size_t i = 0; i < kLandmarks; ++i) layout.AddLandmark({});
    return layout;
  }

  struct State {
    explicit State(const Reference&) {}
    void Save(StateWriter& state) const {
      for (const Goal& goal : goals) goal.Save(state);
    }
    void Load(StateReader& state) {
      for (Goal& goal : goals) goal.Load(state);
    }

    // Of each agent, the landmark that the other one has to reach.
    std::array<Goal, 2> goals = {Goal(kFirstLandmark, kLandmarks),
                                 Goal(kFirstLandmark, kLandmarks)};
  };

  void Reset(World& world, State& state, Rng& rng) const {
    for (Goal& goal : state.goals) goal.Draw(rng);
    world.PlaceAgents(rng);
    world.PlaceLandmarks(1.0, rng);
  }

  double local_ratio() const { return local_ratio_; }

  double SharedReward(const World& world, State& state) const {
    return (Reward(world, state, 0) + Reward(world, state, 1)) / 2.0;
  }

  double Reward(const World& world, const State& state, std::size_t agent) const {
    return -world.Distance(1 - agent, state.goals[agent].entity());
  }

  template <class Out>
  void Observe(const World& world, const State& state, std::size_t agent, Out& out) const {
    out.Put(world.velocity(agent));
    PutLandmarks(world, agent, {}, out);
    PutColor(ColorOf(world, state, state.goals[agent].entity()), out);
    for (const double number : world.message(1 - agent)) out.Put(number);
  }

  // An agent has the color of the landmark that it has to reach.
  Color ColorOf(const World&, const State& state, std::size_t entity) const {
    Color color = {0.25, 0.25, 0.25};
    color[entity < kFirstLandmark ? state.goals[1 - entity].index() : entity - kFirstLandmark] =
        0.75;
    return color;
  }

 private:
  static constexpr std::size_t kFirstLandmark = 2;
  static constexpr std::size_t kLandmarks = 3;

  double local_ratio_;
};

}  // namespace engine::mpe

#endif  // ENGINE_ENVS_MPE_REFERENCE_H_
