// Centipede (Atari, 1982). The game ends when the last shooter is lost.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::centipede {
namespace {

constexpr ModeCounter kCounter{.address = 0xA7, .frames = 2};
// The numbers of the variants in memory: the standard game and the easy one.
constexpr std::array<std::uint16_t, 2> kModes{0x16, 0x56};
constexpr int kGameOver = 0x40;

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.lives = 3;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(ram.Bcd(0xF6, 0xF5, 0xF4));
  // The score may be cleared before the end of the game is detected; this is not a loss of points.
  if (progress.reward < 0) progress.reward = 0;
  progress.lives = ((ram[0xED] >> 4) & 7) + 1;  // memory has the lives in reserve
  progress.terminal = (ram[0xA6] & kGameOver) != 0;
}

}  // namespace

extern constinit const Game kCentipede{
    .id = "centipede",
    .rom_md5 = "91c2098e88a6b13f977af8c003e0bca5",
    .hardware = {.mapper = Mapper::kF8},
    .modes = kModes,
    .counter = &kCounter,
    .begin = Begin,
    .observe = Observe,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::centipede
