// Blackjack (Atari, 1977). The player bets chips; the score is the number of chips. The game ends
// when no chip is left or the player has at least 1000.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::blackjack {
namespace {

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
}

void Observe(RamView ram, Progress& progress) {
  const bool bust = ram[0x86] == 0x0B && ram[0x89] == 0xBB;  // blanks in place of the number
  progress.Score(bust ? 0 : ram.Bcd(0x89, 0x86));
  progress.terminal = bust || progress.score >= 1000;
}

}  // namespace

extern constinit const Game kBlackjack{
    .id = "blackjack",
    .rom_md5 = "0a981c03204ac2b278ba392674682560",
    // The paddle has a larger range than in other games, so that all bets can be placed.
    .hardware = {.mapper = Mapper::k2K, .left = Controller::kPaddles, .paddle_max = 795000},
    .minimal = {Action::kNoop, Action::kFire, Action::kUp, Action::kDown},
    .difficulties = kRange<4>,
    .begin = Begin,
    .observe = Observe,
    .lives = OneUntilEnd,
};

}  // namespace engine::atari::blackjack
