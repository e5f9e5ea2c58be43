// A second TIA, for comparison with the engine's. It draws each pixel of each color clock and
// caches nothing. It implements the behaviour described in the tia_*_test.cc files and shares no
// code with the engine's TIA. Its time is absolute: no count restarts with a frame. Not
// thread-safe.
#ifndef ENGINE_TESTS_ENGINE_EMULATORS_ATARI2600_TIA_MODEL_H_
#define ENGINE_TESTS_ENGINE_EMULATORS_ATARI2600_TIA_MODEL_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/emulators/atari2600/tia.h"
#include "tests/engine/emulators/atari2600/registers.h"

namespace engine::atari2600::testing {

// The number of pixels to the right by which HMOVE at `cycle` of a line moves an object whose
// motion register holds the four bits `bits`. The chip counts down fifteen steps of four clocks. At
// each step the object gets an extra clock, which moves it left by one pixel, until the count
// equals its motion. An extra clock has an effect only while the beam is off. An HMOVE at cycle 0
// to 20 or 75 keeps the beam off for eight more clocks, which moves every object right by eight
// pixels.
inline int HmoveMotion(int cycle, int bits) {
  const bool in_time = cycle <= 20 || cycle == 75;
  const int extra_clocks = bits ^ 8;
  int x = in_time ? 8 : 0;
  for (int step = 1; step <= extra_clocks; ++step) {
    const int clock = 4 * ((3 * cycle + 1) / 4 + step);
    if ((cycle <= 20 && clock <= 68) || clock >= 224) --x;
  }
  return x;
}

class TiaModel {
 public:
  using Clock = std::int64_t;

  TiaModel(const TiaSetup& setup, Clock cycle) : setup_(setup), frame_zero_(3 * cycle) {
    for (auto& buffer : buffers_) buffer.assign(static_cast<std::size_t>(setup.lines) * 160, 0);
    StartFrame(cycle);
  }

  // `cycle` is absolute, as in all methods.
  void StartFrame(Clock cycle) {
    const Clock into_line = (3 * cycle - frame_zero_) % 228;
    frame_zero_ = 3 * cycle - into_line;
    count_zero_ = cycle;
    drawn_ = frame_zero_ + 228 * setup_.first_line;
    end_ = drawn_ + 228 * setup_.lines;
    std::swap(buffers_[0], buffers_[1]);
    if (setup_.color_loss) {
      for (int& color : colors_) color = (color & 0xFE) | (odd_frame_ ? 1 : 0);
    }
  }
  void EndFrame(Clock cycle) { odd_frame_ = (3 * cycle - frame_zero_) / 228 % 2 != 0; }

  // Returns true if the frame ends.
  bool Write(int address, int value, Clock cycle) {
    const Clock clock = 3 * cycle;
    const int h = static_cast<int>((clock - frame_zero_) % 228);
    Draw(clock + DelayOf(address, h));
    SetColors(address, value, clock, h);
    SetShapes(address, value);
    SetPositions(address, value, clock, h);
    SetMotion(address, value, clock, h);
    const bool synced = SyncEnds(address, value, clock);
    return synced || (clock - frame_zero_) / 228 > setup_.max_lines;
  }

  int Read(int address, int bus, Clock cycle, const TiaInputs& inputs) {
    // The two latches of each collision register; kCxblpf has one.
    constexpr Touch kPairs[8][2] = {{kM0P1, kM0P0}, {kM1P0, kM1P1}, {kP0Pf, kP0Bl}, {kP1Pf, kP1Bl},
                                    {kM0Pf, kM0Bl}, {kM1Pf, kM1Bl}, {kBlPf, kBlPf}, {kP0P1, kM0M1}};
    Draw(3 * cycle);
    int high = 0;
    if (address <= kCxppmm) {
      if (touched_[kPairs[address][0]]) high |= 0x80;
      if (touched_[kPairs[address][1]] && address != kCxblpf) high |= 0x40;
    } else if (address <= kInpt3) {
      if (Charged(inputs.charge_cycles[address - kInpt0], cycle)) high = 0x80;
    } else if (address <= kInpt5) {
      if (inputs.button_up[address - kInpt4]) high = 0x80;
    }
    return high | (bus & 0x3F);
  }

  const std::vector<std::uint8_t>& pixels() const { return buffers_[0]; }

