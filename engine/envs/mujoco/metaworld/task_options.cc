// See the header.
#include "engine/envs/mujoco/metaworld/task_options.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/random_state.h"
#include "engine/envs/mujoco/metaworld/goals.h"
#include "engine/envs/mujoco/metaworld/scene.h"
#include "engine/envs/mujoco/model_changes.h"
#include "engine/envs/mujoco/options.h"
#include "engine/envs/mujoco/renderer.h"

namespace engine::mujoco::metaworld {
namespace {

constexpr const char* kTask = "task";
constexpr const char* kVersions[] = {"v1", "v2"};
constexpr const char* kSelections[] = {"random", "pseudorandom"};

const std::vector<std::unique_ptr<const Rules>>& KnownRules() {
  static const auto* const rules = new std::vector(AllRules());
  return *rules;
}

const Rules* FindRules(const std::string& name) {
  const auto found = std::ranges::find_if(
      KnownRules(), [&](const auto& rules) { return rules->description().name == name; });
  return found == KnownRules().end() ? nullptr : found->get();
}

std::vector<const Rules*> RulesBefore(const std::vector<std::string>& names) {
  std::vector<const Rules*> all;
  for (const std::string& name : names) {
    all.push_back(FindRules(name));
    if (all.back() != nullptr) continue;
    std::vector<std::string> known;
    for (const auto& rules : KnownRules()) known.emplace_back(rules->description().name);
    const std::string nearest = NearestName(name, known);
    throw Error(ErrorKind::kOption,
                "goals_after: expected names of tasks such as \"Reach\", got \"" + name + "\"" +
                    (nearest.empty() ? "" : "; did you mean \"" + nearest + "\"?"));
  }
  return all;
}

ParamSpec Count(const char* name, std::int64_t value, double low, const char* doc) {
  constexpr double kMostCount = 10'000;
  return {.name = name, .default_value = value, .doc = doc, .low = low, .high = kMostCount};
}

std::size_t Size(const ParamValues& options, const char* name) {
  return static_cast<std::size_t>(options.Get<std::int64_t>(name));
}

void Append(const Vector& position, std::vector<double>& to) {
  to.insert(to.end(), {position.x, position.y, position.z});
}

}  // namespace

const Rules& RulesOf(const std::string& name) { return *FindRules(name); }

ParamSchema TaskOptions::Schema(const Rules& rules) {
  ParamSchema options = {
      Fixed({.name = kTask,
             .default_value = std::string(rules.description().name),
             .doc = "The task."}),
      Fixed(FrameSkip(kSubsteps)),
      {.name = "reward_function_version",
       .default_value = std::string("v2"),
       .doc = "Version of the reward.",
       .choices = {std::begin(kVersions), std::end(kVersions)}},
      Flag("goal_observable", true, "Whether observations have the goal; otherwise zeros."),
      Count("num_goals", 50, 1, "Number of goal vectors that a seed gives."),
      {.name = "task_select",
       .default_value = std::string(kSelections[0]),
       .doc = "\"random\": each reset draws a goal; \"pseudorandom\": in a shuffled order.",
       .choices = {std::begin(kSelections), std::end(kSelections)}},
      Flag("terminate_on_success", false, "Whether success ends the episode."),
      {.name = "goals_after",
       .default_value = std::vector<std::string>{},
       .doc = "Tasks of the benchmark whose goals are drawn from the seed before."},
      Count("goal_seed", 0, 0, "Number that is added to the seed of the goals."),
      Count("total_goals", 0, 0, "Number of goals that are used; 0: all."),
      Count("first_goal", 0, 0, "Number of the first goal that is used."),
      Count("goal_step", 1, 1, "1: every goal is used; n: every n-th one."),
      {.name = "reward_alpha",
       .default_value = 0.0,
       .doc = "Weight of a new reward in the exponential normalization of rewards; 0: none.",
       .low = 0.0,
       .high = 1.0},
      Count("num_tasks", 0, 0, "Length of a one-hot vector in observations; 0: none."),
      Count("task_index", 0, 0, "Place of the 1 in this vector."),
      CameraConfig(Version::kV4, {})};
  return WithRendering(WithModelChanges(std::move(options)));
}

TaskOptions::TaskOptions(const ParamValues& options)
    : rules(&RulesOf(options.Get<std::string>(kTask))),
      constants{.is_earlier = options.Get<std::string>("reward_function_version") == kVersions[0],
                .samples_tasks = options.Get<std::string>("task_select") == kSelections[0],
                .terminates_on_success = options.Get<bool>("terminate_on_success")},
      before(RulesBefore(options.Get<std::vector<std::string>>("goals_after"))),
      num_goals(Size(options, "num_goals")),
      most_goals(Size(options, "total_goals")),
      first_goal(Size(options, "first_goal")),
      goal_step(Size(options, "goal_step")),
      goal_seed(options.Get<std::int64_t>("goal_seed")),
      is_observable(options.Get<bool>("goal_observable")),
      is_drawn(constants.samples_tasks),
      reward_alpha(options.Get<double>("reward_alpha")),
      task_index(Size(options, "task_index")),
      num_tasks(Size(options, "num_tasks")) {
  most_goals = most_goals == 0 ? num_goals : std::min(most_goals, num_goals);
  if (first_goal >= most_goals) {
    throw Error(ErrorKind::kOption, "first_goal: expected less than the " +
                                        std::to_string(most_goals) + " goals, got " +
                                        std::to_string(first_goal));
  }
  if (num_tasks > 0 && task_index >= num_tasks) {
    throw Error(ErrorKind::kOption, "task_index: expected less than num_tasks, which is " +
                                        std::to_string(num_tasks) + ", got " +
                                        std::to_string(task_index));
  }
}

std::vector<GoalVector> TaskOptions::Goals(std::uint32_t seed) const {
  RandomState random(seed + static_cast<std::uint32_t>(goal_seed));
  for (const Rules* const other : before) {
    DrawGoals(other->description().goals, num_goals, random);
  }
  const auto all = DrawGoals(rules->description().goals, num_goals, random);
  std::vector<GoalVector> used;
  for (std::size_t i = first_goal; i < most_goals; i += goal_step) used.push_back(all[i]);
  return used;
}

Space TaskOptions::SeenGoals() const {
  return is_observable ? rules->description().seen_goals : Space{};
}

SpaceSpec TaskOptions::ObservationSpace() const {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr std::size_t kObjectNumbers = 14;
  const auto bounds = [&](const Vector& hand, double opening, double object, const Vector& goal,
                          double one_hot) {
    std::vector<double> all;
    for (int half = 0; half < 2; ++half) {
      Append(hand, all);
      all.push_back(opening);
      all.insert(all.end(), kObjectNumbers, object);
    }
    Append(goal, all);
    all.insert(all.end(), num_tasks, one_hot);
    return all;
  };
  const Space goals = SeenGoals();
  const auto low = bounds(kSeenHands.low, -1.0, -kInfinity, goals.low, 0.0);
  const auto high = bounds(kSeenHands.high, 1.0, kInfinity, goals.high, 1.0);
  const auto size = static_cast<std::int64_t>(low.size());
  if (!is_float32()) return SpaceSpec::Box<double>({size}, low, high);
  return SpaceSpec::Box<float>({size}, std::vector<float>(low.begin(), low.end()),
                               std::vector<float>(high.begin(), high.end()));
}

}  // namespace engine::mujoco::metaworld
