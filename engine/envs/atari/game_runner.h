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
  int frame_skip = 1;                       // frames an action is held, at least 1
  float repeat_action_probability = 0.25f;  // probability that a frame repeats the previous action
  int max_num_frames_per_episode = 0;       // 0: no limit
  bool truncate_on_loss_of_life = false;
  std::int32_t reward_min = std::numeric_limits<std::int32_t>::min();  // an act's reward is
  std::int32_t reward_max = std::numeric_limits<std::int32_t>::max();  // clipped to these
};

// The content of a snapshot, without the picture. Trivially copyable.
struct RunnerState {
  atari2600::ConsoleState console;
  Progress progress;
  Paddles paddles;
  Action held = Action::kNoop;  // the action that a sticky frame repeats ...
  float held_strength = 1.0f;   // ... and how far a paddle turns with it
  int mode = 0;
  int difficulty = 0;
  std::int64_t frame_number = 0;          // since the runner was made
  std::int64_t episode_frame_number = 0;  // since the latest reset
  std::mt19937 random;                    // of sticky actions
  std::mt19937 system_random;             // for random content of the console
};

class GameRunner : private ModeDriver {
 public:
  // Starts in ale-py's state after loading the ROM, which includes one reset.
  GameRunner(std::shared_ptr<const GameRom> rom, const RunnerOptions& options, std::uint32_t seed);

  // A copy continues exactly as the original would, including the picture.
  GameRunner(const GameRunner&) = default;
  GameRunner& operator=(const GameRunner&) = default;

  // Seeds the generator of sticky actions, without other effects.
  void SeedActions(std::uint32_t seed) { state_.random.seed(seed); }

  // Starts a new episode, in the latest mode set.
  void Reset();
  // Takes the action for frame_skip frames, or until the game ends; returns the sum of their
  // rewards, clipped. Illegal actions count as none. `strength` in [0, 1] is for paddles.
  std::int32_t Act(Action action, float strength = 1.0f);

  // The game is over; the episode was cut short; either.
  bool terminal() const { return state_.progress.terminal; }
  bool truncated() const;
  bool over() const { return terminal() || truncated(); }
  int lives() const { return game().lives(state_.progress); }

  // Whether the following frames are observed. Frames of a frame skip that are not observed need no
  // picture; the console's picture is undefined until a frame is observed again.
  void DrawFrames(bool draw) { console_.DrawFrames(draw); }
  // Draws the latest frame if it has not been drawn.
  void DrawLatestFrame() { console_.DrawLatestFrame(); }

  // One of game().modes; applies from the next reset on.
  void set_mode(int mode);
  // One of game().difficulties; applies from the next frame on.
  void set_difficulty(int difficulty);
  int mode() const { return state_.mode; }
  int difficulty() const { return state_.difficulty; }

  const Game& game() const { return rom_->game(); }
  const GameRom& rom() const { return *rom_; }
  const atari2600::Console& console() const { return console_; }
  const std::uint8_t* ram_bytes() const { return console_.ram(); }
  // Runs one instruction, without an action; for inspecting a program.
  bool StepInstruction() { return console_.StepInstruction(); }
  void set_ram(int address, std::uint8_t value) { console_.set_ram(address, value); }
  std::int64_t frame_number() const { return state_.frame_number; }
  std::int64_t episode_frame_number() const { return state_.episode_frame_number; }

  RunnerState state() const;
  // Restores a state, on any runner of the same game; the picture is valid after the next frame.
  void Restore(const RunnerState& state);
  // The complete state with the picture, and back.
  void Save(StateWriter& writer) const;
  void Load(StateReader& reader);
  // The same as Restore, but keeps the parts of the present state that ale-py's restoreState keeps:
  // the held action; without `with_random`, the generator of sticky actions; whether a frame is in
  // progress, and its position in the picture; the TIA's shapes until they are computed again; and
  // what Game::keep copies.
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
