// Rows: sequences of instructions that often follow one another and are run by one function. This
// saves the jumps between them, and avoids computing results that the next instruction overwrites.
// The sequences are the most frequent ones of all games of ale-py together, and the most frequent
// ones of Pong. Part of the interpreter, see cpu.h.
#ifndef ENGINE_EMULATORS_ATARI2600_CPU_ROWS_H_
#define ENGINE_EMULATORS_ATARI2600_CPU_ROWS_H_

#include <cstddef>
#include <cstdint>

#include "engine/emulators/atari2600/cpu.h"

namespace engine::atari2600 {
namespace rows {

// Abbreviations of operands: Zp in the zero page, In immediate, Zx in the zero page indexed by X,
// Iy indirect indexed by Y, Ax and Ay in a table in ROM indexed by X or Y.
inline constexpr Step kAdcIn{0x69}, kAdcZp{0x65}, kAndIn{0x29}, kAndIy{0x31}, kAndZp{0x25};
inline constexpr Step kAsl{0x0A}, kBcc{0x90}, kBcs{0xB0}, kBeq{0xF0}, kBmi{0x30}, kBne{0xD0};
inline constexpr Step kClc{0x18}, kCmpIn{0xC9}, kCmpZp{0xC5}, kCpxIn{0xE0}, kCpxZp{0xE4};
inline constexpr Step kCpyIn{0xC0}, kCpyZp{0xC4}, kDecZp{0xC6}, kDex{0xCA}, kDey{0x88};
inline constexpr Step kEorZp{0x45}, kInx{0xE8}, kIny{0xC8}, kLdaIn{0xA9}, kLdaIy{0xB1};
inline constexpr Step kLdaZp{0xA5}, kLdaZx{0xB5}, kLdxIn{0xA2}, kLdxZp{0xA6}, kLdyIn{0xA0};
inline constexpr Step kLdyZp{0xA4}, kLsr{0x4A}, kNop{0xEA}, kPhp{0x08}, kSbcIn{0xE9}, kSbcZp{0xE5};
inline constexpr Step kSec{0x38}, kStaZp{0x85}, kTax{0xAA}, kTay{0xA8}, kTxa{0x8A}, kTxs{0x9A};
inline constexpr Step kLdaAx{0xBD, Variant::kTable}, kLdaAy{0xB9, Variant::kTable};
// LDA absolute,Y with another address; a small one is a register of the TIA.
inline constexpr Step kLdaTiaY{0xB9};
// A branch backwards.
inline constexpr Step kBccBack{0x90, Variant::kBackward}, kBcsBack{0xB0, Variant::kBackward};
inline constexpr Step kBneBack{0xD0, Variant::kBackward}, kBplBack{0x10, Variant::kBackward};

}  // namespace rows

template <Mapper kMapper, bool kFast>
template <Step... kSteps>
bool Interpreter<kMapper, kFast>::Fits(const Decoded* at) {
  return ((at->run == HandlerOf<kSteps>() && (at += Length(kOpcodes[kSteps.code].mode), true)) &&
          ...);
}

template <Mapper kMapper, bool kFast>
Decoded::Handler Interpreter<kMapper, kFast>::RowAt(const Decoded* at) {
  using namespace rows;
  Decoded::Handler run = at->run;
  const auto take = [&]<Step... kSteps>(Row<kSteps...>) {
    if (!Fits<kSteps...>(at)) return false;
    run = &Execute<kSteps...>;
    return true;
  };
  const auto take_first = [&](auto... rows) { static_cast<void>((take(rows) || ...)); };
  // The first row that matches is used.
  take_first(
      // Waiting loops, and ends of loops.
      Row<kDey, kBplBack>(), Row<kDey, kBneBack>(), Row<kDex, kBplBack>(), Row<kDex, kBneBack>(),
      Row<kSbcIn, kBcsBack>(), Row<kDecZp, kBplBack>(), Row<kDecZp, kBneBack>(),
      Row<kCpxIn, kBneBack>(), Row<kCpyIn, kBneBack>(), Row<kAndIn, kBneBack>(),
      // Sums and differences.
      Row<kSec, kSbcZp, kAndZp>(), Row<kSec, kSbcZp, kAndIn>(), Row<kSec, kSbcZp>(),
      Row<kSec, kSbcIn>(), Row<kSec, kLdaZp, kSbcZp>(), Row<kClc, kAdcZp>(), Row<kClc, kAdcIn>(),
      Row<kLdaZp, kSec, kSbcZp>(), Row<kLdaZp, kSec, kSbcIn>(), Row<kLdaZp, kClc, kAdcZp>(),
      Row<kLdaZp, kClc, kAdcIn>(),
      // Shifts.
      Row<kLsr, kLsr, kLsr, kLsr>(), Row<kLsr, kLsr, kLsr, kTay>(), Row<kLsr, kLsr, kLsr>(),
      Row<kLsr, kLsr>(), Row<kAsl, kAsl, kAsl, kAsl>(), Row<kAsl, kAsl, kAsl>(), Row<kAsl, kAsl>(),
      Row<kNop, kNop>(),
      // Tests and branches.
      Row<kLdaZp, kAndIn, kBne>(), Row<kLdaZp, kAndIn, kBeq>(), Row<kLdaZp, kAndIn>(),
      Row<kLdaZp, kCmpIn>(), Row<kLdaZp, kCmpZp>(), Row<kLdaZp, kBeq>(), Row<kLdaZp, kBne>(),
      Row<kCmpIn, kBcc>(), Row<kCmpIn, kBcs>(), Row<kCmpIn, kBeq>(), Row<kCmpIn, kBne>(),
      Row<kCpyIn, kBeq>(), Row<kCpyIn, kBcs>(), Row<kCpyIn, kBne>(), Row<kCpyZp, kBcs>(),
      Row<kCpyZp, kBcc>(), Row<kCpyZp, kBne>(), Row<kCpxZp, kBne>(), Row<kCpxIn, kBne>(),
      Row<kAndIn, kBne>(), Row<kAndIn, kBeq>(), Row<kAndZp, kBeq>(), Row<kDecZp, kBne>(),
      Row<kLdaTiaY, kBmi>(),
      // Flags pushed on the stack; programs use this to draw.
      Row<kAndZp, kPhp>(), Row<kAndIn, kPhp>(), Row<kCpxZp, kPhp>(),
      // Tables and pointers.
      Row<kLdyZp, kLdaIy>(), Row<kTay, kLdaIy>(), Row<kLdaIy, kAndIy>(), Row<kLdaIy, kAndIn>(),
      Row<kLdaIy, kTax, kLdaIy>(), Row<kLdyZp, kLdaAy>(), Row<kTay, kLdaAy>(),
      Row<kLdxZp, kLdaAx>(), Row<kTax, kLdaAx>(), Row<kLdxZp, kLdaZx>(),
      // Moves.
      Row<kInx, kTxa, kLdxIn, kTxs>(), Row<kLdxIn, kTxs>(), Row<kTxa, kLdyIn>(),
      Row<kTax, kLdyIn>(), Row<kLdaIn, kStaZp>(), Row<kAndIn, kStaZp>(), Row<kLdaZp, kStaZp>(),
      Row<kLdaIy, kStaZp>(), Row<kEorZp, kAndZp>());
  return run;
}

}  // namespace engine::atari2600

#endif  // ENGINE_EMULATORS_ATARI2600_CPU_ROWS_H_
