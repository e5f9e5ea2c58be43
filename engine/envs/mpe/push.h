// Simple push: an adversary keeps an agent away from its goal. The rules are those of
// simple_push_v3 of MPE2 1.1.1.
#ifndef ENGINE_ENVS_MPE_PUSH_H_
#define ENGINE_ENVS_MPE_PUSH_H_

#include <cstddef>

#include "engine/envs/mpe/game.h"
#include "engine/envs/mpe/goal.h"
#include "engine/envs/mpe/nearest.h"

namespace engine::mpe {

class Push {
 public:
  static ParamSchema Options() { return {}; }
  explicit Push(const ParamValues&) {}

  Layout MakeLayout() const {
    Layout layout;
    layout.AddAgent("adversary_0", {.movable = true, .collides = true});
    layout.AddAgent("agent_0", {.movable = true, .collides = true});
    layout.AddLandmark({});
    layout.AddLandmark({});
    return layout;
  }

  struct State {
    explicit State(const Push&) {}
    void Save(StateWriter& state) const { goal.Save(state); }
    void Load(StateReader& state) { goal.Load(state); }

    Goal goal{kFirstLandmark, 2};
  };

  void Reset(World& world, State& state, Rng& rng) const {
    state.goal.Draw(rng);
    world.PlaceAgents(rng);
    world.PlaceLandmarks(1.0, rng);
  }

  double Reward(const World& world, const State& state, std::size_t agent) const {
    const double of_good = world.Distance(kGood, state.goal.entity());
    if (agent == kGood) return -of_good;
    return of_good - world.Distance(kAdversary, state.goal.entity());
  }

  template <class Out>
  void Observe(const World& world, const State& state, std::size_t agent, Out& out) const {
    out.Put(world.velocity(agent));
    if (agent == kGood) {
      out.Put(world.position(state.goal.entity()) - world.position(agent));
      PutColor(ColorOf(world, state, agent), out);
    }
    PutLandmarks(world, agent, {}, out);
    if (agent == kGood) {
      for (std::size_t landmark = kFirstLandmark; landmark < world.size(); ++landmark)
        PutColor(ColorOf(world, state, landmark), out);
    }
    PutOthers(world, agent, {}, out);
  }

  // The second part of a color is that of the first landmark, the third that of the second.
  Color ColorOf(const World&, const State& state, std::size_t entity) const {
    if (entity == kAdversary) return {0.75, 0.25, 0.25};
    if (entity == kGood) {
      Color color = {0.25, 0.25, 0.25};
      color[state.goal.index() + 1] += 0.5;
      return color;
    }
    Color color = {0.1, 0.1, 0.1};
    color[entity - kFirstLandmark + 1] += 0.8;
    return color;
  }

 private:
  static constexpr std::size_t kAdversary = 0;
  static constexpr std::size_t kGood = 1;
  static constexpr std::size_t kFirstLandmark = 2;
};

}  // namespace engine::mpe

#endif  // ENGINE_ENVS_MPE_PUSH_H_
