// Frostbite (Activision, 1983). The player controls Bailey. The game ends when the last life is
// lost.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::frostbite {
namespace {

constexpr ModeCounter kCounter{.address = 0x80, .frames = 1};

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.lives = 4;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(ram.Bcd(0xCA, 0xC9, 0xC8));
  const int reserve = ram[0xCC] & 0x0F;
  const bool dying = (ram[0xF1] & 0x80) != 0;
  progress.terminal = reserve == 0 && dying;
  progress.lives = reserve + 1;
}

}  // namespace

extern constinit const Game kFrostbite{
    .id = "frostbite",
    .rom_md5 = "4ca73eb959299471788f0b685c3ba0b5",
    .hardware = {.mapper = Mapper::k4K},
    .modes = kRange<2, 2>,
    .counter = &kCounter,
    .begin = Begin,
    .observe = Observe,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::frostbite
