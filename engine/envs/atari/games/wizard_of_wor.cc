// Wizard of Wor (CBS Electronics, 1982). The game ends when the last worrior is lost.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::wizard_of_wor {
namespace {

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.lives = 3;
}

void Observe(RamView ram, Progress& progress) {
  int hundreds = ram.Bcd(0x86, 0x88);
  if (hundreds >= 8000) hundreds -= 8000;  // the top bit is not part of the three displayed digits
  progress.Score(100 * hundreds);
  const int lives = ram[0x8D] & 0x0F;
  progress.terminal = lives == 0 && ram[0xF4] == 0xF8;
  // The count of lives excludes the worrior in the maze, so it is read while the worrior waits
  // outside.
  const bool waiting = (ram[0xD7] & 1) == 0;
  if (waiting) progress.lives = lives;
}

}  // namespace

extern constinit const Game kWizardOfWor{
    .id = "wizard_of_wor",
    .rom_md5 = "7e8aa18bc9502eb57daaf5e7c1e94da7",
    .hardware = {.mapper = Mapper::k4K, .swap_ports = true},
    .minimal = {Action::kNoop, Action::kFire, Action::kUp, Action::kRight, Action::kLeft,
                Action::kDown, Action::kUpFire, Action::kRightFire, Action::kLeftFire,
                Action::kDownFire},
    .difficulties = kRange<2>,
    .begin = Begin,
    .observe = Observe,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::wizard_of_wor
