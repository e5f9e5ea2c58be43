// The 6507: an interpreter compiled once for each mapper, with the whole machine
// around it inlined where it is cheap (memory, ROM) and called where it is not
// (TIA, timer). Cycles are counted and the buses touched as in ale-py 0.12.1's
// fast processor: the cycles of an instruction come before its accesses, and
// modifying instructions write once. What the operations do is in
// cpu_operations.h, how a ROM becomes a program in cpu_decode.h. Used by
// machine.cc.in on one thread at a time.
#ifndef ENGINE_ENVS_ATARI_CONSOLE_CPU_H_
#define ENGINE_ENVS_ATARI_CONSOLE_CPU_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "engine/envs/atari/console/cartridge.h"
#include "engine/envs/atari/console/console.h"
#include "engine/envs/atari/console/console_state.h"
#include "engine/envs/atari/console/opcodes.h"
#include "engine/envs/atari/console/picture.h"
#include "engine/envs/atari/console/program.h"
#include "engine/envs/atari/console/tia_write.h"

namespace engine::atari {

// Whether the compiler makes jumps of calls that end a function. Where it does not, every
// instruction returns and a loop calls the next one.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__OPTIMIZE__)
inline constexpr bool kCallsAreJumps = false;
#else
inline constexpr bool kCallsAreJumps = true;
#endif

// What the instructions share: the registers that few of them use, and the machine around.
template <Mapper kMapper>
struct Machine {
  Machine(const Cartridge& with_cartridge, ConsoleState& with_state, Picture& with_picture)
      : cartridge(with_cartridge, with_state.cartridge), state(with_state), picture(with_picture) {}

  MappedCartridge<kMapper> cartridge;
  ConsoleState& state;
  Picture& picture;
  // The part of the decoded program that runs, and the address of its first byte.
  const Decoded* region = nullptr;
  std::uint16_t region_pc = 0;
  std::uint8_t sp = 0;
  std::uint8_t v = 0;  // flags, 0 or 1
  std::uint8_t d = 0;
  std::uint8_t i = 0;
  RunEnd end = RunEnd::kInstructions;
  // Where a loop goes on that calls the instructions one by one: in the decoded program, or at pc.
  struct Next {
    bool pending = false;
    const Decoded* at = nullptr;
    unsigned pc = 0;
    unsigned a = 0;
    unsigned xy = 0;
    unsigned nzc = 0;
    std::int64_t time = 0;
  };
  Next next;
};

// The registers while instructions run. Every opcode is a function that takes them as arguments,
// in registers of the host, and goes on to the next instruction's with a jump (a call that the
// compiler makes one): no loop, no common dispatch that every instruction passes.
//
// There are two of each. The fast one runs the decoded program (see program.h): it only knows
// memory and ROM and calls nothing, so that it needs no stack; when it meets anything else (a
// register, a hot spot of the mapper) it has changed nothing yet and leaves the instruction to the
// other one, which fetches it from where the processor would and knows everything.
template <Mapper kMapper, bool kFast = false>
class Interpreter {
 public:
  // Runs at most `instructions`, at least one.
  static RunEnd Run(const Cartridge& cartridge, ConsoleState& state, Picture& picture,
                    int instructions) {
    Machine<kMapper> machine(cartridge, state, picture);
    Interpreter cpu(machine, instructions);
    Continue(machine, cpu.pc_, cpu.a_, cpu.xy(), cpu.nzc(), cpu.time_);
    while (machine.next.pending) {
      const typename M::Next next = std::exchange(machine.next, {});
      if (next.at != nullptr) {
        next.at->run(&machine, next.at, next.a, next.xy, next.nzc, next.time);
      } else {
        FetchNext(machine, next.pc, next.a, next.xy, next.nzc, next.time);
      }
    }
    return machine.end;
  }

