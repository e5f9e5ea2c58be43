// Stores of a register to the TIA, as entries of the decoded program: one function for each pair of
// registers, shared by all mappers. Constant: any thread.
#ifndef ENGINE_EMULATORS_ATARI2600_TIA_STORES_H_
#define ENGINE_EMULATORS_ATARI2600_TIA_STORES_H_

#include <array>
#include <cstddef>

#include "engine/emulators/atari2600/program.h"

namespace engine::atari2600 {

enum class Source : std::uint8_t { kA, kX, kY, kStatus };

// The entry of a store to the TIA's register (0 to 63), with a zero page address in an instruction
// of two bytes, or an absolute one in an instruction of three.
Decoded TiaStore(int address, Source source, int length);

// The functions of a push, PHA or PHP, by register.
using TiaHandlers = std::array<Decoded::Handler, 64>;
extern constinit const TiaHandlers kTiaPushesOfA;
extern constinit const TiaHandlers kTiaPushesOfStatus;

// Runs a push while the stack pointer is in the TIA. Inline, so that its caller needs no stack.
inline Decoded::Handler TiaPush(Source source, int sp) {
  const auto index = static_cast<std::size_t>(sp & 0x3F);
  return source == Source::kA ? kTiaPushesOfA[index] : kTiaPushesOfStatus[index];
}

}  // namespace engine::atari2600

#endif  // ENGINE_EMULATORS_ATARI2600_TIA_STORES_H_
