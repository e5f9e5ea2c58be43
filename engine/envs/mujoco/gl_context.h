// An OpenGL context without a window, by EGL. The library is opened at run
// time: nothing here is needed by pools that do not render.
#ifndef ENGINE_ENVS_MUJOCO_GL_CONTEXT_H_
#define ENGINE_ENVS_MUJOCO_GL_CONTEXT_H_

namespace engine::mujoco {

class GlContext {
 public:
  // Throws Error{kRenderMode} that says what to install. The environment variable
  // MUJOCO_EGL_DEVICE_ID chooses the device, as for MuJoCo's own Python package.
  GlContext();
  ~GlContext();
  GlContext(const GlContext&) = delete;
  GlContext& operator=(const GlContext&) = delete;

  // Makes the context that of the calling thread, as long as it lives; then the thread has again
  // the one that it had before, which may be that of another library. One thread at a time.
  class Current {
   public:
    explicit Current(const GlContext& context);
    ~Current();
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;

   private:
    void* display_;
    void* earlier_display_;
    void* earlier_context_;
    void* earlier_draw_;
    void* earlier_read_;
  };

 private:
  void* display_ = nullptr;
  void* context_ = nullptr;
};

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_GL_CONTEXT_H_
