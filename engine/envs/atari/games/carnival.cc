// Carnival (Coleco, 1982). The game ends when no bullet is left.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::carnival {
namespace {

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(10 * ram.Bcd(0xAE, 0xAD));
  progress.terminal = ram[0x83] == 0;  // bullets left
}

}  // namespace

extern constinit const Game kCarnival{
    .id = "carnival",
    .rom_md5 = "028024fb8e5e5f18ea586652f9799c96",
    .hardware = {.mapper = Mapper::k4K, .first_line = 26, .lines = 214},
    .minimal = {Action::kNoop, Action::kFire, Action::kRight, Action::kLeft, Action::kRightFire,
                Action::kLeftFire},
    .begin = Begin,
    .observe = Observe,
    .lives = NoLives,
};

}  // namespace engine::atari::carnival
