// The 6507: an interpreter compiled once for each mapper. Cheap parts of the machine are inlined
// (memory, ROM), others are called (TIA, timer). Cycles and bus accesses are equal to those of
// ale-py 0.12.1's fast processor: the cycles of an instruction are counted before its accesses, and
// read-modify-write instructions write once. cpu_entries.h has the functions of the instructions,
// cpu_operations.h the operations; cpu_decode.h and cpu_superinstructions.h turn a ROM into a
// program. Used by machine.cc.in on one thread at a time.
#ifndef ENGINE_EMULATORS_ATARI2600_CPU_H_
#define ENGINE_EMULATORS_ATARI2600_CPU_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "engine/emulators/atari2600/cartridge.h"
#include "engine/emulators/atari2600/console.h"
#include "engine/emulators/atari2600/console_state.h"
#include "engine/emulators/atari2600/machine_core.h"
#include "engine/emulators/atari2600/opcodes.h"
#include "engine/emulators/atari2600/picture.h"
#include "engine/emulators/atari2600/program.h"
#include "engine/emulators/atari2600/tia_stores.h"
#include "engine/emulators/atari2600/tia_write.h"

namespace engine::atari2600 {

// Properties of an instruction that the decoder has found.
enum class Variant : std::uint8_t {
  kPlain,     // none
  kBackward,  // a branch to an earlier address or to itself
  kTable,     // it reads a table in ROM
};

// An instruction of the decoded program.
struct Step {
  std::uint8_t code = 0;
  Variant variant = Variant::kPlain;
};

// The machine with this mapper's cartridge.
template <Mapper kMapper>
struct Machine : MachineCore {
  Machine(const Cartridge& with_cartridge, const ConsoleState& with_state, Picture& with_picture)
      : MachineCore(with_state, with_picture), cartridge(with_cartridge, state.cartridge) {}

  MappedCartridge<kMapper> cartridge;
};

// The registers while instructions run; machine_core.h describes how they are passed.
//
// There are two functions for an opcode. The fast one runs the decoded program (see program.h). It
// handles only memory and ROM and calls nothing, so it needs no stack. For anything else (a
// register, a hot spot of the mapper), it leaves the state unchanged and passes the instruction to
// the slow function, which fetches it from the bus and handles all cases.
template <Mapper kMapper, bool kFast = false>
class Interpreter {
 public:
  // Runs at most `instructions`, at least one.
  static RunEnd Run(const Cartridge& cartridge, ConsoleState& state, Picture& picture,
                    int instructions) {
    // Most frames have fewer instructions than this; the few others are run twice.
    constexpr int kBetweenLooks = 4'200;  // more than a loop runs between two checks of the time
    const std::int32_t uncounted =
        instructions > kBetweenLooks ? 2 * (instructions - kBetweenLooks) : 0;
    RunEnd end = RunEnd::kInstructions;
    if (uncounted > 0 && RunOnce(cartridge, state, picture, instructions, uncounted, end)) {
      return end;
    }
    RunOnce(cartridge, state, picture, instructions, 0, end);
    return end;
  }

  // Loads the program counter from the reset vector.
  static void Reset(const Cartridge& cartridge, ConsoleState& state, Picture& picture) {
    M machine(cartridge, state, picture);
    Interpreter cpu(machine, 1);
    const Byte low = cpu.Read(0xFFFC, 0);
    cpu.pc_ = static_cast<Address>(low | cpu.Read(0xFFFD, low) << 8);
    cpu.Save();
    state = machine.state;
  }

  // For the decoded program: the entry of the instruction with these bytes, at an offset in its
  // region.
  static Decoded Decode(const std::uint8_t* bytes, int offset);
  // Called after all instructions are decoded. Returns the function that runs this instruction
  // together with the following instructions, if there is such a function; otherwise the
  // instruction's own function. The following entries are unchanged since Decode.
  static Decoded::Handler SuperinstructionAt(const Decoded* at);
  static Decoded Leaving() { return {.run = &LeaveRegion}; }

