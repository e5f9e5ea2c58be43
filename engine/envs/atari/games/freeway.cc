// Freeway (Activision, 1981). The player crosses a road; each crossing is worth one point. The game
// ends when the time is over.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::freeway {
namespace {

constexpr ModeCounter kCounter{.address = 0x80, .frames = 1};

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(ram.Bcd(0xE7));
  // A crossing is one point; a reset of the score gives no reward.
  progress.reward = progress.reward > 0 ? 1 : 0;
  progress.terminal = ram[0x96] == 1;
}

}  // namespace

extern constinit const Game kFreeway{
    .id = "freeway",
    .rom_md5 = "8e0ab801b1705a740b476b7f588c6d16",
    .hardware = {.mapper = Mapper::k2K},
    .minimal = {Action::kNoop, Action::kUp, Action::kDown},
    .modes = kRange<8>,
    .difficulties = kRange<2>,
    .counter = &kCounter,
    .begin = Begin,
    .observe = Observe,
    .lives = NoLives,
};

}  // namespace engine::atari::freeway
