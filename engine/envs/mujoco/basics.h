// The common part of all tasks: a model, the duration of a step, and the parts of the spec that
// follow from these. Pure data and functions; any thread.
#ifndef ENGINE_ENVS_MUJOCO_BASICS_H_
#define ENGINE_ENVS_MUJOCO_BASICS_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/env/params.h"
#include "engine/env/rows.h"
#include "engine/env/spec.h"
#include "engine/env/state.h"
#include "engine/envs/mujoco/base_model.h"
#include "engine/envs/mujoco/layout.h"
#include "engine/envs/mujoco/model.h"
#include "engine/envs/mujoco/options.h"
#include "engine/envs/mujoco/renderer.h"

namespace engine::mujoco {

// The duration of a step. `frame_skip` is an attribute of every task.
struct Timing {
  int frame_skip;   // physics steps per step of the environment
  double timestep;  // s, of the model
  double dt;        // s, duration of a step of the environment

  void Update() { dt = timestep * frame_skip; }
};

// The values of the options of every task.
struct Basics {
  // With the model of the option `xml_file`.
  explicit Basics(const ParamValues& options);
  Basics(BaseModelPtr base, const ParamValues& options, std::span<const Offset> own = {});

  Model model;
  Timing timing;
  Renderer renderer;
};

// The reward of a step for being healthy. In v4, every step counts as healthy if unhealthy states
// end the episode. Constants has the members `healthy_reward` and `terminates`.
template <Version kVersion, class Constants>
double HealthyReward(bool healthy, const Constants& constants) {
  const bool counts = healthy || (kVersion == Version::kV4 && constants.terminates);
  return (counts ? 1.0 : 0.0) * constants.healthy_reward;
}

// The common part of every task's spec. Tasks add their infos to it.
EnvSpec SpecOf(const Basics& basics, std::int64_t observation_size);
InfoSpec Number(const char* name, DType dtype = DType::kFloat64);

// A part of the reward that depends only on the action. As in Gymnasium, it has the dtype of the
// action, float32 or float64.
class ActionTerm {
 public:
  ActionTerm() = default;
  explicit ActionTerm(float value) : value_(static_cast<double>(value)), is_float32_(true) {}
  explicit ActionTerm(double value) : value_(value), is_float32_(false) {}

  void Save(StateWriter& state) const {
    state.Put(value_);
    state.Put(is_float32_);
  }
  void Load(StateReader& state) {
    state.Get(value_);
    state.Get(is_float32_);
  }

  // Sets one of the two fields of AddActionTerm, depending on the dtype. `field` is the index of
  // the first one.
  void SetIn(InfoRow row, std::size_t field) const {
    if (is_float32_) {
      row.Set(field, static_cast<float>(value_));
    } else {
      row.Set(field + 1, value_);
    }
  }

 private:
  double value_ = 0.0;
  bool is_float32_ = true;
};

// Adds two infos with the same name: first float32, then float64.
void AddActionTerm(const char* name, EnvSpec& spec);

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_BASICS_H_
