// The 256 opcodes of the 6507: operation, addressing mode and cycles, including undocumented ones.
// The interpreter is compiled from this table, and the disassembler uses it. Constant data, any
// thread.
#ifndef ENGINE_EMULATORS_ATARI2600_OPCODES_H_
#define ENGINE_EMULATORS_ATARI2600_OPCODES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace engine::atari2600 {

// Named as assemblers name them; kJam halts the processor.
enum class Operation : std::uint8_t {
  kAdc,
  kAnc,
  kAnd,
  kAne,
  kArr,
  kAsl,
  kAsr,
  kBcc,
  kBcs,
  kBeq,
  kBit,
  kBmi,
  kBne,
  kBpl,
  kBrk,
  kBvc,
  kBvs,
  kClc,
  kCld,
  kCli,
  kClv,
  kCmp,
  kCpx,
  kCpy,
  kDcp,
  kDec,
  kDex,
  kDey,
  kEor,
  kInc,
  kInx,
  kIny,
  kIsb,
  kJam,
  kJmp,
  kJsr,
  kLas,
  kLax,
  kLda,
  kLdx,
  kLdy,
  kLsr,
  kLxa,
  kNop,
  kOra,
  kPha,
  kPhp,
  kPla,
  kPlp,
  kRla,
  kRol,
  kRor,
  kRra,
  kRti,
  kRts,
  kSax,
  kSbc,
  kSbx,
  kSec,
  kSed,
  kSei,
  kSha,
  kShs,
  kShx,
  kShy,
  kSlo,
  kSre,
  kSta,
  kStx,
  kSty,
  kTax,
  kTay,
  kTsx,
  kTxa,
  kTxs,
  kTya,
};

enum class Mode : std::uint8_t {
  kImplied,
  kAccumulator,
  kImmediate,
  kRelative,
  kZeroPage,
  kZeroPageX,
  kZeroPageY,
  kAbsolute,
  kAbsoluteX,
  kAbsoluteY,
  kIndirect,
  kIndirectX,
  kIndirectY,
};

struct Opcode {
  Operation operation;
  Mode mode;
  // Without the additional cycles of a taken branch or of a read across a page.
  std::uint8_t cycles;

  constexpr bool operator==(const Opcode&) const = default;
};

inline constexpr std::string_view kMnemonics[] = {
    "ADC", "ANC", "AND", "ANE", "ARR", "ASL", "ASR", "BCC", "BCS", "BEQ", "BIT", "BMI", "BNE",
    "BPL", "BRK", "BVC", "BVS", "CLC", "CLD", "CLI", "CLV", "CMP", "CPX", "CPY", "DCP", "DEC",
    "DEX", "DEY", "EOR", "INC", "INX", "INY", "ISB", "JAM", "JMP", "JSR", "LAS", "LAX", "LDA",
    "LDX", "LDY", "LSR", "LXA", "NOP", "ORA", "PHA", "PHP", "PLA", "PLP", "RLA", "ROL", "ROR",
    "RRA", "RTI", "RTS", "SAX", "SBC", "SBX", "SEC", "SED", "SEI", "SHA", "SHS", "SHX", "SHY",
    "SLO", "SRE", "STA", "STX", "STY", "TAX", "TAY", "TSX", "TXA", "TXS", "TYA",
};

constexpr std::string_view Mnemonic(Operation operation) {
  return kMnemonics[static_cast<std::size_t>(operation)];
}

// Bytes of an instruction, the opcode included.
constexpr int Length(Mode mode) {
  switch (mode) {
    case Mode::kImplied:
    case Mode::kAccumulator:
      return 1;
    case Mode::kAbsolute:
    case Mode::kAbsoluteX:
    case Mode::kAbsoluteY:
    case Mode::kIndirect:
      return 3;
    default:
      return 2;
  }
}

