// See the header. The declarations follow the EGL 1.5 specification and EGL_EXT_device_enumeration,
// so that no EGL header has to be installed.
#include "engine/envs/mujoco/egl_context.h"

#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "engine/base/error.h"

namespace engine::mujoco {
namespace {

using Int = std::int32_t;
using Boolean = unsigned int;
using Handle = void*;

constexpr const char* kLibrary = "libEGL.so.1";
constexpr unsigned kOpenGlApi = 0x30A2;
constexpr unsigned kPlatformDevice = 0x313F;
constexpr Int kDraw = 0x3059;
constexpr Int kRead = 0x305A;
constexpr Int kNone = 0x3038;
constexpr Int kWanted[] = {0x3024, 8,       // red, bits
                           0x3023, 8,       // green
                           0x3022, 8,       // blue
                           0x3021, 8,       // alpha
                           0x3025, 24,      // depth
                           0x3026, 8,       // stencil
                           0x303F, 0x308E,  // color buffer type: RGB
                           0x3033, 0x0001,  // surface type: pbuffer
                           0x3040, 0x0008,  // renderable type: OpenGL
                           kNone};

struct Egl {
  Handle (*get_proc_address)(const char*) = nullptr;
  Boolean (*initialize)(Handle display, Int* major, Int* minor) = nullptr;
  Boolean (*choose_config)(Handle display, const Int* wanted, Handle* configs, Int size,
                           Int* found) = nullptr;
  Boolean (*bind_api)(unsigned api) = nullptr;
  Handle (*create_context)(Handle display, Handle config, Handle share, const Int*) = nullptr;
  Boolean (*destroy_context)(Handle display, Handle context) = nullptr;
  Boolean (*make_current)(Handle display, Handle draw, Handle read, Handle context) = nullptr;
  Handle (*get_current_display)() = nullptr;
  Handle (*get_current_context)() = nullptr;
  Handle (*get_current_surface)(Int which) = nullptr;
  Boolean (*query_devices)(Int size, Handle* devices, Int* found) = nullptr;
  Handle (*get_platform_display)(unsigned platform, Handle device, const Int*) = nullptr;
};

[[noreturn]] void FailEgl(const std::string& problem) {
  throw Error(ErrorKind::kRenderMode, "EGL: " + problem);
}

template <class Function>
void Set(Function& function, Handle symbol, const char* name) {
  if (symbol == nullptr) FailEgl(std::string("there is no ") + name);
  std::memcpy(&function, &symbol, sizeof symbol);
}

Egl LoadEgl() {
  void* const library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);  // never closed
  if (library == nullptr) FailEgl(dlerror());
  Egl egl;
  const auto core = [&](auto& function, const char* name) {
    Set(function, dlsym(library, name), name);
  };
  core(egl.get_proc_address, "eglGetProcAddress");
  core(egl.initialize, "eglInitialize");
  core(egl.choose_config, "eglChooseConfig");
  core(egl.bind_api, "eglBindAPI");
  core(egl.create_context, "eglCreateContext");
  core(egl.destroy_context, "eglDestroyContext");
  core(egl.make_current, "eglMakeCurrent");
  core(egl.get_current_display, "eglGetCurrentDisplay");
  core(egl.get_current_context, "eglGetCurrentContext");
  core(egl.get_current_surface, "eglGetCurrentSurface");
  const auto extension = [&](auto& function, const char* name) {
    Set(function, egl.get_proc_address(name), name);
  };
  extension(egl.query_devices, "eglQueryDevicesEXT");
  extension(egl.get_platform_display, "eglGetPlatformDisplayEXT");
  return egl;
}

const Egl& TheEgl() {
  static const Egl egl = LoadEgl();  // if LoadEgl throws, the next call repeats it
  return egl;
}

// Returns all devices, or only the device that MUJOCO_EGL_DEVICE_ID chooses.
std::vector<Handle> Devices(const Egl& egl) {
  std::vector<Handle> devices(64);
  Int found = 0;
  if (egl.query_devices(static_cast<Int>(devices.size()), devices.data(), &found) == 0) found = 0;
  devices.resize(static_cast<std::size_t>(found));
  const char* const chosen = std::getenv("MUJOCO_EGL_DEVICE_ID");
  if (chosen == nullptr) return devices;
  char* end = nullptr;
  const long index = std::strtol(chosen, &end, 10);
  if (*chosen == '\0' || *end != '\0' || index < 0 || index >= found) {
    FailEgl("MUJOCO_EGL_DEVICE_ID: expected an integer in [0, " + std::to_string(found - 1) +
            "], got \"" + chosen + "\"");
  }
  return {devices[static_cast<std::size_t>(index)]};
}

Handle OpenDisplay(const Egl& egl) {
  for (const Handle device : Devices(egl)) {
    const Handle display = egl.get_platform_display(kPlatformDevice, device, nullptr);
    // The display stays open, because other libraries may use it. No library closes it.
    if (display != nullptr && egl.initialize(display, nullptr, nullptr) != 0) return display;
  }
  FailEgl("none of its devices could be opened");
}

class EglContext final : public GlContext {
 public:
  EglContext() : display_(OpenDisplay(TheEgl())) {
    const Egl& egl = TheEgl();
    Handle config = nullptr;
    Int found = 0;
    if (egl.choose_config(display_, kWanted, &config, 1, &found) == 0 || found < 1) {
      FailEgl("no framebuffer of 8 bits a color and 24 bits of depth");
    }
    egl.bind_api(kOpenGlApi);
    context_ = egl.create_context(display_, config, nullptr, nullptr);
    if (context_ == nullptr) FailEgl("no context of OpenGL could be made");
  }
  ~EglContext() override { TheEgl().destroy_context(display_, context_); }

  std::unique_ptr<Current> MakeCurrent() const override {
    return std::make_unique<EglCurrent>(*this);
  }

 private:
  class EglCurrent final : public Current {
   public:
    explicit EglCurrent(const EglContext& context)
        : display_(context.display_),
          earlier_display_(TheEgl().get_current_display()),
          earlier_context_(TheEgl().get_current_context()),
          earlier_draw_(TheEgl().get_current_surface(kDraw)),
          earlier_read_(TheEgl().get_current_surface(kRead)) {
      const Egl& egl = TheEgl();
      egl.bind_api(kOpenGlApi);  // a setting of the calling thread
      if (egl.make_current(display_, nullptr, nullptr, context.context_) == 0) {
        FailEgl("the context could not be made current in a thread");
      }
    }
    ~EglCurrent() override {
      const Egl& egl = TheEgl();
      if (earlier_context_ == nullptr) {
        egl.make_current(display_, nullptr, nullptr, nullptr);
      } else {
        egl.make_current(earlier_display_, earlier_draw_, earlier_read_, earlier_context_);
      }
    }

   private:
    Handle display_;
    Handle earlier_display_;
    Handle earlier_context_;
    Handle earlier_draw_;
    Handle earlier_read_;
  };

  Handle display_;
  Handle context_ = nullptr;
};

}  // namespace

std::unique_ptr<GlContext> OpenEglContext() {
  auto context = std::make_unique<EglContext>();
  // MuJoCo looks for eglGetProcAddress among global symbols. The library becomes global only now,
  // because MuJoCo must not find this symbol if EGL does not work.
  if (dlopen(kLibrary, RTLD_NOW | RTLD_GLOBAL) == nullptr) FailEgl(dlerror());
  return context;
}

}  // namespace engine::mujoco
