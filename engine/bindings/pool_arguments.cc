#include "engine/bindings/pool_arguments.h"

#include <string>

#include "engine/base/error.h"

namespace py = pybind11;

namespace engine::bindings {
namespace {

AutoresetMode ReadAutoreset(const std::string& mode) {
  if (mode == "NextStep") return AutoresetMode::kNextStep;
  if (mode == "SameStep") return AutoresetMode::kSameStep;
  if (mode == "Disabled") return AutoresetMode::kDisabled;
  throw Error(ErrorKind::kOption,
              "autoreset_mode: expected one of \"NextStep\", \"SameStep\", \"Disabled\", got \"" +
                  mode + "\"");
}

bool ReadResetsFailed(const std::string& on_error) {
  if (on_error == "raise" || on_error == "reset") return on_error == "reset";
  throw Error(ErrorKind::kOption,
              "on_error: expected \"raise\" or \"reset\", got \"" + on_error + "\"");
}

bool ReadIsDm(const std::string& env_type) {
  if (env_type == "gymnasium" || env_type == "dm") return env_type == "dm";
  throw Error(ErrorKind::kOption,
              "env_type: expected \"gymnasium\" or \"dm\", got \"" + env_type + "\"");
}

}  // namespace

std::int64_t ReadCount(const py::int_& value, const char* name, std::int64_t low,
                       std::int64_t high) {
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
  if (overflow == 0 && number >= low && number <= high) return number;
  throw Error(ErrorKind::kOption, std::string(name) + ": expected an integer in [" +
                                      std::to_string(low) + ", " + std::to_string(high) +
                                      "], got " + py::cast<std::string>(py::str(value)));
}

std::int64_t ReadTimeout(const py::object& timeout) {
  if (timeout.is_none()) return WaitContext::kForever;
  const double seconds = PyFloat_AsDouble(timeout.ptr());
  if (seconds == -1.0 && PyErr_Occurred()) {
    const bool is_huge = PyErr_ExceptionMatches(PyExc_OverflowError) != 0;
    PyErr_Clear();
    if (is_huge) {
      if (timeout.attr("__gt__")(0).cast<bool>()) return WaitContext::kForever;
      throw Error(ErrorKind::kInput, "timeout: expected seconds >= 0, got a negative number");
    }
    throw Error(ErrorKind::kInputType, "timeout: expected None or seconds as a number, got " +
                                           std::string(Py_TYPE(timeout.ptr())->tp_name));
  }
  if (!(seconds >= 0.0)) {
    throw Error(ErrorKind::kInput,
                "timeout: expected seconds >= 0, got " + py::cast<std::string>(py::str(timeout)));
  }
  constexpr double kLongestNs = 9e18;
  return seconds * 1e9 < kLongestNs ? static_cast<std::int64_t>(seconds * 1e9)
                                    : WaitContext::kForever;
}

namespace {

// Nanoseconds; 0: none, also for limits of many years.
std::int64_t ReadStepTimeout(double seconds) {
  constexpr double kLongest = 9e9;
  return seconds < kLongest ? static_cast<std::int64_t>(seconds * 1e9) : 0;
}

}  // namespace

PoolArguments ReadPoolArguments(const py::dict& arguments) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  const auto count = [&](const char* name, std::int64_t low, std::int64_t high,
                         std::int64_t absent) {
    return ReadCount(ValueOr(arguments, name, py::int_(absent)), name, low, high);
  };
  const std::int64_t envs = count("num_envs", 1, kMaxEnvs, 1);
  const std::int64_t limit = count("max_episode_steps", -1, kMax, -1);
  PoolArguments read;
  read.group = {
      .num_envs = static_cast<std::uint32_t>(envs),
      .autoreset = ReadAutoreset(ValueOr(arguments, "autoreset_mode", std::string("NextStep"))),
      .max_episode_steps = limit == -1 ? 0 : limit,
      .renders = !ValueOr(arguments, "render_mode", std::string()).empty(),
      .records_episodes = ValueOr(arguments, "record_episode_statistics", false)};
  read.pool = {
      .batch_size = static_cast<std::uint32_t>(count("batch_size", 1, envs, envs)),
      .autoreset = read.group.autoreset,
      .dm_columns = ReadIsDm(ValueOr(arguments, "env_type", std::string("gymnasium"))),
      .resets_failed = ReadResetsFailed(ValueOr(arguments, "on_error", std::string("raise"))),
      .max_failures = static_cast<std::uint32_t>(count("max_failures", 0, UINT32_MAX, 10)),
      .step_timeout_ns = ReadStepTimeout(ValueOr(arguments, "step_timeout", 0.0)),
      .max_blocks = static_cast<std::uint64_t>(count("max_live_batches", 0, kMax, 0))};
  read.extra_infos = ValueOr(arguments, "extra_infos", true);
  return read;
}

}  // namespace engine::bindings
