// Pitfall II: Lost Caverns (Activision, 1984). The player cannot die. The game ends at the highest
// score.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::pitfall2 {
namespace {

constexpr std::array kStart{Action::kUp};
constexpr int kFirstScore = 4000;
constexpr int kHighestScore = 199000;

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = kFirstScore;
  progress.terminal = false;
  progress.lives = 1;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(ram.Bcd(0xC9, 0xC8, 0xC7));
  progress.lives = 1;
  progress.terminal = progress.score == kHighestScore;
}

}  // namespace

extern constinit const Game kPitfall2{
    .id = "pitfall2",
    .rom_md5 = "6d842c96d5a01967be9680080dd5be54",
    .hardware = {.mapper = Mapper::kDPC},
    .start = kStart,
    .begin = Begin,
    .observe = Observe,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::pitfall2
