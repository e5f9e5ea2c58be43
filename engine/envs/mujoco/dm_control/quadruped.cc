// See quadruped.h, also for the source of the dynamics.
#include "engine/envs/mujoco/dm_control/quadruped.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numbers>
#include <string>

#include "engine/base/error.h"

namespace engine::mujoco::suite {
namespace {

// Returns the addresses of all values of the sensors of these types, in the order of the sensors.
std::vector<int> SensorsOf(const SuiteModel& model, std::initializer_list<int> types) {
  const SuiteModelFields& fields = model.suite_fields();
  std::vector<int> addresses;
  // sensordata contains the values of the sensors in the order of the sensors.
  std::int64_t next = 0;
  for (int sensor = 0; next < fields.nsensordata; ++sensor) {
    const int dim = fields.sensor_dim[sensor];
    const bool is_wanted =
        std::ranges::find(types, fields.sensor_type[sensor]) != std::ranges::end(types);
    for (int i = 0; is_wanted && i < dim; ++i) addresses.push_back(fields.sensor_adr[sensor] + i);
    next += dim;
  }
  return addresses;
}

// A terrain has one random height per this distance (m).
constexpr double kBumpScale = 2.0;

std::size_t TerrainPoints(const SuiteModel& model) {
  const SuiteModelFields& fields = model.suite_fields();
  if (fields.hfield_nrow[0] == fields.hfield_ncol[0] && fields.hfield_nrow[0] > 3) {
    return static_cast<std::size_t>(fields.hfield_nrow[0]);
  }
  throw Error(ErrorKind::kOption, "the model \"" + model.key() +
                                      "\" of dm_control: expected a square height field, found " +
                                      std::to_string(fields.hfield_nrow[0]) + " by " +
                                      std::to_string(fields.hfield_ncol[0]) + " points");
}

double HorizontalDistance(const double* a, const double* b) {
  const double offset[] = {a[0] - b[0], a[1] - b[1]};
  return Norm(offset);
}

}  // namespace

QuadrupedConfig::QuadrupedConfig(const SuiteModel& model, double degrees_from_upright)
    : torso(model.Body("torso")),
      workspace(model.Site("workspace")),
      velocimeter(model.Sensor("velocimeter")),
      root(static_cast<std::size_t>(model.Qpos("root"))),
      imu(SensorsOf(model, {kSensorGyro, kSensorAccelerometer})),
      force_torque(SensorsOf(model, {kSensorForce, kSensorTorque})),
      rangefinders(SensorsOf(model, {kSensorRangefinder})) {
  const SuiteModelFields& fields = model.suite_fields();
  for (std::int64_t i = 0; i < fields.njnt; ++i) {
    if (fields.jnt_type[i] != kJointHinge) continue;
    hinge_qpos.push_back(static_cast<std::size_t>(fields.jnt_qposadr[i]));
    hinge_dof.push_back(static_cast<std::size_t>(fields.jnt_dofadr[i]));
  }
  const double deviation = NumpyCos(degrees_from_upright * (std::numbers::pi / 180.0));
  upright = Tolerance({.lower = deviation,
                       .upper = kInfinity,
                       .margin = 1.0 + deviation,
                       .sigmoid = Sigmoid::kLinear,
                       .value_at_margin = 0.0});
}

void QuadrupedConfig::Observe(const Physics& physics, ObservationWriter& writer) const {
  writer.Leaf();
  for (const std::size_t i : hinge_qpos) writer.Put(physics.qpos()[i]);
  for (const std::size_t i : hinge_dof) writer.Put(physics.qvel()[i]);
  writer.Put(physics.activations());
  writer.Leaf().Put(physics.sensor(velocimeter), 3);
  writer.Leaf().Put(physics.xmat(torso)[8]);
  writer.Leaf();
  for (const int address : imu) writer.Put(*physics.sensor(address));
  writer.Leaf();
  for (const int address : force_torque) writer.Put(NumpyArcsinh(*physics.sensor(address)));
}

void QuadrupedConfig::FindFreeHeight(Physics& physics, const Quaternion& orientation, double x,
                                     double y) const {
  constexpr int kMaxAttempts = 10'001;
  constexpr double kStep = 0.01;  // m
  double height = 0.0;
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    physics.Reset();  // warnings of too many contacts are ignored, here and below
    double* const position = &physics.qpos()[root];
    position[0] = x;
    position[1] = y;
    position[2] = height;
    std::ranges::copy(orientation, position + 3);
    physics.TryForward();
    if (physics.num_contacts() == 0) return;
    height += kStep;
  }
  ThrowNoFreeState(kMaxAttempts);
}

std::vector<Leaf> QuadrupedLeaves() {
  return {{"egocentric_state", {44}},
          {"torso_velocity", {3}},
          {"torso_upright", {}},
          {"imu", {6}},
          {"force_torque", {24}}};
}

std::vector<Range> QuadrupedControls() {
  std::vector<Range> controls;
  for (int leg = 0; leg < 4; ++leg) {  // yaw, lift, extension
    controls.insert(controls.end(), {{-1.0, 1.0}, {-1.0, 1.1}, {-0.8, 0.8}});
  }
  return controls;
}