  // Loads the program counter from the reset vector.
  static void Reset(const Cartridge& cartridge, ConsoleState& state, Picture& picture) {
    Machine<kMapper> machine(cartridge, state, picture);
    Interpreter cpu(machine, 1);
    const Byte low = cpu.Read(0xFFFC, 0);
    cpu.pc_ = static_cast<Address>(low | cpu.Read(0xFFFD, low) << 8);
    cpu.Save();
  }

  // For the decoded program: the instruction whose bytes are these, at an offset in its region.
  static Decoded Decode(const std::uint8_t* bytes, int offset);
  static void DecodeTimer(const std::uint8_t* bytes, int offset, Decoded& decoded);
  static Decoded Leaving() { return {.run = &LeaveRegion}; }

 private:
  using Byte = std::uint8_t;
  using Address = std::uint16_t;
  using M = Machine<kMapper>;
  using Slow = void (*)(M& m, unsigned pc, unsigned a, unsigned xy, unsigned nzc,
                        std::int64_t time);

  Interpreter(M& machine, int instructions) : m_(machine) {
    const CpuState& cpu = m_.state.cpu;
    pc_ = cpu.pc;
    a_ = cpu.a;
    x_ = cpu.x;
    y_ = cpu.y;
    m_.sp = cpu.sp;
    SetStatus(cpu.status);
    time_ = (std::int64_t{instructions} - 1) * kInstruction + m_.state.cycles;
  }
  [[gnu::always_inline]] Interpreter(M& machine, unsigned pc, unsigned a, unsigned xy, unsigned nzc,
                                     std::int64_t time)
      : m_(machine),
        pc_(static_cast<Address>(pc)),
        a_(static_cast<Byte>(a)),
        x_(static_cast<Byte>(xy)),
        y_(static_cast<Byte>(xy >> 8)),
        nz_(nzc & 0xFFFF),
        c_(nzc >> 16),
        time_(time) {}

  void Save() {
    m_.state.cpu = {.pc = pc_, .a = a_, .x = x_, .y = y_, .sp = m_.sp, .status = Status()};
    m_.state.cycles = cycles();
  }

  // Goes on at `pc`: in the decoded program if it is there and the end of the run is far away.
  [[gnu::always_inline]] static void Continue(M& m, unsigned pc, unsigned a, unsigned xy,
                                              unsigned nzc, std::int64_t time) {
    if (time < kNearEnd || !m.cartridge.Plain(static_cast<Address>(pc))) [[unlikely]]
      return GoSlowly(m, pc, a, xy, nzc, time);
    m.region = m.cartridge.Region(static_cast<Address>(pc));
    m.region_pc = static_cast<Address>(pc & ~(kRegionSize<kMapper> - 1));
    return Go(&m, m.region + (pc & (kRegionSize<kMapper> - 1)), a, xy, nzc, time);
  }
  [[gnu::always_inline]] static void Go(void* machine, const Decoded* at, unsigned a, unsigned xy,
                                        unsigned nzc, std::int64_t time) {
    if constexpr (kCallsAreJumps) {
      return at->run(machine, at, a, xy, nzc, time);
    } else {
      static_cast<M*>(machine)->next = {true, at, 0, a, xy, nzc, time};
    }
  }
  [[gnu::always_inline]] static void GoSlowly(M& m, unsigned pc, unsigned a, unsigned xy,
                                              unsigned nzc, std::int64_t time) {
    if constexpr (kCallsAreJumps) {
      return FetchNext(m, pc, a, xy, nzc, time);
    } else {
      m.next = {true, nullptr, pc, a, xy, nzc, time};
    }
  }
  [[gnu::noinline]] static void FetchNext(M& m, unsigned pc, unsigned a, unsigned xy, unsigned nzc,
                                          std::int64_t time) {
    Interpreter<kMapper> cpu(m, pc, a, xy, nzc, time);
    const Byte code = cpu.Fetch();
    return kSlow[code](m, cpu.pc_, a, xy, nzc, time);
  }
  [[gnu::noinline]] static void Stop(M& m, unsigned pc, unsigned a, unsigned xy, unsigned nzc,
                                     std::int64_t time) {
    Interpreter<kMapper>(m, pc, a, xy, nzc, time).Save();
  }

