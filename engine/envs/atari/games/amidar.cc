// Amidar (Parker Brothers, 1982). The game ends when the last life is lost.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::amidar {
namespace {

constexpr int kGameOver = 0x80;  // stored in place of the number of lives

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.lives = 3;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(ram.Bcd(0xD9, 0xDA, 0xDB));
  const int lives = ram[0xD6];
  progress.lives = lives & 0x0F;
  progress.terminal = lives == kGameOver;
}

}  // namespace

extern constinit const Game kAmidar{
    .id = "amidar",
    .rom_md5 = "acb7750b4d0c4bd34969802a7deb2990",
    .hardware = {.mapper = Mapper::k4K, .left_difficulty_a = true, .right_difficulty_a = true},
    .minimal = {Action::kNoop, Action::kFire, Action::kUp, Action::kRight, Action::kLeft,
                Action::kDown, Action::kUpFire, Action::kRightFire, Action::kLeftFire,
                Action::kDownFire},
    .difficulties = kRange<2, 3>,
    .begin = Begin,
    .observe = Observe,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::amidar