 private:
  using Byte = std::uint8_t;
  using Address = std::uint16_t;
  using M = Machine<kMapper>;
  using Slow = void (*)(M& m, unsigned pc, unsigned ac, unsigned xy, unsigned nz,
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
  [[gnu::always_inline]] Interpreter(M& machine, unsigned pc, unsigned ac, unsigned xy, unsigned nz,
                                     std::int64_t time)
      : m_(machine),
        pc_(static_cast<Address>(pc)),
        a_(ac & 0xFF),
        c_(ac >> 8),
        x_(xy & 0xFF),
        y_(xy >> 8),
        nz_(nz),
        time_(time) {}

  // Returns false if the run must be repeated from the same state with instructions counted.
  static bool RunOnce(const Cartridge& cartridge, ConsoleState& state, Picture& picture,
                      int instructions, std::int32_t uncounted, RunEnd& end) {
    M machine(cartridge, state, picture);
    machine.uncounted = uncounted > 0;
    machine.uncounted_until = state.cycles + uncounted;
    Interpreter cpu(machine, instructions);
    Continue(machine, cpu.pc_, cpu.ac(), cpu.xy(), cpu.nz_, cpu.time_);
    while (machine.next.pending) {
      const typename M::Next next = std::exchange(machine.next, {});
      if (next.at != nullptr) {
        next.at->run(&machine, next.at, next.ac, next.xy, next.nz, next.time);
      } else {
        FetchNext(machine, next.pc, next.ac, next.xy, next.nz, next.time);
      }
    }
    if (machine.again) return false;
    state = machine.state;
    end = machine.end;
    return true;
  }

  void Save() { m_.Save(pc_, ac(), xy(), nz_, time_); }

  // Continues at `pc`, in the decoded program if it contains this address.
  [[gnu::always_inline]] static void Continue(M& m, unsigned pc, unsigned ac, unsigned xy,
                                              unsigned nz, std::int64_t time) {
    if (static_cast<std::int32_t>(time) >= m.uncounted_until ||
        !m.cartridge.Plain(static_cast<Address>(pc))) [[unlikely]]
      return GoSlowly(m, pc, ac, xy, nz, time);
    m.region = m.cartridge.Region(static_cast<Address>(pc));
    m.region_pc = static_cast<Address>(pc & ~(kRegionSize<kMapper> - 1));
    return Go(&m, m.region + (pc & (kRegionSize<kMapper> - 1)), ac, xy, nz, time);
  }
  [[gnu::always_inline]] static void GoSlowly(M& m, unsigned pc, unsigned ac, unsigned xy,
                                              unsigned nz, std::int64_t time) {
    if constexpr (kCallsAreJumps) {
      return FetchNext(m, pc, ac, xy, nz, time);
    } else {
      m.next = {true, nullptr, pc, ac, xy, nz, time};
    }
  }
  [[gnu::noinline]] static void FetchNext(M& m, unsigned pc, unsigned ac, unsigned xy, unsigned nz,
                                          std::int64_t time) {
    if (m.uncounted && static_cast<std::int32_t>(time) >= m.uncounted_until) [[unlikely]] {
      m.again = true;
      return;
    }
    Interpreter<kMapper> cpu(m, pc, ac, xy, nz, time);
    const Byte code = cpu.Fetch();
    return kSlow[code](m, cpu.pc_, ac, xy, nz, time);
  }
  // What follows an instruction that a slow function has run.
  [[gnu::noinline]] static void AfterSlow(M& m, unsigned pc, unsigned ac, unsigned xy, unsigned nz,
                                          std::int64_t time) {
    if (time < 0) [[unlikely]]
      return m.Save(pc, ac, xy, nz, time);
    return Continue(m, pc, ac, xy, nz, time);
  }

  // Runs one instruction whose opcode has been fetched.
  template <int kCode>
  [[gnu::noinline]] static void ExecuteSlow(M& m, unsigned pc, unsigned ac, unsigned xy,
                                            unsigned nz, std::int64_t time);
  // Runs one instruction of the decoded program, or several consecutive ones.
  template <Step... kSteps>
  [[gnu::noinline]] static void Execute(MachineCore* core, const Decoded* at, unsigned ac,
                                        unsigned xy, unsigned nz, std::int64_t time);
  template <Step... kSteps>
  struct Fused {
    static constexpr std::size_t kSize = sizeof...(kSteps);
    static void Run(MachineCore* core, const Decoded* at, unsigned ac, unsigned xy, unsigned nz,
                    std::int64_t time) {
      return Execute<kSteps...>(core, at, ac, xy, nz, time);
    }
  };
  // Runs the remaining instructions of a sequence, and all instructions that follow. `head` is the
  // entry of its first instruction.
  template <typename Whole, Step kStep, Step... kRest>
  [[gnu::always_inline]] static void Walk(MachineCore* core, const Decoded* head, const Decoded* at,
                                          unsigned ac, unsigned xy, unsigned nz, std::int64_t time);
  // JMP and JSR to an address in the region that the decoder has determined.
  template <bool kCalls>
  static void JumpNear(MachineCore* core, const Decoded* at, unsigned ac, unsigned xy, unsigned nz,
                       std::int64_t time);
  // Runs an instruction that the fast function cannot run.
  [[gnu::noinline]] static void Leave(MachineCore* core, const Decoded* at, unsigned ac,
                                      unsigned xy, unsigned nz, std::int64_t time) {
    M& m = *static_cast<M*>(core);
    return FetchNext(m, m.AddressOf(at), ac, xy, nz, time);
  }
  [[gnu::noinline]] static void LeaveAt(MachineCore* core, const Decoded* at, unsigned ac,
                                        unsigned xy, unsigned nz, std::int64_t time) {
    return Leave(core, at, ac, xy, nz, time);
  }
  // The program ran past the end of its region.
  static void LeaveRegion(MachineCore* core, const Decoded* at, unsigned ac, unsigned xy,
                          unsigned nz, std::int64_t time) {
    M& m = *static_cast<M*>(core);
    return Continue(m, m.AddressOf(at), ac, xy, nz, time);
  }

  // A read of the timer or of its flag. If a loop only waits for the timer, its iterations are
  // skipped at once: `link` is the condition under which the loop continues, `source` the cycles of
  // one iteration.
  template <int kCode>
  static void ReadTimer(MachineCore* core, const Decoded* at, unsigned ac, unsigned xy, unsigned nz,
                        std::int64_t time);
  // A read of a TIA register, at a constant address or at an indexed one.
  template <int kCode>
  static void ReadTia(MachineCore* core, const Decoded* at, unsigned ac, unsigned xy, unsigned nz,
                      std::int64_t time);
  template <int kCode>
  [[gnu::noinline]] static void ReadTiaIndexed(MachineCore* core, const Decoded* at, unsigned ac,
                                               unsigned xy, unsigned nz, std::int64_t time);
  static Decoded::Handler TimerRead(std::uint8_t code);
  template <int kCode>
  static constexpr Decoded::Handler TiaHandler() {
    constexpr Opcode kOpcode = kOpcodes[kCode];
    if constexpr ((kOpcode.mode == Mode::kZeroPage || kOpcode.mode == Mode::kAbsolute) &&
                  ReadsOnly(kOpcode.operation)) {
      return &ReadTia<kCode>;
    } else {
      return nullptr;
    }
  }
  template <std::size_t... kCodes>
  static constexpr std::array<Decoded::Handler, 256> TiaTable(std::index_sequence<kCodes...>) {
    return {TiaHandler<kCodes>()...};
  }
  static void DecodeTimer(const std::uint8_t* bytes, int offset, Decoded& decoded);
  static bool DecodeJump(const std::uint8_t* bytes, int offset, Decoded& decoded);
  static bool DecodeTable(Opcode opcode, Decoded& decoded);
  // The write of a push while the stack pointer is outside memory. Programs use it to draw.
  template <int kCode>
  static void PushTia(MachineCore* core, const Decoded* at, unsigned ac, unsigned xy, unsigned nz,
                      std::int64_t time);

  unsigned ac() const { return a_ | c_ << 8; }
  unsigned xy() const { return x_ | y_ << 8; }

  template <std::size_t... kCodes>
  static constexpr std::array<Slow, 256> SlowTable(std::index_sequence<kCodes...>) {
    return {&ExecuteSlow<FirstAlike(kCodes)>...};
  }
  template <std::size_t... kCodes>
  static constexpr std::array<Decoded::Handler, 256> FastTable(std::index_sequence<kCodes...>) {
    return {&Execute<Step{FirstAlike(kCodes)}>...};
  }
  template <int kCode>
  static constexpr Decoded::Handler BackwardHandler() {
    if constexpr (kOpcodes[kCode].mode == Mode::kRelative) {
      return &Execute<Step{kCode, Variant::kBackward}>;
    } else {
      return nullptr;
    }
  }
  template <int kCode>
  static constexpr Decoded::Handler TableHandler() {
    if constexpr (ReadsTable(kOpcodes[kCode])) {
      return &Execute<Step{kCode, Variant::kTable}>;
    } else {
      return nullptr;
    }
  }
  template <std::size_t... kCodes>
  static constexpr std::array<Decoded::Handler, 256> BackwardTable(std::index_sequence<kCodes...>) {
    return {BackwardHandler<kCodes>()...};
  }
  template <std::size_t... kCodes>
  static constexpr std::array<Decoded::Handler, 256> TableTable(std::index_sequence<kCodes...>) {
    return {TableHandler<kCodes>()...};
  }
  template <Step kStep>
  static Decoded::Handler HandlerOf() {
    switch (kStep.variant) {
      case Variant::kPlain:
        return kFastTable[kStep.code];
      case Variant::kBackward:
        return kBackward[kStep.code];
      case Variant::kTable:
        return kTables[kStep.code];
    }
    return nullptr;
  }
  template <Step... kSteps>
  static bool Fits(const Decoded* at);

  static const std::array<Slow, 256> kSlow;
  static const std::array<Decoded::Handler, 256> kFastTable;
  static const std::array<Decoded::Handler, 256> kBackward;  // branches
  static const std::array<Decoded::Handler, 256> kTables;    // reads of a table in ROM
  static const std::array<Decoded::Handler, 256> kTiaReads;
  template <Mapper, bool>
  friend class Interpreter;

  static constexpr bool ReadsTable(const Opcode& opcode) {
    return (opcode.mode == Mode::kAbsoluteX || opcode.mode == Mode::kAbsoluteY) &&
           ReadsOnly(opcode.operation);
  }
  // Common operations that read an operand.
  static constexpr bool ReadsOnly(Operation operation) {
    switch (operation) {
      case Operation::kLda:
      case Operation::kLdx:
      case Operation::kLdy:
      case Operation::kAdc:
      case Operation::kSbc:
      case Operation::kAnd:
      case Operation::kOra:
      case Operation::kEor:
      case Operation::kCmp:
      case Operation::kCpx:
      case Operation::kCpy:
      case Operation::kBit:
        return true;
      default:
        return false;
    }
  }

  // Operations that set the program counter, except branches.
  static constexpr bool Jumps(Operation operation) {
    return operation == Operation::kJmp || operation == Operation::kJsr ||
           operation == Operation::kRts;
  }
  // Instructions of the decoded program that only access memory and ROM: a zero page address was
  // checked when it was decoded.
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
      case Operation::kAdc:
      case Operation::kSbc:
      case Operation::kRra:
      case Operation::kIsb:
        return false;
      default:
        return opcode.mode == Mode::kImplied || opcode.mode == Mode::kAccumulator ||
               opcode.mode == Mode::kImmediate || opcode.mode == Mode::kRelative ||
               opcode.mode == Mode::kZeroPage;
    }
  }

