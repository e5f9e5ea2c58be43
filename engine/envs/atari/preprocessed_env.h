// The tasks `Pong-v5`, one per game. The option `pipeline` selects the library whose preprocessed
// frames they reproduce: Gymnasium's AtariPreprocessing and FrameStackObservation over ale-py's
// emulator, ale-py's AtariVectorEnv, or EnvPool. Run by the pool's threads.
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
    // Returns a new game, reset in the variant of `preprocessing`, whose sticky actions use `seed`.
    GameRunner NewGame(std::uint32_t seed) const;

    Preprocessing preprocessing;
    ActionMap actions;
    PixelPath pixels;
    bool presses_fire;
    std::shared_ptr<const GameRom> rom;
    RunnerOptions runner;
    // NewGame() with an arbitrary seed. Only the menus of some games use random numbers during a
    // reset. For all other games a later SeedActions(seed) gives the same state as NewGame(seed),
    // and `new_games_are_alike` is true.
    GameRunner prototype;
    bool new_games_are_alike;
  };
  struct Start {
    explicit Start(const ParamValues&) {}
  };

  explicit PreprocessedEnv(const Config& config);

  void Seed(std::uint64_t seed, Rng& rng);
  void Reset(const Start& start, Rng& rng);
  // Plays one step without an action, as OpenAI Baselines' EpisodicLifeEnv does. If FIRE is
  // pressed, it replaces the last frame, as in Reset(). With EnvPool's pipeline, plays the no-op
  // frames of a reset instead. Returns false if the game ended meanwhile.
  bool Continue(Rng& rng);
  StepResult Step(ActionView action, Rng& rng);
  void Observe(ObsRow row) const { stack_.CopyTo(row.Data<std::uint8_t>()); }
  void Info(InfoRow row, bool after_reset) const;
  double Score() const { return static_cast<double>(reward_); }
  void Render(std::span<std::uint8_t> rgb) const;
  void EnableRender() { renders_ = true; }
  void Save(StateWriter& state) const;
  void Load(StateReader& state);

 private:
  struct Ends {
    bool terminated = false;
    bool truncated = false;
    bool any() const { return terminated || truncated; }
  };

  struct Played {
    std::int64_t reward = 0;
    Ends ends;
  };

  void BeginGame();
  void PlayNoopsLikeGymnasium(Rng& rng);
  void PlayNoopsLikeAle();
  // Returns whether the game ended during these frames.
  bool PlayNoopsLikeEnvPool();
  void PadStack();
  int DrawLikeStandardLibrary(int count);
  // Plays the frames of a step. The last frame takes the action `last` instead of that of the move.
  Played Play(const Move& move, Action last, int lives_before);
  Ends EndsAfterFrame(int lives_before);
  // Adds the frame of a step to the stack.
  void PutFrame();
  // Add the frame of a step in which the episode ended after `frames` earlier frames.
  // `after_reset`: this is the first step of the episode.
  void PutFrameOfEnd(int frames, bool after_reset);
  void PutFrameOfEndLikeEnvPool(int frames);

  const Config& config_;
  GameRunner runner_;
  FrameStack stack_;
  LastFrames last_frames_;
  // For the no-op frames of AtariVectorEnv and EnvPool; absent in Gymnasium's pipeline, which draws
  // them from the Rng.
  std::unique_ptr<std::mt19937> noops_;
  std::optional<std::uint64_t> seed_;  // the seed received since the latest reset, if any
  std::int64_t frames_ = 0;            // frames played since the latest Reset()
  int lives_ = 0;                      // lives after the latest frame, to detect a loss
  float reward_ = 0.0f;                // reward of the latest step, not clipped
  bool renders_ = false;
};

}  // namespace engine::atari

#endif  // ENGINE_ENVS_ATARI_PREPROCESSED_ENV_H_
