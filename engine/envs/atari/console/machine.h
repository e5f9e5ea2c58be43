// The processor and the machine around it, one for each mapper; each is compiled
// in a file of its own, generated from machine.cc.in. Used by console.cc.
#ifndef ENGINE_ENVS_ATARI_CONSOLE_MACHINE_H_
#define ENGINE_ENVS_ATARI_CONSOLE_MACHINE_H_

#include "engine/envs/atari/console/console.h"

namespace engine::atari {

// Runs at most `instructions`, at least one.
template <Mapper kMapper>
RunEnd RunMachine(const Cartridge& cartridge, ConsoleState& state, Picture& picture,
                  int instructions);

// Loads the program counter from the reset vector.
template <Mapper kMapper>
void ResetMachine(const Cartridge& cartridge, ConsoleState& state, Picture& picture);

}  // namespace engine::atari

#endif  // ENGINE_ENVS_ATARI_CONSOLE_MACHINE_H_