  std::int32_t cycles() const { return static_cast<std::int32_t>(time_); }
  // Makes this instruction the last one of the run.
  [[gnu::always_inline]] void End(RunEnd end) {
    m_.end = end;
    // The position up to which the TIA has drawn is updated only when it is needed.
    if (end == RunEnd::kJammed && m_.uncounted) m_.again = true;
    time_ = (time_ & 0xFFFFFFFF) - kInstruction;
  }

  // The address space. `bus` is the latest byte on the data bus; a read of the TIA returns part of
  // it.
  [[gnu::always_inline]] Byte Read(Address address, Byte bus) {
    if constexpr (kFast) {
      if (m_.cartridge.Plain(address)) [[likely]]
        return m_.cartridge.ReadPlain(address);
      slow_ |= (address & 0x1280) != 0x80;
      return m_.state.ram[address & 0x7F];
    }
    if ((address & 0x1000) != 0) return m_.cartridge.Read(address, cycles());
    if ((address & 0x280) == 0x80) return m_.state.ram[address & 0x7F];
    return ReadChip(m_, address, bus, cycles());
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
    if ((address & 0x1280) == 0x80) {
      m_.state.ram[address & 0x7F] = value;
    } else {
      time_ = WriteElsewhere(m_, address, value, time_, /*after_read=*/true);
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
      time_ = WriteElsewhere(m_, address, value, time_, after_read);
    }
  }
  // What is neither memory nor ROM. It is called: there are more than 200 slow functions, few of
  // the instructions that run are theirs, and inlined this was most of their code and of the time
  // to compile it. Memory and ROM stay inlined, because Montezuma's Revenge has 3 % more
  // instructions otherwise.
  [[gnu::noinline]] static Byte ReadChip(M& m, Address address, Byte bus, std::int32_t cycles) {
    if ((address & 0x80) != 0) return m.state.riot.Read(address, cycles, m.state.inputs.riot);
    return m.state.tia.Read(address & 0x0F, bus, cycles, m.state.inputs.tia, m.picture);
  }
  // Returns the time after the write.
  [[gnu::noinline]] static std::int64_t WriteElsewhere(M& m, Address address, Byte value,
                                                       std::int64_t time, bool after_read) {
    Interpreter<kMapper> cpu(m, 0, 0, 0, 0, time);
    if ((address & 0x1000) != 0) {
      m.cartridge.Write(address, value);
    } else if ((address & 0x80) == 0) {
      cpu.WriteTia(address, value, after_read);
    } else {
      m.state.riot.Write(address, value, cpu.cycles());
    }
    return cpu.time_;
  }
  [[gnu::always_inline]] Byte ReadTia(Address address, Byte bus) {
    return m_.state.tia.Read(address & 0x0F, bus, cycles(), m_.state.inputs.tia, m_.picture);
  }
  [[gnu::always_inline]] Byte ReadRiot(Address address) {
    return m_.state.riot.Read(address, cycles(), m_.state.inputs.riot);
  }
  // WSYNC halts the processor until the line ends, unless the previous access was also a write.
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
  // The first byte of a pull. The processor first reads the old top of the stack; that byte is on
  // the bus if the stack pointer is outside memory and reaches the TIA.
  template <Operation kOperation>
  [[gnu::always_inline]] Byte PullFirst() {
    if ((++m_.sp & 0x80) != 0) [[likely]]
      return m_.state.ram[m_.sp & 0x7F];
    constexpr Byte kCode = OpcodeOf(kOperation);
    return ReadTia(m_.sp, ReadZero(static_cast<Byte>(m_.sp - 1), kCode));
  }
  static Byte High(Address address) { return static_cast<Byte>(address >> 8); }

