// The functions of single instructions: the fast ones of the decoded program, each of which jumps
// to the next, and the slow ones. Part of the interpreter, see cpu.h.
#ifndef ENGINE_EMULATORS_ATARI2600_CPU_ENTRIES_H_
#define ENGINE_EMULATORS_ATARI2600_CPU_ENTRIES_H_

#include <algorithm>
#include <cstdint>

#include "engine/emulators/atari2600/cpu.h"
#include "engine/emulators/atari2600/tia_stores.h"

namespace engine::atari2600 {

template <Mapper kMapper, bool kFast>
template <int kCode>
void Interpreter<kMapper, kFast>::ExecuteSlow(M& m, unsigned pc, unsigned ac, unsigned xy,
                                              unsigned nz, std::int64_t time) {
  constexpr Opcode kOpcode = kOpcodes[kCode];
  Interpreter<kMapper> cpu(m, pc, ac, xy, nz, time + kOpcode.cycles - kInstruction);
  cpu.template Perform<kOpcode.operation, kOpcode.mode>();
  return AfterSlow(m, cpu.pc_, cpu.ac(), cpu.xy(), cpu.nz_, cpu.time_);
}

template <Mapper kMapper, bool kFast>
template <Step... kSteps>
void Interpreter<kMapper, kFast>::Execute(MachineCore* core, const Decoded* at, unsigned ac,
                                          unsigned xy, unsigned nz, std::int64_t time) {
  return Walk<Fused<kSteps...>, kSteps...>(core, at, at, ac, xy, nz, time);
}

template <Mapper kMapper, bool kFast>
template <typename Whole, Step kStep, Step... kRest>
inline void Interpreter<kMapper, kFast>::Walk(MachineCore* core, const Decoded* head,
                                              const Decoded* at, unsigned ac, unsigned xy,
                                              unsigned nz, std::int64_t time) {
  constexpr int kCode = kStep.code;
  constexpr Opcode kOpcode = kOpcodes[kCode];
  constexpr bool kIsLast = sizeof...(kRest) == 0;
  M& m = *static_cast<M*>(core);
  Interpreter<kMapper, true> cpu(m, 0, ac, xy, nz, time + kOpcode.cycles);
  cpu.at_ = at;
  cpu.next_ = at + Length(kOpcode.mode);
  if constexpr (kStep.variant == Variant::kTable) {
    cpu.template PerformTable<kOpcode.operation, kOpcode.mode>();
  } else {
    cpu.template Perform<kOpcode.operation, kOpcode.mode>();
  }
  constexpr bool kDecimal =
      kOpcode.operation == Operation::kAdc || kOpcode.operation == Operation::kSbc;
  if constexpr (kDecimal && kStep.variant == Variant::kTable) {
    if (cpu.slow_) [[unlikely]]
      return Leave(core, at, ac, xy, nz, time);
  }
  if constexpr (kStep.variant == Variant::kPlain && !IsSafe(kOpcode)) {
    if (cpu.slow_) [[unlikely]] {
      constexpr bool kPushes =
          kOpcode.operation == Operation::kPha || kOpcode.operation == Operation::kPhp;
      if constexpr (kPushes) return PushTia<kCode>(core, at, ac, xy, nz, time);
      // Reads of tables in ROM have their own functions, so most of the remaining reads are of the
      // TIA.
      if constexpr (ReadsTable(kOpcode)) return ReadTiaIndexed<kCode>(core, at, ac, xy, nz, time);
      return Leave(core, at, ac, xy, nz, time);
    }
  }
  if constexpr (Jumps(kOpcode.operation)) {
    static_assert(kIsLast);
    return Continue(m, cpu.pc_, cpu.ac(), cpu.xy(), cpu.nz_, cpu.time_);
  } else if constexpr (kStep.variant == Variant::kBackward) {
    static_assert(kIsLast);
    // Every loop contains a jump or a backward branch, so only these check the time.
    if (static_cast<std::int32_t>(cpu.time_) >= m.uncounted_until) [[unlikely]]
      return LeaveAt(core, cpu.next_, cpu.ac(), cpu.xy(), cpu.nz_, cpu.time_);
    // A loop that consists only of this sequence continues here.
    if constexpr (Whole::kSize > 1) {
      if (cpu.next_ == head) return Whole::Run(core, head, cpu.ac(), cpu.xy(), cpu.nz_, cpu.time_);
    }
  } else if constexpr (!kIsLast) {
    if constexpr (kOpcode.mode == Mode::kRelative) {
      if (cpu.branched_) return Go(core, cpu.next_, cpu.ac(), cpu.xy(), cpu.nz_, cpu.time_);
    }
    return Walk<Whole, kRest...>(core, head, at + Length(kOpcode.mode), cpu.ac(), cpu.xy(), cpu.nz_,
                                 cpu.time_);
  }
  return Go(core, cpu.next_, cpu.ac(), cpu.xy(), cpu.nz_, cpu.time_);
}

template <Mapper kMapper, bool kFast>
template <bool kCalls>
void Interpreter<kMapper, kFast>::JumpNear(MachineCore* core, const Decoded* at, unsigned ac,
                                           unsigned xy, unsigned nz, std::int64_t time) {
  M& m = *static_cast<M*>(core);
  if constexpr (kCalls) {
    const unsigned sp = m.sp;
    const unsigned back = m.AddressOf(at) + 2;
    if ((sp & 0x80) == 0 || sp == 0x80) [[unlikely]]
      return Leave(core, at, ac, xy, nz, time);
    m.state.ram[sp & 0x7F] = static_cast<Byte>(back >> 8);
    m.state.ram[(sp - 1) & 0x7F] = static_cast<Byte>(back);
    m.sp = static_cast<Byte>(sp - 2);
  }
  time += kCalls ? 6 : 3;
  m.region_pc = static_cast<Address>(at->operand & ~(kRegionSize<kMapper> - 1));
  const Decoded* const target = at->Target();
  if (static_cast<std::int32_t>(time) >= m.uncounted_until) [[unlikely]]
    return LeaveAt(core, target, ac, xy, nz, time);
  return Go(core, target, ac, xy, nz, time);
}

template <Mapper kMapper, bool kFast>
template <int kCode>
void Interpreter<kMapper, kFast>::ReadTimer(MachineCore* core, const Decoded* at, unsigned ac,
                                            unsigned xy, unsigned nz, std::int64_t time) {
  constexpr Opcode kOpcode = kOpcodes[kCode];
  M& m = *static_cast<M*>(core);
  time += kOpcode.cycles;
  if (at->source != 0) {
    const std::int32_t cycles = static_cast<std::int32_t>(time);
    const std::int32_t turns = std::min(m.state.riot.Turns(cycles, at->link, at->source),
                                        (m.uncounted_until - cycles) / at->source);
    if (turns > 0) time += turns * at->source;
  }
  Interpreter<kMapper> cpu(m, 0, ac, xy, nz, time);
  const Byte value = cpu.ReadRiot(at->operand);
  if constexpr (kOpcode.operation == Operation::kLda) cpu.SetNz(cpu.a_ = value);
  if constexpr (kOpcode.operation == Operation::kLdx) cpu.SetNz(cpu.x_ = value);
  if constexpr (kOpcode.operation == Operation::kLdy) cpu.SetNz(cpu.y_ = value);
  if constexpr (kOpcode.operation == Operation::kBit) cpu.TestBits(value);
  at += Length(kOpcode.mode);
  return Go(core, at, cpu.ac(), cpu.xy(), cpu.nz_, time);
}

template <Mapper kMapper, bool kFast>
template <int kCode>
void Interpreter<kMapper, kFast>::ReadTia(MachineCore* core, const Decoded* at, unsigned ac,
                                          unsigned xy, unsigned nz, std::int64_t time) {
  constexpr Opcode kOpcode = kOpcodes[kCode];
  M& m = *static_cast<M*>(core);
  Interpreter<kMapper> cpu(m, 0, ac, xy, nz, time + kOpcode.cycles);
  const Address address = at->operand;
  const Byte bus = kOpcode.mode == Mode::kZeroPage ? static_cast<Byte>(address) : High(address);
  cpu.template PerformWith<kOpcode.operation>(cpu.ReadTia(address, bus));
  return Go(core, at + Length(kOpcode.mode), cpu.ac(), cpu.xy(), cpu.nz_, cpu.time_);
}

template <Mapper kMapper, bool kFast>
template <int kCode>
void Interpreter<kMapper, kFast>::ReadTiaIndexed(MachineCore* core, const Decoded* at, unsigned ac,
                                                 unsigned xy, unsigned nz, std::int64_t time) {
  constexpr Opcode kOpcode = kOpcodes[kCode];
  M& m = *static_cast<M*>(core);
  Interpreter<kMapper> cpu(m, 0, ac, xy, nz, time + kOpcode.cycles);
  const unsigned index = kOpcode.mode == Mode::kAbsoluteX ? cpu.x_ : cpu.y_;
  const Address address = cpu.Indexed(at->operand, index, true);
  if ((address & 0x1080) != 0) return Leave(core, at, ac, xy, nz, time);
  cpu.template PerformWith<kOpcode.operation>(cpu.ReadTia(address, High(at->operand)));
  return Go(core, at + Length(kOpcode.mode), cpu.ac(), cpu.xy(), cpu.nz_, cpu.time_);
}

template <Mapper kMapper, bool kFast>
template <int kCode>
void Interpreter<kMapper, kFast>::PushTia(MachineCore* core, const Decoded* at, unsigned ac,
                                          unsigned xy, unsigned nz, std::int64_t time) {
  constexpr Source kSource =
      kOpcodes[kCode].operation == Operation::kPha ? Source::kA : Source::kStatus;
  return TiaPush(kSource, core->sp)(core, at, ac, xy, nz, time);
}

}  // namespace engine::atari2600

#endif  // ENGINE_EMULATORS_ATARI2600_CPU_ENTRIES_H_
