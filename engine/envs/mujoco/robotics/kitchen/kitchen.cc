// See the header.
#include "engine/envs/mujoco/robotics/kitchen/kitchen.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <iterator>
#include <string>
#include <tuple>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/numpy_arrays.h"
#include "engine/base/numpy_math.h"
#include "engine/envs/mujoco/model_changes.h"
#include "engine/envs/mujoco/renderer.h"
#include "engine/envs/mujoco/robotics/model_source.h"

namespace engine::mujoco::robotics::kitchen {
namespace {

constexpr int kFrameSkip = 40;
constexpr double kReached = 0.3;  // distance from a goal at which it is reached
constexpr double kFastest = 2.0;  // rad/s or m/s, the speed that an action of 1 asks for
constexpr const char* kGoalsOption = "tasks_to_complete";

// Sorted, as the keys of a space are.
constexpr Goal kGoals[] = {
    {.name = "bottom burner", .first = 11, .size = 2, .numbers = {-0.88, -0.01}},
    {.name = "hinge cabinet", .first = 20, .size = 2, .numbers = {0.0, 1.45}},
    {.name = "kettle",
     .first = 23,
     .size = 7,
     .numbers = {-0.23, 0.75, 1.62, 0.99, 0.0, 0.0, -0.06}},
    {.name = "light switch", .first = 17, .size = 2, .numbers = {-0.69, -0.05}},
    {.name = "microwave", .first = 22, .size = 1, .numbers = {-0.75}},
    {.name = "slide cabinet", .first = 19, .size = 1, .numbers = {0.37}},
    {.name = "top burner", .first = 15, .size = 2, .numbers = {-0.92, -0.01}}};

// Positions at the start of an episode, m or radians.
constexpr std::array<double, kPositions> kStart = {
    1.48388023e-01,  -1.76848573e00,  1.84390296e00,   -2.47685760e00,  2.60252026e-01,
    7.12533105e-01,  1.59515394e00,   4.79267505e-02,  3.71350919e-02,  -2.66279850e-04,
    -5.18043486e-05, 3.12877220e-05,  -4.51199853e-05, -3.90842156e-06, -4.22629655e-05,
    6.28065475e-05,  4.04984708e-05,  4.62730939e-04,  -2.26906415e-04, -4.65501369e-04,
    -6.44129196e-03, -1.77048263e-03, 1.08009684e-03,  -2.69397440e-01, 3.50383255e-01,
    1.61944683e00,   1.00618764e00,   4.06395120e-03,  -6.62095997e-03, -2.68278933e-04};

std::vector<std::string> NamesOfGoals() {
  std::vector<std::string> names;
  std::ranges::transform(kGoals, std::back_inserter(names), &Goal::name);
  return names;
}

std::vector<const Goal*> GoalsOf(const ParamValues& options) {
  const auto& names = options.Get<std::vector<std::string>>(kGoalsOption);
  std::vector<const Goal*> goals;
  for (const Goal& goal : kGoals) {
    if (std::ranges::find(names, goal.name) != names.end()) goals.push_back(&goal);
  }
  const auto is_unknown = [](const std::string& name) {
    return std::ranges::find(kGoals, name, &Goal::name) == std::end(kGoals);
  };
  const auto unknown = std::ranges::find_if(names, is_unknown);
  if (unknown == names.end() && !goals.empty()) return goals;
  throw Error(ErrorKind::kOption, std::string(kGoalsOption) + ": expected one or more of " +
                                      ToString(NamesOfGoals()) + ", got " +
                                      (goals.empty() && names.empty() ? "none" : *unknown));
}

// Reads the intervals of the robot's joints.
std::array<Interval, kRobotJoints> IntervalsOf(const char* name) {
  const std::vector<double> numbers = FrankaNumbers(name, 2 * kVelocities);
  std::array<Interval, kRobotJoints> intervals;
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    intervals[i] = {.low = numbers[2 * i], .high = numbers[2 * i + 1]};
  }
  return intervals;
}

}  // namespace

