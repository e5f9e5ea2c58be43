// Simple speaker listener: one agent knows the goal and tells it to another one, which moves. The
// rules are those of simple_speaker_listener_v4 of MPE2 1.1.1.
#ifndef ENGINE_ENVS_MPE_SPEAKER_LISTENER_H_
#define ENGINE_ENVS_MPE_SPEAKER_LISTENER_H_

#include <cstddef>

#include "engine/envs/mpe/game.h"
#include "engine/envs/mpe/goal.h"
#include "engine/envs/mpe/nearest.h"

namespace engine::mpe {

class SpeakerListener {
 public:
  static ParamSchema Options() { return {}; }
  explicit SpeakerListener(const ParamValues&) {}

  Layout MakeLayout() const {
    Layout layout(3);
    layout.AddAgent("speaker_0", {.size = 0.075, .silent = false});
    layout.AddAgent("listener_0", {.size = 0.075, .movable = true});
    for (std::size_t i = 0; i < kLandmarks; ++i) layout.AddLandmark({.size = 0.04});
    return layout;
  }

  struct State {
    explicit State(const SpeakerListener&) {}
    void Save(StateWriter& state) const { goal.Save(state); }
    void Load(StateReader& state) { goal.Load(state); }

    Goal goal{kFirstLandmark, kLandmarks};
  };

  void Reset(World& world, State& state, Rng& rng) const {
    state.goal.Draw(rng);
    world.PlaceAgents(rng);
    world.PlaceLandmarks(1.0, rng);
  }

  double Reward(const World& world, const State& state, std::size_t) const {
    return -SquaredLength(world.position(kListener) - world.position(state.goal.entity()));
  }

  template <class Out>
  void Observe(const World& world, const State& state, std::size_t agent, Out& out) const {
    if (agent == kSpeaker) {
      PutColor(ColorOf(world, state, state.goal.entity()), out);
      return;
    }
    out.Put(world.velocity(agent));
    PutLandmarks(world, agent, {}, out);
    for (const double number : world.message(kSpeaker)) out.Put(number);
  }

  // The reward.
  template <class Out>
  void Measure(const World& world, const State& state, std::size_t agent, Out& out) const {
    out.Put(Reward(world, state, agent));
  }

  // The listener has the color of the goal, but brighter.
  Color ColorOf(const World&, const State& state, std::size_t entity) const {
    if (entity == kSpeaker) return {0.25, 0.25, 0.25};
    Color color = {0.15, 0.15, 0.15};
    color[entity == kListener ? state.goal.index() : entity - kFirstLandmark] = 0.65;
    if (entity == kListener) {
      for (double& part : color) part += 0.45;
    }
    return color;
  }

 private:
  static constexpr std::size_t kSpeaker = 0;
  static constexpr std::size_t kListener = 1;
  static constexpr std::size_t kFirstLandmark = 2;
  static constexpr std::size_t kLandmarks = 3;
};

}  // namespace engine::mpe

#endif  // ENGINE_ENVS_MPE_SPEAKER_LISTENER_H_
