// An OpenGL context without a window. The libraries are opened at run time:
// nothing here is needed by pools that do not render. Any thread.
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

  // While one of these lives, the context is that of the thread that made it; then the thread has
  // again the one that it had before, which may be that of another library.
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

// By EGL or OSMesa, as the environment variable MUJOCO_GL says; where it names neither, by the
// first of them that works. As MuJoCo binds its functions of OpenGL once, all contexts of a process
// are of one kind. Throws Error{kRenderMode} that says what to install.
std::unique_ptr<GlContext> OpenGlContext();

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_GL_CONTEXT_H_
