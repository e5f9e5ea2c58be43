// The only header that a plug-in includes. A plug-in is an extension module that adds environments
// to envpool_py.
//
//   #include <envpool.h>
//
//   class MyEnv { ... };  // engine/env/environment.h describes its members
//
//   ENVPOOL_PLUGIN(my_env) { registry.Add<MyEnv>("MyEnv-v0", {.max_episode_steps = 200}); }
//
// `python -m envpool_py --compile my_env.cc` builds the module, and `import my_env` adds its tasks.
#ifndef ENVPOOL_H_
#define ENVPOOL_H_

// Rows check the indices and element types that an environment passes (engine/env/rows.h).
#define ENVPOOL_CHECKED_ROWS 1

#include "engine/base/error.h"
#include "engine/draw/canvas.h"
#include "engine/env/environment.h"
#include "engine/tasks/plugin.h"
#include "engine/tasks/registry.h"

// Defines the extension module `name`, the name under which Python imports it. The block that
// follows the macro adds its tasks to `engine::PluginTasks& registry`, and may throw. It runs when
// the module is first imported. If it throws, or a task is rejected, no task is added and the
// import raises envpool_py.errors.PluginError.
#define ENVPOOL_PLUGIN(name)                                                                 \
  static void EnvpoolAddTasks([[maybe_unused]] ::engine::PluginTasks& registry);             \
  extern "C" __attribute__((visibility("default"))) void* PyInit_##name();                   \
  extern "C" void* PyInit_##name() { return ::engine::InitPlugin(#name, &EnvpoolAddTasks); } \
  static void EnvpoolAddTasks([[maybe_unused]] ::engine::PluginTasks& registry)

#endif  // ENVPOOL_H_
