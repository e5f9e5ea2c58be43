// Atlantis II (Imagic, 1982). The game ends when the last building is lost.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::atlantis2 {
namespace {

constexpr int kGameOver = 0xFF;  // stored in place of the number of lives

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
}

void Observe(RamView ram, Progress& progress) {
  progress.lives = ram[0xF1];
  progress.terminal = progress.lives == kGameOver;
  if (progress.terminal) {
    progress.reward = 0;  // the game now uses the score's memory for other things
    return;
  }
  progress.Score(ram.Bcd(0xA1, 0xA2, 0xA3));
}

void Keep(const Progress& now, Progress& restored) { restored.lives = now.lives; }

}  // namespace

extern constinit const Game kAtlantis2{
    .id = "atlantis2",
    .rom_md5 = "826481f6fc53ea47c9f272f7050eedf7",
    .hardware = {.mapper = Mapper::k4K},
    .minimal = {Action::kNoop, Action::kFire, Action::kRightFire, Action::kLeftFire},
    .begin = Begin,
    .observe = Observe,
    .keep = Keep,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::atlantis2
