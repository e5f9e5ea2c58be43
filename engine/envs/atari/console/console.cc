// See the header.
#include "engine/envs/atari/console/console.h"

#include <algorithm>

#include "engine/envs/atari/console/cpu.h"

namespace engine::atari {
namespace {

template <Mapper kMapper>
struct Machine {
  static RunEnd Run(const Cartridge& cartridge, ConsoleState& state, Picture& picture) {
    return Interpreter<kMapper>(cartridge, state, picture).Run(Console::kMostInstructions);
  }
  static RunEnd Reset(const Cartridge& cartridge, ConsoleState& state, Picture& picture) {
    Interpreter<kMapper>(cartridge, state, picture).Reset();
    return RunEnd::kInstructions;
  }
};

// Calls the function of the machine with the cartridge's mapper.
template <template <Mapper> typename M, typename Call>
RunEnd WithMapper(Mapper mapper, Call call) {
  switch (mapper) {
    case Mapper::k2K:
    case Mapper::k4K:
      return call(M<Mapper::k4K>{});
    case Mapper::kF8:
      return call(M<Mapper::kF8>{});
    case Mapper::kF8SC:
      return call(M<Mapper::kF8SC>{});
    case Mapper::kF6:
      return call(M<Mapper::kF6>{});
    case Mapper::kF6SC:
      return call(M<Mapper::kF6SC>{});
    case Mapper::kE0:
      return call(M<Mapper::kE0>{});
    case Mapper::kFE:
      return call(M<Mapper::kFE>{});
    case Mapper::kDPC:
      return call(M<Mapper::kDPC>{});
  }
  return RunEnd::kJammed;
}

}  // namespace

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
  WithMapper<Machine>(mapper, [this](auto machine) {
    return machine.Reset(*cartridge_, state_, picture_);
  });
}

void Console::RunFrame() {
  if (!state_.in_frame) {
    picture_.Swap();
    state_.tia.StartFrame(state_.cycles);
    state_.riot.StartFrame(state_.cycles);
    state_.cartridge.dpc.StartFrame(state_.cycles);
    state_.cycles = 0;
    state_.greyed = false;
  }
  state_.in_frame = true;
  RunEnd end = RunEnd::kJammed;
  if (!state_.jammed) {
    end = WithMapper<Machine>(cartridge_->mapper(), [this](auto machine) {
      return machine.Run(*cartridge_, state_, picture_);
    });
  }
  if (end == RunEnd::kFrame) {
    state_.in_frame = false;
    state_.tia.EndFrame(state_.cycles);
  } else {
    state_.jammed = end == RunEnd::kJammed;
    if (!state_.greyed) GreyOut();
    state_.greyed = true;
  }
  state_.tia.CatchUp(picture_);
}

// Takes the colour off what the unfinished frame has not reached.
void Console::GreyOut() {
  state_.tia.CatchUp(picture_);
  const int first = std::max(scanline() - state_.tia.setup().first_line, 0);
  for (int line = first; line < lines(); ++line) {
    std::uint8_t* const row = picture_.Row(line);
    for (int x = 0; x < kWidth; ++x) row[x] = static_cast<std::uint8_t>((row[x] & 0x0F) >> 1);
  }
}

}  // namespace engine::atari
