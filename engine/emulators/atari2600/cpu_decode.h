// Decodes the bytes of a ROM: selects the function that runs each instruction of the decoded
// program, and has the tables of these functions. Part of the interpreter, see cpu.h.
#ifndef ENGINE_EMULATORS_ATARI2600_CPU_DECODE_H_
#define ENGINE_EMULATORS_ATARI2600_CPU_DECODE_H_

#include <array>
#include <cstdint>
#include <utility>

#include "engine/emulators/atari2600/cpu.h"
#include "engine/emulators/atari2600/tia_stores.h"

namespace engine::atari2600 {

template <Mapper kMapper, bool kFast>
constexpr std::array<typename Interpreter<kMapper, kFast>::Slow, 256>
    Interpreter<kMapper, kFast>::kSlow = SlowTable(std::make_index_sequence<256>());
template <Mapper kMapper, bool kFast>
constexpr std::array<Decoded::Handler, 256> Interpreter<kMapper, kFast>::kFastTable =
    FastTable(std::make_index_sequence<256>());
template <Mapper kMapper, bool kFast>
constexpr std::array<Decoded::Handler, 256> Interpreter<kMapper, kFast>::kBackward =
    BackwardTable(std::make_index_sequence<256>());
template <Mapper kMapper, bool kFast>
constexpr std::array<Decoded::Handler, 256> Interpreter<kMapper, kFast>::kTables =
    TableTable(std::make_index_sequence<256>());
template <Mapper kMapper, bool kFast>
constexpr std::array<Decoded::Handler, 256> Interpreter<kMapper, kFast>::kTiaReads =
    TiaTable(std::make_index_sequence<256>());

template <Mapper kMapper, bool kFast>
Decoded::Handler Interpreter<kMapper, kFast>::TimerRead(std::uint8_t code) {
  switch (code) {
    case 0xAD:
      return &ReadTimer<0xAD>;
    case 0xAE:
      return &ReadTimer<0xAE>;
    case 0xAC:
      return &ReadTimer<0xAC>;
    case 0x2C:
      return &ReadTimer<0x2C>;
    default:
      return nullptr;
  }
}

template <Mapper kMapper, bool kFast>
void Interpreter<kMapper, kFast>::DecodeTimer(const std::uint8_t* bytes, int offset,
                                              Decoded& decoded) {
  const Decoded::Handler read = TimerRead(bytes[0]);
  if (read == nullptr) return;
  decoded.run = read;
  const bool tests_bits = bytes[0] == 0x2C;
  // The next instruction must be a branch back to this one, taken while the timer is not zero or
  // not negative.
  constexpr int kBne = 0xD0;
  constexpr int kBpl = 0x10;
  constexpr int kBack = 0xFB;
  const bool loop = offset + 5 <= MappedCartridge<kMapper>::kLastDecoded && bytes[4] == kBack &&
                    (bytes[3] == kBpl || (bytes[3] == kBne && !tests_bits));
  if (!loop) return;
  const bool flag = (decoded.operand & 1) != 0;
  if (flag && bytes[3] == kBne) return;
  const bool crosses = ((offset + 5) ^ offset) & 0xFF00;
  decoded.source = static_cast<std::uint8_t>(4 + 2 + (crosses ? 2 : 1));
  decoded.link = flag               ? Riot::kWhileFlagDown
                 : bytes[3] == kBne ? Riot::kWhileNotZero
                                    : Riot::kWhilePositive;
}

// JMP and JSR to a target within the mapped region, whichever bank is selected.
template <Mapper kMapper, bool kFast>
bool Interpreter<kMapper, kFast>::DecodeJump(const std::uint8_t* bytes, int offset,
                                             Decoded& decoded) {
  constexpr int kJmp = 0x4C;
  constexpr int kJsr = 0x20;
  if (kMapper == Mapper::kE0 || kMapper == Mapper::kFE) return false;
  if (bytes[0] != kJmp && bytes[0] != kJsr) return false;
  if (!MappedCartridge<kMapper>::Plain(decoded.operand)) return false;
  const int target = decoded.operand & (static_cast<int>(kRegionSize<kMapper>) - 1);
  decoded.link = (target - offset) * static_cast<int>(sizeof(Decoded));
  decoded.run = bytes[0] == kJsr ? &JumpNear<true> : &JumpNear<false>;
  return true;
}

// A read of a table in ROM that is within the bank for every index.
template <Mapper kMapper, bool kFast>
bool Interpreter<kMapper, kFast>::DecodeTable(Opcode opcode, Decoded& decoded) {
  using Mapped = MappedCartridge<kMapper>;
  if (kMapper == Mapper::kE0 || kMapper == Mapper::kFE) return false;
  if (!ReadsTable(opcode) || (decoded.operand & 0x1000) == 0) return false;
  const int base = decoded.operand & 0xFFF;
  if (base < Mapped::kFirstDecoded || base + 0xFF >= Mapped::kLastDecoded) return false;
  decoded.operand = static_cast<std::uint16_t>(base);
  return true;
}

template <Mapper kMapper, bool kFast>
Decoded Interpreter<kMapper, kFast>::Decode(const std::uint8_t* bytes, int offset) {
  const Opcode opcode = kOpcodes[bytes[0]];
  const int length = Length(opcode.mode);
  Decoded decoded{.run = &Leave};
  // Does not decode bytes whose read has side effects, or the cartridge's own memory.
  using Mapped = MappedCartridge<kMapper>;
  if (offset < Mapped::kFirstDecoded || offset + length > Mapped::kLastDecoded) return decoded;
  if (length > 1) decoded.operand = bytes[1];
  if (length > 2) decoded.operand = static_cast<std::uint16_t>(bytes[1] | bytes[2] << 8);
  const int operand = decoded.operand;

  if (opcode.mode == Mode::kRelative) {
    const int target = offset + 2 + static_cast<std::int8_t>(bytes[1]);
    if (target < 0 || target >= static_cast<int>(kRegionSize<kMapper>)) return decoded;
    decoded.link = (target - offset) * static_cast<int>(sizeof(Decoded));
    // A region starts at a page boundary.
    decoded.cycles = ((offset + 2) ^ target) & 0xFF00 ? 2 : 1;
  } else if (opcode.mode == Mode::kZeroPage || opcode.mode == Mode::kAbsolute) {
    const bool tia = (operand & 0x1080) == 0;
    if (tia && opcode.operation != Operation::kJmp && opcode.operation != Operation::kJsr) {
      const bool a = opcode.operation == Operation::kSta;
      const bool x = opcode.operation == Operation::kStx;
      const bool y = opcode.operation == Operation::kSty;
      if (a || x || y) {
        return TiaStore(operand & 0x3F, a ? Source::kA : x ? Source::kX : Source::kY, length);
      }
      if (kTiaReads[bytes[0]] != nullptr) decoded.run = kTiaReads[bytes[0]];
      return decoded;
    }
    const bool riot = (operand & 0x1280) == 0x0280;
    if (riot && opcode.operation != Operation::kJmp && opcode.operation != Operation::kJsr) {
      if ((operand & 0x04) != 0) DecodeTimer(bytes, offset, decoded);
      return decoded;
    }
  }
  // The pointer is outside memory.
  if (opcode.mode == Mode::kIndirectY && (operand < 0x80 || operand == 0xFF)) return decoded;
  // The offset in memory.
  if (opcode.mode == Mode::kIndirectY || opcode.mode == Mode::kZeroPage) decoded.operand &= 0x7F;
  if (opcode.mode == Mode::kRelative && decoded.link <= 0) {
    decoded.run = kBackward[bytes[0]];
  } else if (DecodeTable(opcode, decoded)) {
    decoded.run = kTables[bytes[0]];
  } else if (!DecodeJump(bytes, offset, decoded)) {
    decoded.run = kFastTable[bytes[0]];
  }
  return decoded;
}

}  // namespace engine::atari2600

#endif  // ENGINE_EMULATORS_ATARI2600_CPU_DECODE_H_
