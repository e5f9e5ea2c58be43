// Simple crypto: Alice tells Bob one of two goals, encrypted with a key that both know, and Eve
// listens. The rules are those of simple_crypto_v3 of MPE2 1.1.1.
#ifndef ENGINE_ENVS_MPE_CRYPTO_H_
#define ENGINE_ENVS_MPE_CRYPTO_H_

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>

#include "engine/envs/mpe/game.h"
#include "engine/envs/mpe/goal.h"

namespace engine::mpe {

class Crypto {
 public:
  static ParamSchema Options() { return {}; }
  explicit Crypto(const ParamValues&) {}

  Layout MakeLayout() const {
    Layout layout(kMessageSize);
    for (const char* name : {"eve_0", "bob_0", "alice_0"}) layout.AddAgent(name, {.silent = false});
    layout.AddLandmark({});
    layout.AddLandmark({});
    return layout;
  }

  struct State {
    explicit State(const Crypto&) {}
    void Save(StateWriter& state) const {
      goal.Save(state);
      key.Save(state);
    }
    void Load(StateReader& state) {
      goal.Load(state);
      key.Load(state);
    }

    Goal goal{kFirstLandmark, 2};
    Goal key{kFirstLandmark, 2};
  };

  void Reset(World& world, State& state, Rng& rng) const {
    state.goal.Draw(rng);
    state.key.Draw(rng);
    world.PlaceAgents(rng);
    world.PlaceLandmarks(1.0, rng);
  }

  double Reward(const World& world, const State& state, std::size_t agent) const {
    const double of_eve = Error(world, state, kEve);
    return agent == kEve ? 0.0 - of_eve : of_eve - Error(world, state, kBob);
  }

  template <class Out>
  void Observe(const World& world, const State& state, std::size_t agent, Out& out) const {
    if (agent == kAlice) PutCode(state.goal, out);
    if (agent != kEve) PutCode(state.key, out);
    if (agent == kAlice) return;
    for (const double number : world.message(kAlice)) out.Put(number);
  }

  // The agent's message, and the goal.
  template <class Out>
  void Measure(const World& world, const State& state, std::size_t agent, Out& out) const {
    for (const double number : world.message(agent)) out.Put(number);
    PutCode(state.goal, out);
  }

  Color ColorOf(const World&, const State& state, std::size_t entity) const {
    if (entity == kEve) return {0.75, 0.25, 0.25};
    if (entity == kAlice) return {0.25, 0.25, 0.25};
    Color color = {0.0, 0.0, 0.0};
    color[entity == kBob ? state.goal.index() : entity - kFirstLandmark] = 1.0;
    return color;
  }

 private:
  static constexpr std::size_t kEve = 0;
  static constexpr std::size_t kBob = 1;
  static constexpr std::size_t kAlice = 2;
  static constexpr std::size_t kFirstLandmark = 3;
  static constexpr std::size_t kMessageSize = 4;

  // A goal or a key as a message: 1 at its place.
  static double CodeAt(const Goal& goal, std::size_t place) {
    return place == goal.index() ? 1.0 : 0.0;
  }
  template <class Out>
  static void PutCode(const Goal& goal, Out& out) {
    for (std::size_t place = 0; place < kMessageSize; ++place) out.Put(CodeAt(goal, place));
  }

  // The squared difference between an agent's message and the goal; 0 without a message.
  static double Error(const World& world, const State& state, std::size_t agent) {
    const std::span<const double> message = world.message(agent);
    if (std::ranges::all_of(message, [](double number) { return number == 0.0; })) return 0.0;
    double sum = 0.0;
    for (std::size_t place = 0; place < kMessageSize; ++place) {
      const double difference = message[place] - CodeAt(state.goal, place);
      sum += difference * difference;
    }
    return sum;
  }
};

}  // namespace engine::mpe

#endif  // ENGINE_ENVS_MPE_CRYPTO_H_
