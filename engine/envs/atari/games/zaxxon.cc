// Zaxxon (CBS Electronics, 1983). The game ends when the last fighter is lost.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::zaxxon {
namespace {

constexpr ModeCounter kCounter{.address = 0x82, .frames = 10};

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.lives = 5;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(100 * ram.Bcd(0xE9, 0xE8));
  progress.lives = ram[0xEA] & 0x07;
  progress.terminal = progress.lives == 0;
}

}  // namespace

extern constinit const Game kZaxxon{
    .id = "zaxxon",
    .rom_md5 = "eea0da9b987d661264cce69a7c13c3bd",
    .hardware = {.mapper = Mapper::kF8},
    .modes = kRange<4, 8>,
    .counter = &kCounter,
    .begin = Begin,
    .observe = Observe,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::zaxxon
