// What makes a cartridge a task: how points, lives and the end of an episode
// are read from the console's memory, which actions matter, how the game is
// started and how its variants are selected. One constant Game per game, in a
// file of its own beside this one; game_table.h lists them. The functions are
// pure but for the Progress they are given: any thread.
#ifndef ENGINE_ENVS_ATARI_GAMES_GAME_H_
#define ENGINE_ENVS_ATARI_GAMES_GAME_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "engine/envs/atari/actions.h"
#include "engine/envs/atari/hardware.h"

namespace engine::atari {

// Reads the console's 128 bytes of memory, and those that some cartridges add.
class RamView {
 public:
  explicit RamView(const std::uint8_t* ram, const std::uint8_t* cartridge_ram = nullptr)
      : ram_(ram), cartridge_ram_(cartridge_ram) {}

  // Only the low seven bits of the address count: 0x8D and 0x0D are one byte.
  int operator[](int address) const { return ram_[address & 0x7F]; }

  // The byte of the cartridge's own 128 bytes. Requires a cartridge that has them.
  int Cartridge(int address) const { return cartridge_ram_[address & 0x7F]; }

  // A number of two decimal digits a byte, the lowest byte first.
  template <typename... Addresses>
  int Bcd(Addresses... addresses) const {
    int value = 0;
    int weight = 1;
    ((value += weight * BcdByte((*this)[addresses]), weight *= 100), ...);
    return value;
  }
  template <typename... Addresses>
  int CartridgeBcd(Addresses... addresses) const {
    int value = 0;
    int weight = 1;
    ((value += weight * BcdByte(Cartridge(addresses)), weight *= 100), ...);
    return value;
  }

  static constexpr int BcdByte(int byte) { return 10 * (byte >> 4) + (byte & 0x0F); }

 private:
  const std::uint8_t* ram_;
  const std::uint8_t* cartridge_ram_;
};

// What the rules of a game remember from frame to frame. Trivially copyable: it
// is part of a snapshot.
struct Progress {
  std::int32_t score = 0;
  std::int32_t reward = 0;  // of the latest frame
  std::int32_t lives = 0;
  bool terminal = false;
  bool started = false;
  std::array<std::int32_t, 3> memory{};  // for what only some games need

  // The usual way from a score to a reward.
  void Score(std::int32_t now) {
    reward = now - score;
    score = now;
  }
};

// What the selection of a game's variant may do with the console.
class ModeDriver {
 public:
  virtual ~ModeDriver() = default;
  virtual RamView ram() const = 0;
  // Holds the select switch for `frames` frames and lets it go for one.
  virtual void PressSelect(int frames) = 0;
  // Holds the reset switch for four frames.
  virtual void SoftReset() = 0;
  // One action of the player, under the environment's own rules (frame skip, sticky actions).
  virtual void Play(Action action) = 0;
  // The next number of the environment's generator.
  virtual std::uint32_t Random() = 0;

  // Presses select until what `now` reads equals `wanted`. Throws engine::Error when the
  // console does not get there: not a cartridge that this game knows.
  template <typename Read>
  void SelectUntil(int wanted, int frames, Read now) {
    for (int presses = 0; now(ram()) != wanted; ++presses) {
      if (presses == kMostPresses) Unreachable(wanted);
      PressSelect(frames);
    }
  }
  // The same with an action in place of the switch.
  template <typename Done>
  void ActUntil(std::initializer_list<Action> actions, Done done) {
    for (int presses = 0; !done(ram()); ++presses) {
      if (presses == kMostPresses) Unreachable(-1);
      for (const Action action : actions) Play(action);
    }
  }

  // Far above the longest menu, and the longest row of acts that sticky actions may spoil.
  static constexpr int kMostPresses = 20'000;

 private:
  [[noreturn]] static void Unreachable(int wanted);
};

// The common way in which a variant is selected: the select switch steps through the variants,
// whose number stands in memory. A soft reset follows.
struct ModeCounter {
  int address = 0;
  int mask = 0xFF;
  int frames = 1;  // for how long a press lasts
  int offset = 0;  // what memory holds for mode 0 ...
  int scale = 1;   // ... and from one mode to the next
};

// The numbers first, first + step, ...: `count` of them.
template <int count, int step = 1, int first = 0>
inline constexpr auto kRange = [] {
  std::array<std::uint16_t, count> values{};
  for (int i = 0; i < count; ++i) {
    values[static_cast<std::size_t>(i)] = static_cast<std::uint16_t>(first + i * step);
  }
  return values;
}();

struct Game {
  std::string_view id;       // the ROM's name in ale-py, "space_invaders"
  std::string_view rom_md5;  // of the only image that these rules are for, lower case
  Hardware hardware{};

  ActionSet minimal = kAllActions;  // the actions that do something in this game
  ActionSet legal = kAllActions;    // others count as no action
  int reset_frames = 4;             // for which the reset switch is held at last
  std::span<const Action> start{};  // played after every reset

  std::span<const std::uint16_t> modes = kRange<1>;         // the first one is the default
  std::span<const std::uint16_t> difficulties = kRange<1>;  // a runner begins with 0, listed or not
  // Selects a variant: by counter, or by a function, or not at all (a single mode).
  const ModeCounter* counter = nullptr;
  void (*select)(int mode, ModeDriver& driver, Progress& progress) = nullptr;

  // Called at a reset, before the variant is selected; what it leaves alone stays.
  void (*begin)(Progress& progress) = nullptr;
  // Called after every frame.
  void (*observe)(RamView ram, Progress& progress) = nullptr;
  // For a state that is restored as ale-py does: takes over from `now` what its rules do not save.
  void (*keep)(const Progress& now, Progress& restored) = nullptr;
  // What the player has left.
  int (*lives)(const Progress& progress) = nullptr;
};

// Ways to count lives: remembered by observe(), the same but none at the end, one until the end,
// none ever.
inline int LivesKept(const Progress& progress) { return progress.lives; }
inline int LivesUntilEnd(const Progress& progress) {
  return progress.terminal ? 0 : progress.lives;
}
inline int OneUntilEnd(const Progress& progress) { return progress.terminal ? 0 : 1; }
inline int NoLives(const Progress&) { return 0; }

}  // namespace engine::atari

#endif  // ENGINE_ENVS_ATARI_GAMES_GAME_H_
