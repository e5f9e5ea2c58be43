// SwordQuest: EarthWorld (Atari, 1982). The player finds clues, each worth one point. The game ends
// when the tenth clue is found.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::earthworld {
namespace {

constexpr int kClues = 10;

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(ram.Bcd(0xA7));
  progress.terminal = progress.score == kClues;
}

}  // namespace

extern constinit const Game kEarthworld{
    .id = "earthworld",
    .rom_md5 = "5aea9974b975a6a844e6df10d2b861c4",
    .hardware = {.mapper = Mapper::kF8},
    .begin = Begin,
    .observe = Observe,
    .lives = OneUntilEnd,
};

}  // namespace engine::atari::earthworld
