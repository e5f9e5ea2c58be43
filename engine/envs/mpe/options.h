// The options of the MPE2 scenarios.
#ifndef ENGINE_ENVS_MPE_OPTIONS_H_
#define ENGINE_ENVS_MPE_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "engine/env/params.h"

namespace engine::mpe {

// The most agents, landmarks and so on of one kind.
inline constexpr std::int64_t kMostOfAKind = 100;
// The most entities of a world: five kinds in simple_world_comm.
inline constexpr std::size_t kMostEntities = 500;

// The options of every scenario.
struct CommonOptions {
  // `measures`: whether the scenario has numbers for "benchmark_data".
  CommonOptions(const ParamValues& options, bool measures);

  std::int64_t max_cycles;
  bool continuous_actions;
  bool benchmark_data;
};
// The scenario's own options, and the common ones.
ParamSchema WithCommonOptions(ParamSchema own);

ParamSpec CountOption(std::string name, std::int64_t default_value, std::int64_t least,
                      std::string doc);
ParamSpec SwitchOption(std::string name, std::string doc);
ParamSpec LocalRatioOption();
// A stage of a curriculum, from 0 to `last`; `doc` describes the stages.
ParamSpec CurriculumStageOption(std::int64_t last, std::string doc);

// How many of the nearest agents and landmarks an agent observes; absent: all.
struct Neighbors {
  static void AddOptions(ParamSchema& schema);
  explicit Neighbors(const ParamValues& options);

  std::optional<std::size_t> agents;
  std::optional<std::size_t> landmarks;
};

inline std::size_t CountOf(const ParamValues& options, const std::string& name) {
  return static_cast<std::size_t>(options.Get<std::int64_t>(name));
}

// Throws Error{kOption} unless there is an agent.
void ExpectAgents(std::size_t agents, const std::string& names_of_options);

}  // namespace engine::mpe

#endif  // ENGINE_ENVS_MPE_OPTIONS_H_
