// Keystone Kapers (Activision, 1983). The game ends when the last life is lost and play has
// stopped.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::keystone_kapers {
namespace {

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.lives = 3;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(ram.Bcd(0x9C, 0x9B));
  progress.lives = ram[0x96];
  const bool running = ram[0x88] != 0;
  progress.terminal = progress.lives == 0 && !running;
}

}  // namespace

extern constinit const Game kKeystoneKapers{
    .id = "keystone_kapers",
    .rom_md5 = "6c1f3f2e359dbf55df462ccbcdd2f6bf",
    .hardware = {.mapper = Mapper::k4K, .format = TvFormat::kPal},
    .minimal = kAllActions - ActionSet{Action::kUpRightFire, Action::kUpLeftFire,
                                       Action::kDownRightFire, Action::kDownLeftFire},
    .reset_frames = 5,
    .begin = Begin,
    .observe = Observe,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::keystone_kapers
