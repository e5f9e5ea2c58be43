#include "engine/env/players.h"

#include <string>

#include "engine/base/error.h"

namespace engine {

void PlayerActions::ThrowNoAction(std::size_t player) const {
  throw Error(ErrorKind::kInternal,
              "player " + std::to_string(player) + " has no action: expected a player in [0, " +
                  std::to_string(size()) + ") that takes part in this step (Has)");
}

}  // namespace engine
