// Phoenix (Atari, 1982). The game ends in the game-over state after the last ship.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::phoenix {
namespace {

constexpr int kGameOver = 0x80;

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.lives = 5;
}

void Observe(RamView ram, Progress& progress) {
  const int ones = ram[0xC7] >> 4;
  progress.Score(10 * (10 * ram.Bcd(0xC8, 0xC9) + ones));
  progress.terminal = ram[0xCC] == kGameOver;
  progress.lives = ram[0xCB] & 7;
}

}  // namespace

extern constinit const Game kPhoenix{
    .id = "phoenix",
    .rom_md5 = "7e52a95074a66640fcfde124fffd491a",
    .hardware = {.mapper = Mapper::kF8},
    .minimal = {Action::kNoop, Action::kFire, Action::kRight, Action::kLeft, Action::kDown,
                Action::kRightFire, Action::kLeftFire, Action::kDownFire},
    .begin = Begin,
    .observe = Observe,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::phoenix
