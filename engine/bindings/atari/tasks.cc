// See the header.
#include "engine/bindings/atari/tasks.h"

#include <cstdint>
#include <span>
#include <string>

#include "engine/env/registry.h"
#include "engine/envs/atari/games/game_table.h"
#include "engine/envs/atari/register.h"
#include "engine/envs/atari/rom_store.h"

namespace py = pybind11;

namespace engine::atari {
namespace {

void AddRom(const std::string& game, const py::bytes& image) {
  char* data = nullptr;
  Py_ssize_t size = 0;
  if (PyBytes_AsStringAndSize(image.ptr(), &data, &size) != 0) throw py::error_already_set();
  const std::span bytes(reinterpret_cast<const std::uint8_t*>(data),
                        static_cast<std::size_t>(size));
  const py::gil_scoped_release release;
  RomStore::Global().Add(game, bytes);
}

// By the capsule that plug-ins use, because Registry::Global() of this module is another object.
void Register() {
  const py::capsule capsule = py::module_::import("envpool_py._core").attr("_registry_v1");
  auto* const registry =
      static_cast<Registry*>(PyCapsule_GetPointer(capsule.ptr(), "envpool_py.registry.v1"));
  if (registry == nullptr) throw py::error_already_set();
  RegisterAtari(*registry);
}

}  // namespace

void BindTasks(py::module_& m) {
  m.def("register_tasks", &Register,
        "Registers the tasks of all games with the engine. Once in a process.\n\n"
        "Raises:\n"
        "    InternalError: they are registered already.");
  m.def("add_rom", &AddRom, py::arg("game"), py::arg("image"),
        "Keeps a game's ROM for the pools that are made later; it may be there already.\n\n"
        "Args:\n"
        "    game: one of `games()`.\n"
        "    image: the game's ROM, as ale-py ships it.\n\n"
        "Raises:\n"
        "    UnknownTaskError: no such game.\n"
        "    InputError: an image with another MD5 than `describe_game` names.");
  m.def(
      "has_rom",
      [](const std::string& game) { return RomStore::Global().Find(FindGame(game)) != nullptr; },
      py::arg("game"),
      "Returns whether `add_rom` has been called for a game.\n\n"
      "Raises:\n"
      "    UnknownTaskError: no such game.");
}

}  // namespace engine::atari
