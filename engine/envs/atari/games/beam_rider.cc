// Beamrider (Activision, 1984). The game ends when the last ship is lost.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::beam_rider {
namespace {

constexpr Action kStart[] = {Action::kRight};

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.lives = 3;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(ram.Bcd(0x89, 0x8A, 0x8B));
  const int reserve = ram[0x85];
  const int lives = reserve + 1;
  // The number alternates while a ship is being lost, so a lower number counts only afterwards.
  const bool blinking = lives == progress.lives - 1 && ram[0x8C] != 1;
  if (!blinking) progress.lives = lives;
  progress.terminal = reserve == 0xFF;
}

}  // namespace

extern constinit const Game kBeamRider{
    .id = "beam_rider",
    .rom_md5 = "79ab4123a83dc11d468fb2108ea09e2e",
    .hardware = {.mapper = Mapper::kF8},
    .minimal = {Action::kNoop, Action::kFire, Action::kUp, Action::kRight, Action::kLeft,
                Action::kUpRight, Action::kUpLeft, Action::kRightFire, Action::kLeftFire},
    .start = kStart,
    .difficulties = kRange<2>,
    .begin = Begin,
    .observe = Observe,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::beam_rider
