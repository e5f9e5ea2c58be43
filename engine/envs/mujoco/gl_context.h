// An OpenGL context without a window. The OpenGL libraries are opened at run time, so that pools
// that do not render do not need them. Any thread.
#ifndef ENGINE_ENVS_MUJOCO_GL_CONTEXT_H_
#define ENGINE_ENVS_MUJOCO_GL_CONTEXT_H_

#include <memory>

namespace engine::mujoco {

class GlContext {
 public:
  GlContext() = default;
  virtual ~GlContext() = default;
  GlContext(const GlContext&) = delete;
  GlContext& operator=(const GlContext&) = delete;

  // Makes the context current in the constructing thread. The destructor restores the thread's
  // previous context, which may belong to another library.
  class Current {
   public:
    Current() = default;
    virtual ~Current() = default;
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;
  };
  // One thread at a time. Throws Error{kRenderMode}.
  virtual std::unique_ptr<Current> MakeCurrent() const = 0;
};

// Opens a context with EGL or OSMesa, as the environment variable MUJOCO_GL requests. Without a
// request, uses the first of the two that works. MuJoCo binds its OpenGL functions once, so all
// contexts of a process are of the same kind. Throws Error{kRenderMode} with a message that says
// what to install.
std::unique_ptr<GlContext> OpenGlContext();

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_GL_CONTEXT_H_
