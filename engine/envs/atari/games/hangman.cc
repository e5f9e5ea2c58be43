// Hangman (Atari, 1978). The player guesses one word. The game ends when either side gets the point
// or the time is up.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::hangman {
namespace {

constexpr ModeCounter kCounter{.address = 0xEE, .frames = 2};
// The index in Progress::memory of the timer one frame ago, which is -1 before the first frame.
constexpr std::size_t kTimer = 0;

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.memory[kTimer] = -1;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(ram.Bcd(0xEB) - ram.Bcd(0xEC));  // the player's words less the console's
  const int timer = ram[0xF1];
  const bool time_is_up = progress.memory[kTimer] == 0xFF && timer == 0;
  progress.memory[kTimer] = timer;
  progress.terminal = progress.reward != 0 || time_is_up;
}

void Keep(const Progress& now, Progress& restored) { restored.memory[kTimer] = now.memory[kTimer]; }

}  // namespace

extern constinit const Game kHangman{
    .id = "hangman",
    .rom_md5 = "f16c709df0a6c52f47ff52b9d95b7d8d",
    .hardware = {.mapper = Mapper::k4K},
    .modes = kRange<4>,
    .difficulties = kRange<2>,
    .counter = &kCounter,
    .begin = Begin,
    .observe = Observe,
    .keep = Keep,
    .lives = OneUntilEnd,
};

}  // namespace engine::atari::hangman
