// Adventure (Atari, 1980). The player brings the chalice to the yellow castle, for a reward of 1.
// The game ends then, or when a dragon has eaten the player.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::adventure {
namespace {

constexpr int kYellowCastle = 0x12;  // room number
constexpr int kEaten = 2;

// The third variant places its objects by a frame counter. Select() holds the switch for a random
// time, so that the layouts of games differ.
void Select(int mode, ModeDriver& driver, Progress&) {
  // The game reacts one frame after the switch is released.
  driver.ActUntil({Action::kNoop}, [mode, &driver](RamView ram) {
    if (((ram[0xDD] >> 1) & 3) == mode) return true;
    driver.PressSelect(2 + static_cast<int>(driver.Random() % 256));
    return false;
  });
  driver.SoftReset();
}

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.terminal = false;
}

void Observe(RamView ram, Progress& progress) {
  const bool won = ram[0xB9] == kYellowCastle;  // the chalice's room
  if (won) progress.reward = 1;
  progress.terminal = won || ram[0xE0] == kEaten;
}

int AlwaysOne(const Progress&) { return 1; }

}  // namespace

extern constinit const Game kAdventure{
    .id = "adventure",
    .rom_md5 = "4b27f5397c442d25f0c418ccdacf1926",
    .hardware = {.mapper = Mapper::k4K, .format = TvFormat::kPal},
    .modes = kRange<3>,
    .difficulties = kRange<4>,
    .select = Select,
    .begin = Begin,
    .observe = Observe,
    .lives = AlwaysOne,
};

}  // namespace engine::atari::adventure
