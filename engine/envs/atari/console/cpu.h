// The 6507: an interpreter compiled once for each mapper, with the whole machine
// around it inlined where it is cheap (memory, ROM) and called where it is not
// (TIA, timer). Registers live in local variables while it runs. Cycles are
// counted and the buses touched as in ale-py 0.12.1's fast processor: the cycles
// of an instruction come before its accesses, and modifying instructions write
// once. Used by console.cc.
#ifndef ENGINE_ENVS_ATARI_CONSOLE_CPU_H_
#define ENGINE_ENVS_ATARI_CONSOLE_CPU_H_

#include <cstdint>

#include "engine/envs/atari/console/cartridge.h"
#include "engine/envs/atari/console/console.h"
#include "engine/envs/atari/console/console_state.h"
#include "engine/envs/atari/console/opcodes.h"
#include "engine/envs/atari/console/picture.h"

namespace engine::atari {

template <Mapper kMapper>
class Interpreter {
 public:
  Interpreter(const Cartridge& cartridge, ConsoleState& state, Picture& picture)
      : cartridge_(cartridge, state.cartridge), state_(state), picture_(picture) {
    const CpuState& cpu = state.cpu;
    a_ = cpu.a;
    x_ = cpu.x;
    y_ = cpu.y;
    sp_ = cpu.sp;
    pc_ = cpu.pc;
    cycles_ = state.cycles;
    SetStatus(cpu.status);
  }

  // Runs at most `instructions`, at least one.
  [[gnu::always_inline]] RunEnd Run(int instructions) {
    left_ = instructions;
    do {
      switch (Fetch()) {
#include "engine/envs/atari/console/dispatch.inc"
      }
    } while (--left_ > 0);
    CpuState& cpu = state_.cpu;
    cpu.a = a_;
    cpu.x = x_;
    cpu.y = y_;
    cpu.sp = sp_;
    cpu.pc = pc_;
    cpu.status = Status();
    state_.cycles = cycles_;
    return end_;
  }

  // Loads the program counter from the reset vector.
  void Reset() {
    const std::uint8_t low = Read(0xFFFC, 0);
    state_.cpu.pc = static_cast<std::uint16_t>(low | Read(0xFFFD, low) << 8);
  }

 private:
  using Byte = std::uint8_t;
  using Address = std::uint16_t;

  // The address space. `bus` is the byte last seen on the data bus, part of which a read of the TIA
  // gives back.
  [[gnu::always_inline]] Byte Read(Address address, Byte bus) {
    if ((address & 0x1000) != 0) [[likely]]
      return cartridge_.Read(address, cycles_);
    if ((address & 0x80) == 0) return ReadTia(address, bus);
    if ((address & 0x200) == 0) return state_.ram[address & 0x7F];
    return ReadRiot(address);
  }
  [[gnu::always_inline]] Byte ReadZero(Byte address, Byte bus) {
    return (address & 0x80) != 0 ? state_.ram[address & 0x7F] : ReadTia(address, bus);
  }
  [[gnu::always_inline]] void Write(Address address, Byte value) {
    if ((address & 0x1000) != 0) {
      cartridge_.Write(address, value);
    } else if ((address & 0x80) == 0) {
      WriteTia(address, value, /*after_read=*/true);
    } else if ((address & 0x200) == 0) {
      state_.ram[address & 0x7F] = value;
    } else {
      state_.riot.Write(address, value, cycles_);
    }
  }
  [[gnu::always_inline]] void WriteZero(Byte address, Byte value, bool after_read = true) {
    if ((address & 0x80) != 0) {
      state_.ram[address & 0x7F] = value;
    } else {
      WriteTia(address, value, after_read);
    }
  }
  [[gnu::always_inline]] Byte ReadTia(Address address, Byte bus) {
    return state_.tia.Read(address & 0x0F, bus, cycles_, state_.inputs.tia, picture_);
  }
  [[gnu::always_inline]] Byte ReadRiot(Address address) {
    return state_.riot.Read(address, cycles_, state_.inputs.riot);
  }
  // The processor halts at WSYNC until the line ends, unless the access before was a write too.
  [[gnu::always_inline]] void WriteTia(Address address, Byte value, bool after_read) {
    constexpr int kWsync = 0x02;
    const int index = address & 0x3F;
    const bool ends = state_.tia.Write(index, value, cycles_, picture_);
    if (index == kWsync && after_read) cycles_ = state_.tia.LineEnd(cycles_);
    if (ends) {
      end_ = RunEnd::kFrame;
      left_ = 1;
    }
  }

