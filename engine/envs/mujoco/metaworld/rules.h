// A task of MetaWorld: what its scene is, where a goal vector puts things, and how a state is
// rewarded. Rules have no state: that of an environment is in its Scene. Each task is a class in
// tasks/. Immutable; any thread.
#ifndef ENGINE_ENVS_MUJOCO_METAWORLD_RULES_H_
#define ENGINE_ENVS_MUJOCO_METAWORLD_RULES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "engine/envs/mujoco/metaworld/scalar.h"
#include "engine/envs/mujoco/metaworld/vector.h"

namespace engine::mujoco::metaworld {

class Scene;
struct Episode;

// When the info `grasp_success` is 1. "Open" means that the gripper is not closed entirely.
enum class Grasp : std::uint8_t {
  kAlways,
  kNever,
  kOpen,
  kRaised,    // open, and the object is 3 cm above its start
  kTouching,  // open, and both pads press the object
  kLifted,    // the same, and the object is 2 cm above its start
};

struct Space {
  Vector low, high;
};

// The numbers from which a goal vector is drawn: of one position, or of two.
struct GoalSpace {
  Space first;
  Space second{};
  bool has_two = false;
  // Vectors whose positions are closer than this in x and y are drawn again (m); 0: none.
  double least_distance = 0.0;
  // What the first position is compared with, if it is not the second one.
  const Vector* fixed = nullptr;

  std::size_t size() const { return has_two ? 6 : 3; }
};

struct Description {
  const char* name;   // in ids
  const char* model;  // the file, without its directory and ".xml"
  Vector hand;        // start of the hand
  Space reach;        // positions to which actions move the hand
  GoalSpace goals;
  Space seen_goals;  // to which the goal in an observation is clipped
  // The rule of Rules::Report.
  double success = 0.0;  // m, distance of the object from its target that is a success
  double near = 0.0;     // m, distance of the gripper from the object that counts as near
  Grasp grasp = Grasp::kAlways;
  const char* touched = "objGeom";  // the geom that kTouching and kLifted mean
};

// A goal vector: one position, or two of them.
struct GoalVector {
  Vector first, second;

  bool operator==(const GoalVector& other) const {
    return std::array{first.x, first.y, first.z, second.x, second.y, second.z} ==
           std::array{other.first.x,  other.first.y,  other.first.z,
                      other.second.x, other.second.y, other.second.z};
  }
};

// The space in which most tasks move the hand.
inline constexpr Space kReach = {.low = {-0.5, 0.4, 0.05}, .high = {0.5, 1.0, 0.5}};
// That of tasks with holes or low handles.
inline constexpr Space kLowReach = {.low = {-0.5, 0.4, -0.15}, .high = {0.5, 1.0, 0.5}};

// Numbers that the reference has as float32.
constexpr Vector Float32(double x, double y, double z) {
  const auto rounded = [](double value) { return static_cast<double>(static_cast<float>(value)); };
  return {rounded(x), rounded(y), rounded(z)};
}

// Writes the positions and rotations of the objects into an observation.
class ObjectWriter {
 public:
  explicit ObjectWriter(std::span<double, 14> to) : to_(to) {}

  void Put(Vector position, std::span<const double, 4> rotation) {
    double* const to = to_.data() + used_;
    position.CopyTo(to);
    for (std::size_t i = 0; i < rotation.size(); ++i) to[3 + i] = rotation[i];
    used_ += 7;
  }

 private:
  std::span<double, 14> to_;
  std::size_t used_ = 0;
};
inline constexpr std::array<double, 4> kNoRotation = {0.0, 0.0, 0.0, 0.0};

// What rewards read: the observation after a step, and the action.
struct Seen {
  Seen(std::span<const double, 39> observation, Scalar last)
      : all(observation),
        hand(Vector::At(&observation[0])),
        opening(observation[3]),
        object(Vector::At(&observation[4])),
        grip(last) {}

  std::span<const double, 39> all;
  Vector hand;
  double opening;  // of the gripper, 0 to 1
  Vector object;
  Scalar grip;  // the last number of the action, which closes the gripper
};

// What a reward measures.
struct Measures {
  Scalar reward{};
  double to_object = 0.0;  // m, from the gripper
  double opening = 0.0;    // of the gripper
  double to_target = 0.0;  // m, from the object
  Scalar grasp{};
  Scalar in_place{};
  // Of tasks with a Report of their own.
  bool is_success = false;
  double ready = 0.0;
};

struct Infos {
  double success, near_object, grasp_success, grasp_reward, in_place_reward, obj_to_target;
};

class Rules {
 public:
  explicit Rules(Description description) : description_(std::move(description)) {}
  virtual ~Rules() = default;
  Rules(const Rules&) = delete;
  Rules& operator=(const Rules&) = delete;

  const Description& description() const { return description_; }

  // Puts things where the goal vector says, after the hand has been reset, and sets the scene's
  // episode.
  virtual void Place(Scene& scene, const GoalVector& goal) const = 0;
  virtual void Objects(const Scene& scene, ObjectWriter& to) const = 0;
  // The goal that observations have.
  virtual Vector Target(const Scene& scene) const;
  // The reward of version 2 and of version 1.
  virtual Measures Reward(Scene& scene, const Seen& seen) const = 0;
  virtual Measures EarlierReward(Scene& scene, const Seen& seen) const = 0;
  // The infos that follow from the measures.
  virtual Infos Report(const Scene& scene, const Seen& seen, const Measures& measures) const;

 private:
  const Description description_;
};

// Tasks that grade the grip and the rotation of a tool: their measures are not distances.
class GradedRules : public Rules {
 public:
  using Rules::Rules;
  Infos Report(const Scene& scene, const Seen& seen, const Measures& measures) const override;
};

// Returns the rules of all tasks in the reference's order.
std::vector<std::unique_ptr<const Rules>> AllRules();

}  // namespace engine::mujoco::metaworld

#endif  // ENGINE_ENVS_MUJOCO_METAWORLD_RULES_H_
