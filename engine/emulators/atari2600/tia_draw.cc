// Drawing of the TIA: runs of a scanline during which nothing changes.
#include <algorithm>
#include <bit>
#include <cstring>

#include "engine/emulators/atari2600/bits.h"
#include "engine/emulators/atari2600/paint_cells.h"
#include "engine/emulators/atari2600/tia.h"

namespace engine::atari2600 {
namespace {

// The latches in the order of their bits: pairs of objects that touch, by Tia::Object.
struct Pair {
  std::uint8_t first;
  std::uint8_t second;
};
constexpr Pair kPairs[15] = {{2, 1}, {2, 0}, {3, 0}, {3, 1}, {0, 5}, {0, 4}, {1, 5}, {1, 4},
                             {2, 5}, {2, 4}, {3, 5}, {3, 4}, {4, 5}, {0, 1}, {2, 3}};

// The latches that a set of objects can set.
constexpr auto kLatches = [] {
  std::array<std::uint16_t, 64> table{};
  for (unsigned objects = 0; objects < 64; ++objects) {
    for (unsigned i = 0; i < 15; ++i) {
      if ((objects >> kPairs[i].first & 1) != 0 && (objects >> kPairs[i].second & 1) != 0) {
        table[objects] = static_cast<std::uint16_t>(table[objects] | 1 << i);
      }
    }
  }
  return table;
}();

// Two bits for each bit of an index.
constexpr auto kSpread2 = [] {
  std::array<std::uint16_t, 256> table{};
  for (unsigned bits = 0; bits < 256; ++bits) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      if ((bits >> bit & 1) != 0)
        table[bits] = static_cast<std::uint16_t>(table[bits] | 3 << 2 * bit);
    }
  }
  return table;
}();

constexpr std::uint64_t MirrorCells(std::uint64_t cells) {
  const auto byte = [cells](int at) {
    return std::uint64_t{Mirror(static_cast<std::uint8_t>(cells >> at))};
  };
  return (byte(0) << 16 | byte(8) << 8 | byte(16)) >> 4;
}

const Pixels kLeftHalf = Between(0, 80);

// One bit at the start of each copy of a player, for copies within 32 pixels.
constexpr std::uint64_t kBit16 = std::uint64_t{1} << 16;
constexpr std::uint64_t kBit32 = std::uint64_t{1} << 32;
constexpr std::uint64_t kNear[8] = {1, 1 | kBit16, 1 | kBit32, 1 | kBit16 | kBit32,
                                    1, 1,          1 | kBit32, 1};

}  // namespace

[[gnu::always_inline]] inline Pixels Tia::PlayerShape(int player) const {
  Pixels shape;
  const int mode = size_[player] & 7;
  const std::uint8_t pattern = pattern_[player];
  const int x = position_[player];
  // Wide players are drawn one pixel later.
  const int next = x + 1 == Pixels::kLine ? 0 : x + 1;
  if (mode == 5) {
    if (!first_hidden_[player]) shape.Add(kSpread2[pattern], 16, next);
  } else if (mode == 7) {
    if (!first_hidden_[player]) shape.Add(scanline_internal::kSpread4[pattern], 32, next);
  } else {
    // A multiplication gives the near copies; the copy 64 pixels away is separate.
    shape.Add(pattern * (kNear[mode] & ~std::uint64_t{first_hidden_[player]}), 40, x);
    if (mode == 4 || mode == 6) {
      const int at = x + 64;
      shape.Add(pattern, 8, at >= Pixels::kLine ? at - Pixels::kLine : at);
    }
  }
  return shape;
}

[[gnu::always_inline]] inline Pixels Tia::MissileShape(int missile) const {
  Pixels shape;
  const int mode = size_[missile] & 7;
  int log_width = size_[missile] >> 4 & 3;
  if (missile == 0 && stars_shape_ != 0) {
    if (stars_shape_ == 2) return shape;
    log_width |= 1;
  }
  const int width = 1 << log_width;
  for (int copy = 0; copy < 3 && kCopies[mode][copy] >= 0; ++copy) {
    const int at = position_[2 + missile] + kCopies[mode][copy];
    shape.Add((1u << width) - 1, width, at >= Pixels::kLine ? at - Pixels::kLine : at);
  }
  return shape;
}

