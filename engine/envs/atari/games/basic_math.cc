// Basic Math (Atari, 1977). The player solves ten problems; each right answer is worth one point.
// The game ends after the tenth problem.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::basic_math {
namespace {

constexpr ModeCounter kCounter{.address = 0xC5, .frames = 2};
constexpr std::array<std::uint16_t, 3> kDifficulties{0, 2, 3};

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(ram.Bcd(0x84));
  // The byte is set on the screen that shows the result. Using the count of problems instead would
  // end the game before the last point.
  progress.terminal = ram[0x86] != 0;
}

}  // namespace

extern constinit const Game kBasicMath{
    .id = "basic_math",
    .rom_md5 = "819aeeb9a2e11deb54e6de334f843894",
    .hardware = {.mapper = Mapper::k2K},
    .minimal = {Action::kNoop, Action::kFire, Action::kUp, Action::kRight, Action::kLeft,
                Action::kDown},
    .modes = kRange<4, 1, 5>,  // in modes 1 to 4 the player chooses a number
    .difficulties = kDifficulties,
    .counter = &kCounter,
    .begin = Begin,
    .observe = Observe,
    .lives = OneUntilEnd,
};

}  // namespace engine::atari::basic_math
