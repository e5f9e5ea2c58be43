// Venture (Coleco, 1982). The game ends when the last life is lost.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::venture {
namespace {

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.lives = 4;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(100 * ram.Bcd(0xC8, 0xC7));
  const int spare_lives = ram[0xC6];
  const int sound = ram[0xCD];
  const bool dying = (ram[0xBF] & 0x80) != 0;
  progress.terminal = spare_lives == 0 && sound == 0xFF && dying;
  progress.lives = (spare_lives & 0x07) + 1;
}

}  // namespace

extern constinit const Game kVenture{
    .id = "venture",
    .rom_md5 = "3e899eba0ca8cd2972da1ae5479b4f0d",
    .hardware = {.mapper = Mapper::k4K},
    .difficulties = kRange<4>,
    .begin = Begin,
    .observe = Observe,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::venture
