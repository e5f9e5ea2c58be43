// Kaboom! (Activision, 1981). The game ends when the last bucket is lost, or at the highest score
// that fits in memory.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::kaboom {
namespace {

constexpr std::array kStart{Action::kFire};
constexpr int kHighestScore = 999999;

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(ram.Bcd(0xA5, 0xA4, 0xA3));
  const int buckets = ram[0xA1];  // not reported as lives
  progress.terminal = buckets == 0 || progress.score == kHighestScore;
}

}  // namespace

extern constinit const Game kKaboom{
    .id = "kaboom",
    .rom_md5 = "5428cdfada281c569c74c7308c7f2c26",
    .hardware = {.mapper = Mapper::k2K, .left = Controller::kPaddles},
    .minimal = {Action::kNoop, Action::kFire, Action::kRight, Action::kLeft},
    .start = kStart,
    .begin = Begin,
    .observe = Observe,
    .lives = OneUntilEnd,
};

}  // namespace engine::atari::kaboom
