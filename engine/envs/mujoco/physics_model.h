// A model with which mj_step skips stages that are proven redundant. Every state, force and contact
// is bit-equal to that of the original model. Immutable; any thread.
//
// mj_step is a single call, so this class changes the model to skip stages:
//   islands   MuJoCo sorts constraints into groups that do not affect each other, and solves each
//             group separately. If all joints are connected, there is at most one group, and
//             solving all constraints together gives the same result.
//   contacts  If no two geoms are of kinds that collide, collision detection is off.
//   pairs     If a body can collide only with fixed ground, its pairs are added to the list of
//             explicit pairs (the model's `pair`s). Listed pairs are tested as MuJoCo would test
//             them, in MuJoCo's order, so MuJoCo does not have to sort all bodies by position at
//             every step to find the same pairs.
//
// Two things differ. If the memory for constraints that the model reserves (`memory`) is too small,
// it runs out at a different step. A contact filter that the process has set (mjcb_contactfilter)
// is not called for listed pairs.
//
// The rules are used only with versions of MuJoCo for which Layout::physics_is_known is true, which
// are the versions that pass all tests in tests/engine/envs/mujoco. Of these tests,
// physics_model_test.cc and random_models_test.cc compare the results with mj_step. They fail with
// 3.13 to 3.16, for example. With other versions, the original model is used.
#ifndef ENGINE_ENVS_MUJOCO_PHYSICS_MODEL_H_
#define ENGINE_ENVS_MUJOCO_PHYSICS_MODEL_H_

#include <optional>
#include <vector>

#include "engine/envs/mujoco/model_copy.h"
#include "engine/envs/mujoco/mujoco_types.h"

namespace engine::mujoco {

class PhysicsModel {
 public:
  struct Fields;  // the members of mjModel that the rules read

  // Shares the arrays of `model`, which must outlive this object and must not change.
  explicit PhysicsModel(const mjModel& model);
  PhysicsModel(const PhysicsModel&) = delete;
  PhysicsModel& operator=(const PhysicsModel&) = delete;

  // Returns the model for mj_step, mj_forward and mj_rnePostConstraint, with an mjData of the
  // original model. Use the original model for names and for drawing, because the lists of names do
  // not have the listed pairs.
  const mjModel* get() const { return model_; }

 private:
  // The arrays of the model's pairs.
  struct Pairs {
    std::vector<int> dim, geom1, geom2, signature;
    std::vector<double> solref, solreffriction, solimp, margin, gap, adhesion, friction;
  };

  static Fields Read(const mjModel& model);
  void Change(const mjModel& model, const Fields& fields);
  void ListPairs(const Fields& fields);
  void Append(const Fields& fields, int body1, int body2);

  std::optional<ModelCopy> copy_;  // empty if the model is not changed
  const mjModel* model_;
  Pairs pairs_;
  std::vector<int> body_contype_;
  std::vector<int> body_conaffinity_;
};

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_PHYSICS_MODEL_H_
