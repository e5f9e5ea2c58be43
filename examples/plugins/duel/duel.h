// Two fencers on a strip: a fixed number of players, with masks of their legal actions.
#pragma once
#include <envpool.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

// Observation of a player: float32 (4): its distance to its own end of the strip, the distance to
// the other fencer, its strength and the other's, each in [0, 1]. Actions: 0 wait, 1 advance, 2
// retreat, 3 thrust, 4 parry. Both fencers act at once. A thrust costs strength and hits within
// `reach`, unless the other fencer parries; waiting restores strength. The episode ends with a hit,
// or when a fencer is driven off the strip. The reward is 1 for the winner, -1 for the loser, and 0
// for both if both are hit.
class Duel {
 public:
  static constexpr bool kNeverWaits = true;

  static engine::ParamSchema Options() {
    return {{.name = "length",
             .default_value = std::int64_t{12},
             .doc = "cells of the strip",
             .low = 4.0,
             .high = 1000.0},
            {.name = "reach",
             .default_value = std::int64_t{2},
             .doc = "cells over which a thrust hits",
             .low = 1.0,
             .high = 10.0}};
  }

  static engine::EnvSpec Spec(const engine::ParamValues&) {
    engine::EnvSpec spec;
    spec.observation = engine::SpaceSpec::Box<float>({4}, 0.0F, 1.0F);  // of one player
    spec.action = engine::SpaceSpec::Discrete(kActions);
    spec.players = engine::PlayersSpec{
        .max_players = 2,
        .infos = {{.name = "action_mask", .dtype = engine::DType::kInt8, .shape = {kActions}}}};
    return spec;
  }

  struct Config {
    explicit Config(const engine::ParamValues& options)
        : length(options.Get<std::int64_t>("length")), reach(options.Get<std::int64_t>("reach")) {}
    std::int64_t length, reach;
  };

  explicit Duel(const Config& config) : config_(&config) {}

  void Reset(engine::Rng& rng) {
    const std::int64_t half = config_->length / 2;
    for (Fencer& fencer : fencers_) fencer = {.place = rng.Integers(1, half), .strength = kFresh};
  }

  engine::StepResult Step(engine::PlayerActions actions, std::span<engine::PlayerResult> results,
                          engine::Rng&) {
    std::array<std::int64_t, 2> chosen = {};
    for (std::size_t i = 0; i < 2; ++i) {
      chosen[i] = actions.Of(i).Index();
      if (chosen[i] == kThrust && fencers_[i].strength < kThrustCosts) chosen[i] = kWait;
    }
    std::array<bool, 2> loses = {};
    for (std::size_t i = 0; i < 2; ++i) {
      Fencer& fencer = fencers_[i];
      if (chosen[i] == kThrust) fencer.strength -= kThrustCosts;
      if (chosen[i] == kWait) fencer.strength = std::min(fencer.strength + 1, kFresh);
      const std::size_t other = 1 - i;
      loses[other] = chosen[i] == kThrust && chosen[other] != kParry && Between() <= config_->reach;
    }
    const std::int64_t between = Between();  // before the step, so that both act at once
    for (std::size_t i = 0; i < 2; ++i) {
      if (chosen[i] == kAdvance && between > 1) ++fencers_[i].place;
      if (chosen[i] == kRetreat) --fencers_[i].place;
      if (fencers_[i].place < 0) loses[i] = true;
    }
    for (std::size_t i = 0; i < 2; ++i) {
      if (loses[i] != loses[1 - i]) results[i].reward = loses[i] ? -1.0 : 1.0;
      fencers_[i].place = std::max<std::int64_t>(fencers_[i].place, 0);
    }
    return {.terminated = loses[0] || loses[1]};
  }

  void Observe(std::size_t player, engine::ObsRow row) const {
    const Fencer& own = fencers_[player];
    const Fencer& other = fencers_[1 - player];
    const auto cells = static_cast<float>(config_->length);
    float* const seen = row.Data<float>();
    seen[0] = static_cast<float>(own.place) / cells;
    seen[1] = static_cast<float>(Between()) / cells;
    seen[2] = static_cast<float>(own.strength) / kFresh;
    seen[3] = static_cast<float>(other.strength) / kFresh;
  }

  void PlayerInfo(std::size_t player, engine::InfoRow row) const {
    std::int8_t* const mask = row.Data<std::int8_t>("action_mask");
    std::fill_n(mask, kActions, std::int8_t{1});
    mask[kAdvance] = Between() > 1 ? 1 : 0;
    mask[kThrust] = fencers_[player].strength >= kThrustCosts ? 1 : 0;
  }

  void Save(engine::StateWriter& state) const { state.Put(fencers_); }
  void Load(engine::StateReader& state) { state.Get(fencers_); }

 private:
  enum Action : std::int64_t { kWait, kAdvance, kRetreat, kThrust, kParry, kActions };
  static constexpr std::int64_t kFresh = 6;
  static constexpr std::int64_t kThrustCosts = 2;

  struct Fencer {
    std::int64_t place = 0;  // cells from its own end of the strip
    std::int64_t strength = kFresh;
  };

  // Cells from one fencer to the other; each counts from its own end.
  std::int64_t Between() const {
    return std::max<std::int64_t>(config_->length - 1 - fencers_[0].place - fencers_[1].place, 0);
  }

  const Config* config_;
  std::array<Fencer, 2> fencers_ = {};
};
