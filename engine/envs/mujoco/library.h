// The MuJoCo library of the installed mujoco package. It is opened at run time, so that this module
// can be imported and report the problem if the package is missing or has another version. Open()
// is called once, with the GIL, before any task is registered; any thread may call everything else.
#ifndef ENGINE_ENVS_MUJOCO_LIBRARY_H_
#define ENGINE_ENVS_MUJOCO_LIBRARY_H_

#include <mujoco/mujoco.h>

#include <string>
#include <type_traits>

namespace engine::mujoco {

// The functions of the library that are used; each has its name without `mj_`, `mjv_` or `mjr_`.
struct Functions {
  decltype(&::mj_version) version = nullptr;
  decltype(&::mj_versionString) version_string = nullptr;
  decltype(&::mj_loadAllPluginLibraries) load_all_plugin_libraries = nullptr;
  decltype(&::mj_loadXML) load_xml = nullptr;
  decltype(&::mj_deleteModel) delete_model = nullptr;
  decltype(&::mj_name2id) name_to_id = nullptr;
  decltype(&::mj_makeData) make_data = nullptr;
  decltype(&::mj_deleteData) delete_data = nullptr;
  decltype(&::mj_copyData) copy_data = nullptr;
  decltype(&::mj_resetData) reset_data = nullptr;
  decltype(&::mj_forward) forward = nullptr;
  decltype(&::mj_step) step = nullptr;
  decltype(&::mj_rnePostConstraint) rne_post_constraint = nullptr;
  // Pictures.
  decltype(&::mjv_defaultScene) default_scene = nullptr;
  decltype(&::mjv_makeScene) make_scene = nullptr;
  decltype(&::mjv_freeScene) free_scene = nullptr;
  decltype(&::mjv_defaultCamera) default_camera = nullptr;
  decltype(&::mjv_defaultOption) default_option = nullptr;
  decltype(&::mjv_defaultPerturb) default_perturb = nullptr;
  decltype(&::mjv_updateScene) update_scene = nullptr;
  decltype(&::mjr_defaultContext) default_context = nullptr;
  decltype(&::mjr_makeContext) make_context = nullptr;
  decltype(&::mjr_freeContext) free_context = nullptr;
  decltype(&::mjr_setBuffer) set_buffer = nullptr;
  decltype(&::mjr_render) render = nullptr;
  decltype(&::mjr_readPixels) read_pixels = nullptr;
  // For the calling thread only; returns the previous handler. It is in no public header, but
  // MuJoCo's own Python bindings use it.
  mjfLogHandler (*set_thread_log_handler)(mjfLogHandler) = nullptr;
};

// The version that this file was compiled for, "3.17.0": the layout of structures differs between
// versions.
std::string BuiltVersion();

// Opens the library and its plug-ins and returns its version. Everything else here requires a
// version equal to BuiltVersion(). Throws Error{kInternal} if it cannot be opened or lacks a
// function.
std::string Open(const std::string& library_file, const std::string& plugin_directory);

// Requires: Open() has been called.
const Functions& Library();

// Runs calls into MuJoCo. MuJoCo's errors are thrown as Error{kInternal} instead of ending the
// process; its warnings, which mjData counts, are not printed.
// Requires: `call` creates nothing that a longjmp out of it would leak.
template <class Call>
void Guarded(const Call& call);

namespace library_internal {

using Message = char[sizeof(mjLogMessage::subject)];

// Returns whether call(context) completed; otherwise `message` says why not.
bool RunTrapped(void (*call)(const void*), const void* context, Message& message) noexcept;
[[noreturn]] void ThrowMuJoCoError(const Message& message);

}  // namespace library_internal

template <class Call>
void Guarded(const Call& call) {
  static_assert(std::is_trivially_destructible_v<Call>);
  library_internal::Message message;
  const bool done = library_internal::RunTrapped(
      [](const void* context) { (*static_cast<const Call*>(context))(); }, &call, message);
  if (!done) [[unlikely]] {
    library_internal::ThrowMuJoCoError(message);
  }
}

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_LIBRARY_H_
