// The cost of the physics of a task of dm_control's suite without an engine: plain loops over the
// calls into MuJoCo that the suite's `Physics.step` makes, on the suite's own model, without
// observations, rewards and batches. It repeats the steps of a pool from a tape
// (benchmarks/suite_limit.py has its layout).
//
// A library that benchmarks/suite_limit.py compiles and loads. Its functions are called by one
// thread; error messages are returned in `message`, of kMessageSize.
#include <mujoco/mujoco.h>

#include <algorithm>
#include <array>
#include <barrier>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <memory>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "spin_barrier.h"

namespace limits {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kMessageSize = 1024;

struct Deleter {
  void operator()(mjModel* model) const { mj_deleteModel(model); }
  void operator()(mjData* data) const { mj_deleteData(data); }
};
template <class T>
using Owned = std::unique_ptr<T, Deleter>;

Owned<mjModel> LoadModel(const char* file) {
  mju_setLogHandler([](const mjLogMessage*) {});  // a model's warnings are known
  char error[kMessageSize] = "";
  Owned<mjModel> model(mj_loadXML(file, nullptr, error, static_cast<int>(sizeof error)));
  if (model == nullptr) throw std::runtime_error(error);
  return model;
}

// Immutable once read.
struct Tape {
  Tape(const std::string& file, const mjModel& model) {
    std::ifstream in(file, std::ios::binary);
    std::array<std::int64_t, 6> header{};
    Read(in, std::span(header));
    const auto [envs, steps, substeps, controls, states, velocities] = header;
    if (!in || controls != model.nu || velocities != model.nv ||
        states != mj_stateSize(&model, mjSTATE_INTEGRATION)) {
      throw std::runtime_error(file + ": expected a tape of this model, got something else");
    }
    num_envs = static_cast<std::size_t>(envs);
    num_steps = static_cast<std::size_t>(steps);
    num_substeps = static_cast<int>(substeps);
    state_size = static_cast<std::size_t>(states);
    nu = static_cast<std::size_t>(controls);
    nv = static_cast<std::size_t>(velocities);
    starts.resize(num_envs * state_size);
    actions.resize(num_steps * num_envs * nu);
    ends.resize(num_envs * nv);
    Read(in, std::span(starts));
    Read(in, std::span(actions));
    Read(in, std::span(ends));
    if (!in) throw std::runtime_error(file + ": expected a whole tape, got a part of one");
  }

  template <class T, std::size_t kExtent>
  static void Read(std::ifstream& in, std::span<T, kExtent> values) {
    in.read(reinterpret_cast<char*>(values.data()),
            static_cast<std::streamsize>(values.size_bytes()));
  }

  std::size_t num_envs, num_steps, state_size, nu, nv;
  int num_substeps;
  std::vector<double> starts;   // the state of an environment after the reset
  std::vector<double> actions;  // of a step, an environment
  std::vector<double> ends;     // the velocities of an environment after the last step
};

// A loop over the environments [first, first + count), which are one thread's.
class SuiteLoop {
 public:
  SuiteLoop(const mjModel& model, const Tape& tape, std::size_t first, std::size_t count)
      : model_(model), tape_(tape), first_(first) {
    for (std::size_t i = 0; i < count; ++i) data_.emplace_back(mj_makeData(&model));
  }

  // As after the reset of the suite: with positions and velocities up to date.
  void Reset() {
    for (std::size_t i = 0; i < data_.size(); ++i) {
      mj_resetData(&model_, data_[i].get());
      mj_setState(&model_, data_[i].get(), &tape_.starts[(first_ + i) * tape_.state_size],
                  mjSTATE_INTEGRATION);
      mj_step1(&model_, data_[i].get());
    }
  }

  void Step(std::size_t step) {
    for (std::size_t i = 0; i < data_.size(); ++i) {
      mjData& data = *data_[i];
      std::copy_n(&tape_.actions[(step * tape_.num_envs + first_ + i) * tape_.nu], tape_.nu,
                  data.ctrl);
      StepPhysics(data);
    }
  }

