// The TIA: draws the picture while the processor runs, and latches collisions of objects. Before a
// write of the processor takes effect, everything up to that moment is drawn. A write that changes
// nothing draws nothing, so long runs between changes are drawn at once. Behaves like ale-py
// 0.12.1's TIA, including its differences from the real chip; tests/engine/emulators/atari2600
// documents each. Used by one thread at a time; trivially copyable.
#ifndef ENGINE_EMULATORS_ATARI2600_TIA_H_
#define ENGINE_EMULATORS_ATARI2600_TIA_H_

#include <cstdint>

#include "engine/emulators/atari2600/picture.h"
#include "engine/emulators/atari2600/scanline.h"

// A function that is compiled twice, for any processor and for those with wide vectors and bit
// manipulation; the loader selects one if it can. Clang needs the attribute at the declaration,
// too, from which GCC would make another selection in each file.
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define ENGINE_TIA_CLONES [[gnu::target_clones("default", "arch=x86-64-v3")]]
#else
#define ENGINE_TIA_CLONES
#endif
#ifdef __clang__
#define ENGINE_TIA_DECLARED_CLONES ENGINE_TIA_CLONES
#else
#define ENGINE_TIA_DECLARED_CLONES
#endif

namespace engine::atari2600 {

// A color clock is a third of a processor cycle; a scanline has 228, the first
// 68 of them without picture.
inline constexpr int kClocksPerLine = 228;
inline constexpr int kBlankClocks = 68;
inline constexpr int kCyclesPerLine = kClocksPerLine / 3;

struct TiaSetup {
  int first_line = 34;       // the scanline that is the picture's first row
  int lines = 210;           // rows of the picture
  int max_lines = 290;       // a frame without vertical sync ends after this many
  bool hmove_blanks = true;  // HMOVE blanks eight pixels
  bool color_loss = false;   // PAL: an odd number of lines removes the colour

  friend bool operator==(const TiaSetup&, const TiaSetup&) = default;
};

// The TIA's inputs from the controllers: for each analog input the number of cycles in which its
// capacitor charges, and the two buttons.
struct TiaInputs {
  static constexpr std::int32_t kNever = -1;
  static constexpr std::int32_t kAlways = -2;
  std::int32_t charge_cycles[4] = {kNever, kNever, kNever, kNever};  // INPT0 to INPT3
  bool button_up[2] = {true, true};                                  // INPT4 and INPT5
};

class Tia {
 public:
  // Cycles count approximately from the start of the frame: see StartFrame.
  void Reset(const TiaSetup& setup, std::int32_t cycles);

  // Starts the next frame at `cycles`, which becomes cycle 0: the caller subtracts it from its own
  // counts.
  void StartFrame(std::int32_t cycles);
  // Completes the current frame.
  void EndFrame(std::int32_t cycles) { lines_of_last_frame_ = Scanline(cycles); }

  // Writes to the register, 0 to 63. True if the frame ends with this instruction.
  template <int kAddress>
  [[gnu::always_inline]] bool Write(std::uint8_t value, std::int32_t cycles, Picture& picture) {
    const std::int32_t clock = cycles * 3;
    WriteRegister<kAddress>(value, clock, picture);
    return Ends<kAddress>(value, clock);
  }
  // As Write, in two steps. The first step handles most writes and calls nothing. If it returns
  // false, the second step must do the write.
  template <int kAddress>
  [[gnu::always_inline]] bool WriteQuietly(std::uint8_t value, std::int32_t clock);
  template <int kAddress>
  bool Ends(std::uint8_t value, std::int32_t clock);
  // Sets the position of the latest access. Needed for the last access of a run if it was a write
  // without effect.
  template <int kAddress>
  void Touch(std::int32_t clock);
  bool Write(int address, std::uint8_t value, std::int32_t cycles, Picture& picture);
  // As Write, for WSYNC, which changes nothing.
  bool Sync(std::int32_t cycles) {
    touched_ = cycles * 3;
    return touched_ >= frame_limit_;
  }
  // The cycle at which the processor continues after a write to WSYNC at `cycles`.
  std::int32_t LineEnd(std::int32_t cycles) {
    // Usually this is the first line end after the previous request.
    std::int32_t left = line_end_ - cycles;
    if (left < 0) {
      line_end_ += kCyclesPerLine;
      left += kCyclesPerLine;
    }
    if (static_cast<std::uint32_t>(left) >= kCyclesPerLine) [[unlikely]] {
      const auto since = static_cast<std::uint32_t>(cycles - frame_start_ / 3);
      const std::uint32_t over = since % kCyclesPerLine;
      line_end_ = cycles + (over != 0 ? kCyclesPerLine - static_cast<std::int32_t>(over) : 0);
    }
    return line_end_;
  }

