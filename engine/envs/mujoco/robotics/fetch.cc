// See the header.
#include "engine/envs/mujoco/robotics/fetch.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/numpy_arrays.h"
#include "engine/base/numpy_kernels.h"
#include "engine/base/numpy_math.h"
#include "engine/envs/mujoco/layout.h"
#include "engine/envs/mujoco/library.h"
#include "engine/envs/mujoco/model_changes.h"
#include "engine/envs/mujoco/options.h"
#include "engine/envs/mujoco/renderer.h"
#include "engine/envs/mujoco/robotics/model_source.h"
#include "engine/envs/mujoco/robotics/rotations.h"
#include "engine/envs/mujoco/rows.h"

namespace engine::mujoco::robotics {
namespace {

constexpr double kTimestep = 0.002;                                // s, of the models
constexpr double kLargestMove = 0.05;                              // m, of the gripper in a step
constexpr std::array<double, 4> kRotation = {1.0, 0.0, 1.0, 0.0};  // of the gripper, a quaternion
constexpr const char* kTaskOption = "task";

// What differs between the tasks.
struct Scene {
  const char* name;
  const char* model;
  bool has_object;
  bool blocks_gripper;
  bool is_in_air;                   // whether goals for an object may be above the table
  double extra_height;              // of the gripper above the table, m
  double goal_offset;               // along x, m
  double object_range, goal_range;  // m
  double x;                         // of the arm's base, m
  std::array<double, 7> object;     // position and rotation before the gripper moves
};

constexpr std::array<double, 7> kOnTable = {1.25, 0.53, 0.4, 1.0, 0.0, 0.0, 0.0};
constexpr std::array<double, 7> kOnLongTable = {1.7, 1.1, 0.41, 1.0, 0.0, 0.0, 0.0};

constexpr Scene kScenes[] = {{.name = "reach",
                              .model = "fetch/reach.xml",
                              .has_object = false,
                              .blocks_gripper = true,
                              .is_in_air = true,
                              .extra_height = 0.2,
                              .goal_offset = 0.0,
                              .object_range = 0.15,
                              .goal_range = 0.15,
                              .x = 0.4049,
                              .object = {}},
                             {.name = "push",
                              .model = "fetch/push.xml",
                              .has_object = true,
                              .blocks_gripper = true,
                              .is_in_air = false,
                              .extra_height = 0.0,
                              .goal_offset = 0.0,
                              .object_range = 0.15,
                              .goal_range = 0.15,
                              .x = 0.405,
                              .object = kOnTable},
                             {.name = "slide",
                              .model = "fetch/slide.xml",
                              .has_object = true,
                              .blocks_gripper = true,
                              .is_in_air = false,
                              .extra_height = -0.02,
                              .goal_offset = 0.4,
                              .object_range = 0.1,
                              .goal_range = 0.3,
                              .x = 0.05,
                              .object = kOnLongTable},
                             {.name = "pick_and_place",
                              .model = "fetch/pick_and_place.xml",
                              .has_object = true,
                              .blocks_gripper = false,
                              .is_in_air = true,
                              .extra_height = 0.2,
                              .goal_offset = 0.0,
                              .object_range = 0.15,
                              .goal_range = 0.15,
                              .x = 0.405,
                              .object = kOnTable}};

const Scene& SceneOf(FetchTask task) { return kScenes[static_cast<std::size_t>(task)]; }

FetchTask TaskOf(const ParamValues& options) {
  const auto& name = options.Get<std::string>(kTaskOption);
  const auto* const found = std::ranges::find(kScenes, name, &Scene::name);
  return static_cast<FetchTask>(found - std::begin(kScenes));
}

std::array<Offset, 1> ChangedArrays() { return {UsedLayout().arm_model.eq_data}; }

}  // namespace

// In the loop that draws an object's position, a smaller range would find none.
const std::array<Attribute<Fetch::Constants>, 5> Fetch::kAttributes = {
    ChoiceOf<&Constants::reward>(kRewardType, kRewardTypes),
    AttributeOf<&Constants::threshold>(kThreshold),
    AttributeOf<&Constants::object_range>("obj_range", 0.1, 1e6),
    AttributeOf<&Constants::goal_range>("target_range", 0.0, 1e6),
    AttributeOf<&Constants::is_in_air>("target_in_the_air")};

ParamSchema Fetch::OptionsOf(FetchTask task, RewardType reward) {
  return WithRobot({Fixed({.name = kTaskOption,
                           .default_value = std::string(SceneOf(task).name),
                           .doc = "The task."}),
                    RewardOfDistance(reward)},
                   {{"distance", {2.5}},
                    {"azimuth", {132.0}},
                    {"elevation", {-14.0}},
                    {"lookat", {1.3, 0.75, 0.55}}});
}

EnvSpec Fetch::Spec(const ParamValues& options) {
  const bool has_object = SceneOf(TaskOf(options)).has_object;
  return RobotSpec(options, {.goal = 3, .observation = has_object ? 25 : 10, .action = 4});
}

Fetch::Config::Config(const ParamValues& options)
    : Basics(PackageModel(SceneOf(TaskOf(options)).model), options, ChangedArrays()),
      task(TaskOf(options)),
      constants{.reward = ReadReward(options),
                .is_in_air = SceneOf(task).is_in_air,
                .threshold = 0.05,
                .object_range = SceneOf(task).object_range,
                .goal_range = SceneOf(task).goal_range},
      seconds(kSubsteps * model->timestep) {
  FindNames();
  MoveGripper();
}

void Fetch::Config::FindNames() {
  const ArmModelFields fields = ArmFieldsOf(*model.get());
  const auto qpos_of = [&](int joint) {
    return static_cast<std::size_t>(fields.jnt_qposadr[joint]);
  };
  grip = model.SiteId("robot0:grip");
  target = model.SiteId("target0");
  object = SceneOf(task).has_object ? model.SiteId("object0") : -1;
  object_qpos = SceneOf(task).has_object ? qpos_of(model.JointId("object0:joint")) : 0;
  const std::array<int, 2> fingers = {model.JointId("robot0:r_gripper_finger_joint"),
                                      model.JointId("robot0:l_gripper_finger_joint")};
  for (std::size_t i = 0; i < fingers.size(); ++i) {
    finger_qpos[i] = qpos_of(fingers[i]);
    finger_qvel[i] = static_cast<std::size_t>(fields.jnt_dofadr[fingers[i]]);
  }
  // The controls are positions relative to the present ones.
  constexpr std::int64_t kMostControls = 2;
  bool is_known = model->nu <= kMostControls;
  for (int i = 0; is_known && i < model->nu; ++i) {
    is_known = fields.actuator_biastype[i] != kBiasNone;
    control_qpos.push_back(qpos_of(fields.actuator_trnid[2 * i]));
  }
  // The model has one weld: of a body that the user moves, and of the gripper.
  const std::int64_t num_welds =
      std::count(fields.eq_type, fields.eq_type + model.num_equalities(), kEqualityWeld);
  is_known = is_known && num_welds == 1 && model.num_equalities() == 1 &&
             fields.body_mocapid[fields.eq_obj1id[0]] == 0;
  if (!is_known) ThrowOtherModel(SceneOf(task).model);
  mocap_body = static_cast<std::size_t>(fields.eq_obj2id[0]);
  constexpr std::array<double, 7> kWeld = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0};
  std::ranges::copy(kWeld, fields.eq_data);
}

