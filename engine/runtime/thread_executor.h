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
#include "engine/runtime/worker_threads.h"
#include "engine/topology/placement.h"
#include "engine/topology/topology.h"

namespace engine {

class ThreadExecutor final : public Executor,
                             public std::enable_shared_from_this<ThreadExecutor>,
                             private WorkSource {
 public:
  struct Config {
    std::uint32_t batch_size = 1;  // of queued environments
    std::uint32_t num_threads = 1;
    BatchExtras extras;
    std::uint64_t max_blocks = 0;
    Affinity affinity{};
    BlockAllocator* allocator = nullptr;
    std::shared_ptr<ActionSink> actions = nullptr;  // null: MakeStaging(group)
  };
  ThreadExecutor(std::unique_ptr<EnvGroup> group, const Config& config, const Topology& topology);

  // --- Executor
  ActionSink& actions() override { return *actions_; }
  EnvGroup& group() override { return *group_; }
  BatchMemory& job_memory() override { return *job_memory_; }
  BatchMemory& queue_memory() override {
    return queue_memory_ == nullptr ? *job_memory_ : *queue_memory_;
  }
  Lifetime& lifetime() override { return lifetime_; }
  void WakeToEnd() override;
  void Join() override { workers_.Join(); }
  WaitResult Construct(Caller& caller) override;
  Job& job() override { return jobs_.job(); }
  WaitResult Run(Caller& caller) override { return jobs_.Run(caller); }
  WaitResult Finish(Caller& caller) override { return jobs_.Finish(caller); }
  void OpenNext(OpenBatch* batch) override { queue_.OpenNext(batch); }
  std::uint32_t num_open() const override { return queue_.num_open(); }
  void PreparePush() override { queue_.PreparePush(); }
  void Push(const std::uint32_t* ids, std::uint32_t n, bool resets) override {
    queue_.Push(ids, n, resets);
  }
  bool Ready() const override { return queue_.Ready(); }
  WaitResult WaitForBatch(std::uint64_t shortfalls_seen, Caller& caller) override {
    return queue_.WaitForBatch(shortfalls_seen, caller);
  }
  WaitResult WaitForRows(std::uint32_t rows, std::uint64_t taken, Caller& caller) override {
    return queue_.WaitForRows(rows, taken, caller);
  }
  std::uint64_t num_taken() const override { return queue_.num_taken(); }
  std::uint64_t num_shortfalls() const override { return queue_.num_shortfalls(); }
  std::uint32_t RowsWritten() const override { return queue_.RowsWritten(); }
  OpenBatch* Take() override { return queue_.Take(); }
  void DropPartial() override { queue_.DropPartial(); }
  void NotifyTooFewInFlight() override { queue_.NotifyTooFewInFlight(); }
  PoolStats stats() const override;
  std::vector<ThreadStats> thread_stats() const override;
  std::uint64_t num_queued() const override { return queue_.num_queued(); }
  bool StartRecording(std::uint32_t events_per_thread) override {
    telemetry_.StartRecording(queue_.num_slots(), events_per_thread);
    return true;
  }
  void StopRecording() override { telemetry_.StopRecording(); }
  const Recorder* recorded() const override { return telemetry_.recorded(); }

  // --- For the runners
  const Machine& machine() const { return machine_; }
  // Whether the workers that will step the environments also construct them.
  bool places_memory() const { return places_memory_; }
  Workers worker_counts() const {
    return {.started = workers_.started(),
            .sleeping = workers_.sleeping(),
            .spinning = workers_.spinning()};
  }
  double SpinNs() const { return CallerSpinNs(machine_, worker_counts()); }
  Telemetry& telemetry() { return telemetry_; }
  // The telemetry writers after those of the workers: the caller of a job, receivers, and batches.
  std::uint32_t caller_writer() const { return machine_.num_threads; }
  std::uint32_t receiver_writer() const { return machine_.num_threads + 1; }
  std::uint32_t batch_writer() const { return machine_.num_threads + 2; }
  CostEstimate& StepCost() { return jobs_.cost(JobKind::kStep); }
  CostEstimate& ResetCost() { return jobs_.cost(JobKind::kReset); }
  // `node`: as in QueueRunner::Scratch, of the thread that will use it.
  std::unique_ptr<QueueRunner::Scratch> MakeScratch(std::uint32_t node) const;
  // Throws Error{kResources}.
  void StartUpTo(std::uint32_t workers);
  void Wake(std::uint32_t wanted) {
    if (wanted > 0) workers_.Wake(wanted);
  }
  void WakeAll() { workers_.WakeAll(); }

 private:
  struct Worker {
    std::unique_ptr<QueueRunner::Scratch> scratch;
    std::uint32_t epoch = 0;  // of the latest job that the worker has seen; written by it
  };

  void Prepare(std::uint32_t worker) override;
  bool RunSome(std::uint32_t worker) override;
  bool HasWork(std::uint32_t worker) const override;
  bool HelpsWithJobs(std::uint32_t worker) const { return worker + 1 < machine_.num_threads; }

  const Machine machine_;
  const std::vector<WorkerPlacement> placements_;
  const bool places_memory_;
  const NodePlan nodes_;
  std::unique_ptr<EnvGroup> group_;  // null once the lifetime has ended
  const std::shared_ptr<ActionSink> actions_;
  std::unique_ptr<BatchMemory> job_memory_;    // num_envs rows
  std::unique_ptr<BatchMemory> queue_memory_;  // batch_size rows; null: as job_memory_
  Telemetry telemetry_;                        // a writer per worker, and three more
  Lifetime lifetime_;
  JobRunner jobs_;
  QueueRunner queue_;
  std::vector<Worker> worker_state_;
  WorkerThreads workers_;  // last, because its threads use all members above
};

}  // namespace engine

#endif  // ENGINE_RUNTIME_THREAD_EXECUTOR_H_
