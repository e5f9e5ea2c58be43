// See dog.h, also for the source of the dynamics.
#include "engine/envs/mujoco/dm_control/dog.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/envs/mujoco/options.h"

namespace engine::mujoco::suite {
namespace {

constexpr std::int64_t kHinges = 73;
constexpr std::size_t kActuators = 38;

double SpeedOf(const std::string& task) {
  if (task == "walk") return 1.0;
  if (task == "trot") return 3.0;
  return task == "run" ? 9.0 : 0.0;
}

Tolerance Within(double radius, double margin) {
  return Tolerance({.upper = radius, .margin = margin, .sigmoid = Sigmoid::kReciprocal});
}

}  // namespace

ParamSchema Dog::Options() {
  return {Flag("observe_reward_factors", false,
               "Whether observations have the factors of the reward.")};
}

Description Dog::Describe(const ParamValues& options) {
  const std::string& task = TaskOf(options);
  const bool fetches = task == "fetch";
  Description description{.model = "dog " + task,
                          .timestep = 0.005,
                          .steps = 3,
                          .leaves = {{"joint_angles", {kHinges}},
                                     {"joint_velocites", {kHinges}},  // spelled as in the reference
                                     {"torso_pelvis_height", {2}},
                                     {"z_projection", {9}},
                                     {"torso_com_velocity", {3}},
                                     {"inertial_sensors", {9}},
                                     {"foot_forces", {12}},
                                     {"touch_sensors", {4}},
                                     {"actuator_state", {kActuators}}},
                          .controls = UnitControls(kActuators)};
  if (fetches) {
    description.leaves.push_back({"ball_state", {6}});
    description.leaves.push_back({"target_position", {3}});
  }
  if (options.Get<bool>("observe_reward_factors")) {
    const std::int64_t standing = 6;
    const std::int64_t others = fetches ? 2 : (task == "stand" ? 0 : 1);
    description.leaves.push_back({"reward_factors", {standing + others}});
  }
  return description;
}

Dog::Ball::Ball(const SuiteModel& model)
    : geom(model.Geom("ball")),
      target(model.Geom("target")),
      head(model.Site("head")),
      upper_bite(model.Site("upper_bite")),
      lower_bite(model.Site("lower_bite")),
      qpos(static_cast<std::size_t>(model.Qpos("ball_root"))),
      dof(static_cast<std::size_t>(model.Dof("ball_root"))) {
  const SuiteModelFields& fields = model.suite_fields();
  const double floor = fields.geom_size[3 * model.Geom("floor")];
  start_distance = 0.75 * floor;
  target_radius = fields.geom_size[3 * target];
  reaches = Within(fields.site_size[3 * upper_bite], 2.0);
  is_near_target = Within(target_radius, floor);
}

Dog::Config::Config(SuiteModel& model, const ParamValues& options)
    : torso(model.Body("torso")),
      pelvis(model.Body("pelvis")),
      skull(model.Body("skull")),
      root(static_cast<std::size_t>(model.Qpos("root"))),
      velocity(model.Sensor("torso_linvel")),
      inertial{model.Sensor("accelerometer"), model.Sensor("velocimeter"), model.Sensor("gyro")},
      feet{model.Sensor("foot_L"), model.Sensor("foot_R"), model.Sensor("hand_L"),
           model.Sensor("hand_R")},
      touch{model.Sensor("palm_L"), model.Sensor("palm_R"), model.Sensor("sole_L"),
            model.Sensor("sole_R")},
      speed(SpeedOf(TaskOf(options))),
      observes_factors(options.Get<bool>("observe_reward_factors")) {
  constexpr double kDegreesFromUpright = 30.0;  // the reward is 1 within this angle
  const SuiteModelFields& fields = model.suite_fields();
  for (std::int64_t i = 0; i < fields.njnt; ++i) {
    if (fields.jnt_type[i] != kJointHinge) continue;
    hinge_qpos.push_back(static_cast<std::size_t>(fields.jnt_qposadr[i]));
    hinge_dof.push_back(static_cast<std::size_t>(fields.jnt_dofadr[i]));
  }
  for (std::int64_t i = 0; i < model.fields().nu; ++i) {
    const double* const range = model.fields().actuator_ctrlrange + 2 * i;
    activations.push_back({.low = range[0], .high = range[1]});
  }
  body_weight = -fields.gravity[2] * fields.body_subtreemass[torso];
  if (TaskOf(options) == "fetch") ball.emplace_back(model);
  const double cosine = NumpyCos(kDegreesFromUpright * (std::numbers::pi / 180.0));
  is_upright = Tolerance({.lower = cosine,
                          .upper = kInfinity,
                          .margin = cosine + 1.0,
                          .sigmoid = Sigmoid::kLinear,
                          .value_at_margin = 0.0});
  touches = Tolerance({.lower = body_weight,
                       .upper = kInfinity,
                       .margin = body_weight,
                       .sigmoid = Sigmoid::kLinear,
                       .value_at_margin = 0.9});
  moves = Tolerance({.lower = speed,
                     .upper = 2.0 * speed,
                     .margin = std::max(1.0, speed),
                     .sigmoid = Sigmoid::kLinear,
                     .value_at_margin = 0.0});
}

void Dog::InitializeEpisode(Physics& physics, RandomState& random) {
  constexpr double kStandFraction = 0.9;  // of the height in the model's initial state
  Physics::Check(physics.Reset());
  const auto stands = [&](int body) {
    const double height = physics.xpos(body)[2] * kStandFraction;
    return Tolerance({.lower = height, .upper = kInfinity, .margin = height});
  };
  torso_stands_ = stands(config_.torso);
  pelvis_stands_ = stands(config_.pelvis);

  const double azimuth = random.Uniform(0.0, 2.0 * std::numbers::pi);
  double* const orientation = &physics.qpos()[config_.root + 3];
  orientation[0] = NumpyCos(azimuth / 2.0);
  orientation[1] = 0.0;
  orientation[2] = 0.0;
  orientation[3] = NumpySin(azimuth / 2.0);
  for (const std::size_t dof : {0U, 1U, 5U}) physics.qvel()[dof] = 2.0 * random.Randn();
  const std::span<double> activations = physics.activations();
  for (std::size_t i = 0; i < activations.size(); ++i) {
    activations[i] = random.Uniform(config_.activations[i].low, config_.activations[i].high);
  }
  for (const Ball& ball : config_.ball) ThrowBall(ball, physics, random);
}

// Throws the ball towards the centre of the floor, with some noise.
void Dog::ThrowBall(const Ball& ball, Physics& physics, RandomState& random) const {
  const double azimuth = random.Uniform(0.0, 2.0 * std::numbers::pi);
  const double sine = NumpySin(azimuth);
  const double cosine = NumpyCos(azimuth);
  double* const position = &physics.qpos()[ball.qpos];
  position[0] = ball.start_distance * sine;
  position[1] = ball.start_distance * cosine;
  position[2] = 0.05;
  const double height = random.Uniform(0.0, 3.0);  // m, peak of the ball
  const double gravity = -physics.model().gravity[2];
  const double speed = random.Uniform(0.0, 5.0);
  double* const velocity = &physics.qvel()[ball.dof];
  velocity[0] = speed * (-sine + 0.05 * random.Randn());
  velocity[1] = speed * (-cosine + 0.05 * random.Randn());
  velocity[2] = std::sqrt(2.0 * gravity * height);
}

Vector Dog::VelocityInTorso(const Physics& physics) const {
  const double* const velocity = physics.sensor(config_.velocity);
  return InFrame({velocity[0], velocity[1], velocity[2]}, physics.xmat(config_.torso));
}

Dog::Factors Dog::FactorsOf(const Physics& physics) const {
  Factors factors;
  factors.Add(torso_stands_(physics.xpos(config_.torso)[2]));
  factors.Add(pelvis_stands_(physics.xpos(config_.pelvis)[2]));
  for (const int body : {config_.skull, config_.torso, config_.pelvis}) {
    factors.Add(config_.is_upright.OfElement(physics.xmat(body)[8]));
  }
  const double touch = PairwiseSum<double>(
      [&](std::size_t i) { return *physics.sensor(config_.touch[i]); }, 0, config_.touch.size());
  factors.Add(config_.touches(touch));
  if (config_.speed > 0.0) {
    const double forward = config_.moves(VelocityInTorso(physics)[0]);
    factors.Add((4.0 * forward + 1.0) / 5.0);
  }
  for (const Ball& ball : config_.ball) AddFetching(ball, physics, factors);
  return factors;
}

void Dog::AddFetching(const Ball& ball, const Physics& physics, Factors& factors) const {
  const double* const position = physics.geom_xpos(ball.geom);
  const double upper = Norm(Difference(position, physics.site_xpos(ball.upper_bite)));
  const double lower = Norm(Difference(position, physics.site_xpos(ball.lower_bite)));
  const double to_target = Norm(Difference(position, physics.geom_xpos(ball.target)));
  double reach = (6.0 * ball.reaches(0.5 * (upper + lower)) + 1.0) / 7.0;
  const double fetch = (ball.is_near_target(to_target) + 1.0) / 2.0;
  if (to_target < 2.0 * ball.target_radius) reach = 1.0;  // the dog may let go of the ball
  factors.Add(reach);
  factors.Add(fetch);
}

double Dog::Reward(const Physics& physics) const {
  const Factors factors = FactorsOf(physics);
  double reward = 1.0;
  for (const double factor : factors.all()) reward *= factor;
  return reward;
}

void Dog::Observe(const Physics& physics, ObservationWriter& writer) const {
  writer.Leaf();
  for (const std::size_t i : config_.hinge_qpos) writer.Put(physics.qpos()[i]);
  writer.Leaf();
  for (const std::size_t i : config_.hinge_dof) writer.Put(physics.qvel()[i]);
  writer.Leaf().Put(physics.xpos(config_.torso)[2]).Put(physics.xpos(config_.pelvis)[2]);
  writer.Leaf();
  for (const int body : {config_.skull, config_.torso, config_.pelvis}) {
    writer.Pick(physics.xmat(body), {6, 7, 8});
  }
  writer.Leaf().Put(VelocityInTorso(physics));
  writer.Leaf();
  for (const int sensor : config_.inertial) writer.Put(physics.sensor(sensor), 3);
  writer.Leaf();
  for (const int sensor : config_.feet) writer.Put(physics.sensor(sensor), 3);
  writer.Leaf();
  for (const int sensor : config_.touch) writer.Put(*physics.sensor(sensor));
  writer.Leaf().Put(physics.activations());
  for (const Ball& ball : config_.ball) ObserveBall(ball, physics, writer);
  if (config_.observes_factors) writer.Leaf().Put(FactorsOf(physics).all());
}

void Dog::ObserveBall(const Ball& ball, const Physics& physics, ObservationWriter& writer) const {
  const double* const head = physics.site_xpos(ball.head);
  const double* const frame = physics.site_xmat(ball.head);
  const Vector head_velocity = physics.LinearVelocity(kObjectSite, ball.head);
  const Vector ball_velocity = physics.LinearVelocity(kObjectGeom, ball.geom);
  writer.Leaf()
      .Put(InFrame(Difference(physics.geom_xpos(ball.geom), head), frame))
      .Put(InFrame(Difference(ball_velocity.data(), head_velocity.data()), frame));
  writer.Leaf().Put(InFrame(Difference(physics.geom_xpos(ball.target), head), frame));
}

}  // namespace engine::mujoco::suite
