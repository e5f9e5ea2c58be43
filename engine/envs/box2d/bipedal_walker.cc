#include "engine/envs/box2d/bipedal_walker.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/envs/box2d/viewport.h"

namespace engine::box2d {
namespace {

using physics2d::BodyType;
using physics2d::Shape;
using physics2d::Vec2;

constexpr double kMotorTorque = 80.0;                   // N m
constexpr std::array<double, 2> kMotorSpeed{4.0, 6.0};  // rad/s, of the hip and the knee
constexpr double kLidarRange = 160.0 / kScale;          // m
constexpr double kInitialForce = 5.0;                   // N, the largest component
constexpr double kLegDown = -8.0 / kScale;              // m
constexpr double kLegWidth = 8.0 / kScale;              // m
constexpr double kLegHeight = 34.0 / kScale;            // m
constexpr float kGroundFriction = 2.5f;
constexpr physics2d::Filter kWalkerFilter{.category = 0x0020, .mask = kGroundBits};
constexpr double kViewMetres = kViewWidth / kScale;  // m

// The end points of the lidar rays relative to the hull, to the right and down.
const std::array<Point, 10>& LidarOffsets() {
  static const std::array<Point, 10> offsets = [] {
    std::array<Point, 10> all;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const double angle = 1.5 * static_cast<double>(i) / 10.0;
      all[i] = {std::sin(angle) * kLidarRange, std::cos(angle) * kLidarRange};
    }
    return all;
  }();
  return offsets;
}

template <class T>
T Sign(T value) {
  return value > T{0} ? T{1} : value < T{0} ? T{-1} : T{0};
}

template <class T>
T EffortOf(T action) {
  return std::min(std::abs(action), T{1});
}

constexpr Attribute<BipedalWalker::Constants> kWalkerAttributes[] = {
    AttributeOf<&BipedalWalker::Constants::hardcore>("hardcore")};

}  // namespace

ParamSchema BipedalWalker::OptionsOf(bool hardcore) {
  return {{.name = "hardcore",
           .default_value = hardcore,
           .doc = "Ground with pits, stumps and stairs."},
          {.name = "fresh_world",
           .default_value = false,
           .doc = "Each episode begins in a new world, so that it follows from its seed alone."}};
}

EnvSpec BipedalWalker::Spec(const ParamValues&) {
  constexpr auto kHalfTurn = static_cast<float>(std::numbers::pi);
  const std::vector<float> body{kHalfTurn, 5.0f, 5.0f,      5.0f, kHalfTurn, 5.0f, kHalfTurn,
                                5.0f,      5.0f, kHalfTurn, 5.0f, kHalfTurn, 5.0f, 5.0f};
  std::vector<float> low;
  std::vector<float> high = body;
  for (const float bound : body) low.push_back(-bound);
  low[8] = low[13] = -0.0f;  // 1 if the leg touches the ground, else 0
  low.insert(low.end(), kRays, -1.0f);
  high.insert(high.end(), kRays, 1.0f);
  EnvSpec spec;
  spec.observation = SpaceSpec::Box<float>({14 + kRays}, low, high);
  spec.action = SpaceSpec::Box<float>({kJoints}, -1.0f, 1.0f);
  spec.action_out_of_bounds = OutOfBounds::kEnvClips;
  spec.scene_size = kSceneSize;
  return spec;
}

BipedalWalker::BipedalWalker(const Config& config)
    : config_(&config), constants_(config.constants), world_(Vec2{0.0f, -10.0f}) {
  constexpr std::size_t kMaxBodies =
      WalkerTerrain::kColumns + WalkerTerrain::kMaxObstacles + 1 + kJoints;
  constexpr std::size_t kManyContacts = 128;  // of five bodies with the terrain
  world_.Reserve(kMaxBodies, kManyContacts);
}

std::vector<AttributeSpec> BipedalWalker::Attributes(const Config& config) {
  return Describe(kWalkerAttributes, config.constants);
}

void BipedalWalker::SetAttribute(std::size_t index, std::span<const double> value) {
  constants_.Set(kWalkerAttributes[index], value);
}

void BipedalWalker::ContactRecorder::BeginContact(const physics2d::Contact& contact) {
  for (const physics2d::BodyId body : contact.bodies) {
    if (body == walker_.hull_) walker_.hull_touched_ = true;
    for (const std::size_t i : {0U, 1U}) {
      if (body == walker_.legs_[2 * i + 1]) walker_.on_ground_[i] = true;
    }
  }
}

