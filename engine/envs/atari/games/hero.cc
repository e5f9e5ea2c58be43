// H.E.R.O. (Activision, 1984). The game ends when the last life is lost. The variants differ in the
// first level.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::hero {
namespace {

constexpr ModeCounter kCounter{.address = 0x80};

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.lives = 4;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(ram.Bcd(0xB9, 0xB8, 0xB7));
  progress.lives = ram[0xB3];
  progress.terminal = progress.lives == 0;
}

}  // namespace

extern constinit const Game kHero{
    .id = "hero",
    .rom_md5 = "fca4a5be1251927027f2c24774a02160",
    .hardware = {.mapper = Mapper::kF8},
    .modes = kRange<5>,
    .counter = &kCounter,
    .begin = Begin,
    .observe = Observe,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::hero
