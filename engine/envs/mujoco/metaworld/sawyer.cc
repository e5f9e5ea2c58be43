// See the header.
#include "engine/envs/mujoco/metaworld/sawyer.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "engine/base/numpy_arrays.h"
#include "engine/base/numpy_math.h"
#include "engine/base/random_state.h"
#include "engine/envs/mujoco/metaworld/model_source.h"

namespace engine::mujoco::metaworld {
namespace {

constexpr std::int64_t kLongest = 500;  // steps of an episode
constexpr double kLargestMove = 0.01;   // m, of the hand in a step
constexpr std::size_t kActions = 4;
constexpr const char* kInfos[] = {"success",        "near_object",     "grasp_success",
                                  "grasp_reward",   "in_place_reward", "obj_to_target",
                                  "unscaled_reward"};
constexpr const char* kRewardVersions[] = {"v2", "v1"};

constexpr std::array<Attribute<TaskConstants>, 3> kAttributes = {
    ChoiceOf<&TaskConstants::is_earlier>("reward_function_version", kRewardVersions),
    AttributeOf<&TaskConstants::samples_tasks>("sample_tasks_on_reset"),
    AttributeOf<&TaskConstants::terminates_on_success>("terminate_on_success")};

void ClipPosition(const Space& space, double* position) {
  position[0] = Clip(position[0], space.low.x, space.high.x);
  position[1] = Clip(position[1], space.low.y, space.high.y);
  position[2] = Clip(position[2], space.low.z, space.high.z);
}

// Clips an observation to its space.
void ClipObservation(const Space& goals, std::span<double, 39> all) {
  for (const std::size_t half : {0U, 18U}) {
    ClipPosition(kSeenHands, &all[half]);
    all[half + 3] = Clip(all[half + 3], -1.0, 1.0);
  }
  ClipPosition(goals, &all[36]);
}

}  // namespace

ParamSchema Sawyer::ResetOptions() {
  return {{.name = "sample_tasks",
           .default_value = false,
           .doc = "Whether another goal is chosen, as the reference's method sample_tasks does."}};
}

Sawyer::Config::Config(const ParamValues& given)
    : Basics(PackageModel(RulesOf(given.Get<std::string>("task")).description().model), given,
             Scene::OwnArrays()),
      values(given),
      options(given) {
  // The starts of a model that a setting has changed are those of this setting only.
  const bool is_changed = !given.Get<NumberTable>("model").empty();
  const std::size_t size = Scene(model.shared_base(), given).state_size();
  beginnings = is_changed ? std::make_shared<Beginnings>(size)
                          : Beginnings::Shared(model.shared_base(), *options.rules, size);
}

EnvSpec Sawyer::Spec(const ParamValues& values) {
  constexpr std::int64_t kPicturesPerSecond = 80;
  EnvSpec spec;
  spec.observation = TaskOptions(values).ObservationSpace();
  spec.action = SpaceSpec::Box<float>({kActions}, -1.0F, 1.0F);
  spec.action_out_of_bounds = OutOfBounds::kEnvClips;
  spec.max_seed = RandomState::kMaxSeed;
  for (const char* const name : kInfos) spec.infos.push_back(Number(name));
  spec.frame_skip = kSubsteps;
  spec.render = RenderSpec{.height = values.Get<std::int64_t>("height"),
                           .width = values.Get<std::int64_t>("width"),
                           .fps = kPicturesPerSecond};
  return spec;
}

std::vector<AttributeSpec> Sawyer::Attributes(const Config& config) {
  return Describe(kAttributes, config.options.constants);
}
void Sawyer::SetAttribute(std::size_t index, std::span<const double> value) {
  constants_.Set(kAttributes[index], value);
}

Sawyer::Sawyer(const Config& config)
    : config_(config),
      constants_(config.options.constants),
      scene_(config.model.shared_base(), config.values),
      start_(scene_.state_size()) {}

void Sawyer::Seed(std::uint64_t seed, Rng&) {
  // A user's seed fits into 32 bits. The cast truncates only the engine's random seeds, which have
  // 64 bits.
  seed_ = static_cast<std::uint32_t>(seed);
  goals_ = config_.options.Goals(seed_);
  order_.resize(goals_.size());
  std::iota(order_.begin(), order_.end(), 0U);
  next_ = 0;
  has_goal_ = false;
  scale_ = {};
}

void Sawyer::ChooseGoal(Rng& rng) {
  if (config_.options.is_drawn) {
    goal_ = goals_[static_cast<std::size_t>(rng.Choice(std::ssize(goals_)))];
  } else {
    if (next_ == 0) rng.Shuffle(std::span(order_));
    goal_ = goals_[order_[next_]];
    next_ = (next_ + 1) % order_.size();
  }
  has_goal_ = true;
}

void Sawyer::Reset(const Start& start, Rng& rng) {
  if (start.samples_task || constants_->samples_tasks || !has_goal_) ChooseGoal(rng);
  Begin();
}

void Sawyer::Begin() {
  const Rules& rules = *config_.options.rules;
  Beginning beginning;
  if (!config_.beginnings->Find(goal_, beginning, start_)) {
    metaworld::Reset(rules, goal_, scene_);
    scene_.GetState(start_);
    beginning = {
        .episode = scene_.episode(), .half = HalfOf(rules, scene_), .target = rules.Target(scene_)};
    config_.beginnings->Keep(goal_, beginning, start_);
  }
  scene_.SetState(start_);
  scene_.episode() = beginning.episode;
  before_ = beginning.half;
  observation_ = Compose(before_, beginning.target);
  is_start_ = true;
  steps_ = 0;
}

Sawyer::Observation Sawyer::Compose(const Half& now, Vector target) const {
  Observation all;
  const auto rest = std::ranges::copy(before_, std::ranges::copy(now, all.begin()).out).out;
  (config_.options.is_observable ? target : Vector{}).CopyTo(&*rest);
  return all;
}

template <std::floating_point T>
StepResult Sawyer::Act(const T* action) {
  const Rules& rules = *config_.options.rules;
  std::array<T, 3> move;
  for (std::size_t i = 0; i < move.size(); ++i) {
    move[i] = NumpyClip<T>(action[i], -1, 1) * static_cast<T>(kLargestMove);
  }
  scene_.MoveHand({.x = static_cast<double>(move[0]),
                   .y = static_cast<double>(move[1]),
                   .z = static_cast<double>(move[2])},
                  rules.description().reach);
  const auto grip = static_cast<double>(action[3]);
  scene_.Step(std::array{grip, -grip}, is_start_);
  is_start_ = false;

  const Half now = HalfOf(rules, scene_);
  observation_ = Compose(now, rules.Target(scene_));
  before_ = now;
  ClipObservation(config_.options.SeenGoals(), observation_);
  const Seen seen(observation_, Scalar::Of(action[3]));
  const Measures measures =
      constants_->is_earlier ? rules.EarlierReward(scene_, seen) : rules.Reward(scene_, seen);
  const Infos infos = rules.Report(scene_, seen, measures);
  infos_ = {infos.success,         infos.near_object,   infos.grasp_success,    infos.grasp_reward,
            infos.in_place_reward, infos.obj_to_target, measures.reward.value()};
  const double rate = config_.options.reward_alpha;
  const double reward = rate > 0.0 ? scale_.Apply(measures.reward, rate) : measures.reward.value();
  const bool ends = constants_->terminates_on_success && infos.success == 1.0;
  return {.reward = reward, .terminated = ends, .truncated = ++steps_ == kLongest};
}

void Sawyer::Observe(ObsRow row) const {
  const TaskOptions& options = config_.options;
  const auto write = [&](auto* to) {
    using T = std::remove_reference_t<decltype(*to)>;
    const auto put = [&](double value) { *to++ = static_cast<T>(value); };
    std::ranges::for_each(observation_, put);
    for (std::size_t i = 0; i < options.num_tasks; ++i) put(i == options.task_index ? 1.0 : 0.0);
  };
  if (options.is_float32()) {
    write(row.Data<float>());
  } else {
    write(row.Data<double>());
  }
}

void Sawyer::Info(InfoRow row, bool after_reset) const {
  if (after_reset) return;
  for (std::size_t i = 0; i < infos_.size(); ++i) row.Set(i, infos_[i]);
}

void Sawyer::Render(std::span<std::uint8_t> rgb) const {
  if (!is_start_) {
    scene_.simulation().Render(config_.renderer, rgb);
    return;
  }
  // The state of a start has been copied without the positions that follow from it.
  Scene scene(config_.model.shared_base(), config_.values);
  metaworld::Reset(*config_.options.rules, goal_, scene);
  scene.simulation().Render(config_.renderer, rgb);
  scene_.simulation().TakeCamera(scene.simulation());
}

void Sawyer::Save(StateWriter& state) const {
  state.Put(seed_);
  state.PutAll(std::span(order_));
  state.Put(next_);
  state.Put(goal_);
  state.Put(has_goal_);
  state.Put(is_start_);
  state.Put(steps_);
  scale_.Save(state);
  if (is_start_) return;
  scene_.simulation().Save(state);
  state.Put(scene_.episode().first_distance);
  state.Put(before_);
  state.Put(observation_);
  state.Put(infos_);
}

void Sawyer::Load(StateReader& state) {
  state.Get(seed_);
  goals_ = config_.options.Goals(seed_);
  order_.resize(goals_.size());
  state.GetAll(std::span(order_));
  for (const std::uint32_t each : order_) ExpectState(each < goals_.size(), "the number of a goal");
  state.Get(next_);
  ExpectState(next_ < order_.size(), "the place of a goal");
  state.Get(goal_);
  state.Get(has_goal_);
  bool is_start = false;
  state.Get(is_start);
  Begin();
  state.Get(steps_);
  scale_.Load(state);
  if (is_start) return;
  is_start_ = false;
  scene_.simulation().Load(state);
  state.Get(scene_.episode().first_distance);
  state.Get(before_);
  state.Get(observation_);
  state.Get(infos_);
}

template StepResult Sawyer::Act(const float* action);
template StepResult Sawyer::Act(const double* action);

}  // namespace engine::mujoco::metaworld
