// Journey Escape (Data Age, 1982). The score is the player's cash. The game ends when the clock has
// run out.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::journey_escape {
namespace {

constexpr std::array kStart{Action::kFire};
constexpr int kStartingCash = 50000;

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(ram.Bcd(0x92, 0x91, 0x90));
  if (progress.reward == kStartingCash) progress.reward = 0;  // the initial cash is not a reward
  const int minutes = ram[0x95];
  const int seconds = ram[0x96];
  progress.terminal = minutes == 0 && seconds == 0;
}

}  // namespace

extern constinit const Game kJourneyEscape{
    .id = "journey_escape",
    .rom_md5 = "718ae62c70af4e5fd8e932fee216948a",
    .hardware = {.mapper = Mapper::k4K, .lines = 230},
    .minimal = kAllActions - ActionSet{Action::kFire, Action::kUpFire},
    .start = kStart,
    .difficulties = kRange<2>,
    .begin = Begin,
    .observe = Observe,
    .lives = NoLives,
};

}  // namespace engine::atari::journey_escape
