// envpool_py._atari: registers the Atari tasks, stores their ROMs and describes their games. All
// functions hold the GIL except while a ROM is checked. envpool_py/_atari.pyi has the same
// docstrings; those here add ranges and errors.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/bindings/errors.h"
#include "engine/bindings/gil.h"
#include "engine/emulators/atari2600/cartridge.h"
#include "engine/envs/atari/controls.h"
#include "engine/envs/atari/games/game_table.h"
#include "engine/envs/atari/register.h"
#include "engine/envs/atari/rom_store.h"
#include "engine/tasks/plugin.h"

namespace py = pybind11;

namespace engine::atari {
namespace {

void AddRom(const std::string& game, const py::bytes& image) {
  char* data = nullptr;
  Py_ssize_t size = 0;
  if (PyBytes_AsStringAndSize(image.ptr(), &data, &size) != 0) throw py::error_already_set();
  const std::span bytes(reinterpret_cast<const std::uint8_t*>(data),
                        static_cast<std::size_t>(size));
  const bindings::GilReleased released;
  RomStore::Global().Add(game, bytes);
}

void Register() {
  if (AddPluginTasks("envpool_py._atari", &RegisterAtari) != 0) throw py::error_already_set();
}

std::vector<int> List(ActionSet set) {
  std::vector<int> actions;
  for (int action = 0; action < kNumActions; ++action) {
    if (set.Contains(static_cast<Action>(action))) actions.push_back(action);
  }
  return actions;
}

py::dict Describe(const std::string& id) {
  const Game& game = FindGame(id);
  const auto list = [](auto values) { return std::vector<int>(values.begin(), values.end()); };
  py::dict about;
  about["id"] = std::string(game.id);
  about["rom_md5"] = std::string(game.rom_md5);
  about["mapper"] = std::string(atari2600::MapperName(game.hardware.mapper));
  about["minimal_actions"] = List((game.minimal - (kAllActions - game.legal)));
  about["legal_actions"] = List(game.legal);
  about["modes"] = list(game.modes);
  about["difficulties"] = list(game.difficulties);
  about["paddles"] = UsesPaddles(game.hardware);
  about["format"] = game.hardware.format == TvFormat::kPal ? "PAL" : "NTSC";
  about["lines"] = PictureLines(game.hardware, game.hardware.format);
  return about;
}

void BindGames(py::module_& m) {
  m.def(
      "games",
      [] {
        std::vector<std::string> ids;
        for (const Game* game : AllGames()) ids.emplace_back(game->id);
        return ids;
      },
      "Returns the names of all games, sorted, as ale-py names their ROMs (\"space_invaders\").");
  m.def("describe_game", &Describe, py::arg("game"),
        "Returns what is fixed about one of `games()`.\n\n"
        "Returns:\n"
        "    id, rom_md5 (of the only image that is accepted, lower case) and mapper: str;\n"
        "    minimal_actions (those that do something) and legal_actions: ascending, in [0, 17];\n"
        "    modes and difficulties: the default first; paddles: whether it is played with them;\n"
        "    format (\"NTSC\" or \"PAL\") and lines (rows) of the picture.\n\n"
        "Raises:\n"
        "    UnknownTaskError: no such game; names the nearest.");
}

void BindTasks(py::module_& m) {
  m.def("register_tasks", &Register,
        "Registers the tasks of all games with the engine. Once in a process.\n\n"
        "Raises:\n"
        "    PluginError: they are registered already.");
  m.def("add_rom", &AddRom, py::arg("game"), py::arg("image"),
        "Stores a game's ROM for pools that are made later, unless it is stored already.\n\n"
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

PYBIND11_MODULE(_atari, m, py::mod_gil_not_used()) {
  bindings::RegisterErrorTranslator();
  if (!UseNumpyKernelsOfCore()) throw py::error_already_set();
  m.doc() =
      "The Atari tasks, their games and ROMs. Private: `envpool_py.tasks.families.atari` uses "
      "it.\n\n"
      "Errors are those of `envpool_py.errors`, and TypeError for an argument of another type.";
  BindGames(m);
  BindTasks(m);
}

}  // namespace
}  // namespace engine::atari