QuadrupedFetch::Config::Config(SuiteModel& model, const ParamValues&)
    : common(model, 0.0),
      ball(model.Body("ball")),
      target(model.Site("target")),
      ball_qpos(static_cast<std::size_t>(model.Qpos("ball_root"))),
      ball_dof(static_cast<std::size_t>(model.Dof("ball_root"))),
      root_dof(static_cast<std::size_t>(model.Dof("root"))) {
  const SuiteModelFields& fields = model.suite_fields();
  const double floor = fields.geom_size[3 * model.Geom("floor")];
  spawn_radius = 0.9 * floor;
  const double arena_radius = floor * std::sqrt(2.0);
  const auto within = [&](double radius) {
    return Tolerance({.upper = radius,
                      .margin = arena_radius,
                      .sigmoid = Sigmoid::kLinear,
                      .value_at_margin = 0.0});
  };
  reaches =
      within(fields.site_size[3 * common.workspace] + fields.geom_size[3 * model.Geom("ball")]);
  fetches = within(fields.site_size[3 * target]);
}

void QuadrupedFetch::InitializeEpisode(Physics& physics, RandomState& random) {
  const double azimuth = random.Uniform(0.0, 2.0 * std::numbers::pi);
  const Quaternion orientation = {NumpyCos(azimuth / 2.0), 0.0, 0.0, NumpySin(azimuth / 2.0)};
  const double radius = config_.spawn_radius;
  const double x = random.Uniform(-radius, radius);
  const double y = random.Uniform(-radius, radius);
  config_.common.FindFreeHeight(physics, orientation, x, y);
  double* const position = &physics.qpos()[config_.ball_qpos];
  position[0] = random.Uniform(-radius, radius);
  position[1] = random.Uniform(-radius, radius);
  position[2] = 2.0;
  double* const velocity = &physics.qvel()[config_.ball_dof];
  velocity[0] = 5.0 * random.Randn();
  velocity[1] = 5.0 * random.Randn();
}

double QuadrupedFetch::Reward(const Physics& physics) const {
  const double* const ball = physics.xpos(config_.ball);
  const double reach_reward =
      config_.reaches(HorizontalDistance(physics.site_xpos(config_.common.workspace), ball));
  const double fetch_reward =
      config_.fetches(HorizontalDistance(physics.site_xpos(config_.target), ball));
  const double reach_then_fetch = reach_reward * (0.5 + 0.5 * fetch_reward);
  return config_.common.UprightReward(physics) * reach_then_fetch;
}

void QuadrupedFetch::Observe(const Physics& physics, ObservationWriter& writer) const {
  config_.common.Observe(physics, writer);
  const double* const torso = physics.xpos(config_.common.torso);
  const double* const frame = physics.xmat(config_.common.torso);
  const double* const ball = physics.xpos(config_.ball);
  const double* const ball_velocity = &physics.qvel()[config_.ball_dof];
  const double* const velocity = &physics.qvel()[config_.root_dof];
  double state[9];  // position and velocity relative to the torso, and angular velocity
  for (int axis = 0; axis < 3; ++axis) {
    state[axis] = ball[axis] - torso[axis];
    state[3 + axis] = ball_velocity[axis] - velocity[axis];
    state[6 + axis] = ball_velocity[3 + axis];
  }
  double in_frame[9];
  NumpyMatmul(state, frame, in_frame, 3, 3, 3);
  writer.Leaf().Put(in_frame);
  writer.Leaf().Put(InFrame(Difference(physics.site_xpos(config_.target), torso), frame));
}

QuadrupedEscape::Config::Config(SuiteModel& model, const ParamValues&)
    : common(model, 20.0),
      terrain_size(model.suite_fields().hfield_size[0]),
      terrain(TerrainPoints(model), static_cast<std::size_t>(2.0 * terrain_size / kBumpScale)),
      hfield_adr(model.suite_fields().hfield_adr[0]),
      escapes({.lower = terrain_size,
               .upper = kInfinity,
               .margin = terrain_size,
               .sigmoid = Sigmoid::kLinear,
               .value_at_margin = 0.0}) {}

void QuadrupedEscape::InitializeEpisode(Physics& physics, RandomState& random) {
  config_.terrain.Draw(random, scratch_, physics.model().hfield_data + config_.hfield_adr);
  config_.common.FindFreeHeight(physics, RandomQuaternion(random), 0.0, 0.0);
}

double QuadrupedEscape::Reward(const Physics& physics) const {
  const std::span<const double> workspace(physics.site_xpos(config_.common.workspace), 3);
  return config_.common.UprightReward(physics) * config_.escapes(Norm(workspace));
}

void QuadrupedEscape::Observe(const Physics& physics, ObservationWriter& writer) const {
  constexpr double kNothing = -1.0;  // value of a rangefinder whose ray hits nothing
  config_.common.Observe(physics, writer);
  const double* const torso = physics.xpos(config_.common.torso);
  const Vector origin = InFrame({torso[0], torso[1], torso[2]}, physics.xmat(config_.common.torso));
  writer.Leaf().Put(-origin[0]).Put(-origin[1]).Put(-origin[2]);
  writer.Leaf();
  for (const int address : config_.common.rangefinders) {
    const double range = *physics.sensor(address);
    writer.Put(range == kNothing ? 1.0 : NumpyTanh(range));
  }
}

}  // namespace engine::mujoco::suite
