// Krull (Atari, 1983). The game ends on the closing screen after the last life.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::krull {
namespace {

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.lives = 3;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(ram.Bcd(0x9E, 0x9D, 0x9C));
  const int spare = ram[0x9F];
  const bool closing_screen = ram[0xA2] == 0x03 && ram[0x80] == 0x80;
  progress.terminal = spare == 0 && closing_screen;
  progress.lives = (spare & 7) + 1;
}

}  // namespace

extern constinit const Game kKrull{
    .id = "krull",
    .rom_md5 = "4baada22435320d185c95b7dd2bcdb24",
    .hardware = {.mapper = Mapper::kF8},
    .begin = Begin,
    .observe = Observe,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::krull
