// Bank Heist (20th Century Fox, 1983). The game ends in the last frame of the last car's death.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::bank_heist {
namespace {

constexpr ModeCounter kCounter{.address = 0x80};

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.lives = 5;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(ram.Bcd(0xDA, 0xD9, 0xD8));
  progress.lives = ram[0xD5];   // cars in reserve: 0 while the last car drives
  const int dying = ram[0xCE];  // frames left
  progress.terminal = dying == 1 && progress.lives == 0;
}

}  // namespace

extern constinit const Game kBankHeist{
    .id = "bank_heist",
    .rom_md5 = "00ce0bdd43aed84a983bef38fe7f5ee3",
    .hardware = {.mapper = Mapper::k4K},
    .modes = kRange<8, 4>,
    .difficulties = kRange<4>,
    .counter = &kCounter,
    .begin = Begin,
    .observe = Observe,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::bank_heist
