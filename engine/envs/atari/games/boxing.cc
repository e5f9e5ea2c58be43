// Boxing (Activision, 1980). The score is the player's lead in punches. The game ends after two
// minutes, or when one side has landed a hundred punches.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::boxing {
namespace {

constexpr int kKnockOut = 100;

int Punches(RamView ram, int address) {
  // Two digits cannot represent a hundred, so the game stores 0xC0.
  return ram[address] == 0xC0 ? kKnockOut : ram.Bcd(address);
}

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
}

void Observe(RamView ram, Progress& progress) {
  const int ours = Punches(ram, 0x92);
  const int theirs = Punches(ram, 0x93);
  progress.Score(ours - theirs);
  const int minutes = ram[0x90] >> 4;
  const int seconds = ram[0x91];
  progress.terminal = ours == kKnockOut || theirs == kKnockOut || (minutes == 0 && seconds == 0);
}

}  // namespace

extern constinit const Game kBoxing{
    .id = "boxing",
    .rom_md5 = "c3ef5c4653212088eda54dc91d787870",
    .hardware = {.mapper = Mapper::k2K},
    .difficulties = kRange<4>,
    .begin = Begin,
    .observe = Observe,
    .lives = NoLives,
};

}  // namespace engine::atari::boxing
