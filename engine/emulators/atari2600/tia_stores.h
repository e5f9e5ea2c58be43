// Stores of a register to the TIA, as entries of the decoded program: one function for each pair of
// registers, shared by all mappers. Constant: any thread.
#ifndef ENGINE_EMULATORS_ATARI2600_TIA_STORES_H_
#define ENGINE_EMULATORS_ATARI2600_TIA_STORES_H_

#include "engine/emulators/atari2600/program.h"

namespace engine::atari2600 {

enum class Source : std::uint8_t { kA, kX, kY, kStatus };

// The entry of a store to the TIA's register (0 to 63), with a zero page address in an instruction
// of two bytes, or an absolute one in an instruction of three.
Decoded TiaStore(int address, Source source, int length);

// Runs a push, PHA or PHP, while the stack pointer is in the TIA.
Decoded::Handler TiaPush(Source source, int sp);

}  // namespace engine::atari2600

#endif  // ENGINE_EMULATORS_ATARI2600_TIA_STORES_H_
