// Plays one game on one console by the rules of the Arcade Learning
// Environment: reset sequence, sticky actions, frame limits, rewards and lives.
// With equal seeds and actions it gives what ale-py 0.12.1 gives, frame by
// frame. Used by one thread at a time.
#ifndef ENGINE_ENVS_ATARI_GAME_RUNNER_H_
#define ENGINE_ENVS_ATARI_GAME_RUNNER_H_

#include <cstdint>
#include <limits>
#include <memory>
#include <random>

#include "engine/envs/atari/console/console.h"
#include "engine/envs/atari/controls.h"
#include "engine/envs/atari/game_rom.h"
#include "engine/envs/atari/games/game.h"

namespace engine::atari {

struct RunnerOptions {
  int frame_skip = 1;                       // frames an action is held, at least 1
  float repeat_action_probability = 0.25f;  // that a frame takes the previous action instead
  int max_num_frames_per_episode = 0;       // 0: no limit
  bool truncate_on_loss_of_life = false;
  std::int32_t reward_min = std::numeric_limits<std::int32_t>::min();  // an act's reward is
  std::int32_t reward_max = std::numeric_limits<std::int32_t>::max();  // clipped to these
};

// All that a snapshot has to hold, the picture apart. Trivially copyable.
struct RunnerState {
  ConsoleState console;
  Progress progress;
  Paddles paddles;
  Action held = Action::kNoop;  // the action that a sticky frame repeats ...
  float held_strength = 1.0f;   // ... and how far a paddle turns with it
  int mode = 0;
  int difficulty = 0;
  std::int64_t frame_number = 0;          // since the runner was made
  std::int64_t episode_frame_number = 0;  // since the latest reset
  std::mt19937 random;                    // of sticky actions
  std::mt19937 system_random;             // of what chance decides in the console
};

class GameRunner : private ModeDriver {
 public:
  // Begins as ale-py does when it has loaded the ROM, one reset included.
  GameRunner(std::shared_ptr<const GameRom> rom, const RunnerOptions& options, std::uint32_t seed);

  // A copy goes on exactly as the original would, its picture included.
  GameRunner(const GameRunner&) = default;
  GameRunner& operator=(const GameRunner&) = default;

  // Seeds the generator of sticky actions, and does nothing else.
  void SeedActions(std::uint32_t seed) { state_.random.seed(seed); }

  // A new episode, in the mode last set.
  void Reset();
  // Takes the action for frame_skip frames, none of them after the end; gives the sum of their
  // rewards, clipped. Illegal actions count as none. `strength` in [0, 1] is for paddles.
  std::int32_t Act(Action action, float strength = 1.0f);

  // The game is over; the episode was cut short; either.
  bool terminal() const { return state_.progress.terminal; }
  bool truncated() const;
  bool over() const { return terminal() || truncated(); }
  int lives() const { return game().lives(state_.progress); }

  // Whether the frames to come are looked at: those of a frame skip that nobody sees need no
  // picture. What the console shows is defined once a frame has been looked at again.
  void DrawFrames(bool draw) { console_.DrawFrames(draw); }
  // Draws the latest frame if it has not been drawn.
  void DrawLatestFrame() { console_.DrawLatestFrame(); }

  // One of game().modes; holds from the next reset on.
  void set_mode(int mode);
  // One of game().difficulties; holds from the next frame on.
  void set_difficulty(int difficulty);
  int mode() const { return state_.mode; }
  int difficulty() const { return state_.difficulty; }

  const Game& game() const { return rom_->game(); }
  const GameRom& rom() const { return *rom_; }
  const Console& console() const { return console_; }
  const std::uint8_t* ram_bytes() const { return console_.ram(); }
  // One instruction, the action apart: for looking at what a program does.
  bool StepInstruction() { return console_.StepInstruction(); }
  void set_ram(int address, std::uint8_t value) { console_.set_ram(address, value); }
  std::int64_t frame_number() const { return state_.frame_number; }
  std::int64_t episode_frame_number() const { return state_.episode_frame_number; }

  RunnerState state() const;
  // Goes on where the state was taken, on any runner of the same game; the picture follows with
  // the next frame.
  void Restore(const RunnerState& state);
  // The same, but leaves alone what ale-py's restoreState leaves alone: the action that is held;
  // without `with_random`, the generator of sticky actions; whether a frame is under way, and where
  // in the picture; the TIA's shapes until they are made anew; what Game::keep names.
  void RestoreLikeAle(const RunnerState& state, bool with_random);

 private:
  RamView ram() const override;
  void PressSelect(int frames) override;
  void SoftReset() override { HoldReset(kResetFrames); }
  void Play(Action action) override { Act(action); }
  std::uint32_t Random() override { return static_cast<std::uint32_t>(state_.random()); }

  static constexpr int kResetFrames = 4;
  static constexpr int kNoopFrames = 60;

  void SelectMode();
  void HoldReset(int frames);
  // Frames with the action, each seen by the game's rules.
  void Emulate(Action action, float strength, const Switches& switches, int frames = 1);
  void RunFrame();
  bool Sticks();

  std::shared_ptr<const GameRom> rom_;
  RunnerOptions options_;
  bool paddles_;
  int first_lives_;
  Console console_;
  RunnerState state_;  // its console member is in use in snapshots only
};

}  // namespace engine::atari

#endif  // ENGINE_ENVS_ATARI_GAME_RUNNER_H_
