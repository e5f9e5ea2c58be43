// envpool_py._atari_debug: single games and consoles for the tools, tests and benchmarks of the
// Atari family; not shipped. All functions hold the GIL except those that run frames. An object may
// be used by one thread at a time; ROMs and snapshots by any number. envpool_py/_atari_debug.pyi
// has the same docstrings; those here add ranges and errors.
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
#include "engine/bindings/pickling.h"
#include "engine/emulators/atari2600/opcodes.h"
#include "engine/envs/atari/game_rom.h"
#include "engine/envs/atari/game_runner.h"
#include "engine/envs/atari/games/game_table.h"
#include "engine/tasks/plugin.h"
#include "tools/atari/debug_module/pixels.h"

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

// A game's ROM as a Python object.
struct Rom {
  Rom(const std::string& game, const py::bytes& image)
      : rom(std::make_shared<const GameRom>(FindGame(game), Bytes(image))) {}
  std::shared_ptr<const GameRom> rom;
};

// A snapshot, without the picture: a runner's picture is valid after the next frame.
struct Snapshot {
  std::shared_ptr<const GameRom> rom;
  RunnerState state;
};

[[noreturn]] void BadArgument(const char* name, const std::string& expected,
                              const std::string& actual) {
  throw Error(ErrorKind::kInput, std::string(name) + ": expected " + expected + ", got " + actual);
}

RunnerOptions CheckedOptions(const RunnerOptions& options) {
  constexpr int kMaxFrames = 1'000;
  if (options.frame_skip < 1 || options.frame_skip > kMaxFrames) {
    BadArgument("frame_skip", "an integer in [1, 1000]", std::to_string(options.frame_skip));
  }
  const float probability = options.repeat_action_probability;
  if (!(probability >= 0.0f && probability <= 1.0f)) {
    BadArgument("repeat_action_probability", "a number in [0, 1]", std::to_string(probability));
  }
  if (options.max_num_frames_per_episode < 0) {
    BadArgument("max_num_frames_per_episode", "0 (no limit) or more",
                std::to_string(options.max_num_frames_per_episode));
  }
  return options;
}

float CheckedStrength(float strength) {
  if (!(strength >= 0.0f && strength <= 1.0f)) {
    BadArgument("strength", "a number in [0, 1]", std::to_string(strength));
  }
  return strength;
}

