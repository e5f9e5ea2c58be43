// Defender (Atari, 1981). The game ends when the last ship is lost.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::defender {
namespace {

constexpr ModeCounter kCounter{.address = 0x9B, .frames = 2};
constexpr std::array<std::uint16_t, 10> kModes{1, 2, 3, 4, 5, 6, 7, 8, 9, 16};  // 16: easy

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.lives = 3;
}

void Observe(RamView ram, Progress& progress) {
  constexpr int kBlank = 0x0A;  // a leading zero, which is not drawn
  int score = 0;
  for (int address = 0xA1; address >= 0x9C; --address) {
    const int digit = ram[address] & 0x0F;
    score = 10 * score + (digit == kBlank ? 0 : digit);
  }
  progress.Score(score);
  progress.lives = ram[0xC2];
  progress.terminal = progress.lives == 0;
}

}  // namespace

extern constinit const Game kDefender{
    .id = "defender",
    .rom_md5 = "0f643c34e40e3f1daafd9c524d3ffe64",
    .hardware = {.mapper = Mapper::k4K},
    .modes = kModes,
    .difficulties = kRange<2>,
    .counter = &kCounter,
    .begin = Begin,
    .observe = Observe,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::defender
