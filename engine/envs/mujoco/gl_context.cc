// See the header.
#include "engine/envs/mujoco/gl_context.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <iterator>
#include <mutex>
#include <string>

#include "engine/base/error.h"
#include "engine/envs/mujoco/egl_context.h"
#include "engine/envs/mujoco/osmesa_context.h"

namespace engine::mujoco {
namespace {

struct Kind {
  const char* name;  // value of MUJOCO_GL
  std::unique_ptr<GlContext> (*open)();
};
constexpr Kind kKinds[] = {{"egl", &OpenEglContext}, {"osmesa", &OpenOsmesaContext}};

// The values of MUJOCO_GL for which MuJoCo's own package opens windows (kWindows) or does not
// render (kNothing).
constexpr const char* kWindows[] = {"", "enable", "enabled", "on", "true", "1", "glfw", "glx"};
constexpr const char* kNothing[] = {"disable", "disabled", "off", "false", "0"};

// Reads MUJOCO_GL in lower case, as MuJoCo's package does. Unlike the package, keeps surrounding
// blanks.
std::string Setting() {
  const char* const value = std::getenv("MUJOCO_GL");
  std::string setting = value == nullptr ? "" : value;
  std::ranges::transform(setting, setting.begin(),
                         [](unsigned char letter) { return std::tolower(letter); });
  return setting;
}

[[noreturn]] void ThrowSetting(const std::string& problem) {
  throw Error(ErrorKind::kRenderMode, "MUJOCO_GL: " + problem);
}

// Returns the requested kind, or nullptr if OpenGlContext uses the first kind that works.
const Kind* ChosenKind() {
  const std::string setting = Setting();
  for (const Kind& kind : kKinds) {
    if (setting == kind.name) return &kind;
  }
  if (std::ranges::find(kNothing, setting) != std::end(kNothing)) {
    ThrowSetting("expected \"egl\", \"osmesa\" or none to render, got \"" + setting + "\"");
  }
  if (std::ranges::find(kWindows, setting) == std::end(kWindows)) {
    ThrowSetting("expected \"egl\" or \"osmesa\", got \"" + setting + "\"");
  }
  // A choice of a device implies EGL.
  return std::getenv("MUJOCO_EGL_DEVICE_ID") == nullptr ? nullptr : &kKinds[0];
}

}  // namespace

std::unique_ptr<GlContext> OpenGlContext() {
  static std::mutex mutex;
  static const Kind* opened = nullptr;  // guarded by mutex
  const std::lock_guard lock(mutex);
  const Kind* const chosen = ChosenKind();
  if (opened != nullptr && chosen != nullptr && chosen != opened) {
    ThrowSetting(std::string("expected \"") + opened->name +
                 "\", which the process has begun with, " + "got \"" + chosen->name + "\"");
  }
  std::string problems;
  for (const Kind& kind : kKinds) {
    const Kind* const wanted = opened != nullptr ? opened : chosen;
    if (wanted != nullptr && wanted != &kind) continue;
    try {
      std::unique_ptr<GlContext> context = kind.open();
      opened = &kind;
      return context;
    } catch (const Error& error) {
      problems += (problems.empty() ? "" : "; ") + std::string(error.what());
    }
  }
  throw Error(ErrorKind::kRenderMode,
              "MuJoCo's renderer needs EGL or OSMesa (on Debian and Ubuntu: `apt install libegl1 "
              "libgl1-mesa-dri`, or the driver of the graphics processor, or `apt install "
              "libosmesa6`): " +
                  problems);
}

}  // namespace engine::mujoco
