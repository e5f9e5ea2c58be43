// Testing/PlayerActionTree-v0: three players whose actions are a dict. Each player observes its
// latest action. Testing/BoxPlayers-v0: up to four players that join and leave, with arrays of
// EnvPool's form. The pool's threads run them.
#ifndef ENGINE_TESTS_ENGINE_TESTING_MODULE_PLAYER_ACTIONS_H_
#define ENGINE_TESTS_ENGINE_TESTING_MODULE_PLAYER_ACTIONS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/env/environment.h"

namespace engine::testing {

class PlayerActionTree {
 public:
  static constexpr bool kNeverWaits = true;

  static EnvSpec Spec(const ParamValues&) {
    EnvSpec spec;
    spec.action = SpaceSpec::Dict(
        {{"force", SpaceSpec::Box<float>({2}, -1.0F, 1.0F)}, {"gait", SpaceSpec::Discrete(5)}});
    spec.observation = SpaceSpec::Box<double>({3}, -10.0, 10.0);
    spec.players = PlayersSpec{.max_players = kPlayers};
    return spec;
  }

  void Reset(Rng&) { *this = PlayerActionTree(); }
  StepResult Step(PlayerActions actions, std::span<PlayerResult> results, Rng&) {
    for (std::size_t player = 0; player < kPlayers; ++player) {
      const ActionRow action = actions.RowOf(player);
      seen_[player] = {static_cast<double>(action.Data<float>(0)[0]),
                       static_cast<double>(action.Data<float>(0)[1]),
                       static_cast<double>(action.Index(1))};
      results[player].reward = seen_[player][2];
    }
    return {};
  }
  void Observe(std::size_t player, ObsRow row) const {
    for (std::size_t i = 0; i < 3; ++i) row.Data<double>()[i] = seen_[player][i];
  }

 private:
  static constexpr std::size_t kPlayers = 3;

  std::array<std::array<double, 3>, kPlayers> seen_ = {};
};

class BoxPlayers {
 public:
  static constexpr bool kNeverWaits = true;

  static EnvSpec Spec(const ParamValues&) {
    EnvSpec spec;
    spec.observation = SpaceSpec::Box<float>({3}, -100.0F, 100.0F);
    spec.action = SpaceSpec::Box<float>({2}, -1.0F, 1.0F);
    spec.players = PlayersSpec{.max_players = kPlayers, .vary = true};
    return spec;
  }

  void Reset(Rng& rng) {
    for (Player& player : all_) player = {.plays = rng.Random() < 0.5, .x = 0.0F, .y = 0.0F};
  }
  StepResult Step(PlayerActions actions, std::span<PlayerResult> results, Rng& rng) {
    for (std::size_t i = 0; i < kPlayers; ++i) {
      Player& player = all_[i];
      if (!actions.Has(i)) {
        if (rng.Random() < 0.3) player = {.plays = true, .x = 0.0F, .y = 0.0F};
        continue;
      }
      player.x += actions.Of(i).Data<float>()[0];
      player.y += actions.Of(i).Data<float>()[1];
      results[i].reward = static_cast<double>(player.x);
      results[i].terminated = rng.Random() < 0.2;
      player.plays = !results[i].terminated;
    }
    const double draw = rng.Random();
    return {.terminated = draw < 0.05, .truncated = draw >= 0.95};
  }
  bool Plays(std::size_t player) const { return all_[player].plays; }
  void Observe(std::size_t player, ObsRow row) const {
    auto* const seen = row.Data<float>();
    seen[0] = all_[player].x;
    seen[1] = all_[player].y;
    seen[2] = static_cast<float>(player);
  }

 private:
  static constexpr std::size_t kPlayers = 4;
  struct Player {
    bool plays = false;
    float x = 0.0F, y = 0.0F;
  };

  std::array<Player, kPlayers> all_ = {};
};

}  // namespace engine::testing

#endif  // ENGINE_TESTS_ENGINE_TESTING_MODULE_PLAYER_ACTIONS_H_