  // Whether the last step of the tape has ended where the pool did, to the bit.
  bool IsAtTheEnd() const {
    for (std::size_t i = 0; i < data_.size(); ++i) {
      const auto end = std::span(tape_.ends).subspan((first_ + i) * tape_.nv, tape_.nv);
      if (!std::ranges::equal(end, std::span(data_[i]->qvel, tape_.nv))) return false;
    }
    return true;
  }

 private:
  void StepPhysics(mjData& data) const {
    int whole = tape_.num_substeps;
    if (model_.opt.integrator != mjINT_RK4) {
      mj_step2(&model_, &data);
      --whole;
    }
    for (int i = 0; i < whole; ++i) mj_step(&model_, &data);
    mj_step1(&model_, &data);
  }

  const mjModel& model_;
  const Tape& tape_;
  std::size_t first_;
  std::vector<Owned<mjData>> data_;
};

class SuiteLimit {
 public:
  SuiteLimit(const char* model, const char* tape, std::size_t num_threads)
      : model_(LoadModel(model)),
        tape_(tape, *model_),
        num_threads_(std::min(num_threads, tape_.num_envs)) {
    for (std::size_t thread = 0; thread < num_threads_; ++thread) {
      const std::size_t first = thread * tape_.num_envs / num_threads_;
      const std::size_t end = (thread + 1) * tape_.num_envs / num_threads_;
      shares_.push_back(static_cast<double>(end - first));
      loops_.emplace_back(*model_, tape_, first, end - first);
    }
  }

  // Steps of an environment per second, of all threads together. `in_step`: threads wait for each
  // other after each step of all environments, as callers of a pool do.
  double Run(bool in_step) {
    SpinBarrier after_step(num_threads_);
    std::vector<std::exception_ptr> errors(num_threads_);
    std::vector<double> rates(num_threads_);
    std::barrier ready(static_cast<std::ptrdiff_t>(num_threads_));
    {
      std::vector<std::jthread> threads;
      for (std::size_t thread = 0; thread < num_threads_; ++thread) {
        threads.emplace_back([&, thread] {
          try {
            loops_[thread].Reset();
            ready.arrive_and_wait();
            const auto start = Clock::now();
            for (std::size_t step = 0; step < tape_.num_steps; ++step) {
              loops_[thread].Step(step);
              if (in_step) after_step.Wait();
            }
            const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
            rates[thread] = static_cast<double>(tape_.num_steps) * shares_[thread] / seconds;
            if (!loops_[thread].IsAtTheEnd()) {
              throw std::runtime_error("the loop ended in other states than the pool");
            }
          } catch (...) {
            errors[thread] = std::current_exception();
          }
        });
      }
    }
    for (const std::exception_ptr& error : errors) {
      if (error) std::rethrow_exception(error);
    }
    return std::accumulate(rates.begin(), rates.end(), 0.0);
  }

 private:
  Owned<mjModel> model_;
  Tape tape_;
  std::size_t num_threads_;
  std::vector<SuiteLoop> loops_;  // one per thread
  std::vector<double> shares_;    // how many environments each has
};

}  // namespace
}  // namespace limits

extern "C" {

// Returns nothing if it cannot be made.
limits::SuiteLimit* suite_make(const char* model, const char* tape, int num_threads,
                               char* message) {
  try {
    return new limits::SuiteLimit(model, tape, static_cast<std::size_t>(num_threads));
  } catch (const std::exception& error) {
    std::snprintf(message, limits::kMessageSize, "%s", error.what());
    return nullptr;
  }
}

void suite_delete(limits::SuiteLimit* limit) { delete limit; }

// Steps of an environment per second; below zero where something went wrong.
double suite_run(limits::SuiteLimit* limit, int in_step, char* message) {
  try {
    return limit->Run(in_step != 0);
  } catch (const std::exception& error) {
    std::snprintf(message, limits::kMessageSize, "%s", error.what());
    return -1.0;
  }
}
}
