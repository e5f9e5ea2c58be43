// Flag Capture (Atari, 1978). The player finds flags, each worth one point. The game ends after 75
// seconds. Only the variants for one player are available.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::flag_capture {
namespace {

constexpr ModeCounter kCounter{.address = 0xD6, .frames = 2};

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(ram.Bcd(0xEA));
  progress.terminal = ram[0xEB] == 0;  // seconds left
}

}  // namespace

extern constinit const Game kFlagCapture{
    .id = "flag_capture",
    .rom_md5 = "30512e0e83903fc05541d2f6a6a62654",
    .hardware = {.mapper = Mapper::k2K},
    .modes = kRange<3, 1, 8>,
    .counter = &kCounter,
    .begin = Begin,
    .observe = Observe,
    .lives = OneUntilEnd,
};

}  // namespace engine::atari::flag_capture
