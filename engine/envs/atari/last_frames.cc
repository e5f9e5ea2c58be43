// See the header.
#include "engine/envs/atari/last_frames.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <utility>

#include "engine/base/copied_bool.h"

namespace engine::atari {

void LastFrames::Frame::Keep(const atari2600::Console& console) {
  inputs = console.state().inputs;
  // Keeps the rows that the console has in two buffers. The frame has drawn all rows above them.
  const std::span<const std::uint8_t> pixels = console.pixels();
  const std::size_t kept = console.picture_bytes() - pixels.size();
  rows.assign(pixels.end() - static_cast<std::ptrdiff_t>(kept), pixels.end());
}

void LastFrames::Frame::Draw(atari2600::Console& console, std::uint8_t* picture) const {
  console.inputs() = inputs;
  console.RunFrame();
  const std::span<const std::uint8_t> pixels = console.pixels();
  std::ranges::copy(pixels, picture);
  std::ranges::copy(rows, picture + (pixels.size() - rows.size()));
}

// Saves only the latest step, because the next BeginStep() drops the step before it.
void LastFrames::Save(StateWriter& state) const {
  state.Put(now_.known);
  if (!now_.known) return;
  state.Put(now_.begun);
  for (const Frame& frame : now_.frame) {
    state.Put(frame.inputs);
    state.PutAll(std::span(frame.rows));
  }
}

void LastFrames::Load(const atari2600::Console& console, StateReader& state) {
  Step now;
  state.Get(now.known);
  if (now.known) {
    state.Get(now.begun);
    ExpectState(console.CanRestore(now.begun), "a console at the start of a frame");
    for (Frame& frame : now.frame) {
      state.Get(frame.inputs);
      frame.rows = state.GetVector<std::uint8_t>();
      ExpectState(
          AreBools(frame.inputs.tia.button_up) && frame.rows.size() <= console.pixels().size(),
          "the rows of a frame");
    }
  }
  now_ = std::move(now);
}

void LastFrames::Draw(std::shared_ptr<const atari2600::Cartridge> cartridge, std::uint8_t* first,
                      std::uint8_t* second) const {
  atari2600::Console console(std::move(cartridge), before_.begun);
  before_.frame[0].Draw(console, first);
  before_.frame[1].Draw(console, second);
}

}  // namespace engine::atari
