// See the header.
#include "engine/envs/atari/games/game.h"

#include <string>

#include "engine/base/error.h"

namespace engine::atari {

void ModeDriver::Unreachable(int wanted) {
  throw Error(ErrorKind::kInternal, "mode: the cartridge's menu never reached " +
                                        std::to_string(wanted) + " within " +
                                        std::to_string(kMaxPresses) + " presses");
}

}  // namespace engine::atari
