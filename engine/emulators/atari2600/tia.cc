// Writes to the TIA's registers that change something. tia_write.h has the preceding checks,
// tia_draw.cc the drawing.
#include "engine/emulators/atari2600/tia.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <utility>

#include "engine/base/copied_bool.h"
#include "engine/emulators/atari2600/bits.h"
#include "engine/emulators/atari2600/tia_write.h"

namespace engine::atari2600 {
namespace {

// The number of pixels by which HMOVE in cycle `cycle` of a line moves an object with these four
// bits in its motion register. An object gets one extra clock every four color clocks until a
// comparator stops them. If the write is late in the horizontal blank, some of the extra clocks are
// missed; if it is late in the line, they continue into the next line.
constexpr int Motion(int cycle, int bits) {
  const int plain = bits < 8 ? -bits : 16 - bits;
  const int quarters = (3 * cycle + 1) / 4;
  if (cycle <= 20) return plain > quarters - 9 ? plain : quarters - 9;
  if (cycle == kCyclesPerLine - 1) return plain;
  const int late = plain + 47 - quarters;
  return late < 0 ? late : 0;
}

constexpr auto kMotion = [] {
  std::array<std::array<std::int8_t, 16>, kCyclesPerLine> table{};
  for (int cycle = 0; cycle < kCyclesPerLine; ++cycle) {
    for (int bits = 0; bits < 16; ++bits) {
      table[static_cast<std::size_t>(cycle)][static_cast<std::size_t>(bits)] =
          static_cast<std::int8_t>(Motion(cycle, bits));
    }
  }
  return table;
}();

// The position of RESP relative to the player's current copies.
enum Zone : std::uint8_t { kElsewhere, kBeforeCopy, kInCopy };

constexpr auto kZone = [] {
  std::array<std::array<Zone, Pixels::kLine>, 8> table{};
  for (int mode = 0; mode < 8; ++mode) {
    for (int copy = 0; copy < 3; ++copy) {
      const int start = kCopies[mode][copy];
      if (start < 0) continue;
      for (int i = 0; i < 4 + PlayerWidth(mode); ++i) {
        table[static_cast<std::size_t>(mode)][static_cast<std::size_t>(start + i)] =
            i < 4 ? kBeforeCopy : kInCopy;
      }
    }
  }
  return table;
}();

constexpr std::int16_t Wrap(int x) {
  return static_cast<std::int16_t>(x >= Pixels::kLine ? x - Pixels::kLine
                                   : x < 0            ? x + Pixels::kLine
                                                      : x);
}

constexpr std::int32_t Minus(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) - static_cast<std::uint32_t>(b));
}

}  // namespace

void Tia::Reset(const TiaSetup& setup, std::int32_t cycles) {
  *this = Tia{};
  setup_ = setup;
  frame_start_ = cycles * 3;
  sync_over_ = std::numeric_limits<std::int32_t>::max();
  stale_ = 0xFF;
  StartFrame(cycles);
}

void Tia::StartFrame(std::int32_t cycles) {
  const int clocks_into_line = LineClock(cycles * 3);
  sync_over_ = Minus(sync_over_, cycles * 3);
  last_move_ = Minus(last_move_, cycles * 3);
  discharge_end_ = Minus(discharge_end_, cycles);

  // Vertical sync does not affect the line count, and some games position objects during it.
  frame_start_ = -clocks_into_line;
  display_start_ = frame_start_ + kClocksPerLine * setup_.first_line;
  display_end_ = display_start_ + kClocksPerLine * setup_.lines;
  frame_limit_ = frame_start_ + kClocksPerLine * (setup_.max_lines + 1);
  drawn_ = display_start_;
  left_in_line_ = kClocksPerLine;
  touched_ = frame_start_;
  line_end_ = frame_start_ / 3;
  row_ = 0;
  displaced_ = 0;
  if (setup_.color_loss) {
    color_lost_ = lines_of_last_frame_ & 1;
    for (std::uint8_t& color : color_) color = WithoutColor(color);
  }
}

