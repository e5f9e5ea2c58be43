// An OpenGL context that OSMesa creates. It draws into memory and needs no driver. Any thread.
#ifndef ENGINE_ENVS_MUJOCO_OSMESA_CONTEXT_H_
#define ENGINE_ENVS_MUJOCO_OSMESA_CONTEXT_H_

#include <memory>

#include "engine/envs/mujoco/gl_context.h"

namespace engine::mujoco {

// Opens a context. Throws Error{kRenderMode} if OSMesa does not work.
std::unique_ptr<GlContext> OpenOsmesaContext();

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_OSMESA_CONTEXT_H_
