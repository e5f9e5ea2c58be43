#include "engine/bindings/plugin_loader.h"

#include <algorithm>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/bindings/errors.h"
#include "engine/bindings/gil.h"
#include "engine/tasks/abi_entry.h"
#include "engine/tasks/check_task.h"
#include "engine/tasks/plugin.h"

namespace py = pybind11;

namespace engine::bindings {
namespace {

// Holds the tasks of a module until all of them are accepted.
class StagedTasks final : public Registry {
 public:
  void Add(TaskEntry entry) override {
    CheckTask(entry);
    const bool staged =
        std::ranges::any_of(entries_, [&](const TaskEntry& other) { return other.id == entry.id; });
    if (staged || Registry::Global().Has(entry.id)) {
      throw Error(ErrorKind::kPlugin, entry.id + ": a task of this id is registered already");
    }
    entries_.push_back(std::move(entry));
  }

  py::list Ids() const {
    py::list ids;
    for (const TaskEntry& entry : entries_) ids.append(entry.id);
    return ids;
  }

  void Commit() { Registry::Global().AddAll(std::move(entries_)); }

 private:
  std::vector<TaskEntry> entries_;
};

int Refuse(const char* name, const std::string& why) {
  const std::string named = name == nullptr ? "without a name" : name;
  SetError(Error(ErrorKind::kPlugin, "plug-in " + named + ": " + why));
  return -1;
}

// Adds the tasks that `stage` stages. Returns 0, or -1 with a Python exception set.
template <class Stage>
int AddStaged(const char* name, const Stage& stage) {
  try {
    StagedTasks tasks;
    stage(tasks);
    const auto families = py::reinterpret_steal<py::object>(
        CallPython([] { return PyImport_ImportModule("envpool_py.tasks.registry"); }));
    if (!families) throw py::error_already_set();
    const auto taken =
        py::cast<std::string>(Call(families.attr("conflict_of"), py::make_tuple(tasks.Ids())));
    if (!taken.empty()) return Refuse(name, taken);
    tasks.Commit();
    return 0;
  } catch (py::error_already_set& error) {
    error.restore();
    return -1;
  } catch (const std::exception& error) {
    return Refuse(name, error.what());
  } catch (...) {
    return Refuse(name, "an exception that is not a std::exception");
  }
}

int AddPlugin(const envpool_plugin* plugin) {
  const std::string mismatch = AbiMismatchOf(*plugin);
  if (!mismatch.empty()) return Refuse(plugin->name, mismatch);
  const auto* const exact = static_cast<const Plugin*>(plugin->exact);
  const std::string other = exact == nullptr ? "" : MismatchOf(exact->stamp);
  if (exact != nullptr && other.empty()) return AddStaged(plugin->name, exact->add_tasks);
  if (plugin->needs_exact != 0) {
    return Refuse(plugin->name, other.empty() ? "expected `exact` with needs_exact" : other);
  }
  return AddStaged(plugin->name, [&](StagedTasks& tasks) {
    for (std::uint64_t i = 0; i < plugin->num_tasks; ++i) {
      if (plugin->tasks == nullptr || plugin->tasks[i] == nullptr) {
        throw Error(ErrorKind::kPlugin, "expected " + std::to_string(plugin->num_tasks) +
                                            " tasks, got null in place of number " +
                                            std::to_string(i));
      }
      tasks.Add(EntryOfAbiTask(*plugin->tasks[i]));
    }
  });
}

int RefusePlugin(const envpool_plugin* plugin, const char* why) {
  return Refuse(plugin->name, why);
}

// Python uses the definition until the process ends, so it is never freed.
void* NewModule(const char* name) {
  if (name == nullptr) {
    Refuse(name, "expected the name of its module, got null");
    return nullptr;
  }
  struct Definition {
    std::string name;
    PyModuleDef def;
  };
  auto* const definition = new Definition{.name = name, .def = {}};
  definition->def.m_base = PyModuleDef_HEAD_INIT;
  definition->def.m_name = definition->name.c_str();
  definition->def.m_doc = "Adds tasks to envpool_py.";
  definition->def.m_size = -1;  // tasks stay registered: a second import gets the same module
  PyObject* const module = PyModule_Create(&definition->def);
#ifdef Py_GIL_DISABLED
  // It has no functions for Python, and environments run on several threads in any case.
  if (module != nullptr) PyUnstable_Module_SetGIL(module, Py_MOD_GIL_NOT_USED);
#endif
  return module;
}

constexpr envpool_core kCore{.size = sizeof(envpool_core),
                             .abi = ENVPOOL_ABI,
                             .revision = ENVPOOL_ABI_REVISION,
                             .release = ENVPOOL_VERSION,
                             .add = &AddPlugin,
                             .refuse = &RefusePlugin,
                             .new_module = &NewModule};

}  // namespace

py::capsule PluginCoreCapsule() { return py::capsule(&kCore, ENVPOOL_CORE_CAPSULE); }

py::dict DescribePluginStamp() {
  const PluginStamp& own = kPluginStamp;
  py::dict stamp;
  stamp["version"] = own.version;
  stamp["compiler"] = own.compiler;
  stamp["standard_library"] = own.standard_library;
  stamp["string_abi"] = own.string_abi;
  stamp["headers"] = own.headers;
  stamp["layout"] = own.layout;
  return stamp;
}

}  // namespace engine::bindings
