// Mario Bros. (Atari, 1983). The game ends when the last life is lost.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::mario_bros {
namespace {

constexpr ModeCounter kCounter{.address = 0x80, .frames = 5};

// The game reads the button only after a pause.
constexpr auto kStart = [] {
  constexpr std::size_t kPause = 10;
  std::array<Action, kPause + 7> actions{};
  for (std::size_t i = 0; i < actions.size(); ++i) {
    actions[i] = i < kPause ? Action::kNoop : Action::kFire;
  }
  return actions;
}();

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.lives = 0;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(100 * ram.Bcd(0x8A, 0x89));
  progress.lives = ram[0x87];
  progress.terminal = progress.lives == 0;
}

}  // namespace

extern constinit const Game kMarioBros{
    .id = "mario_bros",
    .rom_md5 = "e908611d99890733be31733a979c62d8",
    .hardware = {.mapper = Mapper::kF8},
    .start = kStart,
    .modes = kRange<4, 2>,  // the modes between are for two players
    .counter = &kCounter,
    .begin = Begin,
    .observe = Observe,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::mario_bros
