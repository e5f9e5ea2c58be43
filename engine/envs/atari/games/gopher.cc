// Gopher (U.S. Games, 1982). The game ends when the last of the three carrots is eaten.
#include <bit>

#include "engine/envs/atari/games/game.h"

namespace engine::atari::gopher {
namespace {

constexpr std::array<Action, 1> kStart{Action::kFire};

// Unlike in other games, there is also a reset before the selection.
void Select(int mode, ModeDriver& driver, Progress&) {
  driver.SoftReset();
  driver.SelectUntil(mode, 5, [](RamView ram) { return ram[0xD3]; });
  driver.SoftReset();
}

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.lives = 3;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(ram.Bcd(0xB2, 0xB1, 0xB0));
  const unsigned carrots = static_cast<unsigned>(ram[0xB4]) & 7;  // one bit per carrot
  progress.lives = std::popcount(carrots);
  progress.terminal = carrots == 0;
}

}  // namespace

extern constinit const Game kGopher{
    .id = "gopher",
    .rom_md5 = "c16c79aad6272baffb8aae9a7fff0864",
    .hardware = {.mapper = Mapper::k4K},
    .minimal = {Action::kNoop, Action::kFire, Action::kUp, Action::kRight, Action::kLeft,
                Action::kUpFire, Action::kRightFire, Action::kLeftFire},
    .start = kStart,
    .modes = kRange<2, 2>,
    .difficulties = kRange<2>,
    .select = Select,
    .begin = Begin,
    .observe = Observe,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::gopher
