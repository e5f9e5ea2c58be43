// A TIA and its picture for tests. Tests write registers at a line and a cycle, and read rows as
// text. Not thread-safe.
#ifndef ENGINE_TESTS_ENGINE_EMULATORS_ATARI2600_SCREEN_H_
#define ENGINE_TESTS_ENGINE_EMULATORS_ATARI2600_SCREEN_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "engine/emulators/atari2600/picture.h"
#include "engine/emulators/atari2600/tia.h"
#include "tests/engine/emulators/atari2600/registers.h"

namespace engine::atari2600::testing {

enum class Object : std::uint8_t { kPlayer0, kPlayer1, kMissile0, kMissile1, kBall };

// Pixels of one color.
struct Span {
  char color;
  int x;
  int width;
};

// A row of background with the spans in it. Later spans cover earlier ones. Spans wrap at the
// line's end.
inline std::string Line(std::initializer_list<Span> spans, char background = '.') {
  std::string row(160, background);
  for (const Span& span : spans) {
    for (int i = 0; i < span.width; ++i) {
      row[static_cast<std::size_t>((span.x + i) % 160)] = span.color;
    }
  }
  return row;
}

class Screen {
 public:
  // Most tests look at objects that Place() moves. They do not want the blanks that HMOVE causes.
  static constexpr TiaSetup kSetup{
      .first_line = 34, .lines = 20, .max_lines = 290, .hmove_blanks = false, .color_loss = false};

  // Sets the colors so that player 0 shows as '0', player 1 as '1', playfield and ball as 'f', the
  // background as '.' and black as '#'.
  explicit Screen(const TiaSetup& setup = kSetup) : setup_(setup), picture_(setup.lines) {
    tia_.Reset(setup, 0);
    picture_.Swap();
    tia_.StartFrame(0);
    Write(kColup0, 0x10);
    Write(kColup1, 0x20);
    Write(kColupf, 0x30);
    Write(kColubk, 0x40);
  }

  // Sets the cursor to this cycle of this line, counted from the line in which the frame began. The
  // cursor must not move backwards.
  void Goto(int line, int cycle) { cycles_ = line * kCyclesPerLine + cycle - into_line_; }
  // Sets the cursor to a number of cycles since the frame's start.
  void At(std::int32_t cycles) { cycles_ = cycles; }
  // Like Goto(), with a row of the picture in place of the line.
  void GotoRow(int row, int cycle) { Goto(setup_.first_line + row, cycle); }

  // Writes at the cursor and moves the cursor by three cycles. Returns true if the frame ends.
  bool Write(int address, int value) {
    const bool ends = tia_.Write(address, static_cast<std::uint8_t>(value), cycles_, picture_);
    cycles_ += 3;
    return ends;
  }
  bool WriteAt(int row, int cycle, int address, int value) {
    GotoRow(row, cycle);
    return Write(address, value);
  }
  int Read(int address, const TiaInputs& inputs = {}, int bus = 0) {
    return tia_.Read(address, static_cast<std::uint8_t>(bus), cycles_, inputs, picture_);
  }

  // Moves the object to `x` with RESP and HMOVE in the lines from the cursor on. The picture then
  // shows all its copies. Clears the motion registers.
  void Place(Object thing, int x) {
    const int which = static_cast<int>(thing);
    const int offset = which < 2 ? 63 : 64;  // of the position from a cycle's first clock
    for (int cycle = 23; cycle < kCyclesPerLine; ++cycle) {
      const int reached = (3 * cycle - offset) % 160;
      for (int right = -7; right <= 8; ++right) {
        if ((reached + right + 160) % 160 != x) continue;
        const int line = NextLine();
        Goto(line, cycle);
        Write(kResp0 + which, 0);
        Goto(line + 1, 0);
        Write(kHmclr, 0);
        Goto(line + 2, 0);
        Write(kHmp0 + which, (right <= 0 ? -right : 16 - right) << 4);
        Goto(line + 3, 0);
        Write(kHmove, 0);
        Goto(line + 4, 0);
        Write(kHmclr, 0);
        return;
      }
    }
  }

  // A row as text. Draws up to the end of the row first.
  std::string Row(int row) {
    cycles_ = std::max(cycles_, (setup_.first_line + row + 1) * kCyclesPerLine + 1 - into_line_);
    Read(15);
    tia_.CatchUp(picture_);
    std::string text;
    for (int x = 0; x < 160; ++x) text += Letter(picture_.Row(row)[x]);
    return text;
  }
  // The color of a pixel in a row that is already drawn.
  int Color(int row, int x) { return picture_.Row(row)[x]; }

  // Ends the current frame and starts the next one.
  void NextFrame() {
    into_line_ = tia_.ClockOfLine(cycles_) / 3;
    tia_.EndFrame(cycles_);
    tia_.CatchUp(picture_);
    picture_.Swap();
    tia_.StartFrame(cycles_);
    cycles_ = 0;
  }

  Screen(const Screen& other)
      : setup_(other.setup_),
        tia_(other.tia_),
        picture_(setup_.lines),
        cycles_(other.cycles_),
        into_line_(other.into_line_) {
    picture_.CopyFrom(other.picture_);
  }
  Screen& operator=(const Screen&) = delete;

  Tia& tia() { return tia_; }
  Picture& picture() { return picture_; }
  std::int32_t cycles() const { return cycles_; }

 private:
  int NextLine() const { return (cycles_ + into_line_) / kCyclesPerLine + 1; }

  static char Letter(int color) {
    switch (color) {
      case 0x00:
        return '#';
      case 0x10:
        return '0';
      case 0x20:
        return '1';
      case 0x30:
        return 'f';
      case 0x40:
        return '.';
      default:
        return '?';
    }
  }

  TiaSetup setup_;
  Tia tia_;
  Picture picture_;
  std::int32_t cycles_ = 0;
  std::int32_t into_line_ = 0;  // cycles of the first line that had passed when the frame began
};

}  // namespace engine::atari2600::testing

#endif  // ENGINE_TESTS_ENGINE_EMULATORS_ATARI2600_SCREEN_H_
