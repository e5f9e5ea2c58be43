// Video Chess (Atari, 1979). The player plays one game. The reward is 1 for mating the computer,
// and -1 for being mated. The game ends with the mate.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::video_chess {
namespace {

constexpr ModeCounter kCounter{.address = 0xEA};

constexpr int kWhiteToMove = 0x82;  // in byte 0xE1
// Values of byte 0xEE.
constexpr int kBlackIsMate = 0;
constexpr int kWhiteIsMate = 1;

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.terminal = false;
}

void Observe(RamView ram, Progress& progress) {
  progress.reward = 0;
  // While the computer thinks, it tries moves in the same memory, including mates.
  if (ram[0xE1] != kWhiteToMove) return;
  if (ram[0xEE] == kBlackIsMate) {
    progress.reward = 1;
    progress.terminal = true;
  } else if (ram[0xEE] == kWhiteIsMate) {
    progress.reward = -1;
    progress.terminal = true;
  }
}

}  // namespace

extern constinit const Game kVideoChess{
    .id = "video_chess",
    .rom_md5 = "f0b7db930ca0e548c41a97160b9f6275",
    .hardware = {.mapper = Mapper::k4K},
    .minimal = ActionSet{Action::kNoop, Action::kFire} | kDirections,
    .modes = kRange<5>,
    .counter = &kCounter,
    .begin = Begin,
    .observe = Observe,
    .lives = OneUntilEnd,
};

}  // namespace engine::atari::video_chess
