// An OpenGL context without a window. The libraries are opened at run time, so that pools that do
// not render need none. Any thread.
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

  // Makes the context current in the thread that constructs it. The destructor restores the
  // thread's previous context, which may belong to another library.
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

// Uses EGL or OSMesa, as the environment variable MUJOCO_GL says; if it names neither, the first
// that works. MuJoCo binds its OpenGL functions once, so all contexts of a process are of one kind.
// Throws Error{kRenderMode} that says what to install.
std::unique_ptr<GlContext> OpenGlContext();

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_GL_CONTEXT_H_
