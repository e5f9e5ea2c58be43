// Laser Gates (Imagic, 1983). The game ends when the only ship is lost.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::laser_gates {
namespace {

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(ram.Bcd(0x82, 0x81, 0x80));
  progress.terminal = ram[0x83] == 0;
}

}  // namespace

extern constinit const Game kLaserGates{
    .id = "laser_gates",
    .rom_md5 = "8e4cd60d93fcde8065c1a2b972a26377",
    .hardware = {.mapper = Mapper::k4K, .format = TvFormat::kPal},
    .reset_frames = 5,
    .begin = Begin,
    .observe = Observe,
    .lives = NoLives,
};

}  // namespace engine::atari::laser_gates
