// The effect of each operation of the 6507 on registers and memory, including undocumented ones.
// Part of the interpreter, see cpu.h.
#ifndef ENGINE_EMULATORS_ATARI2600_CPU_OPERATIONS_H_
#define ENGINE_EMULATORS_ATARI2600_CPU_OPERATIONS_H_

#include "engine/emulators/atari2600/cpu.h"

namespace engine::atari2600 {

template <Mapper kMapper, bool kFast>
inline void Interpreter<kMapper, kFast>::Add(unsigned value) {
  const unsigned before = a_;
  if constexpr (kFast) {
    slow_ |= m_.d != 0;  // decimal mode, which few programs use
  } else if (m_.d != 0) [[unlikely]] {
    const int sum = FromBcd(a_) + FromBcd(value) + static_cast<int>(c_);
    c_ = sum > 99;
    SetSum(before, value, ToBcd(sum));
    return;
  }
  const unsigned sum = before + value + c_;
  if constexpr (kFast) {
    if (slow_) [[unlikely]]
      return;
  }
  c_ = sum >> 8;
  SetSum(before, value, sum & 0xFF);
}

template <Mapper kMapper, bool kFast>
inline void Interpreter<kMapper, kFast>::Subtract(unsigned value) {
  if (kFast || m_.d == 0) [[likely]] {
    Add(value ^ 0xFF);
    return;
  }
  const unsigned before = a_;
  const int borrow = 1 - static_cast<int>(c_);
  int difference = FromBcd(a_) - FromBcd(value) - borrow;
  if (difference < 0) difference += 100;
  // With digits above nine the result can still be negative: ale-py then reads the byte before its
  // table.
  a_ = difference >= 0 ? ToBcd(difference)
                       : static_cast<Byte>(FromBcd(static_cast<Byte>(difference)));
  c_ = static_cast<int>(before) >= static_cast<int>(value) + borrow;
  m_.v = ((before ^ a_) & (a_ ^ value) & 0x80) != 0;
  SetNz(a_);
}

template <Mapper kMapper, bool kFast>
inline typename Interpreter<kMapper, kFast>::Byte Interpreter<kMapper, kFast>::ShiftLeft(
    unsigned value, unsigned carry_in) {
  c_ = value >> 7;
  const auto shifted = static_cast<Byte>(value << 1 | carry_in);
  SetNz(shifted);
  return shifted;
}

template <Mapper kMapper, bool kFast>
inline typename Interpreter<kMapper, kFast>::Byte Interpreter<kMapper, kFast>::ShiftRight(
    unsigned value, unsigned carry_in) {
  c_ = value & 1;
  const auto shifted = static_cast<Byte>(value >> 1 | carry_in << 7);
  SetNz(shifted);
  return shifted;
}

template <Mapper kMapper, bool kFast>
inline void Interpreter<kMapper, kFast>::RotateAnd(unsigned value) {  // ARR
  const unsigned both = a_ & value;
  const unsigned carry_in = c_;
  a_ = static_cast<Byte>(both >> 1 | carry_in << 7);
  SetNz(a_);
  if (m_.d == 0) {
    c_ = a_ >> 6 & 1;
    m_.v = (a_ >> 6 ^ a_ >> 5) & 1;
    return;
  }
  m_.v = (both ^ a_) >> 6 & 1;
  if ((both & 0x0F) + (both & 0x01) > 0x05) a_ = (a_ & 0xF0) | ((a_ + 0x06) & 0x0F);
  c_ = (both & 0xF0) + (both & 0x10) > 0x50;
  if (c_ != 0) a_ = (a_ + 0x60) & 0xFF;
}

template <Mapper kMapper, bool kFast>
inline void Interpreter<kMapper, kFast>::Break() {
  Fetch();
  Push(High(pc_));
  Push(static_cast<Byte>(pc_), false);
  Push(Status(), false);
  m_.i = 1;
  const Byte low = Read(0xFFFE, 0);
  pc_ = static_cast<Address>(low | Read(0xFFFF, low) << 8);
}

template <Mapper kMapper, bool kFast>
inline void Interpreter<kMapper, kFast>::Call() {
  const Byte low = Fetch();
  Push(High(pc_));
  Push(static_cast<Byte>(pc_), false);
  pc_ = static_cast<Address>(low | Fetch() << 8);
}

template <Mapper kMapper, bool kFast>
inline void Interpreter<kMapper, kFast>::Return() {
  const Byte low = PullFirst<Operation::kRts>();
  pc_ = static_cast<Address>(low | Pull(low) << 8);
  Fetch();
}

template <Mapper kMapper, bool kFast>
inline void Interpreter<kMapper, kFast>::ReturnFromInterrupt() {
  const Byte status = PullFirst<Operation::kRti>();
  SetStatus(status);
  const Byte low = Pull(status);
  pc_ = static_cast<Address>(low | Pull(low) << 8);
}

template <Mapper kMapper, bool kFast>
inline void Interpreter<kMapper, kFast>::JumpIndirect() {
  const Address at = FetchAddress();
  const Byte low = Read(at, High(at));
  // The carry into the high byte is lost, and so is the low byte.
  const auto next = static_cast<Address>((at & 0xFF) == 0xFF ? at & 0xFF00 : at + 1);
  pc_ = static_cast<Address>(low | Read(next, low) << 8);
}

template <Mapper kMapper, bool kFast>
template <Operation kOperation>
inline void Interpreter<kMapper, kFast>::FastStack() {
  std::uint8_t* const ram = m_.state.ram;
  const Byte sp = m_.sp;
  if constexpr (kOperation == Operation::kJsr) {
    const Address back = static_cast<Address>(m_.AddressOf(at_) + 2);
    slow_ |= (sp & 0x80) == 0 || sp == 0x80;
    if (slow_) return;
    ram[sp & 0x7F] = High(back);
    ram[(sp - 1) & 0x7F] = static_cast<Byte>(back);
    m_.sp = static_cast<Byte>(sp - 2);
    pc_ = at_->operand;
  } else if constexpr (kOperation == Operation::kRts) {
    const Address back = static_cast<Address>(ram[(sp + 1) & 0x7F] | ram[(sp + 2) & 0x7F] << 8);
    slow_ |= sp < 0x7F || sp >= 0xFE || !m_.cartridge.Plain(back);
    if (slow_) return;
    m_.sp = static_cast<Byte>(sp + 2);
    pc_ = static_cast<Address>(back + 1);
  } else if constexpr (kOperation == Operation::kPla || kOperation == Operation::kPlp) {
    slow_ |= sp < 0x7F || sp == 0xFF;
    if (slow_) return;
    const Byte value = ram[(sp + 1) & 0x7F];
    ++m_.sp;
    if constexpr (kOperation == Operation::kPla) {
      SetNz(a_ = value);
    } else {
      SetStatus(value);
    }
  } else if constexpr (kOperation == Operation::kPha || kOperation == Operation::kPhp) {
    slow_ |= (sp & 0x80) == 0;
    if (slow_) return;
    ram[sp & 0x7F] = kOperation == Operation::kPha ? static_cast<Byte>(a_) : Status();
    m_.sp = static_cast<Byte>(sp - 1);
  } else {
    slow_ = true;
  }
}

template <Mapper kMapper, bool kFast>
template <Operation kOperation, Mode kMode>
inline void Interpreter<kMapper, kFast>::Perform() {
  using enum Operation;
  // Rare, and has intermediate effects.
  constexpr bool kOnlySlow = kOperation == kBrk || kOperation == kJsr || kOperation == kRts ||
                             kOperation == kRti || kOperation == kPla || kOperation == kPlp ||
                             kOperation == kPha || kOperation == kPhp || kOperation == kRra ||
                             kOperation == kIsb || kOperation == kJam || kOperation == kShs ||
                             kOperation == kLas;
  if constexpr (kFast && kOnlySlow) {
    FastStack<kOperation>();
    return;
  } else {
    PerformAny<kOperation, kMode>();
  }
}

// A read of a table in ROM.
template <Mapper kMapper, bool kFast>
template <Operation kOperation, Mode kMode>
inline void Interpreter<kMapper, kFast>::PerformTable() {
  const unsigned index = kMode == Mode::kAbsoluteX ? x_ : y_;
  const unsigned base = at_->operand;
  time_ += ((base & 0xFF) + index) >> 8;
  PerformWith<kOperation>(m_.cartridge.Bank()[base + index]);
}

// Instructions that read their operand and do nothing else.
template <Mapper kMapper, bool kFast>
template <Operation kOperation>
inline void Interpreter<kMapper, kFast>::PerformWith(unsigned value) {
  using enum Operation;
  // clang-format off
  if constexpr (kOperation == kLda) { SetNz(a_ = value); }
  else if constexpr (kOperation == kLdx) { SetNz(x_ = value); }
  else if constexpr (kOperation == kLdy) { SetNz(y_ = value); }
  else if constexpr (kOperation == kAdc) { Add(value); }
  else if constexpr (kOperation == kSbc) { Subtract(value); }
  else if constexpr (kOperation == kAnd) { SetNz(a_ &= value); }
  else if constexpr (kOperation == kOra) { SetNz(a_ |= value); }
  else if constexpr (kOperation == kEor) { SetNz(a_ ^= value); }
  else if constexpr (kOperation == kCmp) { Compare(a_, value); }
  else if constexpr (kOperation == kCpx) { Compare(x_, value); }
  else if constexpr (kOperation == kCpy) { Compare(y_, value); }
  else { static_assert(kOperation == kBit); TestBits(value); }
  // clang-format on
}

template <Mapper kMapper, bool kFast>
template <Operation kOperation, Mode kMode>
inline void Interpreter<kMapper, kFast>::PerformAny() {
  using enum Operation;
  // clang-format off
  // Loads and stores.
  if constexpr (kOperation == kLda) { SetNz(a_ = Operand<kMode>()); }
  else if constexpr (kOperation == kLdx) { SetNz(x_ = Operand<kMode>()); }
  else if constexpr (kOperation == kLdy) { SetNz(y_ = Operand<kMode>()); }
  else if constexpr (kOperation == kLax) { SetNz(a_ = x_ = Operand<kMode>()); }
  else if constexpr (kOperation == kSta) { Store<kMode>(a_); }
  else if constexpr (kOperation == kStx) { Store<kMode>(x_); }
  else if constexpr (kOperation == kSty) { Store<kMode>(y_); }
  else if constexpr (kOperation == kSax) { Store<kMode>(a_ & x_); }
  // Registers.
  else if constexpr (kOperation == kTax) { SetNz(x_ = a_); }
  else if constexpr (kOperation == kTay) { SetNz(y_ = a_); }
  else if constexpr (kOperation == kTxa) { SetNz(a_ = x_); }
  else if constexpr (kOperation == kTya) { SetNz(a_ = y_); }
  else if constexpr (kOperation == kTsx) { SetNz(x_ = m_.sp); }
  else if constexpr (kOperation == kTxs) { m_.sp = static_cast<Byte>(x_); }
  else if constexpr (kOperation == kInx) { SetNz(x_ = (x_ + 1) & 0xFF); }
  else if constexpr (kOperation == kIny) { SetNz(y_ = (y_ + 1) & 0xFF); }
  else if constexpr (kOperation == kDex) { SetNz(x_ = (x_ - 1) & 0xFF); }
  else if constexpr (kOperation == kDey) { SetNz(y_ = (y_ - 1) & 0xFF); }
  // Arithmetic and logic.
  else if constexpr (kOperation == kAdc) { Add(Operand<kMode>()); }
  else if constexpr (kOperation == kSbc) { Subtract(Operand<kMode>()); }
  else if constexpr (kOperation == kAnd) { SetNz(a_ &= Operand<kMode>()); }
  else if constexpr (kOperation == kOra) { SetNz(a_ |= Operand<kMode>()); }
  else if constexpr (kOperation == kEor) { SetNz(a_ ^= Operand<kMode>()); }
  else if constexpr (kOperation == kCmp) { Compare(a_, Operand<kMode>()); }
  else if constexpr (kOperation == kCpx) { Compare(x_, Operand<kMode>()); }
  else if constexpr (kOperation == kCpy) { Compare(y_, Operand<kMode>()); }
  else if constexpr (kOperation == kBit) { TestBits(Operand<kMode>()); }
  // Memory in place.
  else if constexpr (kOperation == kInc) { SetNz(Modify<kMode>([](Byte value) { return static_cast<Byte>(value + 1); })); }
  else if constexpr (kOperation == kDec) { SetNz(Modify<kMode>([](Byte value) { return static_cast<Byte>(value - 1); })); }
  else if constexpr (kOperation == kAsl || kOperation == kLsr || kOperation == kRol || kOperation == kRor) {
    const auto change = [this](Byte value) {
      const unsigned carry_in = kOperation == kRol || kOperation == kRor ? c_ : 0u;
      return kOperation == kAsl || kOperation == kRol ? ShiftLeft(value, carry_in) : ShiftRight(value, carry_in);
    };
    if constexpr (kMode == Mode::kAccumulator) { a_ = change(static_cast<Byte>(a_)); } else { Modify<kMode>(change); }
  }
  // Jumps, branches, the stack.
  else if constexpr (kOperation == kJmp && kMode == Mode::kAbsolute) { pc_ = FetchAddress(); }
  else if constexpr (kOperation == kJmp) { JumpIndirect(); }
  else if constexpr (kOperation == kJsr) { Call(); }
  else if constexpr (kOperation == kRts) { Return(); }
  else if constexpr (kOperation == kRti) { ReturnFromInterrupt(); }
  else if constexpr (kOperation == kBrk) { Break(); }
  else if constexpr (kOperation == kBcc) { Branch(c_ == 0); }
  else if constexpr (kOperation == kBcs) { Branch(c_ != 0); }
  else if constexpr (kOperation == kBne) { Branch(!zero()); }
  else if constexpr (kOperation == kBeq) { Branch(zero()); }
  else if constexpr (kOperation == kBpl) { Branch(!negative()); }
  else if constexpr (kOperation == kBmi) { Branch(negative()); }
  else if constexpr (kOperation == kBvc) { Branch(m_.v == 0); }
  else if constexpr (kOperation == kBvs) { Branch(m_.v != 0); }
  else if constexpr (kOperation == kPha) { Push(static_cast<Byte>(a_)); }
  else if constexpr (kOperation == kPhp) { Push(Status()); }
  else if constexpr (kOperation == kPla) { SetNz(a_ = PullFirst<kPla>()); }
  else if constexpr (kOperation == kPlp) { SetStatus(PullFirst<kPlp>()); }
  // Flags.
  else if constexpr (kOperation == kClc) { c_ = 0; }
  else if constexpr (kOperation == kSec) { c_ = 1; }
  else if constexpr (kOperation == kCld) { m_.d = 0; }
  else if constexpr (kOperation == kSed) { m_.d = 1; }
  else if constexpr (kOperation == kCli) { m_.i = 0; }
  else if constexpr (kOperation == kSei) { m_.i = 1; }
  else if constexpr (kOperation == kClv) { m_.v = 0; }
  // Undocumented operations.
  else if constexpr (kOperation == kNop) {
    if constexpr (kMode != Mode::kImplied) static_cast<void>(Operand<kMode>());
  }
  else if constexpr (kOperation == kDcp) { Compare(a_, Modify<kMode>([](Byte value) { return static_cast<Byte>(value - 1); })); }
  else if constexpr (kOperation == kIsb) { Subtract(Modify<kMode>([](Byte value) { return static_cast<Byte>(value + 1); })); }
  else if constexpr (kOperation == kSlo) { SetNz(a_ |= Modify<kMode>([this](Byte value) { return ShiftLeft(value, 0); })); }
  else if constexpr (kOperation == kSre) { SetNz(a_ ^= Modify<kMode>([this](Byte value) { return ShiftRight(value, 0); })); }
  else if constexpr (kOperation == kRla) { SetNz(a_ &= Modify<kMode>([this](Byte value) { return ShiftLeft(value, c_); })); }
  else if constexpr (kOperation == kRra) { Add(Modify<kMode>([this](Byte value) { return ShiftRight(value, c_); })); }
  else if constexpr (kOperation == kAnc) { SetNz(a_ &= Operand<kMode>()); c_ = a_ >> 7; }
  else if constexpr (kOperation == kAsr) { a_ = ShiftRight(a_ & Operand<kMode>(), 0); }
  else if constexpr (kOperation == kArr) { RotateAnd(Operand<kMode>()); }
  else if constexpr (kOperation == kAne) { SetNz(a_ = (a_ | 0xEE) & x_ & Operand<kMode>()); }
  else if constexpr (kOperation == kLxa) { SetNz(a_ = x_ = (a_ | 0xEE) & Operand<kMode>()); }
  else if constexpr (kOperation == kLas) { SetNz(a_ = x_ = m_.sp = m_.sp & Operand<kMode>()); }
  else if constexpr (kOperation == kSbx) {
    const Byte value = Operand<kMode>();
    const unsigned both = a_ & x_;
    SetNz(x_ = (both - value) & 0xFF);
    c_ = both >= value;
  }
  else if constexpr (kOperation == kSha) { StoreAnded<kMode>(a_ & x_); }
  else if constexpr (kOperation == kShx) { StoreAnded<kMode>(x_); }
  else if constexpr (kOperation == kShy) { StoreAnded<kMode>(y_); }
  else if constexpr (kOperation == kShs) { m_.sp = static_cast<Byte>(a_ & x_); StoreAnded<kMode>(m_.sp); }
  else {
    static_assert(kOperation == kJam);
    --pc_;
    End(RunEnd::kJammed);
  }
  // clang-format on
}

}  // namespace engine::atari2600

#endif  // ENGINE_EMULATORS_ATARI2600_CPU_OPERATIONS_H_