  // One instruction whose opcode has been fetched.
  template <int kCode>
  [[gnu::noinline]] static void ExecuteSlow(M& m, unsigned pc, unsigned a, unsigned xy,
                                            unsigned nzc, std::int64_t time) {
    constexpr Opcode kOpcode = kOpcodes[kCode];
    Interpreter<kMapper> cpu(m, pc, a, xy, nzc, time + kOpcode.cycles - kInstruction);
    cpu.template Perform<kOpcode.operation, kOpcode.mode>();
    if (cpu.time_ < 0) [[unlikely]]
      return Stop(m, cpu.pc_, cpu.a_, cpu.xy(), cpu.nzc(), cpu.time_);
    return Continue(m, cpu.pc_, cpu.a_, cpu.xy(), cpu.nzc(), cpu.time_);
  }
  // The same of the decoded program.
  template <int kCode>
  [[gnu::noinline]] static void Execute(void* machine, const Decoded* at, unsigned a, unsigned xy,
                                        unsigned nzc, std::int64_t time) {
    constexpr Opcode kOpcode = kOpcodes[kCode];
    M& m = *static_cast<M*>(machine);
    Interpreter<kMapper, true> cpu(m, 0, a, xy, nzc, time + kOpcode.cycles - kInstruction);
    cpu.at_ = at;
    cpu.next_ = at + Length(kOpcode.mode);
    cpu.template Perform<kOpcode.operation, kOpcode.mode>();
    if constexpr (!IsSafe(kOpcode)) {
      if (cpu.slow_) [[unlikely]] {
        constexpr bool kPushes =
            kOpcode.operation == Operation::kPha || kOpcode.operation == Operation::kPhp;
        if constexpr (kPushes) return PushTia<kCode>(machine, at, a, xy, nzc, time);
        return Leave(machine, at, a, xy, nzc, time);
      }
    }
    if constexpr (Jumps(kOpcode.operation)) {
      return Continue(m, cpu.pc_, cpu.a_, cpu.xy(), cpu.nzc(), cpu.time_);
    } else if constexpr (kOpcode.mode == Mode::kRelative) {
      // Every loop has a jump or a branch: it is enough that these look whether the end is near.
      if (cpu.time_ < kNearEnd) [[unlikely]]
        return LeaveAt(machine, cpu.next_, cpu.a_, cpu.xy(), cpu.nzc(), cpu.time_);
    }
    return Go(machine, cpu.next_, cpu.a_, cpu.xy(), cpu.nzc(), cpu.time_);
  }
  // What the fast version cannot do.
  [[gnu::noinline]] static void Leave(void* machine, const Decoded* at, unsigned a, unsigned xy,
                                      unsigned nzc, std::int64_t time) {
    M& m = *static_cast<M*>(machine);
    return FetchNext(m, AddressOf(m, at), a, xy, nzc, time);
  }
  [[gnu::noinline]] static void LeaveAt(void* machine, const Decoded* at, unsigned a, unsigned xy,
                                        unsigned nzc, std::int64_t time) {
    return Leave(machine, at, a, xy, nzc, time);
  }
  // The program went on over the end of its region.
  static void LeaveRegion(void* machine, const Decoded* at, unsigned a, unsigned xy, unsigned nzc,
                          std::int64_t time) {
    M& m = *static_cast<M*>(machine);
    return Continue(m, AddressOf(m, at), a, xy, nzc, time);
  }
  static Address AddressOf(const M& m, const Decoded* at) {
    return static_cast<Address>(m.region_pc + (at - m.region));
  }
  // A store of A, X or Y to a register of the TIA, and what it comes to when something changes.
  template <int kAddress>
  static void StoreTia(void* machine, const Decoded* at, unsigned a, unsigned xy, unsigned nzc,
                       std::int64_t time) {
    M& m = *static_cast<M*>(machine);
    const auto value = static_cast<Byte>((a | xy << 8) >> at->source);
    const std::int64_t now = time + at->cycles - kInstruction;
    const std::int32_t clock = static_cast<std::int32_t>(now) * 3;
    if (!m.state.tia.template WriteQuietly<kAddress>(value, clock)) {
      return ChangeTia<kAddress>(machine, at, a, xy, nzc, time);
    }
    if (m.state.tia.template Ends<kAddress>(value, clock)) [[unlikely]] {
      return EndFrame(m, at + at->link, a, xy, nzc, now);
    }
    return Go(machine, at + at->link, a, xy, nzc, now);
  }
  template <int kAddress>
  [[gnu::noinline]] static void ChangeTia(void* machine, const Decoded* at, unsigned a, unsigned xy,
                                          unsigned nzc, std::int64_t time) {
    M& m = *static_cast<M*>(machine);
    time += at->cycles - kInstruction;
    const auto value = static_cast<Byte>((a | xy << 8) >> at->source);
    const bool ends =
        m.state.tia.template Write<kAddress>(value, static_cast<std::int32_t>(time), m.picture);
    at += at->link;
    if (ends) [[unlikely]]
      return EndFrame(m, at, a, xy, nzc, time);
    return Go(machine, at, a, xy, nzc, time);
  }
  [[gnu::noinline]] static void EndFrame(M& m, const Decoded* at, unsigned a, unsigned xy,
                                         unsigned nzc, std::int64_t time) {
    m.end = RunEnd::kFrame;
    return Stop(m, AddressOf(m, at), a, xy, nzc, time);
  }
  template <std::size_t... kAddresses>
  static constexpr std::array<Decoded::Handler, 64> StoreTable(std::index_sequence<kAddresses...>) {
    return {&StoreTia<kAddresses>...};
  }
  static const std::array<Decoded::Handler, 64> kStores;
  // A store to WSYNC: the processor halts until the line ends.
  static void Sync(void* machine, const Decoded* at, unsigned a, unsigned xy, unsigned nzc,
                   std::int64_t time) {
    M& m = *static_cast<M*>(machine);
    time += at->cycles - kInstruction;
    const auto cycles = static_cast<std::int32_t>(time);
    const bool ends = m.state.tia.Sync(cycles);
    time += m.state.tia.LineEnd(cycles) - cycles;
    at += at->link;
    if (ends) [[unlikely]] {
      m.end = RunEnd::kFrame;
      return Stop(m, AddressOf(m, at), a, xy, nzc, time);
    }
    return Go(machine, at, a, xy, nzc, time);
  }