inline constexpr std::array<Opcode, 256> kOpcodes = [] {
  using enum Operation;
  using enum Mode;
  return std::array<Opcode, 256>{{
      // clang-format off
      {kBrk, kImplied, 7}, {kOra, kIndirectX, 6}, {kJam, kImplied, 2}, {kSlo, kIndirectX, 8},  // 00
      {kNop, kZeroPage, 3}, {kOra, kZeroPage, 3}, {kAsl, kZeroPage, 5}, {kSlo, kZeroPage, 5},  // 04
      {kPhp, kImplied, 3}, {kOra, kImmediate, 2}, {kAsl, kAccumulator, 2}, {kAnc, kImmediate, 2},  // 08
      {kNop, kAbsolute, 4}, {kOra, kAbsolute, 4}, {kAsl, kAbsolute, 6}, {kSlo, kAbsolute, 6},  // 0C
      {kBpl, kRelative, 2}, {kOra, kIndirectY, 5}, {kJam, kImplied, 2}, {kSlo, kIndirectY, 8},  // 10
      {kNop, kZeroPageX, 4}, {kOra, kZeroPageX, 4}, {kAsl, kZeroPageX, 6}, {kSlo, kZeroPageX, 6},  // 14
      {kClc, kImplied, 2}, {kOra, kAbsoluteY, 4}, {kNop, kImplied, 2}, {kSlo, kAbsoluteY, 7},  // 18
      {kNop, kAbsoluteX, 4}, {kOra, kAbsoluteX, 4}, {kAsl, kAbsoluteX, 7}, {kSlo, kAbsoluteX, 7},  // 1C
      {kJsr, kAbsolute, 6}, {kAnd, kIndirectX, 6}, {kJam, kImplied, 2}, {kRla, kIndirectX, 8},  // 20
      {kBit, kZeroPage, 3}, {kAnd, kZeroPage, 3}, {kRol, kZeroPage, 5}, {kRla, kZeroPage, 5},  // 24
      {kPlp, kImplied, 4}, {kAnd, kImmediate, 2}, {kRol, kAccumulator, 2}, {kAnc, kImmediate, 2},  // 28
      {kBit, kAbsolute, 4}, {kAnd, kAbsolute, 4}, {kRol, kAbsolute, 6}, {kRla, kAbsolute, 6},  // 2C
      {kBmi, kRelative, 2}, {kAnd, kIndirectY, 5}, {kJam, kImplied, 2}, {kRla, kIndirectY, 8},  // 30
      {kNop, kZeroPageX, 4}, {kAnd, kZeroPageX, 4}, {kRol, kZeroPageX, 6}, {kRla, kZeroPageX, 6},  // 34
      {kSec, kImplied, 2}, {kAnd, kAbsoluteY, 4}, {kNop, kImplied, 2}, {kRla, kAbsoluteY, 7},  // 38
      {kNop, kAbsoluteX, 4}, {kAnd, kAbsoluteX, 4}, {kRol, kAbsoluteX, 7}, {kRla, kAbsoluteX, 7},  // 3C
      {kRti, kImplied, 6}, {kEor, kIndirectX, 6}, {kJam, kImplied, 2}, {kSre, kIndirectX, 8},  // 40
      {kNop, kZeroPage, 3}, {kEor, kZeroPage, 3}, {kLsr, kZeroPage, 5}, {kSre, kZeroPage, 5},  // 44
      {kPha, kImplied, 3}, {kEor, kImmediate, 2}, {kLsr, kAccumulator, 2}, {kAsr, kImmediate, 2},  // 48
      {kJmp, kAbsolute, 3}, {kEor, kAbsolute, 4}, {kLsr, kAbsolute, 6}, {kSre, kAbsolute, 6},  // 4C
      {kBvc, kRelative, 2}, {kEor, kIndirectY, 5}, {kJam, kImplied, 2}, {kSre, kIndirectY, 8},  // 50
      {kNop, kZeroPageX, 4}, {kEor, kZeroPageX, 4}, {kLsr, kZeroPageX, 6}, {kSre, kZeroPageX, 6},  // 54
      {kCli, kImplied, 2}, {kEor, kAbsoluteY, 4}, {kNop, kImplied, 2}, {kSre, kAbsoluteY, 7},  // 58
      {kNop, kAbsoluteX, 4}, {kEor, kAbsoluteX, 4}, {kLsr, kAbsoluteX, 7}, {kSre, kAbsoluteX, 7},  // 5C
      {kRts, kImplied, 6}, {kAdc, kIndirectX, 6}, {kJam, kImplied, 2}, {kRra, kIndirectX, 8},  // 60
      {kNop, kZeroPage, 3}, {kAdc, kZeroPage, 3}, {kRor, kZeroPage, 5}, {kRra, kZeroPage, 5},  // 64
      {kPla, kImplied, 4}, {kAdc, kImmediate, 2}, {kRor, kAccumulator, 2}, {kArr, kImmediate, 2},  // 68
      {kJmp, kIndirect, 5}, {kAdc, kAbsolute, 4}, {kRor, kAbsolute, 6}, {kRra, kAbsolute, 6},  // 6C
      {kBvs, kRelative, 2}, {kAdc, kIndirectY, 5}, {kJam, kImplied, 2}, {kRra, kIndirectY, 8},  // 70
      {kNop, kZeroPageX, 4}, {kAdc, kZeroPageX, 4}, {kRor, kZeroPageX, 6}, {kRra, kZeroPageX, 6},  // 74
      {kSei, kImplied, 2}, {kAdc, kAbsoluteY, 4}, {kNop, kImplied, 2}, {kRra, kAbsoluteY, 7},  // 78
      {kNop, kAbsoluteX, 4}, {kAdc, kAbsoluteX, 4}, {kRor, kAbsoluteX, 7}, {kRra, kAbsoluteX, 7},  // 7C
      {kNop, kImmediate, 2}, {kSta, kIndirectX, 6}, {kNop, kImmediate, 2}, {kSax, kIndirectX, 6},  // 80
      {kSty, kZeroPage, 3}, {kSta, kZeroPage, 3}, {kStx, kZeroPage, 3}, {kSax, kZeroPage, 3},  // 84
      {kDey, kImplied, 2}, {kNop, kImmediate, 2}, {kTxa, kImplied, 2}, {kAne, kImmediate, 2},  // 88
      {kSty, kAbsolute, 4}, {kSta, kAbsolute, 4}, {kStx, kAbsolute, 4}, {kSax, kAbsolute, 4},  // 8C
      {kBcc, kRelative, 2}, {kSta, kIndirectY, 6}, {kJam, kImplied, 2}, {kSha, kIndirectY, 6},  // 90
      {kSty, kZeroPageX, 4}, {kSta, kZeroPageX, 4}, {kStx, kZeroPageY, 4}, {kSax, kZeroPageY, 4},  // 94
      {kTya, kImplied, 2}, {kSta, kAbsoluteY, 5}, {kTxs, kImplied, 2}, {kShs, kAbsoluteY, 5},  // 98
      {kShy, kAbsoluteX, 5}, {kSta, kAbsoluteX, 5}, {kShx, kAbsoluteY, 5}, {kSha, kAbsoluteY, 5},  // 9C
      {kLdy, kImmediate, 2}, {kLda, kIndirectX, 6}, {kLdx, kImmediate, 2}, {kLax, kIndirectX, 6},  // A0
      {kLdy, kZeroPage, 3}, {kLda, kZeroPage, 3}, {kLdx, kZeroPage, 3}, {kLax, kZeroPage, 4},  // A4
      {kTay, kImplied, 2}, {kLda, kImmediate, 2}, {kTax, kImplied, 2}, {kLxa, kImmediate, 2},  // A8
      {kLdy, kAbsolute, 4}, {kLda, kAbsolute, 4}, {kLdx, kAbsolute, 4}, {kLax, kAbsolute, 4},  // AC
      {kBcs, kRelative, 2}, {kLda, kIndirectY, 5}, {kJam, kImplied, 2}, {kLax, kIndirectY, 5},  // B0
      {kLdy, kZeroPageX, 4}, {kLda, kZeroPageX, 4}, {kLdx, kZeroPageY, 4}, {kLax, kZeroPageY, 4},  // B4
      {kClv, kImplied, 2}, {kLda, kAbsoluteY, 4}, {kTsx, kImplied, 2}, {kLas, kAbsoluteY, 4},  // B8
      {kLdy, kAbsoluteX, 4}, {kLda, kAbsoluteX, 4}, {kLdx, kAbsoluteY, 4}, {kLax, kAbsoluteY, 4},  // BC
      {kCpy, kImmediate, 2}, {kCmp, kIndirectX, 6}, {kNop, kImmediate, 2}, {kDcp, kIndirectX, 8},  // C0
      {kCpy, kZeroPage, 3}, {kCmp, kZeroPage, 3}, {kDec, kZeroPage, 5}, {kDcp, kZeroPage, 5},  // C4
      {kIny, kImplied, 2}, {kCmp, kImmediate, 2}, {kDex, kImplied, 2}, {kSbx, kImmediate, 2},  // C8
      {kCpy, kAbsolute, 4}, {kCmp, kAbsolute, 4}, {kDec, kAbsolute, 6}, {kDcp, kAbsolute, 6},  // CC
      {kBne, kRelative, 2}, {kCmp, kIndirectY, 5}, {kJam, kImplied, 2}, {kDcp, kIndirectY, 8},  // D0
      {kNop, kZeroPageX, 4}, {kCmp, kZeroPageX, 4}, {kDec, kZeroPageX, 6}, {kDcp, kZeroPageX, 6},  // D4
      {kCld, kImplied, 2}, {kCmp, kAbsoluteY, 4}, {kNop, kImplied, 2}, {kDcp, kAbsoluteY, 7},  // D8
      {kNop, kAbsoluteX, 4}, {kCmp, kAbsoluteX, 4}, {kDec, kAbsoluteX, 7}, {kDcp, kAbsoluteX, 7},  // DC
      {kCpx, kImmediate, 2}, {kSbc, kIndirectX, 6}, {kNop, kImmediate, 2}, {kIsb, kIndirectX, 8},  // E0
      {kCpx, kZeroPage, 3}, {kSbc, kZeroPage, 3}, {kInc, kZeroPage, 5}, {kIsb, kZeroPage, 5},  // E4
      {kInx, kImplied, 2}, {kSbc, kImmediate, 2}, {kNop, kImplied, 2}, {kSbc, kImmediate, 2},  // E8
      {kCpx, kAbsolute, 4}, {kSbc, kAbsolute, 4}, {kInc, kAbsolute, 6}, {kIsb, kAbsolute, 6},  // EC
      {kBeq, kRelative, 2}, {kSbc, kIndirectY, 5}, {kJam, kImplied, 2}, {kIsb, kIndirectY, 8},  // F0
      {kNop, kZeroPageX, 4}, {kSbc, kZeroPageX, 4}, {kInc, kZeroPageX, 6}, {kIsb, kZeroPageX, 6},  // F4
      {kSed, kImplied, 2}, {kSbc, kAbsoluteY, 4}, {kNop, kImplied, 2}, {kIsb, kAbsoluteY, 7},  // F8
      {kNop, kAbsoluteX, 4}, {kSbc, kAbsoluteX, 4}, {kInc, kAbsoluteX, 7}, {kIsb, kAbsoluteX, 7},  // FC
      // clang-format on
  }};
}();

// The opcode of an operation that has only one.
constexpr std::uint8_t OpcodeOf(Operation operation) {
  std::uint8_t code = 0;
  while (kOpcodes[code].operation != operation) ++code;
  return code;
}

// The first opcode that does the same as this one. 38 opcodes do the same as another.
constexpr int FirstAlike(int code) {
  const Opcode& opcode = kOpcodes[static_cast<std::size_t>(code)];
  int first = 0;
  while (kOpcodes[static_cast<std::size_t>(first)] != opcode) ++first;
  return first;
}

}  // namespace engine::atari2600

#endif  // ENGINE_EMULATORS_ATARI2600_OPCODES_H_
