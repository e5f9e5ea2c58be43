#include "engine/envs/mpe/collect_treasure.h"

namespace engine::mpe {
namespace {

constexpr double kBorder = 0.95;             // treasures are in [-kBorder, kBorder]^2
constexpr Vec kOutside = {-999.0, -999.0};   // where taken treasures are
constexpr Color kGrey = {0.85, 0.85, 0.85};  // a collector that has nothing

Color Darker(Color color, double factor) {
  for (double& part : color) part *= factor;
  return color;
}

}  // namespace

void CollectTreasure::State::Save(StateWriter& state) const {
  state.PutAll(std::span(held));
  state.PutAll(std::span(types));
  state.PutAll(std::span(taken));
  state.Put(rng.State());
}

void CollectTreasure::State::Load(StateReader& state) {
  state.GetAll(std::span(held));
  state.GetAll(std::span(types));
  state.GetAll(std::span(taken));
  rng = Rng(state.Get<Pcg64State>());
  for (const std::int32_t type : held)
    ExpectState(type >= kNothing && type < num_types, "the types that collectors hold");
  for (const std::int32_t type : types)
    ExpectState(type >= 0 && type < num_types, "the types of treasures");
}

void CollectTreasure::Reset(World& world, State& state, Rng& rng) const {
  state.rng = rng;
  std::ranges::fill(state.held, kNothing);
  std::ranges::fill(state.taken, std::uint8_t{0});
  world.PlaceAgents(rng);
  for (std::size_t i = 0; i < num_treasures_; ++i) {
    state.types[i] = static_cast<std::int32_t>(rng.Integers(state.num_types));
    world.PlaceAnywhere(Treasure(i), kBorder, rng);
  }
}

void CollectTreasure::AfterMove(World& world, State& state) const {
  state.shared_reward = 0.0;
  for (std::size_t i = 0; i < num_treasures_; ++i) {
    const std::size_t treasure = Treasure(i);
    if (state.taken[i] != 0) {
      // Whether it comes back in this step; the probability is 1.
      static_cast<void>(state.rng.Random());
      world.PlaceAnywhere(treasure, kBorder, state.rng);
      state.types[i] = static_cast<std::int32_t>(state.rng.Integers(state.num_types));
      state.taken[i] = 0;
      continue;
    }
    for (std::size_t collector = 0; collector < num_collectors_; ++collector) {
      if (state.held[collector] != kNothing || !world.Touch(treasure, collector)) continue;
      state.shared_reward += 5.0;
      state.held[collector] = state.types[i];
      state.taken[i] = 1;
      world.Place(treasure, kOutside);
      break;
    }
  }
  for (std::size_t collector = 0; collector < num_collectors_; ++collector) {
    const std::int32_t type = state.held[collector];
    if (type == kNothing || !world.Touch(collector, Deposit(type))) continue;
    state.shared_reward += 5.0;
    state.held[collector] = kNothing;
  }
}

double CollectTreasure::Reward(const World& world, const State& state, std::size_t agent) const {
  const double own = IsCollector(agent) ? CollectorReward(world, state, agent)
                                        : DepositReward(world, state, agent);
  return own + state.shared_reward;
}

double CollectTreasure::CollectorReward(const World& world, const State& state,
                                        std::size_t agent) const {
  double reward = 0.0;
  for (std::size_t other = 0; other < num_collectors_; ++other) {
    if (other != agent && world.Touch(agent, other)) reward -= 5.0;
  }
  const std::int32_t type = state.held[agent];
  if (type != kNothing) return reward - 0.1 * world.Distance(Deposit(type), agent);
  double nearest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < num_treasures_; ++i) {
    if (state.taken[i] == 0) nearest = std::min(nearest, world.Distance(Treasure(i), agent));
  }
  const bool any = std::ranges::find(state.taken, std::uint8_t{0}) != state.taken.end();
  return any ? reward - 0.1 * nearest : reward;
}

double CollectTreasure::DepositReward(const World& world, const State& state,
                                      std::size_t agent) const {
  double nearest = std::numeric_limits<double>::infinity();
  bool any = false;
  Vec sum;
  for (std::size_t collector = 0; collector < num_collectors_; ++collector) {
    sum = sum + world.position(collector);
    if (state.held[collector] != TypeOfDeposit(agent)) continue;
    any = true;
    nearest = std::min(nearest, world.Distance(collector, agent));
  }
  if (any) return 0.0 - 0.1 * nearest;
  const auto count = static_cast<double>(num_collectors_);
  const Vec center = {sum.x / count, sum.y / count};
  return 0.0 - 0.1 * Norm(center - world.position(agent));
}

Color CollectTreasure::ColorOf(const World& world, const State& state, std::size_t entity) const {
  if (entity >= world.num_agents())
    return kTypeColors[static_cast<std::size_t>(state.types[entity - world.num_agents()])];
  if (!IsCollector(entity))
    return Darker(kTypeColors[static_cast<std::size_t>(TypeOfDeposit(entity))], 0.35);
  const std::int32_t type = state.held[entity];
  return type == kNothing ? kGrey : Darker(kTypeColors[static_cast<std::size_t>(type)], 0.85);
}

}  // namespace engine::mpe
