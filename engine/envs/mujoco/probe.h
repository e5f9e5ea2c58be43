// Checks that the open library has the data layout of its version. A library that was built with
// other settings (such as float numbers) or from unreleased sources may report the version of a
// release. Open calls this once.
#ifndef ENGINE_ENVS_MUJOCO_PROBE_H_
#define ENGINE_ENVS_MUJOCO_PROBE_H_

namespace engine::mujoco {

// Compiles a small model that has a known value for every used member, computes one state of it,
// and reads the values through UsedLayout(). Throws Error{kInternal} for the first value that
// differs. Requires: Library() and UsedLayout() are set.
void CheckLayout();

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_PROBE_H_
