#include "engine/envs/box2d/lunar_lander.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "engine/base/error.h"
#include "engine/envs/box2d/viewport.h"

namespace engine::box2d {
namespace {

using physics2d::BodyType;
using physics2d::Shape;
using physics2d::Vec2;

constexpr double kWidth = kViewWidth / kScale;    // m
constexpr double kHeight = kViewHeight / kScale;  // m
constexpr double kPadHeight = kHeight / 4.0;      // m
constexpr double kLegAway = 20.0;  // pixels, like all values that are divided by kScale
constexpr double kLanderLegDown = 18.0;
constexpr double kLanderLegWidth = 2.0;
constexpr double kLanderLegHeight = 8.0;
constexpr double kLegSpringTorque = 40.0;  // N m
constexpr double kMainEngineForce = 13.0;  // N s per m of offset of the nozzle
constexpr double kSideEngineForce = 0.6;
constexpr double kMainEngineY = 4.0;
constexpr double kSideEngineY = 14.0;
constexpr double kSideEngineAway = 12.0;
constexpr double kLanderInitialForce = 1000.0;  // N, the largest component

constexpr double kMinGravity = -12.0;  // m/s^2

double GravityOf(const ParamValues& options) {
  const double gravity = options.Get<double>("gravity");
  if (!(gravity > kMinGravity && gravity < 0.0)) {
    throw Error(ErrorKind::kOption,
                "option gravity: expected a number greater than -12 and less than 0, got " +
                    ToString(ParamValue(gravity)));
  }
  return gravity;
}

// Returns a gust in [-1, 1]. The sequence is not periodic.
double Gust(std::int64_t index) {
  const double i = static_cast<double>(index);
  return std::tanh(std::sin(0.02 * i) + std::sin(std::numbers::pi * 0.01 * i));
}

constexpr double kMostGravity = 1e3;  // m/s^2
constexpr double kMostWind = 1e6;     // N, N m
constexpr Attribute<LunarLander::Constants> kLanderAttributes[] = {
    // The constructor of the reference refuses other values, but not an assignment.
    AttributeOf<&LunarLander::Constants::gravity>("gravity", -kMostGravity, kMostGravity),
    AttributeOf<&LunarLander::Constants::enable_wind>("enable_wind"),
    AttributeOf<&LunarLander::Constants::wind_power>("wind_power", -kMostWind, kMostWind),
    AttributeOf<&LunarLander::Constants::turbulence_power>("turbulence_power", -kMostWind,
                                                           kMostWind)};

}  // namespace

ParamSchema LunarLander::OptionsOf(bool continuous) {
  return {{.name = "continuous",
           .default_value = continuous,
           .doc = "Actions are the powers of the engines, not one of four choices."},
          {.name = "gravity",
           .default_value = -10.0,
           .doc = "Vertical acceleration (m/s^2), greater than -12 and less than 0."},
          {.name = "enable_wind",
           .default_value = false,
           .doc = "Wind pushes and turns the lander until a leg touches the ground."},
          {.name = "wind_power",
           .default_value = 15.0,
           .doc = "Greatest force of the wind (N); recommended: 0 to 20."},
          {.name = "turbulence_power",
           .default_value = 1.5,
           .doc = "Greatest torque of the wind (N m); recommended: 0 to 2."}};
}

EnvSpec LunarLander::Spec(const ParamValues& options) {
  GravityOf(options);
  constexpr auto kTurn = static_cast<float>(2.0 * std::numbers::pi);
  EnvSpec spec;
  spec.observation =
      SpaceSpec::Box<float>({8}, {-2.5f, -2.5f, -10.0f, -10.0f, -kTurn, -10.0f, -0.0f, -0.0f},
                            {2.5f, 2.5f, 10.0f, 10.0f, kTurn, 10.0f, 1.0f, 1.0f});
  if (options.Get<bool>("continuous")) {
    spec.action = SpaceSpec::Box<float>({2}, -1.0f, 1.0f);
    spec.action_out_of_bounds = OutOfBounds::kEnvClips;
  } else {
    spec.action = SpaceSpec::Discrete(4);
  }
  spec.scene_size = kSceneSize;
  return spec;
}

LunarLander::Config::Config(const ParamValues& options)
    : constants{.enable_wind = options.Get<bool>("enable_wind"),
                .gravity = GravityOf(options),
                .wind_power = options.Get<double>("wind_power"),
                .turbulence_power = options.Get<double>("turbulence_power")} {}

LunarLander::LunarLander(const Config& config)
    : constants_(config.constants), world_(ToVec(0.0, config.constants.gravity)) {}

std::vector<AttributeSpec> LunarLander::Attributes(const Config& config) {
  return Describe(kLanderAttributes, config.constants);
}

void LunarLander::SetAttribute(std::size_t index, std::span<const double> value) {
  constants_.Set(kLanderAttributes[index], value);
}

void LunarLander::ContactRecorder::BeginContact(const physics2d::Contact& contact) {
  for (const physics2d::BodyId body : contact.bodies) {
    if (body == lander_.lander_) lander_.lander_touched_ = true;
    for (const std::size_t i : {0U, 1U}) {
      if (body == lander_.legs_[i]) lander_.on_ground_[i] = true;
    }
  }
}

// A leg that leaves one piece of the ground counts as not touching, even if it still touches
// another piece. The reference does the same.
void LunarLander::ContactRecorder::EndContact(const physics2d::Contact& contact) {
  for (const physics2d::BodyId body : contact.bodies) {
    for (const std::size_t i : {0U, 1U}) {
      if (body == lander_.legs_[i]) lander_.on_ground_[i] = false;
    }
  }
}

void LunarLander::Reset(Rng& rng) {
  world_.Clear();
  world_.SetGravity(ToVec(0.0, constants_->gravity));
  if (exhaust_) exhaust_->Clear(constants_->gravity);
  lander_touched_ = false;
  has_shaping_ = false;
  on_ground_ = {};
  MakeGround(rng);
  MakeLander(rng);
  if (constants_->enable_wind) {
    has_wind_ = true;
    wind_index_ = rng.Integers(-9999, 9999);
    torque_index_ = rng.Integers(-9999, 9999);
  }
  MakeLeg(-1);
  MakeLeg(1);
  // As in the reference, the first observation is made after a step with the engines off.
  Move({}, rng);
}

void LunarLander::MakeGround(Rng& rng) {
  std::array<double, kGroundPoints + 1> height{};
  for (double& y : height) y = rng.Uniform(0.0, kHeight / 2.0);
  constexpr std::size_t kMiddle = kGroundPoints / 2;
  for (std::size_t i = kMiddle - 2; i <= kMiddle + 2; ++i) height[i] = kPadHeight;
  for (std::size_t i = 0; i < kGroundPoints; ++i) {
    const double before = height[i == 0 ? kGroundPoints : i - 1];
    ground_[i] = 0.33 * (before + height[i] + height[i + 1]);
  }

  moon_ = world_.CreateBody({});
  VisitGround([this](Vec2 from, Vec2 to, float friction) {
    world_.CreateFixture(moon_, {.shape = Shape::Edge(from, to), .friction = friction});
    if (exhaust_) exhaust_->AddGround(from, to, friction);
  });
}

// Calls visit(from, to, friction) for the bottom of the view and the pieces of the ground.
template <class Visit>
void LunarLander::VisitGround(Visit&& visit) const {
  visit(Vec2{}, ToVec(kWidth, 0.0), 0.2f);
  constexpr double kPiece = kWidth / (kGroundPoints - 1);
  for (int i = 0; i + 1 < kGroundPoints; ++i) {
    const auto left = static_cast<std::size_t>(i);
    visit(ToVec(kPiece * i, ground_[left]), ToVec(kPiece * (i + 1), ground_[left + 1]), 0.1f);
  }
}

void LunarLander::MakeLander(Rng& rng) {
  constexpr std::array<std::array<double, 2>, 6> kOutline{
      {{-14, 17}, {-17, 0}, {-17, -10}, {17, -10}, {17, 0}, {14, 17}}};
  std::array<Vec2, kOutline.size()> outline;
  for (std::size_t i = 0; i < outline.size(); ++i) {
    outline[i] = ToVec(kOutline[i][0] / kScale, kOutline[i][1] / kScale);
  }
  lander_ =
      world_.CreateBody({.type = BodyType::kDynamic, .position = ToVec(kWidth / 2.0, kHeight)});
  world_.CreateFixture(lander_, {.shape = Shape::Polygon(outline),
                                 .density = 5.0f,
                                 .friction = 0.1f,
                                 .filter = {.category = 0x0010, .mask = kGroundBits}});
  const double x = rng.Uniform(-kLanderInitialForce, kLanderInitialForce);
  const double y = rng.Uniform(-kLanderInitialForce, kLanderInitialForce);
  world_.ApplyForceToCenter(lander_, ToVec(x, y));
}

void LunarLander::MakeLeg(int side) {
  const physics2d::BodyId leg =
      world_.CreateBody({.type = BodyType::kDynamic,
                         .position = ToVec(kWidth / 2.0 - side * kLegAway / kScale, kHeight),
                         .angle = static_cast<float>(side * 0.05)});
  const Vec2 half = ToVec(kLanderLegWidth / kScale, kLanderLegHeight / kScale);
  world_.CreateFixture(leg, {.shape = Shape::Rectangle(half.x, half.y),
                             .density = 1.0f,
                             .filter = {.category = 0x0020, .mask = kGroundBits}});
  const double low = side < 0 ? 0.9 - 0.5 : -0.9;
  const double high = side < 0 ? 0.9 : -0.9 + 0.5;
  world_.CreateJoint({.body_a = lander_,
                      .body_b = leg,
                      .anchor_b = ToVec(side * kLegAway / kScale, kLanderLegDown / kScale),
                      .reference_angle = world_.body(leg).angle(),
                      .enable_limit = true,
                      .lower_angle = static_cast<float>(low),
                      .upper_angle = static_cast<float>(high),
                      .enable_motor = true,
                      .motor_speed = static_cast<float>(0.3 * side),
                      .max_motor_torque = static_cast<float>(kLegSpringTorque)});
  legs_[side < 0 ? 0 : 1] = leg;
}

LunarLander::Engines LunarLander::Choice(std::int64_t choice) {
  Engines engines;
  if (choice == 2) engines.main = 1.0;
  if (choice == 1 || choice == 3) {
    engines.side = 1.0;
    engines.direction = static_cast<double>(choice - 2);
  }
  return engines;
}

LunarLander::Engines LunarLander::Powers(double main, double lateral) {
  main = std::clamp(main, -1.0, 1.0);
  lateral = std::clamp(lateral, -1.0, 1.0);
  Engines engines;
  if (main > 0.0) engines.main = (main + 1.0) * 0.5;
  if (std::abs(lateral) > 0.5) {
    engines.side = std::abs(lateral);
    engines.direction = std::copysign(1.0, lateral);
  }
  return engines;
}

void LunarLander::ApplyWind() {
  const double wind = Gust(wind_index_++) * constants_->wind_power;
  world_.ApplyForceToCenter(lander_, ToVec(wind, 0.0));
  const double torque = Gust(torque_index_++) * constants_->turbulence_power;
  world_.ApplyTorque(lander_, static_cast<float>(torque));
}

// Applies the impulse of an engine at the point (x, y), in the direction opposite to the engine's
// offset (ox, oy) from the centre.
void LunarLander::Push(double ox, double oy, double x, double y, double power, double force,
                       float density) {
  const Vec2 where = ToVec(x, y);
  if (exhaust_) {
    exhaust_->Emit(where, ToVec(ox * force * power, oy * force * power), density, power);
  }
  world_.ApplyLinearImpulse(lander_, ToVec(-ox * force * power, -oy * force * power), where);
}

void LunarLander::Fire(const Engines& engines, Rng& rng) {
  const physics2d::Body& lander = world_.body(lander_);
  const double angle = lander.angle();
  const double tip_x = std::sin(angle);
  const double tip_y = std::cos(angle);
  const double side_x = -tip_y;
  const double side_y = tip_x;
  const double x = lander.position().x;
  const double y = lander.position().y;
  // The reference draws these numbers even if no engine runs.
  const double noise0 = rng.Uniform(-1.0, 1.0) / kScale;
  const double noise1 = rng.Uniform(-1.0, 1.0) / kScale;
  if (engines.main > 0.0) {
    const double down = kMainEngineY / kScale + 2.0 * noise0;
    const double ox = tip_x * down + side_x * noise1;
    const double oy = -tip_y * down - side_y * noise1;
    Push(ox, oy, x + ox, y + oy, engines.main, kMainEngineForce, 3.5f);
  }
  if (engines.side > 0.0) {
    const double away = 3.0 * noise1 + engines.direction * kSideEngineAway / kScale;
    const double ox = tip_x * noise0 + side_x * away;
    const double oy = -tip_y * noise0 - side_y * away;
    // The reference uses 17 here, so the point of the impulse depends on the lander's angle.
    Push(ox, oy, x + ox - tip_x * 17.0 / kScale, y + oy + tip_y * kSideEngineY / kScale,
         engines.side, kSideEngineForce, 0.7f);
  }
}

StepResult LunarLander::Move(const Engines& engines, Rng& rng) {
  physics2d::Island* island = BeginMove(engines, rng);
  while (island != nullptr) {
    island->SolveVelocities(kVelocityIterations, false);
    island = ContinueMove();
  }
  return EndMove(engines);
}

physics2d::Island* LunarLander::BeginMove(const Engines& engines, Rng& rng) {
  if (exhaust_) exhaust_->Age();
  // In the reference, a step fails if the wind is switched on before a reset has drawn its time.
  // Here the wind begins with that reset.
  if (constants_->enable_wind && has_wind_ && !on_ground_[0] && !on_ground_[1]) ApplyWind();
  Fire(engines, rng);
  ContactRecorder contacts(*this);
  return world_.BeginStep(kTimeStep, kVelocityIterations, kPositionIterations, &contacts);
}

physics2d::Island* LunarLander::ContinueMove() {
  ContactRecorder contacts(*this);
  return world_.ContinueStep(&contacts);
}

StepResult LunarLander::EndMove(const Engines& engines) {
  if (exhaust_) exhaust_->Step();

  const physics2d::Body& lander = world_.body(lander_);
  const double half_width = kWidth / 2.0;
  const double half_height = kHeight / 2.0;
  state_ = {(lander.position().x - half_width) / half_width,
            (lander.position().y - (kPadHeight + kLanderLegDown / kScale)) / half_height,
            lander.velocity.x * half_width / kFps,
            lander.velocity.y * half_height / kFps,
            lander.angle(),
            20.0 * lander.angular_velocity / kFps,
            on_ground_[0] ? 1.0 : 0.0,
            on_ground_[1] ? 1.0 : 0.0};
  const double shaping = -100.0 * std::sqrt(state_[0] * state_[0] + state_[1] * state_[1]) -
                         100.0 * std::sqrt(state_[2] * state_[2] + state_[3] * state_[3]) -
                         100.0 * std::abs(state_[4]) + 10.0 * state_[6] + 10.0 * state_[7];
  StepResult result;
  if (has_shaping_) result.reward = shaping - shaping_;
  shaping_ = shaping;
  has_shaping_ = true;
  result.reward -= engines.main * 0.30;
  result.reward -= engines.side * 0.03;
  if (lander_touched_ || std::abs(state_[0]) >= 1.0) {
    result.terminated = true;
    result.reward = -100.0;
  }
  if (!lander.awake) {
    result.terminated = true;
    result.reward = 100.0;
  }
  return result;
}

void LunarLander::Observe(ObsRow row) const {
  float* obs = row.Data<float>();
  for (std::size_t i = 0; i < state_.size(); ++i) obs[i] = static_cast<float>(state_[i]);
}

void LunarLander::Scene(std::span<double> scene) const {
  std::fill(scene.begin(), scene.end(), 0.0);
  double* out = std::copy(ground_.begin(), ground_.end(), scene.data());
  for (const physics2d::BodyId id : {lander_, legs_[0], legs_[1]}) {
    const physics2d::Body& body = world_.body(id);
    *out++ = body.position().x;
    *out++ = body.position().y;
    *out++ = body.angle();
  }
  if (exhaust_) exhaust_->Show(std::span(out, scene.data() + scene.size()));
}

void LunarLander::Save(StateWriter& state) const {
  world_.Save(state);
  for (const std::int32_t body : {moon_, lander_, legs_[0], legs_[1]}) state.Put(body);
  state.Put(on_ground_);
  state.Put(lander_touched_);
  state.Put(has_shaping_);
  state.Put(shaping_);
  state.Put(has_wind_);
  state.Put(wind_index_);
  state.Put(torque_index_);
  state.Put(ground_);
  state.Put(state_);
  state.Put(exhaust_ != nullptr);
  if (exhaust_) exhaust_->Save(state);
}

void LunarLander::Load(StateReader& state) {
  world_.Load(state);
  for (std::int32_t* body : {&moon_, &lander_, &legs_[0], &legs_[1]}) {
    state.Get(*body);
    ExpectState(world_.Has(*body), "a body of the lander");
  }
  for (bool& leg : on_ground_) state.Get(leg);
  state.Get(lander_touched_);
  state.Get(has_shaping_);
  state.Get(shaping_);
  state.Get(has_wind_);
  state.GetWithin("the time of the wind", wind_index_, -kMaxWindIndex, kMaxWindIndex);
  state.GetWithin("the time of the turbulence", torque_index_, -kMaxWindIndex, kMaxWindIndex);
  state.Get(ground_);
  state.Get(state_);
  LoadExhaust(state);
}

// The pool that saved the state and this pool may differ in whether they draw pictures.
void LunarLander::LoadExhaust(StateReader& state) {
  Exhaust loaded(constants_->gravity);
  if (state.Get<bool>()) {
    loaded.Load(state);
  } else {
    VisitGround([&](Vec2 from, Vec2 to, float friction) { loaded.AddGround(from, to, friction); });
  }
  if (exhaust_) *exhaust_ = std::move(loaded);
}

}  // namespace engine::box2d
