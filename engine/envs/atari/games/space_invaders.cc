// Space Invaders (Atari, 1980). The game ends when the last cannon is lost or the invaders land.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::space_invaders {
namespace {

constexpr ModeCounter kCounter{.address = 0xDC, .frames = 2};
constexpr int kScoreWraps = 10000;  // four digits
constexpr int kGameOver = 0x80;

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.lives = 3;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(ram.Bcd(0xE8, 0xE6));
  if (progress.reward < 0) progress.reward += kScoreWraps;  // points are never lost
  progress.lives = ram[0xC9];
  progress.terminal = (ram[0x98] & kGameOver) != 0 || progress.lives == 0;
}

}  // namespace

extern constinit const Game kSpaceInvaders{
    .id = "space_invaders",
    .rom_md5 = "72ffbef6504b75e69ee1045af9075f66",
    .hardware = {.mapper = Mapper::k4K},
    .minimal = {Action::kNoop, Action::kFire, Action::kRight, Action::kLeft, Action::kRightFire,
                Action::kLeftFire},
    .modes = kRange<16>,
    .difficulties = kRange<2>,
    .counter = &kCounter,
    .begin = Begin,
    .observe = Observe,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::space_invaders
