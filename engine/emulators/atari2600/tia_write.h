// Writes to the TIA's registers, one template for each. Most writes of programs change nothing;
// this is checked inline in the instruction. Included by cpu.h and tia.cc.
#ifndef ENGINE_EMULATORS_ATARI2600_TIA_WRITE_H_
#define ENGINE_EMULATORS_ATARI2600_TIA_WRITE_H_

#include <cstdint>
#include <limits>

#include "engine/emulators/atari2600/bits.h"
#include "engine/emulators/atari2600/tia.h"

namespace engine::atari2600 {

enum Register : std::uint8_t {
  kVsync = 0x00,
  kVblank = 0x01,
  kNusiz0 = 0x04,
  kNusiz1 = 0x05,
  kColup0 = 0x06,
  kColup1 = 0x07,
  kColupf = 0x08,
  kColubk = 0x09,
  kCtrlpf = 0x0A,
  kRefp0 = 0x0B,
  kRefp1 = 0x0C,
  kPf0 = 0x0D,
  kPf1 = 0x0E,
  kPf2 = 0x0F,
  kResp0 = 0x10,
  kResp1 = 0x11,
  kResm0 = 0x12,
  kResm1 = 0x13,
  kResbl = 0x14,
  kGrp0 = 0x1B,
  kGrp1 = 0x1C,
  kEnam0 = 0x1D,
  kEnam1 = 0x1E,
  kEnabl = 0x1F,
  kHmp0 = 0x20,
  kHmbl = 0x24,
  kVdelp0 = 0x25,
  kVdelp1 = 0x26,
  kVdelbl = 0x27,
  kResmp0 = 0x28,
  kResmp1 = 0x29,
  kHmove = 0x2A,
  kHmclr = 0x2B,
  kCxclr = 0x2C,
};

inline constexpr int kHmm0 = kHmp0 + 2;

// Color clocks from a write to its effect.
constexpr int Delay(int address) {
  switch (address) {
    case kVblank:
    case kRefp0:
    case kRefp1:
    case kGrp0:
    case kGrp1:
      return 1;
    case kNusiz0:
    case kNusiz1:
    case kResm0:
    case kResm1:
      return 8;
    default:
      return 0;
  }
}

template <int kAddress>
inline bool Tia::Ends(std::uint8_t value, std::int32_t clock) {
  bool ends = clock >= frame_limit_;
  if constexpr (kAddress == kVsync) {
    if ((value & 0x02) != 0) {
      // Three lines according to the documentation, but some games use only one.
      sync_over_ = clock + kClocksPerLine;
    } else if (clock >= sync_over_) {
      sync_over_ = std::numeric_limits<std::int32_t>::max();
      ends = true;
    }
  }
  return ends;
}

// The playfield after one of its registers is written.
template <int kAddress>
inline std::uint32_t Tia::Playfield(std::uint8_t value) const {
  if constexpr (kAddress == kPf0) return (playfield_ & ~0xFu) | static_cast<unsigned>(value >> 4);
  if constexpr (kAddress == kPf1) {
    return (playfield_ & ~0xFF0u) | static_cast<unsigned>(Mirror(value) << 4);
  }
  return (playfield_ & 0xFFFu) | static_cast<unsigned>(value << 12);
}

// If the motion of missile 0 is changed at the moment its extra clocks should stop, they never
// stop: the stars of Cosmic Ark.
inline bool Tia::StartsStars(std::uint8_t value, std::int32_t clock) const {
  return ClocksSinceMove(clock) == 21 * 3 && motion_[2] == 7 && value >> 4 == 6;
}

inline std::uint8_t Tia::Pattern(int player) const {
  const std::uint8_t shown = delay_[player] ? delayed_[player] : graphics_[player];
  return reflect_[player] ? shown : Mirror(shown);
}

inline void Tia::CheckPlayer(int player, std::int32_t until, Picture& picture) {
  const std::uint8_t pattern = Pattern(player);
  if (pattern != pattern_[player]) UpdatePlayer(player, pattern, until, picture);
}

inline void Tia::UpdateSmall(Object object, bool on, std::int32_t until, Picture& picture) {
  if (on != enabled(object)) ToggleSmall(object, until, picture);
}

// Does the write if it changes nothing visible, like most writes. Otherwise returns false, and the
// caller must do the write again, whatever this function has stored. Does not update the position
// of the latest access, which matters only at the end of a run: see Touch.
template <int kAddress>
[[gnu::always_inline]] inline bool Tia::WriteQuietly(std::uint8_t value, std::int32_t clock) {
  const bool bit1 = (value & 0x02) != 0;
  if constexpr (kAddress == kVblank) {
    if (((vblank_ ^ value) & 0x82) != 0) return false;
    vblank_ = value;
  } else if constexpr (kAddress == kNusiz0 || kAddress == kNusiz1) {
    constexpr int kPlayer = kAddress - kNusiz0;
    return value == size_[kPlayer] && !first_hidden_[kPlayer] && kept_ == 0 &&
           (kPlayer == 1 || !(stars_ || stars_shape_ != 0));
  } else if constexpr (kAddress >= kColup0 && kAddress <= kColubk) {
    return WithoutColor(value) == color_[kAddress - kColup0];
  } else if constexpr (kAddress == kCtrlpf) {
    return value == control_ && reflect_playfield_ == ((value & 0x01) != 0) && kept_ == 0;
  } else if constexpr (kAddress == kRefp0 || kAddress == kRefp1) {
    reflect_[kAddress - kRefp0] = (value & 0x08) != 0;
    return Pattern(kAddress - kRefp0) == pattern_[kAddress - kRefp0];
  } else if constexpr (kAddress >= kPf0 && kAddress <= kPf2) {
    if constexpr (kAddress == kPf0) return (playfield_ & 0xF) == (value >> 4);
    if constexpr (kAddress == kPf1) {
      return static_cast<std::uint8_t>(playfield_ >> 4) == Mirror(value);
    }
    return (playfield_ >> 12) == value;
  } else if constexpr (kAddress == kGrp0 || kAddress == kGrp1) {
    constexpr int kPlayer = kAddress - kGrp0;
    graphics_[kPlayer] = value;
    delayed_[1 - kPlayer] = graphics_[1 - kPlayer];
    if (!delay_[kPlayer] && Pattern(kPlayer) != pattern_[kPlayer]) return false;
    if (delay_[1 - kPlayer] && Pattern(1 - kPlayer) != pattern_[1 - kPlayer]) return false;
    if constexpr (kPlayer == 1) {
      ball_delayed_ = ball_on_;
      return ball_on_ == enabled(kBall);
    }
  } else if constexpr (kAddress == kEnam0 || kAddress == kEnam1) {
    constexpr int kMissile = kAddress - kEnam0;
    missile_on_[kMissile] = bit1;
    return (bit1 && !locked_[kMissile]) == enabled(kMissile == 0 ? kMissile0 : kMissile1);
  } else if constexpr (kAddress == kEnabl) {
    ball_on_ = bit1;
    return (delay_ball_ ? ball_delayed_ : ball_on_) == enabled(kBall);
  } else if constexpr (kAddress >= kHmp0 && kAddress <= kHmbl) {
    if (kAddress == kHmm0 && StartsStars(value, clock)) return false;
    motion_[kAddress - kHmp0] = value >> 4;
  } else if constexpr (kAddress == kHmclr) {
    for (std::uint8_t& motion : motion_) motion = 0;
  } else if constexpr ((kAddress >= kResp0 && kAddress <= kResbl) ||
                       (kAddress >= kVdelp0 && kAddress <= kHmove) || kAddress == kCxclr) {
    return false;
  }
  return true;
}

template <int kAddress>
inline void Tia::Touch(std::int32_t clock) {
  touched_ = clock + Delay(kAddress);
  if constexpr (kAddress >= kPf0 && kAddress <= kPf2) touched_ = clock + PlayfieldDelay(clock);
}

template <int kAddress>
inline void Tia::WriteRegister(std::uint8_t value, std::int32_t clock, Picture& picture) {
  const std::int32_t until = clock + Delay(kAddress);
  Touch<kAddress>(clock);
  if constexpr (kAddress == kVblank) {
    if (((vblank_ ^ value) & 0x02) != 0) DrawUntil(until, picture);
    if (((vblank_ ^ value) & 0x80) != 0) {
      discharging_ = (value & 0x80) != 0;
      if (!discharging_) discharge_end_ = clock / 3;
    }
    vblank_ = value;
  } else if constexpr (kAddress == kNusiz0 || kAddress == kNusiz1) {
    constexpr int kPlayer = kAddress - kNusiz0;
    const bool stars = kPlayer == 0 && (stars_ || stars_shape_ != 0);
    // Even a write of the same value shows a hidden first copy again and updates kept shapes.
    if (value != size_[kPlayer] || first_hidden_[kPlayer] || stars ||
        (kept_ & kPairBits[kPlayer]) != 0) {
      WriteSize(kPlayer, value, until, picture);
    }
  } else if constexpr (kAddress >= kColup0 && kAddress <= kColubk) {
    constexpr int kWhich = kAddress - kColup0;
    if (WithoutColor(value) != color_[kWhich]) WriteColor(kWhich, value, until, picture);
  } else if constexpr (kAddress == kCtrlpf) {
    if (value != control_ || reflect_playfield_ != ((value & 0x01) != 0) ||
        (kept_ & 1 << kBall) != 0) {
      WriteControl(value, until, picture);
    }
  } else if constexpr (kAddress == kRefp0 || kAddress == kRefp1) {
    reflect_[kAddress - kRefp0] = (value & 0x08) != 0;
    CheckPlayer(kAddress - kRefp0, until, picture);
  } else if constexpr (kAddress >= kPf0 && kAddress <= kPf2) {
    const std::uint32_t playfield = Playfield<kAddress>(value);
    if (playfield != playfield_) WritePlayfield(playfield, picture);
  } else if constexpr (kAddress == kResp0 || kAddress == kResp1) {
    ResetPlayer(kAddress - kResp0, clock, picture);
  } else if constexpr (kAddress == kResm0 || kAddress == kResm1) {
    DrawUntil(until, picture);
    ResetMissile(kAddress - kResm0, clock);
  } else if constexpr (kAddress == kResbl) {
    ResetBall(clock, picture);
  } else if constexpr (kAddress == kGrp0 || kAddress == kGrp1) {
    constexpr int kPlayer = kAddress - kGrp0;
    graphics_[kPlayer] = value;
    delayed_[1 - kPlayer] = graphics_[1 - kPlayer];
    if (!delay_[kPlayer]) CheckPlayer(kPlayer, until, picture);
    if (delay_[1 - kPlayer]) CheckPlayer(1 - kPlayer, until, picture);
    if constexpr (kPlayer == 1) {
      ball_delayed_ = ball_on_;
      UpdateSmall(kBall, delay_ball_ ? ball_delayed_ : ball_on_, until, picture);
    }
  } else if constexpr (kAddress == kEnam0 || kAddress == kEnam1) {
    constexpr int kMissile = kAddress - kEnam0;
    missile_on_[kMissile] = (value & 0x02) != 0;
    UpdateSmall(kMissile == 0 ? kMissile0 : kMissile1, missile_on_[kMissile] && !locked_[kMissile],
                until, picture);
  } else if constexpr (kAddress == kEnabl) {
    ball_on_ = (value & 0x02) != 0;
    UpdateSmall(kBall, delay_ball_ ? ball_delayed_ : ball_on_, until, picture);
  } else if constexpr (kAddress >= kHmp0 && kAddress <= kHmbl) {
    if constexpr (kAddress == kHmm0) {
      if (StartsStars(value, clock)) {
        DrawUntil(until, picture);
        stars_ = true;
        stars_phase_ = 0;
      }
    }
    motion_[kAddress - kHmp0] = value >> 4;
  } else if constexpr (kAddress == kVdelp0 || kAddress == kVdelp1) {
    delay_[kAddress - kVdelp0] = (value & 0x01) != 0;
    CheckPlayer(kAddress - kVdelp0, until, picture);
  } else if constexpr (kAddress == kVdelbl) {
    delay_ball_ = (value & 0x01) != 0;
    UpdateSmall(kBall, delay_ball_ ? ball_delayed_ : ball_on_, until, picture);
  } else if constexpr (kAddress == kResmp0 || kAddress == kResmp1) {
    constexpr int kMissile = kAddress - kResmp0;
    if (locked_[kMissile] != ((value & 0x02) != 0)) LockMissile(kMissile, clock, picture);
  } else if constexpr (kAddress == kHmove) {
    Move(clock, picture);
  } else if constexpr (kAddress == kHmclr) {
    for (std::uint8_t& motion : motion_) motion = 0;
  } else if constexpr (kAddress == kCxclr) {
    if (!blanked()) DrawUntil(until, picture);
    collisions_ = 0;
  }
}

}  // namespace engine::atari2600

#endif  // ENGINE_EMULATORS_ATARI2600_TIA_WRITE_H_
