// The parts of rewards that several tasks share, with the reference's rounding errors. Pure
// functions; any thread.
#ifndef ENGINE_ENVS_MUJOCO_METAWORLD_REWARDS_H_
#define ENGINE_ENVS_MUJOCO_METAWORLD_REWARDS_H_

#include <array>
#include <cstdint>

#include "engine/envs/mujoco/metaworld/rules.h"
#include "engine/envs/mujoco/metaworld/scalar.h"
#include "engine/envs/mujoco/metaworld/vector.h"
#include "engine/envs/mujoco/tolerance.h"

namespace engine::mujoco::metaworld {

struct Bounds {
  double low, high;
};
// Returns tolerance(x, bounds, margin, sigmoid). Throws Error{kInternal} where the reference raises
// an exception: if the margin is negative.
double Within(double x, Bounds bounds, double margin, Sigmoid sigmoid = Sigmoid::kLongTail);

// Returns hamacher_product(a, b). Throws Error{kInternal} where the reference raises an exception:
// unless both numbers are in [0, 1].
Scalar Product(Scalar a, Scalar b);

// Returns how far an action closes the gripper: 0 to 1, which is reached at `effort`.
Scalar Closing(Scalar grip, double effort = 1.0);

// Returns how far an action closes the gripper: 0 if it opens it as far as possible, up to 1.
double Effort(Scalar grip);

// Returns how upright the first object is: 1 for a rotation, and 0 at a distance from it.
double Upright(const Seen& seen, const std::array<double, 4>& rotation, double farthest);

// How the reward for a grip depends on more than the pads.
enum class Density : std::uint8_t { kLow, kMedium, kHigh };

struct GripRule {
  double object_radius;  // m
  double pad_distance;   // m, of the pads from the object that counts as closed
  double reach_radius;   // m, of the gripper from the object that counts as reached
  double xz_distance;    // m, the same in the plane of x and z
  double effort = 1.0;
  Density density = Density::kLow;
};
// Returns the reward for caging and gripping an object that started at `start`.
Scalar GripReward(const Scene& scene, Scalar grip, Vector object, Vector start,
                  const GripRule& rule);

struct PadRule {
  double object_radius;  // m
  double grip_margin;    // m, beyond the radius, in which the pads grip
  double xz_distance;    // m
};
// Returns the reward of tasks in which only the places of the pads count.
double PadReward(const Scene& scene, Vector object, const PadRule& rule);

// Returns the part of the rewards above that caging has, in the form of two tasks: each pad is
// compared with its present place.
double Caging(const Scene& scene, Vector object, double object_radius, double xz_distance);

// Version 1: the reward for a distance, which grows steeply near 0.
struct Steepness {
  double wide = 0.01;
  double narrow = 0.001;
  double weight = 1000.0;
};
double Closeness(double farthest, double distance, Steepness steepness = {});
// The part that grows steeply.
double SteepPart(double distance, Steepness steepness = {});

// Version 1 of the tasks that move something once the fingers have reached it.
double MoveReward(double reach, double farthest, double distance, Steepness steepness = {});

// Version 1 of the tasks that lift something and bring it to a place.
struct LiftRule {
  double xy_near = 0.05;  // m, from the object in x and y, from which the height counts
  double height_weight = 2.0;
  double close = 0.05;      // m, from the object, from which closing counts
  double lift_near = 0.1;   // m, from the object, from which lifting counts
  double place_near = 0.1;  // m, the same for placing
  double pick_near = 1e9;   // m, the same for having picked it up
};
struct Lift {
  double reach = 0.0;     // m, from the fingers to the object
  double reach_xy = 0.0;  // m, the same in x and y
  double raised = 0.0;    // m, of the fingers from their start
  double z = 0.0;         // of the object
  double distance = 0.0;  // m, of the object from its target
};
// Measures the lift of an object.
Lift LiftOf(const Scene& scene, Vector object, double distance);
// Whether the object has been lifted, or dropped.
bool IsPicked(const Episode& episode, const Lift& lift, const LiftRule& rule);
bool IsDropped(const Episode& episode, const Lift& lift);
// The part of the fingers' distance, when they are near the object and closing counts.
double AtObject(double reach, Scalar grip);
double ReachPart(const Lift& lift, Scalar grip, const LiftRule& rule);
double PickPart(const Episode& episode, const Lift& lift, const LiftRule& rule, bool is_held);
double LiftReward(const Scene& scene, const Lift& lift, Scalar grip, const LiftRule& rule = {});

// Returns the distance of an object from a target after a lift, the most that version 1 counts.
double FarthestLift(const Episode& episode, Vector object, Vector target);

}  // namespace engine::mujoco::metaworld

#endif  // ENGINE_ENVS_MUJOCO_METAWORLD_REWARDS_H_
