#include "engine/envs/box2d/race_car.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "engine/envs/box2d/viewport.h"

namespace engine::box2d {
namespace {

using physics2d::BodyType;
using physics2d::Rotate;
using physics2d::Shape;
using physics2d::Vec2;

constexpr double kCarUnit = RaceCar::kSize;
constexpr double kEnginePower = 100000000.0 * kCarUnit * kCarUnit;       // W
constexpr double kWheelInertia = 4000.0 * kCarUnit * kCarUnit;           // kg m^2
constexpr double kFrictionLimit = 1000000.0 * kCarUnit * kCarUnit;       // N, on the road
constexpr double kStiffness = 205000.0 * kCarUnit * kCarUnit;            // N s / m
constexpr double kSteeringTorque = 180.0 * 900.0 * kCarUnit * kCarUnit;  // N m
constexpr double kGreatestSteering = 0.4;                                // rad
constexpr double kBrakeForce = 15.0;                                     // rad/s per step
constexpr double kGasChange = 0.1;  // largest increase per step
constexpr physics2d::Filter kWheelFilter{.category = 0x0020, .mask = 0x0001};

// A point in units of kCarUnit.
struct Offset {
  double x, y;
};
constexpr std::array<Offset, RaceCar::kWheels> kWheelAt{
    {{-55.0, 80.0}, {55.0, 80.0}, {-55.0, -82.0}, {55.0, -82.0}}};
constexpr std::array<Offset, 4> kBumper{
    {{-60.0, 130.0}, {60.0, 130.0}, {60.0, 110.0}, {-60.0, 110.0}}};
constexpr std::array<Offset, 4> kNose{{{-15.0, 120.0}, {15.0, 120.0}, {20.0, 20.0}, {-20.0, 20.0}}};
constexpr std::array<Offset, 8> kCockpit{{{25.0, 20.0},
                                          {50.0, -10.0},
                                          {50.0, -40.0},
                                          {20.0, -90.0},
                                          {-20.0, -90.0},
                                          {-50.0, -40.0},
                                          {-50.0, -10.0},
                                          {-25.0, 20.0}}};
constexpr std::array<Offset, 4> kTail{
    {{-50.0, -120.0}, {50.0, -120.0}, {50.0, -90.0}, {-50.0, -90.0}}};
constexpr std::array<Offset, 4> kWheelShape{{{-RaceCar::kWheelWidth, RaceCar::kWheelRadius},
                                             {RaceCar::kWheelWidth, RaceCar::kWheelRadius},
                                             {RaceCar::kWheelWidth, -RaceCar::kWheelRadius},
                                             {-RaceCar::kWheelWidth, -RaceCar::kWheelRadius}}};

Shape ShapeOf(std::span<const Offset> corners) {
  std::array<Vec2, 8> points;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    points[i] = ToVec(corners[i].x * kCarUnit, corners[i].y * kCarUnit);
  }
  return Shape::Polygon({points.data(), corners.size()});
}

double DotOf(Vec2 a, Vec2 b) {
  return static_cast<double>(a.x) * static_cast<double>(b.x) +
         static_cast<double>(a.y) * static_cast<double>(b.y);
}

// Changes the angular speed of a wheel by its gas and its brake.
void TurnWheel(RaceWheel& wheel, double dt) {
  wheel.omega += dt * kEnginePower * wheel.gas / kWheelInertia / (std::abs(wheel.omega) + 5.0);
  if (wheel.brake >= 0.9) {
    wheel.omega = 0.0;
  } else if (wheel.brake > 0.0) {
    const double slower = std::min(kBrakeForce * wheel.brake, std::abs(wheel.omega));
    wheel.omega += -SignOf(wheel.omega) * slower;
  }
  wheel.phase += wheel.omega * dt;
}

}  // namespace