  // Reads a register, 0 to 15. Bits that the TIA does not drive come from `bus`, the latest byte
  // on the data bus.
  std::uint8_t Read(int address, std::uint8_t bus, std::int32_t cycles, const TiaInputs& inputs,
                    Picture& picture);

  // Draws up to the latest access of the processor.
  void CatchUp(Picture& picture) { DrawUntil(touched_, picture); }
  // The current scanline of the frame.
  int Scanline(std::int32_t cycles) const { return (cycles * 3 - frame_start_) / kClocksPerLine; }
  int ClockOfLine(std::int32_t cycles) const {
    return (cycles * 3 - frame_start_) % kClocksPerLine;
  }
  const TiaSetup& setup() const { return setup_; }
  // For a state that has replaced `before`: keeps the parts of `before` that ale-py's snapshots do
  // not contain. These are the shape of each object until it is computed again and, within a frame,
  // the position at which the picture is drawn.
  void KeepUnsaved(Tia before, bool in_frame);
  std::uint16_t collisions() const { return collisions_; }
  // For a state from elsewhere: whether a TIA with this configuration can be in it, so that drawing
  // stays in the picture and indices stay in their tables.
  bool IsValid(const TiaSetup& setup) const;
  // The number of rows of the frame's picture that are drawn completely.
  int rows_drawn() const { return (drawn_ - display_start_) / kClocksPerLine; }

 private:
  // Same order as position_ and motion_; the playfield is last.
  enum Object : std::uint8_t { kPlayer0, kPlayer1, kMissile0, kMissile1, kBall, kPlayfield };
  static constexpr int kObjects = 6;
  static constexpr std::uint8_t kStaleCells = 1 << kObjects;

  template <int kAddress>
  void WriteRegister(std::uint8_t value, std::int32_t clock, Picture& picture);
  template <int kAddress>
  std::uint32_t Playfield(std::uint8_t value) const;
  bool StartsStars(std::uint8_t value, std::int32_t clock) const;
  [[gnu::always_inline]] void DrawUntil(std::int32_t clock, Picture& picture) {
    if (drawn_ >= clock || drawn_ >= display_end_) return;
    // Nothing is visible yet in this line.
    const std::int32_t ahead = left_in_line_ - (clock - drawn_);
    if (ahead >= kClocksPerLine - kBlankClocks) {
      left_in_line_ = ahead;
      drawn_ = clock;
      return;
    }
    if (displaced_ == 0) [[likely]] {
      Draw(clock, picture);
    } else {
      DrawDisplaced(clock, picture);
    }
  }
  ENGINE_TIA_DECLARED_CLONES void Draw(std::int32_t clock, Picture& picture);
  bool EndsLine(std::int32_t clock) const { return clock > drawn_ + left_in_line_; }
  void DrawDisplaced(std::int32_t clock, Picture& picture);
  // The pixel of the picture at position drawn_.
  std::int32_t Place() const {
    const std::int32_t shown = kClocksPerLine - kBlankClocks - left_in_line_;
    return row_ * kWidth + (shown > 0 ? shown : 0);
  }
  void DrawLine(int from, int to, Picture& picture);
  void DrawRun(int from, int to, std::uint8_t* row);
  void DrawPlayfield(int from, int to, std::uint8_t* row);
  void DrawObjects(int from, int to, std::uint8_t* row);
  void Compose();
  void Collide(const Pixels& run);
  bool EndLine();

