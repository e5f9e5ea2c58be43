// envpool_py._testing: environments for tests only. They are registered like those of a plug-in,
// through the capsule of the core module. Registry::Global() cannot be used, because this module
// has its own copy of it. All functions run on the importing or calling thread.
#include <pybind11/pybind11.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "engine/tasks/plugin.h"
#include "tests/engine/testing_module/attributed.h"
#include "tests/engine/testing_module/count_thread.h"
#include "tests/engine/testing_module/counter.h"
#include "tests/engine/testing_module/echo.h"
#include "tests/engine/testing_module/failing.h"
#include "tests/engine/testing_module/gate.h"
#include "tests/engine/testing_module/heavy.h"
#include "tests/engine/testing_module/inside.h"
#include "tests/engine/testing_module/mistaken.h"
#include "tests/engine/testing_module/multi_field.h"
#include "tests/engine/testing_module/numpy_module.h"
#include "tests/engine/testing_module/physics2d_module.h"
#include "tests/engine/testing_module/picture.h"
#include "tests/engine/testing_module/pixel_surface_module.h"
#include "tests/engine/testing_module/player_actions.h"
#include "tests/engine/testing_module/players.h"
#include "tests/engine/testing_module/rng_module.h"
#include "tests/engine/testing_module/scene.h"
#include "tests/engine/testing_module/seeded.h"
#include "tests/engine/testing_module/serial.h"
#include "tests/engine/testing_module/tree_action.h"
#include "tests/engine/testing_module/wide.h"

namespace py = pybind11;

namespace engine::testing {
namespace {

template <class AnyRegistry>
void Register(AnyRegistry& registry) {
  registry.template Add<MultiField>("Testing/MultiField-v0", {.max_episode_steps = 7});
  registry.template Add<MultiDiscreteAction>("Testing/MultiDiscreteAction-v0", {});
  registry.template Add<BoxAction>("Testing/BoxAction-v0", {});
  registry.template Add<BoxClipAction>("Testing/BoxClip-v0", {});
  registry.template Add<BoxIntAction>("Testing/BoxInt-v0", {});
  registry.template Add<BoxLongAction>("Testing/BoxLong-v0", {});
  registry.template Add<MultiBinaryAction>("Testing/MultiBinaryAction-v0", {});
  registry.template Add<DiscreteStartAction>("Testing/DiscreteStart-v0", {});
  registry.template Add<Attributed>("Testing/Attributed-v0", {});
  registry.template Add<Counter>("Testing/Counter-v0", {.reward_threshold = 42.5});
  registry.template Add<Failing>("Testing/Failing-v0", {});
  registry.template Add<Gate>("Testing/Gate-v0", {});
  registry.template Add<Heavy>("Testing/Heavy-v0", {});
  registry.template Add<Mistaken>("Testing/Mistaken-v0", {.max_episode_steps = 9});
  registry.template Add<SetsNotEveryInfo>("Testing/SetsNotEveryInfo-v0", {});
  registry.template Add<Picture>("Testing/Picture-v0", {});
  registry.template Add<Players<true>>("Testing/Players-v0", {.max_episode_steps = 12});
  registry.template Add<Players<false>>("Testing/FixedPlayers-v0", {.max_episode_steps = 12});
  registry.template Add<BoxPlayers>("Testing/BoxPlayers-v0", {.max_episode_steps = 20});
  registry.template Add<PlayerActionTree>("Testing/PlayerActionTree-v0", {});
  registry.template Add<SceneOnly>("Testing/Scene-v0", {});
  registry.template Add<CountThread>("Testing/CountThread-v0", {});
  registry.template Add<Seeded>("Testing/Seeded-v0", {});
  registry.template Add<Serial>("Testing/Serial-v0", {});
  registry.template Add<TreeAction>("Testing/TreeAction-v0", {});
  registry.template Add<Wide>("Testing/Wide-v0", {});
}

// Registers the tasks through the C++ interface. If the environment variable is set, uses the C
// interface of plug-ins, so that all tests with these environments also test this interface.
int AddTasks(const char* name) {
  if (std::getenv("ENVPOOL_TESTING_C_INTERFACE") == nullptr) {
    return AddPluginTasks(name, &Register<Registry>);
  }
  const envpool_core* const core = FindCore();
  return core == nullptr ? -1 : AddPlugin(*core, name, &Register<PluginTasks>, false);
}

void BindSwitches(py::module_& m) {
  // No call may hold the GIL while it waits: a step holds a gate's lock only briefly, but the
  // thread that will open the gate needs the GIL.
  using Released = py::call_guard<py::gil_scoped_release>;
  m.def(
      "open_gate", [](std::size_t gate) { Gates::Global().Set(gate, true); }, py::arg("gate") = 1,
      Released(), "Lets the steps at the gate pass, now and later.");
  m.def(
      "close_gate", [](std::size_t gate) { Gates::Global().Set(gate, false); }, py::arg("gate") = 1,
      Released(), "Steps that come to the gate wait from now on.");
  m.def(
      "gate_waiting", [] { return Gates::Global().waiting(); }, Released(),
      "Number of steps that wait at closed gates.");
  m.def(
      "await_gate_waiting",
      [](int count, double limit) {
        return Gates::Global().AwaitWaiting(count, std::chrono::duration<double>(limit));
      },
      py::arg("count"), py::arg("limit") = 60.0, Released(),
      "Returns True once `count` steps wait at closed gates; False after `limit` seconds.");
  m.def(
      "gate_instances", [] { return GateInstances().load(std::memory_order_relaxed); },
      "Number of instances of Gate-v0 that are alive.");
  m.def(
      "overlaps", [] { return Overlaps().load(std::memory_order_relaxed); },
      "Calls into Gate-v0 and Serial-v0 that found another thread in their environment.");
  m.def(
      "fail_constructions",
      [](std::int64_t count) { FailingConstructions().store(count, std::memory_order_relaxed); },
      py::arg("count"), "The next `count` constructions of Failing-v0 throw.");
  m.def(
      "failing_instances", [] { return FailingInstances().load(std::memory_order_relaxed); },
      "Number of instances of Failing-v0 that are alive.");
  m.def(
      "heavy_steps", [] { return HeavySteps().load(std::memory_order_relaxed); },
      "Number of steps of Heavy-v0 that have begun in this process.");
  m.def(
      "picture_calls",
      [] {
        const PictureCalls& calls = PictureCalls::Global();
        return py::make_tuple(calls.renders.load(std::memory_order_relaxed),
                              calls.enables.load(std::memory_order_relaxed));
      },
      "Calls of Render and of EnableRender of Picture-v0 in this process.");
  m.def(
      "escort_others", [](bool escorts) { Gates::EscortsOthers() = escorts; }, py::arg("escorts"),
      "Whether the calling thread waits at gates only until some other thread does.");
  m.def(
      "thread_number", [] { return ThreadNumber(); },
      "The calling thread's number, as CountThread-v0 shows it.");
  m.def(
      "clear_rendezvous", [] { Rendezvous::Global().Clear(); }, Released(),
      "Forgets what steps of CountThread-v0 have met so far; none may be running.");
}

}  // namespace
}  // namespace engine::testing

PYBIND11_MODULE(_testing, m, py::mod_gil_not_used()) {
  m.doc() = "Environments under Testing/ that only the tests of envpool_py use.";
  if (engine::testing::AddTasks("envpool_py._testing") != 0) throw py::error_already_set();
  engine::testing::BindSwitches(m);
  BindRng(m);
  BindNumpy(m);
  BindPhysics2d(m);
  BindPixelSurface(m);
}
