// See the header.
#include "engine/envs/atari/game_runner.h"

#include <algorithm>
#include <string>

#include "engine/base/copied_bool.h"
#include "engine/base/error.h"
#include "engine/env/state.h"

namespace engine::atari {
namespace {

template <typename Values>
void CheckListed(const char* field, int value, const Values& listed, std::string_view game) {
  if (std::find(listed.begin(), listed.end(), value) != listed.end()) return;
  std::string message = std::string(field) + ": " + std::string(game) + " has ";
  for (std::size_t i = 0; i < listed.size(); ++i) {
    message += (i == 0 ? "" : ", ") + std::to_string(listed[i]);
  }
  throw Error(ErrorKind::kOption, message + ", got " + std::to_string(value));
}

}  // namespace

bool Draws(std::mt19937 random) {
  for (std::size_t draw = 0; draw < 2 * std::mt19937::state_size; ++draw) {
    if (random() != 0) return true;
  }
  return false;
}

GameRunner::GameRunner(std::shared_ptr<const GameRom> rom, const RunnerOptions& options,
                       std::uint32_t seed)
    : rom_(std::move(rom)),
      options_(options),
      paddles_(UsesPaddles(rom_->game().hardware)),
      console_(rom_->cartridge(), rom_->state()) {
  state_.mode = game().modes.front();
  state_.paddles = CenteredPaddles(game().hardware);
  state_.system_random = rom_->random();
  state_.random.seed(seed);
  game().begin(state_.progress);
  first_lives_ = lives();
  Reset();
}

void GameRunner::Reset() {
  state_.episode_frame_number = 0;
  state_.paddles = CenteredPaddles(game().hardware);
  console_.Reset(state_.system_random);
  Emulate(Action::kNoop, 1.0f, {}, kNoopFrames);
  HoldReset(kResetFrames);
  game().begin(state_.progress);
  SelectMode();
  HoldReset(game().reset_frames);
  for (const Action action : game().start) Emulate(action, 1.0f, {});
}

void GameRunner::SelectMode() {
  if (game().select != nullptr) {
    game().select(state_.mode, *this, state_.progress);
  } else if (const ModeCounter* counter = game().counter; counter != nullptr) {
    SelectUntil(counter->offset + counter->scale * state_.mode, counter->frames,
                [counter](RamView ram) { return ram[counter->address] & counter->mask; });
    HoldReset(kResetFrames);
  }
}

bool GameRunner::Sticks() {
  const double draw = static_cast<double>(state_.random()) / 4294967296.0;
  return draw < static_cast<double>(options_.repeat_action_probability);
}

std::int32_t GameRunner::Act(Action action, float strength) {
  std::int64_t sum = 0;
  for (int frame = 0; frame < options_.frame_skip; ++frame) {
    if (!Sticks()) {
      state_.held = action;
      state_.held_strength = strength;
    }
    Sticks();  // ale-py draws a number for the second player too
    if (over()) continue;
    const bool legal = game().legal.Contains(state_.held);
    Emulate(legal ? state_.held : Action::kNoop, state_.held_strength, {});
    ++state_.frame_number;
    ++state_.episode_frame_number;
    sum += state_.progress.reward;
  }
  return static_cast<std::int32_t>(
      std::clamp<std::int64_t>(sum, options_.reward_min, options_.reward_max));
}

bool GameRunner::truncated() const {
  if (options_.max_num_frames_per_episode > 0 &&
      state_.episode_frame_number >= options_.max_num_frames_per_episode) {
    return true;
  }
  return options_.truncate_on_loss_of_life && lives() < first_lives_;
}

void GameRunner::set_mode(int mode) {
  CheckListed("mode", mode, game().modes, game().id);
  state_.mode = mode;
}

void GameRunner::set_difficulty(int difficulty) {
  CheckListed("difficulty", difficulty, game().difficulties, game().id);
  state_.difficulty = difficulty;
}

RamView GameRunner::ram() const { return RamView(console_.ram(), console_.cartridge_ram()); }

void GameRunner::HoldReset(int frames) {
  Emulate(Action::kNoop, 1.0f, {.reset = true}, frames);
  state_.held = Action::kNoop;
}

void GameRunner::PressSelect(int frames) {
  Switches switches{.select = true, .difficulty = state_.difficulty};
  console_.inputs() = InputsFor(game().hardware, Action::kNoop, switches, state_.paddles);
  for (int frame = 0; frame < frames; ++frame) RunFrame();
  Emulate(Action::kNoop, 1.0f, {});
  ++state_.frame_number;
  ++state_.episode_frame_number;
}

void GameRunner::Emulate(Action action, float strength, const Switches& pressed, int frames) {
  Switches switches = pressed;
  switches.difficulty = state_.difficulty;
  for (int frame = 0; frame < frames; ++frame) {
    if (paddles_) TurnPaddle(game().hardware, action, strength, state_.paddles);
    if (paddles_ || frame == 0) {
      console_.inputs() = InputsFor(game().hardware, action, switches, state_.paddles);
    }
    RunFrame();
    game().observe(ram(), state_.progress);
  }
}

void GameRunner::RunFrame() {
  console_.RunFrame();
  if (console_.jammed()) [[unlikely]] {
    throw Error(
        ErrorKind::kInternal,
        "the processor halted at an opcode that this game's program does not contain: its state is "
        "not reachable by playing");
  }
}

RunnerState GameRunner::state() const {
  RunnerState state = state_;
  state.console = console_.state();
  return state;
}

void GameRunner::Restore(const RunnerState& state) {
  state_ = state;
  console_.Restore(state.console);
}

void GameRunner::Save(StateWriter& writer) const {
  writer.Put(state());
  atari2600::Picture picture = console_.picture();
  writer.PutAll(picture.front());
  writer.PutAll(picture.back());
}

void GameRunner::Load(StateReader& reader) {
  const auto state = reader.Get<RunnerState>();
  ExpectState(console_.CanRestore(state.console), "a console");
  Check(state);
  atari2600::Picture picture(console_.lines());
  reader.GetAll(picture.front());
  reader.GetAll(picture.back());
  state_ = state;
  console_.Restore(state.console, picture);
}

void GameRunner::Check(const RunnerState& state) const {
  const auto is_listed = [](int value, const auto& listed) {
    return std::ranges::find(listed, value) != listed.end();
  };
  const auto is_small = [](std::int64_t value) {
    return -kGreatest <= value && value <= kGreatest;
  };
  const auto is_count = [](std::int64_t value) {
    return 0 <= value && value <= std::int64_t{1} << 62;
  };
  const Progress& progress = state.progress;
  ExpectState(AreBools(progress.terminal, progress.started) && is_small(progress.score) &&
                  is_small(progress.reward) && is_small(progress.lives) &&
                  std::ranges::all_of(progress.memory, is_small),
              "a score or a number of lives");
  ExpectState(is_listed(state.mode, game().modes), "a mode");
  ExpectState(0 <= state.difficulty && state.difficulty <= 3, "a difficulty");
  ExpectState(static_cast<int>(state.held) < kNumActions && 0.0f <= state.held_strength &&
                  state.held_strength <= 1.0f &&
                  std::ranges::all_of(state.paddles.position, is_small),
              "an action");
  ExpectState(is_count(state.frame_number) && is_count(state.episode_frame_number),
              "a number of frames");
  ExpectState(Draws(state.random) && Draws(state.system_random), "a random generator");
}

void GameRunner::RestoreLikeAle(const RunnerState& state, bool with_random) {
  const atari2600::ConsoleState& now = console_.state();
  RunnerState restored = state;
  restored.held = state_.held;
  restored.held_strength = state_.held_strength;
  if (!with_random) restored.random = state_.random;
  if (game().keep != nullptr) game().keep(state_.progress, restored.progress);
  restored.console.in_frame = now.in_frame;
  restored.console.greyed = now.greyed;
  restored.console.tia.KeepUnsaved(now.tia, now.in_frame);
  Restore(restored);
}

}  // namespace engine::atari
