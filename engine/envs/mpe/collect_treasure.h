// Collect treasure: collectors take treasures and bring them to the deposit of the treasure's type.
// The rules are those of collect_treasure_v1 of MPE2 1.1.1.
#ifndef ENGINE_ENVS_MPE_COLLECT_TREASURE_H_
#define ENGINE_ENVS_MPE_COLLECT_TREASURE_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "engine/base/rng.h"
#include "engine/envs/mpe/game.h"
#include "engine/envs/mpe/nearest.h"

namespace engine::mpe {

class CollectTreasure {
 public:
  static ParamSchema Options() {
    ParamSchema schema = {
        CountOption("num_collectors", 6, 1, "Number of collectors."),
        CountOption("num_deposits", 2, 1, "Number of deposits, and of types of treasures."),
        CountOption("num_treasures", 6, 1, "Number of treasures.")};
    schema[1].high = static_cast<double>(kTypeColors.size());
    return schema;
  }

  explicit CollectTreasure(const ParamValues& options)
      : num_collectors_(CountOf(options, "num_collectors")),
        num_types_(CountOf(options, "num_deposits")),
        num_treasures_(CountOf(options, "num_treasures")) {}

  Layout MakeLayout() const {
    Layout layout;
    for (std::size_t i = 0; i < num_collectors_; ++i) {
      layout.AddAgent("collector_" + std::to_string(i),
                      {.size = 0.05, .movable = true, .accel = 1.5, .max_speed = 1.0});
    }
    for (std::size_t i = 0; i < num_types_; ++i) {
      layout.AddAgent(
          "deposit_" + std::to_string(i),
          {.size = 0.075, .movable = true, .mass = 2.25, .accel = 1.5, .max_speed = 1.0});
    }
    for (std::size_t i = 0; i < num_treasures_; ++i) layout.AddLandmark({.size = 0.025});
    return layout;
  }

  static constexpr std::int32_t kNothing = -1;

  struct State {
    explicit State(const CollectTreasure& scenario)
        : num_types(static_cast<std::int32_t>(scenario.num_types_)),
          held(scenario.num_collectors_, kNothing),
          types(scenario.num_treasures_, 0),
          taken(scenario.num_treasures_, 0) {}
    void Save(StateWriter& state) const;
    void Load(StateReader& state);

    std::int32_t num_types;
    std::vector<std::int32_t> held;   // the type of treasure that each collector has, or kNothing
    std::vector<std::int32_t> types;  // of the treasures
    std::vector<std::uint8_t> taken;  // treasures that are not in the world
    // Draws new treasures. It begins as a copy of the generator of the reset, as in the reference.
    Rng rng;
    double shared_reward = 0.0;  // of the latest step
  };

  void Reset(World& world, State& state, Rng& rng) const;
  void AfterMove(World& world, State& state) const;
  double Reward(const World& world, const State& state, std::size_t agent) const;

  template <class Out>
  void Observe(const World& world, const State& state, std::size_t agent, Out& out) const {
    out.Put(world.position(agent));
    out.Put(world.velocity(agent));
    if (IsCollector(agent)) PutType(state.held[agent], out);
    SortedEntities others;
    for (std::size_t other = 0; other < world.num_agents(); ++other) {
      if (other != agent) others.Add(other, world.Distance(other, agent));
    }
    for (std::size_t place = 0; place < others.size(); ++place) {
      const std::size_t other = others[place];
      out.Put(world.position(other) - world.position(agent));
      out.Put(world.velocity(other));
      PutType(IsCollector(other) ? kNothing : TypeOfDeposit(other), out);
      PutType(IsCollector(other) ? state.held[other] : kNothing, out);
    }
    SortedEntities treasures;
    for (std::size_t i = 0; i < num_treasures_; ++i) {
      const double distance = state.taken[i] != 0 ? 1e6 : world.Distance(Treasure(i), agent);
      treasures.Add(i, distance);
    }
    for (std::size_t place = 0; place < treasures.size(); ++place) {
      const std::size_t i = treasures[place];
      const bool taken = state.taken[i] != 0;
      out.Put(taken ? Vec{} : world.position(Treasure(i)) - world.position(agent));
      PutType(taken ? kNothing : state.types[i], out);
    }
  }

  // Of a collector, the type that it has, or -1; of a deposit, the number of collectors that have
  // its type. The number of treasures in the world.
  template <class Out>
  void Measure(const World&, const State& state, std::size_t agent, Out& out) const {
    out.Put(IsCollector(agent)
                ? static_cast<double>(state.held[agent])
                : static_cast<double>(std::ranges::count(state.held, TypeOfDeposit(agent))));
    out.Put(static_cast<double>(std::ranges::count(state.taken, std::uint8_t{0})));
  }

  bool Shows(const World& world, const State& state, std::size_t entity) const {
    return entity < world.num_agents() || state.taken[entity - world.num_agents()] == 0;
  }
  Color ColorOf(const World& world, const State& state, std::size_t entity) const;

 private:
  // Of the types of treasures.
  static constexpr std::array<Color, 6> kTypeColors = {{{0.212, 0.408, 0.776},
                                                        {0.945, 0.553, 0.000},
                                                        {0.169, 0.627, 0.173},
                                                        {0.839, 0.149, 0.157},
                                                        {0.580, 0.404, 0.741},
                                                        {0.549, 0.337, 0.294}}};

  bool IsCollector(std::size_t agent) const { return agent < num_collectors_; }
  std::size_t Deposit(std::int32_t type) const {
    return num_collectors_ + static_cast<std::size_t>(type);
  }
  std::int32_t TypeOfDeposit(std::size_t agent) const {
    return static_cast<std::int32_t>(agent - num_collectors_);
  }
  std::size_t Treasure(std::size_t i) const { return num_collectors_ + num_types_ + i; }

  // 1 at the place of the type, all zero for kNothing.
  template <class Out>
  void PutType(std::int32_t type, Out& out) const {
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(num_types_); ++i)
      out.Put(i == type ? 1.0 : 0.0);
  }

  double CollectorReward(const World& world, const State& state, std::size_t agent) const;
  double DepositReward(const World& world, const State& state, std::size_t agent) const;

  std::size_t num_collectors_;
  std::size_t num_types_;  // of treasures; as many deposits
  std::size_t num_treasures_;
};

}  // namespace engine::mpe

#endif  // ENGINE_ENVS_MPE_COLLECT_TREASURE_H_
