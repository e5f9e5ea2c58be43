// See the header.
#include "engine/envs/mujoco/mamujoco/agents.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "engine/base/error.h"

namespace engine::mujoco::mamujoco {
namespace {

constexpr const char* kCustomDivision = "agent_factorization";

ParamSchema WithOtherOptions(ParamSpec division) {
  ParamSchema options = {std::move(division)};
  const ParamSchema observation = ObservationOptions();
  options.insert(options.end(), observation.begin(), observation.end());
  options.push_back({.name = kCustomDivision,
                     .default_value = std::vector<std::string>{},
                     .doc = "Names of the joints of each agent, in place of those of agent_conf; "
                            "None: those.",
                     .none = NonePolicy::kDefault});
  return options;
}

// The joints of each agent, or nothing if one agent does everything.
std::optional<std::vector<std::string>> NamesOfJoints(const std::vector<Division>& divisions,
                                                      const ParamValues& options) {
  if (options.Holds<std::monostate>(kDivision) || options.Holds<std::monostate>("agent_obsk"))
    return std::nullopt;
  if (!options.Holds<std::monostate>(kCustomDivision))
    return options.Get<std::vector<std::string>>(kCustomDivision);
  const auto named =
      std::ranges::find(divisions, options.Get<std::string>(kDivision), &Division::name);
  return named->agents;
}

float FirstOf(const std::vector<std::byte>& bounds) {
  float bound = 0.0F;
  std::memcpy(&bound, bounds.data(), sizeof bound);
  return bound;
}

[[noreturn]] void ThrowNotDivided(const std::string& agent, const std::string& expected,
                                  const std::string& got) {
  throw Error(ErrorKind::kOption,
              std::string(kCustomDivision) + agent + ": expected " + expected + ", got " + got);
}

}  // namespace

ParamSchema AgentOptions(const std::vector<Division>& divisions) {
  std::vector<std::string> names;
  for (const Division& division : divisions) names.push_back(division.name);
  return WithOtherOptions({.name = kDivision,
                           .default_value = names.front(),
                           .doc = "How the joints are divided among agents; None: one agent that "
                                  "observes and does everything.",
                           .choices = names,
                           .none = NonePolicy::kAccepted});
}

ParamSchema SegmentAgentOptions(const char* default_division) {
  return WithOtherOptions({.name = kDivision,
                           .default_value = std::string(default_division),
                           .doc = "Numbers of agents and of segments of each, such as \"5x2\"."});
}

Agents::Config::Config(WholeTask of)
    : whole(std::move(of)),
      num_controls(static_cast<std::size_t>(NumElements(whole.spec.action.shape))),
      row_size(static_cast<std::size_t>(NumElements(whole.spec.observation.shape))) {}

Agents::Config::Config(WholeTask of, const Robot& robot, const std::vector<Division>& divisions,
                       const ParamValues& options)
    : Config(std::move(of)) {
  const auto names = NamesOfJoints(divisions, options);
  if (!names) return;
  const Categories categories(options, robot);
  observes_forces = categories.Has(Quantity::kCfrcExt);
  Divide(*names, robot, categories);
}

void Agents::Config::Divide(const std::vector<std::string>& names, const Robot& robot,
                            const Categories& categories) {
  const Model& model = whole.tasks->model();
  const auto num_joints = static_cast<std::size_t>(std::ranges::count_if(
      robot.parts, [](const Part& part) { return part.control.has_value(); }));
  std::vector<bool> taken(robot.parts.size());
  std::size_t num_taken = 0;
  row_size = 0;
  for (std::size_t agent = 0; agent < names.size(); ++agent) {
    const std::string where = "[" + std::to_string(agent) + "]";
    std::vector<std::size_t> parts;
    Agent& made = agents.emplace_back();
    for (const std::string& name : WordsOf(names[agent])) {
      const std::optional<std::size_t> part = robot.Find(name);
      if (!part) ThrowNotDivided(where, "names of joints", "\"" + name + "\"");
      if (taken[*part]) ThrowNotDivided(where, "each joint once", "\"" + name + "\" again");
      taken[*part] = true;
      ++num_taken;
      parts.push_back(*part);
      made.controls.push_back(static_cast<std::size_t>(robot.parts[*part].control.value()));
    }
    if (parts.empty()) ThrowNotDivided(where, "a joint or more", "none");
    made.observation = ObservationOf(robot, parts, categories, model);
    row_size = std::max(row_size, made.observation.size());
  }
  if (num_taken < num_joints) {
    ThrowNotDivided("", "all " + std::to_string(num_joints) + " joints", std::to_string(num_taken));
  }
  if (num_joints != num_controls) {
    ThrowUnfit(model.shared_base()->name(), "it has " + std::to_string(num_controls) +
                                                " actuators, the agents have " +
                                                std::to_string(num_joints));
  }
}

EnvSpec Agents::Config::Spec() const {
  EnvSpec spec = whole.spec;
  InfoSpec state = {
      .name = "state", .dtype = DType::kFloat64, .shape = whole.spec.observation.shape};
  if (!agents.empty()) {
    // A joint action is always float64.
    for (std::size_t i = 1; i < spec.infos.size(); ++i) {
      if (spec.infos[i].widens_previous) spec.infos[i - 1].dtype = DType::kFloat64;
    }
  }
  spec.infos.push_back(std::move(state));
  // As in the reference, those of the first control.
  const float low = FirstOf(whole.spec.action.low);
  const float high = FirstOf(whole.spec.action.high);
  const auto actions = [&](std::size_t count) {
    return SpaceSpec::Box<float>({static_cast<std::int64_t>(count)}, low, high);
  };
  const auto observations = [](std::size_t count) {
    return ObservationSpace(static_cast<std::int64_t>(count));
  };
  PlayersSpec players;
  std::size_t most_actions = 0;
  const auto add = [&](std::size_t num_observed, std::size_t num_actions) {
    players.each.push_back({.name = "agent_" + std::to_string(players.each.size()),
                            .observation = observations(num_observed),
                            .action = actions(num_actions)});
    most_actions = std::max(most_actions, num_actions);
  };
  if (agents.empty()) add(row_size, num_controls);
  for (const Agent& agent : agents) add(agent.observation.size(), agent.controls.size());
  players.max_players = static_cast<std::int64_t>(players.each.size());
  spec.players = std::move(players);
  spec.observation = observations(row_size);
  spec.action = actions(most_actions);
  return spec;
}

StepResult Agents::Step(PlayerActions actions, std::span<PlayerResult> results, Rng& rng) {
  const StepResult result =
      config_.agents.empty() ? StepWhole(actions, rng) : StepJointly(actions, rng);
  for (PlayerResult& of_agent : results) of_agent.reward = result.reward;
  if (config_.observes_forces) task_->simulation().ComputeBodyForces();
  return result;
}

StepResult Agents::StepWhole(PlayerActions actions, Rng& rng) {
  const ActionView action = actions.Of(0);
  return actions.IsFloat64(0) ? task_->StepFloat64(action, rng) : task_->Step(action, rng);
}

// As in the reference, the joint action is float64, whatever the actions of agents are.
StepResult Agents::StepJointly(PlayerActions actions, Rng& rng) {
  for (std::size_t i = 0; i < config_.agents.size(); ++i) {
    const auto& controls = config_.agents[i].controls;
    const auto put = [&](const auto* action) {
      for (std::size_t k = 0; k < controls.size(); ++k)
        joint_[controls[k]] = static_cast<double>(action[k]);
    };
    const ActionView action = actions.Of(i);
    if (actions.IsFloat64(i)) {
      put(action.Data<double>());
    } else {
      put(action.Data<float>());
    }
  }
  return task_->StepFloat64(
      ActionView(reinterpret_cast<const std::byte*>(joint_.data()), DType::kFloat64), rng);
}

void Agents::Observe(std::size_t agent, ObsRow row) const {
  if (config_.agents.empty()) {
    task_->Observe(row);
    return;
  }
  double* const first = row.Data<double>();
  double* const end = Write(config_.agents[agent].observation, task_->simulation().data(), first);
  std::fill(end, first + config_.row_size, 0.0);
}

void Agents::Info(InfoRow row, bool after_reset) const {
  task_->Info(row, after_reset);
  double* const state = row.Data<double>(config_.whole.spec.infos.size());
  const Column column = {.base = reinterpret_cast<std::byte*>(state), .row_bytes = 0};
  task_->Observe(ObsRow(&column, 0));
}

}  // namespace engine::mujoco::mamujoco