// Updates the shape of the playfield.
[[gnu::always_inline]] inline std::uint64_t Tia::Cells() {
  if ((stale_ & kStaleCells) != 0) {
    stale_ &= static_cast<std::uint8_t>(~kStaleCells);
    const std::uint64_t left = playfield_;
    cells_ = left | (reflect_playfield_ ? MirrorCells(left) : left) << 20;
  }
  return cells_;
}

const Pixels& Tia::Shape(Object object) {
  if ((stale_ >> object & 1) == 0) return shape_[object];
  stale_ = static_cast<std::uint8_t>(stale_ & ~(1 << object));
  Pixels shape;
  switch (object) {
    case kPlayer0:
    case kPlayer1:
      shape = PlayerShape(object);
      break;
    case kMissile0:
    case kMissile1:
      shape = MissileShape(object - kMissile0);
      break;
    case kBall: {
      const int width = 1 << (control_ >> 4 & 3);
      shape.Add((1u << width) - 1, width, position_[4]);
      break;
    }
    case kPlayfield:
      shape = FromCells(Cells());
      break;
  }
  shape_[object].Assign(shape);
  return shape_[object];
}

// Updates the shapes of the enabled objects.
inline void Tia::Compose() {
  Pixels first;
  Pixels second;
  Pixels touch;
  if (enabled(kPlayer0)) first = Shape(kPlayer0);
  if (enabled(kMissile0)) {
    const Pixels& missile = Shape(kMissile0);
    touch = first & missile;
    first = first | missile;
  }
  if (enabled(kPlayer1)) second = Shape(kPlayer1);
  if (enabled(kMissile1)) {
    const Pixels& missile = Shape(kMissile1);
    touch = touch | (second & missile);
    second = second | missile;
  }
  touch = touch | (first & second);
  Pixels moving = first | second;
  if (enabled(kBall)) {
    const Pixels& ball = Shape(kBall);
    touch = touch | (moving & ball);
    moving = moving | ball;
  }
  first_.Assign(first);
  second_.Assign(second);
  moving_.Assign(moving);
  touch_.Assign(touch);
  composed_ = static_cast<std::uint8_t>(enabled_ & ~(1 << kPlayfield));
}

// Sets the latches of objects that touch in this run.
void Tia::Collide(const Pixels& run) {
  unsigned open = kLatches[enabled_] & ~unsigned{collisions_};
  while (open != 0) {
    const int latch = std::countr_zero(open);
    open &= open - 1;
    const Pair pair = kPairs[latch];
    if ((shape_[pair.first] & shape_[pair.second] & run).any()) {
      collisions_ = static_cast<std::uint16_t>(collisions_ | 1 << latch);
    }
  }
}

[[gnu::always_inline]] inline void Tia::DrawObjects(int from, int to, std::uint8_t* row) {
  const unsigned objects = enabled_;
  if (composed_ != (objects & ~(1u << kPlayfield))) Compose();
  const Pixels run = Between(from, to);
  const Pixels moving = moving_ & run;
  if (!moving.any()) return;
  const bool has_playfield = enabled(kPlayfield);
  if (has_playfield) Shape(kPlayfield);
  if ((kLatches[objects] & ~unsigned{collisions_}) != 0) {
    Pixels touch = touch_;
    if (has_playfield) touch = touch | shape_[kPlayfield];
    if ((touch & moving).any()) Collide(run);
  }
  if (row == nullptr) return;

  const bool score = (control_ & 0x02) != 0;
  const bool front_playfield = (control_ & 0x04) != 0;
  const bool has_ball = enabled(kBall);
  for (int i = 0; i < 3; ++i) {
    const std::uint64_t in_run = run.word[i];
    if ((moving_.word[i] & in_run) == 0) continue;
    std::uint64_t first = first_.word[i] & in_run;
    std::uint64_t second = second_.word[i] & in_run;
    std::uint64_t ball = has_ball ? shape_[kBall].word[i] & in_run : 0;
    const std::uint64_t playfield = has_playfield ? shape_[kPlayfield].word[i] : 0;
    if (front_playfield) {
      first &= ~(playfield | ball);
      second &= ~(playfield | ball);
    } else {
      // Player 1 does not cover the playfield if the playfield has player 0's color.
      if (score) second &= ~(playfield & kLeftHalf.word[i]);
      second &= ~first;
    }
    ball &= ~playfield;
    if (ball != 0) PaintWord(row, i, ball, color_[2]);
    if (second != 0) PaintWord(row, i, second, color_[1]);
    if (first != 0) PaintWord(row, i, first, color_[0]);
  }
}

