// How extension modules add environments to the core. engine/bindings/plugin_loader.h is the core's
// side. All of them use the C interface (plugin_abi.h), in which a module passes its tasks in up to
// two forms: as tables of C functions, which later releases understand too, and as C++ objects,
// which only the release understands that the module was built for (plugin_stamp.h). Plug-ins
// (include/envpool.h) pass both; families with modules of their own pass C++ objects only.
// Called when a module is imported, on a thread that holds the GIL.
#ifndef ENGINE_TASKS_PLUGIN_H_
#define ENGINE_TASKS_PLUGIN_H_

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/numpy_kernels.h"
#include "engine/c_interface/abi_class.h"
#include "engine/c_interface/abi_convert.h"
#include "engine/c_interface/plugin_abi.h"
#include "engine/tasks/plugin_stamp.h"
#include "engine/tasks/registry.h"

namespace engine {

// The tasks of a module as C++ objects: envpool_plugin::exact. Plain C data. `stamp` stays the last
// member; new fields are added only at the end of PluginStamp.
struct Plugin {
  void (*add_tasks)(Registry& registry);
  PluginStamp stamp;
};

// Returns the envpool_core of the installed envpool_py, or null with a Python exception set.
inline const envpool_core* FindCore() {
  return static_cast<const envpool_core*>(PyCapsule_Import(ENVPOOL_CORE_CAPSULE, 0));
}

// A module without tasks.
inline envpool_plugin DescribePlugin(const char* name) {
  envpool_plugin plugin{};
  plugin.size = sizeof(envpool_plugin);
  plugin.abi = ENVPOOL_ABI;
  plugin.revision = ENVPOOL_ABI_REVISION;
  plugin.name = name;
  plugin.release = ENVPOOL_VERSION;
  return plugin;
}

// Adds the tasks of a module of the same release. Returns as envpool_core::add.
inline int AddPluginTasks(const char* name, void (*add_tasks)(Registry& registry)) {
  const envpool_core* const core = FindCore();
  const Plugin in_cpp{.add_tasks = add_tasks, .stamp = kPluginStamp};
  envpool_plugin plugin = DescribePlugin(name);
  plugin.exact = &in_cpp;
  plugin.needs_exact = 1;
  return core == nullptr ? -1 : core->add(&plugin);
}

// Makes this module use the NumPy loops that the core has found. Returns false with a Python
// exception set if the core provides none.
inline bool UseNumpyKernelsOfCore() {
  const void* const kernels = PyCapsule_Import(kNumpyKernelsCapsule, 0);
  if (kernels == nullptr) return false;
  UseNumpyKernels(*static_cast<const NumpyKernels*>(kernels));
  return true;
}

// Whether the C interface supports all members of a class. Tasks of other classes are added only
// through the C++ interface, so their plug-in needs the release that it was built for.
template <class E>
inline constexpr bool kFitsCInterface = StepsView<E> || StepsRow<E>;

// Whether a plug-in also adds its tasks through the C++ interface. Without that it compiles faster.
#ifdef ENVPOOL_C_INTERFACE_ONLY
inline constexpr bool kHasExactTasks = false;
#else
inline constexpr bool kHasExactTasks = true;
#endif

// A task of a plug-in, and the memory that its C struct points to. Created when the plug-in's
// module is imported; exists until the process ends.
class AbiTask {
 public:
  template <Environment E>
  static std::unique_ptr<AbiTask> Of(std::string id, const TaskLimits& limits,
                                     const ParamSchema& options) {
    auto task = std::make_unique<AbiTask>();
    task->id_ = std::move(id);
    envpool_task& table = task->table_;
    table = AbiClass<E>::Functions();
    table.id = task->id_.c_str();
    table.max_episode_steps = limits.max_episode_steps;
    table.reward_threshold = limits.reward_threshold.value_or(0.0);
    table.has_reward_threshold = limits.reward_threshold.has_value() ? 1 : 0;
    table.options = task->memory_.Schema(options);
    table.num_options = options.size();
    const ParamSchema reset_options = ResetOptionsOf<E>();
    table.reset_options = task->memory_.Schema(reset_options);
    table.num_reset_options = reset_options.size();
    return task;
  }