  // A read of the timer or of its flag. A loop that does nothing but wait for it is gone through at
  // once: `link` is then the condition under which it goes on, `source` the cycles of a turn.
  template <int kCode>
  static void ReadTimer(void* machine, const Decoded* at, unsigned a, unsigned xy, unsigned nzc,
                        std::int64_t time) {
    constexpr Opcode kOpcode = kOpcodes[kCode];
    M& m = *static_cast<M*>(machine);
    time += kOpcode.cycles - kInstruction;
    if (at->source != 0) {
      const std::int64_t turns = std::min<std::int64_t>(
          m.state.riot.Turns(static_cast<std::int32_t>(time), at->link, at->source),
          (time - kNearEnd) / (2 * kInstruction));
      if (turns > 0) time += turns * (at->source - 2 * kInstruction);
    }
    Interpreter<kMapper> cpu(m, 0, a, xy, nzc, time);
    const Byte value = cpu.ReadRiot(at->operand);
    if constexpr (kOpcode.operation == Operation::kLda) cpu.SetNz(cpu.a_ = value);
    if constexpr (kOpcode.operation == Operation::kLdx) cpu.SetNz(cpu.x_ = value);
    if constexpr (kOpcode.operation == Operation::kLdy) cpu.SetNz(cpu.y_ = value);
    if constexpr (kOpcode.operation == Operation::kBit) cpu.TestBits(value);
    at += Length(kOpcode.mode);
    return Go(machine, at, cpu.a_, cpu.xy(), cpu.nzc(), time);
  }
  // What a push writes when the stack has left memory: programs draw with it.
  template <int kCode>
  static void PushTia(void* machine, const Decoded* at, unsigned a, unsigned xy, unsigned nzc,
                      std::int64_t time) {
    constexpr Opcode kOpcode = kOpcodes[kCode];
    M& m = *static_cast<M*>(machine);
    Interpreter<kMapper> cpu(m, 0, a, xy, nzc, time + kOpcode.cycles - kInstruction);
    cpu.Push(kOpcode.operation == Operation::kPha ? cpu.a_ : cpu.Status());
    ++at;
    if (cpu.time_ < 0) [[unlikely]]
      return Stop(m, AddressOf(m, at), a, xy, nzc, cpu.time_);
    return Go(machine, at, a, xy, nzc, cpu.time_);
  }