 private:
  enum Touch {
    kM0P1,
    kM0P0,
    kM1P0,
    kM1P1,
    kP0Pf,
    kP0Bl,
    kP1Pf,
    kP1Bl,
    kM0Pf,
    kM0Bl,
    kM1Pf,
    kM1Bl,
    kBlPf,
    kP0P1,
    kM0M1,
  };
  enum Stars { kAsSized, kWider, kGone };

  struct Player {
    int written = 0, delayed = 0, size = 0, x = 0;
    bool vdel = false, reflect = false, first_hidden = false;
  };
  struct Missile {
    bool on = false, locked = false;
    int x = 0;
  };

  static bool In(int address, int first, int last) { return address >= first && address <= last; }

  static int DelayOf(int address, int h) {
    constexpr int kPlayfield[4] = {4, 5, 2, 3};  // by the cycle's index modulo four in its line
    if (In(address, kPf0, kPf2)) return kPlayfield[h / 3 % 4];
    if (In(address, kNusiz0, kNusiz1) || In(address, kResm0, kResm1)) return 8;
    const bool late =
        address == kVblank || In(address, kRefp0, kRefp1) || In(address, kGrp0, kGrp1);
    return late ? 1 : 0;
  }

  bool Charged(std::int32_t needed, Clock cycle) const {
    if (needed == TiaInputs::kAlways) return true;
    if (needed == TiaInputs::kNever || (vblank_ & 0x80) != 0) return false;
    // A capacitor that was full before the count of cycles started reads as empty.
    const Clock full = ungrounded_at_ + needed;
    return full >= count_zero_ && cycle > full;
  }

  // The copies that NUSIZ selects, as distances from the object's position.
  static std::vector<int> Copies(int size) {
    switch (size & 7) {
      case 1:
        return {0, 16};
      case 2:
        return {0, 32};
      case 3:
        return {0, 16, 32};
      case 4:
        return {0, 64};
      case 6:
        return {0, 32, 64};
      default:
        return {0};
    }
  }
  static int Scale(int size) { return (size & 7) == 5 ? 2 : (size & 7) == 7 ? 4 : 1; }

  int Pattern(const Player& player) const { return player.vdel ? player.delayed : player.written; }

  bool PlayerAt(const Player& player, int x) const {
    const int scale = Scale(player.size);
    bool first = true;
    for (const int copy : Copies(player.size)) {
      const bool hidden = first && player.first_hidden;
      first = false;
      if (hidden) continue;
      const int late = scale == 1 ? 0 : 1;
      const int inside = (x - player.x - copy - late + 320) % 160;
      if (inside >= 8 * scale) continue;
      const int bit = inside / scale;
      if ((Pattern(player) >> (player.reflect ? bit : 7 - bit) & 1) != 0) return true;
    }
    return false;
  }
  bool MissileAt(int missile, int x) const {
    const int size = players_[missile].size;
    int power = size >> 4 & 3;
    if (missile == 0 && stars_show_ == kGone) return false;
    if (missile == 0 && stars_show_ == kWider) power |= 1;
    for (const int copy : Copies(size)) {
      if ((x - missiles_[missile].x - copy + 320) % 160 < 1 << power) return true;
    }
    return false;
  }
  bool PlayfieldAt(int x) const {
    int cell = x / 4;
    if (cell >= 20) cell = reflected_ ? 39 - cell : cell - 20;
    if (cell < 4) return (pf_[0] >> (4 + cell) & 1) != 0;
    if (cell < 12) return (pf_[1] >> (7 - (cell - 4)) & 1) != 0;
    return (pf_[2] >> (cell - 12) & 1) != 0;
  }

  bool MissileOn(int missile) const { return missiles_[missile].on && !missiles_[missile].locked; }
  bool BallOn() const { return vdelbl_ ? ball_delayed_ : ball_; }
  bool PlayfieldOn() const { return (pf_[0] & 0xF0) != 0 || pf_[1] != 0 || pf_[2] != 0; }

  void Draw(Clock until) {
    if (until < frame_zero_ + 228 * setup_.first_line) return;
    for (; drawn_ < until && drawn_ < end_; ++drawn_) {
      const Clock since = drawn_ - frame_zero_ - 228 * setup_.first_line;
      const int h = static_cast<int>(since % 228);
      if (h == 0 && since != 0) StartLine();
      if (h >= 68) {
        buffers_[0][static_cast<std::size_t>(since / 228 * 160 + h - 68)] =
            static_cast<std::uint8_t>(Pixel(h - 68));
      }
    }
  }

