// Assault (Bomb, 1983). The game ends when the last life is lost.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::assault {
namespace {

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.lives = 4;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(ram.Bcd(0x82, 0x81, 0x80));
  progress.lives = ram[0xE5];
  progress.terminal = progress.lives == 0;
}

}  // namespace

extern constinit const Game kAssault{
    .id = "assault",
    .rom_md5 = "de78b3a064d374390ac0710f95edde92",
    .hardware = {.mapper = Mapper::k4K},
    .minimal = {Action::kNoop, Action::kFire, Action::kUp, Action::kRight, Action::kLeft,
                Action::kRightFire, Action::kLeftFire},
    .begin = Begin,
    .observe = Observe,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::assault