  unsigned xy() const { return static_cast<unsigned>(x_ | y_ << 8); }
  unsigned nzc() const { return nz_ | c_ << 16; }

  template <std::size_t... kCodes>
  static constexpr std::array<Slow, 256> SlowTable(std::index_sequence<kCodes...>) {
    return {&ExecuteSlow<kCodes>...};
  }
  template <std::size_t... kCodes>
  static constexpr std::array<Decoded::Handler, 256> FastTable(std::index_sequence<kCodes...>) {
    return {&Execute<kCodes>...};
  }
  static const std::array<Slow, 256> kSlow;
  static const std::array<Decoded::Handler, 256> kFastTable;
  template <Mapper, bool>
  friend class Interpreter;

  // Operations that set the program counter, branches apart.
  static constexpr bool Jumps(Operation operation) {
    return operation == Operation::kJmp || operation == Operation::kJsr ||
           operation == Operation::kRts;
  }
  // Instructions of the decoded program that never meet anything but memory and ROM: a zero page
  // address was looked at when it was decoded.
  static constexpr bool IsSafe(const Opcode& opcode) {
    switch (opcode.operation) {
      case Operation::kJmp:
        return opcode.mode == Mode::kAbsolute;
      case Operation::kBrk:
      case Operation::kJsr:
      case Operation::kRts:
      case Operation::kRti:
      case Operation::kPha:
      case Operation::kPhp:
      case Operation::kPla:
      case Operation::kPlp:
      case Operation::kJam:
      case Operation::kShs:
      case Operation::kLas:
        return false;
      default:
        return opcode.mode == Mode::kImplied || opcode.mode == Mode::kAccumulator ||
               opcode.mode == Mode::kImmediate || opcode.mode == Mode::kRelative ||
               opcode.mode == Mode::kZeroPage;
    }
  }

  std::int32_t cycles() const { return static_cast<std::int32_t>(time_); }
  // This instruction is the last one.
  [[gnu::always_inline]] void End(RunEnd end) {
    m_.end = end;
    time_ = (time_ & 0xFFFFFFFF) - kInstruction;
  }

