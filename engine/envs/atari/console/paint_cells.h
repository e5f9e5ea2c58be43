// The playfield of a run of pixels: sixteen pixels at a time, in the vectors
// that GCC and Clang compile for any processor. Any thread.
#ifndef ENGINE_ENVS_ATARI_CONSOLE_PAINT_CELLS_H_
#define ENGINE_ENVS_ATARI_CONSOLE_PAINT_CELLS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "engine/envs/atari/console/scanline.h"

namespace engine::atari {
namespace paint_cells_internal {

using Vector = std::uint8_t __attribute__((vector_size(16)));

// The sixteen pixels of four cells.
inline constexpr auto kFourCells = [] {
  std::array<std::array<std::uint8_t, 16>, 16> table{};
  for (std::size_t cells = 0; cells < 16; ++cells) {
    for (std::size_t pixel = 0; pixel < 16; ++pixel) {
      table[cells][pixel] = (cells >> (pixel / 4) & 1) != 0 ? 0xFF : 0;
    }
  }
  return table;
}();

// Entry n holds n zeros and then ones: pixels from n on.
inline constexpr auto kFrom = [] {
  std::array<std::array<std::uint8_t, 16>, 17> table{};
  for (std::size_t n = 0; n <= 16; ++n) {
    for (std::size_t pixel = n; pixel < 16; ++pixel) table[n][pixel] = 0xFF;
  }
  return table;
}();

inline Vector Load(const std::uint8_t* from) {
  Vector v;
  std::memcpy(&v, from, 16);
  return v;
}

inline void Store(std::uint8_t* to, Vector v) { std::memcpy(to, &v, 16); }

inline Vector Fill(std::uint8_t value) { return Vector{} + value; }

}  // namespace paint_cells_internal

// Paints pixels [from, to), from < to: `on` where the cell of four pixels is set, `off` elsewhere.
inline void PaintCells(std::uint8_t* row, int from, int to, std::uint64_t cells, std::uint8_t on,
                       std::uint8_t off) {
  using namespace paint_cells_internal;  // its own parts, in this function alone
  const Vector off_ink = Fill(off);
  const Vector difference = Fill(static_cast<std::uint8_t>(on ^ off));
  const auto chunk = [&](int at) {
    return off_ink ^ (difference & Load(kFourCells[(cells >> (at / 4)) & 0xF].data()));
  };
  int at = from & ~15;
  const int last = (to - 1) & ~15;
  if (at != from || (at == last && to != at + 16)) {
    // Within the first sixteen pixels, what lies outside of the run stays.
    Vector paint = Load(kFrom[static_cast<std::size_t>(from - at)].data());
    if (at == last) paint &= ~Load(kFrom[static_cast<std::size_t>(to - at)].data());
    Store(row + at, (Load(row + at) & ~paint) | (chunk(at) & paint));
    if (at == last) return;
    at += 16;
  }
  for (; at < last; at += 16) Store(row + at, chunk(at));
  const Vector paint = ~Load(kFrom[static_cast<std::size_t>(to - at)].data());
  Store(row + at, (Load(row + at) & ~paint) | (chunk(at) & paint));
}

// Paints pixels [from, to), from < to, in one color.
inline void PaintRun(std::uint8_t* row, int from, int to, std::uint8_t color) {
  using namespace paint_cells_internal;  // its own parts, in this function alone
  if (from == 0 && to == Pixels::kLine) {
    const Vector ink = Fill(color);
    for (int at = 0; at < Pixels::kLine; at += 16) Store(row + at, ink);
    return;
  }
  const int length = to - from;
  std::uint8_t* const start = row + from;
  if (length >= 16) {
    const Vector ink = Fill(color);
    for (int at = 0; at + 16 < length; at += 16) Store(start + at, ink);
    Store(row + to - 16, ink);
    return;
  }
  const std::uint64_t ink = 0x0101010101010101u * color;
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

}  // namespace engine::atari

#endif  // ENGINE_ENVS_ATARI_CONSOLE_PAINT_CELLS_H_
