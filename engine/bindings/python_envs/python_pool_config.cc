#include "engine/bindings/python_envs/python_pool_config.h"

#include <cstdint>
#include <limits>
#include <string>

#include "engine/bindings/pool_calls.h"

namespace py = pybind11;

namespace engine::bindings {

PythonPoolConfig ReadPythonPoolConfig(const py::dict& settings) {
  const auto count = [&](const char* name, std::int64_t low, std::int64_t high) {
    return ReadCount(py::cast<py::int_>(settings[name]), name, low, high);
  };
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  const std::int64_t envs = count("num_envs", 1, kMaxEnvs);
  PythonPoolConfig config;
  config.group = {.num_envs = static_cast<std::uint32_t>(envs),
                  .autoreset = ReadAutoreset(py::cast<std::string>(settings["autoreset_mode"])),
                  .max_episode_steps = count("max_episode_steps", 0, kMax),
                  .records_episodes = py::cast<bool>(settings["records_episodes"])};
  config.pool = {.batch_size = static_cast<std::uint32_t>(count("batch_size", 1, envs)),
                 .num_threads = 1,
                 .autoreset = config.group.autoreset,
                 .dm_columns = ReadIsDm(py::cast<std::string>(settings["env_type"])),
                 .max_blocks = static_cast<std::uint64_t>(count("max_blocks", 0, kMax))};
  return config;
}

}  // namespace engine::bindings
