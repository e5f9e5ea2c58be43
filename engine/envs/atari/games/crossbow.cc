// Crossbow (Atari, 1987). The game ends when it shows its game-over screen.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::crossbow {
namespace {

constexpr ModeCounter kCounter{.address = 0x8D, .frames = 2, .offset = 1};
constexpr int kGameOverScreen = 0x82;  // 0 while playing, 0x80 and 0x81 in the menus

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(ram.Bcd(0x8D, 0x8C, 0x8B));
  progress.terminal = ram[0xE7] == kGameOverScreen;
}

}  // namespace

extern constinit const Game kCrossbow{
    .id = "crossbow",
    .rom_md5 = "8cd26dcf249456fe4aeb8db42d49df74",
    .hardware = {.mapper = Mapper::kF6},
    .modes = kRange<4, 2>,
    .difficulties = kRange<2>,
    .counter = &kCounter,
    .begin = Begin,
    .observe = Observe,
    .lives = OneUntilEnd,
};

}  // namespace engine::atari::crossbow
