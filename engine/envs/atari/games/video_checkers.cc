// Video Checkers (Atari, 1980). The game ends when a side has no piece. In variants 11 to 19 that
// side wins, in the others it loses.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::video_checkers {
namespace {

constexpr std::array<std::uint16_t, 18> kModes{1,  2,  3,  4,  5,  6,  7,  8,  9,
                                               11, 12, 13, 14, 15, 16, 17, 18, 19};
constexpr int kFirstGiveaway = 11;
constexpr int kGiveawayOffset = 6;  // variant 11 on the screen is 17 in memory

// The index in Progress::memory of the flag that the side without a piece wins.
constexpr int kGiveaway = 0;

// The board in memory is four runs of eight squares, each followed by an unrelated byte.
constexpr int kFirstSquare = 0x80;
constexpr int kLastSquare = 0xA2;
constexpr int kRun = 9;

struct Pieces {
  bool black = false;  // ours
  bool white = false;
};

Pieces Find(RamView ram) {
  Pieces pieces;
  for (int address = kFirstSquare; address <= kLastSquare; ++address) {
    if ((address - kFirstSquare) % kRun == kRun - 1) continue;
    const int square = ram[address];
    if (square == 0x10 || square == 0x20) pieces.black = true;  // a man or a king
    if (square == 0x90 || square == 0xA0) pieces.white = true;
  }
  return pieces;
}

void Select(int mode, ModeDriver& driver, Progress& progress) {
  const bool giveaway = mode >= kFirstGiveaway;
  progress.memory[kGiveaway] = giveaway;
  driver.SelectUntil(giveaway ? mode + kGiveawayOffset : mode, 1,
                     [](RamView ram) { return ram[0xF6]; });
  driver.SoftReset();
}

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.terminal = false;
}

void Observe(RamView ram, Progress& progress) {
  const Pieces pieces = Find(ram);
  if (pieces.black && pieces.white) return;
  const bool giveaway = progress.memory[kGiveaway] != 0;
  progress.reward = pieces.black != giveaway ? 1 : -1;
  progress.terminal = true;
}

void Keep(const Progress& now, Progress& restored) {
  restored.memory[kGiveaway] = now.memory[kGiveaway];
}

}  // namespace

extern constinit const Game kVideoCheckers{
    .id = "video_checkers",
    .rom_md5 = "539d26b6e9df0da8e7465f0f5ad863b7",
    .hardware = {.mapper = Mapper::k4K},
    .minimal = {Action::kFire, Action::kUpRight, Action::kUpLeft, Action::kDownRight,
                Action::kDownLeft},
    .modes = kModes,
    .select = Select,
    .begin = Begin,
    .observe = Observe,
    .keep = Keep,
    .lives = OneUntilEnd,
};

}  // namespace engine::atari::video_checkers
