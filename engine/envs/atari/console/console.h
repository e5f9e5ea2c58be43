// An Atari 2600 with a cartridge in it: the processor, the TIA and the RIOT of
// one console, run frame by frame. Used by one thread at a time.
//
// Its memory is one buffer of the picture and some states. The rows that the
// TIA draws to their ends in every frame of a game, mostly all of them, need no
// second buffer: a frame overwrites them, and can be repeated from the state
// that it began with. So can the first two frames after a reset, which begin
// with blank buffers. A frame of another kind may come all the same; then what
// the missing rows would hold is drawn again, and they are there for a while.
#ifndef ENGINE_ENVS_ATARI_CONSOLE_CONSOLE_H_
#define ENGINE_ENVS_ATARI_CONSOLE_CONSOLE_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <span>
#include <utility>

#include "engine/envs/atari/console/cartridge.h"
#include "engine/envs/atari/console/console_state.h"
#include "engine/envs/atari/console/picture.h"

namespace engine::atari {

// How a run of the processor ended.
enum class RunEnd : std::uint8_t {
  kFrame,         // the frame is complete
  kInstructions,  // it ran as many instructions as it was given
  kJammed,        // an opcode that halts it
};

class Console {
 public:
  // A frame in which the program never synchronises ends after so many instructions.
  static constexpr int kMostInstructions = 25'000;
  // A frame that goes on for more than so many cycles, over a minute, is given up.
  static constexpr std::int32_t kMostCycles = 100'000'000;

  // `random` gives what is in memory when the power comes on. Reset() comes first.
  Console(std::shared_ptr<const Cartridge> cartridge, const TiaSetup& setup, std::mt19937& random);
  // A console in the state of another one with this cartridge.
  Console(std::shared_ptr<const Cartridge> cartridge, const ConsoleState& state)
      : cartridge_(std::move(cartridge)), state_(state), picture_(state.tia.setup().lines) {
    picture_.DropBackRows(lines());
  }

  // The power switch; memory stays as it is. `random` gives the timer's value and what is in
  // the cartridge's memory.
  void Reset(std::mt19937& random);
  // The same with a TIA that is set up otherwise.
  void Reset(const TiaSetup& setup, std::mt19937& random);

  // Runs until vertical sync ends, or for kMostInstructions. Never takes more than a few
  // milliseconds, whatever the program does. Allocates only when the frames
  // become others than before, of fewer rows or, for long, of more.
  void RunFrame();

  // Whether the frames to come are drawn: it is faster to draw none that nobody will see. Until the
  // next drawn one pixels() means nothing.
  void DrawFrames(bool draw) { draws_ = draw; }
  // Draws the latest frame if it has not been drawn. Takes as long as a frame.
  void DrawLatestFrame();

  // Runs one instruction: for tests and for looking at what a program does. True when the frame
  // ends with it.
  bool StepInstruction();
  // What the processor would read of memory or ROM, without reading it: no switching of banks.
  // The TIA's and the timer's registers read as 0.
  std::uint8_t Peek(int address) const;
  // For tests: the processor goes on from here.
  void set_cpu(const CpuState& cpu) { state_.cpu = cpu; }

  ConsoleInputs& inputs() { return state_.inputs; }
  const std::uint8_t* ram() const { return state_.ram; }
  const std::uint8_t* cartridge_ram() const { return state_.cartridge.ram; }
  std::span<const std::uint8_t> pixels() const { return picture_.pixels(); }
  int lines() const { return state_.tia.setup().lines; }
  // At which scanline the frame stands.
  int scanline() const { return state_.tia.Scanline(state_.cycles); }
  // The processor halted at an opcode that no program uses on purpose: it stays where it is.
  bool jammed() const { return state_.jammed; }

  const ConsoleState& state() const { return state_; }
  // A copy with both buffers.
  Picture picture() const;
  // Memory that the picture takes at present.
  std::size_t picture_bytes() const { return picture_.bytes(); }
  const Cartridge& cartridge() const { return *cartridge_; }
  // Takes a state, and a picture, of a console with the same cartridge. Without a picture both
  // buffers keep what they hold.
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
  // Writes to memory, as ale-py's setRAM.
  void set_ram(int address, std::uint8_t value) { state_.ram[address & 0x7F] = value; }

 private:
  // After so many repeatable frames in a row the back buffer keeps the rows that one of them did
  // not draw.
  static constexpr int kManyFrames = 32;

  // True when it is a new frame, false when the latest one goes on.
  bool BeginFrame();
  RunEnd Run(ConsoleState& state, Picture& picture, int instructions, bool draws = true) const;
  void ForgetFrames();
  // A new frame, drawn to this row and complete.
  void CountFrame(int rows);
  // Whether there is no back buffer because it would be blank.
  bool back_is_blank() const {
    return picture_.first_back_row() == lines() && repeatable_frames_ < 2;
  }
  // Draws, into the front buffer, what the latest frame shows (1) or the one before (2).
  void Repeat(int frame, Picture& picture) const;
  // Makes the back buffer's missing rows, with what they would hold.
  void AddBack(Picture& picture) const;
  // The same after a frame that has overwritten them in the front buffer, which is put right.
  void SeparateBuffers();
  void GreyOut();

  std::shared_ptr<const Cartridge> cartridge_;
  ConsoleState state_;
  bool draws_ = true;
  bool latest_is_drawn_ = true;
  Picture picture_;  // Repeat(2) draws what the back buffer's missing rows would hold
  // How many of the latest frames can be repeated, 2 at most. Before them are, when there is no
  // back buffer, the two blank ones of a reset.
  int repeatable_frames_ = 0;
  // Frames since the back buffer was last looked at, all repeatable, and the fewest rows drawn.
  int frames_ = 0;
  int fewest_rows_ = std::numeric_limits<int>::max();
  // Where frames began: the next one, and, going round, the one before the latest, the latest.
  ConsoleState begun_[3];
  int next_ = 0;
};

}  // namespace engine::atari

#endif  // ENGINE_ENVS_ATARI_CONSOLE_CONSOLE_H_
