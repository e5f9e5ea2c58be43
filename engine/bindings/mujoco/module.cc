// envpool_py._mujoco: Gymnasium's MuJoCo tasks, the DeepMind Control Suite, Gymnasium-Robotics with
// MaMuJoCo, and MetaWorld. Importing it does not need MuJoCo. `open_library` opens the installed
// library, and `register_tasks`, `register_suite`, `register_robotics`, `register_mamujoco` and
// `register_metaworld` then add the tasks to the engine. All hold the GIL.
#include <pybind11/pybind11.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/bindings/errors.h"
#include "engine/bindings/gil.h"
#include "engine/envs/mujoco/base_model.h"
#include "engine/envs/mujoco/dm_control/register.h"
#include "engine/envs/mujoco/dm_control/suite_model.h"
#include "engine/envs/mujoco/layout.h"
#include "engine/envs/mujoco/library.h"
#include "engine/envs/mujoco/mamujoco/register.h"
#include "engine/envs/mujoco/mamujoco/segments.h"
#include "engine/envs/mujoco/metaworld/model_source.h"
#include "engine/envs/mujoco/metaworld/register.h"
#include "engine/envs/mujoco/model_variant.h"
#include "engine/envs/mujoco/register.h"
#include "engine/envs/mujoco/robotics/model_source.h"
#include "engine/envs/mujoco/robotics/register.h"
#include "engine/tasks/plugin.h"

namespace py = pybind11;