bool Tia::IsValid(const TiaSetup& setup) const {
  if (!AreBools(setup_.hmove_blanks, setup_.color_loss) || !(setup_ == setup)) return false;
  // Sums of several clocks and cycles must not overflow.
  constexpr std::int32_t kLatest = 1 << 28;  // cycles
  const bool clocks = -kClocksPerLine < frame_start_ && frame_start_ <= 0 &&
                      display_start_ == frame_start_ + kClocksPerLine * setup_.first_line &&
                      display_end_ == display_start_ + kClocksPerLine * setup_.lines &&
                      frame_limit_ == frame_start_ + kClocksPerLine * (setup_.max_lines + 1) &&
                      -kLatest <= touched_ / 3 && touched_ / 3 <= kLatest &&
                      -kLatest <= line_end_ && line_end_ <= kLatest;
  const bool place = 0 <= row_ && row_ < setup_.lines && 0 <= left_in_line_ &&
                     left_in_line_ <= kClocksPerLine &&
                     drawn_ == display_start_ + kClocksPerLine * (row_ + 1) - left_in_line_ &&
                     -setup_.lines * kWidth <= displaced_ && displaced_ <= setup_.lines * kWidth;
  const bool bools =
      AreBools(delay_) && AreBools(reflect_) && AreBools(missile_on_) && AreBools(locked_) &&
      AreBools(first_hidden_) &&
      AreBools(ball_on_, ball_delayed_, delay_ball_, discharging_, reflect_playfield_, blank_start_,
               stars_, kept_player_[0].first_hidden, kept_player_[1].first_hidden);
  const auto is_position = [](int x) { return 0 <= x && x < Pixels::kLine; };
  return clocks && place && bools && color_lost_ <= 1 && enabled_ < 1 << kObjects &&
         std::ranges::all_of(
             motion_, [](int motion) { return motion < 16; }) &&
         std::ranges::all_of(position_, is_position) && is_position(kept_player_[0].position) &&
         is_position(kept_player_[1].position);
}

std::uint8_t Tia::Read(int address, std::uint8_t bus, std::int32_t cycles, const TiaInputs& inputs,
                       Picture& picture) {
  const std::int32_t clock = cycles * 3;
  touched_ = clock;
  unsigned high = 0;
  if (address < 8) {
    DrawUntil(clock, picture);
    // Two latches per register, in the order of the collision bits; CXBLPF has one.
    constexpr std::uint16_t kFirst[8] = {0x0001, 0x0004, 0x0010, 0x0040,
                                         0x0100, 0x0400, 0x1000, 0x2000};
    constexpr std::uint16_t kSecond[8] = {0x0002, 0x0008, 0x0020, 0x0080,
                                          0x0200, 0x0800, 0x0000, 0x4000};
    if ((collisions_ & kFirst[address]) != 0) high |= 0x80;
    if ((collisions_ & kSecond[address]) != 0) high |= 0x40;
  } else if (address < 12) {
    const std::int32_t needed = inputs.charge_cycles[address - 8];
    if (needed == TiaInputs::kAlways) {
      high = 0x80;
    } else if (needed != TiaInputs::kNever && !discharging_) {
      // Unsigned, so that a capacitor that began to charge long before the frame, and is therefore
      // full, reads as empty.
      const std::uint32_t full =
          static_cast<std::uint32_t>(discharge_end_) + static_cast<std::uint32_t>(needed);
      if (static_cast<std::uint32_t>(cycles) > full) high = 0x80;
    }
  } else if (address < 14) {
    if (inputs.button_up[address - 12]) high = 0x80;
  }
  return static_cast<std::uint8_t>(high | (bus & 0x3F));
}

bool Tia::Write(int address, std::uint8_t value, std::int32_t cycles, Picture& picture) {
  using Writer = bool (*)(Tia&, std::uint8_t, std::int32_t, Picture&);
  static constexpr auto kWriters = []<std::size_t... kAddresses>(
                                       std::index_sequence<kAddresses...>) {
    return std::array<Writer, 64>{+[](Tia& tia, std::uint8_t byte, std::int32_t at, Picture& out) {
      return tia.Write<static_cast<int>(kAddresses)>(byte, at, out);
    }...};
  }(std::make_index_sequence<64>());
  // The second push of an instruction has the same cycle as the first, and the first may have drawn
  // beyond that cycle.
  if (touched_ > cycles * 3) DrawUntil(touched_, picture);
  return kWriters[static_cast<std::size_t>(address)](*this, value, cycles, picture);
}

void Tia::WriteColor(int which, std::uint8_t value, std::int32_t until, Picture& picture) {
  const std::uint8_t color = WithoutColor(value);
  // If no visible object uses the color, the TIA does not draw up to here first. The table has the
  // objects of each color; in score mode the players' colors are also used for the halves of the
  // playfield.
  constexpr std::uint8_t kShownBy[4] = {1 << kPlayer0 | 1 << kMissile0,
                                        1 << kPlayer1 | 1 << kMissile1,
                                        1 << kPlayfield | 1 << kBall, 0xFF};
  const bool in_score = which < 2 && (control_ & 0x02) != 0;
  if (!blanked() && (in_score || which == 3 || (enabled_ & kShownBy[which]) != 0)) {
    DrawUntil(until, picture);
  }
  color_[which] = color;
}

