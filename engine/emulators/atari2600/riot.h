// The RIOT (6532): 128 bytes of memory, a timer and two ports for joysticks and console switches.
// Behaves like ale-py 0.12.1's RIOT. Used by one thread at a time; trivially copyable.
#ifndef ENGINE_EMULATORS_ATARI2600_RIOT_H_
#define ENGINE_EMULATORS_ATARI2600_RIOT_H_

#include <cstdint>

#include "engine/base/copied_bool.h"

namespace engine::atari2600 {

inline constexpr int kRamSize = 128;

// The inputs of the ports.
struct RiotInputs {
  std::uint8_t port_a = 0xFF;    // joystick directions, a bit is 0 while pressed
  std::uint8_t switches = 0x3F;  // port B
};

class Riot {
 public:
  // `timer` is the timer's value when the console is switched on.
  void Reset(std::uint8_t timer) {
    timer_ = timer;
    shift_ = 6;
    set_at_ = 0;
    expired_read_at_ = 0;
    read_since_expiry_ = false;
    direction_a_ = 0;
  }
  // For a state from elsewhere.
  bool IsValid() const { return shift_ <= 10 && IsBool(read_since_expiry_); }
  // Rebases the cycle count: `cycles` becomes cycle 0.
  void StartFrame(std::int32_t cycles) {
    set_at_ = Minus(set_at_, cycles);
    expired_read_at_ = Minus(expired_read_at_, cycles);
  }

  std::uint8_t Read(int address, std::int32_t cycles, const RiotInputs& inputs) {
    switch (address & 7) {
      case 0:
        return inputs.port_a;
      case 1:
        return direction_a_;
      case 2:
        return inputs.switches;
      case 4:
      case 6:
        return ReadTimer(cycles);
      case 5:
      case 7:
        return Ticks(cycles) >= 0 || read_since_expiry_ ? 0x00 : 0x80;
      default:
        return 0;  // the direction of port B, which is always an input
    }
  }

  void Write(int address, std::uint8_t value, std::int32_t cycles) {
    if ((address & 0x14) == 0x14) {
      constexpr std::uint8_t kShift[4] = {0, 3, 6, 10};
      timer_ = value;
      shift_ = kShift[address & 3];
      set_at_ = cycles;
      read_since_expiry_ = false;
    } else if ((address & 7) == 1) {
      direction_a_ = value;
    }
    // Port A drives no device, port B is an input, edge detection is not connected.
  }

  // Conditions under which a loop that waits for the timer continues.
  static constexpr std::int16_t kWhileNotZero = 0;
  static constexpr std::int16_t kWhilePositive = 1;  // bit 7 of the timer is zero
  static constexpr std::int16_t kWhileFlagDown = 2;

  // For a loop that reads the timer at `cycles` and then every `period` cycles: the number of
  // iterations after which the loop certainly continues, because the condition cannot have changed
  // yet.
  std::int32_t Turns(std::int32_t cycles, int condition, std::int32_t period) const {
    const std::int32_t ticks = Ticks(cycles);
    if (ticks < 0 || (condition == kWhilePositive && ticks > 0x7F) ||
        (condition == kWhileFlagDown && read_since_expiry_)) {
      return 0;
    }
    const int last = condition == kWhileNotZero ? timer_ - 1 : timer_;
    const std::int32_t left = (last << shift_) - static_cast<std::int32_t>(Elapsed(cycles));
    return left > 0 ? (left + period - 1) / period : 0;
  }

 private:
  // Cycles from the latest write to the timer to a read at `cycles`.
  std::uint32_t Elapsed(std::int32_t cycles) const {
    return static_cast<std::uint32_t>(Minus(cycles - 1, set_at_));
  }
  // Number of whole intervals left; negative when the timer has expired.
  std::int32_t Ticks(std::int32_t cycles) const {
    return static_cast<std::int32_t>(timer_) -
           static_cast<std::int32_t>(Elapsed(cycles) >> shift_) - 1;
  }

  std::uint8_t ReadTimer(std::int32_t cycles) {
    const int ticks = Ticks(cycles);
    if (ticks >= 0) return static_cast<std::uint8_t>(ticks);
    // After expiry it counts down once per cycle until it is read, and then once per interval.
    const std::uint32_t elapsed = Elapsed(cycles);
    std::int32_t value = Minus(timer_ << shift_, static_cast<std::int32_t>(elapsed + 1));
    if (value <= -2 && !read_since_expiry_) {
      read_since_expiry_ = true;
      expired_read_at_ = cycles;
    }
    if (read_since_expiry_) {
      const std::int32_t offset =
          Minus(expired_read_at_,
                static_cast<std::int32_t>(static_cast<std::uint32_t>(set_at_) +
                                          (static_cast<std::uint32_t>(timer_) << shift_)));
      value = Minus(timer_ - static_cast<std::int32_t>(elapsed >> shift_), offset);
    }
    return static_cast<std::uint8_t>(value);
  }

  static std::int32_t Minus(std::int32_t a, std::int32_t b) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) - static_cast<std::uint32_t>(b));
  }

  std::int32_t set_at_ = 0;           // cycle of the latest write to the timer
  std::int32_t expired_read_at_ = 0;  // cycle of the first read after expiry
  std::uint8_t timer_ = 0;
  std::uint8_t shift_ = 6;  // an interval is 2^shift cycles
  bool read_since_expiry_ = false;
  std::uint8_t direction_a_ = 0;
};

}  // namespace engine::atari2600

#endif  // ENGINE_EMULATORS_ATARI2600_RIOT_H_
