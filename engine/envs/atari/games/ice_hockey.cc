// Ice Hockey (Activision, 1981). The score is the player's lead in goals. The game ends when the
// clock reaches zero.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::ice_hockey {
namespace {

constexpr ModeCounter kCounter{.address = 0x80, .frames = 2};

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(ram.Bcd(0x8A) - ram.Bcd(0x8B));  // our goals less theirs
  // An increase counts as at most one goal per frame; a decrease counts in full.
  if (progress.reward > 1) progress.reward = 1;
  const int minutes = ram[0x87];
  const int seconds = ram[0x86];
  progress.terminal = minutes == 0 && seconds == 0;
}

}  // namespace

extern constinit const Game kIceHockey{
    .id = "ice_hockey",
    .rom_md5 = "a4c08c4994eb9d24fb78be1793e82e26",
    .hardware = {.mapper = Mapper::k4K},
    .modes = kRange<2, 2>,  // mode 1 is for two players
    .difficulties = kRange<4>,
    .counter = &kCounter,
    .begin = Begin,
    .observe = Observe,
    .lives = NoLives,
};

}  // namespace engine::atari::ice_hockey
