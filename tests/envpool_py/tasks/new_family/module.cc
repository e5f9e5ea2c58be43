// The extension module pond._pond. Importing it registers the tasks of a family that exists only in
// a test.
#include <envpool.h>

#include "pond.h"

ENVPOOL_PLUGIN(_pond) {
  registry.Add<Pond>("Pond-v0", {.max_episode_steps = 20, .reward_threshold = 0.5});
  registry.Add<Pond>("WidePond-v0", {.max_episode_steps = 60}, Pond::OptionsOf(12));
}
