// Simple spread: agents cover landmarks and avoid collisions. The rules are those of
// simple_spread_v3 of MPE2 1.1.1.
#ifndef ENGINE_ENVS_MPE_SPREAD_H_
#define ENGINE_ENVS_MPE_SPREAD_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "engine/envs/mpe/game.h"
#include "engine/envs/mpe/nearest.h"

namespace engine::mpe {

class Spread {
 public:
  static ParamSchema Options() {
    ParamSchema schema = {
        CountOption("N", 3, 1, "Number of agents, and of landmarks."), LocalRatioOption(),
        SwitchOption("curriculum", "Whether curriculum_stage applies."),
        CurriculumStageOption(1,
                              "Stage of the curriculum; 0: collisions cost nothing, 1: they do."),
        SwitchOption("terminate_on_success",
                     "Whether an episode ends when an agent is within 0.1 of each landmark.")};
    Neighbors::AddOptions(schema);
    return schema;
  }

  explicit Spread(const ParamValues& options)
      : count_(CountOf(options, "N")),
        local_ratio_(options.Get<double>("local_ratio")),
        collisions_cost_(!options.Get<bool>("curriculum") ||
                         options.Get<std::int64_t>("curriculum_stage") > 0),
        ends_(options.Get<bool>("terminate_on_success")),
        neighbors_(options) {}

  Layout MakeLayout() const {
    Layout layout;
    for (std::size_t i = 0; i < count_; ++i) {
      layout.AddAgent("agent_" + std::to_string(i),
                      {.size = 0.15, .movable = true, .collides = true});
    }
    for (std::size_t i = 0; i < count_; ++i) layout.AddLandmark({});
    return layout;
  }

  struct State {
    explicit State(const Spread&) {}
    void Save(StateWriter&) const {}
    void Load(StateReader&) {}
  };

  void Reset(World& world, State&, Rng& rng) const {
    world.PlaceAgents(rng);
    world.PlaceLandmarks(1.0, rng);
  }

  double local_ratio() const { return local_ratio_; }

  double SharedReward(const World& world, State&) const {
    double reward = 0.0;
    for (std::size_t landmark = count_; landmark < 2 * count_; ++landmark)
      reward -= DistanceOfNearest(world, landmark);
    return reward;
  }

  double Reward(const World& world, const State&, std::size_t agent) const {
    return collisions_cost_ ? RewardFor(Collisions(world, agent), -1) : 0.0;
  }

  bool Ends(const World& world, const State&) const { return ends_ && Covered(world) == count_; }

  template <class Out>
  void Observe(const World& world, const State&, std::size_t agent, Out& out) const {
    out.Put(world.velocity(agent));
    out.Put(world.position(agent));
    PutLandmarks(world, agent, neighbors_.landmarks, out);
    PutOthers(world, agent, neighbors_.agents, out);
    out.PutZeros(kMessageSize *
                 neighbors_.agents.value_or(count_ - 1));  // messages: all are silent
  }

  // Reward without local_ratio, collisions, sum of the distances of the landmarks to the nearest
  // agents, covered landmarks.
  template <class Out>
  void Measure(const World& world, const State&, std::size_t agent, Out& out) const {
    double distances = 0.0;
    double reward = 0.0;
    for (std::size_t landmark = count_; landmark < 2 * count_; ++landmark) {
      const double distance = DistanceOfNearest(world, landmark);
      distances += distance;
      reward -= distance;
    }
    const std::size_t collisions = Collisions(world, agent);
    for (std::size_t i = 0; i < collisions; ++i) reward -= 1.0;
    out.Put(reward);
    out.Put(static_cast<double>(collisions));
    out.Put(distances);
    out.Put(static_cast<double>(Covered(world)));
  }

  Color ColorOf(const World&, const State&, std::size_t entity) const {
    return entity < count_ ? Color{0.35, 0.35, 0.85} : Color{0.25, 0.25, 0.25};
  }

 private:
  static constexpr std::size_t kMessageSize = 2;
  static constexpr double kCovered = 0.1;  // distance at which an agent covers a landmark

  double DistanceOfNearest(const World& world, std::size_t landmark) const {
    double nearest = std::numeric_limits<double>::infinity();
    for (std::size_t agent = 0; agent < count_; ++agent)
      nearest = std::min(nearest, world.Distance(agent, landmark));
    return nearest;
  }

  std::size_t Covered(const World& world) const {
    std::size_t covered = 0;
    for (std::size_t landmark = count_; landmark < 2 * count_; ++landmark)
      covered += DistanceOfNearest(world, landmark) < kCovered ? 1U : 0U;
    return covered;
  }

  std::size_t Collisions(const World& world, std::size_t agent) const {
    std::size_t collisions = 0;
    for (std::size_t other = 0; other < count_; ++other)
      collisions += other != agent && world.Touch(other, agent) ? 1U : 0U;
    return collisions;
  }

  std::size_t count_;  // of agents, and of landmarks
  double local_ratio_;
  bool collisions_cost_;
  bool ends_;
  Neighbors neighbors_;
};

}  // namespace engine::mpe

#endif  // ENGINE_ENVS_MPE_SPREAD_H_
