// Demon Attack (Imagic, 1982). The game ends when the last cannon is lost. Variants 3, 5 and 7 are
// over as soon as they are reset, in ale-py too.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::demon_attack {
namespace {

constexpr ModeCounter kCounter{.address = 0xEA, .frames = 1};
constexpr int kGameOver = 0xBD;

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.lives = 4;
}

void Observe(RamView ram, Progress& progress) {
  // Before the first game, memory has this content, which is not a score.
  const bool unset = ram[0x81] == 0xAB && ram[0x83] == 0xCD && ram[0x85] == 0xEA;
  progress.Score(unset ? 0 : ram.Bcd(0x85, 0x83, 0x81));
  const int reserve = ram[0xF2];
  progress.terminal = reserve == 0 && ram[0xF1] == kGameOver;
  progress.lives = reserve + 1;
}

}  // namespace

extern constinit const Game kDemonAttack{
    .id = "demon_attack",
    .rom_md5 = "f0e0addc07971561ab80d9abe1b8d333",
    .hardware = {.mapper = Mapper::k4K},
    .minimal = {Action::kNoop, Action::kFire, Action::kRight, Action::kLeft, Action::kRightFire,
                Action::kLeftFire},
    .modes = kRange<4, 2, 1>,
    .difficulties = kRange<2>,
    .counter = &kCounter,
    .begin = Begin,
    .observe = Observe,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::demon_attack