void Fetch::Config::MoveGripper() {
  const ArmModelFields fields = ArmFieldsOf(*model.get());
  const Scene& scene = SceneOf(task);
  Simulation simulation(model);
  const ArmDataFields data = ArmFieldsOf(*simulation.get());
  constexpr double kBaseY = 0.48;  // m
  constexpr std::array<const char*, 3> kBase = {"robot0:slide0", "robot0:slide1", "robot0:slide2"};
  const std::array<double, 3> base = {scene.x, kBaseY, 0.0};
  for (std::size_t i = 0; i < base.size(); ++i) {
    const int joint = model.JointId(kBase[i]);
    simulation.qpos()[static_cast<std::size_t>(fields.jnt_qposadr[joint])] = base[i];
  }
  if (scene.has_object) {
    std::ranges::copy(scene.object, simulation.qpos().subspan(object_qpos).begin());
  }
  // The second call finds other warm starts.
  simulation.EndReset();
  simulation.EndReset();
  const Vector at = At(simulation.data().site_xpos, grip);
  const Vector way = {-0.498, 0.005, -0.431 + scene.extra_height};
  for (std::size_t i = 0; i < at.size(); ++i) data.mocap_pos[i] = way[i] + at[i];
  std::ranges::copy(kRotation, data.mocap_quat);
  constexpr int kSteps = 10;
  const std::vector<double> controls(static_cast<std::size_t>(model->nu), 0.0);
  simulation.Step(std::span<const double>(controls), kSteps * kSubsteps, BodyForces::kNo);
  qpos.assign(simulation.qpos().begin(), simulation.qpos().end());
  qvel.assign(simulation.qvel().begin(), simulation.qvel().end());
  time = *data.time;
  gripper = At(simulation.data().site_xpos, grip);
  height = scene.has_object ? At(simulation.data().site_xpos, object)[2] : 0.0;
}

Fetch::Fetch(const Config& config)
    : Robot(config),
      config_(config),
      constants_(config.constants),
      data_(ArmFieldsOf(*simulation_.get())),
      jacobian_(static_cast<std::size_t>(3 * config.model->nv)) {}

void Fetch::Reset(const Start&, Rng& rng) {
  simulation_.BeginReset();
  *data_.time = config_.time;
  std::ranges::copy(config_.qpos, simulation_.qpos().begin());
  std::ranges::copy(config_.qvel, simulation_.qvel().begin());
  if (config_.object >= 0) {
    constexpr double kLeastDistance = 0.1;  // m, from the gripper
    const double range = constants_->object_range;
    std::array<double, 2> position;
    std::array<double, 2> way;
    do {
      for (std::size_t i = 0; i < position.size(); ++i) {
        position[i] = config_.gripper[i] + rng.Uniform(-range, range);
        way[i] = position[i] - config_.gripper[i];
      }
    } while (Norm(way) < kLeastDistance);
    std::ranges::copy(position, simulation_.qpos().subspan(config_.object_qpos).begin());
  }
  simulation_.EndReset();
  DrawGoal(rng);
  is_success_ = false;
  ObserveAll();
}

