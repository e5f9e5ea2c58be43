// What the two runners of a ThreadExecutor share.
#ifndef ENGINE_RUNTIME_RUNNER_CONTEXT_H_
#define ENGINE_RUNTIME_RUNNER_CONTEXT_H_

#include <cstdint>

#include "engine/batch/action_staging.h"
#include "engine/group/env_group.h"
#include "engine/runtime/policy.h"
#include "engine/runtime/worker_threads.h"
#include "engine/sync/lifetime.h"
#include "engine/telemetry/counters.h"

namespace engine {

struct RunnerContext {
  // The telemetry writers after those of the workers: the caller of a job, receivers, and batches.
  std::uint32_t caller_writer() const { return machine.num_threads; }
  std::uint32_t receiver_writer() const { return machine.num_threads + 1; }
  std::uint32_t batch_writer() const { return machine.num_threads + 2; }
  CostEstimate& cost(JobKind kind) { return costs[static_cast<std::size_t>(kind)]; }
  Workers worker_counts() const {
    return {.started = workers.started(),
            .sleeping = workers.sleeping(),
            .spinning = workers.spinning()};
  }
  double SpinNs() const { return CallerSpinNs(machine, worker_counts()); }

  const Machine machine;
  const bool places_memory;  // the workers that will step the environments also construct them
  EnvGroup& group;           // for users of the lifetime
  ActionSink& actions;
  Lifetime& lifetime;
  Telemetry& telemetry;
  WorkerThreads& workers;
  CostEstimate costs[kNumJobKinds] = {};
};

}  // namespace engine

#endif  // ENGINE_RUNTIME_RUNNER_CONTEXT_H_
