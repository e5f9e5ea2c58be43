// Pong (Atari, 1977). The score is the player's lead. The game ends when one side has 21 points.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::pong {
namespace {

constexpr ModeCounter kCounter{.address = 0x96, .frames = 2};

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
}

void Observe(RamView ram, Progress& progress) {
  const int theirs = ram[0x8D];
  const int ours = ram[0x8E];
  progress.Score(ours - theirs);
  progress.terminal = theirs == 21 || ours == 21;
}

}  // namespace

extern constinit const Game kPong{
    .id = "pong",
    .rom_md5 = "60e0ea3cbe0913d39803477945e9e5ec",
    .hardware = {.mapper = Mapper::k2K,
                 .left = Controller::kPaddles,
                 .right = Controller::kPaddles,
                 .swap_paddles = true},
    .minimal = {Action::kNoop, Action::kFire, Action::kRight, Action::kLeft, Action::kRightFire,
                Action::kLeftFire},
    .modes = kRange<2>,
    .difficulties = kRange<4>,
    .counter = &kCounter,
    .begin = Begin,
    .observe = Observe,
    .lives = NoLives,
};

}  // namespace engine::atari::pong
