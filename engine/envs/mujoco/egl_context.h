// An OpenGL context that EGL creates, with or without a graphics processor. Any thread.
#ifndef ENGINE_ENVS_MUJOCO_EGL_CONTEXT_H_
#define ENGINE_ENVS_MUJOCO_EGL_CONTEXT_H_

#include <memory>

#include "engine/envs/mujoco/gl_context.h"

namespace engine::mujoco {

// Opens a context. As for MuJoCo's own Python package, the environment variable
// MUJOCO_EGL_DEVICE_ID chooses the device. Throws Error{kRenderMode} if EGL does not work.
std::unique_ptr<GlContext> OpenEglContext();

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_EGL_CONTEXT_H_
