// Proves that the open library keeps its data where the layout of its version says: a library that
// somebody has built otherwise (with floats, or from sources between two versions) may state the
// version of a release. Called once, by Open.
#ifndef ENGINE_ENVS_MUJOCO_PROBE_H_
#define ENGINE_ENVS_MUJOCO_PROBE_H_

namespace engine::mujoco {

// Compiles a small model of which every used member is known, computes a state of it, and reads all
// of them through UsedLayout(). Throws Error{kInternal} for the first that differs.
// Requires: Library() and UsedLayout() are set.
void CheckLayout();

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_PROBE_H_
