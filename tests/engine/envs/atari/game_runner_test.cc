// Test programs played as games: programs that halt raise an error, and a restored runner continues
// exactly as the original.
#include "engine/envs/atari/game_runner.h"

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/base/error.h"
#include "engine/envs/atari/game_rom.h"
#include "tests/engine/emulators/atari2600/programs.h"
#include "tests/engine/harness.h"

namespace engine::atari::testing {
namespace game_runner_test {

using atari2600::testing::Bytes;
using atari2600::testing::DrawingRom;
using atari2600::testing::kHalt;
using atari2600::testing::LivelyRom;
using atari2600::testing::Rom;

static_assert(std::is_trivially_copyable_v<RunnerState>);

// A program as a game. Its score is the byte at 0x80, where DrawingRom() counts frames.
struct TestGame {
  explicit TestGame(const Bytes& rom) : image(rom), digest(Md5(rom)) {
    game.id = "test";
    game.rom_md5 = digest;
    game.begin = [](Progress& progress) { progress = {}; };
    game.observe = [](RamView ram, Progress& progress) { progress.Score(ram[0x80]); };
    game.lives = &NoLives;
  }
  std::shared_ptr<const GameRom> Load() const {
    return std::make_shared<const GameRom>(game, image);
  }

  Bytes image;
  std::string digest;
  Game game;
};

// If the processor of a game halts, Act() throws instead of repeating the same frame.
TEST(GameRunner, AJamIsAnError) {
  const TestGame test(DrawingRom());
  GameRunner runner(test.Load(), {}, 1);
  runner.set_ram(0x90, 0);
  EXPECT_EQ(runner.Act(Action::kNoop), 1);
  runner.set_ram(0x90, kHalt);
  for (int i = 0; i < 3; ++i) {
    EXPECT_THROW_MESSAGE(runner.Act(Action::kNoop), Error, "the processor halted");
  }
  EXPECT_THROW_MESSAGE(runner.Reset(), Error, "the processor halted");  // a reset keeps memory
  runner.set_ram(0x90, 0);
  runner.Reset();
  EXPECT_EQ(runner.Act(Action::kNoop), 1);
}

// A cartridge whose program halts at once cannot be played.
TEST(GameRunner, AJamAtTheStartIsAnError) {
  const TestGame test(Rom({0x02}));
  const auto rom = test.Load();
  EXPECT_THROW_MESSAGE(GameRunner(rom, {}, 1), Error, "the processor halted");
}

// A program that never ends a frame can be played, but nothing happens.
TEST(GameRunner, AnEndlessLoopIsStepped) {
  const TestGame test(Rom({0x4C, 0x00, 0xF0}));
  GameRunner runner(test.Load(), {.frame_skip = 4}, 1);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(runner.Act(Action::kFire), 0);
    EXPECT_FALSE(runner.over());
  }
  EXPECT_EQ(runner.episode_frame_number(), 80);
}

// Random programs as games either play frames or report that the processor halted.
TEST(GameRunner, RandomProgramsAreSteppedOrRefused) {
  std::mt19937 random(11);
  int played = 0;
  for (int seed = 0; seed < 40; ++seed) {
    const TestGame test(seed % 2 == 0 ? LivelyRom(Mapper::k4K, random)
                                      : Rom(LivelyRom(Mapper::k2K, random)));
    try {
      GameRunner runner(test.Load(), {}, 1);
      for (int i = 0; i < 20; ++i) runner.Act(static_cast<Action>(random() % kNumActions));
      ++played;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("halted"), std::string::npos);
    }
  }
  EXPECT_GT(played, 0);
}

// An image with another digest is rejected. The message has both digests.
TEST(GameRunner, AnAlteredImageIsRefused) {
  TestGame test(DrawingRom());
  test.image[100] ^= 1;
  EXPECT_THROW_MESSAGE(test.Load(), Error, test.digest);
  EXPECT_THROW_MESSAGE(test.Load(), Error, Md5(test.image));
  test.image.pop_back();
  EXPECT_THROW_MESSAGE(test.Load(), Error, "got 4095 bytes");
}

