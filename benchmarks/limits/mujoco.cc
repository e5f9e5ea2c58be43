// The cost of the physics of a MuJoCo task without an engine: repeats the steps of a pool from its
// tape (mujoco_tape.h) on as many threads, without observations, rewards and batches, in one of
// these ways:
//   kLoop    each thread loops over environments of its own, and waits for no
//            other thread: the limit of every pool
//   kInStep  the same, but all threads wait for each other after a step of all
//            environments, as callers of a pool in order do
//   kBatch   MuJoCo's own batch API, one call for a step of all environments
//
// A library that benchmarks/mujoco_limit.py compiles and loads, so that these and the pool can
// alternate in short turns in one process. Its functions are called by one thread; error messages
// are returned in `message`, of kMessageSize.
#include <mujoco/mujoco.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include "mujoco_replay.h"
#include "mujoco_tape.h"
#include "next_actions.h"
#include "spin_barrier.h"

namespace limits {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kMessageSize = 1024;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Owned<mjModel> LoadModel(const char* file) {
  mju_setLogHandler([](const mjLogMessage*) {});  // a model's warnings are known
  char error[kMessageSize] = "";
  Owned<mjModel> model(mj_loadXML(file, nullptr, error, static_cast<int>(sizeof error)));
  if (model == nullptr) throw std::runtime_error(error);
  return model;
}

enum class Way : int { kLoop, kInStep, kBatch };

// Makes all steps of the tape; returns how many seconds those after the first took. `wait` comes
// after each.
template <class Stepper, class Wait>
double Replay(Stepper& stepper, const MujocoTape& tape, const Wait& wait) {
  stepper.Step(0);
  wait();
  const Clock::time_point start = Clock::now();
  for (std::size_t step = 1; step < tape.num_steps(); ++step) {
    stepper.Step(step);
    wait();
  }
  const double seconds = SecondsSince(start);
  if (!stepper.IsAtTheEnd()) {
    throw std::runtime_error("the replay ended in other states than the pool");
  }
  return seconds;
}

// The tape of one pool, and all that replays it.
class Limit {
 public:
  Limit(const char* model, const char* tape, std::size_t num_threads)
      : model_(LoadModel(model)),
        tape_(tape, *model_),
        num_threads_(std::min(num_threads, tape_.num_envs())) {
    for (std::size_t thread = 0; thread < num_threads_; ++thread) {
      const std::size_t first = thread * tape_.num_envs() / num_threads_;
      const std::size_t end = (thread + 1) * tape_.num_envs() / num_threads_;
      shares_.push_back(static_cast<double>(end - first));
      loops_.emplace_back(*model_, tape_, first, end - first);
    }
  }

  // Steps of an environment per second, of all threads together.
  double Run(Way way) {
    if (way == Way::kBatch) return RunBatch();
    SpinBarrier in_step(num_threads_);
    if (way == Way::kInStep) return RunLoops([&] { in_step.Wait(); });
    return RunLoops([] {});
  }

 private:
  double num_steps() const { return static_cast<double>(tape_.num_steps() - 1); }

  template <class Wait>
  double RunLoops(const Wait& wait) {
    std::vector<std::exception_ptr> errors(num_threads_);
    std::vector<double> rates(num_threads_);
    std::barrier ready(static_cast<std::ptrdiff_t>(num_threads_));
    {
      std::vector<std::jthread> threads;
      for (std::size_t thread = 0; thread < num_threads_; ++thread) {
        threads.emplace_back([&, thread] {
          ready.arrive_and_wait();
          try {
            const double seconds = Replay(loops_[thread], tape_, wait);
            rates[thread] = num_steps() * shares_[thread] / seconds;
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

  // The batch is there for that long only: its threads must not be around while others are
  // measured.
  double RunBatch() {
    Batch batch(*model_, tape_, num_threads_);
    const double seconds = Replay(batch, tape_, [] {});
    return num_steps() * static_cast<double>(tape_.num_envs()) / seconds;
  }

  Owned<mjModel> model_;
  MujocoTape tape_;
  std::size_t num_threads_;
  std::vector<PlainLoop> loops_;  // one per thread
  std::vector<double> shares_;    // how many environments each has
};

}  // namespace
}  // namespace limits

extern "C" {

// The numbers of positions and velocities; whether the model could be loaded.
int limit_size(const char* model, int* nq, int* nv, char* message) {
  try {
    const auto loaded = limits::LoadModel(model);
    *nq = static_cast<int>(loaded->nq);
    *nv = static_cast<int>(loaded->nv);
    return 1;
  } catch (const std::exception& error) {
    std::snprintf(message, limits::kMessageSize, "%s", error.what());
    return 0;
  }
}

// Returns nothing if it cannot be made.
limits::Limit* limit_make(const char* model, const char* tape, int num_threads, char* message) {
  const auto threads = static_cast<std::size_t>(num_threads);
  try {
    return new limits::Limit(model, tape, threads);
  } catch (const std::exception& error) {
    std::snprintf(message, limits::kMessageSize, "%s", error.what());
    return nullptr;
  }
}

void limit_delete(limits::Limit* limit) { delete limit; }

// Steps of an environment per second, stepped in `way`; below zero where something went wrong.
double limit_run(limits::Limit* limit, int way, char* message) {
  try {
    return limit->Run(static_cast<limits::Way>(way));
  } catch (const std::exception& error) {
    std::snprintf(message, limits::kMessageSize, "%s", error.what());
    return -1.0;
  }
}

// See NextActions: `num_rows` actions, `batch_size` ids, a batch of as many actions.
limits::NextActions* next_actions_make(const std::byte* actions, std::size_t num_rows,
                                       std::size_t row_bytes, std::size_t num_envs,
                                       const std::int32_t* env_ids, std::size_t batch_size,
                                       std::byte* batch) {
  return new limits::NextActions({actions, num_rows * row_bytes}, row_bytes, num_envs,
                                 {env_ids, batch_size}, batch);
}

void next_actions_restart(limits::NextActions* next_actions) { next_actions->Restart(); }

void next_actions_look_up(limits::NextActions* next_actions) { next_actions->LookUp(); }

void next_actions_delete(limits::NextActions* next_actions) { delete next_actions; }

}  // extern "C"
