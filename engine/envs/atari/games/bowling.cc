// Bowling (Atari, 1979). The game ends after ten frames of bowling.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::bowling {
namespace {

constexpr ModeCounter kCounter{.address = 0x82, .frames = 2};

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(ram.Bcd(0xA1, 0xA6));
  progress.terminal = ram[0xA4] > 0x10;  // number of the bowling frame, in BCD
}

}  // namespace

extern constinit const Game kBowling{
    .id = "bowling",
    .rom_md5 = "c9b7afad3bfd922e006a6bfc1d4f3fe7",
    .hardware = {.mapper = Mapper::k2K},
    .minimal = {Action::kNoop, Action::kFire, Action::kUp, Action::kDown, Action::kUpFire,
                Action::kDownFire},
    .modes = kRange<3, 2>,  // the modes between are for two players
    .difficulties = kRange<2>,
    .counter = &kCounter,
    .begin = Begin,
    .observe = Observe,
    .lives = NoLives,
};

}  // namespace engine::atari::bowling
