// The agent's view: a square of cells ahead of the agent, in which walls and closed doors hide the
// cells behind them. It follows MiniGridEnv.gen_obs_grid of MiniGrid 3.2.0. Each observation makes
// its view on the stack.
#ifndef ENGINE_ENVS_MINIGRID_VIEW_H_
#define ENGINE_ENVS_MINIGRID_VIEW_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

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
template <int kCells>
inline RowBits SpreadRight(RowBits lit, RowBits clear) {
  RowBits enter = clear << 1;  // cells whose left neighbour is clear
  for (int step = 1; step < kCells; step *= 2) {
    lit |= enter & (lit << step);
    enter &= enter << step;
  }
  return lit;
}
template <int kCells>
inline RowBits SpreadLeft(RowBits lit, RowBits clear) {
  RowBits enter = clear >> 1;
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
  View(const World& world, int size, bool see_through_walls) : size_(kSize != 0 ? kSize : size) {
    const ViewFrame frame(world, this->size());
    std::array<RowBits, kCapacity> clear = {};
    Read(world, frame, clear);
    if (see_through_walls) {
      lit_.fill(~RowBits{0});
    } else {
      Light(clear);
    }
    // The agent sees the object that it carries in its own cell.
    At(this->size() / 2, this->size() - 1) = CodeOf(world.objects[world.carrying]);
  }

  int size() const { return kSize != 0 ? kSize : size_; }
  bool IsVisible(int x, int y) const { return (lit_[static_cast<std::size_t>(y)] >> x & 1) != 0; }
  Code Visible(int x, int y) const {
    return IsVisible(x, y) ? codes_[Index(x, y)] & kShown : kUnseenCode;
  }

 private:
  static constexpr int kCapacity = kSize != 0 ? kSize : kLargestView;

  // Column by column, like the image of the observation.
  std::size_t Index(int x, int y) const { return static_cast<std::size_t>(x * size() + y); }
  Code& At(int x, int y) { return codes_[Index(x, y)]; }

  // Cells outside of the grid are walls.
  void Read(const World& world, const ViewFrame& frame, std::array<RowBits, kCapacity>& clear) {
    const ObjectId* const cells = world.cells().data();
    const Object* const objects = world.objects.data();
    const int side = size();
    std::fill_n(codes_.begin(), side * side, CodeOf(objects[kWallId]));
    // The cells inside of the grid form a rectangle in the view.
    const auto inside = [&](Point step) {
      return step.x != 0 ? CellsInside(frame.origin.x, step.x, world.width, side)
                         : CellsInside(frame.origin.y, step.y, world.height, side);
    };
    const CellRange xs = inside(frame.right);
    const CellRange ys = inside(frame.forward * -1);
    const int right = frame.right.y * world.width + frame.right.x;
    const int forward = frame.forward.y * world.width + frame.forward.x;
    const int origin = frame.origin.y * world.width + frame.origin.x;
    for (int y = ys.begin; y < ys.end; ++y) {
      RowBits row = 0;
      int cell = origin + right * xs.begin - forward * y;
      for (int x = xs.begin; x < xs.end; ++x, cell += right) {
        const Code code = CodeOf(objects[cells[cell]]);
        At(x, y) = code;
        row |= RowBits{code <= kShown} << x;
      }
      clear[static_cast<std::size_t>(y)] = row;
    }
  }

  // Light spreads in the agent's row in both directions, then to the row ahead of it, and so on.
  void Light(const std::array<RowBits, kCapacity>& clear) {
    const RowBits all = ~RowBits{0} >> (64 - size());
    RowBits lit = RowBits{1} << (size() / 2);
    for (int y = size() - 1; y >= 0; --y) {
      const RowBits open = clear[static_cast<std::size_t>(y)];
      const RowBits to_right = SpreadRight<kCapacity>(lit, open) & all;
      const RowBits from_left = to_right & open & (all >> 1);
      const RowBits to_left = SpreadLeft<kCapacity>(to_right, open);
      const RowBits from_right = to_left & open & ~RowBits{1};
      lit_[static_cast<std::size_t>(y)] = to_left;
      lit = from_left | from_left << 1 | from_right | from_right >> 1;
    }
  }

  int size_;
  std::array<RowBits, kCapacity> lit_;
  std::array<Code, static_cast<std::size_t>(kCapacity* kCapacity)> codes_;
};

}  // namespace engine::minigrid

#endif  // ENGINE_ENVS_MINIGRID_VIEW_H_
