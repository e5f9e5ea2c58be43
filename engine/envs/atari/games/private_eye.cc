// Private Eye (Activision, 1983). The game ends when its time is over or the cases are solved.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::private_eye {
namespace {

constexpr ModeCounter kCounter{.address = 0x80, .frames = 2};
constexpr std::array kStart{Action::kUp};
constexpr int kFirstScore = 1000;

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = kFirstScore;
  progress.terminal = false;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(ram.Bcd(0xCA, 0xC9, 0xC8));
  // The byte is the timer of the copyright notice, which is shown after the game. The timer is 1
  // before the game and 0 during the game.
  progress.terminal = ram[0xC2] > 1;
}

}  // namespace

extern constinit const Game kPrivateEye{
    .id = "private_eye",
    .rom_md5 = "ef3a4f64b6494ba770862768caf04b86",
    .hardware = {.mapper = Mapper::kF8},
    .start = kStart,
    .modes = kRange<5>,
    .difficulties = kRange<4>,
    .counter = &kCounter,
    .begin = Begin,
    .observe = Observe,
    .lives = NoLives,
};

}  // namespace engine::atari::private_eye