  [[gnu::always_inline]] Address Indexed(Address base, unsigned index, bool may_cost) {
    const auto address = static_cast<Address>(base + index);
    // Cycles for a page crossing, without a branch.
    if (may_cost) time_ += ((base & 0xFFu) + index) >> 8;
    return address;
  }
  // A pointer at 0xFF has its high byte at 0x100: the zero page does not wrap around here.
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

  // The pointer of (zp),Y, which the decoder has checked.
  [[gnu::always_inline]] Address FetchPointer() {
    if constexpr (kFast) {
      const Byte* const at = m_.state.ram + at_->operand;
      return static_cast<Address>(at[0] | at[1] << 8);
    }
    return Pointer(Fetch());
  }

  // The address of an instruction's operand; reads (not writes) across a page take one more cycle.
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
      if constexpr (kFast) return m_.state.ram[at_->operand];
      const Byte address = Fetch();
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
  [[gnu::always_inline]] void Store(unsigned reg) {
    const auto value = static_cast<Byte>(reg);
    const Address address = OperandAddress<kMode, false>();
    if constexpr (kFast && kMode == Mode::kZeroPage) {
      m_.state.ram[at_->operand] = value;
    } else if constexpr (IsZeroPage(kMode)) {
      WriteZero(static_cast<Byte>(address), value);
    } else {
      Write(address, value);
    }
  }
  // Reads, modifies and writes; returns the written value.
  template <Mode kMode, typename Change>
  [[gnu::always_inline]] Byte Modify(Change change) {
    if constexpr (kFast && kMode == Mode::kZeroPage) {
      Byte& byte = m_.state.ram[at_->operand];
      return byte = change(byte);
    } else if constexpr (IsZeroPage(kMode)) {
      const Byte base = Fetch();
      const auto address = static_cast<Byte>(kMode == Mode::kZeroPageX ? base + x_ : base);
      const Byte value = change(ReadZero(address, base));
      WriteZero(address, value);
      return value;
    } else {
      const Address address = OperandAddress<kMode, false>();
      // The previous access used the address without the index. Its high byte reaches the TIA's
      // unconnected bits only if no page was crossed.
      const Byte value = change(Read(address, High(address)));
      Write(address, value);
      return value;
    }
  }

