// Robotank (Activision, 1983). The player destroys tanks, each worth one point. The game ends when
// the last of the player's own tanks is lost.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::robotank {
namespace {

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.lives = 4;
}

void Observe(RamView ram, Progress& progress) {
  constexpr int kSquadron = 12;
  progress.Score(kSquadron * ram[0xB6] + ram[0xB5]);
  const int spare = ram[0xA8];
  progress.terminal = spare == 0 && ram[0xB4] == 0xFF;
  progress.lives = (spare & 0x0F) + 1;
}

}  // namespace

extern constinit const Game kRobotank{
    .id = "robotank",
    .rom_md5 = "4f618c2429138e0280969193ed6c107e",
    .hardware = {.mapper = Mapper::kFE},
    .begin = Begin,
    .observe = Observe,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::robotank
