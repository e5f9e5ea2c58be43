// Small tables for the TIA's objects. Any thread.
#ifndef ENGINE_EMULATORS_ATARI2600_BITS_H_
#define ENGINE_EMULATORS_ATARI2600_BITS_H_

#include <array>
#include <cstdint>

namespace engine::atari2600 {

inline constexpr auto kMirror = [] {
  std::array<std::uint8_t, 256> table{};
  for (unsigned value = 0; value < 256; ++value) {
    unsigned mirrored = 0;
    for (unsigned bit = 0; bit < 8; ++bit) mirrored |= (value >> bit & 1) << (7 - bit);
    table[value] = static_cast<std::uint8_t>(mirrored);
  }
  return table;
}();

// The byte with its bits in reverse order.
constexpr std::uint8_t Mirror(std::uint8_t value) { return kMirror[value]; }

// Offsets of an object's copies from its position, by the low three bits of NUSIZ; -1 for none.
inline constexpr int kCopies[8][3] = {{0, -1, -1}, {0, 16, -1}, {0, 32, -1}, {0, 16, 32},
                                      {0, 64, -1}, {0, -1, -1}, {0, 32, 64}, {0, -1, -1}};

// Width in pixels of a player's copy, by the same three bits.
constexpr int PlayerWidth(int mode) { return mode == 5 ? 16 : mode == 7 ? 32 : 8; }

}  // namespace engine::atari2600

#endif  // ENGINE_EMULATORS_ATARI2600_BITS_H_
