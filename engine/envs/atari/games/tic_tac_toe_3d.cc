// 3-D Tic-Tac-Toe (Atari, 1978). The player plays one game. The reward is 1 for a win, -1 for a
// loss and 0 for a draw. The game ends with a finished line or a full board.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::tic_tac_toe_3d {
namespace {

constexpr ModeCounter kCounter{.address = 0x88, .frames = 2};

// The 64 cells, 0 while empty.
constexpr int kFirstCell = 0x9A;
constexpr int kLastCell = 0xD9;

bool Full(RamView ram) {
  for (int cell = kFirstCell; cell <= kLastCell; ++cell) {
    if (ram[cell] == 0) return false;
  }
  return true;
}

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.terminal = false;
}

void Observe(RamView ram, Progress& progress) {
  progress.reward = 0;
  // The bottom of the stack has this return address only while a finished line is shown.
  if (ram[0xFF] == 0xF3 && ram[0xFE] == 0x10) {
    const bool ours = ram[0xE1] == 0x08;  // whose line: 0x08 is X, 0x28 is O
    progress.reward = ours ? 1 : -1;
    progress.terminal = true;
  }
  if (Full(ram)) progress.terminal = true;  // a draw has no other sign
}

}  // namespace

extern constinit const Game kTicTacToe3d{
    .id = "tic_tac_toe_3d",
    .rom_md5 = "0db4f4150fecf77e4ce72ca4d04c052f",
    .hardware = {.mapper = Mapper::k2K},
    .minimal = ActionSet{Action::kNoop, Action::kFire} | kDirections,
    .modes = kRange<9>,
    .difficulties = kRange<2, 2>,
    .counter = &kCounter,
    .begin = Begin,
    .observe = Observe,
    .lives = OneUntilEnd,
};

}  // namespace engine::atari::tic_tac_toe_3d
