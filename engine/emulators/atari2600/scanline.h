// Sets of the 160 pixels of a scanline, one bit each, and drawing of such a set into a row. With
// these sets, objects, priorities and collisions need only and/or operations on three words, not
// work per pixel. Any thread.
#ifndef ENGINE_EMULATORS_ATARI2600_SCANLINE_H_
#define ENGINE_EMULATORS_ATARI2600_SCANLINE_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace engine::atari2600 {

namespace scanline_internal {

// Two words at once, with vector types that GCC and Clang compile for any processor. A set is only
// read and written in these halves, because a processor stalls when it reads a vector that it has
// just written as separate words (this took a tenth of a frame's time).
using Half = std::uint64_t __attribute__((vector_size(16)));

inline Half Load(const std::uint64_t* from) {
  Half half;
  std::memcpy(&half, from, sizeof(half));
  return half;
}
inline void Store(std::uint64_t* to, Half half) {
#if defined(__x86_64__) && defined(__GNUC__)
  asm("" : "+x"(half));  // otherwise the compiler writes the words one by one
#endif
  std::memcpy(to, &half, sizeof(half));
}

}  // namespace scanline_internal

struct alignas(16) Pixels {
  std::uint64_t word[4] = {0, 0, 0, 0};  // pixel x is bit x % 64 of word x / 64

  Pixels() = default;
  Pixels(std::uint64_t first, std::uint64_t second, std::uint64_t third) {
    Set(first, second, third);
  }
  Pixels(scanline_internal::Half low, scanline_internal::Half high) {
    scanline_internal::Store(word, low);
    scanline_internal::Store(word + 2, high);
  }

  // Used instead of assignment, which the compiler may do word by word.
  void Assign(const Pixels& other) {
    scanline_internal::Store(word, other.low());
    scanline_internal::Store(word + 2, other.high());
  }

  scanline_internal::Half low() const { return scanline_internal::Load(word); }
  scanline_internal::Half high() const { return scanline_internal::Load(word + 2); }
  void Set(std::uint64_t first, std::uint64_t second, std::uint64_t third) {
    *this = Pixels(scanline_internal::Half{first, second}, scanline_internal::Half{third, 0});
  }

  bool any() const {
    const scanline_internal::Half both = low() | high();
    return (both[0] | both[1]) != 0;
  }

  friend Pixels operator&(const Pixels& a, const Pixels& b) {
    return {a.low() & b.low(), a.high() & b.high()};
  }
  friend Pixels operator|(const Pixels& a, const Pixels& b) {
    return {a.low() | b.low(), a.high() | b.high()};
  }
  // The set difference a - b.
  friend Pixels operator-(const Pixels& a, const Pixels& b) {
    return {a.low() & ~b.low(), a.high() & ~b.high()};
  }

  // Adds `width` pixels of `pattern` (the lowest bit is the leftmost) from `x` in [0, 160) on,
  // wrapping around at the end of the line. Requires width <= 40.
  void Add(std::uint64_t pattern, int width, int x) {
    std::uint64_t wrapped = 0;
    const int fits = kLine - x;
    if (width > fits) [[unlikely]] {
      wrapped = pattern >> fits;
      pattern &= (std::uint64_t{1} << fits) - 1;
    }
    const int shift = x & 63;
    const std::uint64_t here = pattern << shift;
    const std::uint64_t next = pattern >> 1 >> (63 - shift);  // a shift by 64 is undefined
    if (x < 64) {
      Set(word[0] | here, word[1] | next, word[2]);
    } else if (x < 128) {
      Set(word[0] | wrapped, word[1] | here, word[2] | next);
    } else {
      Set(word[0] | wrapped, word[1], word[2] | here);
    }
  }

  static constexpr int kLine = 160;
};

namespace scanline_internal {

// Pixels [0, x) for x in [0, 160].
alignas(16) inline constexpr auto kUpTo = [] {
  std::array<std::array<std::uint64_t, 4>, Pixels::kLine + 1> table{};
  for (int x = 0; x <= Pixels::kLine; ++x) {
    for (int bit = 0; bit < x; ++bit) {
      table[static_cast<std::size_t>(x)][static_cast<std::size_t>(bit / 64)] |= std::uint64_t{1}
                                                                                << (bit % 64);
    }
  }
  return table;
}();

// A byte for each bit of an index, the lowest bit first: all ones where the bit is set.
inline constexpr auto kSpread8 = [] {
  std::array<std::uint64_t, 256> table{};
  for (std::size_t bits = 0; bits < 256; ++bits) {
    for (int bit = 0; bit < 8; ++bit) {
      // Bytes in memory order on any host.
      const int at = std::endian::native == std::endian::little ? bit : 7 - bit;
      if ((bits >> bit & 1) != 0) table[bits] |= std::uint64_t{0xFF} << (8 * at);
    }
  }
  return table;
}();

// Four bits for each bit of an index.
inline constexpr auto kSpread4 = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::size_t bits = 0; bits < 256; ++bits) {
    for (int bit = 0; bit < 8; ++bit) {
      if ((bits >> bit & 1) != 0) table[bits] |= std::uint32_t{0xF} << (4 * bit);
    }
  }
  return table;
}();

}  // namespace scanline_internal

// Pixels [from, to), 0 <= from <= to <= 160.
inline Pixels Between(int from, int to) {
  const auto& low = scanline_internal::kUpTo[static_cast<std::size_t>(from)];
  const auto& high = scanline_internal::kUpTo[static_cast<std::size_t>(to)];
  using scanline_internal::Load;
  return {Load(&high[0]) & ~Load(&low[0]), Load(&high[2]) & ~Load(&low[2])};
}

// The pixels of 40 playfield cells of four pixels each.
inline Pixels FromCells(std::uint64_t cells) {
  const auto spread = [cells](int at) {
    return std::uint64_t{scanline_internal::kSpread4[(cells >> at) & 0xFF]};
  };
  return {spread(0) | spread(8) << 32, spread(16) | spread(24) << 32, spread(32)};
}

// Sets the pixels of word `index` of a line to the color.
inline void PaintWord(std::uint8_t* row, int index, std::uint64_t pixels, std::uint8_t color) {
  const std::uint64_t ink = 0x0101010101010101u * color;
  while (pixels != 0) {
    const int at = std::countr_zero(pixels) & ~7;
    const std::uint64_t mask = scanline_internal::kSpread8[(pixels >> at) & 0xFF];
    std::uint8_t* const place = row + 64 * index + at;
    std::uint64_t there;
    std::memcpy(&there, place, 8);
    there = (there & ~mask) | (ink & mask);
    std::memcpy(place, &there, 8);
    pixels &= ~(std::uint64_t{0xFF} << at);
  }
}

// As PaintWord, for a whole line.
inline void Paint(std::uint8_t* row, const Pixels& pixels, std::uint8_t color) {
  for (int i = 0; i < 3; ++i) PaintWord(row, i, pixels.word[i], color);
}

}  // namespace engine::atari2600

#endif  // ENGINE_EMULATORS_ATARI2600_SCANLINE_H_
