// Random register writes to the engine's TIA and to the slow model of tia_model.h. Compares every
// pixel of every frame, every collision and input read, and every end of a frame.
#include <algorithm>
#include <cstdint>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "engine/emulators/atari2600/picture.h"
#include "engine/emulators/atari2600/tia.h"
#include "tests/engine/emulators/atari2600/registers.h"
#include "tests/engine/emulators/atari2600/tia_model.h"
#include "tests/engine/harness.h"

namespace engine::atari2600::testing {
namespace tia_random_test {

// Behaviour that only some tests use.
struct Extras {
  bool pushes = false;  // writes at the same cycle as the previous one
  bool stars = false;   // frequent stars of Cosmic Ark
};

class Pair {
 public:
  Pair(const TiaSetup& setup, std::uint32_t seed, const Extras& extras)
      : picture_(setup.lines), model_(setup, 0), random_(seed), extras_(extras) {
    tia_.Reset(setup, 0);
    picture_.Swap();
    tia_.StartFrame(0);
  }

  // Runs until `frames` frames are over. Returns false after the first difference, which it
  // reports.
  bool Run(int frames) {
    while (frames_ < frames && same_) Step();
    return same_;
  }
  int writes() const { return writes_; }

 private:
  int Below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  bool Chance(int percent) { return Below(100) < percent; }

  void Step() {
    // In real programs, accesses are at least three cycles apart.
    const int h = tia_.ClockOfLine(cycles_) / 3;
    int wait = 3 + Below(10);
    if (Chance(12)) wait = std::max(3, 76 - h);     // exactly to the line's start
    if (Chance(5)) wait = std::max(3, 76 - h + 3);  // to the usual cycle of HMOVE
    if (Chance(2)) wait = 3 + Below(400);
    cycles_ += wait;
    if (Chance(10)) {
      Read(Below(16));
    } else if (Chance(4)) {
      MoveThenTouch();
    } else if (extras_.stars && Chance(2)) {
      LightStars();
    } else {
      WriteAnything();
      for (int left = extras_.pushes && Chance(3) ? 1 + Below(2) : 0; left > 0; --left) {
        WriteAnything();
      }
    }
  }

  void WriteAnything() {
    const int address = Address();
    // Often writes the value that the register already holds.
    Write(address, Chance(15) ? held_[address] : Value());
  }

  int Address() {
    if (Chance(80)) {
      // Registers with a visible effect, without those of sound and of the frame's end.
      constexpr int kLively[] = {kNusiz0, kNusiz1, kColup0, kColup1, kColupf, kColubk, kCtrlpf,
                                 kRefp0,  kRefp1,  kPf0,    kPf1,    kPf2,    kResp0,  kResp1,
                                 kResm0,  kResm1,  kResbl,  kGrp0,   kGrp1,   kEnam0,  kEnam1,
                                 kEnabl,  kHmp0,   kHmp1,   kHmm0,   kHmm1,   kHmbl,   kVdelp0,
                                 kVdelp1, kVdelbl, kResmp0, kResmp1, kHmove,  kCxclr};
      return kLively[Below(static_cast<int>(std::size(kLively)))];
    }
    const int address = Below(64);
    return address == kVblank && Chance(70) ? kWsync : address;
  }
  int Value() {
    if (Chance(15)) return 0;
    if (Chance(15)) return value_;
    return value_ = Chance(25) ? 1 << Below(8) : Below(256);
  }

  // Combinations that independent random writes practically never produce.
  void MoveThenTouch() {
    constexpr int kDistance[] = {3, 6, 7, 18, 20};
    const int distance = kDistance[Below(5)];
    const int target = Chance(50) ? distance : Below(76);
    // With these values, the second write often falls on cycles 6, 9, 10, 20 and 23.
    const int begin = std::array{3, 3, 3, 5, 2, 3, 72}[static_cast<std::size_t>(Below(7))];
    const int h = tia_.ClockOfLine(cycles_) / 3;
    cycles_ += (begin - h + 152) % 76;
    Write(kHmove, 0);
    cycles_ += target < 3 ? 3 : target;
    switch (Below(4)) {
      case 0:
        Write(kResm0, 0);
        break;
      case 1:
        Write(kResm1, 0);
        break;
      case 2:
        Write(kResbl, 0);
        break;
      default:
        Write(kHmm0, 0x60 | Below(16));
        break;
    }
  }

  // The stars of Cosmic Ark, and the writes that restore the missile's shape.
  void LightStars() {
    Write(kEnam0, 0x02);
    cycles_ += 3;
    Write(kHmm0, 0x70 | Below(16));
    cycles_ += 3 + Below(20);
    Write(kHmove, 0);
    cycles_ += 21;
    Write(kHmm0, 0x60 | Below(16));
    for (int touches = Below(4); touches > 0; --touches) {
      cycles_ += 3 + Below(200);
      if (Chance(70)) {
        Write(kNusiz0, held_[kNusiz0]);
      } else {
        Write(kResmp0, 2 * Below(2));
      }
    }
  }

