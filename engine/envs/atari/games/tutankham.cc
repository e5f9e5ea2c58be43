// Tutankham (Parker Brothers, 1983). The game ends when the last life is lost.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::tutankham {
namespace {

constexpr ModeCounter kCounter{.address = 0xAB, .frames = 2};

// The value of byte 0x81 before the first game, when the number of lives is also 0.
constexpr int kPoweredOn = 0x84;

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.lives = 3;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(ram.Bcd(0x9C, 0x9A));
  const int lives = ram[0x9E];
  progress.terminal = lives == 0 && ram[0x81] != kPoweredOn;
  progress.lives = lives & 0x03;
}

}  // namespace

extern constinit const Game kTutankham{
    .id = "tutankham",
    .rom_md5 = "085322bae40d904f53bdcc56df0593fc",
    .hardware = {.mapper = Mapper::kE0},
    .minimal = {Action::kNoop, Action::kUp, Action::kRight, Action::kLeft, Action::kDown,
                Action::kUpFire, Action::kRightFire, Action::kLeftFire},
    .modes = kRange<4, 4>,
    .counter = &kCounter,
    .begin = Begin,
    .observe = Observe,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::tutankham
