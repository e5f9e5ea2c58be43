// Plays one game on one console by the rules of the Arcade Learning Environment: reset sequence,
// sticky actions, frame limits, rewards and lives. With equal seeds and actions the results equal
// those of ale-py 0.12.1, frame by frame. Used by one thread at a time.
#ifndef ENGINE_ENVS_ATARI_GAME_RUNNER_H_
#define ENGINE_ENVS_ATARI_GAME_RUNNER_H_

#include <cstdint>
#include <limits>
#include <memory>
#include <random>

#include "engine/emulators/atari2600/console.h"
#include "engine/env/state.h"
#include "engine/envs/atari/controls.h"
#include "engine/envs/atari/game_rom.h"
#include "engine/envs/atari/games/game.h"

namespace engine::atari {

struct RunnerOptions {
  int frame_skip = 1;                       // frames for which an action is held, at least 1
  float repeat_action_probability = 0.25f;  // probability that a frame repeats the previous action
  int max_num_frames_per_episode = 0;       // 0: no limit
  bool truncate_on_loss_of_life = false;
  // Act() clips its reward to [reward_min, reward_max].
  std::int32_t reward_min = std::numeric_limits<std::int32_t>::min();
  std::int32_t reward_max = std::numeric_limits<std::int32_t>::max();
};

// The content of a snapshot, without the picture. Trivially copyable.
struct RunnerState {
  atari2600::ConsoleState console;
  Progress progress;
  Paddles paddles;
  Action held = Action::kNoop;  // the action that a sticky frame repeats
  float held_strength = 1.0f;   // how far `held` turns a paddle, in [0, 1]
  int mode = 0;
  int difficulty = 0;
  std::int64_t frame_number = 0;          // since the runner was made
  std::int64_t episode_frame_number = 0;  // since the latest reset
  std::mt19937 random;                    // for sticky actions
  std::mt19937 system_random;             // for random content of the console
};

// For a generator from elsewhere: whether it draws other numbers than zeros.
bool Draws(std::mt19937 random);

class GameRunner : private ModeDriver {
 public:
  // Starts in ale-py's state after loading the ROM, which includes one reset.
  GameRunner(std::shared_ptr<const GameRom> rom, const RunnerOptions& options, std::uint32_t seed);

  // A copy continues exactly as the original would, including the picture.
  GameRunner(const GameRunner&) = default;
  GameRunner& operator=(const GameRunner&) = default;

  // Seeds the generator of sticky actions, without other effects.
  void SeedActions(std::uint32_t seed) { state_.random.seed(seed); }

  // Starts a new episode, in the mode that was set last.
  void Reset();
  // Takes the action for frame_skip frames, or until over(). Returns the sum of their rewards,
  // clipped. An action outside game().legal counts as no action. `strength` in [0, 1] is for
  // paddles.
  std::int32_t Act(Action action, float strength = 1.0f);

  // Whether the game is over.
  bool terminal() const { return state_.progress.terminal; }
  // Whether the frame limit or a lost life (RunnerOptions) has cut the episode short.
  bool truncated() const;
  bool over() const { return terminal() || truncated(); }
  int lives() const { return game().lives(state_.progress); }

  // Sets whether the following frames are observed. A frame that is not observed needs no picture:
  // the console's picture is then undefined until a frame is observed again.
  void DrawFrames(bool draw) { console_.DrawFrames(draw); }
  // Draws the latest frame if it has not been drawn.
  void DrawLatestFrame() { console_.DrawLatestFrame(); }

  // Sets the mode, which applies from the next reset on. Throws Error{kOption} if the mode is not
  // in game().modes.
  void set_mode(int mode);
  // Sets the difficulty, which applies from the next frame on. Throws Error{kOption} if the
  // difficulty is not in game().difficulties.
  void set_difficulty(int difficulty);
  int mode() const { return state_.mode; }
  int difficulty() const { return state_.difficulty; }

  const Game& game() const { return rom_->game(); }
  const GameRom& rom() const { return *rom_; }
  const atari2600::Console& console() const { return console_; }
  const std::uint8_t* ram_bytes() const { return console_.ram(); }
  // Runs one instruction, without an action, for inspecting a program. Returns whether the frame
  // ends with it.
  bool StepInstruction() { return console_.StepInstruction(); }
  void set_ram(int address, std::uint8_t value) { console_.set_ram(address, value); }
  std::int64_t frame_number() const { return state_.frame_number; }
  std::int64_t episode_frame_number() const { return state_.episode_frame_number; }

  RunnerState state() const;
  // Restores a state of any runner of the same game. The picture is valid after the next frame.
  void Restore(const RunnerState& state);
  // Writes and reads the complete state, including the picture.
  void Save(StateWriter& writer) const;
  void Load(StateReader& reader);
  // Like Restore, but keeps the parts of the current state that ale-py's restoreState keeps: the
  // held action; without `with_random`, the generator of sticky actions; whether a frame is in
  // progress, and its position in the picture; the TIA's shapes until they are computed again; and
  // everything that Game::keep copies.
  void RestoreLikeAle(const RunnerState& state, bool with_random);

 private:
  // Scores and lives of all games are smaller, and sums of some of them do not overflow.
  static constexpr std::int64_t kGreatest = 1 << 28;

  RamView ram() const override;
  void PressSelect(int frames) override;
  void SoftReset() override { HoldReset(kResetFrames); }
  void Play(Action action) override { Act(action); }
  std::uint32_t Random() override { return static_cast<std::uint32_t>(state_.random()); }

  static constexpr int kResetFrames = 4;
  static constexpr int kNoopFrames = 60;

  // Throws Error{kState} unless the members other than the console are those of a runner.
  void Check(const RunnerState& state) const;
  void SelectMode();
  void HoldReset(int frames);
  // Runs frames with the action, and applies the game's rules to each.
  void Emulate(Action action, float strength, const Switches& switches, int frames = 1);
  void RunFrame();
  bool Sticks();

  std::shared_ptr<const GameRom> rom_;
  RunnerOptions options_;
  bool paddles_;
  int first_lives_;
  atari2600::Console console_;
  RunnerState state_;  // its console member is used in snapshots only
};

}  // namespace engine::atari

#endif  // ENGINE_ENVS_ATARI_GAME_RUNNER_H_
