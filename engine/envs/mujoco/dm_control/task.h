// A task of the suite consists of a description as data, a configuration that the environments of a
// pool share, and a class that starts episodes and computes rewards and observations. The order of
// calls in steps and resets is the same for all tasks and is in environment.h.
//
//   class Cheetah final : public SuiteTask {
//    public:
//     // Options of this task; `task` names the task of the domain and is fixed by the id.
//     static ParamSchema Options();
//     static Description Describe(const ParamValues& options);
//     // Looks up ids, once for a pool. May change numbers of the model.
//     struct Config { Config(SuiteModel& model, const ParamValues& options); ... };
//     explicit Cheetah(const Config& config);
//   };
#ifndef ENGINE_ENVS_MUJOCO_DM_CONTROL_TASK_H_
#define ENGINE_ENVS_MUJOCO_DM_CONTROL_TASK_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "engine/base/random_state.h"
#include "engine/env/params.h"
#include "engine/env/rows.h"
#include "engine/env/spec.h"
#include "engine/env/state.h"
#include "engine/envs/mujoco/dm_control/physics.h"
#include "engine/envs/mujoco/dm_control/suite_model.h"

namespace engine::mujoco::suite {

// An array of the observation.
struct Leaf {
  std::string name;
  Shape shape;
};

struct Range {
  double low;
  double high;
};

// The data of a task that do not need its model.
struct Description {
  std::string model;   // the key of SetModelSource
  double timestep;     // s, of a physics step
  std::int64_t steps;  // physics steps per step of the environment
  std::vector<Leaf> leaves;
  std::vector<Range> controls;
  std::vector<OwnArray> own_arrays = {};
};

// Returns `count` controls with the range [-1, 1].
inline std::vector<Range> UnitControls(std::size_t count) {
  return std::vector<Range>(count, Range{.low = -1.0, .high = 1.0});
}

// Writes the arrays of an observation in the order of the description: each array into its leaf, or
// all arrays one after another into one vector.
class ObservationWriter {
 public:
  ObservationWriter(ObsRow row, bool is_flat)
      : row_(row), is_flat_(is_flat), next_(is_flat ? row.Data<double>() : nullptr) {}

  // Begins the next array.
  ObservationWriter& Leaf() {
    if (!is_flat_) next_ = row_.Data<double>(leaf_++);
    return *this;
  }
  // Appends to the current array.
  ObservationWriter& Put(double value) {
    *next_++ = value;
    return *this;
  }
  ObservationWriter& Put(std::span<const double> values) {
    next_ = std::ranges::copy(values, next_).out;
    return *this;
  }
  ObservationWriter& Put(const double* values, std::size_t count) { return Put({values, count}); }
  // Appends the elements of `values` with these indices.
  ObservationWriter& Pick(const double* values, std::initializer_list<int> indices) {
    for (const int index : indices) Put(values[index]);
    return *this;
  }

 private:
  ObsRow row_;
  bool is_flat_;
  double* next_;
  std::size_t leaf_ = 0;
};

// The task of one environment. Each instance runs on one thread at a time.
class SuiteTask {
 public:
  SuiteTask() = default;
  SuiteTask(const SuiteTask&) = delete;
  SuiteTask& operator=(const SuiteTask&) = delete;
  virtual ~SuiteTask() = default;

  // Draws random numbers of the model. Called after a seed.
  virtual void Seeded(Physics& /*physics*/, RandomState& /*random*/) {}
  // Sets up an episode. The caller has just reset the physics, and computes it forward afterwards.
  virtual void InitializeEpisode(Physics& physics, RandomState& random) = 0;
  virtual double Reward(const Physics& physics) const = 0;
  virtual void Observe(const Physics& physics, ObservationWriter& writer) const = 0;
  // Save and load the state of an episode that the task keeps; see engine/env/state.h.
  virtual void Save(StateWriter& /*state*/) const {}
  virtual void Load(StateReader& /*state*/) {}
  // Returns whether the state ends the episode with discount 0.
  virtual bool Terminates(const Physics& /*physics*/) const { return false; }
};

}  // namespace engine::mujoco::suite

#endif  // ENGINE_ENVS_MUJOCO_DM_CONTROL_TASK_H_
