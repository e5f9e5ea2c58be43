// Testing/Players-v0: players that join and leave at random. Testing/FixedPlayers-v0: a fixed
// number of players. tests/envpool_py/players_model.py is the same environment in Python. The
// pool's threads run them.
#ifndef ENGINE_TESTS_ENGINE_TESTING_MODULE_PLAYERS_H_
#define ENGINE_TESTS_ENGINE_TESTING_MODULE_PLAYERS_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/env/environment.h"

namespace engine::testing {

// The observation of a player is a dict: "age" int32 (2), the player's number and its steps since
// it joined; "sight" float64 (), a random number. Rewards are the action plus a random number.
// Infos of players: "action_mask" int8 (3); "bonus" float32 (2), set only at odd ages. Info:
// "players_left" int64 ().
template <bool kVary>
class Players {
 public:
  static constexpr bool kNeverWaits = true;

  static ParamSchema Options() {
    return {
        {.name = "most",
         .default_value = std::int64_t{4},
         .doc = "players",
         .low = 1.0,
         .high = 64.0},
        {.name = "leave", .default_value = 0.2, .doc = "probability that a player leaves"},
        {.name = "join", .default_value = 0.3, .doc = "probability that an absent player joins"},
        {.name = "end", .default_value = 0.1, .doc = "probability that the episode ends"},
        {.name = "named", .default_value = false, .doc = "whether player i has the name robot_i"},
        {.name = "mistake",
         .default_value = std::string("none"),
         .doc = "what the class does wrong",
         .choices = {"none", "throws", "unwritten", "bounds", "nan reward", "info unwritten",
                     "ends and plays", "ends while others play", "reads an absent player"}}};
  }
  static EnvSpec Spec(const ParamValues& options) {
    EnvSpec spec;
    spec.observation = SpaceSpec::Dict({{"age", SpaceSpec::Box<std::int32_t>({2}, 0, 1 << 20)},
                                        {"sight", SpaceSpec::Box<double>({}, 0.0, 1.0)}});
    spec.action = SpaceSpec::Discrete(3);
    spec.infos = {{.name = "players_left", .dtype = DType::kInt64}};
    spec.players =
        PlayersSpec{.max_players = options.Get<std::int64_t>("most"),
                    .vary = kVary,
                    .infos = {{.name = "action_mask", .dtype = DType::kInt8, .shape = {3}},
                              {.name = "bonus", .dtype = DType::kFloat32, .shape = {2}}}};
    for (std::int64_t i = 0; options.Get<bool>("named") && i < spec.players->max_players; ++i) {
      spec.players->each.push_back({.name = "robot_" + std::to_string(i),
                                    .observation = spec.observation,
                                    .action = spec.action});
    }
    return spec;
  }

  struct Config {
    explicit Config(const ParamValues& options)
        : most(static_cast<std::size_t>(options.Get<std::int64_t>("most"))),
          leave(options.Get<double>("leave")),
          join(options.Get<double>("join")),
          end(options.Get<double>("end")),
          mistake(options.Get<std::string>("mistake")) {}
    std::size_t most;
    double leave, join, end;
    std::string mistake;
  };

  explicit Players(const Config& config) : config_(&config), all_(config.most) {}

  void Reset(Rng& rng) {
    for (Player& player : all_) {
      player = {.plays = (!kVary || rng.Random() < 0.6) ? 1 : 0, .age = 0, .sight = 0.0};
      if (player.plays != 0) player.sight = rng.Random();
    }
  }

  StepResult Step(PlayerActions actions, std::span<PlayerResult> results, Rng& rng) {
    if (config_->mistake == "throws" && rng.Random() < 0.1)
      throw std::runtime_error("as the option says");
    StepResult step;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      Player& player = all_[i];
      if (!actions.Has(i)) {
        if (config_->mistake == "reads an absent player") (void)actions.Of(i);
        if (kVary && rng.Random() < config_->join)
          player = {.plays = 1, .age = 0, .sight = rng.Random()};
        continue;
      }
      ++player.age;
      results[i].reward = static_cast<double>(actions.Of(i).Index()) + rng.Random();
      if (config_->mistake == "nan reward" && i == 1) results[i].reward = std::nan("");
      player.sight = rng.Random();
      if (kVary && rng.Random() < config_->leave) {
        player.plays = config_->mistake == "ends and plays" ? 1 : 0;
        (rng.Random() < 0.5 ? results[i].terminated : results[i].truncated) = true;
      }
    }
    if (config_->mistake == "ends while others play") results[0].terminated = true;
    if (rng.Random() < config_->end) (rng.Random() < 0.5 ? step.terminated : step.truncated) = true;
    return step;
  }

  bool Plays(std::size_t player) const { return all_[player].plays != 0; }

  void Observe(std::size_t player, ObsRow row) const {
    auto* const age = row.Data<std::int32_t>(0);
    age[0] = static_cast<std::int32_t>(player);
    if (config_->mistake != "unwritten" || player != 1) age[1] = all_[player].age;
    *row.Data<double>(1) = all_[player].sight + (config_->mistake == "bounds" ? 1.5 : 0.0);
  }

  void PlayerInfo(std::size_t player, InfoRow row) const {
    auto* const mask = row.Data<std::int8_t>(0);
    for (std::int64_t action = 0; action < 3; ++action)
      mask[action] = (all_[player].age + action) % 3 != 2 ? 1 : 0;
    if (all_[player].age % 2 == 0) return;
    auto* const bonus = row.Data<float>(1);
    bonus[0] = static_cast<float>(all_[player].age);
    if (config_->mistake != "info unwritten") bonus[1] = static_cast<float>(player);
  }

  void Info(InfoRow row, bool /*after_reset*/) const {
    std::int64_t left = 0;
    for (const Player& player : all_) left += player.plays;
    row.Set<std::int64_t>(0, left);
  }

  void Save(StateWriter& state) const { state.PutAll(std::span(all_)); }
  void Load(StateReader& state) {
    state.GetAll(std::span(all_));
    for (const Player& player : all_) ExpectState(player.age >= 0, "an age");
  }

 private:
  struct Player {
    std::int32_t plays = 0;  // 0 or 1; not a bool, so that the struct has no padding
    std::int32_t age = 0;    // steps since it joined
    double sight = 0.0;
  };

  const Config* config_;
  std::vector<Player> all_;
};

}  // namespace engine::testing

#endif  // ENGINE_TESTS_ENGINE_TESTING_MODULE_PLAYERS_H_
