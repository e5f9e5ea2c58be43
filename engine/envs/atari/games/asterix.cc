// Asterix (Atari, 1983). The game ends in the last frame of the last life's death.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::asterix {
namespace {

constexpr Action kStart[] = {Action::kFire};

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.lives = 3;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(ram.Bcd(0xE0, 0xDF, 0xDE));
  progress.lives = ram[0xD3] & 0x0F;
  // If the button is held, the next game begins a frame later, so the count of lives is never 0.
  const int dying = ram[0xC7];  // frames left
  progress.terminal = dying == 1 && progress.lives == 1;
}

}  // namespace

extern constinit const Game kAsterix{
    .id = "asterix",
    .rom_md5 = "89a68746eff7f266bbf08de2483abe55",
    .hardware = {.mapper = Mapper::kF8},
    .minimal = ActionSet{Action::kNoop} | kDirections,
    .start = kStart,
    .begin = Begin,
    .observe = Observe,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::asterix
