// The two ways to replay a tape (mujoco_tape.h): a plain loop over mj_step, and
// MuJoCo's own mjb_step. Each instance belongs to one thread.
#ifndef ENGINE_BENCHMARKS_LIMITS_MUJOCO_REPLAY_H_
#define ENGINE_BENCHMARKS_LIMITS_MUJOCO_REPLAY_H_

#include <mujoco/mjbatch.h>
#include <mujoco/mujoco.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <vector>

#include "mujoco_tape.h"

namespace limits {

struct Deleter {
  void operator()(mjModel* model) const { mj_deleteModel(model); }
  void operator()(mjData* data) const { mj_deleteData(data); }
  void operator()(mjBatch* batch) const { mjb_deleteBatch(batch); }
};
template <class T>
using Owned = std::unique_ptr<T, Deleter>;

// A loop over the environments [first, first + count), which are one thread's.
class PlainLoop {
 public:
  PlainLoop(const mjModel& model, const MujocoTape& tape, std::size_t first, std::size_t count)
      : model_(model), tape_(tape), first_(first) {
    for (std::size_t i = 0; i < count; ++i) data_.emplace_back(mj_makeData(&model));
  }

  void Step(std::size_t step) {
    for (std::size_t i = 0; i < data_.size(); ++i) StepOne(step, first_ + i, *data_[i]);
  }

  // Whether the last step of the tape has ended where the pool did.
  bool IsAtTheEnd() const {
    for (std::size_t i = 0; i < data_.size(); ++i) {
      if (!tape_.EndsAt(first_ + i, data_[i]->qpos)) return false;
    }
    return true;
  }

 private:
  void StepOne(std::size_t step, std::size_t env, mjData& data) const {
    if (tape_.Begins(step, env)) {
      mj_resetData(&model_, &data);
      std::ranges::copy(tape_.StartQpos(step, env), data.qpos);
      std::ranges::copy(tape_.StartQvel(step, env), data.qvel);
      mj_forward(&model_, &data);
      return;
    }
    std::ranges::copy(tape_.Controls(step, env), data.ctrl);
    for (int frame = 0; frame < tape_.frame_skip(); ++frame) mj_step(&model_, &data);
  }

  const mjModel& model_;
  const MujocoTape& tape_;
  std::size_t first_;
  std::vector<Owned<mjData>> data_;
};

// MuJoCo's own batch of all environments, with threads of its own.
class Batch {
 public:
  Batch(const mjModel& model, const MujocoTape& tape, std::size_t num_threads) : tape_(tape) {
    mjBatchConfig config;
    mjb_defaultConfig(&config);
    config.nthread = static_cast<int>(num_threads);
    char error[1024] = "";
    batch_.reset(mjb_makeBatch(&model, static_cast<int>(tape.num_envs()), &config, error,
                               static_cast<int>(sizeof error)));
    if (batch_ == nullptr) throw std::runtime_error(error);
    row_size_ = static_cast<std::size_t>(mjb_nstate(batch_.get()));
    qpos_ = mjb_stateComponent(batch_.get(), mjSTATE_QPOS, nullptr);
    qvel_ = mjb_stateComponent(batch_.get(), mjSTATE_QVEL, nullptr);
    ctrl_ = mjb_stateComponent(batch_.get(), mjSTATE_CTRL, nullptr);
    beginning_.reserve(tape.num_envs());
    stepping_.reserve(tape.num_envs());
  }

  void Step(std::size_t step) {
    beginning_.clear();
    stepping_.clear();
    for (std::size_t env = 0; env < tape_.num_envs(); ++env) {
      (tape_.Begins(step, env) ? beginning_ : stepping_).push_back(static_cast<int>(env));
    }
    if (!beginning_.empty()) Begin(step);
    if (stepping_.empty()) return;
    for (const int env : stepping_) {
      const auto index = static_cast<std::size_t>(env);
      std::ranges::copy(tape_.Controls(step, index), ctrl_ + index * row_size_);
    }
    Require(mjb_step(batch_.get(), stepping_.data(), static_cast<int>(stepping_.size()),
                     tape_.frame_skip(), mjSTAGE_NONE));
  }

  bool IsAtTheEnd() const {
    for (std::size_t env = 0; env < tape_.num_envs(); ++env) {
      if (!tape_.EndsAt(env, qpos_ + env * row_size_)) return false;
    }
    return true;
  }

 private:
  void Begin(std::size_t step) {
    const int count = static_cast<int>(beginning_.size());
    Require(mjb_reset(batch_.get(), beginning_.data(), count, nullptr, mjSTAGE_NONE));
    for (const int env : beginning_) {
      const auto index = static_cast<std::size_t>(env);
      std::ranges::copy(tape_.StartQpos(step, index), qpos_ + index * row_size_);
      std::ranges::copy(tape_.StartQvel(step, index), qvel_ + index * row_size_);
    }
    Require(mjb_forward(batch_.get(), beginning_.data(), count, mjSTAGE_ACC));
  }

  static void Require(int failed) {
    if (failed != 0) throw std::runtime_error("a simulation of the batch failed");
  }

  const MujocoTape& tape_;
  Owned<mjBatch> batch_;
  std::size_t row_size_ = 0;
  mjtNum* qpos_ = nullptr;  // of the first environment; those of the next one a row further
  mjtNum* qvel_ = nullptr;
  mjtNum* ctrl_ = nullptr;
  std::vector<int> beginning_;  // an episode, in a step
  std::vector<int> stepping_;
};

}  // namespace limits

#endif  // ENGINE_BENCHMARKS_LIMITS_MUJOCO_REPLAY_H_
