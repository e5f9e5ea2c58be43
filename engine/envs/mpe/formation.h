// Simple formation: agents arrange themselves in a circle around a landmark. The rules are those of
// simple_formation_v1 of MPE2 1.1.1.
#ifndef ENGINE_ENVS_MPE_FORMATION_H_
#define ENGINE_ENVS_MPE_FORMATION_H_

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "engine/base/numpy_kernels.h"
#include "engine/envs/mpe/arrangement.h"
#include "engine/envs/mpe/game.h"
#include "engine/envs/mpe/nearest.h"

namespace engine::mpe {

class Formation {
 public:
  static ParamSchema Options() {
    return {
        CountOption("N", 4, 1, "Number of agents."),
        SwitchOption("terminate_on_success",
                     "Whether an episode ends when all agents are within 0.05 of their places.")};
  }

  explicit Formation(const ParamValues& options)
      : count_(CountOf(options, "N")), ends_(options.Get<bool>("terminate_on_success")) {}

  Layout MakeLayout() const {
    Layout layout;
    for (std::size_t i = 0; i < count_; ++i)
      layout.AddAgent("agent_" + std::to_string(i), {.movable = true, .collides = true});
    layout.AddLandmark({.size = 0.03});
    return layout;
  }

  // Follows from the positions; Step sets it before it is used.
  struct State {
    explicit State(const Formation& scenario)
        : places(scenario.count_), arrangement(scenario.count_) {}
    void Save(StateWriter&) const {}
    void Load(StateReader&) {}

    std::vector<Vec> places;
    Arrangement arrangement;
  };

  void Reset(World& world, State&, Rng& rng) const {
    world.PlaceAgents(rng);
    world.PlaceLandmarks(0.5, rng);
  }

  double local_ratio() const { return 0.0; }
  double Reward(const World&, const State&, std::size_t) const { return 0.0; }

  // The places are spread over the circle from the smallest angle of an agent on.
  double SharedReward(const World& world, State& state) const {
    const Vec center = world.position(count_);
    double first = std::numeric_limits<double>::infinity();
    for (std::size_t agent = 0; agent < count_; ++agent)
      first = std::min(first, Angle(world.position(agent) - center));
    const double apart = kTurn / static_cast<double>(count_);
    for (std::size_t i = 0; i < count_; ++i) {
      const double angle = first + static_cast<double>(i) * apart;
      const auto [sine, cosine] = NumpySinCos(angle);
      state.places[i] = center + kRadius * Vec{cosine, sine};
    }
    return state.arrangement.Assign(world, state.places);
  }

  bool Ends(const World&, const State& state) const {
    return ends_ && state.arrangement.IsComplete();
  }

  template <class Out>
  void Observe(const World& world, const State&, std::size_t agent, Out& out) const {
    out.Put(world.velocity(agent));
    out.Put(world.position(agent));
    PutLandmarks(world, agent, {}, out);
  }

  Color ColorOf(const World&, const State&, std::size_t entity) const {
    return entity < count_ ? Color{0.35, 0.35, 0.85} : Color{0.25, 0.25, 0.25};
  }

 private:
  static constexpr double kRadius = 0.5;
  static constexpr double kTurn = 2.0 * std::numbers::pi;  // rad

  // In [0, 2 pi).
  static double Angle(Vec v) {
    const double angle = NumpyArctan2(v.y, v.x);
    return angle < 0.0 ? angle + kTurn : angle;
  }

  std::size_t count_;
  bool ends_;
};

}  // namespace engine::mpe

#endif  // ENGINE_ENVS_MPE_FORMATION_H_