  void StartLine() {
    reflected_ = (ctrlpf_ & 1) != 0;
    for (Player& player : players_) player.first_hidden = false;
    if (!stars_) return;
    stars_step_ = (stars_step_ + 1) % 4;
    const int left = std::array{18, 33, 0, 17}[static_cast<std::size_t>(stars_step_)];
    missiles_[0].x = (missiles_[0].x - left + 160) % 160;
    stars_show_ = stars_step_ == 1 ? kWider : stars_step_ == 2 ? kGone : kAsSized;
  }

  int Pixel(int x) {
    int color = 0;
    if ((vblank_ & 2) == 0) color = ObjectsAt(x);
    if (comb_ && x < 8) {
      color = 0;
      if (x == 7) comb_ = false;
    }
    return color;
  }

  int ObjectsAt(int x) {
    const bool p0 = PlayerAt(players_[0], x);
    const bool p1 = PlayerAt(players_[1], x);
    const bool m0 = MissileOn(0) && MissileAt(0, x);
    const bool m1 = MissileOn(1) && MissileAt(1, x);
    const bool bl = BallOn() && BallAt(x);
    const bool pf = PlayfieldAt(x);
    const bool touching[15] = {m0 && p1, m0 && p0, m1 && p0, m1 && p1, p0 && pf,
                               p0 && bl, p1 && pf, p1 && bl, m0 && pf, m0 && bl,
                               m1 && pf, m1 && bl, bl && pf, p0 && p1, m0 && m1};
    for (std::size_t i = 0; i < 15; ++i) touched_[i] = touched_[i] || touching[i];

    const bool score = (ctrlpf_ & 2) != 0;
    const bool front = (ctrlpf_ & 4) != 0;
    const int half_color = colors_[x < 80 ? 0 : 1];
    const bool alone = Pattern(players_[0]) == 0 && Pattern(players_[1]) == 0 && !MissileOn(0) &&
                       !MissileOn(1) && !BallOn();
    if (front) {
      if (pf) return score && alone ? half_color : colors_[2];
      if (bl) return colors_[2];
      if (p0 || m0) return colors_[0];
      if (p1 || m1) return colors_[1];
      return colors_[3];
    }
    if (p0 || m0) return colors_[0];
    if (pf && score && x < 80) return colors_[0];  // player 1 does not cover this half
    if (p1 || m1) return colors_[1];
    if (pf) return score ? half_color : colors_[2];
    if (bl) return colors_[2];
    return colors_[3];
  }
  bool BallAt(int x) const { return (x - ball_x_ + 160) % 160 < 1 << (ctrlpf_ >> 4 & 3); }

  bool SyncEnds(int address, int value, Clock clock) {
    if (address != kVsync) return false;
    if ((value & 2) != 0) {
      sync_at_ = clock;
      return false;
    }
    const bool ends = sync_at_ != kNoClock && clock >= sync_at_ + 228;
    if (ends) sync_at_ = kNoClock;
    return ends;
  }

  // Each of the next four methods handles its own registers and ignores the others.
  void SetColors(int address, int value, Clock clock, int h) {
    if (address == kVblank) {
      if ((vblank_ & 0x80) != 0 && (value & 0x80) == 0) ungrounded_at_ = clock / 3;
      vblank_ = value;
    }
    if (In(address, kColup0, kColubk)) {
      colors_[address - kColup0] = (value & 0xFE) | (setup_.color_loss && odd_frame_ ? 1 : 0);
    }
    if (address == kCtrlpf) {
      ctrlpf_ = value;
      if (h < 147) reflected_ = (value & 1) != 0;
    }
    if (In(address, kPf0, kPf2)) pf_[address - kPf0] = value;
    if (address == kCxclr) touched_ = {};
  }

  void SetShapes(int address, int value) {
    if (In(address, kNusiz0, kNusiz1)) {
      players_[address - kNusiz0].size = value;
      players_[address - kNusiz0].first_hidden = false;
      if (address == kNusiz0) stars_show_ = kAsSized;
    }
    if (In(address, kRefp0, kRefp1)) players_[address - kRefp0].reflect = (value & 8) != 0;
    if (In(address, kGrp0, kGrp1)) {
      Player& other = players_[1 - (address - kGrp0)];
      players_[address - kGrp0].written = value;
      other.delayed = other.written;
      if (address == kGrp1) ball_delayed_ = ball_;
    }
    if (In(address, kEnam0, kEnam1)) missiles_[address - kEnam0].on = (value & 2) != 0;
    if (address == kEnabl) ball_ = (value & 2) != 0;
    if (In(address, kVdelp0, kVdelp1)) players_[address - kVdelp0].vdel = (value & 1) != 0;
    if (address == kVdelbl) vdelbl_ = (value & 1) != 0;
  }

