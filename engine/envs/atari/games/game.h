// The rules of a game: how points, lives and the terminal state are read from the console's memory,
// which actions have an effect, how the game is started and how its variants are selected. Each
// game has one constant Game, in its own file in this directory; game_table.h lists all games. The
// functions are pure except for the Progress argument: any thread.
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

// Reads the console's 128 bytes of memory, and the additional memory of some cartridges.
class RamView {
 public:
  explicit RamView(const std::uint8_t* ram, const std::uint8_t* cartridge_ram = nullptr)
      : ram_(ram), cartridge_ram_(cartridge_ram) {}

  // Only the low seven bits of the address count: 0x8D and 0x0D are the same byte.
  int operator[](int address) const { return ram_[address & 0x7F]; }

  // A byte of the cartridge's own 128 bytes. Requires a cartridge that has them.
  int Cartridge(int address) const { return cartridge_ram_[address & 0x7F]; }

  // A number with two decimal digits per byte, the lowest byte first.
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

// The state of a game's rules from frame to frame. Trivially copyable, because it is part of a
// snapshot.
struct Progress {
  std::int32_t score = 0;
  std::int32_t reward = 0;  // of the latest frame
  std::int32_t lives = 0;
  bool terminal = false;
  bool started = false;
  std::array<std::int32_t, 3> memory{};  // for games that need more state

  // The usual conversion of a score to a reward.
  void Score(std::int32_t now) {
    reward = now - score;
    score = now;
  }
};

// The controls with which a game's variant is selected.
class ModeDriver {
 public:
  virtual ~ModeDriver() = default;
  virtual RamView ram() const = 0;
  // Holds the select switch for `frames` frames and releases it for one frame.
  virtual void PressSelect(int frames) = 0;
  // Holds the reset switch for four frames.
  virtual void SoftReset() = 0;
  // Plays one action, with the environment's own settings (frame skip, sticky actions).
  virtual void Play(Action action) = 0;
  // Returns the next number from the environment's generator.
  virtual std::uint32_t Random() = 0;

  // Presses select until now(ram()) equals `wanted`. Throws Error{kInternal} after kMaxPresses
  // presses, which means that the cartridge is unknown.
  template <typename Read>
  void SelectUntil(int wanted, int frames, Read now) {
    for (int presses = 0; now(ram()) != wanted; ++presses) {
      if (presses == kMaxPresses) Unreachable(wanted);
      PressSelect(frames);
    }
  }
  // Plays the actions in sequence, again and again, until done(ram()) is true. Throws
  // Error{kInternal} after kMaxPresses repetitions.
  template <typename Done>
  void ActUntil(std::initializer_list<Action> actions, Done done) {
    for (int presses = 0; !done(ram()); ++presses) {
      if (presses == kMaxPresses) Unreachable(-1);
      for (const Action action : actions) Play(action);
    }
  }

  // Far more than the longest menu needs, even if sticky actions replace many of the actions.
  static constexpr int kMaxPresses = 20'000;

 private:
  [[noreturn]] static void Unreachable(int wanted);
};

// The usual way to select a variant: the select switch steps through the variants, whose number is
// in memory. A soft reset follows.
struct ModeCounter {
  int address = 0;
  int mask = 0xFF;
  int frames = 1;  // frames for which a press lasts
  int offset = 0;  // value in memory for mode 0
  int scale = 1;   // difference in memory from one mode to the next
};

// The `count` numbers first, first + step, ...
template <int count, int step = 1, int first = 0>
inline constexpr auto kRange = [] {
  std::array<std::uint16_t, count> values{};
  for (int i = 0; i < count; ++i) {
    values[static_cast<std::size_t>(i)] = static_cast<std::uint16_t>(first + i * step);
  }
  return values;
}();

struct Game {
  std::string_view id;       // the name of the ROM in ale-py, "space_invaders"
  std::string_view rom_md5;  // digest of the only supported image, lower case
  Hardware hardware{};

  ActionSet minimal = kAllActions;  // actions that have an effect in this game
  ActionSet legal = kAllActions;    // other actions count as no action
  int reset_frames = 4;             // frames for which the reset switch is held at the end
  std::span<const Action> start{};  // actions that are taken after every reset

  std::span<const std::uint16_t> modes = kRange<1>;         // the first one is the default
  std::span<const std::uint16_t> difficulties = kRange<1>;  // initially 0, even if not listed
  // Selects a variant: by counter, by a function, or not at all (a single mode).
  const ModeCounter* counter = nullptr;
  void (*select)(int mode, ModeDriver& driver, Progress& progress) = nullptr;

  // Called at a reset, before the variant is selected. Fields that it does not set keep their
  // values.
  void (*begin)(Progress& progress) = nullptr;
  // Called after every frame.
  void (*observe)(RamView ram, Progress& progress) = nullptr;
  // Called when a state is restored as ale-py does it: copies from `now` to `restored` the parts
  // that ale-py does not save.
  void (*keep)(const Progress& now, Progress& restored) = nullptr;
  // The number of lives left.
  int (*lives)(const Progress& progress) = nullptr;
};

// Functions for Game::lives.

// Returns the number of lives that observe() stored.
inline int LivesKept(const Progress& progress) { return progress.lives; }
// Returns the number of lives that observe() stored, and 0 after the end.
inline int LivesUntilEnd(const Progress& progress) {
  return progress.terminal ? 0 : progress.lives;
}
// Returns 1 until the end, then 0.
inline int OneUntilEnd(const Progress& progress) { return progress.terminal ? 0 : 1; }
inline int NoLives(const Progress&) { return 0; }

}  // namespace engine::atari

#endif  // ENGINE_ENVS_ATARI_GAMES_GAME_H_
