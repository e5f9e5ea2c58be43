// Crazy Climber (Atari, 1983). The game ends when the last climber has fallen.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::crazy_climber {
namespace {

constexpr ModeCounter kCounter{.address = 0x80, .frames = 2};

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.lives = 5;
}

void Observe(RamView ram, Progress& progress) {
  // Each byte is one decimal digit. The score in memory is in hundreds of points.
  progress.Score(100 * (ram[0x82] + 10 * ram[0x83] + 100 * ram[0x84] + 1000 * ram[0x85]));
  if (progress.reward < 0) progress.reward = 0;
  progress.lives = ram[0xAA];
  progress.terminal = progress.lives == 0;
}

}  // namespace

extern constinit const Game kCrazyClimber{
    .id = "crazy_climber",
    .rom_md5 = "55ef7b65066428367844342ed59f956c",
    .hardware = {.mapper = Mapper::kF8},
    .minimal = kDirections | ActionSet{Action::kNoop},
    .modes = kRange<4>,
    .difficulties = kRange<2>,
    .counter = &kCounter,
    .begin = Begin,
    .observe = Observe,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::crazy_climber
