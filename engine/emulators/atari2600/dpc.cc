#include "engine/emulators/atari2600/dpc.h"

#include <algorithm>

#include "engine/base/copied_bool.h"

namespace engine::atari2600 {

bool Dpc::IsValid() const {
  return std::ranges::all_of(counter_, [](int counter) { return counter <= 0x7FF; }) &&
         AreBools(music_) && -1.0 <= fraction_ && fraction_ <= 1.0;
}

std::uint8_t Dpc::Read(int address, std::int32_t cycles, const std::uint8_t* graphics) {
  const int fetcher = address & 7;
  const int low = counter_[fetcher] & 0xFF;
  if (low == top_[fetcher]) {
    flag_[fetcher] = 0xFF;
  } else if (low == bottom_[fetcher]) {
    flag_[fetcher] = 0x00;
  }
  std::uint8_t value = 0;
  switch (address >> 3 & 7) {
    case 0:
      if (fetcher < 4) {
        value = random_;
      } else {
        // Combined amplitude of the three voices.
        constexpr std::uint8_t kAmplitude[8] = {0x0, 0x4, 0x5, 0x9, 0x6, 0xA, 0xB, 0xF};
        UpdateMusic(cycles);
        int voices = 0;
        for (int i = 0; i < 3; ++i) {
          if (music_[i] && flag_[5 + i] != 0) voices |= 1 << i;
        }
        value = kAmplitude[voices];
      }
      break;
    case 1:
      value = graphics[2047 - counter_[fetcher]];
      break;
    case 2:
      value = graphics[2047 - counter_[fetcher]] & flag_[fetcher];
      break;
    case 7:
      value = flag_[fetcher];
      break;
    default:
      break;
  }
  if (fetcher < 5 || !music_[fetcher - 5]) counter_[fetcher] = (counter_[fetcher] - 1) & 0x7FF;
  return value;
}

void Dpc::Write(int address, std::uint8_t value) {
  const int fetcher = address & 7;
  switch (address >> 3 & 7) {
    case 0:
      top_[fetcher] = value;
      flag_[fetcher] = 0;
      break;
    case 1:
      bottom_[fetcher] = value;
      break;
    case 2: {
      const bool music = fetcher >= 5 && music_[fetcher - 5];
      const int low = music ? top_[fetcher] : value;
      counter_[fetcher] = static_cast<std::uint16_t>((counter_[fetcher] & 0x700) | low);
      break;
    }
    case 3:
      counter_[fetcher] =
          static_cast<std::uint16_t>((value & 0x07) << 8 | (counter_[fetcher] & 0xFF));
      if (fetcher >= 5) music_[fetcher - 5] = (value & 0x10) != 0;
      break;
    case 6:
      random_ = 1;
      break;
    default:
      break;
  }
}

void Dpc::UpdateMusic(std::int32_t cycles) {
  constexpr double kOscillator = 15750.0;          // Hz
  constexpr double kProcessor = 1193191.66666667;  // Hz
  const auto since = static_cast<std::int32_t>(static_cast<std::uint32_t>(cycles) - updated_at_);
  const double ticks = (kOscillator * since) / kProcessor + fraction_;
  updated_at_ = static_cast<std::uint32_t>(cycles);
  const int whole = static_cast<int>(ticks);
  fraction_ = ticks - static_cast<double>(whole);
  if (whole <= 0) return;
  for (int fetcher = 5; fetcher < 8; ++fetcher) {
    if (!music_[fetcher - 5]) continue;
    int low = 0;
    if (top_[fetcher] != 0) {
      const int period = top_[fetcher] + 1;
      low = (counter_[fetcher] & 0xFF) - whole % period;
      if (low < 0) low += period;
    }
    if (low <= bottom_[fetcher]) {
      flag_[fetcher] = 0x00;
    } else if (low <= top_[fetcher]) {
      flag_[fetcher] = 0xFF;
    }
    counter_[fetcher] = static_cast<std::uint16_t>((counter_[fetcher] & 0x700) | (low & 0xFF));
  }
}

}  // namespace engine::atari2600
