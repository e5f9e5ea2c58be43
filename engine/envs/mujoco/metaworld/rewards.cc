// See the header.
#include "engine/envs/mujoco/metaworld/rewards.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "engine/base/error.h"
#include "engine/base/numpy_arrays.h"
#include "engine/base/numpy_kernels.h"
#include "engine/base/numpy_math.h"
#include "engine/envs/mujoco/metaworld/scene.h"

namespace engine::mujoco::metaworld {
namespace {

// Where the object is between the pads, along y.
struct Pads {
  double to_left, to_right;          // m
  double left_margin, right_margin;  // m, in which the reward decreases
};

constexpr double kPadDistance = 0.05;  // m, of a pad from the object, at which it cages it

Pads PadsOf(const Scene& scene, Vector object) {
  const double left = scene.left_pad().y;
  const double right = scene.right_pad().y;
  return {.to_left = left - object.y,
          .to_right = object.y - right,
          .left_margin = std::abs(std::abs(object.y - left) - kPadDistance),
          .right_margin = std::abs(std::abs(object.y - right) - kPadDistance)};
}

Scalar BothPads(const Pads& pads, Bounds bounds) {
  return Product(Within(pads.to_right, bounds, pads.right_margin),
                 Within(pads.to_left, bounds, pads.left_margin));
}

double CagingOf(const Scene& scene, const Pads& pads, Vector object, double object_radius,
                double xz_distance) {
  const Episode& episode = scene.episode();
  const auto in_xz = [](Vector way) { return Vector{.x = way.x, .y = 0.0, .z = way.z}; };
  const double margin = Norm(in_xz(episode.object - episode.tcp)) - xz_distance;
  const double in_plane =
      Within(Norm(in_xz(scene.tcp() - object)), {.low = 0.0, .high = xz_distance}, margin);
  return Product(BothPads(pads, {.low = object_radius, .high = kPadDistance}), in_plane).value();
}

[[noreturn]] void ThrowAsReference(const std::string& what, double actual) {
  throw Error(ErrorKind::kInternal, "the reward: expected " + what + ", got " +
                                        std::to_string(actual) +
                                        "; the reference raises an exception, too");
}

}  // namespace

double Within(double x, Bounds bounds, double margin, Sigmoid sigmoid) {
  if (margin < 0.0) ThrowAsReference("a margin that is not negative", margin);
  return Tolerance(
      {.lower = bounds.low, .upper = bounds.high, .margin = margin, .sigmoid = sigmoid})(x);
}

Scalar Product(Scalar a, Scalar b) {
  for (const Scalar factor : {a, b}) {
    if (!(factor.value() >= 0.0 && factor.value() <= 1.0)) {
      ThrowAsReference("factors in [0, 1]", factor.value());
    }
  }
  const Scalar product = a * b;
  const Scalar sum = a + b - product;
  return sum.value() > 0.0 ? product / sum : Scalar(0.0);
}

Scalar Closing(Scalar grip, double effort) {
  return Least(grip > 0.0 ? grip : Scalar(0.0), effort) / effort;
}

double Effort(Scalar grip) {
  const Scalar clipped = grip < -1.0 ? grip.Like(-1.0) : grip > 1.0 ? grip.Like(1.0) : grip;
  return ((clipped + 1.0) / 2.0).value();
}

double Upright(const Seen& seen, const std::array<double, 4>& rotation, double farthest) {
  constexpr std::size_t kFirst = 7;  // of the rotation in the observation
  std::array<double, 4> error;
  for (std::size_t i = 0; i < error.size(); ++i) error[i] = seen.all[kFirst + i] - rotation[i];
  return std::max(1.0 - engine::Norm(error) / farthest, 0.0);
}

Scalar GripReward(const Scene& scene, Scalar grip, Vector object, Vector start,
                  const GripRule& rule) {
  constexpr double kCaged = 0.97;
  const auto of_pad = [&](Vector pad) {
    const double margin = std::abs(std::abs(pad.y - start.y) - rule.pad_distance);
    return Within(std::abs(pad.y - object.y),
                  {.low = rule.object_radius, .high = rule.pad_distance}, margin);
  };
  const Scalar in_y = Product(of_pad(scene.left_pad()), of_pad(scene.right_pad()));
  const Vector tcp = scene.tcp();
  const double xz_margin = NormXz(start - scene.episode().tcp) - rule.xz_distance;
  const double in_xz =
      Within(NormXz(tcp - object), {.low = 0.0, .high = rule.xz_distance}, xz_margin);
  const Scalar closed = Closing(grip, rule.effort);
  const Scalar caging = Product(in_y, in_xz);
  const Scalar gripping = caging > kCaged ? closed : Scalar(0.0);
  const Scalar both = Product(caging, gripping);
  switch (rule.density) {
    case Density::kLow:
      return both;
    case Density::kHigh:
      return (both + caging) / 2.0;
    case Density::kMedium:
      break;
  }
  const double margin = std::abs(Norm(start - scene.episode().tcp) - rule.reach_radius);
  const double reach = Within(Norm(object - tcp), {.low = 0.0, .high = rule.reach_radius}, margin);
  return (both + reach) / 2.0;
}

double PadReward(const Scene& scene, Vector object, const PadRule& rule) {
  constexpr double kCaged = 0.95;
  const Pads pads = PadsOf(scene, object);
  const double caging = CagingOf(scene, pads, object, rule.object_radius, rule.xz_distance);
  const double gripping =
      BothPads(pads, {.low = rule.object_radius, .high = rule.object_radius + rule.grip_margin})
          .value();
  return (caging + (caging > kCaged ? gripping : 0.0)) / 2.0;
}

double Caging(const Scene& scene, Vector object, double object_radius, double xz_distance) {
  return CagingOf(scene, PadsOf(scene, object), object, object_radius, xz_distance);
}

double Closeness(double farthest, double distance, Steepness steepness) {
  constexpr double kSlope = 1000.0;
  return kSlope * (farthest - distance) + SteepPart(distance, steepness);
}

double SteepPart(double distance, Steepness steepness) {
  const double square = -PowSquare(distance);
  return steepness.weight *
         (NumpyExp(square / steepness.wide) + NumpyExp(square / steepness.narrow));
}

double MoveReward(double reach, double farthest, double distance, Steepness steepness) {
  constexpr double kReached = 0.05;  // m
  const double move =
      reach < kReached ? AtLeastZero(Closeness(farthest, distance, steepness)).value() : 0.0;
  return -reach + move;
}

Lift LiftOf(const Scene& scene, Vector object, double distance) {
  const Vector fingers = scene.tcp();
  return {.reach = Norm(object - fingers),
          .reach_xy = NormXy(object - fingers),
          .raised = Norm(fingers.z - scene.episode().tcp.z),
          .z = object.z,
          .distance = distance};
}

bool IsPicked(const Episode& episode, const Lift& lift, const LiftRule& rule) {
  constexpr double kTolerance = 0.01;  // m
  return lift.z >= episode.height_target - kTolerance && lift.reach < rule.pick_near;
}

bool IsDropped(const Episode& episode, const Lift& lift) {
  return lift.z < episode.height + 0.005 && lift.distance > 0.02 && lift.reach > 0.02;
}

double AtObject(double reach, Scalar grip) {
  return (Scalar::Float64(-reach) + AtLeastZero(grip) / 50.0).value();
}

double ReachPart(const Lift& lift, Scalar grip, const LiftRule& rule) {
  if (lift.reach < rule.close) return AtObject(lift.reach, grip);
  return lift.reach_xy < rule.xy_near ? -lift.reach
                                      : -lift.reach_xy - rule.height_weight * lift.raised;
}

double PickPart(const Episode& episode, const Lift& lift, const LiftRule& rule, bool is_held) {
  constexpr double kWeight = 100.0;
  if (is_held) return kWeight * episode.height_target;
  if (lift.reach < rule.lift_near && lift.z > episode.height + 0.005) {
    return kWeight * std::min(episode.height_target, lift.z);
  }
  return 0.0;
}

double LiftReward(const Scene& scene, const Lift& lift, Scalar grip, const LiftRule& rule) {
  const Episode& episode = scene.episode();
  const bool is_held = IsPicked(episode, lift, rule) && !IsDropped(episode, lift);
  const double place = is_held && lift.reach < rule.place_near
                           ? AtLeastZero(Closeness(episode.farthest, lift.distance)).value()
                           : 0.0;
  return ReachPart(lift, grip, rule) + PickPart(episode, lift, rule, is_held) + place;
}

double FarthestLift(const Episode& episode, Vector object, Vector target) {
  const Vector lifted = {.x = object.x, .y = object.y, .z = episode.height_target};
  return Norm(lifted - target) + episode.height_target;
}

}  // namespace engine::mujoco::metaworld
