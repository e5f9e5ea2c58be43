// The last two pictures of the step before, drawn again when they are asked for.
//
// The pipelines keep the pictures that a step is pooled from, and a step whose
// last frame ends the episode is pooled from those of the step before and from
// its own last but one. That is one step in thousands, so no environment keeps
// pictures: it keeps the state that they can be drawn from, and only those of
// their rows that the console did not draw in these frames. Used by one thread
// at a time.
#ifndef ENGINE_ENVS_ATARI_LAST_FRAMES_H_
#define ENGINE_ENVS_ATARI_LAST_FRAMES_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "engine/envs/atari/console/console.h"

namespace engine::atari {

class LastFrames {
 public:
  // After a reset: there is no step before.
  void Forget() { now_.known = false; }
  // At the beginning of a step. Returns whether there was one before, which Draw() draws.
  bool BeginStep() {
    std::swap(before_, now_);
    now_.known = false;
    return before_.known;
  }
  // Just before a step's last frame but one, and after it.
  void Before(const Console& console) { now_.begun = console.state(); }
  void AfterFirst(const Console& console) { now_.frame[0].Keep(console); }
  // After the step's last frame.
  void AfterSecond(const Console& console) {
    now_.frame[1].Keep(console);
    now_.known = true;
  }

  // Draws the pictures of the step before, of the console's size. Requires that there was one.
  void Draw(std::shared_ptr<const Cartridge> cartridge, std::uint8_t* first,
            std::uint8_t* second) const;

 private:
  struct Frame {
    void Keep(const Console& console);
    void Draw(Console& console, std::uint8_t* picture) const;

    ConsoleInputs inputs;
    std::vector<std::uint8_t> rows;  // the last ones, that the frame may not have drawn
  };
  struct Step {
    bool known = false;
    ConsoleState begun;
    Frame frame[2];
  };

  Step before_;
  Step now_;
};

}  // namespace engine::atari

#endif  // ENGINE_ENVS_ATARI_LAST_FRAMES_H_
