// Montezuma's Revenge (Parker Brothers, 1984). The game ends on the closing screen after the last
// life.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::montezuma_revenge {
namespace {

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.lives = 6;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(ram.Bcd(0x95, 0x94, 0x93));
  const int spare = ram[0xBA];
  progress.terminal = spare == 0 && ram[0xFE] == 0x60;
  progress.lives = (spare & 7) + 1;
}

}  // namespace

extern constinit const Game kMontezumaRevenge{
    .id = "montezuma_revenge",
    .rom_md5 = "3347a6dd59049b15a38394aa2dafa585",
    .hardware = {.mapper = Mapper::kE0},
    .begin = Begin,
    .observe = Observe,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::montezuma_revenge
