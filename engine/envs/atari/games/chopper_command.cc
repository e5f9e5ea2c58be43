// Chopper Command (Activision, 1982). The game ends when the last helicopter is lost.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::chopper_command {
namespace {

constexpr ModeCounter kCounter{.address = 0xE0, .frames = 2};

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.lives = 3;
  progress.started = false;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(100 * ram.Bcd(0xEE, 0xEC));
  progress.lives = ram[0xE4] & 0x0F;
  // The number of lives is also 0 on the title screen. There the helicopter never faces right, but
  // when a game begins, it does.
  const bool faces_right = (ram[0xC2] & 1) != 0;
  progress.started = progress.started || faces_right;
  progress.terminal = progress.started && progress.lives == 0;
}

void Keep(const Progress& now, Progress& restored) { restored.started = now.started; }

}  // namespace

extern constinit const Game kChopperCommand{
    .id = "chopper_command",
    .rom_md5 = "c1cb228470a87beb5f36e90ac745da26",
    .hardware = {.mapper = Mapper::k4K},
    .modes = kRange<2, 2>,
    .difficulties = kRange<2>,
    .counter = &kCounter,
    .begin = Begin,
    .observe = Observe,
    .keep = Keep,
    .lives = LivesKept,
};

}  // namespace engine::atari::chopper_command
