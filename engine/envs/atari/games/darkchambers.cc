// Dark Chambers (Atari, 1988). The game ends when no health is left, or when the score or the level
// decreases.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::darkchambers {
namespace {

// The game ignores input during the opening animation, which takes about eight seconds.
constexpr std::array<Action, 486> kWait{};

// The index in Progress::memory of the deepest level so far.
constexpr std::size_t kLevel = 0;

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.memory[kLevel] = 0;
}

// Once the game has ended, it stays ended until the next Begin().
void Observe(RamView ram, Progress& progress) {
  progress.reward = 0;
  const int level = ram[0xD5];
  if (level < progress.memory[kLevel]) {
    progress.terminal = true;
    return;
  }
  progress.memory[kLevel] = level;
  const int score = 10 * ram.Bcd(0xCC, 0xCF);
  if (score < progress.score) {  // the score has exceeded the display's digits
    progress.terminal = true;
  } else {
    progress.Score(score);
  }
  const int health = ram[0xCA] & 0x1F;  // the other bits are the carried items
  if (health == 0) progress.terminal = true;
}

}  // namespace

extern constinit const Game kDarkchambers{
    .id = "darkchambers",
    .rom_md5 = "106855474c69d08c8ffa308d47337269",
    .hardware = {.mapper = Mapper::kF6SC, .hmove_blanks = false},
    .start = kWait,
    .begin = Begin,
    .observe = Observe,
    .lives = OneUntilEnd,
};

}  // namespace engine::atari::darkchambers
