// From the bytes of a ROM to what its instructions do: which function runs an
// instruction of the decoded program, and the tables of these functions. Part of
// the interpreter, see cpu.h.
#ifndef ENGINE_ENVS_ATARI_CONSOLE_CPU_DECODE_H_
#define ENGINE_ENVS_ATARI_CONSOLE_CPU_DECODE_H_

#include <array>
#include <cstdint>
#include <utility>

#include "engine/envs/atari/console/cpu.h"

namespace engine::atari {

template <Mapper kMapper, bool kFast>
constexpr std::array<typename Interpreter<kMapper, kFast>::Slow, 256>
    Interpreter<kMapper, kFast>::kSlow = SlowTable(std::make_index_sequence<256>());
template <Mapper kMapper, bool kFast>
constexpr std::array<Decoded::Handler, 256> Interpreter<kMapper, kFast>::kFastTable =
    FastTable(std::make_index_sequence<256>());

template <Mapper kMapper, bool kFast>
constexpr std::array<Decoded::Handler, 64> Interpreter<kMapper, kFast>::kStores =
    StoreTable(std::make_index_sequence<64>());

template <Mapper kMapper, bool kFast>
void Interpreter<kMapper, kFast>::DecodeTimer(const std::uint8_t* bytes, int offset,
                                              Decoded& decoded) {
  const bool tests_bits = bytes[0] == 0x2C;
  switch (bytes[0]) {
    case 0xAD:
      decoded.run = &ReadTimer<0xAD>;
      break;
    case 0xAE:
      decoded.run = &ReadTimer<0xAE>;
      break;
    case 0xAC:
      decoded.run = &ReadTimer<0xAC>;
      break;
    case 0x2C:
      decoded.run = &ReadTimer<0x2C>;
      break;
    default:
      return;
  }
  // A branch back to here behind it, while the timer is not zero or not negative.
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

template <Mapper kMapper, bool kFast>
Decoded Interpreter<kMapper, kFast>::Decode(const std::uint8_t* bytes, int offset) {
  const Opcode opcode = kOpcodes[bytes[0]];
  const int length = Length(opcode.mode);
  Decoded decoded{.run = &Leave};
  // Where reading does more than to read, and in the cartridge's own memory, nothing is decoded.
  using Mapped = MappedCartridge<kMapper>;
  if (offset < Mapped::kFirstDecoded || offset + length > Mapped::kLastDecoded) return decoded;
  if (length > 1) decoded.operand = bytes[1];
  if (length > 2) decoded.operand = static_cast<std::uint16_t>(bytes[1] | bytes[2] << 8);
  const int operand = decoded.operand;

  if (opcode.mode == Mode::kRelative) {
    const int target = offset + 2 + static_cast<std::int8_t>(bytes[1]);
    if (target < 0 || target >= static_cast<int>(kRegionSize<kMapper>)) return decoded;
    decoded.link = static_cast<std::int16_t>(target - offset);
    // Regions begin with a page.
    decoded.cycles = ((offset + 2) ^ target) & 0xFF00 ? 2 : 1;
  } else if (opcode.mode == Mode::kZeroPage || opcode.mode == Mode::kAbsolute) {
    const bool tia = (operand & 0x1080) == 0;
    const bool wsync = (operand & 0x3F) == 0x02;
    if (tia && opcode.operation != Operation::kJmp && opcode.operation != Operation::kJsr) {
      const bool a = opcode.operation == Operation::kSta;
      const bool x = opcode.operation == Operation::kStx;
      const bool y = opcode.operation == Operation::kSty;
      if (a || x || y) {
        decoded.run = wsync ? &Sync : kStores[operand & 0x3F];
        decoded.source = a ? 0 : x ? 8 : 16;
        decoded.cycles = opcode.cycles;
        decoded.link = static_cast<std::int16_t>(length);
      }
      return decoded;
    }
    const bool riot = (operand & 0x1280) == 0x0280;
    if (riot && opcode.operation != Operation::kJmp && opcode.operation != Operation::kJsr) {
      if ((operand & 0x04) != 0) DecodeTimer(bytes, offset, decoded);
      return decoded;
    }
  }
  // A pointer that is not in memory.
  if (opcode.mode == Mode::kIndirectY && (operand < 0x80 || operand == 0xFF)) return decoded;
  decoded.run = kFastTable[bytes[0]];
  return decoded;
}

}  // namespace engine::atari

#endif  // ENGINE_ENVS_ATARI_CONSOLE_CPU_DECODE_H_
