// Pitfall! (Activision, 1982). The game ends when the last life is lost or the twenty minutes are
// over.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::pitfall {
namespace {

constexpr std::array kStart{Action::kUp};
constexpr int kFirstScore = 2000;

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = kFirstScore;
  progress.terminal = false;
  progress.lives = 3;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(ram.Bcd(0xD7, 0xD6, 0xD5));
  const int marks = ram[0x80] >> 4;  // a pattern on the screen, with one mark for each spare life
  const bool controlled = ram[0x9E] == 0;
  progress.terminal = marks == 0 && !controlled;
  progress.lives = marks == 0xA ? 3 : marks == 0x8 ? 2 : 1;
}

}  // namespace

extern constinit const Game kPitfall{
    .id = "pitfall",
    .rom_md5 = "3e90cf23106f2e08b2781e41299de556",
    .hardware = {.mapper = Mapper::k4K},
    .start = kStart,
    .begin = Begin,
    .observe = Observe,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::pitfall