  void Write(int address, int value) {
    ++writes_;
    Remember(address, value);
    held_[address] = value;
    const bool ends = tia_.Write(address, static_cast<std::uint8_t>(value), cycles_, picture_);
    const bool model_ends = model_.Write(address, value, zero_ + cycles_);
    Check(ends == model_ends, "the end of the frame");
    if (!ends) return;
    tia_.EndFrame(cycles_);
    model_.EndFrame(zero_ + cycles_);
    tia_.CatchUp(picture_);
    ComparePixels();
    ++frames_;
    cycles_ += 2 + Below(6);
    picture_.Swap();
    tia_.StartFrame(cycles_);
    zero_ += cycles_;
    cycles_ = 0;
    model_.StartFrame(zero_);
  }

  void Read(int address) {
    TiaInputs inputs;
    for (std::int32_t& needed : inputs.charge_cycles) {
      needed = Chance(10) ? TiaInputs::kNever : Chance(10) ? TiaInputs::kAlways : Below(30'000);
    }
    inputs.button_up[0] = Chance(50);
    inputs.button_up[1] = Chance(50);
    const int bus = Below(256);
    const int value = tia_.Read(address, static_cast<std::uint8_t>(bus), cycles_, inputs, picture_);
    const int expected = model_.Read(address, bus, zero_ + cycles_, inputs);
    Check(value == expected, "a read of register " + std::to_string(address) + ": " +
                                 std::to_string(value) + ", not " + std::to_string(expected));
  }

  void ComparePixels() {
    const auto pixels = picture_.pixels();
    const std::vector<std::uint8_t>& expected = model_.pixels();
    const auto [at, there] = std::mismatch(pixels.begin(), pixels.end(), expected.begin());
    if (at == pixels.end()) {
      Check(true, "");
      return;
    }
    const auto index = at - pixels.begin();
    Check(false, "row " + std::to_string(index / 160) + ", pixel " + std::to_string(index % 160) +
                     ": " + std::to_string(*at) + ", not " + std::to_string(*there));
  }

  void Check(bool holds, const std::string& what) {
    EXPECT_TRUE(holds) << "frame " << frames_ << ", line " << tia_.Scanline(cycles_) << ", clock "
                       << tia_.ClockOfLine(cycles_) << ": " << what << "; writes so far:\n"
                       << (holds ? std::string() : Trace());
    same_ = same_ && holds;
  }

  void Remember(int address, int value) {
    trace_.push_back({frames_, tia_.Scanline(cycles_), tia_.ClockOfLine(cycles_), address, value});
    if (trace_.size() > 4000) trace_.erase(trace_.begin(), trace_.begin() + 2000);
  }
  std::string Trace() const {
    std::ostringstream out;
    const std::size_t first = trace_.size() > 60 ? trace_.size() - 60 : 0;
    for (std::size_t i = first; i < trace_.size(); ++i) {
      const Access& access = trace_[i];
      out << "    frame " << access.frame << " line " << access.line << " clock " << access.clock
          << std::hex << " [" << access.address << "] = " << access.value << std::dec << '\n';
    }
    return out.str();
  }

  struct Access {
    int frame, line, clock, address, value;
  };

  Tia tia_;
  Picture picture_;
  TiaModel model_;
  std::mt19937 random_;
  Extras extras_;
  std::int64_t zero_ = 0;  // the model's cycle at which the engine's count of cycles started
  std::int32_t cycles_ = 0;
  int value_ = 0;
  int held_[64] = {};  // the latest value written to each register
  int frames_ = 0;
  int writes_ = 0;
  bool same_ = true;
  std::vector<Access> trace_;
};

void Compare(const TiaSetup& setup, std::uint32_t seeds, int frames, const Extras& extras = {}) {
  int writes = 0;
  for (std::uint32_t seed = 1; seed <= seeds; ++seed) {
    Pair pair(setup, seed, extras);
    if (!pair.Run(frames)) break;
    writes += pair.writes();
  }
  EXPECT_GT(writes, 1000);
}

// The lines that ale-py shows for most cartridges.
TEST(TiaRandom, NtscFramesAgree) { Compare({}, 40, 8); }

// The picture begins at line 0, so that effects at a frame's start are visible.
TEST(TiaRandom, FramesAgreeFromTheFirstLine) {
  Compare({.first_line = 0, .lines = 12, .max_lines = 12}, 200, 10);
}

TEST(TiaRandom, FramesWithoutHmoveBlanksAgree) {
  Compare({.first_line = 1, .lines = 40, .max_lines = 42, .hmove_blanks = false}, 60, 8);
}

TEST(TiaRandom, PalFramesWithColorLossAgree) {
  Compare({.first_line = 2, .lines = 50, .max_lines = 55, .color_loss = true}, 60, 8);
}

// The frame limit is inside the picture, so that frames never complete it.
TEST(TiaRandom, FramesThatEndWithinThePictureAgree) {
  Compare({.first_line = 3, .lines = 60, .max_lines = 30}, 60, 10);
}

TEST(TiaRandom, StarsAgree) {
  Compare({.first_line = 2, .lines = 60, .max_lines = 65}, 60, 8, {.stars = true});
}

// The stack can overlap the TIA. A JSR pushes two bytes in one cycle and a BRK three. A delayed
// write draws ahead of its cycle. These pixels stay, even if the write changed nothing.
TEST(TiaRandom, WritesOfOneInstructionAgree) {
  Compare({.first_line = 2, .lines = 40, .max_lines = 45}, 60, 10, {.pushes = true});
}

}  // namespace tia_random_test
}  // namespace engine::atari2600::testing
