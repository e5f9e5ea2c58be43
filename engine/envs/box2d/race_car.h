// The car of CarRacing: a hull and four wheels at revolute joints. The rear wheels drive the car.
// The dynamics are those of Gymnasium 1.4.0's car_dynamics.Car, in the same order of float64
// operations, on physics2d.
#ifndef ENGINE_ENVS_BOX2D_RACE_CAR_H_
#define ENGINE_ENVS_BOX2D_RACE_CAR_H_

#include <array>
#include <cstdint>

#include "engine/envs/box2d/race_track.h"
#include "engine/physics2d/world.h"

namespace engine::box2d {

struct RaceWheel {
  physics2d::BodyId body = physics2d::kNone;
  physics2d::JointId joint = physics2d::kNone;
  std::int32_t tiles = 0;  // number of road tiles that the wheel touches
  double gas = 0.0;        // in [0, 1]
  double brake = 0.0;      // the wheel is blocked from 0.9
  double steer = 0.0;      // target angle of the joint, rad
  double phase = 0.0;      // angle about the axle, rad
  double omega = 0.0;      // angular speed about the axle, rad/s
};

// The slip of a wheel in a step, for its skid mark.
struct RaceSlip {
  bool slips = false;
  bool on_grass = false;
};

class RaceCar {
 public:
  static constexpr std::size_t kWheels = 4;     // front left, front right, rear left, rear right
  static constexpr double kWheelRadius = 27.0;  // in units of kSize
  static constexpr double kWheelWidth = 14.0;   // half the width, in units of kSize
  static constexpr double kSize = 0.02;         // m

  // Puts a car at a node of the road. The user data of its bodies are negative: -1 for the hull,
  // and -2 - i for wheel i.
  void Create(const TrackNode& at, physics2d::World& world);
  void Destroy(physics2d::World& world, physics2d::ContactListener* listener);

  void SetSteering(double angle);
  void SetGas(double gas);
  void SetBrake(double brake);
  // Applies the forces of one step of `dt` seconds. Returns the slip of each wheel.
  std::array<RaceSlip, kWheels> Drive(double dt, physics2d::World& world);

  physics2d::BodyId hull() const { return hull_; }
  const std::array<RaceWheel, kWheels>& wheels() const { return wheels_; }
  RaceWheel& wheel(std::size_t i) { return wheels_[i]; }

 private:
  RaceSlip DriveWheel(RaceWheel& wheel, double dt, physics2d::World& world);

  physics2d::BodyId hull_ = physics2d::kNone;
  std::array<RaceWheel, kWheels> wheels_;
};

}  // namespace engine::box2d

#endif  // ENGINE_ENVS_BOX2D_RACE_CAR_H_
