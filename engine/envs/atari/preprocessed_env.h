// The tasks `Pong-v5`, one per game: frames preprocessed like those of Gymnasium's
// AtariPreprocessing and FrameStackObservation over ale-py's emulator, or like those of ale-py's
// AtariVectorEnv (option `pipeline`). Run by the pool's threads.
#ifndef ENGINE_ENVS_ATARI_PREPROCESSED_ENV_H_
#define ENGINE_ENVS_ATARI_PREPROCESSED_ENV_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "engine/env/environment.h"
#include "engine/envs/atari/frame_stack.h"
#include "engine/envs/atari/game_runner.h"
#include "engine/envs/atari/last_frames.h"
#include "engine/envs/atari/preprocessing.h"

namespace engine::atari {

class PreprocessedEnv {
 public:
  static constexpr bool kNeverWaits = true;

  static ParamSchema Options() { return Preprocessing::Schema(); }
  static ParamSchema ResetOptions() { return {}; }
  static EnvSpec Spec(const ParamValues& options) { return Preprocessing(options).Spec(); }

  struct Config {
    // Throws Error{kRom} if the game's ROM is missing.
    explicit Config(const ParamValues& options);
    // A new game with this seed for its sticky actions, reset in its variant.
    GameRunner NewGame(std::uint32_t seed) const;

    Preprocessing preprocessing;
    ActionMap actions;
    PixelPath pixels;
    bool presses_fire;
    std::shared_ptr<const GameRom> rom;
    RunnerOptions runner;
    // NewGame() with some seed. For most games, SeedActions() then makes it equal to NewGame() with
    // another seed; only the menus of some games use random numbers during a reset.
    GameRunner prototype;
    bool new_games_are_alike;
  };
  struct Start {
    explicit Start(const ParamValues&) {}
  };

  explicit PreprocessedEnv(const Config& config);

  void Seed(std::uint64_t seed, Rng& rng);
  void Reset(const Start& start, Rng& rng);
  StepResult Step(ActionView action, Rng& rng);
  void Observe(ObsRow row) const { stack_.CopyTo(row.Data<std::uint8_t>()); }
  void Info(InfoRow row, bool after_reset) const;
  double Score() const { return static_cast<double>(reward_); }
  void Render(std::span<std::uint8_t> rgb) const;
  void EnableRender() { renders_ = true; }

 private:
  struct Ends {
    bool terminated = false;
    bool truncated = false;
    bool any() const { return terminated || truncated; }
  };

  void BeginGame();
  void PlayNoopsLikeGymnasium(Rng& rng);
  void PlayNoopsLikeAle();
  int DrawLikeStandardLibrary(int count);
  Ends EndsAfterFrame(int lives_before);
  void PutFrame();
  // For a step in which the episode ended after this many earlier frames; `after_reset`: it is the
  // first step of the episode.
  void PutFrameOfEnd(int frames, bool after_reset);

  const Config& config_;
  GameRunner runner_;
  FrameStack stack_;
  LastFrames last_frames_;
  // For AtariVectorEnv's no-op frames; absent in the other pipeline, which draws them from the Rng.
  std::unique_ptr<std::mt19937> noops_;
  std::optional<std::uint64_t> seed_;  // received since the latest reset
  std::int64_t frames_ = 0;            // of the episode's steps
  int lives_ = 0;                      // to compare with those after the next frame
  float reward_ = 0.0f;                // of the latest step, not clipped
  bool renders_ = false;
};

}  // namespace engine::atari

#endif  // ENGINE_ENVS_ATARI_PREPROCESSED_ENV_H_
