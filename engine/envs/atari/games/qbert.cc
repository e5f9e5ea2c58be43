// Q*bert (Atari, 1988). The game ends when the count of spare lives falls to -2.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::qbert {
namespace {

// The index in Progress::memory of the number of spare lives one frame ago. With four lives, the
// number falls from 2 to -1.
constexpr std::size_t kSpareBefore = 0;
constexpr int kFirstSpare = 2;
constexpr int kLastLife = -1;

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.lives = 4;
  progress.memory[kSpareBefore] = kFirstSpare;
}

void Observe(RamView ram, Progress& progress) {
  const int spare = static_cast<std::int8_t>(ram[0x88]);
  std::int32_t& spare_before = progress.memory[kSpareBefore];
  // The button starts the next game at once, so a frame may already show the first count of that
  // game.
  const bool restarted = spare == kFirstSpare && spare_before == kLastLife;
  progress.terminal = spare == kLastLife - 1 || restarted;
  if (spare == spare_before - 1) --progress.lives;
  spare_before = spare;
  // The score may already be that of the next game, so the last frame gives no reward.
  if (progress.terminal) {
    progress.reward = 0;
  } else {
    progress.Score(ram.Bcd(0xDB, 0xDA, 0xD9));
  }
}

}  // namespace

extern constinit const Game kQbert{
    .id = "qbert",
    .rom_md5 = "484b0076816a104875e00467d431c2d2",
    .hardware = {.mapper = Mapper::k4K, .first_line = 40},
    .minimal = {Action::kNoop, Action::kFire, Action::kUp, Action::kRight, Action::kLeft,
                Action::kDown},
    .difficulties = kRange<2>,
    .begin = Begin,
    .observe = Observe,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::qbert