  [[gnu::always_inline]] void SetNz(unsigned value) { nz_ = value; }  // a byte
  // For flags that come from different values.
  [[gnu::always_inline]] void SetNz(bool negative, bool zero) {
    nz_ = (negative ? 0x8000u : 0u) | (zero ? 0u : 1u);
  }
  [[gnu::always_inline]] bool negative() const { return (nz_ & 0x8080) != 0; }
  [[gnu::always_inline]] bool zero() const { return (nz_ & 0xFF) == 0; }
  [[gnu::always_inline]] Byte Status() const { return M::Status(m_, c_, nz_); }
  [[gnu::always_inline]] void SetStatus(Byte status) {
    SetNz((status & 0x80) != 0, (status & 0x02) != 0);
    m_.v = status >> 6 & 1;
    m_.d = status >> 3 & 1;
    m_.i = status >> 2 & 1;
    c_ = status & 1;
  }

  [[gnu::always_inline]] void Branch(bool taken) {
    if constexpr (kFast) {
      branched_ = taken;
      if (taken) {
        time_ += at_->cycles;
        next_ = at_->Target();
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
  [[gnu::always_inline]] void TestBits(unsigned value) {
    SetNz((value & 0x80) != 0, (a_ & value) == 0);
    m_.v = value >> 6 & 1;
  }
  [[gnu::always_inline]] void Compare(unsigned reg, unsigned value) {
    SetNz(static_cast<Byte>(reg - value));
    c_ = reg >= value;
  }

  static constexpr int FromBcd(unsigned value) {
    return static_cast<int>((value >> 4) * 10 + (value & 0x0F));
  }
  static constexpr Byte ToBcd(int value) {
    const int low = value & 0xFF;
    return static_cast<Byte>((low % 100 / 10) << 4 | low % 10);
  }
  [[gnu::always_inline]] void Add(unsigned value);
  [[gnu::always_inline]] void SetSum(unsigned before, unsigned value, unsigned sum) {
    a_ = sum;
    m_.v = static_cast<Byte>(((before ^ a_) & (a_ ^ value)) >> 7 & 1);
    SetNz(a_);
  }
  [[gnu::always_inline]] void Subtract(unsigned value);
  [[gnu::always_inline]] Byte ShiftLeft(unsigned value, unsigned carry_in);
  [[gnu::always_inline]] Byte ShiftRight(unsigned value, unsigned carry_in);
  [[gnu::always_inline]] void RotateAnd(unsigned value);
  // Stores of undocumented instructions, which combine registers with the address's high byte.
  template <Mode kMode>
  [[gnu::always_inline]] void StoreAnded(unsigned value) {
    const Address address = OperandAddress<kMode, false>();
    Write(address, static_cast<Byte>(value & (High(address) + 1u)));
  }

  // Operations that use the stack or set the program counter.
  [[gnu::always_inline]] void Break();
  [[gnu::always_inline]] void Call();
  [[gnu::always_inline]] void Return();
  [[gnu::always_inline]] void ReturnFromInterrupt();
  [[gnu::always_inline]] void JumpIndirect();

  template <Operation kOperation, Mode kMode>
  [[gnu::always_inline]] inline void Perform();
  template <Operation kOperation, Mode kMode>
  [[gnu::always_inline]] inline void PerformAny();
  template <Operation kOperation, Mode kMode>
  [[gnu::always_inline]] inline void PerformTable();
  template <Operation kOperation>
  [[gnu::always_inline]] inline void PerformWith(unsigned value);

  // Stack operations while the stack pointer is in memory.
  template <Operation kOperation>
  [[gnu::always_inline]] void FastStack();

  M& m_;
  Address pc_;
  // Bytes, stored as words so that they need no widening.
  unsigned a_;
  unsigned c_;  // the flag C, 0 or 1
  unsigned x_;
  unsigned y_;
  unsigned nz_;
  std::int64_t time_;
  // Used by the fast functions only.
  const Decoded* at_ = nullptr;
  const Decoded* next_ = nullptr;
  bool slow_ = false;  // the instruction needs the slow function
  bool branched_ = false;
};

}  // namespace engine::atari2600

#endif  // ENGINE_EMULATORS_ATARI2600_CPU_H_
