// The state that the instructions of a run share, for all mappers, and how they pass the registers.
// Every instruction is a function that takes the 6507's registers as arguments, which the compiler
// keeps in registers of the host. It continues at the next instruction by a jump (a tail call):
//
//   ac    A in the low byte, the flag C above it
//   xy    X in the low byte, Y above it
//   nz    Z is set when the low byte is zero, N when bit 7 or bit 15 is one
//   time  the cycles of the frame; in the upper half, if instructions are counted,
//         the number of remaining instructions minus one
//
// Part of the interpreter, see cpu.h. Used by one thread at a time.
#ifndef ENGINE_EMULATORS_ATARI2600_MACHINE_CORE_H_
#define ENGINE_EMULATORS_ATARI2600_MACHINE_CORE_H_

#include <cstdint>

#include "engine/emulators/atari2600/console.h"
#include "engine/emulators/atari2600/console_state.h"
#include "engine/emulators/atari2600/picture.h"
#include "engine/emulators/atari2600/program.h"

namespace engine::atari2600 {

// Whether the compiler turns tail calls into jumps. If not, every instruction returns and a loop
// calls the next one.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__OPTIMIZE__)
inline constexpr bool kCallsAreJumps = false;
#else
inline constexpr bool kCallsAreJumps = true;
#endif

inline constexpr std::int64_t kInstruction = std::int64_t{1} << 32;

struct MachineCore {
  MachineCore(const ConsoleState& with_state, Picture& with_picture)
      : state(with_state), picture(with_picture) {}

  // A copy, and the first member, so that memory is near the pointer that every instruction uses.
  ConsoleState state;
  // Registers that few instructions use.
  std::uint8_t sp = 0;
  std::uint8_t v = 0;  // flags, 0 or 1
  std::uint8_t d = 0;
  std::uint8_t i = 0;
  RunEnd end = RunEnd::kInstructions;
  bool uncounted = false;  // instructions are not counted: only before uncounted_until
  bool again = false;      // the run reached the limit and must be repeated with counting
  // The address of the first byte of the region that runs, and its decoded program.
  std::uint16_t region_pc = 0;
  const Decoded* region = nullptr;
  // Before this cycle a run cannot have reached its last instruction, because each takes at least
  // two cycles. Until then the decoded program runs without counting.
  std::int32_t uncounted_until = 0;
  Picture& picture;
  // The position at which the loop that calls the instructions continues: in the decoded program,
  // or at pc.
  struct Next {
    bool pending = false;
    const Decoded* at = nullptr;
    unsigned pc = 0;
    unsigned ac = 0;
    unsigned xy = 0;
    unsigned nz = 0;
    std::int64_t time = 0;
  };
  Next next;

  unsigned AddressOf(const Decoded* at) const {
    return static_cast<std::uint16_t>(region_pc + (at - region));
  }
  static std::uint8_t Status(const MachineCore& m, unsigned c, unsigned nz) {
    return static_cast<std::uint8_t>(((nz & 0x8080) != 0 ? 0x80 : 0) | m.v << 6 | 0x30 | m.d << 3 |
                                     m.i << 2 | ((nz & 0xFF) == 0 ? 0x02 : 0) |
                                     static_cast<int>(c));
  }
  // Saves the registers at the end of the run.
  void Save(unsigned pc, unsigned ac, unsigned xy, unsigned nz, std::int64_t time) {
    state.cpu = {.pc = static_cast<std::uint16_t>(pc),
                 .a = static_cast<std::uint8_t>(ac),
                 .x = static_cast<std::uint8_t>(xy),
                 .y = static_cast<std::uint8_t>(xy >> 8),
                 .sp = sp,
                 .status = Status(*this, ac >> 8, nz)};
    state.cycles = static_cast<std::int32_t>(time);
  }
};

// Continues at an entry of the decoded program.
[[gnu::always_inline]] inline void Go(MachineCore* m, const Decoded* at, unsigned ac, unsigned xy,
                                      unsigned nz, std::int64_t time) {
  if constexpr (kCallsAreJumps) {
    return at->run(m, at, ac, xy, nz, time);
  } else {
    m->next = {true, at, 0, ac, xy, nz, time};
  }
}

}  // namespace engine::atari2600

#endif  // ENGINE_EMULATORS_ATARI2600_MACHINE_CORE_H_
