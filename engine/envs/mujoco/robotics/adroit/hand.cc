// See the header.
#include "engine/envs/mujoco/robotics/adroit/hand.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/numpy_math.h"
#include "engine/envs/mujoco/model_changes.h"
#include "engine/envs/mujoco/options.h"
#include "engine/envs/mujoco/renderer.h"
#include "engine/envs/mujoco/robotics/model_source.h"
#include "engine/envs/mujoco/rows.h"

namespace engine::mujoco::robotics::adroit {
namespace {

constexpr int kSubsteps = 5;
constexpr const char* kRewardTypes[] = {"dense", "sparse"};
constexpr const char* kTaskOption = "task";
constexpr const char* kStateOption = "initial_state_dict";

const TaskEntry& EntryOf(const ParamValues& options) {
  return TaskOf(options.Get<std::string>(kTaskOption));
}

}  // namespace

const std::array<Attribute<Hand::Constants>, 2> Hand::kAttributes = {
    AttributeOf<&Constants::is_sparse>("sparse_reward"), FrameSkipAttribute<Constants>()};

ParamSchema Hand::OptionsOf(const Description& task, bool is_sparse) {
  ParamSchema options = {
      Fixed({.name = kTaskOption, .default_value = std::string(task.name), .doc = "The task."}),
      {.name = "reward_type",
       .default_value = std::string(kRewardTypes[is_sparse ? 1 : 0]),
       .doc = "\"sparse\": 10 in a state of success, otherwise -0.1; \"dense\": a sum.",
       .choices = {kRewardTypes[0], kRewardTypes[1]}},
      Fixed(FrameSkip(kSubsteps)),
      CameraConfig(Version::kV4, {{"distance", {task.distance}}, {"azimuth", {task.azimuth}}})};
  return WithRendering(WithModelChanges(std::move(options)));
}

ParamSchema Hand::ResetOptions() {
  return {{.name = kStateOption,
           .default_value = NumberTable(),
           .doc = "Positions, velocities and places from which to begin; None: drawn.",
           .none = NonePolicy::kDefault}};
}

Hand::Start::Start(const ParamValues& options) {
  if (options.Holds<NumberTable>(kStateOption)) state = options.Get<NumberTable>(kStateOption);
}

Hand::Config::Config(const ParamValues& given)
    : Basics(PackageModel(EntryOf(given).description.model), given),
      options(given),
      task(EntryOf(given).description),
      rules(EntryOf(given).make(model)),
      constants{.is_sparse = given.Get<std::string>("reward_type") == kRewardTypes[1],
                .frame_skip = timing.frame_skip} {
  if (model->nu != task.actions) {
    ThrowUnfit(model.shared_base()->name(), "it has " + std::to_string(model->nu) +
                                                " actuators, the task needs " +
                                                std::to_string(task.actions));
  }
  const double* const ranges = model.unchanged().actuator_ctrlrange;
  for (std::int64_t i = 0; i < model->nu; ++i) {
    centers.push_back((ranges[2 * i] + ranges[2 * i + 1]) / 2.0);
    halves.push_back(0.5 * (ranges[2 * i + 1] - ranges[2 * i]));
  }
}

EnvSpec Hand::Spec(const ParamValues& options) {
  constexpr std::int64_t kPicturesPerSecond = 100;
  const Description& task = EntryOf(options).description;
  EnvSpec spec;
  spec.observation = ObservationSpace(task.observation);
  spec.action = SpaceSpec::Box<float>({task.actions}, -1.0F, 1.0F);
  spec.action_out_of_bounds = OutOfBounds::kEnvClips;
  spec.infos = {Number("success", DType::kBool)};
  spec.frame_skip = kSubsteps;
  spec.render = RenderSpec{.height = options.Get<std::int64_t>("height"),
                           .width = options.Get<std::int64_t>("width"),
                           .fps = kPicturesPerSecond};
  return spec;
}

Hand::Hand(const Config& config)
    : config_(config),
      constants_(config.constants),
      scene_(config.task, config.model.shared_base(), config.options),
      controls_(config.centers.size()) {}

void Hand::Reset(const Start& start, Rng& rng) {
  Simulation& simulation = scene_.simulation();
  simulation.BeginReset();
  config_.rules->Draw(scene_, rng);
  simulation.EndReset();
  config_.rules->EndReset(scene_);
  if (start.state) Begin(*start.state);
}

void Hand::Begin(const NumberTable& state) {
  std::map<std::string, std::span<double>> parts = {{"qpos", scene_.simulation().qpos()},
                                                    {"qvel", scene_.simulation().qvel()}};
  for (std::size_t i = 0; i < config_.task.places.size(); ++i) {
    parts[config_.task.places[i].name] = scene_.place(i);
  }
  const bool fits = std::ranges::equal(state, parts, [](const auto& given, const auto& part) {
    return given.first == part.first && given.second.size() == part.second.size();
  });
  if (!fits) {
    const auto words = [](const auto& table) {
      std::string text;
      for (const auto& [name, numbers] : table) {
        text += (text.empty() ? "" : ", ") + name + " (" + std::to_string(numbers.size()) + ")";
      }
      return text;
    };
    throw Error(ErrorKind::kOption, std::string(kStateOption) +
                                        ": expected arrays of these sizes: " + words(parts) +
                                        "; got " + words(state));
  }
  for (const auto& [name, numbers] : state) std::ranges::copy(numbers, parts[name].begin());
  scene_.simulation().EndReset();
}

template <std::floating_point T>
StepResult Hand::Act(const T* action) {
  for (std::size_t i = 0; i < controls_.size(); ++i) {
    const T clipped = NumpyClip<T>(action[i], -1, 1);
    controls_[i] = config_.centers[i] + static_cast<double>(clipped) * config_.halves[i];
  }
  scene_.simulation().Step(std::span<const double>(controls_), constants_->frame_skip,
                           BodyForces::kNo);
  const auto [is_success, dense] = config_.rules->Judge(scene_);
  is_success_ = is_success;
  const double sparse = is_success ? 10.0 : -0.1;
  return {.reward = constants_->is_sparse ? sparse : dense};
}

void Hand::Observe(ObsRow row) const {
  RowWriter writer(row);
  config_.rules->Observe(scene_, writer);
}

void Hand::Save(StateWriter& state) const {
  scene_.Save(state);
  state.Put(is_success_);
}

void Hand::Load(StateReader& state) {
  scene_.Load(state);
  state.Get(is_success_);
}

template StepResult Hand::Act(const float* action);
template StepResult Hand::Act(const double* action);

}  // namespace engine::mujoco::robotics::adroit