[[gnu::always_inline]] inline void Tia::DrawPlayfield(int from, int to, std::uint8_t* row) {
  const std::uint8_t background = color_[3];
  if (!enabled(kPlayfield)) {
    PaintRun(row, from, to, background);
    return;
  }
  const std::uint64_t cells = Cells();
  // In score mode the halves have the players' colors, except if the playfield is in front of other
  // objects.
  const bool score = (control_ & 0x02) != 0;
  const bool front_playfield = (control_ & 0x04) != 0;
  if (score && (!front_playfield || enabled_ == 1 << kPlayfield)) [[unlikely]] {
    if (from < 80) PaintCells(row, from, std::min(to, 80), cells, color_[0], background);
    if (to > 80) PaintCells(row, std::max(from, 80), to, cells, color_[1], background);
  } else {
    PaintCells(row, from, to, cells, color_[2], background);
  }
}

// If `row` is null, it is not drawn, because it is not observed; collisions are still detected.
[[gnu::always_inline]] inline void Tia::DrawRun(int from, int to, std::uint8_t* row) {
  if (blanked()) {
    if (row != nullptr) PaintRun(row, from, to, 0);
    return;
  }
  if (row != nullptr) DrawPlayfield(from, to, row);
  const int moving = enabled_ & ~(1 << kPlayfield);
  if (moving == 0) return;
  if (row == nullptr && (kLatches[enabled_] & ~unsigned{collisions_}) == 0) return;
  if (composed_ == moving && !(moving_ & Between(from, to)).any()) return;
  DrawObjects(from, to, row);
}

// Returns true if the next line begins in the same state as this line.
[[gnu::always_inline]] inline bool Tia::EndLine() {
  ++row_;
  bool same = true;
  if (const bool reflect = (control_ & 0x01) != 0; reflect != reflect_playfield_) {
    reflect_playfield_ = reflect;
    Stale(kPlayfield);
    same = false;
  }
  for (const int player : {0, 1}) {
    if (!first_hidden_[player]) continue;
    first_hidden_[player] = false;
    Stale(player == 0 ? kPlayer0 : kPlayer1);
    same = false;
  }
  if (stars_) [[unlikely]] {
    constexpr int kStep[4] = {18, 33, 0, 17};
    stars_phase_ = (stars_phase_ + 1) & 3;
    const int x = position_[2] - kStep[stars_phase_];
    position_[2] = static_cast<std::int16_t>(x < 0 ? x + Pixels::kLine : x);
    stars_shape_ = stars_phase_ == 1 ? 1 : stars_phase_ == 2 ? 2 : 0;
    Stale(kMissile0);
    same = false;
  }
  return same;
}

// Draws between two clocks of the line that contains drawn_.
[[gnu::always_inline]] inline void Tia::DrawLine(int from, int to, Picture& picture) {
  const int start = std::max(from, kBlankClocks) - kBlankClocks;
  const int end = to - kBlankClocks;
  if (end <= start) return;
  std::uint8_t* const row = row_ < picture.first_seen_row() ? nullptr : picture.Row(row_);
  DrawRun(start, end, row);
  if (blank_start_ && start < 8) [[unlikely]] {
    if (row != nullptr) {
      std::memset(row + start, 0, static_cast<std::size_t>(std::min(end, 8) - start));
    }
    if (end >= 8) blank_start_ = false;
  }
}

#if !defined(__clang__)  // which, before version 17, does not flatten a function with clones
[[gnu::flatten]]
#endif
ENGINE_TIA_CLONES void Tia::Draw(std::int32_t clock, Picture& picture) {
  clock = std::min(clock, display_end_);
  // A line ends only when something beyond it is drawn, so a write exactly at its end takes effect
  // first.
  bool copies = false;  // the next line is a copy of the one above
  while (EndsLine(clock)) {
    const bool whole = left_in_line_ == kClocksPerLine && !blank_start_;
    if (copies && whole) {
      if (row_ > picture.first_seen_row()) picture.CopyRow(row_);
    } else {
      DrawLine(kClocksPerLine - left_in_line_, kClocksPerLine, picture);
    }
    drawn_ += left_in_line_;
    left_in_line_ = kClocksPerLine;
    copies = EndLine() && whole && row_ != picture.first_seen_row();
  }
  const int from = kClocksPerLine - left_in_line_;
  left_in_line_ -= clock - drawn_;
  drawn_ = clock;
  DrawLine(from, kClocksPerLine - left_in_line_, picture);
}

}  // namespace engine::atari2600
