// Stargunner (Telesys, 1982). The game ends when the last ship is lost.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::star_gunner {
namespace {

constexpr ModeCounter kCounter{.address = 0xF4, .frames = 15};
constexpr int kShips = 5;

// A digit of the score. A leading zero is stored as 10, which is not shown.
int Digit(int byte) {
  const int digit = byte & 0x0F;
  return digit == 10 ? 0 : digit;
}

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.lives = kShips;
  progress.started = false;
}

void Observe(RamView ram, Progress& progress) {
  int score = 0;
  for (int address = 0x86; address >= 0x83; --address) score = 10 * score + Digit(ram[address]);
  progress.Score(100 * score);
  const int ships = ram[0x87];
  progress.terminal = ships == 0;
  // Until the game begins, the byte is one more than the number of ships.
  if (ships == kShips) progress.started = true;
  progress.lives = progress.started ? ships & 0x0F : kShips;
}

}  // namespace

extern constinit const Game kStarGunner{
    .id = "star_gunner",
    .rom_md5 = "a3c1c70024d7aabb41381adbfb6d3b25",
    .hardware = {.mapper = Mapper::k4K},
    .modes = kRange<4>,
    .counter = &kCounter,
    .begin = Begin,
    .observe = Observe,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::star_gunner
