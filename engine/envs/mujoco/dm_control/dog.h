// Dog: stand, move or fetch a ball with a body that has 38 actuators. MuJoCo computes the dynamics
// of dm_control's dog.xml. Rewards and resets are those of dm_control's suite.dog.
#ifndef ENGINE_ENVS_MUJOCO_DM_CONTROL_DOG_H_
#define ENGINE_ENVS_MUJOCO_DM_CONTROL_DOG_H_

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "engine/envs/mujoco/dm_control/options.h"
#include "engine/envs/mujoco/dm_control/rewards.h"
#include "engine/envs/mujoco/dm_control/task.h"

namespace engine::mujoco::suite {

class Dog final : public SuiteTask {
 public:
  static ParamSchema Options();
  static Description Describe(const ParamValues& options);

  // The parts of the fetch task.
  struct Ball {
    Ball(const SuiteModel& model);

    int geom, target, head, upper_bite, lower_bite;
    std::size_t qpos, dof;
    double start_distance;  // m, from the centre of the floor
    double target_radius;   // m
    Tolerance reaches, is_near_target;
  };

  struct Config {
    Config(SuiteModel& model, const ParamValues& options);

    int torso, pelvis, skull;  // bodies
    std::size_t root;
    std::vector<std::size_t> hinge_qpos, hinge_dof;
    // Addresses of sensors.
    int velocity;
    std::array<int, 3> inertial;
    std::array<int, 4> feet, touch;
    std::vector<Range> activations;
    double body_weight;  // N
    double speed;        // m/s, the reward for moving is 1 from this speed; 0: no such reward
    bool observes_factors;
    std::vector<Ball> ball;  // one element in the fetch task, otherwise empty
    Tolerance is_upright, touches, moves;
  };
  explicit Dog(const Config& config) : config_(config) {}

  void InitializeEpisode(Physics& physics, RandomState& random) override;
  double Reward(const Physics& physics) const override;
  void Observe(const Physics& physics, ObservationWriter& writer) const override;
  void Save(StateWriter& state) const override {
    state.Put(torso_stands_);
    state.Put(pelvis_stands_);
  }
  void Load(StateReader& state) override {
    state.Get(torso_stands_);
    state.Get(pelvis_stands_);
  }

 private:
  static constexpr std::size_t kMaxFactors = 8;

  // The factors of the reward, in the order of the reference.
  struct Factors {
    std::array<double, kMaxFactors> values;
    std::size_t count = 0;

    void Add(double value) { values[count++] = value; }
    std::span<const double> all() const { return {values.data(), count}; }
  };

  void ThrowBall(const Ball& ball, Physics& physics, RandomState& random) const;
  Factors FactorsOf(const Physics& physics) const;
  Vector VelocityInTorso(const Physics& physics) const;
  void AddFetching(const Ball& ball, const Physics& physics, Factors& factors) const;
  void ObserveBall(const Ball& ball, const Physics& physics, ObservationWriter& writer) const;

  const Config& config_;
  // Set at the start of an episode, and saved.
  Tolerance torso_stands_, pelvis_stands_;
};

}  // namespace engine::mujoco::suite

#endif  // ENGINE_ENVS_MUJOCO_DM_CONTROL_DOG_H_
