// The last two pictures of the previous step, drawn again on request.
//
// The reference pipelines keep the pictures from which a step's observation is pooled. If the last
// frame of a step ends the episode, they pool the pictures of the previous step and the last but
// one picture of this step. Such a step is one in thousands, so an environment does not store
// pictures. It stores the state from which it can draw them, and only the rows that the console did
// not draw in these frames. Used by one thread at a time.
#ifndef ENGINE_ENVS_ATARI_LAST_FRAMES_H_
#define ENGINE_ENVS_ATARI_LAST_FRAMES_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "engine/emulators/atari2600/console.h"
#include "engine/env/state.h"

namespace engine::atari {

class LastFrames {
 public:
  // Call after a reset: there is then no previous step.
  void Forget() { now_.known = false; }
  // Call at the beginning of a step. Returns whether there is a previous step for Draw().
  bool BeginStep() {
    std::swap(before_, now_);
    now_.known = false;
    return before_.known;
  }
  // Call just before and just after the last but one frame of a step.
  void Before(const atari2600::Console& console) { now_.begun = console.state(); }
  void AfterFirst(const atari2600::Console& console) { now_.frame[0].Keep(console); }
  // Call after the last frame of the step.
  void AfterSecond(const atari2600::Console& console) {
    now_.frame[1].Keep(console);
    now_.known = true;
  }

  // Call only between steps.
  void Save(StateWriter& state) const;
  // `console`: any console of the game.
  void Load(const atari2600::Console& console, StateReader& state);

  // Draws the pictures of the previous step, in the console's size. Requires a previous step.
  void Draw(std::shared_ptr<const atari2600::Cartridge> cartridge, std::uint8_t* first,
            std::uint8_t* second) const;

 private:
  struct Frame {
    void Keep(const atari2600::Console& console);
    void Draw(atari2600::Console& console, std::uint8_t* picture) const;

    atari2600::ConsoleInputs inputs;
    std::vector<std::uint8_t> rows;  // the last rows, which the frame may not have drawn
  };
  struct Step {
    bool known = false;
    atari2600::ConsoleState begun;
    Frame frame[2];
  };

  Step before_;
  Step now_;
};

}  // namespace engine::atari

#endif  // ENGINE_ENVS_ATARI_LAST_FRAMES_H_
