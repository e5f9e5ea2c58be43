// Air Raid (Men-A-Vision, 1982). The game ends when the last life is lost.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::air_raid {
namespace {

constexpr Action kStart[] = {Action::kFire};

void Select(int mode, ModeDriver& driver, Progress&) {
  driver.PressSelect(20);  // opens the menu, which shows the variant in place of the score
  driver.SelectUntil(mode, 10, [](RamView ram) { return ram[0xAA]; });
  driver.SoftReset();
}

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(ram.Bcd(0xAA, 0xA9, 0xA8));
  progress.terminal = ram[0xA7] == 0xFF;  // the number of lives is below zero
}

}  // namespace

extern constinit const Game kAirRaid{
    .id = "air_raid",
    .rom_md5 = "35be55426c1fec32dfb503b4f0651572",
    .hardware = {.mapper = Mapper::k4K, .format = TvFormat::kPal},
    .minimal = {Action::kNoop, Action::kFire, Action::kRight, Action::kLeft, Action::kRightFire,
                Action::kLeftFire},
    .start = kStart,
    .modes = kRange<8, 1, 1>,
    .select = Select,
    .begin = Begin,
    .observe = Observe,
    .lives = OneUntilEnd,
};

}  // namespace engine::atari::air_raid