struct Runner {
  Runner(const Rom& with_rom, std::uint32_t seed, int frame_skip, float repeat_action_probability,
         int max_num_frames_per_episode, bool truncate_on_loss_of_life)
      : rom(with_rom.rom),
        runner(with_rom.rom,
               CheckedOptions({.frame_skip = frame_skip,
                               .repeat_action_probability = repeat_action_probability,
                               .max_num_frames_per_episode = max_num_frames_per_episode,
                               .truncate_on_loss_of_life = truncate_on_loss_of_life}),
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

ByteArray Screen(const atari2600::Console& console) {
  ByteArray screen({static_cast<py::ssize_t>(console.lines()), py::ssize_t{atari2600::kWidth}});
  std::memcpy(screen.mutable_data(), console.pixels().data(), console.pixels().size());
  return screen;
}

ByteArray Ram(const atari2600::Console& console) {
  ByteArray ram(atari2600::kRamSize);
  std::memcpy(ram.mutable_data(), console.ram(), atari2600::kRamSize);
  return ram;
}

py::dict Processor(const atari2600::ConsoleState& state) {
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

constexpr char kProcessorDoc[] =
    "Returns the processor's registers pc, a, x, y, sp and status, the cartridge's bank, and where "
    "the\nframe stands: cycles and scanline, counted from its beginning. All of them are ints.";
constexpr char kPeekDoc[] =
    "Returns what the processor would read of memory or ROM, in [0, 255], without any effect.\n\n"
    "No bank is switched; registers of the TIA and the timer give 0. Of the address, only the bits "
    "count\nthat the console sees.";
constexpr char kRamDoc[] =
    "Returns a copy of the console's memory: uint8, (128,), from address 0x80.";
constexpr char kScreenDoc[] =
    "Returns a copy of the picture: color numbers, uint8, (rows, 160).\n\n"
    "Color numbers are the TIA's own, hue and luminance; a palette makes them visible.";

// A console that runs any program, without a game and its rules; for tests and tools.
struct BareConsole {
  explicit BareConsole(const Rom& with_rom)
      : random(with_rom.rom->random()), console(with_rom.rom->cartridge(), with_rom.rom->state()) {}
  BareConsole(const std::string& mapper, const py::bytes& image, std::uint32_t seed, int lines)
      : random(seed),
        console(std::make_shared<const atari2600::Cartridge>(FindMapper(mapper), Bytes(image)),
                atari2600::TiaSetup{.lines = CheckedLines(lines)}, random) {
    console.Reset(random);
  }
  static int CheckedLines(int lines) {
    constexpr int kMax = 300;
    if (lines < 1 || lines > kMax) {
      BadArgument("lines", "an integer in [1, 300]", std::to_string(lines));
    }
    return lines;
  }
  static Mapper FindMapper(const std::string& name) {
    std::string known;
    for (const Mapper mapper : atari2600::kAllMappers) {
      if (atari2600::MapperName(mapper) == name) return mapper;
      known += (known.empty() ? "" : ", ") + std::string(atari2600::MapperName(mapper));
    }
    throw Error(ErrorKind::kInput, "mapper: expected one of " + known + ", got '" + name + "'");
  }
  std::mt19937 random;
  atari2600::Console console;
};

void BindBareConsole(py::module_& m) {
  py::class_<BareConsole>(m, "Console",
                          "A console with any program in it: no game, no rules, no player.\n\n"
                          "It is for tests and tools; it can be set up as no game sets it up. "
                          "Reset when made. For one\nthread at a time.")
      .def(py::init<const Rom&>(), py::arg("rom"),
           "A console just switched on with a game's ROM, which it shares.")
      .def(py::init<const std::string&, const py::bytes&, std::uint32_t, int>(), py::arg("mapper"),
           py::arg("image"), py::kw_only(), py::arg("seed") = 0, py::arg("lines") = 210,
           "Args:\n"
           "    mapper: 2K, 4K, F8, F8SC, F6, F6SC, E0, FE or DPC.\n"
           "    image: the cartridge's bytes, as many as the mapper has: 2048 (2K), 4096 (4K), "
           "16384\n"
           "        (F6, F6SC), 10240 to 10496 (DPC) or 8192 (the others).\n"
           "    seed: in [0, 2**32 - 1], of what memory and timer hold at power-on.\n"
           "    lines: rows of the picture, at least 0.\n\n"
           "Raises:\n"
           "    InputError: no such mapper, or an image of another size.")
      .def(
          "reset", [](BareConsole& self) { self.console.Reset(self.random); },
          "Presses the power switch; memory stays as it is, the timer's value is drawn.")
      .def(
          "run_frame", [](BareConsole& self) { self.console.RunFrame(); }, Released(),
          "Runs until vertical sync ends, at most 25,000 instructions: whatever the program does, "
          "time "
          "is\nbounded. The picture of a frame that has not ended is grey from where it stands.")
      .def(
          "step_instruction", [](BareConsole& self) { return self.console.StepInstruction(); },
          "Runs one instruction; returns whether a frame ends with it.")
      .def_property_readonly(
          "jammed", [](const BareConsole& self) { return self.console.jammed(); },
          "Whether the processor has halted at an opcode that halts it; a reset ends that.")
      .def(
          "processor", [](const BareConsole& self) { return Processor(self.console.state()); },
          kProcessorDoc)
      .def(
          "set_processor",
          [](BareConsole& self, std::uint16_t pc, std::uint8_t a, std::uint8_t x, std::uint8_t y,
             std::uint8_t sp, std::uint8_t status) {
            self.console.set_cpu({.pc = pc, .a = a, .x = x, .y = y, .sp = sp, .status = status});
          },
          py::kw_only(), py::arg("pc"), py::arg("a"), py::arg("x"), py::arg("y"), py::arg("sp"),
          py::arg("status"),
          "Sets all registers: `pc` in [0, 65535], the others in [0, 255].\n\n"
          "Raises:\n"
          "    TypeError: a value out of its range.")
      .def(
          "peek", [](const BareConsole& self, int address) { return self.console.Peek(address); },
          py::arg("address"), kPeekDoc)
      .def(
          "set_ram",
          [](BareConsole& self, int address, std::uint8_t value) {
            self.console.set_ram(address, value);
          },
          py::arg("address"), py::arg("value"),
          "Writes `value`, in [0, 255], to the console's memory.\n\n"
          "Only the low seven bits of the address count: 0x80 is the first of the 128 bytes.\n\n"
          "Raises:\n"
          "    TypeError: a value out of its range.")
      .def(
          "ram", [](const BareConsole& self) { return Ram(self.console); }, kRamDoc)
      .def("screen", [](const BareConsole& self) { return Screen(self.console); }, kScreenDoc);
}

void BindRom(py::module_& m) {
  py::class_<Rom>(m, "Rom",
                  "A game's ROM in its cartridge, and the console as it is when switched on with "
                  "it.\n\nShared by the runners that are made with it. Immutable: any thread.")
      .def(py::init<const std::string&, const py::bytes&>(), py::arg("game"), py::arg("image"),
           "Plays the first second, to see which television the program draws for.\n\n"
           "Args:\n"
           "    game: one of `envpool_py._atari.games()`.\n"
           "    image: the game's ROM, as ale-py ships it.\n\n"
           "Raises:\n"
           "    UnknownTaskError: no such game.\n"
           "    InputError: an image with another MD5 than `_atari.describe_game` names.")
      .def_property_readonly(
          "game", [](const Rom& self) { return std::string(self.rom->game().id); },
          "The game's name, one of `envpool_py._atari.games()`.")
      .def_property_readonly(
          "lines", [](const Rom& self) { return self.rom->setup().lines; }, "Rows of the picture.")
      .def_property_readonly(
          "format",
          [](const Rom& self) { return self.rom->format() == TvFormat::kPal ? "PAL" : "NTSC"; },
          "The television that the program draws for, \"NTSC\" or \"PAL\".");
}

using RunnerClass = py::class_<Runner>;

void BindPlay(RunnerClass& runner) {
  runner
      .def(py::init<const Rom&, std::uint32_t, int, float, int, bool>(), py::arg("rom"),
           py::kw_only(), py::arg("seed") = 0, py::arg("frame_skip") = 1,
           py::arg("repeat_action_probability") = 0.25f, py::arg("max_num_frames_per_episode") = 0,
           py::arg("truncate_on_loss_of_life") = false,
           "Begins the first episode, as ale-py does when it has loaded a ROM.\n\n"
           "Args:\n"
           "    rom: the game.\n"
           "    seed: in [0, 2**32 - 1], of the sticky actions.\n"
           "    frame_skip: frames that an action is held, at least 1.\n"
           "    repeat_action_probability: in [0, 1], that a frame takes the previous action "
           "instead.\n"
           "    max_num_frames_per_episode: after which an episode is truncated; 0: never.\n"
           "    truncate_on_loss_of_life: whether an episode is truncated when a life is lost.")
      .def(
          "reset", [](Runner& self) { self.runner.Reset(); }, Released(),
          "Begins an episode, in the mode and difficulty last set.\n\n"
          "Raises:\n"
          "    InternalError: the game's program halted, or its variant could not be selected.")
      .def(
          "act",
          [](Runner& self, int action, float strength) {
            const Action checked = CheckedAction(action);
            return self.runner.Act(checked, CheckedStrength(strength));
          },
          py::arg("action"), py::arg("strength") = 1.0f, Released(),
          "Takes an action for `frame_skip` frames; returns the sum of their rewards.\n\n"
          "After the episode's end nothing runs, and the reward is 0.\n\n"
          "Args:\n"
          "    action: in [0, 17], with ale-py's meaning; one that is not legal counts as none.\n"
          "    strength: in [0, 1], how far a paddle turns; for joysticks without meaning.\n\n"
          "Raises:\n"
          "    InputError: an action or a strength out of range; nothing has run.\n"
          "    InternalError: the game's program halted.")
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
          py::arg("actions"), Released(),
          "Takes the actions one after the other, as `act` does, with a reset after each end.\n\n"
          "Returns the sum of the rewards. Raises what `act` raises; the actions before it have "
          "been taken.")
      .def_property_readonly(
          "terminal", [](const Runner& self) { return self.runner.terminal(); },
          "Whether the game is over.")
      .def_property_readonly(
          "truncated", [](const Runner& self) { return self.runner.truncated(); },
          "Whether the episode was cut short, by a limit or by a lost life.")
      .def_property_readonly(
          "lives", [](const Runner& self) { return self.runner.lives(); },
          "Lives that the player has left, as ale-py counts them.")
      .def_property_readonly(
          "frame_number", [](const Runner& self) { return self.runner.frame_number(); },
          "Frames of all episodes so far. Of a reset, those count that select the mode, as in "
          "ale-py.")
      .def_property_readonly(
          "episode_frame_number",
          [](const Runner& self) { return self.runner.episode_frame_number(); },
          "Frames of this episode so far, counted likewise.")
      .def_property(
          "mode", [](const Runner& self) { return self.runner.mode(); },
          [](Runner& self, int mode) { self.runner.set_mode(mode); },
          "The game's mode, one of `_atari.describe_game(...)[\"modes\"]`; holds from the next "
          "reset on."
          "\n\nRaises:\n"
          "    OptionError: the game has no such mode.")
      .def_property(
          "difficulty", [](const Runner& self) { return self.runner.difficulty(); },
          [](Runner& self, int difficulty) { self.runner.set_difficulty(difficulty); },
          "The game's difficulty, one of `_atari.describe_game(...)[\"difficulties\"]`; holds\n"
          "from the next frame on.\n\n"
          "Raises:\n"
          "    OptionError: the game has no such difficulty.");
}

void BindLook(RunnerClass& runner) {
  runner.def(
            "screen", [](const Runner& self) { return Screen(self.runner.console()); }, kScreenDoc)
      .def(
          "ram", [](const Runner& self) { return Ram(self.runner.console()); }, kRamDoc)
      .def(
          "processor", [](const Runner& self) { return Processor(self.runner.console().state()); },
          kProcessorDoc)
      .def(
          "step_instruction", [](Runner& self) { return self.runner.StepInstruction(); },
          "Runs one instruction, without the game's rules; returns whether a frame ends with it."
          "\n\nRewards and lives know nothing of it. To go on playing, restore a snapshot.")
      .def(
          "peek",
          [](const Runner& self, int address) { return self.runner.console().Peek(address); },
          py::arg("address"), kPeekDoc);
}

void BindState(RunnerClass& runner) {
  runner
      .def(
          "snapshot", [](const Runner& self) { return Snapshot{self.rom, self.runner.state()}; },
          "Returns the whole state, the generators of chance included, the picture apart.")
      .def(
          "restore",
          [](Runner& self, const Snapshot& snapshot) {
            self.runner.Restore(CheckedState(self, snapshot));
          },
          py::arg("snapshot"),
          "Goes on where the snapshot was taken, on any runner of the same game.\n\n"
          "With equal options and actions all is as it was then; the picture follows with the next "
          "frame.\n\n"
          "Raises:\n"
          "    InputError: a snapshot of another game.")
      .def(
          "restore_like_ale",
          [](Runner& self, const Snapshot& snapshot, bool with_random) {
            self.runner.RestoreLikeAle(CheckedState(self, snapshot), with_random);
          },
          py::arg("snapshot"), py::arg("with_random"),
          "The same, but leaves alone what ale-py's restoreState leaves alone.\n\n"
          "That is the action that sticky frames repeat, whether a frame is unfinished, the "
          "shapes\n"
          "of the TIA's objects, what some games keep to themselves and, without `with_random`, "
          "the\n"
          "generator of sticky actions. Without it, it is what ale-py does with a state of\n"
          "cloneState(); with it, what it does with one of cloneSystemState().\n\n"
          "Raises:\n"
          "    InputError: a snapshot of another game.");
}

void BindOpcodes(py::module_& m) {
  m.def(
      "opcodes",
      [] {
        py::list opcodes;
        for (const atari2600::Opcode& opcode : atari2600::kOpcodes) {
          opcodes.append(py::make_tuple(
              std::string(atari2600::Mnemonic(opcode.operation)), static_cast<int>(opcode.mode),
              atari2600::Length(opcode.mode), static_cast<int>(opcode.cycles)));
        }
        return opcodes;
      },
      "Returns, for each of the 256 opcodes: mnemonic, addressing mode, length in bytes, "
      "cycles.\n\n"
      "Addressing modes: 0 implied, 1 accumulator, 2 immediate, 3 relative, 4 zero page,\n"
      "5 zero page,X, 6 zero page,Y, 7 absolute, 8 absolute,X, 9 absolute,Y, 10 indirect,\n"
      "11 (indirect,X), 12 (indirect),Y. Cycles are those without a branch taken or a page "
      "crossed.");
}

PYBIND11_MODULE(_atari_debug, m) {
  bindings::RegisterErrorTranslator();
  if (!UseNumpyKernelsOfCore()) throw py::error_already_set();
  m.doc() =
      "Atari games on this project's emulator, one at a time; for tools, tests and benchmarks.\n\n"
      "Errors are those of `envpool_py.errors`, and TypeError for an argument of another type.";
  BindOpcodes(m);
  BindBareConsole(m);
  py::class_<Snapshot>(m, "Snapshot",
                       "The state of a `GameRunner`, its picture apart.\n\n"
                       "Made by `GameRunner.snapshot`. Immutable: any thread.");
  BindRom(m);
  RunnerClass runner(m, "GameRunner",
                     "One game by the rules of ale-py, frame by frame.\n\n"
                     "With equal seeds and actions it gives what ale-py 0.12.1 gives, to the bit. "
                     "For one thread at a\ntime.");
  BindPlay(runner);
  BindLook(runner);
  BindState(runner);
  BindPixels(m);
  bindings::RefusePickling(m);
}

}  // namespace
}  // namespace engine::atari
