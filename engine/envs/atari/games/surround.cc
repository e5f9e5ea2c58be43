// Surround (Atari, 1977). The score is the player's lead. The game ends when one side has 10
// points.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::surround {
namespace {

// In memory, the variants are numbered from 1.
constexpr ModeCounter kCounter{.address = 0xF9, .frames = 2, .offset = 1};

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
}

void Observe(RamView ram, Progress& progress) {
  const int theirs = ram.Bcd(0xF6);
  const int ours = ram.Bcd(0xF7);
  progress.Score(ours - theirs);
  progress.terminal = theirs == 10 || ours == 10;
}

}  // namespace

extern constinit const Game kSurround{
    .id = "surround",
    .rom_md5 = "4d7517ae69f95cfbc053be01312b7dba",
    .hardware = {.mapper = Mapper::k2K, .swap_ports = true},
    .minimal = {Action::kNoop, Action::kUp, Action::kRight, Action::kLeft, Action::kDown},
    .modes = kRange<2, 2>,
    .difficulties = kRange<4>,
    .counter = &kCounter,
    .begin = Begin,
    .observe = Observe,
    .lives = OneUntilEnd,
};

}  // namespace engine::atari::surround
