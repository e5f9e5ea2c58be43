// A ROM decoded once, for every console that plays it: for each byte what the
// instruction that begins there does. Constant after it is made: any thread.
#ifndef ENGINE_ENVS_ATARI_CONSOLE_PROGRAM_H_
#define ENGINE_ENVS_ATARI_CONSOLE_PROGRAM_H_

#include <cstdint>

#include "engine/envs/atari/hardware.h"

namespace engine::atari {

struct MachineCore;

struct Decoded {
  // Does the instruction and all that follow: see machine_core.h. The machine is of the cartridge's
  // mapper.
  using Handler = void (*)(MachineCore* machine, const Decoded* at, unsigned ac, unsigned xy,
                           unsigned nz, std::int64_t time);

  Handler run = nullptr;
  // Of a branch or a jump: from here to the entry where it goes, in bytes of the host. Of a read of
  // the timer in a loop that waits for it: Riot's condition. Of a store to the TIA: its length.
  std::int32_t link = 0;
  // Its byte, or its two bytes; of a load from a table in ROM, where that begins in the bank.
  std::uint16_t operand = 0;
  // Of a branch: the cycles that it takes more when it goes there. Of a store to the TIA: all.
  std::uint8_t cycles = 0;
  // Of a read of the timer in a loop: the cycles of a turn. Of a store to the TIA: the register
  // that it stores.
  std::uint8_t source = 0;

  const Decoded* Target() const {
    return reinterpret_cast<const Decoded*>(reinterpret_cast<const char*>(this) + link);
  }
};
static_assert(sizeof(Decoded) == 16);

// The bytes that a mapper shows and switches as one; the decoded program has one more entry for
// each of these regions, which leaves it.
template <Mapper kMapper>
inline constexpr unsigned kRegionSize = kMapper == Mapper::kE0 ? 1024 : 4096;

}  // namespace engine::atari

#endif  // ENGINE_ENVS_ATARI_CONSOLE_PROGRAM_H_
