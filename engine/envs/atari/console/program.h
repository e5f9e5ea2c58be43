// A ROM decoded once, for every console that plays it: for each byte what the
// instruction that begins there does. Constant after it is made: any thread.
#ifndef ENGINE_ENVS_ATARI_CONSOLE_PROGRAM_H_
#define ENGINE_ENVS_ATARI_CONSOLE_PROGRAM_H_

#include <cstdint>

#include "engine/envs/atari/hardware.h"

namespace engine::atari {

struct Decoded {
  // Does the instruction and all that follow: see cpu.h. The machine is of the cartridge's mapper.
  using Handler = void (*)(void* machine, const Decoded* at, unsigned a, unsigned xy, unsigned nzc,
                           std::int64_t time);

  Handler run = nullptr;
  std::uint16_t operand = 0;  // its byte, or its two bytes
  // Of a branch: from here to where it goes, in bytes, and the cycles that it takes more when it
  // goes there. Of a read of the timer in a loop that waits for it: Riot's condition, and the
  // cycles of a turn as the source. Of a store to the TIA: its length, its cycles and the register
  // that it stores, as a shift of those in Y, X and A.
  std::int16_t link = 0;
  std::uint8_t cycles = 0;
  std::uint8_t source = 0;
};

// The bytes that a mapper shows and switches as one; the decoded program has one more entry for
// each of these regions, which leaves it.
template <Mapper kMapper>
inline constexpr unsigned kRegionSize = kMapper == Mapper::kE0 ? 1024 : 4096;

}  // namespace engine::atari

#endif  // ENGINE_ENVS_ATARI_CONSOLE_PROGRAM_H_
