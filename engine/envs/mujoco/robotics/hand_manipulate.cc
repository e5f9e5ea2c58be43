// See the header.
#include "engine/envs/mujoco/robotics/hand_manipulate.h"

#include <algorithm>
#include <numbers>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/numpy_kernels.h"
#include "engine/envs/mujoco/layout.h"
#include "engine/envs/mujoco/library.h"
#include "engine/envs/mujoco/model_copy.h"
#include "engine/envs/mujoco/options.h"
#include "engine/envs/mujoco/robotics/model_source.h"
#include "engine/envs/mujoco/rows.h"

namespace engine::mujoco::robotics {
namespace {

constexpr std::size_t kSensors = 92;
constexpr std::size_t kNumbers = 2 * Hand::kJoints + 6 + 7;  // of an observation without touch

constexpr const char* kModelFile = "model_file";
constexpr const char* kTargetPosition = "target_position";
constexpr const char* kTargetRotation = "target_rotation";
constexpr const char* kIgnoresZ = "ignore_z_target_rotation";
constexpr const char* kStartsAnywhere = "randomize_initial_position";
constexpr const char* kStartsInAnyRotation = "randomize_initial_rotation";
constexpr const char* kRotationThreshold = "rotation_threshold";
constexpr const char* kTouch = "touch_get_obs";
constexpr const char* kMarks = "touch_visualisation";

// In the reference, other target rotations call a function that MuJoCo's bindings do not have.
constexpr const char* kPositions[] = {"ignore", "fixed", "random"};
constexpr const char* kRotations[] = {"xyz", "z", "parallel"};
constexpr const char* kReadings[] = {"sensordata", "boolean", "log"};
constexpr const char* kReadingsOrNone[] = {"sensordata", "boolean", "log", "off"};
constexpr const char* kMarkModes[] = {"on_touch", "always", "off"};

Quaternion RotationOf(const HandManipulate::Goal& pose) {
  return {pose[3], pose[4], pose[5], pose[6]};
}

// Returns the sensors of touch with the sites that show them, in the order of the model.
std::vector<HandManipulate::Config::Sensor> SensorsOf(const Model& model) {
  constexpr std::string_view kSensor = "robot0:TS_";
  constexpr const char* kSite = "robot0:T_";
  std::vector<HandManipulate::Config::Sensor> sensors;
  for (int id = 0;; ++id) {
    const char* const found = Library().id_to_name(model.get(), kObjectSensor, id);
    if (found == nullptr) return sensors;
    const std::string_view name = found;
    if (!name.starts_with(kSensor)) continue;
    const std::string site = kSite + std::string(name.substr(kSensor.size()));
    // As in the reference, the number of a sensor is its place: all have one number.
    sensors.push_back({.reading = static_cast<std::size_t>(id),
                       .site = static_cast<std::size_t>(model.SiteId(site))});
  }
}

// Returns the option, fixed if there is nothing that it could change.
ParamSpec FixedUnless(bool is_free, ParamSpec option) {
  option.fixed = !is_free;
  return option;
}

}  // namespace

const std::array<Attribute<HandManipulate::Constants>, 9> HandManipulate::kAttributes = {
    ChoiceOf<&Constants::reward>(kRewardType, kRewardTypes),
    ChoiceOf<&Constants::position>(kTargetPosition, kPositions),
    ChoiceOf<&Constants::rotation>(kTargetRotation, kRotations),
    AttributeOf<&Constants::ignores_z>(kIgnoresZ),
    AttributeOf<&Constants::starts_anywhere>(kStartsAnywhere),
    AttributeOf<&Constants::starts_in_any_rotation>(kStartsInAnyRotation),
    AttributeOf<&Constants::threshold>(kThreshold),
    AttributeOf<&Constants::rotation_threshold>(kRotationThreshold),
    ChoiceOf<&Constants::touch>(kTouch, kReadings)};

std::vector<AttributeSpec> HandManipulate::Attributes(const Config& config) {
  const bool has_touch = config.constants.touch != TouchReading::kNone;
  return Describe(std::span(kAttributes).first(kAttributes.size() - (has_touch ? 0 : 1)),
                  config.constants);
}

ParamSchema HandManipulate::OptionsOf(const Manipulation& task) {
  const std::string object = task.object;
  const bool is_pen = object == "pen";
  const bool has_touch = task.touch.has_value();
  return WithRobot(
      {Fixed({.name = kModelFile,
              .default_value =
                  "hand/manipulate_" + object + (has_touch ? "_touch_sensors.xml" : ".xml"),
              .doc = "The model."}),
       Choice(kRewardType, kRewardTypes, task.reward,
              "\"sparse\": 0 at the goal, otherwise -1; \"dense\": minus the angle (radians) and "
              "ten times the distance (m)."),
       Choice(kTargetPosition, kPositions, task.position,
              "Goals for the position: \"ignore\": none; \"fixed\": that of the start, which has "
              "no noise; \"random\": near the start."),
       Choice(kTargetRotation, kRotations, task.rotation,
              "Goals for the rotation: \"xyz\": about any axis; \"z\": about z; \"parallel\": "
              "about z, on any side of a cube."),
       FixedUnless(!is_pen, Flag(kIgnoresZ, is_pen,
                                 "Whether the rotation about z does not count as a difference.")),
       Flag(kStartsAnywhere, true, "Whether the object's position at the start has noise."),
       FixedUnless(!is_pen, Flag(kStartsInAnyRotation, !is_pen,
                                 "Whether the object's rotation at the start is random.")),
       FixedUnless(!is_pen, Weight(kThreshold, is_pen ? 0.05 : 0.01,
                                   "Distance (m) at which a goal is reached.")),
       Weight(kRotationThreshold, 0.1, "Angle (radians) at which a goal is reached."),
       FixedUnless(has_touch,
                   Choice(kTouch, kReadingsOrNone, task.touch.value_or(TouchReading::kNone),
                          "Touch in observations: \"sensordata\": forces; \"boolean\": whether "
                          "there is one; \"log\": log(force + 1); \"off\": none.")),
       FixedUnless(has_touch, Choice(kMarks, kMarkModes, TouchMarks::kOnTouch,
                                     "Touch sensors in pictures: \"on_touch\": coloured by touch; "
                                     "\"always\": in the colours of the model; \"off\": hidden."))},
      HandCamera());
}

EnvSpec HandManipulate::Spec(const ParamValues& options) {
  const auto touch = ReadChoice<TouchReading>(options, kTouch, kReadingsOrNone);
  const std::size_t size = kNumbers + (touch == TouchReading::kNone ? 0 : kSensors);
  return RobotSpec(options,
                   {.goal = 7, .observation = static_cast<std::int64_t>(size), .action = 20});
}

HandManipulate::Config::Config(const ParamValues& options)
    : Basics(PackageModel(options.Get<std::string>(kModelFile)), options),
      constants{.reward = ReadReward(options),
                .position = ReadChoice<TargetPosition>(options, kTargetPosition, kPositions),
                .rotation = ReadChoice<TargetRotation>(options, kTargetRotation, kRotations),
                .ignores_z = options.Get<bool>(kIgnoresZ),
                .starts_anywhere = options.Get<bool>(kStartsAnywhere),
                .starts_in_any_rotation = options.Get<bool>(kStartsInAnyRotation),
                .threshold = options.Get<double>(kThreshold),
                .rotation_threshold = options.Get<double>(kRotationThreshold),
                .touch = ReadChoice<TouchReading>(options, kTouch, kReadingsOrNone)},
      hand(model, options.Get<std::string>(kModelFile)),
      center(model.SiteId("object:center")),
      sensors(SensorsOf(model)),
      marks(ReadChoice<TouchMarks>(options, kMarks, kMarkModes)),
      parallel_rotations(ParallelRotations()) {
  const ArmModelFields fields = ArmFieldsOf(*model.get());
  const auto find = [&](const char* joint, std::size_t& in_qpos, std::size_t& in_qvel) {
    const int id = model.JointId(joint);
    in_qpos = static_cast<std::size_t>(fields.jnt_qposadr[id]);
    in_qvel = static_cast<std::size_t>(fields.jnt_dofadr[id]);
  };
  find("object:joint", object_qpos, object_qvel);
  find("target:joint", target_qpos, target_qvel);
  if (constants.touch != TouchReading::kNone && sensors.size() != kSensors) {
    ThrowOtherModel(options.Get<std::string>(kModelFile));
  }
  const Simulation simulation(model);
  qpos.assign(simulation.qpos().begin(), simulation.qpos().end());
}

// The reference never resets mjData: an episode starts with the controls and the warm starts of the
// end of the one before, and the first one with those of this call.
HandManipulate::HandManipulate(const Config& config)
    : Robot(config),
      config_(config),
      constants_(config.constants),
      data_(ArmFieldsOf(*simulation_.get())) {
  simulation_.EndReset();
}

void HandManipulate::Reset(const Start&, Rng& rng) {
  // The reference has no limit. A model or a loaded state may leave no start on the palm.
  constexpr int kMostTries = 100;
  for (int tries = 0; !Settle(rng); ++tries) {
    if (tries == kMostTries) {
      throw Error(ErrorKind::kInternal, "expected the object on the palm after one of " +
                                            std::to_string(kMostTries) + " falls, found it beside");
    }
  }
  DrawGoal(rng);
  is_success_ = false;
}

bool HandManipulate::Settle(Rng& rng) {
  *data_.time = 0.0;
  std::ranges::copy(config_.qpos, simulation_.qpos().begin());
  std::ranges::fill(simulation_.qvel(), 0.0);
  simulation_.EndReset();
  Goal pose = Achieved();
  Quaternion rotation = RotationOf(pose);
  if (constants_->starts_in_any_rotation) rotation = Multiply(rotation, DrawRotation(rng));
  if (constants_->starts_anywhere && constants_->position != TargetPosition::kFixed) {
    constexpr double kNoise = 0.005;  // m
    for (std::size_t i = 0; i < 3; ++i) pose[i] += rng.Normal(0.0, kNoise);
  }
  Normalize(rotation);
  std::ranges::copy(rotation, pose.begin() + 3);
  std::ranges::copy(pose, simulation_.qpos().subspan(config_.object_qpos).begin());
  constexpr int kSteps = 10;
  constexpr std::array<double, Hand::kControls> kNoAction{};
  config_.hand.Step(simulation_, kNoAction.data(), kSteps);
  simulation_.EndReset();
  constexpr double kPalm = 0.04;  // m, height
  return At(simulation_.data().site_xpos, config_.center)[2] > kPalm;
}

Quaternion HandManipulate::DrawRotation(Rng& rng) const {
  constexpr Vector kUp = {0.0, 0.0, 1.0};
  const double angle = rng.Uniform(-std::numbers::pi, std::numbers::pi);
  if (constants_->rotation == TargetRotation::kXyz) {
    Vector axis;
    for (double& each : axis) each = rng.Uniform(-1.0, 1.0);
    return RotationAbout(axis, angle);
  }
  const Quaternion about_z = RotationAbout(kUp, angle);
  if (constants_->rotation == TargetRotation::kZ) return about_z;
  const auto side = static_cast<std::size_t>(rng.Integers(kParallelRotations));
  return Multiply(about_z, config_.parallel_rotations[side]);
}

void HandManipulate::DrawGoal(Rng& rng) {
  struct Range {
    double low, high;  // m, from the position of the object
  };
  constexpr std::array<Range, 3> kRanges = {{{-0.04, 0.04}, {-0.06, 0.02}, {0.0, 0.06}}};
  goal_ = Achieved();
  if (constants_->position == TargetPosition::kRandom) {
    for (std::size_t i = 0; i < kRanges.size(); ++i) {
      goal_[i] += rng.Uniform(kRanges[i].low, kRanges[i].high);
    }
  }
  Quaternion rotation = DrawRotation(rng);
  Normalize(rotation);
  std::ranges::copy(rotation, goal_.begin() + 3);
}

template <std::floating_point T>
StepResult HandManipulate::Act(const T* action) {
  config_.hand.Step(simulation_, action, 1);
  const auto [distance, angle] = ErrorOf(Achieved());
  is_success_ = distance < constants_->threshold && angle < constants_->rotation_threshold;
  constexpr double kRadiansPerMetre = 10.0;
  const double sparse = is_success_ ? 0.0 : -1.0;
  return {.reward = constants_->reward == RewardType::kDense
                        ? -(kRadiansPerMetre * distance + angle)
                        : sparse};
}

HandManipulate::Goal HandManipulate::Achieved() const {
  Goal pose;
  std::ranges::copy(simulation_.qpos().subspan(config_.object_qpos, pose.size()), pose.begin());
  return pose;
}

HandManipulate::PoseError HandManipulate::ErrorOf(const Goal& pose) const {
  double distance = 0.0;
  if (constants_->position != TargetPosition::kIgnore) {
    distance = Distance(At(pose.data(), 0), At(goal_.data(), 0));
  }
  Quaternion rotation = RotationOf(pose);
  const Quaternion wanted = RotationOf(goal_);
  if (constants_->ignores_z) {
    Vector euler = EulerAngles(rotation);
    euler[2] = EulerAngles(wanted)[2];
    rotation = QuaternionOf(euler);
  }
  return {.distance = distance, .angle = AngleBetween(rotation, wanted)};
}

double HandManipulate::Reading(double force) const {
  switch (constants_->touch) {
    case TouchReading::kBooleans:
      return force > 0.0 ? 1.0 : 0.0;
    case TouchReading::kLogarithms:
      return NumpyLog(force + 1.0);
    default:
      return force;
  }
}

void HandManipulate::Observe(ObsRow row) const {
  const Goal achieved = Achieved();
  ObserveGoals(row, achieved);
  RowWriter writer(row.Data<double>(2));
  config_.hand.PutJoints(writer, simulation_);
  writer.Put(simulation_.qvel().subspan(config_.object_qvel, 6));
  writer.Put(achieved);
  if (constants_->touch == TouchReading::kNone) return;
  for (const auto& sensor : config_.sensors) writer.Put(Reading(data_.sensordata[sensor.reading]));
}

void HandManipulate::Render(std::span<std::uint8_t> rgb) const {
  Simulation scene(simulation_);
  Goal mark = goal_;
  // Beside the object, which would hide it.
  if (constants_->position == TargetPosition::kIgnore) mark[0] += 0.15;
  std::ranges::copy(mark, scene.qpos().subspan(config_.target_qpos).begin());
  std::ranges::fill(scene.qvel().subspan(config_.target_qvel, 6), 0.0);
  scene.EndReset();

  using Colour = std::array<float, 4>;
  constexpr Colour kTouched = {1.0F, 0.0F, 0.0F, 0.5F};
  constexpr Colour kNotTouched = {0.0F, 0.5F, 0.0F, 0.2F};
  ModelCopy model(*config_.model.get());
  const Offset member = UsedLayout().arm_model.site_rgba;
  const float* const first = MemberAt<const float*>(model.get(), member);
  std::vector<float> colours(first, first + 4 * config_.model->nsite);
  const double* const forces = ArmFieldsOf(*scene.get()).sensordata;
  for (const auto& [reading, site] : config_.sensors) {
    float* const colour = colours.data() + 4 * site;
    if (config_.marks == TouchMarks::kOff) colour[3] = 0.0F;
    if (config_.marks != TouchMarks::kOnTouch) continue;
    std::ranges::copy(forces[reading] != 0.0 ? kTouched : kNotTouched, colour);
  }
  model.Set(member, colours.data());
  scene.Render(config_.renderer, *model.get(), rgb);
  simulation_.TakeCamera(scene);
}

template StepResult HandManipulate::Act(const float* action);
template StepResult HandManipulate::Act(const double* action);

}  // namespace engine::mujoco::robotics