  [[gnu::always_inline]] Byte Fetch() { return Read(pc_++, 0); }
  [[gnu::always_inline]] Address FetchAddress() {
    const Byte low = Fetch();
    return static_cast<Address>(low | Fetch() << 8);
  }
  // The stack's page mirrors the zero page.
  [[gnu::always_inline]] void Push(Byte value, bool after_read = true) {
    WriteZero(sp_--, value, after_read);
  }
  [[gnu::always_inline]] Byte Pull(Byte bus) { return ReadZero(++sp_, bus); }
  // The first byte that an instruction pulls: it reads the top of the stack before, which stands on
  // the bus when a stack that has left memory reaches the TIA.
  template <Operation kOperation>
  [[gnu::always_inline]] Byte PullFirst() {
    if ((++sp_ & 0x80) != 0) [[likely]]
      return state_.ram[sp_ & 0x7F];
    constexpr Byte kCode = OpcodeOf(kOperation);
    return ReadTia(sp_, ReadZero(static_cast<Byte>(sp_ - 1), kCode));
  }
  static Byte High(Address address) { return static_cast<Byte>(address >> 8); }

  [[gnu::always_inline]] Address Indexed(Address base, Byte index, bool may_cost) {
    const auto address = static_cast<Address>(base + index);
    if (may_cost && ((base ^ address) & 0xFF00) != 0) ++cycles_;
    return address;
  }
  // A pointer at 0xFF has its high byte at 0x100: the zero page does not wrap here.
  [[gnu::always_inline]] Address Pointer(Byte at) {
    const Byte low = ReadZero(at, at);
    const Byte high = at == 0xFF ? ReadTia(0x100, low) : ReadZero(static_cast<Byte>(at + 1), low);
    return static_cast<Address>(low | high << 8);
  }

  // The address of an instruction's operand; reads (not writes) across a page take a cycle more.
  template <Mode kMode, bool kReads>
  [[gnu::always_inline]] Address OperandAddress() {
    if constexpr (kMode == Mode::kZeroPage) {
      return Fetch();
    } else if constexpr (kMode == Mode::kZeroPageX) {
      return static_cast<Byte>(Fetch() + x_);
    } else if constexpr (kMode == Mode::kZeroPageY) {
      return static_cast<Byte>(Fetch() + y_);
    } else if constexpr (kMode == Mode::kAbsolute) {
      return FetchAddress();
    } else if constexpr (kMode == Mode::kAbsoluteX) {
      return Indexed(FetchAddress(), x_, kReads);
    } else if constexpr (kMode == Mode::kAbsoluteY) {
      return Indexed(FetchAddress(), y_, kReads);
    } else if constexpr (kMode == Mode::kIndirectX) {
      return Pointer(static_cast<Byte>(Fetch() + x_));
    } else {
      static_assert(kMode == Mode::kIndirectY);
      return Indexed(Pointer(Fetch()), y_, kReads);
    }
  }
  static constexpr bool IsZeroPage(Mode mode) {
    return mode == Mode::kZeroPage || mode == Mode::kZeroPageX || mode == Mode::kZeroPageY;
  }

