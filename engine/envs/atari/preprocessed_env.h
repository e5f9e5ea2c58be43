// The tasks `Pong-v5`, one per game: frames made ready for learning, as
// Gymnasium's AtariPreprocessing and FrameStackObservation make them from
// ale-py's emulator, or as ale-py's AtariVectorEnv does (option `pipeline`).
// Run by the pool's threads.
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
    // Throws Error{kRom} if the game's ROM is not there.
    explicit Config(const ParamValues& options);
    // A game loaded with this seed of its sticky actions, and reset in its variant.
    GameRunner NewGame(std::uint32_t seed) const;

    Preprocessing preprocessing;
    ActionMap actions;
    PixelPath pixels;
    bool presses_fire;
    std::shared_ptr<const GameRom> rom;
    RunnerOptions runner;
    // NewGame() of some seed. Mostly that is the one of every seed but for what SeedActions() sets:
    // only the menus of some games let chance into a reset.
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
  // Of a step that ended the episode after so many frames that did not; `after_reset`: it is the
  // episode's first step.
  void PutFrameOfEnd(int frames, bool after_reset);

  const Config& config_;
  GameRunner runner_;
  FrameStack stack_;
  LastFrames last_frames_;
  // Of AtariVectorEnv's idle frames; absent in the other pipeline, whose come from the Rng.
  std::unique_ptr<std::mt19937> noops_;
  std::optional<std::uint64_t> seed_;  // told since the latest reset
  std::int64_t frames_ = 0;            // of the episode's steps
  int lives_ = 0;                      // that the next frame's are compared with
  float reward_ = 0.0f;                // of the latest step, not clipped
  bool renders_ = false;
};

}  // namespace engine::atari

#endif  // ENGINE_ENVS_ATARI_PREPROCESSED_ENV_H_
