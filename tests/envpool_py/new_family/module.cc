// The extension module pond._pond: importing it registers the tasks of the
// family that only a test has.
#include <envpool.h>

#include "pond.h"

ENVPOOL_PLUGIN(_pond) {
  registry.Add<Pond>("Pond-v0", {.max_episode_steps = 20, .reward_threshold = 0.5});
  registry.Add<Pond>("WidePond-v0", {.max_episode_steps = 60}, Pond::OptionsOf(12));
}
