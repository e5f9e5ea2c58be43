// See the header.
#include "engine/envs/mujoco/metaworld/goals.h"

namespace engine::mujoco::metaworld {
namespace {

Vector DrawPosition(const Space& space, RandomState& random) {
  Vector drawn;
  drawn.x = random.Uniform(space.low.x, space.high.x);
  drawn.y = random.Uniform(space.low.y, space.high.y);
  drawn.z = random.Uniform(space.low.z, space.high.z);
  return drawn;
}

GoalVector DrawGoal(const GoalSpace& space, RandomState& random) {
  GoalVector goal;
  do {
    goal.first = DrawPosition(space.first, random);
    if (space.has_two) goal.second = DrawPosition(space.second, random);
  } while (space.least_distance > 0.0 &&
           NormXy(goal.first - (space.fixed != nullptr ? *space.fixed : goal.second)) <
               space.least_distance);
  return goal;
}

}  // namespace

std::vector<GoalVector> DrawGoals(const GoalSpace& space, std::size_t count, RandomState& random) {
  std::vector<GoalVector> goals(count);
  for (GoalVector& goal : goals) {
    DrawGoal(space, random);
    goal = DrawGoal(space, random);
  }
  return goals;
}

}  // namespace engine::mujoco::metaworld
