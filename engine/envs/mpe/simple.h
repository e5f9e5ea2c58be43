// Simple: one agent moves to a landmark. The rules are those of simple_v3 of MPE2 1.1.1.
#ifndef ENGINE_ENVS_MPE_SIMPLE_H_
#define ENGINE_ENVS_MPE_SIMPLE_H_

#include <cstddef>

#include "engine/envs/mpe/game.h"
#include "engine/envs/mpe/nearest.h"

namespace engine::mpe {

class Simple {
 public:
  static ParamSchema Options() { return {}; }
  explicit Simple(const ParamValues&) {}

  Layout MakeLayout() const {
    Layout layout;
    layout.AddAgent("agent_0", {.movable = true});
    layout.AddLandmark({});
    return layout;
  }

  struct State {
    explicit State(const Simple&) {}
    void Save(StateWriter&) const {}
    void Load(StateReader&) {}
  };

  void Reset(World& world, State&, Rng& rng) const {
    world.PlaceAgents(rng);
    world.PlaceLandmarks(1.0, rng);
  }

  double Reward(const World& world, const State&, std::size_t) const {
    return -SquaredLength(world.position(0) - world.position(1));
  }

  template <class Out>
  void Observe(const World& world, const State&, std::size_t agent, Out& out) const {
    out.Put(world.velocity(agent));
    PutLandmarks(world, agent, {}, out);
  }

  Color ColorOf(const World&, const State&, std::size_t entity) const {
    return entity == 0 ? Color{0.25, 0.25, 0.25} : Color{0.75, 0.25, 0.25};
  }
};

}  // namespace engine::mpe

#endif  // ENGINE_ENVS_MPE_SIMPLE_H_