void Tia::WriteSize(int player, std::uint8_t value, std::int32_t until, Picture& picture) {
  DrawUntil(until, picture);
  size_[player] = value;
  first_hidden_[player] = false;
  if (player == 0) stars_shape_ = 0;
  Made(kPairBits[player]);
  Stale(player == 0 ? kPlayer0 : kPlayer1);
  Stale(player == 0 ? kMissile0 : kMissile1);
}

void Tia::WritePlayfield(std::uint32_t playfield, Picture& picture) {
  if (!blanked()) DrawUntil(touched_, picture);
  playfield_ = playfield;
  Stale(kPlayfield);
  enabled_ = static_cast<std::uint8_t>(playfield != 0 ? enabled_ | 1 << kPlayfield
                                                      : enabled_ & ~(1 << kPlayfield));
}

void Tia::WriteControl(std::uint8_t value, std::int32_t until, Picture& picture) {
  const bool reflect = (value & 0x01) != 0;
  // A write changes the reflection in the current line only if it happens in the left half or
  // before it.
  const bool in_time = LineClock(until) < kBlankClocks + 79;
  if (value == control_ && !in_time && (kept_ & 1 << kBall) == 0) return;
  DrawUntil(until, picture);
  control_ = value;
  if (in_time && reflect != reflect_playfield_) {
    reflect_playfield_ = reflect;
    Stale(kPlayfield);
  }
  Made(1u << kBall);
  Stale(kBall);
}

void Tia::UpdatePlayer(int player, std::uint8_t pattern, std::int32_t until, Picture& picture) {
  if (!blanked()) DrawUntil(until, picture);
  pattern_[player] = pattern;
  Stale(player);
  if (KeepsPlayer(player)) [[unlikely]]
    ShapeKeptPlayer(player);
  enabled_ =
      static_cast<std::uint8_t>(pattern != 0 ? enabled_ | 1 << player : enabled_ & ~(1 << player));
}

// Missiles and the ball.
void Tia::ToggleSmall(Object object, std::int32_t until, Picture& picture) {
  if (!blanked()) DrawUntil(until, picture);
  enabled_ = static_cast<std::uint8_t>(enabled_ ^ 1 << object);
}

void Tia::ResetPlayer(int player, std::int32_t clock, Picture& picture) {
  DrawUntil(clock, picture);
  const int line_clock = LineClock(clock);
  const int x = line_clock < kBlankClocks ? 3 : (line_clock - kBlankClocks + 5) % Pixels::kLine;
  const int distance = Wrap(x - position_[player]);
  const Zone zone = kZone[size_[player] & 7][static_cast<std::size_t>(distance)];
  // A copy that has begun is drawn completely.
  if (zone == kInCopy) {
    touched_ = clock + 11;
    DrawUntil(clock + 11, picture);
  }
  position_[player] = static_cast<std::int16_t>(x);
  first_hidden_[player] = zone != kBeforeCopy;
  Made(1u << player);
  Stale(player == 0 ? kPlayer0 : kPlayer1);
}

void Tia::ResetMissile(int missile, std::int32_t clock) {
  const int line_clock = LineClock(clock);
  int x = line_clock < kBlankClocks ? 2 : (line_clock - kBlankClocks + 4) % Pixels::kLine;
  // Shortly after HMOVE, its extra clocks still continue. These positions were observed in games
  // (Dolphin for missile 0, Pitfall II for missile 1).
  const std::int32_t since_move = ClocksSinceMove(clock);
  if (missile == 0 && since_move == 20 * 3 && line_clock == 69) x = 8;
  if (missile == 1 && since_move == 3 * 3 && line_clock == 18) x = 3;
  position_[2 + missile] = static_cast<std::int16_t>(x);
  if (missile == 0) stars_shape_ = 0;
  Made(1u << (kMissile0 + missile));
  Stale(missile == 0 ? kMissile0 : kMissile1);
}

void Tia::ResetBall(std::int32_t clock, Picture& picture) {
  DrawUntil(clock, picture);
  const int line_clock = LineClock(clock);
  int x = line_clock < kBlankClocks ? 2 : (line_clock - kBlankClocks + 4) % Pixels::kLine;
  // As for the missiles. Observed in Escape from the Mindmaster, Decathlon, Robot Tank and Hole
  // Hunter.
  const std::int32_t since_move = ClocksSinceMove(clock);
  if (since_move == 18 * 3 && (line_clock == 60 || line_clock == 69)) x = 10;
  if (since_move == 3 * 3 && line_clock == 18) x = 3;
  if (since_move == 7 * 3 && line_clock == 30) x = 6;
  if (since_move == 6 * 3 && line_clock == 27) x = 5;
  position_[4] = static_cast<std::int16_t>(x);
  Made(1u << kBall);
  Stale(kBall);
}

