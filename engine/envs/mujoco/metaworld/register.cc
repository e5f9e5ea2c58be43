// The ids and limits of MetaWorld 3.1.1's tasks.
#include "engine/envs/mujoco/metaworld/register.h"

#include <memory>
#include <string>

#include "engine/envs/mujoco/metaworld/rules.h"
#include "engine/envs/mujoco/metaworld/sawyer.h"

namespace engine::mujoco::metaworld {

void RegisterMetaWorld(Registry& registry) {
  for (const std::unique_ptr<const Rules>& rules : AllRules()) {
    registry.Add<Sawyer>("MetaWorld/" + std::string(rules->description().name) + "-v3",
                         {.max_episode_steps = 500}, Sawyer::OptionsOf(*rules));
  }
}

}  // namespace engine::mujoco::metaworld
