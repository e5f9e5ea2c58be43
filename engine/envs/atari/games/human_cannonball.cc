// Human Cannonball (Atari, 1979). The score is the number of hits. The game ends with the seventh
// hit, which wins, or with the seventh miss, which loses.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::human_cannonball {
namespace {

constexpr int kHits = 0xB6;
constexpr int kMisses = 0xB7;
constexpr int kLastShot = 7;

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(ram.Bcd(kHits));
  progress.terminal = progress.score == kLastShot || ram.Bcd(kMisses) == kLastShot;
}

// While a variant is selected, the byte of hits has the variant's number (from 1), and the byte of
// misses has the number of players. Each variant exists for one player and for two.
void Select(int mode, ModeDriver& driver, Progress&) {
  driver.SelectUntil(mode, 2, [](RamView ram) { return ram[kMisses] == 1 ? ram[kHits] - 1 : -1; });
  driver.SoftReset();
}

}  // namespace

extern constinit const Game kHumanCannonball{
    .id = "human_cannonball",
    .rom_md5 = "7972e5101fa548b952d852db24ad6060",
    .hardware = {.mapper = Mapper::k2K},
    .modes = kRange<8>,
    .difficulties = kRange<2>,
    .select = Select,
    .begin = Begin,
    .observe = Observe,
    .lives = OneUntilEnd,
};

}  // namespace engine::atari::human_cannonball
