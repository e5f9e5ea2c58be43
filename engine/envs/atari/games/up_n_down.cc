// Up 'n Down (Sega, 1983). The game ends with the wreck of the last car.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::up_n_down {
namespace {

constexpr Action kStart[] = {Action::kFire};

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.lives = 5;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(ram.Bcd(0x82, 0x81, 0x80));
  const int spare_cars = ram[0x86] & 0x0F;
  const int wreck_timer = ram[0x94];
  progress.terminal = spare_cars == 0 && wreck_timer > 0x40;
  progress.lives = spare_cars + 1;
}

}  // namespace

extern constinit const Game kUpNDown{
    .id = "up_n_down",
    .rom_md5 = "a499d720e7ee35c62424de882a3351b6",
    .hardware = {.mapper = Mapper::kF8, .first_line = 30},
    .minimal = {Action::kNoop, Action::kFire, Action::kUp, Action::kDown, Action::kUpFire,
                Action::kDownFire},
    .start = kStart,
    .difficulties = kRange<4>,
    .begin = Begin,
    .observe = Observe,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::up_n_down
