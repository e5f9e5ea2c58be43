// See the header.
#include "engine/envs/mujoco/library.h"

#include <dlfcn.h>

#include <csetjmp>
#include <cstddef>
#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/error.h"
#include "engine/envs/mujoco/probe.h"

namespace engine::mujoco {
namespace {

// Open writes these variables before any thread reads them.
Functions functions;
const Layout* used_layout = nullptr;

template <class Function>
void Resolve(void* library, const char* name, Function& function) {
  void* const symbol = dlsym(library, name);
  if (symbol == nullptr) {
    throw Error(ErrorKind::kInternal, std::string("the MuJoCo library has no ") + name);
  }
  std::memcpy(&function, &symbol, sizeof symbol);
}

void ResolveHandlers(void* library, Functions& found) {
  constexpr const char* kSetLogHandler = "_mjPRIVATE_setTlsLogHandler";
  if (dlsym(library, kSetLogHandler) != nullptr) {
    Resolve(library, kSetLogHandler, found.set_thread_log_handler);
    return;
  }
  Resolve(library, "_mjPRIVATE__get_tls_error_fn", found.thread_error_handler);
  Resolve(library, "_mjPRIVATE__get_tls_warning_fn", found.thread_warning_handler);
  Resolve(library, "_mjPRIVATE__set_tls_error_fn", found.set_thread_error_handler);
  Resolve(library, "_mjPRIVATE__set_tls_warning_fn", found.set_thread_warning_handler);
}

Functions ResolveAll(void* library) {
  Functions found;
  Resolve(library, "mj_version", found.version);
  Resolve(library, "mj_versionString", found.version_string);
  Resolve(library, "mj_loadAllPluginLibraries", found.load_all_plugin_libraries);
  Resolve(library, "mj_loadXML", found.load_xml);
  Resolve(library, "mj_parseXMLString", found.parse_xml_string);
  Resolve(library, "mj_compile", found.compile);
  Resolve(library, "mj_deleteSpec", found.delete_spec);
  Resolve(library, "mj_deleteModel", found.delete_model);
  Resolve(library, "mj_setConst", found.set_const);
  Resolve(library, "mj_name2id", found.name_to_id);
  Resolve(library, "mj_id2name", found.id_to_name);
  Resolve(library, "mj_makeData", found.make_data);
  Resolve(library, "mj_deleteData", found.delete_data);
  Resolve(library, "mj_copyData", found.copy_data);
  Resolve(library, "mj_resetData", found.reset_data);
  Resolve(library, "mj_forward", found.forward);
  Resolve(library, "mj_kinematics", found.kinematics);
  Resolve(library, "mj_makeConstraint", found.make_constraint);
  Resolve(library, "mj_island", found.island);
  Resolve(library, "mj_projectConstraint", found.project_constraint);
  Resolve(library, "mj_referenceConstraint", found.reference_constraint);
  Resolve(library, "mj_step", found.step);
  Resolve(library, "mj_step1", found.step1);
  Resolve(library, "mj_step2", found.step2);
  Resolve(library, "mj_rnePostConstraint", found.rne_post_constraint);
  Resolve(library, "mj_forwardSkip", found.forward_skip);
  Resolve(library, "mj_checkAcc", found.check_acc);
  Resolve(library, "mj_RungeKutta", found.runge_kutta);
  Resolve(library, "mj_stateSize", found.state_size);
  Resolve(library, "mj_getState", found.get_state);
  Resolve(library, "mj_setState", found.set_state);
  Resolve(library, "mj_objectVelocity", found.object_velocity);
  Resolve(library, "mj_jacSite", found.jac_site);
  Resolve(library, "mju_axisAngle2Quat", found.axis_angle_to_quat);
  Resolve(library, "mjv_defaultScene", found.default_scene);
  Resolve(library, "mjv_makeScene", found.make_scene);
  Resolve(library, "mjv_freeScene", found.free_scene);
  Resolve(library, "mjv_defaultCamera", found.default_camera);
  Resolve(library, "mjv_defaultFreeCamera", found.default_free_camera);
  Resolve(library, "mjv_defaultOption", found.default_option);
  Resolve(library, "mjv_defaultPerturb", found.default_perturb);
  Resolve(library, "mjv_updateScene", found.update_scene);
  Resolve(library, "mjr_defaultContext", found.default_context);
  Resolve(library, "mjr_makeContext", found.make_context);
  Resolve(library, "mjr_freeContext", found.free_context);
  Resolve(library, "mjr_setBuffer", found.set_buffer);
  Resolve(library, "mjr_uploadHField", found.upload_hfield);
  Resolve(library, "mjr_render", found.render);
  Resolve(library, "mjr_readPixels", found.read_pixels);
  ResolveHandlers(library, found);
  return found;
}

struct Trap {
  std::jmp_buf jump;
  library_internal::Message* message;
};

thread_local Trap* trap = nullptr;  // trap of the innermost RunTrapped of this thread

[[noreturn]] void JumpOut(const char* message) {
  library_internal::Message& kept = *trap->message;
  const std::size_t length = strnlen(message, sizeof kept - 1);
  std::memcpy(kept, message, length);
  kept[length] = '\0';
  std::longjmp(trap->jump, 1);
}

void OnLog(const LogMessage* message) {
  if (message->level == kLogError) JumpOut(message->subject);
}
void OnError(const char* message) { JumpOut(message); }
void OnWarning(const char*) {}

// The handlers of a thread. Since MuJoCo 3.10 only `log` is used, and in older versions only the
// other two.
struct Handlers {
  LogHandler log = nullptr;
  MessageHandler error = nullptr;
  MessageHandler warning = nullptr;
};

// Sets the handlers of the calling thread. Returns the previous handlers.
Handlers Exchange(const Handlers& next) {
  if (functions.set_thread_log_handler != nullptr) [[likely]] {
    return {.log = functions.set_thread_log_handler(next.log)};
  }
  const Handlers previous{.error = functions.thread_error_handler(),
                          .warning = functions.thread_warning_handler()};
  functions.set_thread_error_handler(next.error);
  functions.set_thread_warning_handler(next.warning);
  return previous;
}

}  // namespace

std::string Open(const std::string& library_file, const std::string& plugin_directory) {
  // These flags are those of MuJoCo's Python bindings. If the bindings are loaded, this is the
  // library that they use. It is never closed.
  void* const library = dlopen(library_file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const reason = dlerror();
    throw Error(ErrorKind::kInternal, "the MuJoCo library cannot be opened: " +
                                          std::string(reason == nullptr ? library_file : reason));
  }
  decltype(Functions::version_string) version_string = nullptr;
  Resolve(library, "mj_versionString", version_string);
  const std::string version = version_string();
  const Layout* const layout = LayoutOf(version);
  if (layout == nullptr) {
    throw Error(ErrorKind::kInternal, "expected a MuJoCo of version " + SupportedVersions() +
                                          ", found " + version + " in " + library_file);
  }
  functions = ResolveAll(library);
  used_layout = layout;
  try {
    CheckLayout();
  } catch (const Error&) {
    functions = {};
    throw;
  }
  Guarded([&] { functions.load_all_plugin_libraries(plugin_directory.c_str(), nullptr); });
  return version;
}

const Functions& Library() { return functions; }

const Layout& UsedLayout() { return *used_layout; }

namespace library_internal {

bool RunTrapped(void (*call)(const void*), const void* context, Message& message) noexcept {
  Trap own{.jump = {}, .message = &message};
  Trap* const outer = std::exchange(trap, &own);
  const Handlers outer_handlers =
      Exchange({.log = &OnLog, .error = &OnError, .warning = &OnWarning});
  // _setjmp does not save the signal mask, because saving it takes a system call.
  const bool done = _setjmp(own.jump) == 0 && (call(context), true);
  Exchange(outer_handlers);
  trap = outer;
  return done;
}

void ThrowMuJoCoError(const Message& message) {
  // MuJoCo has only texts for its errors: "Could not allocate memory" (not "... memory for
  // texture", of a graphics card), "could not allocate mjData", ... mjModel, ... model.
  const std::string_view text = message;
  if (text == "Could not allocate memory" ||
      text.find("could not allocate m") != std::string_view::npos) {
    throw std::bad_alloc();
  }
  throw Error(ErrorKind::kInternal, std::string("MuJoCo: ") + message);
}

}  // namespace library_internal
}  // namespace engine::mujoco
