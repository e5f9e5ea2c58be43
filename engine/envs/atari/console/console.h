// An Atari 2600 with a cartridge in it: the processor, the TIA and the RIOT of
// one console, run frame by frame. Used by one thread at a time.
//
// Its memory is one buffer of the picture and some states. A frame that the TIA
// draws to its end overwrites all of the picture, and can be repeated from the
// state that it began with; so can the first two frames after a reset, which
// begin with blank buffers. The second buffer is there only for a while after a
// frame of another kind: when one comes and there is one buffer, what the other
// one would hold is drawn again.
#ifndef ENGINE_ENVS_ATARI_CONSOLE_CONSOLE_H_
#define ENGINE_ENVS_ATARI_CONSOLE_CONSOLE_H_

#include <cstdint>
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
      : cartridge_(std::move(cartridge)), state_(state), picture_(state.tia.setup().lines) {}

  // The power switch; memory stays as it is. `random` gives the timer's value and what is in
  // the cartridge's memory.
  void Reset(std::mt19937& random);
  // The same with a TIA that is set up otherwise.
  void Reset(const TiaSetup& setup, std::mt19937& random);

  // Runs until vertical sync ends, or for kMostInstructions. Never takes more than a few
  // milliseconds, whatever the program does. Allocates only when a frame begins to need the
  // picture's second buffer.
  void RunFrame();

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
  // Whether the console does without the second buffer at present.
  bool has_one_buffer() const { return !picture_.has_back(); }
  const Cartridge& cartridge() const { return *cartridge_; }
  // Takes a state, and a picture, of a console with the same cartridge. Without a picture both
  // buffers keep what they hold.
  void Restore(const ConsoleState& state) { state_ = state; }
  void Restore(const ConsoleState& state, const Picture& picture) {
    state_ = state;
    picture_.CopyFrom(picture);
    repeatable_frames_ = 0;
  }
  // Writes to memory, as ale-py's setRAM.
  void set_ram(int address, std::uint8_t value) { state_.ram[address & 0x7F] = value; }

 private:
  // After so many repeatable frames in a row there is one buffer.
  static constexpr int kManyFrames = 32;

  // True when it is a new frame, false when the latest one goes on.
  bool BeginFrame();
  RunEnd Run(ConsoleState& state, Picture& picture, int instructions) const;
  // Without a back buffer: whether the next frame's would be blank.
  bool back_is_blank() const { return repeatable_frames_ < 2; }
  // Draws into the front buffer what the latest frame shows (1) or the one before (2).
  void Repeat(int frame, Picture& picture) const;
  // Gives the back buffer memory, with what it would hold.
  void AddBack(Picture& picture) const;
  // The same after a frame that has overwritten the only buffer, which is put right.
  void SeparateBuffers();
  void GreyOut();

  std::shared_ptr<const Cartridge> cartridge_;
  ConsoleState state_;
  Picture picture_;  // without a back buffer: Repeat(2) draws what it would hold
  // How many of the latest frames, at most kManyFrames, can be repeated. When there is no back
  // buffer, before them are the two blank ones of a reset.
  int repeatable_frames_ = 0;
  // Where frames began: the next one, and, going round, the one before the latest, the latest.
  ConsoleState begun_[3];
  int next_ = 0;
};

}  // namespace engine::atari

#endif  // ENGINE_ENVS_ATARI_CONSOLE_CONSOLE_H_
