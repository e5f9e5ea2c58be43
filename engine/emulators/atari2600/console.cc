#include "engine/emulators/atari2600/console.h"

#include <algorithm>

#include "engine/base/copied_bool.h"
#include "engine/emulators/atari2600/machine.h"

namespace engine::atari2600 {
Console::Console(std::shared_ptr<const Cartridge> cartridge, const TiaSetup& setup,
                 std::mt19937& random)
    : cartridge_(std::move(cartridge)), picture_(setup.lines) {
  for (std::uint8_t& byte : state_.ram) byte = static_cast<std::uint8_t>(random());
  random();  // drawn for the timer, which the first reset sets again
  state_.tia.Reset(setup, 0);
  picture_.DropBackRows(setup.lines);
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
  picture_.DropBackRows(setup.lines);
  picture_.Clear();
  ForgetFrames();
  latest_is_drawn_ = true;
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
  WithMapper(cartridge_->mapper(),
             [this]<Mapper kMapper>() { ResetMachine<kMapper>(*cartridge_, state_, picture_); });
}

bool Console::BeginFrame() {
  // If a program has not synchronised for minutes, a new frame begins, so that the counters do not
  // overflow.
  if (state_.cycles > kMaxCycles) state_.in_frame = false;
  if (state_.in_frame) {
    AddBack(picture_);  // a restored state may have no back buffer
    return false;
  }
  picture_.Swap();
  if (back_is_blank()) picture_.ClearRows(lines());
  state_.tia.StartFrame(state_.cycles);
  state_.riot.StartFrame(state_.cycles);
  state_.cartridge.dpc.StartFrame(state_.cycles);
  state_.cycles = 0;
  state_.greyed = false;
  state_.in_frame = true;
  return true;
}

RunEnd Console::Run(ConsoleState& state, Picture& picture, int instructions, bool draws) const {
  if (state.jammed) return RunEnd::kJammed;
  // Rows that have two buffers are always drawn, because a later frame may show them.
  picture.set_first_seen_row(draws ? 0 : picture.first_back_row());
  const RunEnd end = WithMapper(cartridge_->mapper(), [&, this]<Mapper kMapper>() {
    return RunMachine<kMapper>(*cartridge_, state, picture, instructions);
  });
  state.jammed = end == RunEnd::kJammed;
  if (end == RunEnd::kFrame) {
    state.in_frame = false;
    state.tia.EndFrame(state.cycles);
  }
  state.tia.CatchUp(picture);
  return end;
}

void Console::RunFrame() {
  const bool begins = BeginFrame();
  if (begins) begun_[next_] = state_;
  latest_is_drawn_ = draws_ || !begins;
  const RunEnd end = Run(state_, picture_, kMaxInstructions, latest_is_drawn_);
  const int rows = state_.tia.rows_drawn();
  if (begins && end == RunEnd::kFrame && (rows >= picture_.first_back_row() || back_is_blank()))
      [[likely]] {
    CountFrame(rows);
    return;
  }
  if (begins) SeparateBuffers();
  latest_is_drawn_ = true;
  ForgetFrames();
  if (end != RunEnd::kFrame && !state_.greyed) {
    GreyOut();
    state_.greyed = true;
  }
}

void Console::DrawLatestFrame() {
  if (latest_is_drawn_) return;
  Repeat(1, picture_);
  latest_is_drawn_ = true;
}

bool Console::StepInstruction() {
  DrawLatestFrame();
  AddBack(picture_);
  ForgetFrames();
  BeginFrame();
  return Run(state_, picture_, 1) == RunEnd::kFrame;
}

bool Console::CanRestore(const ConsoleState& state) const {
  const CartridgeState& cartridge = state.cartridge;
  return AreBools(state.in_frame, state.greyed, state.jammed) && 0 <= state.cycles &&
         state.cycles <= 2 * kMaxCycles && AreBools(state.inputs.tia.button_up) &&
         state.riot.IsValid() && state.tia.IsValid(state_.tia.setup()) &&
         cartridge.bank < cartridge_->program_size() / 4096 &&
         std::ranges::all_of(
             cartridge.slice, [](int slice) { return slice < 8; }) &&
         cartridge.dpc.IsValid();
}

Picture Console::picture() const {
  Picture copy(lines());
  copy.CopyFrom(picture_);
  copy.DropBackRows(picture_.first_back_row());
  if (!latest_is_drawn_) Repeat(1, copy);
  AddBack(copy);
  return copy;
}

void Console::ForgetFrames() {
  repeatable_frames_ = frames_ = 0;
  fewest_rows_ = lines();
}

void Console::CountFrame(int rows) {
  next_ = next_ == 2 ? 0 : next_ + 1;
  repeatable_frames_ = std::min(repeatable_frames_ + 1, 2);
  fewest_rows_ = std::min(fewest_rows_, rows);
  if (++frames_ < kManyFrames) return;
  picture_.DropBackRows(fewest_rows_);
  frames_ = 0;
  fewest_rows_ = lines();
}

void Console::Repeat(int frame, Picture& picture) const {
  if (frame > repeatable_frames_) return;
  ConsoleState state = begun_[(next_ + 3 - frame) % 3];
  Run(state, picture, kMaxInstructions);
}

void Console::AddBack(Picture& picture) const {
  if (picture.first_back_row() == 0) return;
  picture.AddBackRows();
  picture.Swap();
  Repeat(2, picture);
  picture.Swap();
}

void Console::SeparateBuffers() {
  const int missing = picture_.first_back_row();
  if (missing == 0) return;
  picture_.Swap();  // the buffers as before the frame, except for the rows that it has drawn
  AddBack(picture_);
  picture_.ClearRows(missing);
  Repeat(1, picture_);
  picture_.Swap();
  ConsoleState state = begun_[next_];
  Run(state, picture_, kMaxInstructions);
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

// Removes the colour from the part that the unfinished frame has not reached.
void Console::GreyOut() {
  const int first = std::max(scanline() - state_.tia.setup().first_line, 0);
  for (int line = first; line < lines(); ++line) {
    std::uint8_t* const row = picture_.Row(line);
    for (int x = 0; x < kWidth; ++x) row[x] = static_cast<std::uint8_t>((row[x] & 0x0F) >> 1);
  }
}

}  // namespace engine::atari2600
