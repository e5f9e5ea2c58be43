// Atlantis (Imagic, 1982). The game ends when the last building is lost.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::atlantis {
namespace {

constexpr ModeCounter kCounter{.address = 0x8D, .frames = 2};
constexpr int kGameOver = 0xFF;  // stored in place of the number of lives

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.lives = 6;
}

void Observe(RamView ram, Progress& progress) {
  progress.lives = ram[0xF1];
  progress.terminal = progress.lives == kGameOver;
  if (progress.terminal) {
    progress.reward = 0;  // the game now uses the score's memory for other things
    return;
  }
  progress.Score(100 * ram.Bcd(0xA2, 0xA3, 0xA1));
}

}  // namespace

extern constinit const Game kAtlantis{
    .id = "atlantis",
    .rom_md5 = "9ad36e699ef6f45d9eb6c4cf90475c9f",
    .hardware = {.mapper = Mapper::k4K},
    .minimal = {Action::kNoop, Action::kFire, Action::kRightFire, Action::kLeftFire},
    .modes = kRange<4>,
    .counter = &kCounter,
    .begin = Begin,
    .observe = Observe,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::atlantis
