// River Raid (Activision, 1982). The game ends when the fourth plane is lost.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::riverraid {
namespace {

// The index in Progress::memory of the byte that holds the number of planes: 8 times the displayed
// digit. The byte is kBlank before the first take-off and after the end, and kLastPlane while the
// last plane flies.
constexpr std::size_t kPlanes = 0;
constexpr int kBlank = 0x58;
constexpr int kLastPlane = 0x59;

// A digit of the score is stored as the offset of its picture. Pictures have eight rows. Any other
// value is a blank.
int Digit(int byte) { return byte % 8 == 0 && byte <= 8 * 9 ? byte / 8 : 0; }

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.memory[kPlanes] = kBlank;
}

void Observe(RamView ram, Progress& progress) {
  int score = 0;
  for (int address = 0xCD; address <= 0xD7; address += 2) {
    score = 10 * score + Digit(ram[address]);
  }
  progress.Score(score);
  std::int32_t& planes = progress.memory[kPlanes];
  const int planes_before = planes;
  planes = ram[0xC0];
  progress.terminal = planes_before == kLastPlane && planes == kBlank;
}

int Lives(const Progress& progress) {
  if (progress.terminal) return 0;
  const int planes = progress.memory[kPlanes];
  if (planes == kBlank) return 4;
  return planes == kLastPlane ? 1 : planes / 8 + 1;
}

}  // namespace

extern constinit const Game kRiverraid{
    .id = "riverraid",
    .rom_md5 = "393948436d1f4cc3192410bb918f9724",
    .hardware = {.mapper = Mapper::k4K},
    .difficulties = kRange<2>,
    .begin = Begin,
    .observe = Observe,
    .lives = Lives,
};

}  // namespace engine::atari::riverraid
