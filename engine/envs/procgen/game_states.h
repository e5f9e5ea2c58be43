// The first states of the games that the library makes together, as ProcgenGym3Env(num=N) does. The
// library draws the seeds of these games one after the other, so the only way to game n is to make
// the games up to it; its state then continues in a handle of its own. Any thread.
#ifndef ENGINE_ENVS_PROCGEN_GAME_STATES_H_
#define ENGINE_ENVS_PROCGEN_GAME_STATES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/mutex.h"
#include "engine/envs/procgen/handle.h"

namespace engine::procgen {

class GameStates {
 public:
  // Returns the first state of game `game` of those made with `seed`. Makes all games up to it, and
  // as many as for the previous seed, unless an earlier call has made them and no call has taken
  // this one. Each state is returned once and then forgotten.
  std::string Take(const GameOptions& options, std::int32_t seed, std::size_t game);

 private:
  Mutex mutex_;
  std::int32_t seed_ ENGINE_GUARDED_BY(mutex_) = 0;
  std::vector<std::string> states_ ENGINE_GUARDED_BY(mutex_);  // by game; empty: taken
};

}  // namespace engine::procgen

#endif  // ENGINE_ENVS_PROCGEN_GAME_STATES_H_
