// Lost Luggage (Apollo, 1982). The game ends when the last life is lost and play has stopped.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::lost_luggage {
namespace {

// Until the game starts, the score's highest byte is the variant's number; 1 and 4 are the
// variants for one player.
constexpr ModeCounter kCounter{.address = 0x94, .frames = 2, .offset = 1, .scale = 3};
constexpr std::array kStart{Action::kFire};  // the button has an effect only at the start

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.lives = 3;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(ram.Bcd(0x96, 0x95, 0x94));
  progress.lives = ram[0xCA];
  const bool stopped = ram[0xC8] == 0x0A && ram[0xA5] == 0 && ram[0xA9] == 0;
  progress.terminal = progress.lives == 0 && stopped;
}

}  // namespace

extern constinit const Game kLostLuggage{
    .id = "lost_luggage",
    .rom_md5 = "2d76c5d1aad506442b9e9fb67765e051",
    .hardware = {.mapper = Mapper::k4K},
    .minimal = kAllActions - kFiringActions,
    .legal = kAllActions - kFiringActions,
    .start = kStart,
    .modes = kRange<2>,
    .difficulties = kRange<2>,
    .counter = &kCounter,
    .begin = Begin,
    .observe = Observe,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::lost_luggage
