// Othello (Atari, 1978). The score is the player's lead in discs over the computer. The game ends
// when neither side can move.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::othello {
namespace {

constexpr ModeCounter kCounter{.address = 0xDE, .frames = 2, .offset = 1};

// The index in Progress::memory of the number of frames in which neither side has had the turn.
constexpr std::size_t kIdleFrames = 0;
constexpr int kLongestPause = 50;

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.memory[kIdleFrames] = 0;
}

void Observe(RamView ram, Progress& progress) {
  const int white = ram.Bcd(0xCE);  // ours
  const int black = ram.Bcd(0xD0);
  progress.Score(white - black);
  // Byte 0xC0 is the side to move: 0xFF white, 1 black, 0 none. It is also 0 for a moment between
  // moves, and after the last move until the discs have their final colours.
  std::int32_t& idle = progress.memory[kIdleFrames];
  idle = ram[0xC0] == 0 ? idle + 1 : 0;
  progress.terminal = idle > kLongestPause;
}

}  // namespace

extern constinit const Game kOthello{
    .id = "othello",
    .rom_md5 = "113cd09c9771ac278544b7e90efe7df2",
    .hardware = {.mapper = Mapper::k2K},
    .minimal = ActionSet{Action::kNoop, Action::kFire} | kDirections,
    .modes = kRange<3>,
    // The left switch is not for ordinary play. The right one selects who moves first.
    .difficulties = kRange<2, 2>,
    .counter = &kCounter,
    .begin = Begin,
    .observe = Observe,
    .lives = OneUntilEnd,
};

}  // namespace engine::atari::othello
