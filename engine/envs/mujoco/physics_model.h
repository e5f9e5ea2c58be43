// The model as the physics gets it: what mj_step does for it that cannot change a
// number is left out. Every state, force and contact comes out to the bit as with
// the model itself. Immutable; any thread.
//
// It is done by what the model says, since mj_step is one call:
//   islands   MuJoCo sorts constraints into groups that do not touch each other
//             and solves each by itself. Where all joints hang together there is
//             one group at most, and solving the whole is solving it.
//   contacts  Where no two geoms are of kinds that collide, none are looked for.
//   pairs     A body that can only meet fixed ground is put on the list of pairs
//             that are tried by themselves (the model's `pair`s), each as MuJoCo
//             would try it, in its order. So MuJoCo need not sort all bodies by
//             where they are for every step to find the same pairs.
//
// Two things differ. MuJoCo's memory for constraints (the model's `memory`), where it
// is too small for all of them, runs out at other steps. And a filter for contacts that
// the process has set (mjcb_contactfilter) is not asked about listed pairs.
//
// The rules are those of MuJoCo 3.17.0, as the library itself follows them (its public
// sources are not of that version), and only that version is treated so;
// tests/engine/envs/mujoco/physics_model_test.cc compares them with mj_step.
#ifndef ENGINE_ENVS_MUJOCO_PHYSICS_MODEL_H_
#define ENGINE_ENVS_MUJOCO_PHYSICS_MODEL_H_

#include <mujoco/mujoco.h>

#include <vector>

namespace engine::mujoco {

class PhysicsModel {
 public:
  // Shares the arrays of `model`, which outlives it and does not change.
  explicit PhysicsModel(const mjModel& model);
  PhysicsModel(const PhysicsModel&) = delete;
  PhysicsModel& operator=(const PhysicsModel&) = delete;

  // For mj_step, mj_forward and mj_rnePostConstraint, with an mjData of the model
  // itself. Names and what is drawn are to be asked of the model: its lists of names
  // know nothing of these pairs.
  const mjModel* get() const { return &model_; }

 private:
  // The arrays of the model's pairs.
  struct Pairs {
    std::vector<int> dim, geom1, geom2, signature;
    std::vector<mjtNum> solref, solreffriction, solimp, margin, gap, adhesion, friction;
  };

  void ListPairs(const mjModel& model);
  void Append(const mjModel& model, int body1, int body2);

  mjModel model_;
  Pairs pairs_;
  std::vector<int> body_contype_;
  std::vector<int> body_conaffinity_;
};

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_PHYSICS_MODEL_H_
