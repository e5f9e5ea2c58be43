// How extension modules add environments to the core: the families with modules of their own, and
// the plug-ins of users (include/envpool.h). engine/bindings/plugin_loader.h implements the
// core's side.
// Called when a module is imported, on a thread that holds the GIL.
#ifndef ENGINE_ENV_PLUGIN_H_
#define ENGINE_ENV_PLUGIN_H_

#include <cstdint>

#include "engine/base/numpy_kernels.h"
#include "engine/env/plugin_stamp.h"
#include "engine/env/registry.h"

// A function of Python, declared here because a plug-in is compiled without Python's headers. It is
// in Python's stable ABI, so one build of a plug-in serves all versions of Python.
extern "C" __attribute__((visibility("default"))) void* PyCapsule_Import(const char* name,
                                                                         int no_block);

namespace engine {

// A module that adds environments. Plain C data. The stamp stays the last member, and new fields
// are added only at its end.
struct Plugin {
  const char* name;  // of the module, for messages
  void (*add_tasks)(Registry& registry);
  PluginStamp stamp;
};

// What the core gives to modules, as the capsule kPluginInterface. Plain C data without padding;
// fields are only ever added at the end.
struct PluginInterface {
  std::uint64_t bytes;  // of this struct
  // Adds all tasks of the module or, after an error, none. Returns 0, or -1 with a Python exception
  // set: PluginError if the module was built for another version of the core, or if one of its
  // tasks is refused.
  int (*add_tasks)(const Plugin* plugin);
  // A new reference to an empty module (PyObject*); null with a Python exception set.
  void* (*new_module)(const char* name);
};

inline constexpr const char* kPluginInterface = "envpool_py._core._plugin_interface";

// The interface of the installed envpool_py; null with a Python exception set.
inline const PluginInterface* FindPluginInterface() {
  return static_cast<const PluginInterface*>(PyCapsule_Import(kPluginInterface, 0));
}

// Adds the tasks of a module that is made elsewhere. Returns as PluginInterface::add_tasks.
inline int AddPluginTasks(const char* name, void (*add_tasks)(Registry& registry)) {
  const PluginInterface* const core = FindPluginInterface();
  const Plugin plugin{.name = name, .add_tasks = add_tasks, .stamp = kPluginStamp};
  return core == nullptr ? -1 : core->add_tasks(&plugin);
}

// Uses the loops of NumPy that the core has found in this module, too. Returns false with a Python
// exception set if there are none.
inline bool UseNumpyKernelsOfCore() {
  const void* const kernels = PyCapsule_Import(kNumpyKernelsCapsule, 0);
  if (kernels == nullptr) return false;
  UseNumpyKernels(*static_cast<const NumpyKernels*>(kernels));
  return true;
}

// The body of a module's PyInit function: adds the tasks and returns the module (PyObject*).
inline void* InitPlugin(const char* name, void (*add_tasks)(Registry& registry)) {
  if (AddPluginTasks(name, add_tasks) != 0) return nullptr;
  return FindPluginInterface()->new_module(name);
}

}  // namespace engine

#endif  // ENGINE_ENV_PLUGIN_H_
