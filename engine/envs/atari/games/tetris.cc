// Tetris 2600 (Colin Hughes, 1998). The game ends when the pit is full. The number of lives is
// always 0.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::tetris {
namespace {

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
}

void Observe(RamView ram, Progress& progress) {
  const int score = ram.Bcd(0xF1, 0xF2);
  progress.reward = score > progress.score ? score - progress.score : 0;
  progress.terminal = (ram[0xF3] & 0x80) != 0;
  progress.score = progress.terminal ? 0 : score;
}

}  // namespace

extern constinit const Game kTetris{
    .id = "tetris",
    .rom_md5 = "b0e1ee07fbc73493eac5651a52f90f00",
    .hardware = {.mapper = Mapper::k2K},
    .minimal = {Action::kNoop, Action::kFire, Action::kRight, Action::kLeft, Action::kDown},
    .begin = Begin,
    .observe = Observe,
    .lives = NoLives,
};

}  // namespace engine::atari::tetris
