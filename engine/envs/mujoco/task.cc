// See the header.
#include "engine/envs/mujoco/task.h"

namespace engine::mujoco {

void Task::ResetWithNoise(double scale, Velocities velocities, Rng& rng) {
  scale += 0.0;  // -0.0 becomes 0.0, because the width of the interval must not be -0.0
  simulation_.BeginReset();
  AddUniform(simulation_.qpos(), scale, rng);
  if (velocities == Velocities::kNormal) {
    AddNormal(simulation_.qvel(), scale, rng);
  } else {
    AddUniform(simulation_.qvel(), scale, rng);
  }
  simulation_.EndReset();
}

void Task::PutState(RowWriter& writer, std::size_t skipped_qpos) const {
  writer.Put(simulation_.qpos().subspan(skipped_qpos));
  writer.Put(simulation_.qvel());
}

}  // namespace engine::mujoco
