// Ms. Pac-Man (Atari, 1982). The game ends when the last life is lost and the death animation is
// over.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::ms_pacman {
namespace {

constexpr int kDeathShown = 0x53;  // value of the death animation's timer at its end

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.lives = 3;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(ram.Bcd(0xF8, 0xF9, 0xFA));
  const int spare = ram[0xFB] & 0x0F;
  progress.terminal = spare == 0 && ram[0xA7] == kDeathShown;
  progress.lives = (spare & 7) + 1;
}

// A variant is a number and a flag. The flag is set only for the ordinary game, which is mode 0.
void Select(int mode, ModeDriver& driver, Progress&) {
  constexpr int kOrdinary = 0x101;
  driver.SelectUntil(mode == 0 ? kOrdinary : mode, 10,
                     [](RamView ram) { return 0x100 * ram[0xA1] + ram[0x99]; });
  driver.SoftReset();
}

}  // namespace

extern constinit const Game kMsPacman{
    .id = "ms_pacman",
    .rom_md5 = "87e79cd41ce136fd4f72cc6e2c161bee",
    .hardware = {.mapper = Mapper::kF8, .hmove_blanks = false},
    .minimal = ActionSet{Action::kNoop} | kDirections,
    .modes = kRange<4>,
    .select = Select,
    .begin = Begin,
    .observe = Observe,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::ms_pacman
