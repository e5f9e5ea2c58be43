// The agent's view: a square of cells ahead of the agent, in which walls and closed doors hide the
// cells behind them. It follows MiniGridEnv.gen_obs_grid of MiniGrid 3.2.0. Each observation makes
// its view on the stack.
#ifndef ENGINE_ENVS_MINIGRID_VIEW_H_
#define ENGINE_ENVS_MINIGRID_VIEW_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "engine/envs/minigrid/objects.h"
#include "engine/envs/minigrid/world.h"

namespace engine::minigrid {

// Limits of the number of cells on each side of a view, which is odd.
inline constexpr int kSmallestView = 3;
inline constexpr int kLargestView = 63;

// A row of a view, one bit per cell.
using RowBits = std::uint64_t;

// Returns `lit` and the cells to which light spreads from it, in one direction, through `clear`
// cells.
inline RowBits SpreadRight(RowBits lit, RowBits clear) {
  // In each run of clear cells, the carry of the sum starts at the first lit cell, and ends in the
  // cell after the run. The other lit cells are zero in the exclusive or, and come from `lit`.
  return lit | ((clear + (lit & clear)) ^ clear);
}
template <int kCells>
inline RowBits SpreadLeft(RowBits lit, RowBits clear) {
  RowBits enter = clear >> 1;  // cells whose right neighbour is clear
  for (int step = 1; step < kCells; step *= 2) {
    lit |= enter & (lit >> step);
    enter &= enter >> step;
  }
  return lit;
}

// Maps cell (x, y) of a view to a cell of the world: origin + right * x - forward * y.
struct ViewFrame {
  ViewFrame(const World& world, int size)
      : forward(kDirections[static_cast<std::size_t>(world.direction)]),
        right{-forward.y, forward.x},
        origin(world.agent + forward * (size - 1) - right * (size / 2)) {}

  Point At(int x, int y) const { return origin + right * x - forward * y; }

  Point forward;
  Point right;
  Point origin;
};

struct CellRange {
  int begin;
  int end;
};
// Returns the range of i in [0, n) for which start + step * i is in [0, limit). `step` is 1 or -1.
inline CellRange CellsInside(int start, int step, int limit, int n) {
  return step > 0 ? CellRange{std::max(0, -start), std::min(n, limit - start)}
                  : CellRange{std::max(0, start - limit + 1), std::min(n, start + 1)};
}

// The codes of the visible cells; hidden cells have kUnseenCode. kSize is the number of cells on
// each side, or 0 if `size` gives this number.
template <int kSize>
class View {
 public:
  // Light spreads in the agent's row in both directions, then to the row ahead of it, and so on.
  // A row is read just before it is lit: the processor reads it while the light of the row before
  // is computed.
  View(const World& world, int size, bool see_through_walls) : size_(kSize != 0 ? kSize : size) {
    const int side = this->size();
    const Cells cells(world, side);
    RowBits lit = RowBits{1} << (side / 2);
    for (int y = side - 1; y >= 0; --y) {
      const RowBits clear = cells.Read(y, Row(y));
      // The agent sees the object that it carries in its own cell.
      if (y == side - 1) Row(y)[side / 2] = CodeOf(world.objects[world.carrying]);
      lit_[static_cast<std::size_t>(y)] = see_through_walls ? ~RowBits{0} : Light(clear, lit);
      Hide(y);
    }
  }

  int size() const { return kSize != 0 ? kSize : size_; }
  bool IsVisible(int x, int y) const { return (lit_[static_cast<std::size_t>(y)] >> x & 1) != 0; }
  Code Visible(int x, int y) const { return codes_[static_cast<std::size_t>(y * kStride + x)]; }

 private:
  static constexpr int kCapacity = kSize != 0 ? kSize : kLargestView;
  static constexpr int kStride = (kCapacity + 3) / 4 * 4;  // whole vectors

  Code* Row(int y) { return codes_.data() + y * kStride; }

  // The cells of the world that a view shows.
  class Cells {
   public:
    Cells(const World& world, int side)
        : objects_(world.objects.data()), wall_(CodeOf(objects_[kWallId])), side_(side) {
      const ViewFrame frame(world, side);
      const auto inside = [&](Point step) {
        return step.x != 0 ? CellsInside(frame.origin.x, step.x, world.width, side)
                           : CellsInside(frame.origin.y, step.y, world.height, side);
      };
      xs_ = inside(frame.right);
      ys_ = inside(frame.forward * -1);
      right_ = frame.right.y * world.width + frame.right.x;
      forward_ = frame.forward.y * world.width + frame.forward.x;
      first_ = world.cells().data();
      origin_ = frame.origin.y * world.width + frame.origin.x + right_ * xs_.begin;
    }

    // Writes the codes of row y, and returns its clear cells. Cells outside of the grid are walls.
    RowBits Read(int y, Code* row) const {
      std::fill_n(row, kSize != 0 ? kStride : side_, wall_);
      if (y < ys_.begin || y >= ys_.end) return 0;
      RowBits clear = 0;
      RowBits bit = RowBits{1} << xs_.begin;
      int cell = origin_ - forward_ * y;
      for (int x = xs_.begin; x < xs_.end; ++x, cell += right_, bit <<= 1) {
        const Code code = CodeOf(objects_[first_[cell]]);
        row[x] = code;
        if (code <= kShown) clear |= bit;
      }
      return clear;
    }

   private:
    const Object* objects_;
    const ObjectId* first_;
    Code wall_;
    int side_;
    CellRange xs_;  // the columns and rows of the view that are inside of the grid
    CellRange ys_;
    int right_;  // distances of cells of the grid
    int forward_;
    int origin_;
  };

  // Returns the lit cells of a row whose cells `lit` are lit first, and sets `lit` to those of the
  // next row.
  RowBits Light(RowBits clear, RowBits& lit) const {
    const RowBits all = ~RowBits{0} >> (64 - size());
    const RowBits to_right = SpreadRight(lit, clear) & all;
    const RowBits from_left = to_right & clear & (all >> 1);
    const RowBits to_left = SpreadLeft<kCapacity>(to_right, clear);
    const RowBits from_right = to_left & clear & ~RowBits{1};
    lit = from_left | from_left << 1 | from_right | from_right >> 1;
    return to_left;
  }

  // Replaces the codes of hidden cells, and clears the fourth byte of the others.
  void Hide(int y) {
    using Bits = std::conditional_t<(kSize != 0 && kSize <= 32), std::uint32_t, RowBits>;
    const auto lit = static_cast<Bits>(lit_[static_cast<std::size_t>(y)]);
    Code* const row = Row(y);
    for (int x = 0; x < (kSize != 0 ? kStride : size_); ++x) {
      row[x] &= (lit & Bits{1} << x) != 0 ? kShown : kUnseenCode;
    }
  }

  int size_;
  std::array<RowBits, kCapacity> lit_;
  std::array<Code, static_cast<std::size_t>(kCapacity* kStride)> codes_;
};

}  // namespace engine::minigrid

#endif  // ENGINE_ENVS_MINIGRID_VIEW_H_
