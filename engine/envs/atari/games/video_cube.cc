// Atari Video Cube (Atari, 1982). The player finishes the faces of a cube. The reward is the change
// of the number of finished faces, or -1 when the time is up. The game ends then, or when all faces
// are finished.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::video_cube {
namespace {

// A mode is 100 * cube + rules. Cubes are 1 to 50, and 0 also selects cube 1.
constexpr int kNumRules = 3;
constexpr int kNumCubes = 51;
constexpr int kCubeWeight = 100;
constexpr auto kModes = [] {
  std::array<std::uint16_t, kNumCubes * kNumRules> modes{};
  for (std::size_t i = 0; i < modes.size(); ++i) {
    modes[i] = static_cast<std::uint16_t>(i / kNumRules * kCubeWeight + i % kNumRules);
  }
  return modes;
}();
// The values in memory for the rules: plain, blacked out, restricted moves.
constexpr std::array<int, kNumRules> kVariants{0, 2, 8};

// The menu takes no input for a second, so the button is pressed after that.
constexpr auto kStart = [] {
  std::array<Action, 64> actions{};
  actions[61] = Action::kFire;
  return actions;
}();

// Six faces of nine colours each.
constexpr int kFirstBlock = 0xA0;
constexpr int kFaces = 6;
constexpr int kBlocks = 9;

// Indices in Progress::memory.
constexpr int kFinished = 0;  // number of finished faces in the latest frame
constexpr int kTimer = 1;     // timer in the latest frame; a reset keeps it

int FinishedFaces(RamView ram) {
  int finished = 0;
  for (int face = 0; face < kFaces; ++face) {
    const int first = kFirstBlock + face * kBlocks;
    int same = 1;
    while (same < kBlocks && ram[first + same] == ram[first]) ++same;
    finished += same == kBlocks;
  }
  return finished;
}

void Select(int mode, ModeDriver& driver, Progress&) {
  const int variant = kVariants[static_cast<std::size_t>(mode % kCubeWeight)];
  driver.SelectUntil(variant, 2, [](RamView ram) { return ram[0xFB] & 0x1F; });
  driver.SoftReset();
  const int cube = mode < kCubeWeight ? 1 : mode / kCubeWeight;
  driver.ActUntil({Action::kRight}, [cube](RamView ram) { return ram.Bcd(0x9F) == cube; });
}

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.terminal = false;
  progress.memory[kFinished] = 0;
}

void Observe(RamView ram, Progress& progress) {
  const int finished = FinishedFaces(ram);
  const int timer = ram[0xDB];
  // A new game also sets the timer to zero, so only a wrap from the highest value ends the game.
  const bool time_is_up = timer == 0 && progress.memory[kTimer] == 0xFF;
  progress.reward = time_is_up ? -1 : finished - progress.memory[kFinished];
  progress.terminal = time_is_up || finished == kFaces;
  progress.memory[kFinished] = finished;
  progress.memory[kTimer] = timer;
}

void Keep(const Progress& now, Progress& restored) { restored.memory[kTimer] = now.memory[kTimer]; }

}  // namespace

extern constinit const Game kVideoCube{
    .id = "video_cube",
    .rom_md5 = "3f540a30fdee0b20aed7288e4a5ea528",
    .hardware = {.mapper = Mapper::k4K},
    .start = kStart,
    .modes = kModes,
    .difficulties = kRange<2>,
    .select = Select,
    .begin = Begin,
    .observe = Observe,
    .keep = Keep,
    .lives = OneUntilEnd,
};

}  // namespace engine::atari::video_cube
