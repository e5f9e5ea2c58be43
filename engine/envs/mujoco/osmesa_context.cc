// See the header. The declarations follow Mesa's interface, so that no Mesa header has to be
// installed.
#include "engine/envs/mujoco/osmesa_context.h"

#include <dlfcn.h>

#include <cstdint>
#include <cstring>
#include <string>

#include "engine/base/error.h"

namespace engine::mujoco {
namespace {

using Handle = void*;

constexpr unsigned kRgba = 0x1908;
constexpr unsigned kUnsignedByte = 0x1401;
constexpr int kType = 0x23;  // type of the elements in the current context's buffer
constexpr int kDepthBits = 24;
constexpr int kStencilBits = 8;

struct Osmesa {
  Handle (*create_context)(unsigned format, int depth_bits, int stencil_bits, int accum_bits,
                           Handle share) = nullptr;
  void (*destroy_context)(Handle context) = nullptr;
  unsigned char (*make_current)(Handle context, void* buffer, unsigned type, int width,
                                int height) = nullptr;
  Handle (*get_current_context)() = nullptr;
  unsigned char (*get_color_buffer)(Handle context, int* width, int* height, int* format,
                                    void** buffer) = nullptr;
  void (*get_integer)(int what, int* value) = nullptr;
};

[[noreturn]] void FailOsmesa(const std::string& problem) {
  throw Error(ErrorKind::kRenderMode, "OSMesa: " + problem);
}

Osmesa LoadOsmesa() {
  // The symbols are global, because MuJoCo looks for OSMesaGetProcAddress among global symbols. The
  // library is never closed.
  void* const library = dlopen("libOSMesa.so.8", RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) FailOsmesa(dlerror());
  const auto set = [&](auto& function, const char* name) {
    void* const symbol = dlsym(library, name);
    if (symbol == nullptr) FailOsmesa(std::string("there is no ") + name);
    std::memcpy(&function, &symbol, sizeof symbol);
  };
  Osmesa mesa;
  set(mesa.create_context, "OSMesaCreateContextExt");
  set(mesa.destroy_context, "OSMesaDestroyContext");
  set(mesa.make_current, "OSMesaMakeCurrent");
  set(mesa.get_current_context, "OSMesaGetCurrentContext");
  set(mesa.get_color_buffer, "OSMesaGetColorBuffer");
  set(mesa.get_integer, "OSMesaGetIntegerv");
  return mesa;
}

const Osmesa& TheOsmesa() {
  static const Osmesa mesa = LoadOsmesa();  // if LoadOsmesa throws, the next call repeats it
  return mesa;
}

class OsmesaContext final : public GlContext {
 public:
  OsmesaContext()
      : context_(TheOsmesa().create_context(kRgba, kDepthBits, kStencilBits, 0, nullptr)) {
    if (context_ == nullptr) FailOsmesa("no context of OpenGL could be made");
  }
  ~OsmesaContext() override { TheOsmesa().destroy_context(context_); }

  std::unique_ptr<Current> MakeCurrent() const override {
    return std::make_unique<OsmesaCurrent>(*this);
  }

 private:
  class OsmesaCurrent final : public Current {
   public:
    explicit OsmesaCurrent(const OsmesaContext& context)
        : earlier_(TheOsmesa().get_current_context()) {
      const Osmesa& mesa = TheOsmesa();
      if (earlier_ != nullptr) {
        int format = 0;
        mesa.get_color_buffer(earlier_, &width_, &height_, &format, &buffer_);
        mesa.get_integer(kType, &type_);
      }
      if (mesa.make_current(context.context_, context.pixel_, kUnsignedByte, 1, 1) == 0) {
        FailOsmesa("the context could not be made current in a thread");
      }
    }
    ~OsmesaCurrent() override {
      TheOsmesa().make_current(earlier_, buffer_, static_cast<unsigned>(type_), width_, height_);
    }

   private:
    Handle earlier_;
    void* buffer_ = nullptr;
    int type_ = kUnsignedByte;
    int width_ = 0;
    int height_ = 0;
  };

  Handle context_;
  // By default, a context draws into memory of its owner. One pixel is enough, because MuJoCo draws
  // into its own buffers.
  mutable std::uint8_t pixel_[4] = {};
};

}  // namespace

std::unique_ptr<GlContext> OpenOsmesaContext() { return std::make_unique<OsmesaContext>(); }

}  // namespace engine::mujoco
