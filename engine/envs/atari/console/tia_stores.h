// Stores of a register to the TIA, as entries of the decoded program: one
// function for each register of both, for all mappers. Constant: any thread.
#ifndef ENGINE_ENVS_ATARI_CONSOLE_TIA_STORES_H_
#define ENGINE_ENVS_ATARI_CONSOLE_TIA_STORES_H_

#include "engine/envs/atari/console/program.h"

namespace engine::atari {

enum class Source : std::uint8_t { kA, kX, kY, kStatus };

// The entry of the store to the TIA's register (0 to 63) with a zero page address, of two bytes, or
// an absolute one, of three.
Decoded TiaStore(int address, Source source, int length);

// What a push, PHA or PHP, does while the stack is in the TIA.
Decoded::Handler TiaPush(Source source, int sp);

}  // namespace engine::atari

#endif  // ENGINE_ENVS_ATARI_CONSOLE_TIA_STORES_H_
