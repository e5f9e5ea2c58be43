// Time Pilot (Coleco, 1983). The game ends when the last plane is lost.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::time_pilot {
namespace {

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.lives = 5;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(100 * ram.Bcd(0x8D, 0x8F));
  progress.terminal = ram[0xA0] != 0;
  // The count of planes is valid only in flight.
  const bool flying = (ram[0x80] & 0x0F) == 2;
  if (flying) progress.lives = (ram[0x8B] & 0x07) + 1;
}

}  // namespace

extern constinit const Game kTimePilot{
    .id = "time_pilot",
    .rom_md5 = "fc2104dd2dadf9a6176c1c1c8f87ced9",
    .hardware = {.mapper = Mapper::kF8},
    .minimal = {Action::kNoop, Action::kFire, Action::kUp, Action::kRight, Action::kLeft,
                Action::kDown, Action::kUpFire, Action::kRightFire, Action::kLeftFire,
                Action::kDownFire},
    .difficulties = kRange<3>,
    .begin = Begin,
    .observe = Observe,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::time_pilot
