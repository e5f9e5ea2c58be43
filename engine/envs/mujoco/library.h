// The MuJoCo library of the installed mujoco package. It is opened at run time, so that this module
// can be imported, and can report the problem, if the package is missing or its version is not
// supported. Open() is called once, with the GIL, before any task is registered. Any thread may
// call the other functions.
#ifndef ENGINE_ENVS_MUJOCO_LIBRARY_H_
#define ENGINE_ENVS_MUJOCO_LIBRARY_H_

#include <string>
#include <type_traits>

#include "engine/envs/mujoco/layout.h"
#include "engine/envs/mujoco/mujoco_types.h"

namespace engine::mujoco {

using LogHandler = void (*)(const LogMessage*);
using MessageHandler = void (*)(const char*);

// The used functions of the library. Each has its MuJoCo name without `mj_`, `mju_`, `mjv_` or
// `mjr_`. The types are the same in all supported versions.
struct Functions {
  int (*version)() = nullptr;
  const char* (*version_string)() = nullptr;
  void (*load_all_plugin_libraries)(const char*, void (*)(const char*, int, int)) = nullptr;
  mjModel* (*load_xml)(const char*, const mjVFS*, char*, int) = nullptr;
  mjSpec* (*parse_xml_string)(const char*, const mjVFS*, char*, int) = nullptr;
  mjModel* (*compile)(mjSpec*, const mjVFS*) = nullptr;
  void (*delete_spec)(mjSpec*) = nullptr;
  void (*delete_model)(mjModel*) = nullptr;
  void (*set_const)(mjModel*, mjData*) = nullptr;
  int (*name_to_id)(const mjModel*, int, const char*) = nullptr;
  const char* (*id_to_name)(const mjModel*, int, int) = nullptr;
  mjData* (*make_data)(const mjModel*) = nullptr;
  void (*delete_data)(mjData*) = nullptr;
  mjData* (*copy_data)(mjData*, const mjModel*, const mjData*) = nullptr;
  void (*reset_data)(const mjModel*, mjData*) = nullptr;
  void (*forward)(const mjModel*, mjData*) = nullptr;
  void (*kinematics)(const mjModel*, mjData*) = nullptr;
  void (*make_constraint)(const mjModel*, mjData*) = nullptr;
  void (*island)(const mjModel*, mjData*) = nullptr;
  void (*project_constraint)(const mjModel*, mjData*) = nullptr;
  void (*reference_constraint)(const mjModel*, mjData*) = nullptr;
  void (*step)(const mjModel*, mjData*) = nullptr;
  void (*step1)(const mjModel*, mjData*) = nullptr;
  void (*step2)(const mjModel*, mjData*) = nullptr;
  void (*rne_post_constraint)(const mjModel*, mjData*) = nullptr;
  void (*forward_skip)(const mjModel*, mjData*, int, int) = nullptr;
  void (*check_acc)(const mjModel*, mjData*) = nullptr;
  void (*runge_kutta)(const mjModel*, mjData*, int) = nullptr;
  // `signature`: the selected parts of the state, one bit per part.
  int (*state_size)(const mjModel*, int signature) = nullptr;
  void (*get_state)(const mjModel*, const mjData*, double*, int signature) = nullptr;
  void (*set_state)(const mjModel*, mjData*, const double*, int signature) = nullptr;
  void (*object_velocity)(const mjModel*, const mjData*, int, int, double*, int) = nullptr;
  void (*jac_site)(const mjModel*, const mjData*, double*, double*, int) = nullptr;
  void (*axis_angle_to_quat)(double*, const double*, double) = nullptr;
  // Functions that draw pictures.
  void (*default_scene)(mjvScene*) = nullptr;
  void (*make_scene)(const mjModel*, mjvScene*, int) = nullptr;
  void (*free_scene)(mjvScene*) = nullptr;
  void (*default_camera)(Camera*) = nullptr;
  void (*default_free_camera)(const mjModel*, Camera*) = nullptr;
  void (*default_option)(mjvOption*) = nullptr;
  void (*default_perturb)(mjvPerturb*) = nullptr;
  void (*update_scene)(const mjModel*, mjData*, const mjvOption*, const mjvPerturb*, Camera*, int,
                       mjvScene*) = nullptr;
  void (*default_context)(mjrContext*) = nullptr;
  void (*make_context)(const mjModel*, mjrContext*, int) = nullptr;
  void (*free_context)(mjrContext*) = nullptr;
  void (*set_buffer)(int, mjrContext*) = nullptr;
  void (*upload_hfield)(const mjModel*, const mjrContext*, int) = nullptr;
  void (*render)(Viewport, mjvScene*, const mjrContext*) = nullptr;
  void (*read_pixels)(unsigned char*, float*, Viewport, const mjrContext*) = nullptr;
  // The handler functions apply to the calling thread. They are in no public header, but MuJoCo's
  // own Python bindings use them. This one exists since 3.10 and is null in older versions. It
  // returns the previous handler.
  LogHandler (*set_thread_log_handler)(LogHandler) = nullptr;
  // These functions exist before 3.10 and are null in newer versions.
  MessageHandler (*thread_error_handler)() = nullptr;
  MessageHandler (*thread_warning_handler)() = nullptr;
  void (*set_thread_error_handler)(MessageHandler) = nullptr;
  void (*set_thread_warning_handler)(MessageHandler) = nullptr;
};

// Opens the library and its plug-ins, and returns the version of the library. Throws
// Error{kInternal} if the library cannot be opened, lacks a function, has an unsupported version,
// or does not have the data layout of its version.
std::string Open(const std::string& library_file, const std::string& plugin_directory);

// Returns the functions of the library. Requires that Open() has succeeded.
const Functions& Library();
// Returns the layout of the library's version. Requires that Open() has succeeded.
const Layout& UsedLayout();

// Runs calls into MuJoCo. If MuJoCo reports an error, throws Error{kInternal} instead of ending the
// process; std::bad_alloc if it got no memory for a model or for mjData. MuJoCo's warnings, which
// mjData counts, are not printed. Requires: a longjmp out of `call` leaks nothing that `call`
// creates.
template <class Call>
void Guarded(const Call& call);

namespace library_internal {

using Message = char[sizeof(LogMessage::subject)];

// Returns whether call(context) completed. If not, `message` is the error message.
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
