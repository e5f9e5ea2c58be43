// Gravitar (Atari, 1983). The game ends when the last ship is lost. The variants differ in the
// number of ships.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::gravitar {
namespace {

constexpr ModeCounter kCounter{.address = 0x80, .frames = 10};
constexpr int kFirstLives = 6;

// The game waits for the button before it shows the solar system.
constexpr auto kStart = [] {
  std::array<Action, 16> actions{};
  actions.fill(Action::kFire);
  return actions;
}();

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.lives = kFirstLives;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(ram.Bcd(0x89, 0x88, 0x87));
  const int screen = ram[0x81];  // 0 is the title, 1 the end
  progress.terminal = screen == 1;
  // On the title screen the count of ships is not in memory yet.
  progress.lives = screen == 0 ? kFirstLives : ram[0x84] + 1;
}

}  // namespace

extern constinit const Game kGravitar{
    .id = "gravitar",
    .rom_md5 = "8ac18076d01a6b63acf6e2cab4968940",
    .hardware = {.mapper = Mapper::kF8},
    .start = kStart,
    .modes = kRange<5>,
    .counter = &kCounter,
    .begin = Begin,
    .observe = Observe,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::gravitar
