// Haunted House (Atari, 1982). The player finds the urn and leaves the house with it, for a reward
// of 100. Each match lit costs one point. The game ends when the player has left with the urn or
// the last life is lost.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::haunted_house {
namespace {

constexpr ModeCounter kCounter{.address = 0xCC, .frames = 2};
constexpr std::size_t kMatches = 0;  // index in Progress::memory of the number of matches lit

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.terminal = false;
  progress.lives = 9;
  progress.memory[kMatches] = 0;
}

void Observe(RamView ram, Progress& progress) {
  const int matches = ram.Bcd(0x82);
  const bool escaped = ram[0x99] == 0x44;  // out of the house, with the urn
  // Any change of the count costs one point, even a return to zero.
  progress.reward = (escaped ? 100 : 0) - (matches != progress.memory[kMatches] ? 1 : 0);
  progress.memory[kMatches] = matches;
  progress.lives = ram[0x96];
  progress.terminal = escaped || progress.lives == 0;
}

}  // namespace

extern constinit const Game kHauntedHouse{
    .id = "haunted_house",
    .rom_md5 = "f0a6e99f5875891246c3dbecbf2d2cea",
    .hardware = {.mapper = Mapper::k4K},
    .modes = kRange<9>,
    .difficulties = kRange<2>,
    .counter = &kCounter,
    .begin = Begin,
    .observe = Observe,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::haunted_house