void Tia::LockMissile(int missile, std::int32_t clock, Picture& picture) {
  DrawUntil(clock, picture);
  const Object object = missile == 0 ? kMissile0 : kMissile1;
  if (locked_[missile]) {
    // A released missile is in the middle of its player.
    const int middle = PlayerWidth(size_[missile] & 7) / 2;
    position_[2 + missile] = Wrap(position_[missile] + middle);
    if (missile == 0) stars_shape_ = 0;
    Made(1u << object);
    Stale(object);
  }
  locked_[missile] = !locked_[missile];
  UpdateSmall(object, missile_on_[missile] && !locked_[missile], clock, picture);
}

// Moves each object by `motion` at the value of its motion register. Returns a bit mask of the
// objects that have moved.
unsigned Tia::MoveObjects(const std::int8_t* motion) {
  unsigned moved = 0;
  for (int i = 0; i < 5; ++i) {
    const int step = motion[motion_[i]];
    if (step == 0) continue;
    position_[i] = Wrap(position_[i] + step);
    moved |= 1u << i;
  }
  return moved;
}

void Tia::Move(std::int32_t clock, Picture& picture) {
  DrawUntil(clock, picture);
  const int cycle = LineClock(clock) / 3;
  if (setup_.hmove_blanks && (cycle <= 20 || cycle == kCyclesPerLine - 1)) blank_start_ = true;
  const auto& motion = kMotion[static_cast<std::size_t>(cycle)];
  unsigned moved = kept_ | (first_hidden_[0] ? 1u : 0u) | (first_hidden_[1] ? 2u : 0u);
  kept_ = 0;
  first_hidden_[0] = first_hidden_[1] = false;
  // For HMOVE at the usual time in a line, objects without motion do not move.
  if (cycle > 12 || HasMotion()) moved |= MoveObjects(motion.data());
  if (moved != 0) {
    stale_ = static_cast<std::uint8_t>(stale_ | moved);
    composed_ = 0xFF;
  }
  if (stars_shape_ != 0) Stale(kMissile0);
  stars_ = false;
  stars_shape_ = 0;
  last_move_ = clock;
}

void Tia::KeepUnsaved(Tia before, bool in_frame) {
  displaced_ = in_frame ? before.Place() + before.displaced_ - Place() : 0;
  for (const Object object : {kMissile0, kMissile1, kBall}) {
    shape_[object] = before.Shape(object);
    stale_ = static_cast<std::uint8_t>(stale_ & ~(1 << object));
  }
  stars_shape_ = 0;  // kept_ decides when the shape is computed again
  kept_ = 0x1F;
  for (const int player : {0, 1}) {
    kept_player_[player] = before.KeepsPlayer(player)
                               ? before.kept_player_[player]
                               : KeptPlayer{.position = before.position_[player],
                                            .size = before.size_[player],
                                            .first_hidden = before.first_hidden_[player]};
    // Events that make a player complete again, such as the end of a line, update a kept shape.
    first_hidden_[player] = true;
    ShapeKeptPlayer(player);
  }
  reflect_playfield_ = before.reflect_playfield_;
  Stale(kPlayfield);
}

// A kept shape has an old position and size, but the graphics of the current registers.
void Tia::ShapeKeptPlayer(int player) {
  const KeptPlayer own{
      .position = position_[player], .size = size_[player], .first_hidden = first_hidden_[player]};
  const auto place = [this, player](const KeptPlayer& as) {
    position_[player] = as.position;
    size_[player] = as.size;
    first_hidden_[player] = as.first_hidden;
  };
  place(kept_player_[player]);
  Stale(player);
  Shape(player == 0 ? kPlayer0 : kPlayer1);
  place(own);
}

// Draws into a separate picture, and copies the new part to the position at which the frame
// continues. This position may be in the middle of a row, or beyond the last row, where the part is
// invisible. Slow, but only until the frame ends.
void Tia::DrawDisplaced(std::int32_t clock, Picture& picture) {
  Picture own(setup_.lines);
  const std::int32_t from = Place();
  Draw(clock, own);
  const auto size = static_cast<std::int32_t>(own.size());
  const std::int32_t first = std::clamp(from + displaced_, 0, size);
  const std::int32_t last = std::clamp(Place() + displaced_, 0, size);
  if (first == last) return;
  std::memcpy(picture.Row(0) + first, own.Row(0) + (first - displaced_),
              static_cast<std::size_t>(last - first));
}

}  // namespace engine::atari2600
