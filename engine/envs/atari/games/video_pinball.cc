// Video Pinball (Atari, 1981). The game ends when the last ball is lost.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::video_pinball {
namespace {

constexpr ModeCounter kCounter{.address = 0xC1, .frames = 2};

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.lives = 3;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(ram.Bcd(0xB0, 0xB2, 0xB4));
  progress.terminal = (ram[0xAF] & 1) != 0;
  const int ball = ram[0x99] & 0x07;  // number of the ball, from 1
  const int extra_balls = ram[0xA8] & 1;
  progress.lives = 4 + extra_balls - ball;
}

}  // namespace

extern constinit const Game kVideoPinball{
    .id = "video_pinball",
    .rom_md5 = "107cc025334211e6d29da0b6be46aec7",
    .hardware = {.mapper = Mapper::k4K},
    .minimal = {Action::kNoop, Action::kFire, Action::kUp, Action::kRight, Action::kLeft,
                Action::kDown, Action::kUpFire, Action::kRightFire, Action::kLeftFire},
    .modes = kRange<2, 2>,
    .difficulties = kRange<2>,
    .counter = &kCounter,
    .begin = Begin,
    .observe = Observe,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::video_pinball
