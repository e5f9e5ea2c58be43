// Backgammon (Atari, 1979). The game ends when one side has borne off its fifteen men. The reward
// is then 1 if that side is the player, and -1 otherwise.
#include <cstdlib>

#include "engine/envs/atari/games/game.h"

namespace engine::atari::backgammon {
namespace {

// In memory, the variant for one player without the doubling cube is number 3.
constexpr ModeCounter kCounter{.address = 0xDC, .offset = 3};
// The other difficulties only change the start position.
constexpr std::array<std::uint16_t, 1> kDifficulties{3};

// The board in memory: 24 points, two bars and the men borne off. Each byte is a number of men,
// negative for the player and positive for the computer.
constexpr int kPlayerOff = 0x80;
constexpr int kComputerOff = 0x8E;
constexpr int kLastPoint = 0x9B;
constexpr int kMen = 15;

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.terminal = false;
}

void Observe(RamView ram, Progress& progress) {
  const auto men = [ram](int address) { return static_cast<std::int8_t>(ram[address]); };
  int player = 0;
  int computer = 0;
  for (int address = kPlayerOff + 1; address <= kLastPoint; ++address) {
    if (address == kComputerOff) continue;
    (men(address) < 0 ? player : computer) += std::abs(men(address));
  }
  const auto player_off = static_cast<std::int8_t>(-men(kPlayerOff));
  const auto computer_off = men(kComputerOff);
  // While the computer thinks, it uses this memory for other things, so only a board with all men
  // is valid. The sums are signed bytes.
  const bool whole = static_cast<std::int8_t>(player) + player_off == kMen &&
                     static_cast<std::int8_t>(computer) + computer_off == kMen;
  if (!whole || (player_off != kMen && computer_off != kMen)) return;
  progress.reward = player_off == kMen ? 1 : -1;
  progress.terminal = true;
}

}  // namespace

extern constinit const Game kBackgammon{
    .id = "backgammon",
    .rom_md5 = "8556b42aa05f94bc29ff39c39b11bff4",
    .hardware = {.mapper = Mapper::k4K, .left = Controller::kPaddles, .paddle_max = 1000000},
    .minimal = {Action::kFire, Action::kRight, Action::kLeft},
    .difficulties = kDifficulties,
    .counter = &kCounter,
    .begin = Begin,
    .observe = Observe,
    .lives = OneUntilEnd,
};

}  // namespace engine::atari::backgammon
