// Road Runner (Atari, 1989). The game ends when the last bird falls or is run over.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::road_runner {
namespace {

// A digit of the score. A leading zero is stored as 10, which is not shown.
int Digit(int byte) {
  const int digit = byte & 0x0F;
  return digit == 10 ? 0 : digit;
}

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.lives = 3;
}

void Observe(RamView ram, Progress& progress) {
  int score = 0;
  for (int address = 0xCC; address >= 0xC9; --address) score = 10 * score + Digit(ram[address]);
  progress.Score(100 * score);
  const int spare = ram[0xC4] & 7;
  // The movement of the dying bird, down and sideways.
  const bool dying = ram[0xB9] != 0 || ram[0xBD] != 0;
  progress.terminal = spare == 0 && dying;
  progress.lives = spare + 1;
}

}  // namespace

extern constinit const Game kRoadRunner{
    .id = "road_runner",
    .rom_md5 = "ce5cc62608be2cd3ed8abd844efb8919",
    .hardware = {.mapper = Mapper::kF6},
    .begin = Begin,
    .observe = Observe,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::road_runner
