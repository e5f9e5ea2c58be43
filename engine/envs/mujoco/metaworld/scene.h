// The physics of one environment of MetaWorld: its own model, because a reset moves bodies in it,
// the simulation, and what a reset has determined. One thread at a time.
#ifndef ENGINE_ENVS_MUJOCO_METAWORLD_SCENE_H_
#define ENGINE_ENVS_MUJOCO_METAWORLD_SCENE_H_

#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "engine/env/params.h"
#include "engine/envs/mujoco/arm_fields.h"
#include "engine/envs/mujoco/base_model.h"
#include "engine/envs/mujoco/metaworld/rules.h"
#include "engine/envs/mujoco/metaworld/vector.h"
#include "engine/envs/mujoco/model.h"
#include "engine/envs/mujoco/simulation.h"

namespace engine::mujoco::metaworld {

inline constexpr int kSubsteps = 5;  // physics steps per step

// What a reset determines and rewards read. Most tasks use some of it.
struct Episode {
  Vector object;  // start of the object
  Vector target;
  Vector tcp;                    // the point between the fingers after the reset of the hand
  Vector extra;                  // a position that the task defines
  double height = 0.0;           // of the object, m
  double height_target = 0.0;    // to which it is to be lifted, m
  double farthest = 0.0;         // m, the distance from which version 1 of the reward counts
  double span = 0.0;             // m, another distance that the task defines
  double first_distance = -1.0;  // m, of the first step of the episode; -1: no step yet
};

class Scene {
 public:
  // The arrays of the model that a scene writes into.
  static std::array<Offset, 3> OwnArrays();
  // Sets the welds between the hand and what moves it as the reference does.
  static void SetWelds(Model& model);

  // Throws Error{kOption} if the model lacks something that all tasks need.
  Scene(const BaseModelPtr& base, const ParamValues& options);

  Simulation& simulation() { return simulation_; }
  const Simulation& simulation() const { return simulation_; }
  const Model& model() const { return model_; }
  Episode& episode() { return episode_; }
  const Episode& episode() const { return episode_; }

  // The present positions and rotations. Throw Error{kOption} if there is no such object.
  Vector Body(const char* name) const;
  Vector Geom(const char* name) const;
  Vector Site(const char* name) const;
  std::span<const double, 4> BodyRotation(const char* name) const;
  // Rotations of matrices, in the order x, y, z, w.
  std::array<double, 4> RotationOfBody(const char* name) const;
  std::array<double, 4> RotationOfGeom(const char* name) const;
  std::array<double, 4> RotationOfSite(const char* name) const;
  // The position of a joint of one number (m or radians).
  double& Joint(const char* name);
  std::size_t JointPlace(const char* name) const;     // its place in qpos
  std::size_t JointVelocity(const char* name) const;  // its place in qvel

  Vector hand() const { return At(simulation_.data().xpos, hand_); }
  // The point between the fingers.
  Vector tcp() const { return (right_finger() + left_finger()) / 2.0; }
  Vector left_finger() const { return At(simulation_.data().site_xpos, left_finger_); }
  Vector right_finger() const { return At(simulation_.data().site_xpos, right_finger_); }
  Vector left_pad() const { return At(simulation_.data().xpos, left_pad_); }
  Vector right_pad() const { return At(simulation_.data().xpos, right_pad_); }
  // Of the gripper: 0 is closed, 1 is open.
  double Opening() const;
  // Whether both pads press a geom.
  bool Touches(const char* geom) const;

  // Where the model has bodies and sites, in the frame of their parents.
  Vector BodyPlace(const char* name) const;
  Vector SitePlace(const char* name) const;
  void MoveBody(const char* name, Vector to);
  void MoveSite(const char* name, Vector to);
  // Moves the mark of a site until the next step.
  void MoveMark(const char* name, Vector to);

  // Moves the hand to its start, in steps of physics.
  void ResetHand(Vector start);
  // Moves what moves the hand, within the space.
  void MoveHand(Vector by, const Space& space);
  // Makes the steps of physics of one step, and computes everything from the new state. `is_first`:
  // whether anything but MoveHand has changed the scene since the latest step.
  void Step(std::span<const double> controls, bool is_first);
  // Makes steps of physics with the present controls.
  void Advance(int steps);
  void Forward() { simulation_.EndReset(); }
  // Sets numbers of qpos from `place` on, sets `count` velocities from `velocity` on to 0, and
  // computes everything from the new state.
  void Set(std::size_t place, std::span<const double> values, std::size_t velocity,
           std::size_t count);
  // Sets a free object that is the first one after the joints of the arm.
  void SetObject(Vector position) {
    Set(kObjectPlace, std::array{position.x, position.y, position.z}, kObjectPlace, 6);
  }
  // The same of an object with one joint.
  void SetJoint(double position) { Set(kObjectPlace, std::array{position}, kObjectPlace, 1); }

  // Copy the numbers that a reset leaves behind: the state of the simulation, and the arrays of the
  // model. `state` has state_size() elements.
  std::size_t state_size() const;
  void GetState(std::span<double> state) const;
  void SetState(std::span<const double> state);

 private:
  static constexpr std::size_t kObjectPlace = 9;

  // Returns the id of an object. A name costs no memory here.
  int Id(int type, const char* name) const;

  static Vector At(const double* positions, int index) { return Vector::At(positions + 3 * index); }

  // Calls visit(array of numbers) for the arrays that a scene writes into.
  template <class Visit>
  void ForEachArray(const Visit& visit) const;

  Model model_;
  ArmModelFields numbers_;  // members of model_
  Simulation simulation_;
  ArmDataFields data_;        // members of simulation_'s mjData
  const bool mocap_touches_;  // whether what moves the hand collides with anything
  Episode episode_;
  int hand_, left_pad_, right_pad_, left_claw_, right_claw_;  // bodies
  int left_finger_, right_finger_;                            // sites
  int left_pad_geom_, right_pad_geom_;
};

}  // namespace engine::mujoco::metaworld

#endif  // ENGINE_ENVS_MUJOCO_METAWORLD_SCENE_H_
