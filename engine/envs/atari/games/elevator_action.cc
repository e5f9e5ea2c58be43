// Elevator Action (Atari, prototype of 1983). The game ends when the last agent is lost.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::elevator_action {
namespace {

constexpr auto kStart = [] {  // the button has to be held for a while
  std::array<Action, 16> actions{};
  actions.fill(Action::kFire);
  return actions;
}();

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.lives = 4;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(ram.Bcd(0x89, 0x88, 0x87));
  progress.lives = ram[0x83];
  const bool title_screen = ram[0x81] == 0;
  progress.terminal = progress.lives == 0 && !title_screen;
}

}  // namespace

extern constinit const Game kElevatorAction{
    .id = "elevator_action",
    .rom_md5 = "71f8bacfbdca019113f3f0801849057e",
    .hardware = {.mapper = Mapper::kF8SC},
    .start = kStart,
    .begin = Begin,
    .observe = Observe,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::elevator_action
