// The complete state of a console without its picture: some hundred bytes. A copy is a snapshot.
#ifndef ENGINE_EMULATORS_ATARI2600_CONSOLE_STATE_H_
#define ENGINE_EMULATORS_ATARI2600_CONSOLE_STATE_H_

#include <cstdint>
#include <type_traits>

#include "engine/emulators/atari2600/cartridge.h"
#include "engine/emulators/atari2600/riot.h"
#include "engine/emulators/atari2600/tia.h"

namespace engine::atari2600 {

struct CpuState {
  std::uint16_t pc = 0;
  std::uint8_t a = 0;
  std::uint8_t x = 0;
  std::uint8_t y = 0;
  std::uint8_t sp = 0xFF;
  std::uint8_t status = 0x30;
};

struct ConsoleInputs {
  RiotInputs riot;
  TiaInputs tia;
};

struct ConsoleState {
  CpuState cpu;
  std::int32_t cycles = 0;  // since the start of the frame
  bool in_frame = false;    // the latest frame has not ended: the program ran too long
  bool greyed = false;      // in_frame, and the rest of the picture is grey
  bool jammed = false;      // the processor has run an opcode that halts it
  ConsoleInputs inputs;
  std::uint8_t ram[kRamSize] = {};
  Riot riot;
  Tia tia;
  CartridgeState cartridge;
};

static_assert(std::is_trivially_copyable_v<ConsoleState>);

}  // namespace engine::atari2600

#endif  // ENGINE_EMULATORS_ATARI2600_CONSOLE_STATE_H_
