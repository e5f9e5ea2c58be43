// Yars' Revenge (Atari, 1981). The game ends when the last Yar is lost.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::yars_revenge {
namespace {

constexpr Action kStart[] = {Action::kFire};

void Select(int mode, ModeDriver& driver, Progress&) {
  driver.PressSelect(2);  // opens the menu
  driver.SelectUntil(mode, 1, [](RamView ram) { return ram[0xE3]; });
  driver.SoftReset();
}

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.lives = 4;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(ram.Bcd(0xE2, 0xE1, 0xE0));
  progress.lives = ram[0x9E] >> 4;
  progress.terminal = progress.lives == 0;
}

}  // namespace

extern constinit const Game kYarsRevenge{
    .id = "yars_revenge",
    .rom_md5 = "c5930d0e8cdae3e037349bfa08e871be",
    .hardware = {.mapper = Mapper::k4K},
    .start = kStart,
    .modes = kRange<4, 0x20>,
    .difficulties = kRange<2>,
    .select = Select,
    .begin = Begin,
    .observe = Observe,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::yars_revenge
