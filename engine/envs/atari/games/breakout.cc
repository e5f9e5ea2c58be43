// Breakout (Atari, 1978). The game ends when the fifth ball is lost.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::breakout {
namespace {

constexpr ModeCounter kCounter{.address = 0xB2};
constexpr int kBalls = 5;

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.lives = kBalls;
  progress.started = false;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(ram.Bcd(0xCD) + 100 * (ram[0xCC] & 0x0F));
  progress.lives = ram[0xB9];
  // The number of balls is also 0 before a game begins.
  progress.started = progress.started || progress.lives == kBalls;
  progress.terminal = progress.started && progress.lives == 0;
}

}  // namespace

extern constinit const Game kBreakout{
    .id = "breakout",
    .rom_md5 = "f34f08e5eb96e500e851a80be3277a56",
    .hardware = {.mapper = Mapper::k2K, .left = Controller::kPaddles},
    .minimal = {Action::kNoop, Action::kFire, Action::kRight, Action::kLeft},
    .modes = kRange<12, 4>,  // the modes between are for more players
    .difficulties = kRange<2>,
    .counter = &kCounter,
    .begin = Begin,
    .observe = Observe,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::breakout