  void WriteColor(int which, std::uint8_t value, std::int32_t until, Picture& picture);
  void WriteSize(int player, std::uint8_t value, std::int32_t until, Picture& picture);
  void WritePlayfield(std::uint32_t playfield, Picture& picture);
  void WriteControl(std::uint8_t value, std::int32_t until, Picture& picture);
  std::uint8_t Pattern(int player) const;
  void CheckPlayer(int player, std::int32_t until, Picture& picture);
  void UpdatePlayer(int player, std::uint8_t pattern, std::int32_t until, Picture& picture);
  void UpdateSmall(Object object, bool on, std::int32_t until, Picture& picture);
  void ToggleSmall(Object object, std::int32_t until, Picture& picture);
  void ResetPlayer(int player, std::int32_t clock, Picture& picture);
  void ResetMissile(int missile, std::int32_t clock);
  void ResetBall(std::int32_t clock, Picture& picture);
  void LockMissile(int missile, std::int32_t clock, Picture& picture);
  void Move(std::int32_t clock, Picture& picture);
  unsigned MoveObjects(const std::int8_t* motion);
  bool HasMotion() const {
    return (motion_[0] | motion_[1] | motion_[2] | motion_[3] | motion_[4]) != 0;
  }

  int LineClock(std::int32_t clock) const {
    // Usually this is the line that began when the processor last waited for a line.
    const std::int32_t since = clock - line_end_ * 3;
    if (static_cast<std::uint32_t>(since) < kClocksPerLine) [[likely]]
      return since;
    return (clock - frame_start_) % kClocksPerLine;
  }
  // Color clocks until a write to the playfield takes effect. Divisions by three modulo four are
  // written as multiplications.
  std::int32_t PlayfieldDelay(std::int32_t clock) const {
    static constexpr std::int8_t kDelay[4] = {4, 5, 2, 3};
    return kDelay[((clock - frame_start_) * 3) & 3];
  }
  std::int32_t ClocksSinceMove(std::int32_t clock) const {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(clock) -
                                     static_cast<std::uint32_t>(last_move_));
  }
  bool enabled(Object object) const { return (enabled_ >> object & 1) != 0; }
  bool blanked() const { return (vblank_ & 0x02) != 0; }
  // The value of a color register: bit 0 is set while a PAL set shows no color.
  std::uint8_t WithoutColor(std::uint8_t color) const {
    return static_cast<std::uint8_t>((color & 0xFE) | color_lost_);
  }
  std::uint64_t Cells();
  const Pixels& Shape(Object object);
  Pixels PlayerShape(int player) const;
  Pixels MissileShape(int missile) const;
  // The bits of player and missile in kept_.
  static constexpr std::uint8_t kPairBits[2] = {1 << kPlayer0 | 1 << kMissile0,
                                                1 << kPlayer1 | 1 << kMissile1};
  void Made(unsigned objects) { kept_ = static_cast<std::uint8_t>(kept_ & ~objects); }
  bool KeepsPlayer(int player) const { return (kept_ >> player & 1) != 0 && first_hidden_[player]; }
  void ShapeKeptPlayer(int player);
  void Stale(int object) {
    if (object == kPlayfield) {
      stale_ |= 1 << kPlayfield | kStaleCells;
    } else {
      stale_ = static_cast<std::uint8_t>(stale_ | 1 << object);
      composed_ = 0xFF;
    }
  }

  TiaSetup setup_;

