// Seaquest (Activision, 1983). The game ends when its game-over flag is set.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::seaquest {
namespace {

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.lives = 4;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(ram.Bcd(0xBA, 0xB9, 0xB8));
  progress.terminal = ram[0xA3] != 0;
  progress.lives = ram[0xBB] + 1;
}

}  // namespace

extern constinit const Game kSeaquest{
    .id = "seaquest",
    .rom_md5 = "240bfbac5163af4df5ae713985386f92",
    .hardware = {.mapper = Mapper::k4K},
    .difficulties = kRange<2>,
    .begin = Begin,
    .observe = Observe,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::seaquest
