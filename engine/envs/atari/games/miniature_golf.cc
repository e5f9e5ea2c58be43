// Miniature Golf (Atari, 1979). The player plays nine holes. The reward for a hole is its par less
// the strokes taken. The game ends after the ninth hole.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::miniature_golf {
namespace {

// Indices in Progress::memory. Progress::score is the number of strokes on all holes, as last
// displayed.
constexpr std::size_t kHole = 0;
constexpr std::size_t kPar = 1;
// The number to add to the displayed strokes to get the strokes on this hole: minus the number
// displayed at the hole's beginning, plus the number displayed before the two digits overflowed.
constexpr std::size_t kCarried = 2;

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.memory = {};
}

void Observe(RamView ram, Progress& progress) {
  auto& memory = progress.memory;
  progress.reward = 0;
  const int left = ram.Bcd(0x87);
  const int right = ram.Bcd(0x88);
  const int hole = ram.Bcd(0xAF);
  if (hole != memory[kHole]) {
    const int strokes = progress.score + memory[kCarried];
    if (strokes > 0) progress.reward = memory[kPar] - strokes;
    if (hole == 0) progress.terminal = true;  // after the ninth hole; stays set
    memory[kHole] = hole;
    memory[kCarried] = -progress.score;
  }
  if (right != 0) {
    memory[kPar] = right;  // before a hole, the display shows its number and its par
    return;
  }
  if (left < progress.score) memory[kCarried] += progress.score;
  progress.score = left;
}

}  // namespace

extern constinit const Game kMiniatureGolf{
    .id = "miniature_golf",
    .rom_md5 = "df62a658496ac98a3aa4a6ee5719c251",
    .hardware = {.mapper = Mapper::k2K},
    .difficulties = kRange<2>,
    .begin = Begin,
    .observe = Observe,
    .lives = OneUntilEnd,
};

}  // namespace engine::atari::miniature_golf
