// See the header.
#include "engine/envs/mujoco/library.h"

#include <dlfcn.h>

#include <csetjmp>
#include <cstring>
#include <utility>

#include "engine/base/error.h"

namespace engine::mujoco {
namespace {

Functions functions;  // written by Open, before any thread reads it

template <class Function>
void Resolve(void* library, const char* name, Function& function) {
  void* const symbol = dlsym(library, name);
  if (symbol == nullptr) {
    throw Error(ErrorKind::kInternal, std::string("the MuJoCo library has no ") + name);
  }
  std::memcpy(&function, &symbol, sizeof symbol);
}

Functions ResolveAll(void* library) {
  Functions found;
  Resolve(library, "mj_version", found.version);
  Resolve(library, "mj_versionString", found.version_string);
  Resolve(library, "mj_loadAllPluginLibraries", found.load_all_plugin_libraries);
  Resolve(library, "mj_loadXML", found.load_xml);
  Resolve(library, "mj_deleteModel", found.delete_model);
  Resolve(library, "mj_name2id", found.name_to_id);
  Resolve(library, "mj_makeData", found.make_data);
  Resolve(library, "mj_deleteData", found.delete_data);
  Resolve(library, "mj_copyData", found.copy_data);
  Resolve(library, "mj_resetData", found.reset_data);
  Resolve(library, "mj_forward", found.forward);
  Resolve(library, "mj_step", found.step);
  Resolve(library, "mj_rnePostConstraint", found.rne_post_constraint);
  Resolve(library, "mjv_defaultScene", found.default_scene);
  Resolve(library, "mjv_makeScene", found.make_scene);
  Resolve(library, "mjv_freeScene", found.free_scene);
  Resolve(library, "mjv_defaultCamera", found.default_camera);
  Resolve(library, "mjv_defaultOption", found.default_option);
  Resolve(library, "mjv_defaultPerturb", found.default_perturb);
  Resolve(library, "mjv_updateScene", found.update_scene);
  Resolve(library, "mjr_defaultContext", found.default_context);
  Resolve(library, "mjr_makeContext", found.make_context);
  Resolve(library, "mjr_freeContext", found.free_context);
  Resolve(library, "mjr_setBuffer", found.set_buffer);
  Resolve(library, "mjr_render", found.render);
  Resolve(library, "mjr_readPixels", found.read_pixels);
  Resolve(library, "_mjPRIVATE_setTlsLogHandler", found.set_thread_log_handler);
  return found;
}

struct Trap {
  std::jmp_buf jump;
  library_internal::Message* message;
};

thread_local Trap* trap = nullptr;  // of the innermost RunTrapped

void OnMessage(const mjLogMessage* message) {
  if (message->level != mjLOG_ERROR) return;
  static_assert(sizeof message->subject == sizeof *trap->message);
  std::memcpy(trap->message, message->subject, sizeof message->subject);  // ends with a NUL
  std::longjmp(trap->jump, 1);
}

}  // namespace

std::string BuiltVersion() {
  constexpr int kVersion = mjVERSION_HEADER;  // 3017000 is 3.17.0
  return std::to_string(kVersion / 1'000'000) + "." + std::to_string(kVersion / 1'000 % 1'000) +
         "." + std::to_string(kVersion % 1'000);
}

std::string Open(const std::string& library_file, const std::string& plugin_directory) {
  // The same flags as in MuJoCo's Python bindings; if they are loaded, this is their library. Never
  // closed.
  void* const library = dlopen(library_file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const reason = dlerror();
    throw Error(ErrorKind::kInternal, "the MuJoCo library cannot be opened: " +
                                          std::string(reason == nullptr ? library_file : reason));
  }
  decltype(Functions::version_string) version_string = nullptr;
  Resolve(library, "mj_versionString", version_string);
  const std::string version = version_string();
  if (version != BuiltVersion()) return version;
  functions = ResolveAll(library);
  Guarded([&] { functions.load_all_plugin_libraries(plugin_directory.c_str(), nullptr); });
  return version;
}

const Functions& Library() { return functions; }

namespace library_internal {

bool RunTrapped(void (*call)(const void*), const void* context, Message& message) noexcept {
  Trap own{.jump = {}, .message = &message};
  Trap* const outer = std::exchange(trap, &own);
  const mjfLogHandler handler = functions.set_thread_log_handler(&OnMessage);
  // Without the signal mask, because saving it takes a system call.
  const bool done = _setjmp(own.jump) == 0 && (call(context), true);
  functions.set_thread_log_handler(handler);
  trap = outer;
  return done;
}

void ThrowMuJoCoError(const Message& message) {
  throw Error(ErrorKind::kInternal, std::string("MuJoCo: ") + message);
}

}  // namespace library_internal
}  // namespace engine::mujoco
