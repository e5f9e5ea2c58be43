#include "engine/bindings/plugin_loader.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/bindings/errors.h"
#include "engine/env/check_task.h"
#include "engine/env/plugin.h"

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

  void Commit() {
    for (TaskEntry& entry : entries_) Registry::Global().Add(std::move(entry));
  }

 private:
  std::vector<TaskEntry> entries_;
};

int Refuse(const Plugin& plugin, const std::string& why) {
  SetError(Error(ErrorKind::kPlugin, "plug-in " + std::string(plugin.name) + ": " + why));
  return -1;
}

int AddTasks(const Plugin* plugin) {
  const std::string mismatch = MismatchOf(plugin->stamp);
  if (!mismatch.empty()) return Refuse(*plugin, mismatch);
  try {
    StagedTasks tasks;
    plugin->add_tasks(tasks);
    const py::object families = py::module_::import("envpool_py.families");
    const auto taken = py::cast<std::string>(families.attr("taken_by_family")(tasks.Ids()));
    if (!taken.empty()) return Refuse(*plugin, taken);
    tasks.Commit();
    return 0;
  } catch (py::error_already_set& error) {
    error.restore();
    return -1;
  } catch (const std::exception& error) {
    return Refuse(*plugin, error.what());
  } catch (...) {
    return Refuse(*plugin, "an exception that is not a std::exception");
  }
}

// Python keeps the definition for as long as the process lives, so it is never freed.
void* NewModule(const char* name) {
  struct Definition {
    std::string name;
    PyModuleDef def;
  };
  auto* const definition = new Definition{.name = name, .def = {}};
  definition->def.m_base = PyModuleDef_HEAD_INIT;
  definition->def.m_name = definition->name.c_str();
  definition->def.m_doc = "Adds tasks to envpool_py.";
  definition->def.m_size = -1;  // tasks stay registered: a second import gets the same module
  return PyModule_Create(&definition->def);
}

constexpr PluginInterface kInterface{
    .bytes = sizeof(PluginInterface), .add_tasks = &AddTasks, .new_module = &NewModule};

}  // namespace

py::capsule PluginInterfaceCapsule() { return py::capsule(&kInterface, kPluginInterface); }

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