  template <Mode kMode, bool kReads = true>
  [[gnu::always_inline]] Byte Operand() {
    if constexpr (kMode == Mode::kImmediate) {
      return Fetch();
    } else if constexpr (kMode == Mode::kZeroPage) {
      const Byte address = Fetch();
      return ReadZero(address, address);
    } else if constexpr (IsZeroPage(kMode)) {
      const Byte base = Fetch();
      return ReadZero(static_cast<Byte>(base + (kMode == Mode::kZeroPageX ? x_ : y_)), base);
    } else if constexpr (kMode == Mode::kAbsoluteX || kMode == Mode::kAbsoluteY) {
      const Address base = FetchAddress();
      return Read(Indexed(base, kMode == Mode::kAbsoluteX ? x_ : y_, kReads), High(base));
    } else if constexpr (kMode == Mode::kIndirectY) {
      const Address base = Pointer(Fetch());
      return Read(Indexed(base, y_, kReads), High(base));
    } else {
      const Address address = OperandAddress<kMode, kReads>();
      return Read(address, High(address));
    }
  }
  template <Mode kMode>
  [[gnu::always_inline]] void Store(Byte value) {
    const Address address = OperandAddress<kMode, false>();
    if constexpr (IsZeroPage(kMode)) {
      WriteZero(static_cast<Byte>(address), value);
    } else {
      Write(address, value);
    }
  }
  // Reads, changes and writes; gives what was written.
  template <Mode kMode, typename Change>
  [[gnu::always_inline]] Byte Modify(Change change) {
    if constexpr (IsZeroPage(kMode)) {
      const Byte base = Fetch();
      const auto address = static_cast<Byte>(kMode == Mode::kZeroPageX ? base + x_ : base);
      const Byte value = change(ReadZero(address, base));
      WriteZero(address, value);
      return value;
    } else {
      const Address address = OperandAddress<kMode, false>();
      // An address that was indexed last stood on the bus without its index; its high byte reaches
      // the TIA's unconnected bits only when no page was crossed.
      const Byte value = change(Read(address, High(address)));
      Write(address, value);
      return value;
    }
  }

  [[gnu::always_inline]] void SetNz(Byte value) { n_ = z_ = value; }
  [[gnu::always_inline]] Byte Status() const {
    return static_cast<Byte>((n_ & 0x80) | v_ << 6 | 0x30 | d_ << 3 | i_ << 2 |
                             (z_ == 0 ? 0x02 : 0) | c_);
  }
  [[gnu::always_inline]] void SetStatus(Byte status) {
    n_ = status;
    v_ = status >> 6 & 1;
    d_ = status >> 3 & 1;
    i_ = status >> 2 & 1;
    z_ = (status & 0x02) != 0 ? 0 : 1;
    c_ = status & 1;
  }

  [[gnu::always_inline]] void Branch(bool taken) {
    const auto offset = static_cast<std::int8_t>(Fetch());
    if (taken) {
      const auto target = static_cast<Address>(pc_ + offset);
      cycles_ += ((pc_ ^ target) & 0xFF00) != 0 ? 2 : 1;
      pc_ = target;
    }
  }
  [[gnu::always_inline]] void Compare(Byte reg, Byte value) {
    SetNz(static_cast<Byte>(reg - value));
    c_ = reg >= value;
  }

  static constexpr int FromBcd(Byte value) { return (value >> 4) * 10 + (value & 0x0F); }
  static constexpr Byte ToBcd(int value) {
    const int low = value & 0xFF;
    return static_cast<Byte>((low % 100 / 10) << 4 | low % 10);
  }
  [[gnu::always_inline]] void Add(Byte value) {
    const Byte before = a_;
    if (d_ != 0) [[unlikely]] {
      const int sum = FromBcd(a_) + FromBcd(value) + c_;
      c_ = sum > 99;
      a_ = ToBcd(sum);
    } else {
      const int sum = a_ + value + c_;
      c_ = sum > 0xFF;
      a_ = static_cast<Byte>(sum);
    }
    v_ = ((before ^ a_) & (a_ ^ value) & 0x80) != 0;
    SetNz(a_);
  }
  [[gnu::always_inline]] void Subtract(Byte value) {
    if (d_ == 0) [[likely]] {
      Add(static_cast<Byte>(~value));
      return;
    }
    const Byte before = a_;
    const int borrow = 1 - c_;
    int difference = FromBcd(a_) - FromBcd(value) - borrow;
    if (difference < 0) difference += 100;
    a_ = ToBcd(difference);
    c_ = before >= value + borrow;
    v_ = ((before ^ a_) & (a_ ^ value) & 0x80) != 0;
    SetNz(a_);
  }
  [[gnu::always_inline]] Byte ShiftLeft(Byte value, int carry_in) {
    c_ = value >> 7;
    const auto shifted = static_cast<Byte>(value << 1 | carry_in);
    SetNz(shifted);
    return shifted;
  }
  [[gnu::always_inline]] Byte ShiftRight(Byte value, int carry_in) {
    c_ = value & 1;
    const auto shifted = static_cast<Byte>(value >> 1 | carry_in << 7);
    SetNz(shifted);
    return shifted;
  }
  [[gnu::always_inline]] void RotateAnd(Byte value) {  // ARR
    const auto both = static_cast<Byte>(a_ & value);
    const int carry_in = c_;
    a_ = static_cast<Byte>(both >> 1 | carry_in << 7);
    SetNz(a_);
    if (d_ == 0) {
      c_ = a_ >> 6 & 1;
      v_ = (a_ >> 6 ^ a_ >> 5) & 1;
      return;
    }
    n_ = static_cast<Byte>(carry_in << 7);
    v_ = (both ^ a_) >> 6 & 1;
    if ((both & 0x0F) + (both & 0x01) > 0x05) a_ = (a_ & 0xF0) | ((a_ + 0x06) & 0x0F);
    c_ = (both & 0xF0) + (both & 0x10) > 0x50;
    if (c_ != 0) a_ = static_cast<Byte>(a_ + 0x60);
  }
  // What the instructions store that combine registers with the address's high byte.
  template <Mode kMode>
  [[gnu::always_inline]] void StoreAnded(Byte value) {
    const Address address = OperandAddress<kMode, false>();
    Write(address, static_cast<Byte>(value & (High(address) + 1)));
  }

