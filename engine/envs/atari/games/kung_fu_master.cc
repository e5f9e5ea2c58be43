// Kung-Fu Master (Activision, 1987). The game ends when the count of lives falls below zero.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::kung_fu_master {
namespace {

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.lives = 4;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(ram.Bcd(0x9A, 0x99, 0x98));
  const int spare = ram[0x9D];
  progress.terminal = spare == 0xFF;
  progress.lives = (spare & 7) + 1;
}

}  // namespace

extern constinit const Game kKungFuMaster{
    .id = "kung_fu_master",
    .rom_md5 = "5b92a93b23523ff16e2789b820e2a4c5",
    .hardware = {.mapper = Mapper::kF8},
    .minimal =
        kAllActions - ActionSet{Action::kFire, Action::kUpFire, Action::kUpRight, Action::kUpLeft},
    .begin = Begin,
    .observe = Observe,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::kung_fu_master
