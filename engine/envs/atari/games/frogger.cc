// Frogger (Parker Brothers, 1982). The game ends when the last frog is lost.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::frogger {
namespace {

// Every second variant of the cartridge is for two players.
constexpr ModeCounter kCounter{.address = 0xDD, .frames = 2, .offset = 1, .scale = 2};
constexpr int kNoneLeft = 0xFF;  // -1 in a byte

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.lives = 4;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(ram.Bcd(0xCE, 0xCC));
  progress.lives = ram[0xD0];
  progress.terminal = progress.lives == kNoneLeft;
}

}  // namespace

extern constinit const Game kFrogger{
    .id = "frogger",
    .rom_md5 = "081e2c114c9c20b61acf25fc95c71bf4",
    .hardware = {.mapper = Mapper::k4K},
    .minimal = {Action::kNoop, Action::kUp, Action::kRight, Action::kLeft, Action::kDown},
    .modes = kRange<3>,
    .difficulties = kRange<2>,
    .counter = &kCounter,
    .begin = Begin,
    .observe = Observe,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::frogger