  AbiTask() = default;
  AbiTask(const AbiTask&) = delete;
  AbiTask& operator=(const AbiTask&) = delete;
  const envpool_task* table() const { return &table_; }

 private:
  std::string id_;
  AbiMemory memory_;
  envpool_task table_ = {};
};

// The `registry` of an ENVPOOL_PLUGIN block. Collects the tasks until they are added to the core.
class PluginTasks final : public Registry {
 public:
  // As Registry::Add.
  template <class E>
  void Add(std::string id, Limits limits = {}, std::optional<ParamSchema> given = {}) {
    if constexpr (!kIsEnvironment<E>) {
      ExplainEnvironment<E>();
    } else {
      WarnOfUnusedMembers<E>();
      ParamSchema options = given ? *std::move(given) : OptionsOf<E>();
      if constexpr (kFitsCInterface<E>) {
        tasks_.push_back(AbiTask::Of<E>(id, limits, options));
        tables_.push_back(tasks_.back()->table());
      } else {
        needs_exact_ = true;
      }
      if constexpr (kHasExactTasks || !kFitsCInterface<E>) {
        exact_.push_back(EntryOf<E>(std::move(id), limits, std::move(options)));
      }
    }
  }
  // For a custom EnvGroup; only in the C++ interface.
  void Add(TaskEntry entry) override {
    exact_.push_back(std::move(entry));
    needs_exact_ = true;
  }

  const std::vector<const envpool_task*>& tables() const { return tables_; }
  std::vector<TaskEntry>& exact() { return exact_; }
  // Whether all tasks are in exact().
  bool has_exact() const { return kHasExactTasks || tables_.empty(); }
  bool needs_exact() const { return needs_exact_; }

 private:
  std::vector<std::unique_ptr<AbiTask>> tasks_;
  std::vector<const envpool_task*> tables_;
  std::vector<TaskEntry> exact_;
  bool needs_exact_ = false;
};

namespace plugin_internal {

// The tasks of this module, for AddExactTasks. Each module has its own variable, because symbols of
// modules are hidden.
inline PluginTasks* tasks = nullptr;

inline void AddExactTasks(Registry& registry) {
  for (TaskEntry& entry : tasks->exact()) registry.Add(std::move(entry));
}

}  // namespace plugin_internal

// Adds all tasks of a plug-in or, after an error, none. Returns 0, or -1 with a Python exception
// set. `exact` false: uses the C interface even if the releases are equal.
inline int AddPlugin(const envpool_core& core, const char* name,
                     void (*add_tasks)(PluginTasks& registry), bool exact = true) {
  auto collected = std::make_unique<PluginTasks>();
  plugin_internal::tasks = collected.get();
  const Plugin in_cpp{.add_tasks = &plugin_internal::AddExactTasks, .stamp = kPluginStamp};
  envpool_plugin plugin = DescribePlugin(name);
  try {
    add_tasks(*collected);
    if (collected->needs_exact() && !collected->has_exact()) {
      throw Error(ErrorKind::kPlugin,
                  "a task needs the C++ interface, which ENVPOOL_C_INTERFACE_ONLY leaves out");
    }
  } catch (const std::exception& error) {
    return core.refuse(&plugin, error.what());
  } catch (...) {
    return core.refuse(&plugin, "an exception that is not a std::exception");
  }
  plugin.tasks = collected->tables().data();
  plugin.num_tasks = collected->tables().size();
  plugin.needs_exact = collected->needs_exact() ? 1 : 0;
  if ((exact && collected->has_exact()) || collected->needs_exact()) plugin.exact = &in_cpp;
  if (core.add(&plugin) != 0) return -1;
  // The core uses the tasks until the process ends, so they are never freed.
  static_cast<void>(collected.release());
  return 0;
}

// Implements a module's PyInit function: adds the tasks and returns the module (PyObject*), or null
// with a Python exception set.
inline void* InitPlugin(const char* name, void (*add_tasks)(PluginTasks& registry)) {
  const envpool_core* const core = FindCore();
  if (core == nullptr || AddPlugin(*core, name, add_tasks) != 0) return nullptr;
  return core->new_module(name);
}

}  // namespace engine

#endif  // ENGINE_TASKS_PLUGIN_H_
