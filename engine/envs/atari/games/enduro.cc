// Enduro (Activision, 1983). The player passes cars, each worth one point. The game ends when a day
// ends with too few cars passed.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::enduro {
namespace {

constexpr std::array<Action, 1> kStart{Action::kFire};

// Cars to pass on the first day and on each later one.
constexpr int kFirstDay = 200;
constexpr int kLaterDay = 300;

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
}

// Memory has the day (0 before the race) and the number of cars still to be passed on that day.
int CarsPassed(RamView ram) {
  const int day = ram[0xAD];
  if (day == 0) return 0;
  const int due = kFirstDay + (day - 1) * kLaterDay;
  return due - ram.Bcd(0xAB, 0xAC);
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(CarsPassed(ram));
  progress.terminal = ram[0xAF] == 0xFF;
}

}  // namespace

extern constinit const Game kEnduro{
    .id = "enduro",
    .rom_md5 = "94b92a882f6dbaa6993a46e2dcc58402",
    .hardware = {.mapper = Mapper::k4K},
    .minimal = {Action::kNoop, Action::kFire, Action::kRight, Action::kLeft, Action::kDown,
                Action::kDownRight, Action::kDownLeft, Action::kRightFire, Action::kLeftFire},
    .start = kStart,
    .begin = Begin,
    .observe = Observe,
    .lives = NoLives,
};

}  // namespace engine::atari::enduro
