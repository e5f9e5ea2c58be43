// An Atari 2600 with a cartridge: the processor, the TIA and the RIOT, run frame by frame. Used by
// one thread at a time.
//
// A console usually stores one picture buffer and some states. Most games draw all rows completely
// in every frame. Such a frame overwrites the whole buffer, and can be repeated from the state at
// its start, so its rows need no second buffer. The first two frames after a reset start with blank
// buffers and need no second buffer either. If a frame of another kind follows, the missing rows of
// the second buffer are drawn again and kept for a while.
#ifndef ENGINE_EMULATORS_ATARI2600_CONSOLE_H_
#define ENGINE_EMULATORS_ATARI2600_CONSOLE_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <span>
#include <utility>

#include "engine/emulators/atari2600/cartridge.h"
#include "engine/emulators/atari2600/console_state.h"
#include "engine/emulators/atari2600/picture.h"

namespace engine::atari2600 {

// Why a run of the processor ended.
enum class RunEnd : std::uint8_t {
  kFrame,         // the frame is complete
  kInstructions,  // it has run the requested number of instructions
  kJammed,        // an opcode that halts the processor
};

class Console {
 public:
  // A frame in which the program never synchronises ends after this many instructions.
  static constexpr int kMaxInstructions = 25'000;
  // A frame that takes more than this many cycles, over a minute, is abandoned.
  static constexpr std::int32_t kMaxCycles = 100'000'000;

  // `random` provides the content of memory at power-on. Call Reset() first.
  Console(std::shared_ptr<const Cartridge> cartridge, const TiaSetup& setup, std::mt19937& random);
  // A console in the state of another console with this cartridge.
  Console(std::shared_ptr<const Cartridge> cartridge, const ConsoleState& state)
      : cartridge_(std::move(cartridge)), state_(state), picture_(state.tia.setup().lines) {
    picture_.DropBackRows(lines());
  }

  // Switches the console off and on; memory keeps its content. `random` provides the timer's value
  // and the content of the cartridge's memory.
  void Reset(std::mt19937& random);
  // As Reset(random), with a different configuration of the TIA.
  void Reset(const TiaSetup& setup, std::mt19937& random);

  // Runs until vertical sync ends, or for kMaxInstructions. Never takes more than a few
  // milliseconds, whatever the program does. Allocates only when the kind of frames changes.
  void RunFrame();

  // Whether the following frames are drawn; not drawing unobserved frames is faster. Until the next
  // drawn frame pixels() is undefined.
  void DrawFrames(bool draw) { draws_ = draw; }
  // Draws the latest frame if it has not been drawn. Takes as long as running a frame.
  void DrawLatestFrame();

  // Runs one instruction, for tests and for inspecting a program. True if the frame ends with it.
  bool StepInstruction();
  // The byte that the processor would read from memory or ROM, without side effects. Registers of
  // the TIA and of the timer read as 0.
  std::uint8_t Peek(int address) const;
  // For tests: sets the address of the next instruction.
  void set_cpu(const CpuState& cpu) { state_.cpu = cpu; }

  ConsoleInputs& inputs() { return state_.inputs; }
  const std::uint8_t* ram() const { return state_.ram; }
  const std::uint8_t* cartridge_ram() const { return state_.cartridge.ram; }
  std::span<const std::uint8_t> pixels() const { return picture_.pixels(); }
  int lines() const { return state_.tia.setup().lines; }
  // The current scanline of the frame.
  int scanline() const { return state_.tia.Scanline(state_.cycles); }
  // Whether the processor has halted at an undocumented opcode. It then stays halted.
  bool jammed() const { return state_.jammed; }

  const ConsoleState& state() const { return state_; }
  // A copy with both buffers.
  Picture picture() const;
  // Bytes that the picture occupies now.
  std::size_t picture_bytes() const { return picture_.bytes(); }
  const Cartridge& cartridge() const { return *cartridge_; }
  // For a state from elsewhere: whether a console with this cartridge can be in it.
  bool CanRestore(const ConsoleState& state) const;
  // Restores a state, and a picture, of a console with the same cartridge. Without a picture both
  // buffers keep their content.
  void Restore(const ConsoleState& state) {
    DrawLatestFrame();
    state_ = state;
  }
  void Restore(const ConsoleState& state, const Picture& picture) {
    state_ = state;
    picture_.CopyFrom(picture);
    latest_is_drawn_ = true;
    ForgetFrames();
  }
  // Writes to memory, like ale-py's setRAM.
  void set_ram(int address, std::uint8_t value) { state_.ram[address & 0x7F] = value; }

 private:
  // After this many repeatable frames in a row, the back buffer keeps only rows that some of these
  // frames did not draw.
  static constexpr int kManyFrames = 32;

  // Returns true if a new frame starts, false if the latest frame continues.
  bool BeginFrame();
  RunEnd Run(ConsoleState& state, Picture& picture, int instructions, bool draws = true) const;
  void ForgetFrames();
  // Counts a complete new frame that has drawn all rows up to this row.
  void CountFrame(int rows);
  // Whether the back buffer is absent because it would be blank.
  bool back_is_blank() const {
    return picture_.first_back_row() == lines() && repeatable_frames_ < 2;
  }
  // Draws, into the front buffer, the picture of the latest frame (1) or of the one before (2).
  void Repeat(int frame, Picture& picture) const;
  // Restores the missing rows of the back buffer.
  void AddBack(Picture& picture) const;
  // As AddBack, after a frame that has overwritten these rows in the front buffer. Restores the
  // front buffer afterwards.
  void SeparateBuffers();
  void GreyOut();

  std::shared_ptr<const Cartridge> cartridge_;
  ConsoleState state_;
  bool draws_ = true;
  bool latest_is_drawn_ = true;
  Picture picture_;  // Repeat(2) draws the missing rows of the back buffer
  // How many of the latest frames can be repeated, at most 2. Without a back buffer, the two blank
  // frames of a reset come before them.
  int repeatable_frames_ = 0;
  // The number of frames since the back buffer was last checked, all of them repeatable, and the
  // fewest rows that one of them drew.
  int frames_ = 0;
  int fewest_rows_ = std::numeric_limits<int>::max();
  // A ring of states at the starts of three frames: the next one, the one before the latest, and
  // the latest.
  ConsoleState begun_[3];
  int next_ = 0;
};

}  // namespace engine::atari2600

#endif  // ENGINE_EMULATORS_ATARI2600_CONSOLE_H_
