// Kangaroo (Atari, 1983). The game ends when the count of lives falls below zero.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::kangaroo {
namespace {

constexpr ModeCounter kCounter{.address = 0xBA, .mask = 0x7F, .frames = 2};

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.lives = 3;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(100 * ram.Bcd(0xA8, 0xA7));
  const int spare = ram[0xAD];
  progress.terminal = spare == 0xFF;
  progress.lives = (spare & 7) + 1;
}

}  // namespace

extern constinit const Game kKangaroo{
    .id = "kangaroo",
    .rom_md5 = "4326edb70ff20d0ee5ba58fa5cb09d60",
    .hardware = {.mapper = Mapper::kF8},
    .modes = kRange<2>,
    .counter = &kCounter,
    .begin = Begin,
    .observe = Observe,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::kangaroo
