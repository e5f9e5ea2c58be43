// NumPy's PCG64 (PCG XSL-RR 128/64): the bit generator behind
// numpy.random.default_rng and gymnasium.utils.seeding.np_random. Held by Rng,
// one per environment; used by one thread at a time.
#ifndef ENGINE_BASE_PCG64_H_
#define ENGINE_BASE_PCG64_H_

#include <array>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "engine/base/seed_sequence.h"

namespace engine {

__extension__ typedef unsigned __int128 UInt128;

// The generator's whole state, with the fields of NumPy's bit_generator.state. 128-bit numbers are
// stored as halves so that there is no padding: copying the bytes copies the generator, and equal
// generators have equal bytes.
struct Pcg64State {
  std::uint64_t state_high = 0;
  std::uint64_t state_low = 0;
  std::uint64_t inc_high = 0;
  std::uint64_t inc_low = 0;     // odd
  std::uint32_t has_uint32 = 0;  // 1: uinteger is the next 32-bit draw
  std::uint32_t uinteger = 0;

  friend constexpr bool operator==(const Pcg64State&, const Pcg64State&) = default;
};

class Pcg64 {
 public:
  // The stream of numpy.random.PCG64(SeedSequence(...)).
  constexpr explicit Pcg64(const SeedSequence& seed) {
    const std::array<std::uint64_t, 4> words = seed.GenerateState<std::uint64_t, 4>();
    const UInt128 inc = Join(words[2], words[3]) << 1 | 1;
    state_.inc_high = High(inc);
    state_.inc_low = Low(inc);
    // From state 0: one step, add the start, one more step.
    SetState(inc + Join(words[0], words[1]));
    Advance();
  }
  constexpr explicit Pcg64(const Pcg64State& state) : state_(state) {}

  constexpr const Pcg64State& State() const { return state_; }

  constexpr std::uint64_t NextUint64() {
    const UInt128 state = Advance();
    return std::rotr(High(state) ^ Low(state), static_cast<int>(state >> 122));
  }

  // Half of a 64-bit draw, low half first. The high half is kept for the next 32-bit draw,
  // regardless of 64-bit draws in between.
  constexpr std::uint32_t NextUint32() {
    if (state_.has_uint32 != 0) {
      state_.has_uint32 = 0;
      return state_.uinteger;
    }
    const std::uint64_t both = NextUint64();
    state_.has_uint32 = 1;
    state_.uinteger = static_cast<std::uint32_t>(both >> 32);
    return static_cast<std::uint32_t>(both & 0xffffffffU);
  }

  // In [0, 1), a multiple of 2^-53.
  constexpr double NextDouble() { return static_cast<double>(NextUint64() >> 11) * 0x1p-53; }

 private:
  static constexpr UInt128 Join(std::uint64_t high, std::uint64_t low) {
    return static_cast<UInt128>(high) << 64 | low;
  }
  static constexpr std::uint64_t High(UInt128 value) {
    return static_cast<std::uint64_t>(value >> 64);
  }
  static constexpr std::uint64_t Low(UInt128 value) { return static_cast<std::uint64_t>(value); }

  static constexpr std::uint64_t kMultiplierHigh = 0x2360ed051fc65da4U;
  static constexpr std::uint64_t kMultiplierLow = 0x4385df649fccf645U;

  constexpr void SetState(UInt128 state) {
    state_.state_high = High(state);
    state_.state_low = Low(state);
  }
  constexpr UInt128 Advance() {
    const UInt128 state =
        Join(state_.state_high, state_.state_low) * Join(kMultiplierHigh, kMultiplierLow) +
        Join(state_.inc_high, state_.inc_low);
    SetState(state);
    return state;
  }

  Pcg64State state_;
};

static_assert(std::is_trivially_copyable_v<Pcg64>);
static_assert(std::has_unique_object_representations_v<Pcg64>);

}  // namespace engine

#endif  // ENGINE_BASE_PCG64_H_