  void SetPositions(int address, int value, Clock clock, int h) {
    const Clock since_move = clock - moved_at_;
    if (In(address, kResp0, kResp1)) ResetPlayer(players_[address - kResp0], clock, h);
    if (address == kResm0) {
      missiles_[0].x = since_move == 60 && h == 69 ? 8 : SmallPosition(h);
      stars_show_ = kAsSized;
    }
    if (address == kResm1) missiles_[1].x = since_move == 9 && h == 18 ? 3 : SmallPosition(h);
    if (address == kResbl) {
      ball_x_ = SmallPosition(h);
      if (since_move == 54 && (h == 60 || h == 69)) ball_x_ = 10;
      if (since_move == 9 && h == 18) ball_x_ = 3;
      if (since_move == 21 && h == 30) ball_x_ = 6;
      if (since_move == 18 && h == 27) ball_x_ = 5;
    }
    if (In(address, kResmp0, kResmp1)) {
      const int i = address - kResmp0;
      if (missiles_[i].locked && (value & 2) == 0) {
        missiles_[i].x = (players_[i].x + 4 * Scale(players_[i].size)) % 160;
        if (i == 0) stars_show_ = kAsSized;
      }
      missiles_[i].locked = (value & 2) != 0;
    }
  }

  void SetMotion(int address, int value, Clock clock, int h) {
    if (address == kHmm0 && clock - moved_at_ == 63 && motion_[2] == 7 && value >> 4 == 6) {
      stars_ = true;
      stars_step_ = 0;
    }
    if (In(address, kHmp0, kHmbl)) motion_[static_cast<std::size_t>(address - kHmp0)] = value >> 4;
    if (address == kHmove) Hmove(clock, h);
    if (address == kHmclr) motion_ = {};
  }

  static int SmallPosition(int h) { return h < 68 ? 2 : (h - 68 + 4) % 160; }

  void ResetPlayer(Player& player, Clock clock, int h) {
    const int x = h < 68 ? 3 : (h - 68 + 5) % 160;
    bool before = false;
    bool inside = false;
    for (const int copy : Copies(player.size)) {
      const int into = (x - player.x - copy + 320) % 160;
      before = before || into < 4;
      inside = inside || (into >= 4 && into < 4 + 8 * Scale(player.size));
    }
    if (inside) Draw(clock + 11);
    player.x = x;
    player.first_hidden = !before;
  }

  void Hmove(Clock clock, int h) {
    const int cycle = h / 3;
    if (setup_.hmove_blanks && (cycle <= 20 || cycle == 75)) comb_ = true;
    int* const positions[5] = {&players_[0].x, &players_[1].x, &missiles_[0].x, &missiles_[1].x,
                               &ball_x_};
    for (std::size_t i = 0; i < 5; ++i) {
      *positions[i] = (*positions[i] + HmoveMotion(cycle, motion_[i]) + 160) % 160;
    }
    for (Player& player : players_) player.first_hidden = false;
    stars_ = false;
    stars_show_ = kAsSized;
    moved_at_ = clock;
  }

  static constexpr Clock kNoClock = -1;

  TiaSetup setup_;
  std::vector<std::uint8_t> buffers_[2];  // the current frame's, the previous frame's
  Clock frame_zero_;                      // clock at which the frame's first line begins
  Clock count_zero_ = 0;                  // cycle at which the frame's count starts
  Clock drawn_ = 0;
  Clock end_ = 0;
  Clock sync_at_ = kNoClock;
  Clock moved_at_ = 0;
  Clock ungrounded_at_ = 0;
  bool odd_frame_ = false;

  Player players_[2];
  Missile missiles_[2];
  int ball_x_ = 0;
  bool ball_ = false, ball_delayed_ = false, vdelbl_ = false;
  int pf_[3] = {};
  bool reflected_ = false;
  int ctrlpf_ = 0, vblank_ = 0;
  int colors_[4] = {};  // COLUP0, COLUP1, COLUPF, COLUBK
  std::array<int, 5> motion_{};
  bool comb_ = false;  // HMOVE blanks the start of the next line
  bool stars_ = false;
  int stars_step_ = 0;
  Stars stars_show_ = kAsSized;
  std::array<bool, 15> touched_{};
};

}  // namespace engine::atari2600::testing

#endif  // ENGINE_TESTS_ENGINE_EMULATORS_ATARI2600_TIA_MODEL_H_