namespace engine::mujoco {
namespace {

void RequireLibrary() {
  if (Library().version != nullptr) return;
  throw Error(ErrorKind::kInternal, "expected a MuJoCo library opened by open_library, got none");
}

void RegisterTasks(const std::string& asset_directory) {
  RequireLibrary();
  SetAssetDirectory(asset_directory);
  if (AddPluginTasks("envpool_py._mujoco", &RegisterMujoco) != 0) throw py::error_already_set();
}

// The functions that return the texts of models. Never freed: a daemon thread may make a pool while
// the process exits.
struct ModelTexts {
  py::object suite;
  py::object robotics;
  py::object mamujoco;
  py::object metaworld;
};
ModelTexts& Texts() {
  static auto* const texts = new ModelTexts;
  return *texts;
}

// Returns the text for a key. `model` is its name in messages.
std::string CallForText(const py::object& texts, const py::object& key, const std::string& model) {
  try {
    return py::cast<std::string>(bindings::Call(texts, py::make_tuple(key)));
  } catch (const std::exception& error) {  // from Python or from the conversion
    throw Error(ErrorKind::kOption, model + " cannot be read: " + error.what());
  }
}

std::string FindModelText(const std::string& key) {
  const bindings::GilHeld gil;
  return CallForText(Texts().suite, py::str(key), "the model \"" + key + "\" of dm_control");
}

std::string FindRoboticsText(const std::vector<std::string>& key) {
  const bindings::GilHeld gil;
  py::list parts;
  for (const std::string& part : key) parts.append(py::str(part));
  return CallForText(Texts().robotics, parts, "a model of Gymnasium-Robotics");
}

std::string FindSegmentText(const std::string& key) {
  const bindings::GilHeld gil;
  return CallForText(Texts().mamujoco, py::str(key), "the model \"" + key + "\" of MaMuJoCo");
}

std::string FindMetaWorldModel(const std::string& name) {
  const bindings::GilHeld gil;
  return CallForText(Texts().metaworld, py::str(name), "the model \"" + name + "\" of MetaWorld");
}

void RegisterSuite(py::object model_texts) {
  RequireLibrary();
  if (!UsedLayout().has_suite()) {
    throw Error(ErrorKind::kInternal,
                "expected a MuJoCo of version 3.17.0 or later for "
                "dm_control's tasks, found " +
                    std::string(UsedLayout().version));
  }
  Texts().suite = std::move(model_texts);
  suite::SetModelSource(&FindModelText);
  if (AddPluginTasks("envpool_py._mujoco", &suite::RegisterSuite) != 0) {
    throw py::error_already_set();
  }
}

void RegisterRobotics(const std::string& asset_directory, py::object model_texts) {
  RequireLibrary();
  SetAssetDirectory(asset_directory);
  Texts().robotics = std::move(model_texts);
  robotics::SetModelSource(&FindRoboticsText);
  if (AddPluginTasks("envpool_py._mujoco", &robotics::RegisterRobotics) != 0) {
    throw py::error_already_set();
  }
}

void RegisterMaMujoco(const std::string& asset_directory, py::object model_texts) {
  RequireLibrary();
  SetAssetDirectory(asset_directory);
  Texts().mamujoco = std::move(model_texts);
  mamujoco::SetModelSource(&FindSegmentText);
  if (AddPluginTasks("envpool_py._mujoco", &mamujoco::RegisterMaMujoco) != 0) {
    throw py::error_already_set();
  }
}

void RegisterMetaWorld(py::object model_paths) {
  RequireLibrary();
  Texts().metaworld = std::move(model_paths);
  metaworld::SetModelSource(&FindMetaWorldModel);
  if (AddPluginTasks("envpool_py._mujoco", &metaworld::RegisterMetaWorld) != 0) {
    throw py::error_already_set();
  }
}

PYBIND11_MODULE(_mujoco, m, py::mod_gil_not_used()) {
  bindings::RegisterErrorTranslator();
  if (!UseNumpyKernelsOfCore()) throw py::error_already_set();
  m.doc() =
      "Gymnasium's MuJoCo tasks, the DeepMind Control Suite, Gymnasium-Robotics with MaMuJoCo, and "
      "MetaWorld. Private: the modules `family` of `mujoco`, `dm_control`, `robotics`, `mamujoco` "
      "and `metaworld` in `envpool_py.tasks.families` load it.\n\nErrors are those of "
      "`envpool_py.errors`.";
  py::tuple versions(Layouts().size());
  for (std::size_t i = 0; i < Layouts().size(); ++i) {
    versions[i] = py::str(std::string(Layouts()[i].version));
  }
  m.attr("SUPPORTED_VERSIONS") = versions;
  m.def(
      "model_memory", [] { return py::make_tuple(NumBaseModels(), ModelVariant::BytesOfAll()); },
      "Returns the number of compiled models in use, and the bytes of the arrays that settings "
      "changed. For tests.");
  m.def("open_library", &Open, py::arg("library_file"), py::arg("plugin_directory"),
        "Opens a MuJoCo library of one of SUPPORTED_VERSIONS, and its plug-ins.\n\n"
        "Returns:\n"
        "    its version, such as \"3.17.0\".\n\n"
        "Raises:\n"
        "    InternalError: it cannot be opened, lacks a function, has another version, or does "
        "not lay out its data like that version.");
  m.def("register_tasks", &RegisterTasks, py::arg("asset_directory"),
        "Registers the tasks with the engine, once, after a library is open.\n\n"
        "Args:\n"
        "    asset_directory: where Gymnasium has its models.\n\n"
        "Raises:\n"
        "    InternalError: no library is open.\n"
        "    PluginError: a model is missing or cannot be compiled, or the tasks are registered "
        "already.");
  m.def(
      "register_suite", &RegisterSuite, py::arg("model_texts"),
      "Registers the tasks of the DeepMind Control Suite, once, after a library is open.\n\n"
      "Args:\n"
      "    model_texts: called with the key of a model, such as \"cartpole 2\"; returns its MJCF, "
      "which includes no files.\n\n"
      "Raises:\n"
      "    InternalError: no library is open, or one of a version before 3.17.0.\n"
      "    PluginError: the tasks are registered already.");
  m.def("register_robotics", &RegisterRobotics, py::arg("asset_directory"), py::arg("model_texts"),
        "Registers the tasks of Gymnasium-Robotics, once, after a library is open.\n\n"
        "Args:\n"
        "    asset_directory: where Gymnasium has its models.\n"
        "    model_texts: called with the key of a text, a list of str; returns the text.\n\n"
        "Raises:\n"
        "    InternalError: no library is open.\n"
        "    PluginError: a model is missing or cannot be compiled, or the tasks are registered "
        "already.");
  m.def("register_mamujoco", &RegisterMaMujoco, py::arg("asset_directory"), py::arg("model_texts"),
        "Registers the scenarios of MaMuJoCo, once, after a library is open.\n\n"
        "Args:\n"
        "    asset_directory: where Gymnasium has its models.\n"
        "    model_texts: called with a robot and its number of segments, such as \"ant 6\"; "
        "returns its MJCF.\n\n"
        "Raises:\n"
        "    InternalError: no library is open.\n"
        "    PluginError: a model is missing or cannot be compiled, or the scenarios are "
        "registered already.");
  m.def(
      "register_metaworld", &RegisterMetaWorld, py::arg("model_paths"),
      "Registers the tasks of MetaWorld, once, after a library is open.\n\n"
      "Args:\n"
      "    model_paths: called with the name of a model, such as \"sawyer_reach_v3\"; returns the "
      "path of its file.\n\n"
      "Raises:\n"
      "    InternalError: no library is open.\n"
      "    PluginError: the tasks are registered already.");
}

}  // namespace
}  // namespace engine::mujoco