  // Operations that use the stack or set the program counter.
  [[gnu::always_inline]] void Break() {
    Fetch();
    Push(High(pc_));
    Push(static_cast<Byte>(pc_), false);
    Push(Status(), false);
    i_ = 1;
    const Byte low = Read(0xFFFE, 0);
    pc_ = static_cast<Address>(low | Read(0xFFFF, low) << 8);
  }
  [[gnu::always_inline]] void Call() {
    const Byte low = Fetch();
    Push(High(pc_));
    Push(static_cast<Byte>(pc_), false);
    pc_ = static_cast<Address>(low | Fetch() << 8);
  }
  [[gnu::always_inline]] void Return() {
    const Byte low = PullFirst<Operation::kRts>();
    pc_ = static_cast<Address>(low | Pull(low) << 8);
    Fetch();
  }
  [[gnu::always_inline]] void ReturnFromInterrupt() {
    const Byte status = PullFirst<Operation::kRti>();
    SetStatus(status);
    const Byte low = Pull(status);
    pc_ = static_cast<Address>(low | Pull(low) << 8);
  }
  [[gnu::always_inline]] void JumpIndirect() {
    const Address at = FetchAddress();
    const Byte low = Read(at, High(at));
    // The carry into the high byte is lost, and the low byte with it.
    const auto next =
        static_cast<Address>((at & 0xFF) == 0xFF ? at & 0xFF00 : at + 1);
    pc_ = static_cast<Address>(low | Read(next, low) << 8);
  }

  template <int kCode>
  [[gnu::always_inline]] void Execute() {
    constexpr Opcode kOpcode = kOpcodes[kCode];
    cycles_ += kOpcode.cycles;
    Perform<kOpcode.operation, kOpcode.mode>();
  }

  template <Operation kOperation, Mode kMode>
  [[gnu::always_inline]] inline void Perform();

