// An OpenGL context made with EGL, with or without a graphics processor. Any thread.
#ifndef ENGINE_ENVS_MUJOCO_EGL_CONTEXT_H_
#define ENGINE_ENVS_MUJOCO_EGL_CONTEXT_H_

#include <memory>

#include "engine/envs/mujoco/gl_context.h"

namespace engine::mujoco {

// The environment variable MUJOCO_EGL_DEVICE_ID chooses the device, as for MuJoCo's own Python
// package. Throws Error{kRenderMode}.
std::unique_ptr<GlContext> OpenEglContext();

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_EGL_CONTEXT_H_
