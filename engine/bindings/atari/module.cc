// envpool_py._atari: Atari games, and one game on one console for those who
// compare, debug or search rather than train. All functions hold the GIL but
// those that run frames.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/bindings/errors.h"
#include "engine/envs/atari/console/opcodes.h"
#include "engine/envs/atari/game_rom.h"
#include "engine/envs/atari/game_runner.h"
#include "engine/envs/atari/games/game_table.h"

namespace py = pybind11;

namespace engine::atari {
namespace {

using Released = py::call_guard<py::gil_scoped_release>;
using ByteArray = py::array_t<std::uint8_t>;

std::span<const std::uint8_t> Bytes(const py::bytes& bytes) {
  char* data = nullptr;
  Py_ssize_t size = 0;
  if (PyBytes_AsStringAndSize(bytes.ptr(), &data, &size) != 0) throw py::error_already_set();
  return {reinterpret_cast<const std::uint8_t*>(data), static_cast<std::size_t>(size)};
}

// A game's ROM in Python's hands.
struct Rom {
  Rom(const std::string& game, const py::bytes& image)
      : rom(std::make_shared<const GameRom>(FindGame(game), Bytes(image))) {}
  std::shared_ptr<const GameRom> rom;
};

// A snapshot, the picture included.
struct Snapshot {
  std::shared_ptr<const GameRom> rom;
  RunnerState state;
};

struct Runner {
  Runner(const Rom& with_rom, std::uint32_t seed, int frame_skip, float repeat_action_probability,
         int max_num_frames_per_episode, bool truncate_on_loss_of_life)
      : rom(with_rom.rom),
        runner(with_rom.rom,
               {.frame_skip = frame_skip,
                .repeat_action_probability = repeat_action_probability,
                .max_num_frames_per_episode = max_num_frames_per_episode,
                .truncate_on_loss_of_life = truncate_on_loss_of_life},
               seed) {}
  std::shared_ptr<const GameRom> rom;
  GameRunner runner;
};

Action CheckedAction(int action) {
  if (action < 0 || action >= kNumActions) {
    throw Error(ErrorKind::kInput,
                "action: expected an integer in [0, 17], got " + std::to_string(action));
  }
  return static_cast<Action>(action);
}

const RunnerState& CheckedState(const Runner& runner, const Snapshot& snapshot) {
  if (snapshot.rom->game().id != runner.rom->game().id) {
    throw Error(ErrorKind::kInput, "snapshot: expected one of " +
                                       std::string(runner.rom->game().id) + ", got one of " +
                                       std::string(snapshot.rom->game().id));
  }
  return snapshot.state;
}

ByteArray Screen(const Console& console) {
  ByteArray screen({static_cast<py::ssize_t>(console.lines()), py::ssize_t{kWidth}});
  std::memcpy(screen.mutable_data(), console.pixels().data(), console.pixels().size());
  return screen;
}

ByteArray Ram(const Console& console) {
  ByteArray ram(kRamSize);
  std::memcpy(ram.mutable_data(), console.ram(), kRamSize);
  return ram;
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
  about["mapper"] = std::string(MapperName(game.hardware.mapper));
  about["minimal_actions"] = List((game.minimal - (kAllActions - game.legal)));
  about["legal_actions"] = List(game.legal);
  about["modes"] = list(game.modes);
  about["difficulties"] = list(game.difficulties);
  about["paddles"] = UsesPaddles(game.hardware);
  return about;
}

py::dict Processor(const ConsoleState& state) {
  py::dict registers;
  registers["pc"] = state.cpu.pc;
  registers["a"] = state.cpu.a;
  registers["x"] = state.cpu.x;
  registers["y"] = state.cpu.y;
  registers["sp"] = state.cpu.sp;
  registers["status"] = state.cpu.status;
  registers["cycles"] = state.cycles;
  registers["bank"] = state.cartridge.bank;
  registers["scanline"] = state.tia.Scanline(state.cycles);
  return registers;
}

// A console with any program in it, for tests and tools: no game, no rules.
struct BareConsole {
  BareConsole(const std::string& mapper, const py::bytes& image, std::uint32_t seed, int lines)
      : random(seed),
        console(std::make_shared<const Cartridge>(FindMapper(mapper), Bytes(image)),
                TiaSetup{.lines = lines}, random) {
    console.Reset(random);
  }
  static Mapper FindMapper(const std::string& name) {
    std::string known;
    for (const Mapper mapper : kAllMappers) {
      if (MapperName(mapper) == name) return mapper;
      known += (known.empty() ? "" : ", ") + std::string(MapperName(mapper));
    }
    throw Error(ErrorKind::kInput, "mapper: expected one of " + known + ", got '" + name + "'");
  }
  std::mt19937 random;
  Console console;
};

void BindBareConsole(py::module_& m) {
  py::class_<BareConsole>(m, "Console")
      .def(py::init<const std::string&, const py::bytes&, std::uint32_t, int>(), py::arg("mapper"),
           py::arg("image"), py::kw_only(), py::arg("seed") = 0, py::arg("lines") = 210)
      .def("reset", [](BareConsole& self) { self.console.Reset(self.random); })
      .def("run_frame", [](BareConsole& self) { self.console.RunFrame(); }, Released())
      .def("step_instruction", [](BareConsole& self) { return self.console.StepInstruction(); })
      .def_property_readonly("jammed", [](const BareConsole& self) { return self.console.jammed(); })
      .def("processor",
           [](const BareConsole& self) { return Processor(self.console.state()); })
      .def(
          "set_processor",
          [](BareConsole& self, std::uint16_t pc, std::uint8_t a, std::uint8_t x, std::uint8_t y,
             std::uint8_t sp, std::uint8_t status) {
            self.console.set_cpu({.pc = pc, .a = a, .x = x, .y = y, .sp = sp, .status = status});
          },
          py::kw_only(), py::arg("pc"), py::arg("a"), py::arg("x"), py::arg("y"), py::arg("sp"),
          py::arg("status"))
      .def(
          "peek", [](const BareConsole& self, int address) { return self.console.Peek(address); },
          py::arg("address"))
      .def(
          "set_ram",
          [](BareConsole& self, int address, std::uint8_t value) {
            self.console.set_ram(address, value);
          },
          py::arg("address"), py::arg("value"))
      .def("ram", [](const BareConsole& self) { return Ram(self.console); })
      .def("screen", [](const BareConsole& self) { return Screen(self.console); });
}

void BindRunner(py::module_& m) {
  py::class_<Snapshot>(m, "Snapshot");
  py::class_<Rom>(m, "Rom")
      .def(py::init<const std::string&, const py::bytes&>(), py::arg("game"), py::arg("image"))
      .def_property_readonly("game",
                             [](const Rom& self) { return std::string(self.rom->game().id); })
      .def_property_readonly("lines", [](const Rom& self) { return self.rom->setup().lines; })
      .def_property_readonly("format", [](const Rom& self) {
        return self.rom->format() == TvFormat::kPal ? "PAL" : "NTSC";
      });
  py::class_<Runner>(m, "GameRunner")
      .def(py::init<const Rom&, std::uint32_t, int, float, int, bool>(), py::arg("rom"),
           py::kw_only(), py::arg("seed") = 0, py::arg("frame_skip") = 1,
           py::arg("repeat_action_probability") = 0.25f,
           py::arg("max_num_frames_per_episode") = 0, py::arg("truncate_on_loss_of_life") = false)
      .def("reset", [](Runner& self) { self.runner.Reset(); }, Released())
      .def(
          "act",
          [](Runner& self, int action, float strength) {
            const Action checked = CheckedAction(action);
            return self.runner.Act(checked, strength);
          },
          py::arg("action"), py::arg("strength") = 1.0f, Released())
      .def(
          "run",
          [](Runner& self, const std::vector<int>& actions) {
            std::int64_t sum = 0;
            for (const int action : actions) {
              sum += self.runner.Act(CheckedAction(action));
              if (self.runner.over()) self.runner.Reset();
            }
            return sum;
          },
          py::arg("actions"), Released())
      .def_property_readonly("terminal", [](const Runner& self) { return self.runner.terminal(); })
      .def_property_readonly("truncated",
                             [](const Runner& self) { return self.runner.truncated(); })
      .def_property_readonly("lives", [](const Runner& self) { return self.runner.lives(); })
      .def_property_readonly("frame_number",
                             [](const Runner& self) { return self.runner.frame_number(); })
      .def_property_readonly("episode_frame_number",
                             [](const Runner& self) { return self.runner.episode_frame_number(); })
      .def_property(
          "mode", [](const Runner& self) { return self.runner.mode(); },
          [](Runner& self, int mode) { self.runner.set_mode(mode); })
      .def_property(
          "difficulty", [](const Runner& self) { return self.runner.difficulty(); },
          [](Runner& self, int difficulty) { self.runner.set_difficulty(difficulty); })
      .def("screen", [](const Runner& self) { return Screen(self.runner.console()); })
      .def("ram", [](const Runner& self) { return Ram(self.runner.console()); })
      .def("processor",
           [](const Runner& self) { return Processor(self.runner.console().state()); })
      .def("step_instruction", [](Runner& self) { return self.runner.StepInstruction(); })
      .def(
          "peek", [](const Runner& self, int address) { return self.runner.console().Peek(address); },
          py::arg("address"))
      .def("snapshot",
           [](const Runner& self) {
             return Snapshot{self.rom, self.runner.state()};
           })
      .def(
          "restore",
          [](Runner& self, const Snapshot& snapshot) {
            self.runner.Restore(CheckedState(self, snapshot));
          },
          py::arg("snapshot"))
      .def(
          "restore_like_ale",
          [](Runner& self, const Snapshot& snapshot, bool with_random) {
            self.runner.RestoreLikeAle(CheckedState(self, snapshot), with_random);
          },
          py::arg("snapshot"), py::arg("with_random"));
}

PYBIND11_MODULE(_atari, m) {
  bindings::RegisterErrorTranslator();
  m.def("games", [] {
    std::vector<std::string> ids;
    for (const Game* game : AllGames()) ids.emplace_back(game->id);
    return ids;
  });
  m.def("describe_game", &Describe, py::arg("game"));
  m.def("opcodes", [] {
    py::list opcodes;
    for (const Opcode& opcode : kOpcodes) {
      opcodes.append(py::make_tuple(std::string(Mnemonic(opcode.operation)),
                                    static_cast<int>(opcode.mode), Length(opcode.mode),
                                    static_cast<int>(opcode.cycles)));
    }
    return opcodes;
  });
  BindBareConsole(m);
  BindRunner(m);
}

}  // namespace
}  // namespace engine::atari
