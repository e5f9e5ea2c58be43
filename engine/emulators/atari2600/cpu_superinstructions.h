// Superinstructions: sequences of instructions that often follow one another and are run by one
// function. This saves the jumps between them, and avoids computing results that the next
// instruction overwrites.
// The sequences are the most frequent ones of all games of ale-py together, and the most frequent
// ones of Pong. Part of the interpreter, see cpu.h.
#ifndef ENGINE_EMULATORS_ATARI2600_CPU_SUPERINSTRUCTIONS_H_
#define ENGINE_EMULATORS_ATARI2600_CPU_SUPERINSTRUCTIONS_H_

#include <cstddef>
#include <cstdint>

#include "engine/emulators/atari2600/cpu.h"

namespace engine::atari2600 {
namespace superinstructions {

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

}  // namespace superinstructions

template <Mapper kMapper, bool kFast>
template <Step... kSteps>
bool Interpreter<kMapper, kFast>::Fits(const Decoded* at) {
  return ((at->run == HandlerOf<kSteps>() && (at += Length(kOpcodes[kSteps.code].mode), true)) &&
          ...);
}

template <Mapper kMapper, bool kFast>
Decoded::Handler Interpreter<kMapper, kFast>::SuperinstructionAt(const Decoded* at) {
  using namespace superinstructions;
  Decoded::Handler run = at->run;
  const auto take = [&]<Step... kSteps>(Fused<kSteps...>) {
    if (!Fits<kSteps...>(at)) return false;
    run = &Execute<kSteps...>;
    return true;
  };
  const auto take_first = [&](auto... fused) { static_cast<void>((take(fused) || ...)); };
  // The first sequence that matches is used.
  take_first(
      // Waiting loops, and ends of loops.
      Fused<kDey, kBplBack>(), Fused<kDey, kBneBack>(), Fused<kDex, kBplBack>(),
      Fused<kDex, kBneBack>(), Fused<kSbcIn, kBcsBack>(), Fused<kDecZp, kBplBack>(),
      Fused<kDecZp, kBneBack>(), Fused<kCpxIn, kBneBack>(), Fused<kCpyIn, kBneBack>(),
      Fused<kAndIn, kBneBack>(),
      // Sums and differences.
      Fused<kSec, kSbcZp, kAndZp>(), Fused<kSec, kSbcZp, kAndIn>(), Fused<kSec, kSbcZp>(),
      Fused<kSec, kSbcIn>(), Fused<kSec, kLdaZp, kSbcZp>(), Fused<kClc, kAdcZp>(),
      Fused<kClc, kAdcIn>(), Fused<kLdaZp, kSec, kSbcZp>(), Fused<kLdaZp, kSec, kSbcIn>(),
      Fused<kLdaZp, kClc, kAdcZp>(), Fused<kLdaZp, kClc, kAdcIn>(),
      // Shifts.
      Fused<kLsr, kLsr, kLsr, kLsr>(), Fused<kLsr, kLsr, kLsr, kTay>(), Fused<kLsr, kLsr, kLsr>(),
      Fused<kLsr, kLsr>(), Fused<kAsl, kAsl, kAsl, kAsl>(), Fused<kAsl, kAsl, kAsl>(),
      Fused<kAsl, kAsl>(), Fused<kNop, kNop>(),
      // Tests and branches.
      Fused<kLdaZp, kAndIn, kBne>(), Fused<kLdaZp, kAndIn, kBeq>(), Fused<kLdaZp, kAndIn>(),
      Fused<kLdaZp, kCmpIn>(), Fused<kLdaZp, kCmpZp>(), Fused<kLdaZp, kBeq>(),
      Fused<kLdaZp, kBne>(), Fused<kCmpIn, kBcc>(), Fused<kCmpIn, kBcs>(), Fused<kCmpIn, kBeq>(),
      Fused<kCmpIn, kBne>(), Fused<kCpyIn, kBeq>(), Fused<kCpyIn, kBcs>(), Fused<kCpyIn, kBne>(),
      Fused<kCpyZp, kBcs>(), Fused<kCpyZp, kBcc>(), Fused<kCpyZp, kBne>(), Fused<kCpxZp, kBne>(),
      Fused<kCpxIn, kBne>(), Fused<kAndIn, kBne>(), Fused<kAndIn, kBeq>(), Fused<kAndZp, kBeq>(),
      Fused<kDecZp, kBne>(), Fused<kLdaTiaY, kBmi>(),
      // Flags pushed on the stack; programs use this to draw.
      Fused<kAndZp, kPhp>(), Fused<kAndIn, kPhp>(), Fused<kCpxZp, kPhp>(),
      // Tables and pointers.
      Fused<kLdyZp, kLdaIy>(), Fused<kTay, kLdaIy>(), Fused<kLdaIy, kAndIy>(),
      Fused<kLdaIy, kAndIn>(), Fused<kLdaIy, kTax, kLdaIy>(), Fused<kLdyZp, kLdaAy>(),
      Fused<kTay, kLdaAy>(), Fused<kLdxZp, kLdaAx>(), Fused<kTax, kLdaAx>(),
      Fused<kLdxZp, kLdaZx>(),
      // Moves.
      Fused<kInx, kTxa, kLdxIn, kTxs>(), Fused<kLdxIn, kTxs>(), Fused<kTxa, kLdyIn>(),
      Fused<kTax, kLdyIn>(), Fused<kLdaIn, kStaZp>(), Fused<kAndIn, kStaZp>(),
      Fused<kLdaZp, kStaZp>(), Fused<kLdaIy, kStaZp>(), Fused<kEorZp, kAndZp>());
  return run;
}

}  // namespace engine::atari2600

#endif  // ENGINE_EMULATORS_ATARI2600_CPU_SUPERINSTRUCTIONS_H_
