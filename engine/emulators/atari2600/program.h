// A ROM, decoded once for every console that plays it: for each byte, the function and operands of
// the instruction that begins there. Constant after construction: any thread.
#ifndef ENGINE_EMULATORS_ATARI2600_PROGRAM_H_
#define ENGINE_EMULATORS_ATARI2600_PROGRAM_H_

#include <cstdint>

#include "engine/emulators/atari2600/mapper.h"

namespace engine::atari2600 {

struct MachineCore;

struct Decoded {
  // Runs the instruction and all that follow: see machine_core.h. The machine must have the
  // cartridge's mapper.
  using Handler = void (*)(MachineCore* machine, const Decoded* at, unsigned ac, unsigned xy,
                           unsigned nz, std::int64_t time);

  Handler run = nullptr;
  // For a branch or a jump: the distance from here to the target's entry, in bytes of the host. For
  // a read of the timer in a loop that waits for it: the condition of Riot under which the loop
  // continues. For a store to the TIA: its length.
  std::int32_t link = 0;
  // The operand, one or two bytes; for a load from a table in ROM, the table's offset in the bank.
  std::uint16_t operand = 0;
  // For a branch: additional cycles if it is taken. For a store to the TIA: all its cycles.
  std::uint8_t cycles = 0;
  // For a read of the timer in a loop: the cycles of one iteration. For a store to the TIA: the
  // register that is stored.
  std::uint8_t source = 0;

  const Decoded* Target() const {
    return reinterpret_cast<const Decoded*>(reinterpret_cast<const char*>(this) + link);
  }
};
static_assert(sizeof(Decoded) == 16);

// The number of bytes that a mapper switches as one region. The decoded program has one additional
// entry per region, which leaves the region.
template <Mapper kMapper>
inline constexpr unsigned kRegionSize = kMapper == Mapper::kE0 ? 1024 : 4096;

}  // namespace engine::atari2600

#endif  // ENGINE_EMULATORS_ATARI2600_PROGRAM_H_
