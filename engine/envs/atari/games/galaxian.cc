// Galaxian (Atari, 1983). The game ends when the last ship is lost.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::galaxian {
namespace {

constexpr ModeCounter kCounter{.address = 0xB3, .frames = 1};
constexpr int kScoreWraps = 1000000;  // six digits
constexpr int kGameOver = 0x80;

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.lives = 3;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(ram.Bcd(0xAE, 0xAD, 0xAC));
  if (progress.reward < 0) progress.reward += kScoreWraps;  // points are never lost
  progress.terminal = (ram[0xBF] & kGameOver) != 0;
  progress.lives = ram[0xB9] + 1;  // memory has the lives in reserve
}

}  // namespace

extern constinit const Game kGalaxian{
    .id = "galaxian",
    .rom_md5 = "211774f4c5739042618be8ff67351177",
    .hardware = {.mapper = Mapper::kF8},
    .minimal = {Action::kNoop, Action::kFire, Action::kRight, Action::kLeft, Action::kRightFire,
                Action::kLeftFire},
    .modes = kRange<9, 1, 1>,
    .difficulties = kRange<2>,
    .counter = &kCounter,
    .begin = Begin,
    .observe = Observe,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::galaxian
