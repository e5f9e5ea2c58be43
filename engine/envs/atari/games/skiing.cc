// Skiing (Activision, 1980). The reward is minus the time used, in hundredths of a second. The game
// ends with the run.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::skiing {
namespace {

// Down starts the run.
constexpr auto kStart = [] {
  std::array<Action, 16> actions{};
  actions.fill(Action::kDown);
  return actions;
}();

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
}

void Observe(RamView ram, Progress& progress) {
  constexpr int kMinute = 6000;
  const int time = kMinute * ram[0xE8] + ram.Bcd(0xEA, 0xE9);
  progress.reward = progress.score - time;
  progress.score = time;
  progress.terminal = ram[0x91] == 0xFF;
}

}  // namespace

extern constinit const Game kSkiing{
    .id = "skiing",
    .rom_md5 = "b76fbadc8ffb1f83e2ca08b6fb4d6c9f",
    .hardware = {.mapper = Mapper::k2K},
    .minimal = {Action::kNoop, Action::kRight, Action::kLeft},
    .legal = kAllActions - kFiringActions,
    .start = kStart,
    .begin = Begin,
    .observe = Observe,
    .lives = NoLives,
};

}  // namespace engine::atari::skiing
