// Battlezone (Atari, 1983). The game ends when the last tank is lost.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::battle_zone {
namespace {

constexpr ModeCounter kCounter{.address = 0xA1, .frames = 2};

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.lives = 5;
}

int Digit(int figure) { return figure == 10 ? 0 : figure; }  // 10 is a blank, a leading zero

void Observe(RamView ram, Progress& progress) {
  // Memory has the digits from the thousands up, the lowest first. The three digits below them are
  // always zero.
  progress.Score(
      1000 * (Digit(ram[0x9D] >> 4) + 10 * Digit(ram[0x9E] & 0x0F) + 100 * Digit(ram[0x9E] >> 4)));
  progress.lives = ram[0xBA] & 0x0F;
  progress.terminal = progress.lives == 0;
}

}  // namespace

extern constinit const Game kBattleZone{
    .id = "battle_zone",
    .rom_md5 = "41f252a66c6301f1e8ab3612c19bc5d4",
    .hardware = {.mapper = Mapper::kF8, .hmove_blanks = false},
    .modes = kRange<3, 1, 1>,
    .counter = &kCounter,
    .begin = Begin,
    .observe = Observe,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::battle_zone