// Another score for DrawingRom(): the byte that it computes from the joystick.
void ScoreOfJoystick(RamView ram, Progress& progress) { progress.Score(ram[0x81]); }

struct Act {
  std::int32_t reward;
  Bytes pixels;
  Bytes ram;
  friend bool operator==(const Act&, const Act&) = default;
};

std::vector<Act> Acts(GameRunner& runner, int count, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<Act> acts;
  for (int i = 0; i < count; ++i) {
    const std::int32_t reward = runner.Act(static_cast<Action>(random() % kNumActions));
    const atari2600::Console& console = runner.console();
    acts.push_back({.reward = reward,
                    .pixels = Bytes(console.pixels().begin(), console.pixels().end()),
                    .ram = Bytes(console.ram(), console.ram() + atari2600::kRamSize)});
  }
  return acts;
}

// Sticky actions, rewards, memory and pictures after a restore, on the same runner and on another.
TEST(GameRunner, ContinuesFromASnapshot) {
  TestGame game(DrawingRom());
  game.game.observe = &ScoreOfJoystick;
  const auto rom = game.Load();
  GameRunner runner(rom, {.frame_skip = 3}, 5);
  Acts(runner, 20, 1);
  const RunnerState state = runner.state();
  const std::vector<Act> first = Acts(runner, 30, 2);
  EXPECT_EQ(runner.frame_number(), 150);
  runner.Restore(state);
  EXPECT_EQ(runner.frame_number(), 60);
  EXPECT_TRUE(Acts(runner, 30, 2) == first);

  GameRunner other(rom, {.frame_skip = 3}, 6);
  Acts(other, 11, 3);
  EXPECT_FALSE(Acts(other, 30, 2) == first);
  other.Restore(state);
  EXPECT_TRUE(Acts(other, 30, 2) == first);
  runner.Reset();
  other.Reset();
  EXPECT_TRUE(Acts(other, 30, 4) == Acts(runner, 30, 4)) << "the reset's generator is restored too";
}

// Equal seeds give equal games. Another seed repeats other actions.
TEST(GameRunner, TheSeedDeterminesStickyActions) {
  TestGame game(DrawingRom());
  game.game.observe = &ScoreOfJoystick;
  const auto rom = game.Load();
  GameRunner a(rom, {}, 5);
  GameRunner b(rom, {}, 5);
  GameRunner c(rom, {}, 6);
  const std::vector<Act> first = Acts(a, 50, 1);
  EXPECT_TRUE(Acts(b, 50, 1) == first);
  EXPECT_FALSE(Acts(c, 50, 1) == first);
}

// Like ale-py's restoreState: the runner keeps its held action. It also keeps its generator of
// sticky actions unless `with_random` is true.
TEST(GameRunner, RestoreLikeAleKeepsTheGenerator) {
  TestGame game(DrawingRom());
  game.game.observe = &ScoreOfJoystick;
  const auto rom = game.Load();
  GameRunner runner(rom, {}, 5);
  Acts(runner, 20, 1);
  const RunnerState state = runner.state();
  Acts(runner, 20, 2);
  const RunnerState later = runner.state();
  runner.RestoreLikeAle(state, /*with_random=*/false);
  EXPECT_TRUE(runner.state().random == later.random);
  EXPECT_EQ(runner.state().held, later.held);
  EXPECT_EQ(runner.frame_number(), 20);
  runner.RestoreLikeAle(state, /*with_random=*/true);
  EXPECT_TRUE(runner.state().random == state.random);
  EXPECT_EQ(runner.state().held, later.held);
}

// A runner with its picture takes less than 64 KB.
TEST(GameRunner, IsSmall) { EXPECT_LT(sizeof(GameRunner) + 250 * atari2600::kWidth, 64'000); }

}  // namespace game_runner_test
}  // namespace engine::atari::testing
