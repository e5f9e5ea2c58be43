// James Bond 007 (Parker Brothers, 1984). The game ends on the closing screen after the last life.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::jamesbond {
namespace {

constexpr int kScreen = 0x8C;
constexpr int kEndScreen = 0x68;

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.lives = 6;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(ram.Bcd(0xDC, 0xDD, 0xDE));
  const int spare = ram[0x86] & 0x0F;
  progress.terminal = spare == 0 && ram[kScreen] == kEndScreen;
  progress.lives = spare + 1;
}

// The screen's byte is the variant's number. On the welcome screen, kWelcome is added to it.
void Select(int mode, ModeDriver& driver, Progress&) {
  constexpr int kWelcome = 0x48;
  driver.SelectUntil(mode, 20, [](RamView ram) {
    const int screen = ram[kScreen];
    return screen < kWelcome ? screen : screen - kWelcome;
  });
  driver.SoftReset();
}

}  // namespace

extern constinit const Game kJamesbond{
    .id = "jamesbond",
    .rom_md5 = "e51030251e440cffaab1ac63438b44ae",
    .hardware = {.mapper = Mapper::kE0},
    .modes = kRange<2>,
    .select = Select,
    .begin = Begin,
    .observe = Observe,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::jamesbond
