// Entombed (U.S. Games, 1982). The player moves down a maze; the score is the distance. The game
// ends when the last life is lost.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::entombed {
namespace {

// The button starts the game; the reset switch does not. The maze appears some time later.
constexpr std::array<Action, 6> kStart{Action::kFire};

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(ram[0xE3]);                 // binary
  progress.terminal = (ram[0xC7] & 3) == 0;  // lives
}

}  // namespace

extern constinit const Game kEntombed{
    .id = "entombed",
    .rom_md5 = "6b683be69f92958abe0e2a9945157ad5",
    .hardware = {.mapper = Mapper::k4K},
    .start = kStart,
    .difficulties = kRange<2, 2>,
    .begin = Begin,
    .observe = Observe,
    .lives = OneUntilEnd,
};

}  // namespace engine::atari::entombed
