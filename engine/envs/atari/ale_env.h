// The tasks `ALE/Pong-v5`, one per game, as ale-py 0.12.1 registers them with Gymnasium.
// Observations are the console's picture or memory without preprocessing; an action lasts several
// frames. Run by the pool's threads.
#ifndef ENGINE_ENVS_ATARI_ALE_ENV_H_
#define ENGINE_ENVS_ATARI_ALE_ENV_H_

#include <cstdint>
#include <memory>
#include <span>

#include "engine/env/environment.h"
#include "engine/envs/atari/action_map.h"
#include "engine/envs/atari/game_rom.h"
#include "engine/envs/atari/game_runner.h"
#include "engine/envs/atari/variant_options.h"

namespace engine::atari {

class AleEnv {
 public:
  static constexpr bool kNeverWaits = true;

  // The last option is the game, which the id sets.
  static ParamSchema Options();
  static ParamSchema ResetOptions() { return {}; }
  static EnvSpec Spec(const ParamValues& options);

  enum class ObsType : std::uint8_t { kRgb, kGrayscale, kRam };

  // The number of frames in a step is drawn from [low, end).
  struct FrameSkip {
    std::int64_t low;
    std::int64_t end;
  };

  struct Config {
    // Throws Error{kRom} if the game's ROM is missing.
    explicit Config(const ParamValues& options);

    // Returns a new game, reset in `variant`, whose sticky actions use `seed`.
    GameRunner NewGame(std::uint32_t seed) const;

    std::shared_ptr<const GameRom> rom;
    RunnerOptions runner;
    Variant variant;
    ObsType obs_type;
    FrameSkip frame_skip;
    ActionMap actions;
    // NewGame() with an arbitrary seed. Only the menus of some games use random numbers during a
    // reset. For all other games a later SeedActions(seed) gives the same state as NewGame(seed),
    // and `new_games_are_alike` is true.
    GameRunner prototype;
    bool new_games_are_alike;
  };
  struct Start {
    explicit Start(const ParamValues&) {}
  };

  explicit AleEnv(const Config& config) : config_(config), runner_(config.prototype) {}

  // The next reset loads the game again, as ale-py does: frame numbers and random state start over.
  void Seed(std::uint64_t seed, Rng& rng);
  void Reset(const Start& start, Rng& rng);
  StepResult Step(ActionView action, Rng& rng);
  void Observe(ObsRow row) const;
  void Info(InfoRow row, bool after_reset) const;
  void Render(std::span<std::uint8_t> rgb) const;
  void EnableRender() { renders_ = true; }
  void Save(StateWriter& state) const {
    runner_.Save(state);
    state.Put(seeds_);
    state.Put(seeded_);
    state.Put(began_seeded_);
  }
  void Load(StateReader& state) {
    runner_.Load(state);
    state.Get(seeds_);
    state.Get(seeded_);
    state.Get(began_seeded_);
  }

 private:
  bool looks() const { return renders_ || config_.obs_type != ObsType::kRam; }

  const Config& config_;
  GameRunner runner_;
  std::uint32_t seeds_[2] = {0, 0};  // the seeds of the generator and of the game
  bool seeded_ = false;              // a seed was received since the latest reset
  bool began_seeded_ = false;        // the latest reset used a seed, and no step followed yet
  bool renders_ = false;
};

}  // namespace engine::atari

#endif  // ENGINE_ENVS_ATARI_ALE_ENV_H_
