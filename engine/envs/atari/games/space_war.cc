// Space War (Atari, 1978). The game ends when the player has ten points, or after ten minutes.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::space_war {
namespace {

constexpr int kOurs = 0xA7;  // our points; before the start, the number of the variant

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(ram.Bcd(kOurs));
  const int time = ram[0x80];  // counts up, and wraps to 0 at the end
  progress.terminal = progress.score == 10 || time == 0;
}

void Select(int mode, ModeDriver& driver, Progress&) {
  driver.SelectUntil(mode, 2, [](RamView ram) { return ram.Bcd(kOurs); });
  driver.SoftReset();
}

}  // namespace

extern constinit const Game kSpaceWar{
    .id = "space_war",
    .rom_md5 = "b702641d698c60bcdc922dbd8c9dd49c",
    .hardware = {.mapper = Mapper::k2K, .format = TvFormat::kPal},
    .modes = kRange<12, 1, 6>,  // in the other modes one player alone cannot get ten points
    .select = Select,
    .begin = Begin,
    .observe = Observe,
    .lives = OneUntilEnd,
};

}  // namespace engine::atari::space_war
