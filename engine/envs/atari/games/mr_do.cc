// Mr. Do! (CBS Electronics, 1983). The game ends in the game-over state after the last life.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::mr_do {
namespace {

constexpr ModeCounter kCounter{.address = 0x80, .frames = 5};
constexpr std::array kStart{Action::kFire};
constexpr int kGameOver = 0x40;

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.lives = 4;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(10 * ram.Bcd(0x82, 0x83));
  progress.lives = ram[0xDB];
  progress.terminal = ram[0xDA] == kGameOver;
}

}  // namespace

extern constinit const Game kMrDo{
    .id = "mr_do",
    .rom_md5 = "aa7bb54d2c189a31bb1fa20099e42859",
    .hardware = {.mapper = Mapper::kF8, .format = TvFormat::kPal},
    .minimal = {Action::kNoop, Action::kFire, Action::kUp, Action::kRight, Action::kLeft,
                Action::kDown, Action::kUpFire, Action::kRightFire, Action::kLeftFire,
                Action::kDownFire},
    .start = kStart,
    .modes = kRange<4>,
    .counter = &kCounter,
    .begin = Begin,
    .observe = Observe,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::mr_do