  // The address space. `bus` is the byte last seen on the data bus, part of which a read of the TIA
  // gives back.
  [[gnu::always_inline]] Byte Read(Address address, Byte bus) {
    if constexpr (kFast) {
      if ((address & 0x1000) == 0) {
        slow_ |= (address & 0x280) != 0x80;
        return m_.state.ram[address & 0x7F];
      }
      slow_ |= !m_.cartridge.Plain(address);
      return m_.cartridge.ReadPlain(address);
    }
    if ((address & 0x1000) != 0) return m_.cartridge.Read(address, cycles());
    if ((address & 0x80) == 0) return ReadTia(address, bus);
    if ((address & 0x200) == 0) return m_.state.ram[address & 0x7F];
    return ReadRiot(address);
  }
  [[gnu::always_inline]] Byte ReadZero(Byte address, Byte bus) {
    if constexpr (kFast) {
      slow_ |= (address & 0x80) == 0;
      return m_.state.ram[address & 0x7F];
    }
    return (address & 0x80) != 0 ? m_.state.ram[address & 0x7F] : ReadTia(address, bus);
  }
  [[gnu::always_inline]] void Write(Address address, Byte value) {
    if constexpr (kFast) {
      slow_ |= (address & 0x1280) != 0x80;
      if (!slow_) [[likely]]
        m_.state.ram[address & 0x7F] = value;
      return;
    }
    if ((address & 0x1000) != 0) {
      m_.cartridge.Write(address, value);
    } else if ((address & 0x80) == 0) {
      WriteTia(address, value, /*after_read=*/true);
    } else if ((address & 0x200) == 0) {
      m_.state.ram[address & 0x7F] = value;
    } else {
      m_.state.riot.Write(address, value, cycles());
    }
  }
  [[gnu::always_inline]] void WriteZero(Byte address, Byte value, bool after_read = true) {
    if constexpr (kFast) {
      slow_ |= (address & 0x80) == 0;
      if (!slow_) [[likely]]
        m_.state.ram[address & 0x7F] = value;
      return;
    }
    if ((address & 0x80) != 0) {
      m_.state.ram[address & 0x7F] = value;
    } else {
      WriteTia(address, value, after_read);
    }
  }
  [[gnu::always_inline]] Byte ReadTia(Address address, Byte bus) {
    return m_.state.tia.Read(address & 0x0F, bus, cycles(), m_.state.inputs.tia, m_.picture);
  }
  [[gnu::always_inline]] Byte ReadRiot(Address address) {
    return m_.state.riot.Read(address, cycles(), m_.state.inputs.riot);
  }
  // The processor halts at WSYNC until the line ends, unless the access before was a write too.
  [[gnu::always_inline]] void WriteTia(Address address, Byte value, bool after_read) {
    constexpr int kWsync = 0x02;
    const int index = address & 0x3F;
    const bool ends = m_.state.tia.Write(index, value, cycles(), m_.picture);
    if (index == kWsync && after_read) time_ += m_.state.tia.LineEnd(cycles()) - cycles();
    if (ends) End(RunEnd::kFrame);
  }

  [[gnu::always_inline]] Byte Fetch() {
    if constexpr (kFast) return static_cast<Byte>(at_->operand);
    return Read(pc_++, 0);
  }
  [[gnu::always_inline]] Address FetchAddress() {
    if constexpr (kFast) return at_->operand;
    const Byte low = Fetch();
    return static_cast<Address>(low | Fetch() << 8);
  }
  // The stack's page mirrors the zero page.
  [[gnu::always_inline]] void Push(Byte value, bool after_read = true) {
    WriteZero(m_.sp, value, after_read);
    if (!kFast || !slow_) --m_.sp;
  }
  [[gnu::always_inline]] Byte Pull(Byte bus) { return ReadZero(++m_.sp, bus); }
  // The first byte that an instruction pulls: it reads the top of the stack before, which stands on
  // the bus when a stack that has left memory reaches the TIA.
  template <Operation kOperation>
  [[gnu::always_inline]] Byte PullFirst() {
    if ((++m_.sp & 0x80) != 0) [[likely]]
      return m_.state.ram[m_.sp & 0x7F];
    constexpr Byte kCode = OpcodeOf(kOperation);
    return ReadTia(m_.sp, ReadZero(static_cast<Byte>(m_.sp - 1), kCode));
  }
  static Byte High(Address address) { return static_cast<Byte>(address >> 8); }

  [[gnu::always_inline]] Address Indexed(Address base, Byte index, bool may_cost) {
    const auto address = static_cast<Address>(base + index);
    if (may_cost && ((base ^ address) & 0xFF00) != 0) ++time_;
    return address;
  }
  // A pointer at 0xFF has its high byte at 0x100: the zero page does not wrap here.
  [[gnu::always_inline]] Address Pointer(Byte at) {
    if constexpr (kFast) {
      const Byte* const ram = m_.state.ram;
      slow_ |= (at & 0x80) == 0 || at == 0xFF;
      return static_cast<Address>(ram[at & 0x7F] | ram[(at + 1) & 0x7F] << 8);
    }
    const Byte low = ReadZero(at, at);
    const Byte high = at == 0xFF ? ReadTia(0x100, low) : ReadZero(static_cast<Byte>(at + 1), low);
    return static_cast<Address>(low | high << 8);
  }

