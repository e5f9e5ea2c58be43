// Paints the playfield of a run of pixels, sixteen pixels at a time, with vector types that GCC and
// Clang compile for any processor. Any thread.
#ifndef ENGINE_EMULATORS_ATARI2600_PAINT_CELLS_H_
#define ENGINE_EMULATORS_ATARI2600_PAINT_CELLS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "engine/emulators/atari2600/scanline.h"

namespace engine::atari2600 {
namespace paint_cells_internal {

// If the compiler does not assume that the processor has wider vectors, it splits them into slow
// code.
inline constexpr int kChunk = 16;
using Vector = std::uint8_t __attribute__((vector_size(kChunk)));

// The 32 pixels of eight cells.
alignas(32) inline constexpr auto kEightCells = [] {
  std::array<std::array<std::uint8_t, 32>, 256> table{};
  for (std::size_t cells = 0; cells < 256; ++cells) {
    for (std::size_t pixel = 0; pixel < 32; ++pixel) {
      table[cells][pixel] = (cells >> (pixel / 4) & 1) != 0 ? 0xFF : 0;
    }
  }
  return table;
}();

// Entry n holds n zeros followed by ones: the pixels from n on.
inline constexpr auto kFrom = [] {
  std::array<std::array<std::uint8_t, kChunk>, kChunk + 1> table{};
  for (std::size_t n = 0; n <= kChunk; ++n) {
    for (std::size_t pixel = n; pixel < kChunk; ++pixel) table[n][pixel] = 0xFF;
  }
  return table;
}();

[[gnu::always_inline]] inline void Load(Vector& v, const std::uint8_t* from) {
  std::memcpy(&v, from, sizeof(v));
}

[[gnu::always_inline]] inline void Store(std::uint8_t* to, const Vector& v) {
  std::memcpy(to, &v, sizeof(v));
}

// Paints where the mask is set.
[[gnu::always_inline]] inline void Blend(std::uint8_t* at, const Vector& paint,
                                         const Vector& mask) {
  Vector there;
  Load(there, at);
  Store(at, (there & ~mask) | (paint & mask));
}

}  // namespace paint_cells_internal

// Paints pixels [from, to), from < to: `on` where the cell of four pixels is set, `off` elsewhere.
[[gnu::always_inline]] inline void PaintCells(std::uint8_t* row, int from, int to,
                                              std::uint64_t cells, std::uint8_t on,
                                              std::uint8_t off) {
  using namespace paint_cells_internal;  // its own helpers, only in this function
  const Vector off_ink = Vector{} + off;
  const Vector difference = Vector{} + static_cast<std::uint8_t>(on ^ off);
  Vector chunk;
  const auto make = [&](int at) __attribute__((always_inline)) {
    Load(chunk, kEightCells[(cells >> (at / 32 * 8)) & 0xFF].data() + (at & 16));
    chunk = off_ink ^ (difference & chunk);
  };
  if (from == 0 && to == Pixels::kLine) {
    for (int at = 0; at < Pixels::kLine; at += kChunk) {
      make(at);
      Store(row + at, chunk);
    }
    return;
  }
  Vector mask;
  int at = from & ~(kChunk - 1);
  const int last = (to - 1) & ~(kChunk - 1);
  if (at != from || (at == last && to != at + kChunk)) {
    // Pixels of the first block outside the run keep their value.
    Load(mask, kFrom[static_cast<std::size_t>(from - at)].data());
    if (at == last) {
      Vector beyond;
      Load(beyond, kFrom[static_cast<std::size_t>(to - at)].data());
      mask &= ~beyond;
    }
    make(at);
    Blend(row + at, chunk, mask);
    if (at == last) return;
    at += kChunk;
  }
  for (; at < last; at += kChunk) {
    make(at);
    Store(row + at, chunk);
  }
  make(at);
  if (to == last + kChunk) {
    Store(row + at, chunk);
    return;
  }
  Load(mask, kFrom[static_cast<std::size_t>(to - at)].data());
  Blend(row + at, chunk, ~mask);
}

// Paints pixels [from, to), from < to, in one color.
[[gnu::always_inline]] inline void PaintRun(std::uint8_t* row, int from, int to,
                                            std::uint8_t color) {
  using namespace paint_cells_internal;  // its own helpers, only in this function
  const Vector ink = Vector{} + color;
  if (from == 0 && to == Pixels::kLine) {
    for (int at = 0; at < Pixels::kLine; at += kChunk) Store(row + at, ink);
    return;
  }
  const int length = to - from;
  std::uint8_t* const start = row + from;
  if (length >= kChunk) {
    for (int at = 0; at + kChunk < length; at += kChunk) Store(start + at, ink);
    Store(row + to - kChunk, ink);
    return;
  }
  if (length >= 8) {
    std::memcpy(start, &ink, 8);
    std::memcpy(row + to - 8, &ink, 8);
  } else if (length >= 4) {
    std::memcpy(start, &ink, 4);
    std::memcpy(row + to - 4, &ink, 4);
  } else {
    for (int at = 0; at < length; ++at) start[at] = color;
  }
}

}  // namespace engine::atari2600

#endif  // ENGINE_EMULATORS_ATARI2600_PAINT_CELLS_H_
