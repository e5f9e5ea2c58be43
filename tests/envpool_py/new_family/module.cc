// The extension module pond._pond: importing it registers the tasks of the
// family that only a test has.
#include <pybind11/pybind11.h>

#include "engine/env/registry.h"
#include "pond.h"

PYBIND11_MODULE(_pond, module) {
  module.doc() = "Adds two tasks to envpool_py.";
  const pybind11::capsule capsule =
      pybind11::module_::import("envpool_py._core").attr("_registry_v1");
  auto* const registry =
      static_cast<engine::Registry*>(PyCapsule_GetPointer(capsule.ptr(), "envpool_py.registry.v1"));
  if (registry == nullptr) throw pybind11::error_already_set();
  registry->Add<Pond>("Pond-v0", {.max_episode_steps = 20, .reward_threshold = 0.5});
  registry->Add<Pond>("WidePond-v0", {.max_episode_steps = 60}, Pond::OptionsOf(12));
}