  MappedCartridge<kMapper> cartridge_;
  ConsoleState& state_;
  Picture& picture_;
  Byte a_, x_, y_, sp_;
  Address pc_;
  Byte n_;  // bit 7 is the flag N
  Byte z_;  // zero if the flag Z is set
  int c_, v_, d_, i_;
  std::int32_t cycles_;
  std::int32_t left_ = 0;
  RunEnd end_ = RunEnd::kInstructions;
};

template <Mapper kMapper>
template <Operation kOperation, Mode kMode>
inline void Interpreter<kMapper>::Perform() {
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
  else if constexpr (kOperation == kTsx) { SetNz(x_ = sp_); }
  else if constexpr (kOperation == kTxs) { sp_ = x_; }
  else if constexpr (kOperation == kInx) { SetNz(++x_); }
  else if constexpr (kOperation == kIny) { SetNz(++y_); }
  else if constexpr (kOperation == kDex) { SetNz(--x_); }
  else if constexpr (kOperation == kDey) { SetNz(--y_); }
  // Arithmetic and logic.
  else if constexpr (kOperation == kAdc) { Add(Operand<kMode>()); }
  else if constexpr (kOperation == kSbc) { Subtract(Operand<kMode>()); }
  else if constexpr (kOperation == kAnd) { SetNz(a_ &= Operand<kMode>()); }
  else if constexpr (kOperation == kOra) { SetNz(a_ |= Operand<kMode>()); }
  else if constexpr (kOperation == kEor) { SetNz(a_ ^= Operand<kMode>()); }
  else if constexpr (kOperation == kCmp) { Compare(a_, Operand<kMode>()); }
  else if constexpr (kOperation == kCpx) { Compare(x_, Operand<kMode>()); }
  else if constexpr (kOperation == kCpy) { Compare(y_, Operand<kMode>()); }
  else if constexpr (kOperation == kBit) {
    const Byte value = Operand<kMode>();
    n_ = value;
    v_ = value >> 6 & 1;
    z_ = a_ & value;
  }
  // Memory in place.
  else if constexpr (kOperation == kInc) { SetNz(Modify<kMode>([](Byte value) { return static_cast<Byte>(value + 1); })); }
  else if constexpr (kOperation == kDec) { SetNz(Modify<kMode>([](Byte value) { return static_cast<Byte>(value - 1); })); }
  else if constexpr (kOperation == kAsl || kOperation == kLsr || kOperation == kRol || kOperation == kRor) {
    const auto change = [this](Byte value) {
      const int carry_in = kOperation == kRol || kOperation == kRor ? c_ : 0;
      return kOperation == kAsl || kOperation == kRol ? ShiftLeft(value, carry_in) : ShiftRight(value, carry_in);
    };
    if constexpr (kMode == Mode::kAccumulator) { a_ = change(a_); } else { Modify<kMode>(change); }
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
  else if constexpr (kOperation == kBne) { Branch(z_ != 0); }
  else if constexpr (kOperation == kBeq) { Branch(z_ == 0); }
  else if constexpr (kOperation == kBpl) { Branch((n_ & 0x80) == 0); }
  else if constexpr (kOperation == kBmi) { Branch((n_ & 0x80) != 0); }
  else if constexpr (kOperation == kBvc) { Branch(v_ == 0); }
  else if constexpr (kOperation == kBvs) { Branch(v_ != 0); }
  else if constexpr (kOperation == kPha) { Push(a_); }
  else if constexpr (kOperation == kPhp) { Push(Status()); }
  else if constexpr (kOperation == kPla) { SetNz(a_ = PullFirst<kPla>()); }
  else if constexpr (kOperation == kPlp) { SetStatus(PullFirst<kPlp>()); }
  // Flags.
  else if constexpr (kOperation == kClc) { c_ = 0; }
  else if constexpr (kOperation == kSec) { c_ = 1; }
  else if constexpr (kOperation == kCld) { d_ = 0; }
  else if constexpr (kOperation == kSed) { d_ = 1; }
  else if constexpr (kOperation == kCli) { i_ = 0; }
  else if constexpr (kOperation == kSei) { i_ = 1; }
  else if constexpr (kOperation == kClv) { v_ = 0; }
  // What no manual lists.
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
  else if constexpr (kOperation == kLas) { SetNz(a_ = x_ = sp_ = sp_ & Operand<kMode>()); }
  else if constexpr (kOperation == kSbx) {
    const Byte value = Operand<kMode>();
    const Byte both = a_ & x_;
    SetNz(x_ = static_cast<Byte>(both - value));
    c_ = both >= value;
  }
  else if constexpr (kOperation == kSha) { StoreAnded<kMode>(a_ & x_); }
  else if constexpr (kOperation == kShx) { StoreAnded<kMode>(x_); }
  else if constexpr (kOperation == kShy) { StoreAnded<kMode>(y_); }
  else if constexpr (kOperation == kShs) { sp_ = a_ & x_; StoreAnded<kMode>(sp_); }
  else {
    static_assert(kOperation == kJam);
    --pc_;
    end_ = RunEnd::kJammed;
    left_ = 1;
  }
  // clang-format on
}

}  // namespace engine::atari

#endif  // ENGINE_ENVS_ATARI_CONSOLE_CPU_H_
