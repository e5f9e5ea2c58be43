// Pooyan (Konami, 1982). The game ends when the last life is lost and play has stopped.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::pooyan {
namespace {

constexpr int kGameOver = 5;

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.lives = 3;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(ram.Bcd(0x8A, 0x89, 0x88));
  const int spare = ram[0x96];
  progress.terminal = spare == 0 && ram[0x98] == kGameOver;
  progress.lives = (spare & 7) + 1;
}

// The variant's number is in memory only after select has been pressed.
void Select(int mode, ModeDriver& driver, Progress&) {
  driver.PressSelect(2);
  driver.SelectUntil(mode, 2, [](RamView ram) { return ram[0xBD]; });
  driver.SoftReset();
}

}  // namespace

extern constinit const Game kPooyan{
    .id = "pooyan",
    .rom_md5 = "4799a40b6e889370b7ee55c17ba65141",
    .hardware = {.mapper = Mapper::k4K, .first_line = 26, .lines = 220},
    .minimal = {Action::kNoop, Action::kFire, Action::kUp, Action::kDown, Action::kUpFire,
                Action::kDownFire},
    .modes = kRange<4, 20, 10>,  // the numbers of the variants in memory
    .select = Select,
    .begin = Begin,
    .observe = Observe,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::pooyan
