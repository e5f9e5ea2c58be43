// Turmoil (20th Century Fox, 1982). The game ends when the last ship is lost.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::turmoil {
namespace {

constexpr ModeCounter kCounter{.address = 0xEA, .frames = 2};

constexpr Action kStart[] = {Action::kFire};

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.lives = 4;
}

void Observe(RamView ram, Progress& progress) {
  // Byte 0xD3 has the points that are not yet added to the decimal score.
  progress.Score(10 * (ram.Bcd(0x89, 0x8A) + ram[0xD3]));
  progress.lives = ram[0xB9];
  progress.terminal = progress.lives == 0 && ram[0xC5] == 1;
}

}  // namespace

extern constinit const Game kTurmoil{
    .id = "turmoil",
    .rom_md5 = "7a5463545dfb2dcfdafa6074b2f2c15e",
    .hardware = {.mapper = Mapper::k4K},
    .minimal = ActionSet{Action::kNoop, Action::kFire, Action::kRightFire, Action::kLeftFire} |
               kDirections,
    .start = kStart,
    .modes = kRange<9>,
    .counter = &kCounter,
    .begin = Begin,
    .observe = Observe,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::turmoil
