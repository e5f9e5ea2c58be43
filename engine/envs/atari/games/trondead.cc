// TRON - Deadly Discs (Mattel, 1983). The game ends with the fifth hit on the player.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::trondead {
namespace {

constexpr int kHitsToEnd = 5;

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.lives = kHitsToEnd;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(ram.Bcd(0xBF, 0xBE, 0xBD));
  const int hits = ram[0xC8];
  progress.terminal = hits == kHitsToEnd;
  progress.lives = kHitsToEnd - hits;
}

}  // namespace

extern constinit const Game kTrondead{
    .id = "trondead",
    .rom_md5 = "fb27afe896e7c928089307b32e5642ee",
    .hardware = {.mapper = Mapper::k4K},
    .difficulties = kRange<2>,
    .begin = Begin,
    .observe = Observe,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::trondead
