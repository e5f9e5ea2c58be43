// The chip in Pitfall II's cartridge: eight data fetchers over 2 KiB of graphics, three of which
// can produce music, and a random byte generator. Behaves as in ale-py 0.12.1. One thread at a
// time; trivially copyable.
#ifndef ENGINE_EMULATORS_ATARI2600_DPC_H_
#define ENGINE_EMULATORS_ATARI2600_DPC_H_

#include <cstdint>

namespace engine::atari2600 {

class Dpc {
 public:
  // Reset of the console; the fetchers keep their state.
  void Reset() {
    updated_at_ = 0;
    fraction_ = 0.0;
  }
  // For a state from elsewhere.
  bool IsValid() const;
  void StartFrame(std::int32_t cycles) { updated_at_ -= static_cast<std::uint32_t>(cycles); }

  // Called for every access to the chip, or to the page of its hot spots.
  void Clock() {
    // The shift register's input is 1 if bits 7, 5, 4 and 3 have even parity.
    const unsigned taps = random_ & 0xB8u;
    unsigned parity = taps ^ taps >> 4;
    parity = (parity ^ parity >> 2 ^ parity >> 1 ^ parity >> 3) & 1;
    random_ = static_cast<std::uint8_t>(unsigned{random_} << 1 | (parity ^ 1));
  }

  // Reads a register, 0 to 63. `graphics` are the cartridge's 2,048 bytes.
  std::uint8_t Read(int address, std::int32_t cycles, const std::uint8_t* graphics);
  // Writes a register, 64 to 127.
  void Write(int address, std::uint8_t value);

 private:
  void UpdateMusic(std::int32_t cycles);

  std::uint8_t top_[8] = {};
  std::uint8_t bottom_[8] = {};
  std::uint8_t flag_[8] = {};
  std::uint16_t counter_[8] = {};
  bool music_[3] = {};  // of the fetchers 5 to 7
  std::uint8_t random_ = 1;
  std::uint32_t updated_at_ = 0;  // cycle of the music's latest update, modulo 2^32
  double fraction_ = 0.0;         // of a tick of the music's oscillator
};

}  // namespace engine::atari2600

#endif  // ENGINE_EMULATORS_ATARI2600_DPC_H_
