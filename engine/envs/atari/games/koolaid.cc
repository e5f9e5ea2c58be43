// Kool-Aid Man (M Network, 1983). The game ends when its game-over byte is set. There are no lives.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::koolaid {
namespace {

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(100 * ram.Bcd(0x81, 0x80));
  progress.terminal = ram[0xD1] == 0x80;
}

}  // namespace

extern constinit const Game kKoolaid{
    .id = "koolaid",
    .rom_md5 = "534e23210dd1993c828d944c6ac4d9fb",
    .hardware = {.mapper = Mapper::k4K},
    .minimal = kAllActions - kFiringActions,
    .begin = Begin,
    .observe = Observe,
    .lives = NoLives,
};

}  // namespace engine::atari::koolaid