  // Color clocks, all relative to the frame's cycle 0.
  std::int32_t frame_start_ = 0;
  std::int32_t display_start_ = 0;
  std::int32_t display_end_ = 0;
  std::int32_t frame_limit_ = 0;    // a write at or after this clock ends the frame
  std::int32_t drawn_ = 0;          // everything before is drawn
  std::int32_t left_in_line_ = 0;   // from drawn_ to the end of its line
  std::int32_t touched_ = 0;        // the end of the latest access
  std::int32_t sync_over_ = 0;      // from this clock on, the end of vertical sync ends the frame
  std::int32_t last_move_ = 0;      // of the latest HMOVE
  std::int32_t discharge_end_ = 0;  // cycle at which the analog inputs began to charge
  std::int32_t line_end_ = 0;       // cycle at which some line ends
  std::int32_t lines_of_last_frame_ = 0;
  std::int32_t row_ = 0;  // the picture's row at drawn_

  // Registers.
  std::uint8_t color_lost_ = 0;  // 1 while a PAL set shows no color
  std::uint8_t vblank_ = 0;
  std::uint8_t control_ = 0;              // CTRLPF
  std::uint8_t size_[2] = {0, 0};         // NUSIZ
  std::uint8_t color_[4] = {0, 0, 0, 0};  // COLUP0, COLUP1, COLUPF, COLUBK
  std::uint8_t graphics_[2] = {0, 0};     // GRP as written ...
  std::uint8_t delayed_[2] = {0, 0};      // ... and as of the other player's latest write
  bool delay_[2] = {false, false};        // VDELP
  bool reflect_[2] = {false, false};      // REFP
  bool missile_on_[2] = {false, false};   // ENAM
  bool locked_[2] = {false, false};       // RESMP
  bool ball_on_ = false;                  // ENABL, and as of the latest write to GRP1
  bool ball_delayed_ = false;
  bool delay_ball_ = false;
  bool discharging_ = false;
  std::uint8_t motion_[5] = {0, 0, 0, 0, 0};  // HMP0, HMP1, HMM0, HMM1, HMBL
  std::int16_t position_[5] = {0, 0, 0, 0, 0};
  std::uint32_t playfield_ = 0;  // twenty cells, the leftmost lowest
  std::uint16_t collisions_ = 0;

  // The state of the drawing.
  std::uint8_t enabled_ = 0;               // a bit for each Object
  std::uint8_t stale_ = 0;                 // objects whose shape_ is out of date, and kStaleCells
  std::uint8_t pattern_[2] = {0, 0};       // the players' pixels, the leftmost lowest
  bool first_hidden_[2] = {false, false};  // a player without its first copy, after RESP
  bool reflect_playfield_ = false;         // of the line being drawn
  bool blank_start_ = false;               // HMOVE blanks the next line's first pixels
  bool stars_ = false;                     // a missile 0 that HMOVE keeps moving (Cosmic Ark)
  std::uint8_t stars_phase_ = 0;
  std::uint8_t stars_shape_ = 0;  // 0: width from NUSIZ, 1: wider, 2: none
  std::uint64_t cells_ = 0;       // the playfield's 40 cells
  Pixels shape_[kObjects];
  // All objects except the playfield, by color; computed again if composed_ differs from the
  // enabled objects.
  std::uint8_t composed_ = 0xFF;
  Pixels first_;   // player 0 and missile 0
  Pixels second_;  // player 1 and missile 1
  Pixels moving_;  // first_, second_ and the ball
  Pixels touch_;   // pixels where at least two of them overlap

  // Used after KeepUnsaved.
  struct KeptPlayer {
    std::int16_t position = 0;
    std::uint8_t size = 0;
    bool first_hidden = false;
  };
  std::uint8_t kept_ = 0;       // objects except the playfield whose shape_ may be from before
  KeptPlayer kept_player_[2];   // the values from which a shape is computed while KeepsPlayer()
  std::int32_t displaced_ = 0;  // pixels from where this state draws to where the frame continues
};

}  // namespace engine::atari2600

#endif  // ENGINE_EMULATORS_ATARI2600_TIA_H_
