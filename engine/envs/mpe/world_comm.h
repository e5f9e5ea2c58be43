// Simple world comm: tag with food, forests that hide agents, and a leader of the adversaries that
// sees everything and sends messages. The rules are those of simple_world_comm_v3 of MPE2 1.1.1.
#ifndef ENGINE_ENVS_MPE_WORLD_COMM_H_
#define ENGINE_ENVS_MPE_WORLD_COMM_H_

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <limits>
#include <string>

#include "engine/envs/mpe/chase.h"
#include "engine/envs/mpe/game.h"
#include "engine/envs/mpe/nearest.h"

namespace engine::mpe {

class WorldComm {
 public:
  static ParamSchema Options() {
    return {CountOption("num_good", 2, 1, "Number of good agents."),
            CountOption("num_adversaries", 4, 0, "Number of adversaries; the first one leads."),
            CountOption("num_obstacles", 1, 0, "Number of obstacles."),
            CountOption("num_food", 2, 1, "Number of places with food."),
            CountOption("num_forests", 2, 0, "Number of forests.")};
  }

  explicit WorldComm(const ParamValues& options)
      : num_good_(CountOf(options, "num_good")),
        num_adversaries_(CountOf(options, "num_adversaries")),
        num_obstacles_(CountOf(options, "num_obstacles")),
        num_food_(CountOf(options, "num_food")),
        num_forests_(CountOf(options, "num_forests")),
        food_(num_good_ + num_adversaries_ + num_obstacles_),
        forests_(food_ + num_food_) {}

  // Without adversaries, the first good agent is the leader.
  Layout MakeLayout() const {
    Layout layout(kMessageSize);
    for (std::size_t i = 0; i < num_adversaries_ + num_good_; ++i) {
      const bool adversary = i < num_adversaries_;
      layout.AddAgent(NameOf(i), {.size = adversary ? 0.075 : 0.045,
                                  .movable = true,
                                  .collides = true,
                                  .silent = i != kLeader,
                                  .accel = adversary ? 3.0 : 4.0,
                                  .max_speed = adversary ? 1.0 : 1.3});
    }
    for (std::size_t i = 0; i < num_obstacles_; ++i)
      layout.AddLandmark({.size = 0.2, .collides = true});
    for (std::size_t i = 0; i < num_food_; ++i) layout.AddLandmark({.size = 0.03});
    for (std::size_t i = 0; i < num_forests_; ++i) layout.AddLandmark({.size = 0.3});
    return layout;
  }

  struct State {
    explicit State(const WorldComm&) {}
    void Save(StateWriter&) const {}
    void Load(StateReader&) {}
  };

  void Reset(World& world, State&, Rng& rng) const {
    world.PlaceAgents(rng);
    world.PlaceLandmarks(0.9, rng);
    // The reference places food and forests twice.
    for (std::size_t entity = food_; entity < world.size(); ++entity)
      world.PlaceAnywhere(entity, 0.9, rng);
  }

  double Reward(const World& world, const State&, std::size_t agent) const {
    return agent < num_adversaries_ ? AdversaryReward(world, agent) : GoodReward(world, agent);
  }

  template <class Out>
  void Observe(const World& world, const State&, std::size_t agent, Out& out) const {
    const Forests inside = ForestsAround(world, agent);
    out.Put(world.velocity(agent));
    out.Put(world.position(agent));
    PutLandmarks(world, agent, {}, out);
    std::bitset<kMostEntities> seen;
    for (std::size_t other = 0; other < world.num_agents(); ++other) {
      if (other == agent) continue;
      const Forests around = ForestsAround(world, other);
      // Both in the same forest, or both in the open.
      seen[other] = agent == kLeader || (inside & around).any() || (inside.none() && around.none());
      out.Put(seen[other] ? world.position(other) - world.position(agent) : Vec{});
    }
    const bool forests_first = agent >= num_adversaries_ && agent != kLeader;
    if (forests_first) PutForests(inside, out);
    for (std::size_t good = num_adversaries_; good < world.num_agents(); ++good) {
      if (good != agent) out.Put(seen[good] ? world.velocity(good) : Vec{});
    }
    if (forests_first) return;
    PutForests(inside, out);
    for (const double number : world.message(kLeader)) out.Put(number);
  }

  // The good agents that an adversary touches.
  template <class Out>
  void Measure(const World& world, const State&, std::size_t agent, Out& out) const {
    out.Put(static_cast<double>(CaughtBy(world, num_adversaries_, agent)));
  }

  Color ColorOf(const World& world, const State&, std::size_t entity) const {
    if (entity < world.num_agents()) {
      Color color = entity < num_adversaries_ ? Color{0.95, 0.45, 0.45} : Color{0.45, 0.95, 0.45};
      if (entity == kLeader) {
        for (double& part : color) part -= 0.3;
      }
      return color;
    }
    if (entity < food_) return {0.25, 0.25, 0.25};
    return entity < forests_ ? Color{0.15, 0.15, 0.65} : Color{0.6, 0.9, 0.6};
  }

 private:
  static constexpr std::size_t kLeader = 0;
  static constexpr std::size_t kMessageSize = 4;
  using Forests = std::bitset<static_cast<std::size_t>(kMostOfAKind)>;

  std::string NameOf(std::size_t agent) const {
    const bool adversary = agent < num_adversaries_;
    // The leader is not counted among the adversaries.
    const std::size_t first = adversary ? 1 : num_adversaries_;
    const char* const kind =
        agent == kLeader ? "leadadversary_" : (adversary ? "adversary_" : "agent_");
    return kind + std::to_string(agent == kLeader ? 0 : agent - first);
  }

  // The forests that an agent is in.
  Forests ForestsAround(const World& world, std::size_t agent) const {
    Forests around;
    for (std::size_t i = 0; i < num_forests_; ++i) around[i] = world.Touch(agent, forests_ + i);
    return around;
  }

  template <class Out>
  void PutForests(const Forests& inside, Out& out) const {
    for (std::size_t i = 0; i < num_forests_; ++i) out.Put(inside[i] ? 1.0 : -1.0);
  }

  static double DistanceOfNearest(const World& world, std::size_t agent, std::size_t begin,
                                  std::size_t end) {
    double nearest = std::numeric_limits<double>::infinity();
    for (std::size_t entity = begin; entity < end; ++entity)
      nearest = std::min(nearest, world.Distance(entity, agent));
    return nearest;
  }

  double AdversaryReward(const World& world, std::size_t agent) const {
    double reward =
        0.0 - 0.1 * DistanceOfNearest(world, agent, num_adversaries_, world.num_agents());
    for (std::size_t i = Catches(world, num_adversaries_); i > 0; --i) reward += 5.0;
    return reward;
  }

  double GoodReward(const World& world, std::size_t agent) const {
    const Vec position = world.position(agent);
    double reward = RewardFor(Catchers(world, num_adversaries_, agent), -5);
    reward -= 2.0 * BorderPenalty(position.x);
    reward -= 2.0 * BorderPenalty(position.y);
    for (std::size_t food = food_; food < forests_; ++food) {
      if (world.Touch(agent, food)) reward += 2.0;
    }
    return reward - 0.05 * DistanceOfNearest(world, agent, food_, forests_);
  }

  std::size_t num_good_;
  std::size_t num_adversaries_;
  std::size_t num_obstacles_;
  std::size_t num_food_;
  std::size_t num_forests_;
  std::size_t food_;     // the first entity that is food
  std::size_t forests_;  // the first forest
};

}  // namespace engine::mpe

#endif  // ENGINE_ENVS_MPE_WORLD_COMM_H_
