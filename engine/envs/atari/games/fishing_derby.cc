// Fishing Derby (Activision, 1980). The score is the player's lead in pounds of fish. The game ends
// when one side has 99 pounds.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::fishing_derby {
namespace {

constexpr int kFull = 0x99;  // 99 in BCD

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
}

void Observe(RamView ram, Progress& progress) {
  constexpr int kOurs = 0xBD;
  constexpr int kTheirs = 0xBE;
  progress.Score(ram.Bcd(kOurs) - ram.Bcd(kTheirs));
  progress.terminal = ram[kOurs] == kFull || ram[kTheirs] == kFull;
}

}  // namespace

extern constinit const Game kFishingDerby{
    .id = "fishing_derby",
    .rom_md5 = "b8865f05676e64f3bec72b9defdacfa7",
    .hardware = {.mapper = Mapper::k2K},
    .difficulties = kRange<4>,
    .begin = Begin,
    .observe = Observe,
    .lives = NoLives,
};

}  // namespace engine::atari::fishing_derby
