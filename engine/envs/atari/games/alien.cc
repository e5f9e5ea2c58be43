// Alien (20th Century Fox, 1982). The game ends when the last human is lost.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::alien {
namespace {

int Lives(RamView ram) { return ram[0xC0] & 0x0F; }

void Select(int mode, ModeDriver& driver, Progress& progress) {
  driver.SelectUntil(mode, 1, [](RamView ram) { return ram[0x81]; });
  progress.lives = Lives(driver.ram());  // the number at the start depends on the variant
  driver.SoftReset();
}

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.lives = 3;
}

// A digit is stored as its offset in the font, which has eight bytes per digit. A leading zero is a
// blank.
int Digit(int byte) { return byte == 0x80 ? 0 : byte >> 3; }

void Observe(RamView ram, Progress& progress) {
  int score = 0;
  for (const int address : {0x83, 0x85, 0x87, 0x89, 0x8B}) {
    score = 10 * score + Digit(ram[address]);
  }
  progress.Score(10 * score);
  progress.lives = Lives(ram);
  progress.terminal = progress.lives == 0;
}

}  // namespace

extern constinit const Game kAlien{
    .id = "alien",
    .rom_md5 = "f1a0a23e6464d954e3a9579c4ccd01c8",
    .hardware = {.mapper = Mapper::k4K},
    .modes = kRange<4>,
    .difficulties = kRange<4>,
    .select = Select,
    .begin = Begin,
    .observe = Observe,
    .lives = LivesKept,
};

}  // namespace engine::atari::alien