// A leg that leaves one piece of the ground counts as not touching, even if it still touches
// another piece. The reference does the same.
void BipedalWalker::ContactRecorder::EndContact(const physics2d::Contact& contact) {
  for (const physics2d::BodyId body : contact.bodies) {
    for (const std::size_t i : {0U, 1U}) {
      if (body == walker_.legs_[2 * i + 1]) walker_.on_ground_[i] = false;
    }
  }
}

void BipedalWalker::Reset(Rng& rng) {
  if (config_->fresh_world) {
    world_.Clear();
    ground_.clear();
  } else {
    DestroyAll();
  }
  hull_touched_ = false;
  has_shaping_ = false;
  on_ground_ = {};
  WalkerTerrain terrain;
  terrain.Generate(constants_->hardcore, rng);
  MakeGround(terrain);
  terrain.GenerateClouds(rng);
  if (landscape_) *landscape_ = terrain;
  MakeHull(rng);
  MakeLeg(-1);
  MakeLeg(1);
  // As in the reference, the first observation is made after a step without torques.
  constexpr std::array<double, kJoints> kIdle{};
  Walk(kIdle.data());
  steps_ = 0;
}

// Destroys the bodies in the reference's order. The order affects later episodes, because the world
// is kept.
void BipedalWalker::DestroyAll() {
  if (ground_.empty()) return;
  for (auto body = ground_.rbegin(); body != ground_.rend(); ++body) world_.DestroyBody(*body);
  ground_.clear();
  world_.DestroyBody(hull_);
  for (const physics2d::BodyId leg : legs_) world_.DestroyBody(leg);
}

void BipedalWalker::MakeGround(const WalkerTerrain& terrain) {
  const auto add = [this](const Shape& shape) {
    ground_.push_back(world_.CreateBody({}));
    world_.CreateFixture(ground_.back(), {.shape = shape, .friction = kGroundFriction});
  };
  for (const WalkerTerrain::Obstacle& obstacle : terrain.Obstacles()) {
    std::array<Vec2, 4> corners;
    for (std::size_t i = 0; i < corners.size(); ++i) {
      corners[i] = ToVec(obstacle[i].x, obstacle[i].y);
    }
    add(Shape::Polygon(corners));
  }
  for (int i = 0; i + 1 < WalkerTerrain::kColumns; ++i) {
    const auto column = static_cast<std::size_t>(i);
    add(Shape::Edge(ToVec(WalkerTerrain::X(i), terrain.y[column]),
                    ToVec(WalkerTerrain::X(i + 1), terrain.y[column + 1])));
  }
}

void BipedalWalker::MakeHull(Rng& rng) {
  constexpr std::array<std::array<double, 2>, 5> kOutline{
      {{-30, 9}, {6, 9}, {34, 1}, {34, -8}, {-30, -8}}};
  std::array<Vec2, kOutline.size()> outline;
  for (std::size_t i = 0; i < outline.size(); ++i) {
    outline[i] = ToVec(kOutline[i][0] / kScale, kOutline[i][1] / kScale);
  }
  const double x = WalkerTerrain::kColumnWidth * WalkerTerrain::kStartColumns / 2.0;
  const double y = WalkerTerrain::kHeight + 2.0 * kLegHeight;
  hull_ = world_.CreateBody({.type = BodyType::kDynamic, .position = ToVec(x, y)});
  world_.CreateFixture(hull_, {.shape = Shape::Polygon(outline),
                               .density = 5.0f,
                               .friction = 0.1f,
                               .filter = kWalkerFilter});
  world_.ApplyForceToCenter(hull_, ToVec(rng.Uniform(-kInitialForce, kInitialForce), 0.0));
}

void BipedalWalker::MakeLeg(int side) {
  const double x = WalkerTerrain::kColumnWidth * WalkerTerrain::kStartColumns / 2.0;
  const double y = WalkerTerrain::kHeight + 2.0 * kLegHeight;
  const auto part = [&](double center_y, double width) {
    const physics2d::BodyId body = world_.CreateBody({.type = BodyType::kDynamic,
                                                      .position = ToVec(x, center_y),
                                                      .angle = static_cast<float>(side * 0.05)});
    const Vec2 half = ToVec(width / 2.0, kLegHeight / 2.0);
    world_.CreateFixture(
        body,
        {.shape = Shape::Rectangle(half.x, half.y), .density = 1.0f, .filter = kWalkerFilter});
    return body;
  };
  const auto joint = [&](physics2d::BodyId a, physics2d::BodyId b, double anchor_y, float speed,
                         double low, double high) {
    return world_.CreateJoint({.body_a = a,
                               .body_b = b,
                               .anchor_a = ToVec(0.0, anchor_y),
                               .anchor_b = ToVec(0.0, kLegHeight / 2.0),
                               .reference_angle = world_.body(b).angle() - world_.body(a).angle(),
                               .enable_limit = true,
                               .lower_angle = static_cast<float>(low),
                               .upper_angle = static_cast<float>(high),
                               .enable_motor = true,
                               .motor_speed = speed,
                               .max_motor_torque = static_cast<float>(kMotorTorque)});
  };
  const std::size_t first = side < 0 ? 0 : 2;
  const physics2d::BodyId upper = part(y - kLegHeight / 2.0 - kLegDown, kLegWidth);
  joints_[first] = joint(hull_, upper, kLegDown, static_cast<float>(side), -0.8, 1.1);
  const physics2d::BodyId lower = part(y - kLegHeight * 3.0 / 2.0 - kLegDown, 0.8 * kLegWidth);
  joints_[first + 1] = joint(upper, lower, -kLegHeight / 2.0, 1.0f, -1.6, -0.1);
  legs_[first] = upper;
  legs_[first + 1] = lower;
}