const std::array<Attribute<Kitchen::Constants>, 3> Kitchen::kAttributes = {
    AttributeOf<&Constants::terminates>("terminate_on_tasks_completed"),
    AttributeOf<&Constants::removes>("remove_task_when_completed"),
    AttributeOf<&Constants::object_noise>("object_noise_ratio")};

ParamSchema Kitchen::Options() {
  constexpr double kMostFrames = 43.0;  // the reference refuses other frame rates
  ParamSpec frame_skip = FrameSkip(kFrameSkip);
  frame_skip.low = kFrameSkip;
  frame_skip.high = kMostFrames;
  ParamSchema options = {
      {.name = kGoalsOption,
       .default_value = NamesOfGoals(),
       .doc = "What is to be done, in any order."},
      Flag("terminate_on_tasks_completed", true, "Whether the episode ends when all is done."),
      Flag("remove_task_when_completed", true, "Whether each task is rewarded only once."),
      Weight("object_noise_ratio", 0.0005, "Scale of the noise in observations of objects."),
      Weight("robot_noise_ratio", 0.01, "Scale of the noise in observations of the robot."),
      frame_skip,
      CameraConfig(Version::kV5, {{"distance", {2.2}},
                                  {"azimuth", {70.0}},
                                  {"elevation", {-35.0}},
                                  {"lookat", {-0.2, 0.5, 2.0}}})};
  return WithRendering(WithModelChanges(std::move(options)));
}

EnvSpec Kitchen::Spec(const ParamValues& options) {
  constexpr std::int64_t kPicturesPerSecond = 12;
  std::vector<std::pair<std::string, SpaceSpec>> goals;
  for (const Goal* const goal : GoalsOf(options)) {
    goals.emplace_back(goal->name, ObservationSpace(static_cast<std::int64_t>(goal->size)));
  }
  EnvSpec spec;
  spec.observation = SpaceSpec::Dict({{"achieved_goal", SpaceSpec::Dict(goals)},
                                      {"desired_goal", SpaceSpec::Dict(goals)},
                                      {"observation", ObservationSpace(kJointNumbers)}});
  spec.action = SpaceSpec::Box<double>({kRobotJoints}, -1.0, 1.0);
  spec.action_out_of_bounds = OutOfBounds::kEnvClips;
  for (const char* const name :
       {"tasks_to_complete", "step_task_completions", "episode_task_completions"}) {
    spec.infos.push_back(
        {.name = name, .dtype = DType::kBool, .shape = {static_cast<std::int64_t>(goals.size())}});
  }
  spec.frame_skip = options.Get<std::int64_t>("frame_skip");
  spec.render = RenderSpec{.height = options.Get<std::int64_t>("height"),
                           .width = options.Get<std::int64_t>("width"),
                           .fps = kPicturesPerSecond};
  return spec;
}

Kitchen::Config::Config(const ParamValues& options)
    : Basics(PackageModel("kitchen_franka/kitchen_assets/kitchen_env_model.xml"), options),
      goals(GoalsOf(options)),
      constants{.terminates = options.Get<bool>("terminate_on_tasks_completed"),
                .removes = options.Get<bool>("remove_task_when_completed"),
                .object_noise = options.Get<double>("object_noise_ratio")},
      robot_noise(options.Get<double>("robot_noise_ratio")),
      speeds(IntervalsOf("vel_bound")),
      positions(IntervalsOf("pos_bound")) {
  const bool is_known = std::cmp_equal(model->nq, kPositions) &&
                        std::cmp_equal(model->nv, kVelocities) &&
                        std::cmp_equal(model->nu, kRobotJoints);
  if (!is_known) {
    ThrowUnfit(model.shared_base()->name(), "expected the model of Gymnasium-Robotics 1.4.2");
  }
  const std::vector<double> of_positions = FrankaNumbers("pos_noise_amp", kVelocities);
  const std::vector<double> of_velocities = FrankaNumbers("vel_noise_amp", kVelocities);
  const auto robot = [](const auto& all) { return std::span(all).first(kRobotJoints); };
  auto next = std::ranges::copy(robot(of_positions), noise.begin()).out;
  next = std::ranges::copy(robot(of_velocities), next).out;
  // As in the reference, the numbers of the objects' positions begin with one of the robot.
  next = std::ranges::copy(std::span(of_positions).subspan(kRobotJoints - 1), next).out;
  std::ranges::copy(std::span(of_velocities).subspan(kRobotJoints), next);
}

