// Name This Game (U.S. Games, 1983). The game ends when the last life is lost.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::name_this_game {
namespace {

constexpr ModeCounter kCounter{.address = 0xDE, .frames = 2};

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.lives = 3;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(ram.Bcd(0xC6, 0xC5, 0xC4));
  progress.lives = ram[0xC7] & 7;
  progress.terminal = progress.lives == 0;
}

}  // namespace

extern constinit const Game kNameThisGame{
    .id = "name_this_game",
    .rom_md5 = "36306070f0c90a72461551a7a4f3a209",
    .hardware = {.mapper = Mapper::k4K},
    .minimal = {Action::kNoop, Action::kFire, Action::kRight, Action::kLeft, Action::kRightFire,
                Action::kLeftFire},
    .modes = kRange<3, 0x10, 0x08>,  // the numbers of the variants in memory
    .difficulties = kRange<2>,
    .counter = &kCounter,
    .begin = Begin,
    .observe = Observe,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::name_this_game
