// Donkey Kong (Coleco, 1982). The player controls Mario. The game ends when the last life is lost.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::donkey_kong {
namespace {

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.lives = 2;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(100 * ram.Bcd(0x88, 0x87));
  progress.lives = ram[0xA3];
  // The count of lives is 0 while the last life is played, so the game ends at the first tick of
  // the phase that follows a death.
  const bool just_died = ram[0x8F] == 3 && ram[0x8B] == 0x1F;
  progress.terminal = progress.lives == 0 && just_died;
}

}  // namespace

extern constinit const Game kDonkeyKong{
    .id = "donkey_kong",
    .rom_md5 = "36b20c427975760cb9cf4a47e41369e4",
    .hardware = {.mapper = Mapper::k4K},
    .begin = Begin,
    .observe = Observe,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::donkey_kong
