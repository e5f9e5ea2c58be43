// Pac-Man (Atari, 1982). The game ends when the last life is lost and the death animation is over.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::pacman {
namespace {

constexpr int kDeathShown = 0x3F;  // value of the death animation's counter at its end

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.lives = 4;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(ram.Bcd(0xCC, 0xCE, 0xD0));
  progress.lives = ram[0x98] + 1;
  progress.terminal = progress.lives == 1 && ram[0xE4] == kDeathShown;
}

// Every variant exists for one and for two players. Before the game, the variant's number on the
// screen, from 1, is at the address of the score.
void Select(int mode, ModeDriver& driver, Progress&) {
  driver.SelectUntil(mode + 1, 2, [](RamView ram) {
    const bool one_player = ram[0xE6] == 0;
    return one_player ? ram[0xCC] : 0;
  });
  driver.SoftReset();
}

}  // namespace

extern constinit const Game kPacman{
    .id = "pacman",
    .rom_md5 = "fc2233fc116faef0d3c31541717ca2db",
    .hardware = {.mapper = Mapper::k4K, .format = TvFormat::kPal},
    .minimal = {Action::kNoop, Action::kUp, Action::kRight, Action::kLeft, Action::kDown},
    .modes = kRange<8>,
    .difficulties = kRange<2>,
    .select = Select,
    .begin = Begin,
    .observe = Observe,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::pacman
