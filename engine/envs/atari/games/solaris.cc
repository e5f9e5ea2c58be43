// Solaris (Atari, 1986). The game ends when the last ship is lost.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::solaris {
namespace {

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.lives = 3;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(10 * ram.Bcd(0xDC, 0xDD, 0xDE));  // one digit more than the screen shows
  const int ships = ram[0xD9];
  progress.terminal = ships == 0;
  progress.lives = ships & 0x0F;
}

}  // namespace

extern constinit const Game kSolaris{
    .id = "solaris",
    .rom_md5 = "e72eb8d4410152bdcb69e7fba327b420",
    .hardware = {.mapper = Mapper::kF6},
    .begin = Begin,
    .observe = Observe,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::solaris
