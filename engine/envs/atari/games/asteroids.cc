// Asteroids (Atari, 1981). The game ends when the last ship is lost. The score wraps to 0 at
// 100000.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::asteroids {
namespace {

constexpr ModeCounter kCounter{.address = 0x80, .frames = 2};
// 32 variants, and one for children.
constexpr auto kModes = [] {
  std::array<std::uint16_t, 33> modes{};
  for (std::size_t i = 0; i < 32; ++i) modes[i] = static_cast<std::uint16_t>(i);
  modes[32] = 0x80;
  return modes;
}();

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.lives = 4;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(10 * ram.Bcd(0xBE, 0xBD));
  if (progress.reward < 0) progress.reward += 100000;
  progress.lives = ram[0xBC] >> 4;
  progress.terminal = progress.lives == 0;
}

}  // namespace

extern constinit const Game kAsteroids{
    .id = "asteroids",
    .rom_md5 = "ccbd36746ed4525821a8083b0d6d2c2c",
    .hardware = {.mapper = Mapper::kF8, .hmove_blanks = false},
    .minimal = kAllActions - ActionSet{Action::kDownRight, Action::kDownLeft,
                                       Action::kDownRightFire, Action::kDownLeftFire},
    .modes = kModes,
    .difficulties = kRange<2, 3>,
    .counter = &kCounter,
    .begin = Begin,
    .observe = Observe,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::asteroids
