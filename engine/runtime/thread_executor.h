// Runs environments on threads of this process: those in C++, and those in Python with
// `workers="threads"`. Owns the environments, the memory of their batches, the worker threads, and
// everything that a thread may still use if its step ends after the pool is destroyed. The pool and
// the worker threads share ownership of it.
#ifndef ENGINE_RUNTIME_THREAD_EXECUTOR_H_
#define ENGINE_RUNTIME_THREAD_EXECUTOR_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/runtime/executor.h"
#include "engine/runtime/job_runner.h"
#include "engine/runtime/policy.h"
#include "engine/runtime/queue_runner.h"
#include "engine/runtime/runner_context.h"
#include "engine/runtime/worker_threads.h"
#include "engine/topology/placement.h"
#include "engine/topology/topology.h"

namespace engine {

class ThreadExecutor final : public Executor,
                             public std::enable_shared_from_this<ThreadExecutor>,
                             private WorkSource {
 public:
  struct Config {
    BatchConfig batches;
    std::uint32_t num_threads = 1;
    Affinity affinity{};
    std::shared_ptr<ActionSink> actions = nullptr;  // null: MakeStaging(group)
  };
  ThreadExecutor(std::unique_ptr<EnvGroup> group, const Config& config, const Topology& topology);

  // --- Executor
  ActionSink& actions() override { return *actions_; }
  EnvGroup& group() override { return *group_; }
  OpenBatches& batches() override { return queue_.batches(); }
  void WakeToEnd() override;
  void Join() override { workers_.Join(); }
  WaitResult Construct(WaitContext& caller) override;
  WaitResult Run(WaitContext& caller) override { return jobs_.Run(caller); }
  WaitResult Finish(WaitContext& caller) override { return jobs_.Finish(caller); }
  void EnsureCanPush() override { queue_.EnsureCanPush(); }
  void Push(const std::uint32_t* ids, std::uint32_t n, bool resets) override {
    queue_.Push(ids, n, resets);
  }
  WaitResult WaitForBatch(std::uint64_t epoch, WaitContext& caller) override {
    return queue_.WaitForBatch(epoch, caller);
  }
  WaitResult WaitForRows(std::uint32_t rows, std::uint64_t taken, WaitContext& caller) override {
    return queue_.WaitForRows(rows, taken, caller);
  }
  std::vector<ThreadStats> thread_stats() const override;
  std::uint64_t num_queued() const override { return queue_.num_queued(); }
  std::vector<RunningPiece> running() const override;
  float LatestStepNs(std::uint32_t env) const override { return telemetry_.LatestStepNs(env); }
  bool StartRecording(std::uint32_t events_per_thread) override {
    telemetry_.StartRecording(queue_.num_slots(), events_per_thread);
    return true;
  }
  void StopRecording() override { telemetry_.StopRecording(); }
  const Recorder* recorded() const override { return telemetry_.recorded(); }

 private:
  struct Worker {
    std::unique_ptr<QueueRunner::Scratch> scratch;
    std::uint32_t epoch = 0;  // of the latest job that the worker has seen; written by it
  };

  void AddTo(PoolStats& stats) const override { stats.threads_started = workers_.started(); }
  void FreeEnvs() override { group_.reset(); }
  std::shared_ptr<void> InitWorker(std::uint32_t worker) override;
  Ran RunSome(std::uint32_t worker) override;
  bool HasWork(std::uint32_t worker) const override;

  const std::vector<WorkerPlacement> placements_;
  std::unique_ptr<EnvGroup> group_;  // null once the lifetime has ended
  const std::shared_ptr<ActionSink> actions_;
  Telemetry telemetry_;  // a writer per worker, and three more
  RunnerContext context_;
  const NodePlan nodes_;
  JobRunner jobs_;
  QueueRunner queue_;
  std::vector<Worker> worker_state_;
  WorkerThreads workers_;  // last, because its threads use all members above
};

}  // namespace engine

#endif  // ENGINE_RUNTIME_THREAD_EXECUTOR_H_
