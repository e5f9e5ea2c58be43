// Simple line: agents arrange themselves in a line between two landmarks. The rules are those of
// simple_line_v1 of MPE2 1.1.1.
#ifndef ENGINE_ENVS_MPE_LINE_H_
#define ENGINE_ENVS_MPE_LINE_H_

#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>
#include <vector>

#include "engine/base/numpy_kernels.h"
#include "engine/envs/mpe/arrangement.h"
#include "engine/envs/mpe/game.h"
#include "engine/envs/mpe/nearest.h"

namespace engine::mpe {

class Line {
 public:
  static ParamSchema Options() {
    return {
        CountOption("N", 4, 1, "Number of agents."),
        SwitchOption("terminate_on_success",
                     "Whether an episode ends when all agents are within 0.05 of their places.")};
  }

  explicit Line(const ParamValues& options)
      : count_(CountOf(options, "N")), ends_(options.Get<bool>("terminate_on_success")) {}

  Layout MakeLayout() const {
    Layout layout;
    for (std::size_t i = 0; i < count_; ++i) {
      layout.AddAgent("agent_" + std::to_string(i),
                      {.size = 0.03, .movable = true, .collides = true});
    }
    layout.AddLandmark({.size = 0.02});
    layout.AddLandmark({.size = 0.02});
    return layout;
  }

  struct State {
    explicit State(const Line& scenario) : places(scenario.count_), arrangement(scenario.count_) {}
    void Save(StateWriter& state) const { state.PutAll(std::span(places)); }
    void Load(StateReader& state) { state.GetAll(std::span(places)); }

    std::vector<Vec> places;  // evenly from one landmark to the other
    Arrangement arrangement;
  };

  // The second landmark is in a random direction from the first one, turned until it is in
  // (-1, 1)^2.
  void Reset(World& world, State& state, Rng& rng) const {
    world.PlaceAgents(rng);
    world.PlaceAnywhere(count_, 0.25, rng);
    const Vec from = world.position(count_);
    double angle = rng.Uniform(0.0, 2.0 * std::numbers::pi);
    Vec direction = Direction(angle);
    Vec to = from + kLength * direction;
    while (!(std::abs(to.x) < 1.0 && std::abs(to.y) < 1.0)) {
      angle += 5.0 * (std::numbers::pi / 180.0);
      direction = Direction(angle);
      to = from + kLength * direction;
    }
    world.Place(count_ + 1, to);
    const double apart = count_ > 1 ? kLength / static_cast<double>(count_ - 1) : 0.0;
    for (std::size_t i = 0; i < count_; ++i)
      state.places[i] = from + static_cast<double>(i) * apart * direction;
  }

  double local_ratio() const { return 0.0; }
  double Reward(const World&, const State&, std::size_t) const { return 0.0; }
  double SharedReward(const World& world, State& state) const {
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
  static constexpr double kLength = 1.25;

  static Vec Direction(double angle) {
    const auto [sine, cosine] = NumpySinCos(angle);
    return {cosine, sine};
  }

  std::size_t count_;
  bool ends_;
};

}  // namespace engine::mpe

#endif  // ENGINE_ENVS_MPE_LINE_H_