void RaceCar::Create(const TrackNode& at, physics2d::World& world) {
  const auto angle = static_cast<float>(at.beta);
  hull_ = world.CreateBody(
      {.type = BodyType::kDynamic, .position = ToVec(at.x, at.y), .angle = angle, .user_data = -1});
  for (const std::span<const Offset> part :
       {std::span<const Offset>(kBumper), std::span<const Offset>(kNose),
        std::span<const Offset>(kCockpit), std::span<const Offset>(kTail)}) {
    world.CreateFixture(hull_, {.shape = ShapeOf(part), .density = 1.0f});
  }
  for (std::size_t i = 0; i < kWheels; ++i) {
    RaceWheel& wheel = wheels_[i] = {};
    const double x = kWheelAt[i].x * kCarUnit;
    const double y = kWheelAt[i].y * kCarUnit;
    wheel.body = world.CreateBody({.type = BodyType::kDynamic,
                                   .position = ToVec(at.x + x, at.y + y),
                                   .angle = angle,
                                   .user_data = -2 - static_cast<std::int64_t>(i)});
    world.CreateFixture(wheel.body,
                        {.shape = ShapeOf(kWheelShape), .density = 0.1f, .filter = kWheelFilter});
    wheel.joint = world.CreateJoint({.body_a = hull_,
                                     .body_b = wheel.body,
                                     .anchor_a = ToVec(x, y),
                                     .enable_limit = true,
                                     .lower_angle = static_cast<float>(-kGreatestSteering),
                                     .upper_angle = static_cast<float>(kGreatestSteering),
                                     .enable_motor = true,
                                     .max_motor_torque = static_cast<float>(kSteeringTorque)});
  }
}

void RaceCar::Destroy(physics2d::World& world, physics2d::ContactListener* listener) {
  world.DestroyBody(hull_, listener);
  for (const RaceWheel& wheel : wheels_) world.DestroyBody(wheel.body, listener);
}

void RaceCar::SetSteering(double angle) { wheels_[0].steer = wheels_[1].steer = angle; }

void RaceCar::SetGas(double gas) {
  gas = std::clamp(gas, 0.0, 1.0);
  for (const std::size_t i : {2U, 3U}) wheels_[i].gas += std::min(gas - wheels_[i].gas, kGasChange);
}

void RaceCar::SetBrake(double brake) {
  for (RaceWheel& wheel : wheels_) wheel.brake = brake;
}

std::array<RaceSlip, RaceCar::kWheels> RaceCar::Drive(double dt, physics2d::World& world) {
  std::array<RaceSlip, kWheels> slips;
  for (std::size_t i = 0; i < kWheels; ++i) slips[i] = DriveWheel(wheels_[i], dt, world);
  return slips;
}

RaceSlip RaceCar::DriveWheel(RaceWheel& wheel, double dt, physics2d::World& world) {
  const double angle = static_cast<double>(world.JointAngle(wheel.joint));
  const double off = wheel.steer - angle;
  const double speed = SignOf(off) * std::min(50.0 * std::abs(off), 3.0);
  world.SetMotorSpeed(wheel.joint, static_cast<float>(speed));

  const bool on_grass = wheel.tiles == 0;
  const double limit = on_grass ? kFrictionLimit * 0.6 : kFrictionLimit;
  const physics2d::Body& body = world.body(wheel.body);
  const Vec2 forward = Rotate(body.transform.q, {0.0f, 1.0f});
  const Vec2 side = Rotate(body.transform.q, {1.0f, 0.0f});
  const double forward_speed = DotOf(forward, body.velocity);
  const double side_speed = DotOf(side, body.velocity);

  TurnWheel(wheel, dt);
  constexpr double kRadius = 1.0 * kWheelRadius * kCarUnit;
  // The forces are proportional to the difference of the speeds of the wheel and the ground.
  double along = -forward_speed + wheel.omega * kRadius;
  double across = -side_speed;
  along *= kStiffness;
  across *= kStiffness;
  const double force = std::sqrt(along * along + across * across);
  if (force > limit) {
    along /= force;
    across /= force;
    along *= limit;
    across *= limit;
  }
  wheel.omega -= dt * along * kRadius / kWheelInertia;
  const auto push = [&](float across_axis, float along_axis) {
    return across * static_cast<double>(across_axis) + along * static_cast<double>(along_axis);
  };
  world.ApplyForceToCenter(wheel.body, ToVec(push(side.x, forward.x), push(side.y, forward.y)));
  return {.slips = force > 2.0 * limit, .on_grass = on_grass};
}

}  // namespace engine::box2d
