// Casino (Atari, 1979). The player plays cards for chips; the score is the number of chips. The
// game ends when no chip is left or the bank is broken. Poker solitaire ends when all cards are
// placed and scored.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::casino {
namespace {

constexpr ModeCounter kCounter{.address = 0xD4, .frames = 2};
// Blackjack, stud poker and poker solitaire. Mode 1 is blackjack for more players.
constexpr int kSolitaire = 3;
constexpr std::array<std::uint16_t, 3> kModes{0, 2, kSolitaire};

// The cards are shuffled for a second; then the button makes the player join.
constexpr auto kStart = [] {
  std::array<Action, 62> actions{};
  actions[60] = actions[61] = Action::kFire;
  return actions;
}();

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
}

void Observe(RamView ram, Progress& progress) {
  const int score = ram.Bcd(0x95, 0x8C);
  if (ram[0xD4] == kSolitaire) {
    const bool counted = ram[0x9E] == 0xAA;  // all 25 cards are placed and scored
    progress.reward = score - progress.score;
    progress.terminal = score > 0 && counted;
  } else {
    // At the end the game ignores input and sets the chips again. That change is not a reward, so
    // the latest reward is kept. Only the ignored input shows that the number of chips has exceeded
    // four digits.
    const bool deaf = (ram[0xD3] & 0x80) != 0;
    if (!deaf) progress.reward = score - progress.score;
    const int bet = ram[0x9E];  // 0 until the game has begun
    progress.terminal = score == 0 || (bet != 0 && deaf);
  }
  progress.score = score;
}

}  // namespace

extern constinit const Game kCasino{
    .id = "casino",
    .rom_md5 = "b816296311019ab69a21cb9e9e235d12",
    .hardware = {.mapper = Mapper::k4K, .left = Controller::kPaddles},
    .minimal = {Action::kNoop, Action::kFire, Action::kUp, Action::kDown},
    .start = kStart,
    .modes = kModes,
    .difficulties = kRange<4>,
    .counter = &kCounter,
    .begin = Begin,
    .observe = Observe,
    .lives = OneUntilEnd,
};

}  // namespace engine::atari::casino
