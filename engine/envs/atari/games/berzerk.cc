// Berzerk (Atari, 1982). The game ends when the last life is lost.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::berzerk {
namespace {

// The numbers of the variants, in BCD as in memory.
constexpr std::array<std::uint16_t, 12> kModes{1, 2, 3, 4, 5, 6, 7, 8, 9, 0x10, 0x11, 0x12};

void Select(int mode, ModeDriver& driver, Progress&) {
  for (int i = 0; i < 20; ++i) driver.Play(Action::kNoop);  // until the game reacts to the switch
  driver.SelectUntil(mode, 2, [](RamView ram) { return ram[0x80]; });
  driver.SoftReset();
}

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.lives = 3;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(ram.Bcd(0xDF, 0xDE, 0xDD));
  const int reserve = ram[0xDA];
  progress.lives = reserve + 1;
  progress.terminal = reserve == 0xFF;
}

}  // namespace

extern constinit const Game kBerzerk{
    .id = "berzerk",
    .rom_md5 = "136f75c4dd02c29283752b7e5799f978",
    .hardware = {.mapper = Mapper::k4K},
    .modes = kModes,
    .select = Select,
    .begin = Begin,
    .observe = Observe,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::berzerk
