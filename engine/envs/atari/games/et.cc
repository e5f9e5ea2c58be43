// E.T. the Extra-Terrestrial (Atari, 1982). Points are scored only when E.T. goes home or is lost.
// The game ends on the title screen after the last life.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::et {
namespace {

constexpr ModeCounter kCounter{.address = 0xEA, .frames = 25, .offset = 1};
constexpr int kTitleScreen = 8;

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.lives = 0;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(ram.Bcd(0xE1, 0xE0, 0xDF));
  // The signed byte is the number of times that E.T. can still be revived. -1 (0xFF) means that no
  // life is left.
  progress.lives = static_cast<std::int8_t>(ram[0xE5] + 1);
  progress.terminal = progress.lives == 0 && ram[0x80] == kTitleScreen;
}

}  // namespace

extern constinit const Game kEt{
    .id = "et",
    .rom_md5 = "615a3bf251a38eb6638cdc7ffbde5480",
    .hardware = {.mapper = Mapper::kF8},
    .modes = kRange<3>,
    .difficulties = kRange<4>,
    .counter = &kCounter,
    .begin = Begin,
    .observe = Observe,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::et