  // The pointer of (zp),Y, which the decoded program has looked at.
  [[gnu::always_inline]] Address FetchPointer() {
    if constexpr (kFast) {
      const Byte* const at = &m_.state.ram[at_->operand & 0x7F];
      return static_cast<Address>(at[0] | at[1] << 8);
    }
    return Pointer(Fetch());
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
      return Indexed(FetchPointer(), y_, kReads);
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
      if constexpr (kFast) return m_.state.ram[address & 0x7F];
      return ReadZero(address, address);
    } else if constexpr (IsZeroPage(kMode)) {
      const Byte base = Fetch();
      return ReadZero(static_cast<Byte>(base + (kMode == Mode::kZeroPageX ? x_ : y_)), base);
    } else if constexpr (kMode == Mode::kAbsoluteX || kMode == Mode::kAbsoluteY) {
      const Address base = FetchAddress();
      return Read(Indexed(base, kMode == Mode::kAbsoluteX ? x_ : y_, kReads), High(base));
    } else if constexpr (kMode == Mode::kIndirectY) {
      const Address base = FetchPointer();
      return Read(Indexed(base, y_, kReads), High(base));
    } else {
      const Address address = OperandAddress<kMode, kReads>();
      return Read(address, High(address));
    }
  }
  template <Mode kMode>
  [[gnu::always_inline]] void Store(Byte value) {
    const Address address = OperandAddress<kMode, false>();
    if constexpr (kFast && kMode == Mode::kZeroPage) {
      m_.state.ram[address & 0x7F] = value;
    } else if constexpr (IsZeroPage(kMode)) {
      WriteZero(static_cast<Byte>(address), value);
    } else {
      Write(address, value);
    }
  }
  // Reads, changes and writes; gives what was written.
  template <Mode kMode, typename Change>
  [[gnu::always_inline]] Byte Modify(Change change) {
    if constexpr (kFast && kMode == Mode::kZeroPage) {
      Byte& byte = m_.state.ram[Fetch() & 0x7F];
      return byte = change(byte);
    } else if constexpr (IsZeroPage(kMode)) {
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

  [[gnu::always_inline]] void SetNz(Byte value) { nz_ = value; }
  // When they come from different values.
  [[gnu::always_inline]] void SetNz(bool negative, bool zero) {
    nz_ = (negative ? 0x8000u : 0u) | (zero ? 0u : 1u);
  }
  [[gnu::always_inline]] bool negative() const { return (nz_ & 0x8080) != 0; }
  [[gnu::always_inline]] bool zero() const { return (nz_ & 0xFF) == 0; }
  [[gnu::always_inline]] Byte Status() const {
    return static_cast<Byte>((negative() ? 0x80 : 0) | m_.v << 6 | 0x30 | m_.d << 3 | m_.i << 2 |
                             (zero() ? 0x02 : 0) | c_);
  }
  [[gnu::always_inline]] void SetStatus(Byte status) {
    SetNz((status & 0x80) != 0, (status & 0x02) != 0);
    m_.v = status >> 6 & 1;
    m_.d = status >> 3 & 1;
    m_.i = status >> 2 & 1;
    c_ = status & 1;
  }

  [[gnu::always_inline]] void Branch(bool taken) {
    if constexpr (kFast) {
      if (taken) {
        time_ += at_->cycles;
        next_ = at_ + at_->link;
      }
      return;
    }
    const auto offset = static_cast<std::int8_t>(Fetch());
    if (taken) {
      const auto target = static_cast<Address>(pc_ + offset);
      time_ += ((pc_ ^ target) & 0xFF00) != 0 ? 2 : 1;
      pc_ = target;
    }
  }
  [[gnu::always_inline]] void TestBits(Byte value) {
    SetNz((value & 0x80) != 0, (a_ & value) == 0);
    m_.v = value >> 6 & 1;
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
    if (m_.d != 0) [[unlikely]] {
      const int sum = FromBcd(a_) + FromBcd(value) + static_cast<int>(c_);
      c_ = sum > 99;
      a_ = ToBcd(sum);
    } else {
      const unsigned sum = static_cast<unsigned>(a_) + value + c_;
      c_ = sum > 0xFF;
      a_ = static_cast<Byte>(sum);
    }
    m_.v = ((before ^ a_) & (a_ ^ value) & 0x80) != 0;
    SetNz(a_);
  }
  [[gnu::always_inline]] void Subtract(Byte value) {
    if (m_.d == 0) [[likely]] {
      Add(static_cast<Byte>(~value));
      return;
    }
    const Byte before = a_;
    const int borrow = 1 - static_cast<int>(c_);
    int difference = FromBcd(a_) - FromBcd(value) - borrow;
    if (difference < 0) difference += 100;
    // Digits above nine can leave it negative still: ale-py reads what stands before its table.
    a_ = difference >= 0 ? ToBcd(difference)
                         : static_cast<Byte>(FromBcd(static_cast<Byte>(difference)));
    c_ = before >= value + borrow;
    m_.v = ((before ^ a_) & (a_ ^ value) & 0x80) != 0;
    SetNz(a_);
  }
  [[gnu::always_inline]] Byte ShiftLeft(Byte value, unsigned carry_in) {
    c_ = value >> 7;
    const auto shifted = static_cast<Byte>(value << 1 | carry_in);
    SetNz(shifted);
    return shifted;
  }
  [[gnu::always_inline]] Byte ShiftRight(Byte value, unsigned carry_in) {
    c_ = value & 1;
    const auto shifted = static_cast<Byte>(value >> 1 | carry_in << 7);
    SetNz(shifted);
    return shifted;
  }
  [[gnu::always_inline]] void RotateAnd(Byte value) {  // ARR
    const auto both = static_cast<Byte>(a_ & value);
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
    m_.i = 1;
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
    const auto next = static_cast<Address>((at & 0xFF) == 0xFF ? at & 0xFF00 : at + 1);
    pc_ = static_cast<Address>(low | Read(next, low) << 8);
  }

  template <Operation kOperation, Mode kMode>
  [[gnu::always_inline]] inline void Perform();
  template <Operation kOperation, Mode kMode>
  [[gnu::always_inline]] inline void PerformAny();

  // The stack's operations while it stays in memory.
  template <Operation kOperation>
  [[gnu::always_inline]] void FastStack() {
    std::uint8_t* const ram = m_.state.ram;
    const Byte sp = m_.sp;
    if constexpr (kOperation == Operation::kJsr) {
      const Address back = static_cast<Address>(AddressOf(m_, at_) + 2);
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
    } else {
      slow_ = true;
    }
  }

  Machine<kMapper>& m_;
  Address pc_;
  Byte a_, x_, y_;
  unsigned nz_;  // Z is set when the low byte is zero, N when bit 7 or bit 15 is one
  unsigned c_;   // the flag C, 0 or 1
  // The instructions that are left, less one, above the cycles: one addition counts both.
  std::int64_t time_;
  // Of the fast version.
  const Decoded* at_ = nullptr;
  const Decoded* next_ = nullptr;
  bool slow_ = false;  // it met what it does not know

  static constexpr std::int64_t kInstruction = std::int64_t{1} << 32;
  // More instructions than there are between two that look whether the end of the run is near.
  static constexpr std::int64_t kNearEnd = 4'200 * kInstruction;
};

}  // namespace engine::atari

#endif  // ENGINE_ENVS_ATARI_CONSOLE_CPU_H_
