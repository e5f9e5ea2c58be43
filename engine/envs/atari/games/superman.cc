// Superman (Atari, 1979). The game ends when Clark Kent walks into the Daily Bugle. The earlier
// this happens, the larger the reward.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::superman {
namespace {

constexpr int kDailyBugle = 0xF2AC;     // the address of its room's data in the cartridge
constexpr int kLongest = 99 * 60 + 59;  // the latest time on the clock, in seconds

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.terminal = false;
}

void Observe(RamView ram, Progress& progress) {
  const int seconds = 60 * ram.Bcd(0xE3) + ram.Bcd(0xE2);
  const int room = ram[0x80] | ram[0x81] << 8;
  const bool clark_kent = (ram[0x9F] & 0x40) != 0;
  progress.terminal = clark_kent && room == kDailyBugle;
  progress.reward = progress.terminal ? kLongest - seconds : 0;
}

}  // namespace

extern constinit const Game kSuperman{
    .id = "superman",
    .rom_md5 = "a9531c763077464307086ec9a1fd057d",
    .hardware = {.mapper = Mapper::k4K},
    .difficulties = kRange<4>,
    .begin = Begin,
    .observe = Observe,
    .lives = OneUntilEnd,
};

}  // namespace engine::atari::superman