template <std::floating_point T>
StepResult BipedalWalker::Walk(const T* action) {
  physics2d::Island* island = BeginWalk(action);
  while (island != nullptr) {
    island->SolveVelocities(kVelocityIterations, false);
    island = ContinueWalk();
  }
  return EndWalk(action);
}
template StepResult BipedalWalker::Walk(const float* action);
template StepResult BipedalWalker::Walk(const double* action);

void BipedalWalker::StepMany(StepRange<BipedalWalker> range) {
  const auto with_action = [&](std::uint32_t k, auto&& call) {
    return range.is_float64(k) ? call(range.float64_action(k).Data<double>())
                               : call(range.action(k).Data<float>());
  };
  StepWorldsTogether(
      range.size(),
      [&](std::uint32_t k) {
        return with_action(k, [&](auto* action) { return range.env(k).BeginWalk(action); });
      },
      [&](std::uint32_t k) { return range.env(k).ContinueWalk(); });
  for (std::uint32_t k = 0; k < range.size(); ++k) {
    range.Set(k, with_action(k, [&](auto* action) { return range.env(k).EndWalk(action); }));
  }
}

template <std::floating_point T>
physics2d::Island* BipedalWalker::BeginWalk(const T* action) {
  for (std::size_t i = 0; i < kJoints; ++i) {
    const double speed = kMotorSpeed[i % 2] * static_cast<double>(Sign(action[i]));
    world_.SetMotorSpeed(joints_[i], static_cast<float>(speed));
    world_.SetMaxMotorTorque(joints_[i],
                             static_cast<float>(kMotorTorque * double{EffortOf(action[i])}));
  }
  ++steps_;
  ContactRecorder contacts(*this);
  return world_.BeginStep(kTimeStep, kVelocityIterations, kPositionIterations, &contacts);
}

physics2d::Island* BipedalWalker::ContinueWalk() {
  ContactRecorder contacts(*this);
  return world_.ContinueStep(&contacts);
}

// T is the type of the action, which determines the type of the reward in NumPy 2.
template <std::floating_point T>
StepResult BipedalWalker::EndWalk(const T* action) {
  ReadState();

  const double x = world_.body(hull_).position().x;
  double shaping = 130.0 * x / kScale;
  shaping -= 5.0 * std::abs(state_[0]);
  T reward = has_shaping_ ? static_cast<T>(shaping - shaping_) : T{0};
  shaping_ = shaping;
  has_shaping_ = true;
  for (std::size_t i = 0; i < kJoints; ++i)
    reward -= static_cast<T>(0.00035 * kMotorTorque) * EffortOf(action[i]);

  StepResult result{.reward = static_cast<double>(reward)};
  if (hull_touched_ || x < 0.0) {
    result.reward = -100.0;
    result.terminated = true;
  }
  constexpr double kGoal =
      (WalkerTerrain::kColumns - WalkerTerrain::kGrassColumns) * WalkerTerrain::kColumnWidth;
  if (x > kGoal) result.terminated = true;
  return result;
}

void BipedalWalker::ReadState() {
  const physics2d::Body& hull = world_.body(hull_);
  state_[0] = hull.angle();
  state_[1] = 2.0 * hull.angular_velocity / kFps;
  state_[2] = 0.3 * hull.velocity.x * kViewMetres / kFps;
  state_[3] = 0.3 * hull.velocity.y * (kViewHeight / kScale) / kFps;
  for (std::size_t leg = 0; leg < 2; ++leg) {
    double* out = &state_[4 + 5 * leg];
    const physics2d::JointId hip = joints_[2 * leg];
    const physics2d::JointId knee = joints_[2 * leg + 1];
    out[0] = world_.JointAngle(hip);
    out[1] = world_.JointSpeed(hip) / kMotorSpeed[0];
    out[2] = world_.JointAngle(knee) + 1.0;
    out[3] = world_.JointSpeed(knee) / kMotorSpeed[1];
    out[4] = on_ground_[leg] ? 1.0 : 0.0;
  }
  CastLidar();
}

