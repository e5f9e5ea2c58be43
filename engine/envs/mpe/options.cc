#include "engine/envs/mpe/options.h"

#include <limits>
#include <utility>

#include "engine/base/error.h"

namespace engine::mpe {

CommonOptions::CommonOptions(const ParamValues& options, bool measures)
    : max_cycles(options.Get<std::int64_t>("max_cycles")),
      continuous_actions(options.Get<bool>("continuous_actions")),
      benchmark_data(measures && options.Get<bool>("benchmark_data")) {}

ParamSchema WithCommonOptions(ParamSchema own) {
  own.push_back({.name = "max_cycles",
                 .default_value = std::int64_t{25},
                 .doc = "Steps after which an episode is truncated.",
                 .low = 1.0,
                 .high = static_cast<double>(std::numeric_limits<std::int32_t>::max())});
  own.push_back(SwitchOption("continuous_actions",
                             "Whether actions are boxes in [0, 1] instead of numbers."));
  ParamSpec rescaling = SwitchOption(
      "dynamic_rescaling", "Whether the radii in pictures follow the extent of the world.");
  rescaling.default_value = true;
  own.push_back(std::move(rescaling));
  own.push_back(SwitchOption("benchmark_data",
                             "Whether infos of players have \"benchmark_data\", in scenarios that "
                             "measure something."));
  return own;
}

ParamSpec CountOption(std::string name, std::int64_t default_value, std::int64_t least,
                      std::string doc) {
  return {.name = std::move(name),
          .default_value = default_value,
          .doc = std::move(doc),
          .low = static_cast<double>(least),
          .high = static_cast<double>(kMostOfAKind)};
}

ParamSpec SwitchOption(std::string name, std::string doc) {
  return {.name = std::move(name), .default_value = false, .doc = std::move(doc)};
}

ParamSpec LocalRatioOption() {
  return {.name = "local_ratio",
          .default_value = 0.5,
          .doc = "Weight of the agent's own reward; the shared reward has the rest.",
          .low = 0.0,
          .high = 1.0};
}

ParamSpec CurriculumStageOption(std::int64_t last, std::string doc) {
  return {.name = "curriculum_stage",
          .default_value = std::int64_t{0},
          .doc = std::move(doc),
          .low = 0.0,
          .high = static_cast<double>(last)};
}

void Neighbors::AddOptions(ParamSchema& schema) {
  const auto add = [&](std::string name, const std::string& entities) {
    schema.push_back({.name = std::move(name),
                      .default_value = std::int64_t{1},
                      .doc = "How many of the nearest " + entities +
                             " an agent observes, with zeros where there are fewer; None: all.",
                      .low = 1.0,
                      .high = static_cast<double>(kMostOfAKind),
                      .none = NonePolicy::kDefault});
  };
  add("num_agent_neighbors", "other agents");
  add("num_landmark_neighbors", "landmarks");
}

Neighbors::Neighbors(const ParamValues& options) {
  const auto read = [&](const std::string& name, std::optional<std::size_t>& count) {
    if (options.Holds<std::int64_t>(name)) count = CountOf(options, name);
  };
  read("num_agent_neighbors", agents);
  read("num_landmark_neighbors", landmarks);
}

void ExpectAgents(std::size_t agents, const std::string& names_of_options) {
  if (agents == 0)
    throw Error(ErrorKind::kOption, names_of_options + ": expected at least one agent, got none");
}

}  // namespace engine::mpe