void Fetch::DrawGoal(Rng& rng) {
  const double range = constants_->goal_range + 0.0;  // -0.0 becomes 0.0
  for (std::size_t i = 0; i < goal_.size(); ++i) {
    goal_[i] = config_.gripper[i] + rng.Uniform(-range, range);
  }
  if (config_.object < 0) return;
  goal_[0] += SceneOf(config_.task).goal_offset;
  goal_[2] = config_.height;
  constexpr double kHighest = 0.45;  // m above the table
  if (constants_->is_in_air && rng.Random() < 0.5) goal_[2] += rng.Uniform(0.0, kHighest);
}

template <std::floating_point T>
StepResult Fetch::Act(const T* action) {
  const bool is_blocked = SceneOf(config_.task).blocks_gripper;
  std::array<T, 4> clipped;
  for (std::size_t i = 0; i < clipped.size(); ++i) clipped[i] = NumpyClip<T>(action[i], -1, 1);
  const double opening = is_blocked ? 0.0 : static_cast<double>(clipped[3]);
  std::array<double, 2> controls{};
  for (std::size_t i = 0; i < config_.control_qpos.size(); ++i) {
    controls[i] = simulation_.qpos()[config_.control_qpos[i]] + opening;
  }
  const double* const position = simulation_.data().xpos + 3 * config_.mocap_body;
  const double* const rotation = data_.xquat + 4 * config_.mocap_body;
  for (std::size_t i = 0; i < 3; ++i) {
    data_.mocap_pos[i] =
        position[i] + static_cast<double>(clipped[i] * static_cast<T>(kLargestMove));
  }
  for (std::size_t i = 0; i < kRotation.size(); ++i) {
    data_.mocap_quat[i] = rotation[i] + kRotation[i];
  }
  simulation_.Step(std::span<const double>(controls).first(config_.control_qpos.size()), kSubsteps,
                   BodyForces::kNo);
  if (is_blocked) {
    for (const std::size_t finger : config_.finger_qpos) simulation_.qpos()[finger] = 0.0;
    simulation_.EndReset();
  }
  ObserveAll();
  return Reach(Distance(Achieved(), goal_), constants_->threshold, constants_->reward);
}

const Vector& Fetch::Achieved() const { return config_.object < 0 ? gripper_ : object_; }

Vector Fetch::SiteVelocity(int site, bool is_angular) {
  double* const linear = is_angular ? nullptr : jacobian_.data();
  double* const angular = is_angular ? jacobian_.data() : nullptr;
  const mjModel* const model = config_.model.physics();
  std::ranges::fill(jacobian_, 0.0);
  Guarded([&] { Library().jac_site(model, simulation_.get(), linear, angular, site); });
  Vector velocity;
  NumpyMatmul(jacobian_.data(), simulation_.qvel().data(), velocity.data(), 3,
              simulation_.qvel().size(), 1);
  for (double& each : velocity) each *= config_.seconds;
  return velocity;
}

void Fetch::ObserveAll() {
  RowWriter writer(observation_.data());
  const Vector grip_velocity = SiteVelocity(config_.grip, false);
  gripper_ = At(simulation_.data().site_xpos, config_.grip);
  writer.Put(gripper_);
  const auto put_fingers = [&] {
    for (const std::size_t finger : config_.finger_qpos) writer.Put(simulation_.qpos()[finger]);
  };
  if (config_.object < 0) {
    put_fingers();
  } else {
    object_ = At(simulation_.data().site_xpos, config_.object);
    Vector velocity = SiteVelocity(config_.object, false);
    writer.Put(object_);
    for (std::size_t i = 0; i < object_.size(); ++i) {
      writer.Put(object_[i] - gripper_[i]);
      velocity[i] -= grip_velocity[i];
    }
    put_fingers();
    writer.Put(EulerAngles(data_.site_xmat + 9 * config_.object));
    writer.Put(velocity);
    writer.Put(SiteVelocity(config_.object, true));
  }
  writer.Put(grip_velocity);
  for (const std::size_t finger : config_.finger_qvel) {
    writer.Put(simulation_.qvel()[finger] * config_.seconds);
  }
}

void Fetch::Observe(ObsRow row) const {
  ObserveWith(row, Achieved(), std::span(observation_).first(config_.object < 0 ? 10 : 25));
}

void Fetch::Render(std::span<std::uint8_t> rgb) const {
  Simulation scene(simulation_);
  scene.EndReset();
  std::ranges::copy(goal_, scene.data().site_xpos + 3 * config_.target);
  scene.Render(config_.renderer, rgb);
  simulation_.TakeCamera(scene);
}

template StepResult Fetch::Act(const float* action);
template StepResult Fetch::Act(const double* action);

}  // namespace engine::mujoco::robotics