// Casts ten rays from the hull, downwards and ahead. The rays hit only the ground.
void BipedalWalker::CastLidar() {
  const Vec2 from = world_.body(hull_).position();
  for (std::size_t i = 0; i < kRays; ++i) {
    const Point offset = LidarOffsets()[i];
    ray_ends_[i] = {from.x + offset.x, from.y - offset.y};
    const Vec2 to = ToVec(ray_ends_[i].x, ray_ends_[i].y);
    lidar_[i] = 1.0f;
    world_.CastRay(from, to, [&](physics2d::FixtureId id, const physics2d::RayHit& hit) {
      if ((world_.fixture(id).filter.category & kGroundBits) == 0) return -1.0f;
      lidar_[i] = hit.fraction;
      const Vec2 end = (1.0f - hit.fraction) * from + hit.fraction * to;
      ray_ends_[i] = {end.x, end.y};
      return hit.fraction;
    });
  }
}

void BipedalWalker::Observe(ObsRow row) const {
  float* obs = row.Data<float>();
  for (std::size_t i = 0; i < state_.size(); ++i) obs[i] = static_cast<float>(state_[i]);
  std::copy(lidar_.begin(), lidar_.end(), obs + state_.size());
}

void BipedalWalker::Scene(std::span<double> scene) const {
  std::fill(scene.begin(), scene.end(), 0.0);
  if (!landscape_) return;
  double* out = scene.data();
  const auto put = [&](double x, double y) {
    *out++ = x;
    *out++ = y;
  };
  for (const physics2d::BodyId id : {hull_, legs_[0], legs_[1], legs_[2], legs_[3]}) {
    const physics2d::Body& body = world_.body(id);
    put(body.position().x, body.position().y);
    *out++ = body.angle();
  }
  *out++ = static_cast<double>(steps_);
  const Vec2 from = world_.body(hull_).position();
  for (const Point& to : ray_ends_) {
    put(from.x, from.y);
    put(to.x, to.y);
  }
  out = std::copy(landscape_->y.begin(), landscape_->y.end(), out);
  for (const Point& point : landscape_->clouds) put(point.x, point.y);
  *out++ = static_cast<double>(landscape_->obstacle_count);
  for (const WalkerTerrain::Obstacle& obstacle : landscape_->Obstacles()) {
    for (const Point& point : obstacle) put(point.x, point.y);
  }
}

void BipedalWalker::Save(StateWriter& state) const {
  world_.Save(state);
  state.PutAll(std::span(ground_));
  state.Put(hull_);
  state.Put(legs_);
  state.Put(joints_);
  state.Put(on_ground_);
  state.Put(hull_touched_);
  state.Put(has_shaping_);
  state.Put(shaping_);
  state.Put(steps_);
  state.Put(state_);
  state.Put(lidar_);
  state.Put(ray_ends_);
  state.Put(landscape_ != nullptr);
  if (landscape_) state.Put(*landscape_);
}

void BipedalWalker::Load(StateReader& state) {
  world_.Load(state);
  ground_ = state.GetVector<physics2d::BodyId>();
  state.Get(hull_);
  state.Get(legs_);
  state.Get(joints_);
  for (const physics2d::BodyId body : ground_)
    ExpectState(world_.Has(body), "a part of the ground");
  ExpectState(world_.Has(hull_), "the hull");
  for (const physics2d::BodyId leg : legs_) ExpectState(world_.Has(leg), "a leg");
  for (const physics2d::JointId joint : joints_) ExpectState(world_.HasJoint(joint), "a joint");
  for (bool& leg : on_ground_) state.Get(leg);
  state.Get(hull_touched_);
  state.Get(has_shaping_);
  state.Get(shaping_);
  state.GetWithin("the number of steps", steps_, 0, std::int64_t{1} << 62);
  state.Get(state_);
  state.Get(lidar_);
  state.Get(ray_ends_);
  WalkerTerrain landscape;
  if (state.Get<bool>()) {
    state.Get(landscape);
    ExpectState(
        0 <= landscape.obstacle_count && landscape.obstacle_count <= WalkerTerrain::kMaxObstacles,
        "a number of obstacles");
  }
  if (landscape_) *landscape_ = landscape;
}

}  // namespace engine::box2d
