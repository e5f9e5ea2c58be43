// The tasks `CoinrunEasy-v0` and so on: one class plays all 16 games, through a handle of the
// library with one game. Run by the pool's threads.
//
// The library ends a level and begins the next one inside one step. So a step that terminates an
// episode observes the next level, and the reset after it changes nothing.
#ifndef ENGINE_ENVS_PROCGEN_PROCGEN_ENV_H_
#define ENGINE_ENVS_PROCGEN_PROCGEN_ENV_H_

#include <cstdint>
#include <optional>
#include <span>

#include "engine/env/environment.h"
#include "engine/envs/procgen/game_states.h"
#include "engine/envs/procgen/games.h"
#include "engine/envs/procgen/handle.h"

namespace engine::procgen {

class ProcgenEnv {
 public:
  static constexpr bool kSetsEveryInfo = true;

  // The options of a task; the id determines the game and the default of distribution_mode.
  static ParamSchema OptionsOf(const Game& game, const char* mode);
  static EnvSpec Spec(const ParamValues& options);

  struct Config {
    // Throws Error{kOption} for options that do not fit together. Requires the library.
    explicit Config(const ParamValues& options);

    GameOptions game;
    bool channels_first = false;
    bool seeds_together = false;  // seeding="procgen"
    bool saves_states = true;
    mutable GameStates states;  // with seeds_together
  };

  explicit ProcgenEnv(const Config& config) : config_(config) {}

  // The next reset makes the game anew.
  void Seed(std::uint64_t seed, std::uint32_t number, Rng& rng);
  // Without a seed: ends the level, unless it has just begun.
  void Reset(Rng& rng);
  StepResult Step(ActionView action, Rng& rng);
  void Observe(ObsRow row) const;
  void Info(InfoRow row, bool after_reset) const;
  void Render(std::span<std::uint8_t> rgb) const { handle_->Draw(rgb); }
  void EnableRender() { draws_ = true; }
  void Save(StateWriter& state) const;
  void Load(StateReader& state);

 private:
  struct Start {
    std::uint64_t seed = 0;
    std::uint32_t number = 0;
  };

  void Make(const Start& start);

  const Config& config_;
  bool draws_ = false;
  std::optional<Start> start_;  // since Seed, until the next reset
  std::optional<Handle> handle_;
  bool level_begins_ = false;  // no step was taken in the level
};

}  // namespace engine::procgen

#endif  // ENGINE_ENVS_PROCGEN_PROCGEN_ENV_H_
