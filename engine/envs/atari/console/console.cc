// See the header.
#include "engine/envs/atari/console/console.h"

#include <algorithm>

#include "engine/envs/atari/console/machine.h"

namespace engine::atari {
Console::Console(std::shared_ptr<const Cartridge> cartridge, const TiaSetup& setup,
                 std::mt19937& random)
    : cartridge_(std::move(cartridge)), picture_(setup.lines) {
  for (std::uint8_t& byte : state_.ram) byte = static_cast<std::uint8_t>(random());
  random();  // the timer's, which the first reset draws again
  state_.tia.Reset(setup, 0);
}

void Console::Reset(std::mt19937& random) {
  const TiaSetup setup = state_.tia.setup();
  Reset(setup, random);
}

void Console::Reset(const TiaSetup& setup, std::mt19937& random) {
  if (setup.lines != state_.tia.setup().lines) picture_ = Picture(setup.lines);
  state_.cycles = 0;
  state_.in_frame = state_.greyed = state_.jammed = false;
  state_.riot.Reset(static_cast<std::uint8_t>(25 + random() % 75));
  state_.tia.Reset(setup, 0);
  picture_.Clear();
  CartridgeState& cartridge = state_.cartridge;
  if (cartridge_->ram_size() != 0) {
    for (std::uint8_t& byte : cartridge.ram) byte = static_cast<std::uint8_t>(random());
  }
  const Mapper mapper = cartridge_->mapper();
  cartridge.bank =
      mapper == Mapper::kF8 || mapper == Mapper::kF8SC || mapper == Mapper::kDPC ? 1 : 0;
  constexpr std::uint8_t kSlices[4] = {4, 5, 6, 7};
  std::copy_n(kSlices, 4, cartridge.slice);
  cartridge.dpc.Reset();
  state_.cpu = CpuState{};
  WithMapper(cartridge_->mapper(), [this]<Mapper kMapper>() {
    ResetMachine<kMapper>(*cartridge_, state_, picture_);
  });
}

void Console::BeginFrame() {
  // A program that has not synchronised for minutes gets a new frame, lest the counts overflow.
  if (state_.cycles > kMostCycles) state_.in_frame = false;
  if (!state_.in_frame) {
    picture_.Swap();
    state_.tia.StartFrame(state_.cycles);
    state_.riot.StartFrame(state_.cycles);
    state_.cartridge.dpc.StartFrame(state_.cycles);
    state_.cycles = 0;
    state_.greyed = false;
  }
  state_.in_frame = true;
}

RunEnd Console::Run(int instructions) {
  if (state_.jammed) return RunEnd::kJammed;
  const RunEnd end =
      WithMapper(cartridge_->mapper(), [this, instructions]<Mapper kMapper>() {
        return RunMachine<kMapper>(*cartridge_, state_, picture_, instructions);
      });
  state_.jammed = end == RunEnd::kJammed;
  if (end == RunEnd::kFrame) {
    state_.in_frame = false;
    state_.tia.EndFrame(state_.cycles);
  }
  state_.tia.CatchUp(picture_);
  return end;
}

void Console::RunFrame() {
  BeginFrame();
  if (Run(kMostInstructions) != RunEnd::kFrame && !state_.greyed) {
    GreyOut();
    state_.greyed = true;
  }
}

bool Console::StepInstruction() {
  BeginFrame();
  return Run(1) == RunEnd::kFrame;
}

std::uint8_t Console::Peek(int address) const {
  if ((address & 0x1000) == 0) return (address & 0x280) == 0x80 ? state_.ram[address & 0x7F] : 0;
  const CartridgeState& state = state_.cartridge;
  const int at = address & 0xFFF;
  switch (cartridge_->mapper()) {
    case Mapper::kFE:
      return cartridge_->rom()[at + ((address & 0x2000) != 0 ? 0 : 4096)];
    case Mapper::kE0:
      return cartridge_->rom()[(state.slice[at >> 10] << 10) + (at & 0x3FF)];
    default:
      if (cartridge_->ram_size() != 0 && at >= 0x80 && at < 0x100) return state.ram[at & 0x7F];
      return cartridge_->rom()[(state.bank << 12) + at];
  }
}

// Takes the colour off what the unfinished frame has not reached.
void Console::GreyOut() {
  const int first = std::max(scanline() - state_.tia.setup().first_line, 0);
  for (int line = first; line < lines(); ++line) {
    std::uint8_t* const row = picture_.Row(line);
    for (int x = 0; x < kWidth; ++x) row[x] = static_cast<std::uint8_t>((row[x] & 0x0F) >> 1);
  }
}

}  // namespace engine::atari
