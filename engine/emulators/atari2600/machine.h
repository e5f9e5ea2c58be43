// The processor with its machine, one for each kind of mapper. Each is compiled in a file of its
// own, generated from machine.cc.in. Used by console.cc.
#ifndef ENGINE_EMULATORS_ATARI2600_MACHINE_H_
#define ENGINE_EMULATORS_ATARI2600_MACHINE_H_

#include <vector>

#include "engine/emulators/atari2600/console.h"

namespace engine::atari2600 {

// Runs at most `instructions`, at least one.
template <Mapper kMapper>
RunEnd RunMachine(const Cartridge& cartridge, ConsoleState& state, Picture& picture,
                  int instructions);

// Loads the program counter from the reset vector.
template <Mapper kMapper>
void ResetMachine(const Cartridge& cartridge, ConsoleState& state, Picture& picture);

// The ROM's program, region by region.
template <Mapper kMapper>
std::vector<Decoded> DecodeMachine(const Cartridge& cartridge);

// Calls `call.template operator()<mapper>()` with the mapper whose interpreter runs the cartridge's
// mapper (see cartridge.h).
template <typename Call>
auto WithMapper(Mapper mapper, Call call) {
  switch (mapper) {
    case Mapper::kF8:
    case Mapper::kF6:
      return call.template operator()<Mapper::kF8>();
    case Mapper::kF8SC:
    case Mapper::kF6SC:
      return call.template operator()<Mapper::kF8SC>();
    case Mapper::kE0:
      return call.template operator()<Mapper::kE0>();
    case Mapper::kFE:
      return call.template operator()<Mapper::kFE>();
    case Mapper::kDPC:
      return call.template operator()<Mapper::kDPC>();
    default:  // images of 2 KiB are stored twice
      return call.template operator()<Mapper::k4K>();
  }
}

}  // namespace engine::atari2600

#endif  // ENGINE_EMULATORS_ATARI2600_MACHINE_H_
