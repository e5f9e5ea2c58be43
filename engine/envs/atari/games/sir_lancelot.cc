// Sir Lancelot (Xonox, 1983). The game ends when the last life is lost and the fall is over.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::sir_lancelot {
namespace {

constexpr std::array kStart{Action::kLeft};
constexpr int kGameOver = 0xA0;

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.lives = 3;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(ram.Bcd(0xA0, 0x9F, 0x9E));
  progress.lives = ram[0xA9];
  progress.terminal = progress.lives == 0 && ram[0xA7] == kGameOver;
}

}  // namespace

extern constinit const Game kSirLancelot{
    .id = "sir_lancelot",
    .rom_md5 = "dd0cbe5351551a538414fb9e37fc56e8",
    .hardware = {.mapper = Mapper::kF8, .format = TvFormat::kPal},
    .minimal = {Action::kNoop, Action::kFire, Action::kRight, Action::kLeft, Action::kRightFire,
                Action::kLeftFire},
    .reset_frames = 5,
    .start = kStart,
    .begin = Begin,
    .observe = Observe,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::sir_lancelot