void Kitchen::Reset(const Start&, Rng& rng) {
  simulation_.BeginReset();
  std::ranges::copy(kStart, simulation_.qpos().begin());
  simulation_.EndReset();
  ObserveJoints(rng);
  open_ = All();
  now_ = 0;
  done_ = 0;
}

void Kitchen::ObserveJoints(Rng& rng) {
  auto next = observation_.begin();
  auto noise = config_.noise.begin();
  const auto put = [&](std::span<const double> joints, double scale) {
    for (const double number : joints) *next++ = number + scale * *noise++ * rng.Uniform(-1.0, 1.0);
  };
  put(simulation_.qpos().first(kRobotJoints), config_.robot_noise);
  put(simulation_.qvel().first(kRobotJoints), config_.robot_noise);
  put(simulation_.qpos().subspan(kRobotJoints), constants_->object_noise);
  put(simulation_.qvel().subspan(kRobotJoints), constants_->object_noise);
}

StepResult Kitchen::Step(ActionView action, Rng& rng) {
  const auto clip = [](double x, Interval to) { return NumpyClip(x, to.low, to.high); };
  std::array<double, kRobotJoints> controls;
  for (std::size_t i = 0; i < controls.size(); ++i) {
    const double speed = 0.0 + NumpyClip(action.Data<double>()[i], -1.0, 1.0) * kFastest;
    // The positions are those of the latest observation, with its noise.
    const double position = observation_[i] + clip(speed, config_.speeds[i]) * config_.timing.dt;
    controls[i] = clip(position, config_.positions[i]);
  }
  simulation_.Step(std::span<const double>(controls), config_.timing.frame_skip, BodyForces::kNo);
  ObserveJoints(rng);

  now_ = 0;
  for (std::size_t i = 0; i < config_.goals.size(); ++i) {
    const Goal& goal = *config_.goals[i];
    std::array<double, std::tuple_size_v<decltype(goal.numbers)>> way;
    std::ranges::transform(Achieved(goal), goal.numbers, way.begin(), std::minus());
    if (Norm(std::span<const double>(way).first(goal.size)) < kReached) now_ |= Set{1} << i;
  }
  now_ &= open_;
  if (constants_->removes) open_ &= ~now_;
  done_ |= now_;
  return {.reward = static_cast<double>(std::popcount(now_)),
          .terminated = constants_->terminates && done_ == All()};
}

void Kitchen::Observe(ObsRow row) const {
  std::size_t leaf = 0;
  for (const Goal* const goal : config_.goals) {
    std::ranges::copy(Achieved(*goal), row.Data<double>(leaf++));
  }
  for (const Goal* const goal : config_.goals) {
    std::copy_n(goal->numbers.begin(), goal->size, row.Data<double>(leaf++));
  }
  std::ranges::copy(observation_, row.Data<double>(leaf));
}

void Kitchen::Info(InfoRow row, bool /*after_reset*/) const {
  std::size_t field = 0;
  for (const Set goals : {open_, now_, done_}) {
    bool* const to = row.Data<bool>(field++);
    for (std::size_t i = 0; i < config_.goals.size(); ++i) to[i] = (goals >> i & 1) != 0;
  }
}

}  // namespace engine::mujoco::robotics::kitchen
