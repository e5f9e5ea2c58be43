// Runs environments on threads of this process, and gives up those whose step or reset takes longer
// than a limit: the environment has failed, another thread takes the place of the one that is still
// in the step, and a new environment takes the place of the old one (see RenewableGroup).
// Environments that never wait need no limit; ThreadExecutor runs them faster.
//
// All work is queued, one environment at a time, and only the workers do it, so that a step never
// delays the caller beyond the limit. A worker steps into memory of its own, and copies the row
// into the batch if the step was not given up. Threads that wait for results look at intervals for
// steps that take too long.
#ifndef ENGINE_RUNTIME_TIMED_EXECUTOR_H_
#define ENGINE_RUNTIME_TIMED_EXECUTOR_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/mutex.h"
#include "engine/batch/action_copy.h"
#include "engine/group/renewable_group.h"
#include "engine/runtime/executor.h"
#include "engine/runtime/policy.h"
#include "engine/runtime/worker_threads.h"
#include "engine/sync/node_queues.h"
#include "engine/sync/parker.h"
#include "engine/sync/row_tickets.h"
#include "engine/sync/step_watch.h"
#include "engine/topology/placement.h"
#include "engine/topology/topology.h"

namespace engine {

class TimedExecutor final : public Executor,
                            public std::enable_shared_from_this<TimedExecutor>,
                            private WorkSource {
 public:
  struct Config {
    BatchConfig batches;
    std::uint32_t num_threads = 1;
    Affinity affinity{};
    std::int64_t step_timeout_ns = 0;  // greater than 0
  };
  TimedExecutor(std::unique_ptr<RenewableGroup> group, const Config& config,
                const Topology& topology);

  // --- Executor
  ActionSink& actions() override { return *actions_; }
  GroupState& group() override { return *group_; }
  OpenBatches& batches() override { return batches_; }
  void WakeToEnd() override;
  void Join() override { workers_.Join(); }
  void GiveUpLateSteps() override;
  WaitResult Construct(WaitContext& caller) override;
  WaitResult Run(WaitContext& caller) override;
  WaitResult Finish(WaitContext& caller) override;
  void Push(const std::uint32_t* ids, std::uint32_t n, bool resets) override;
  WaitResult WaitForBatch(std::uint64_t epoch, WaitContext& caller) override;
  WaitResult WaitForRows(std::uint32_t rows, std::uint64_t taken, WaitContext& caller) override;
  std::vector<ThreadStats> thread_stats() const override;
  std::uint64_t num_queued() const override { return queue_.size(); }
  std::vector<RunningPiece> running() const override;
  float LatestStepNs(std::uint32_t env) const override { return telemetry_.LatestStepNs(env); }

 private:
  // What an environment is to do. Written by the thread that queues it, read by the one that takes
  // it.
  struct Item {
    JobKind kind = JobKind::kStep;
    bool of_job = false;
    std::uint32_t index = 0;  // in the job
  };
  // What one thread uses in a call of an environment, and keeps if the call is given up.
  struct Worker {
    explicit Worker(std::uint32_t node) : taker(node) {}

    NodeQueues<>::Taker taker;
    RenewableGroup::Known known;
    ActionCopy action;
    std::unique_ptr<BatchMemory> row_memory;  // one row
    OpenBatch* row = nullptr;                 // of row_memory
    // The arguments of a reset.
    std::shared_ptr<ResetStart> start;
    std::uint64_t seed = 0;
    std::uint8_t has_seed = 0, resets = 0;
    bool loads = false;  // `state`
    std::string state;
    // The item; also for the thread that gives it up.
    std::uint32_t env = 0;
    Item item;
    StepWatch<> watch;
  };
  struct WorkerSlot {
    std::shared_ptr<Worker> worker;            // guarded by watch_mutex_
    std::atomic<Worker*> for_thread{nullptr};  // the same, for the worker's own thread
  };

  struct Late {
    std::uint32_t worker = 0, env = 0;
    Item item;
  };

  void AddTo(PoolStats& stats) const override { stats.threads_started = workers_.started(); }
  void FreeEnvs() override;
  template <class Over>
  WaitResult WaitUntil(Parker<>& parker, Over&& over, WaitContext& caller);
  void Enqueue(const std::uint32_t* ids, std::uint32_t n);

  // --- A worker.
  std::shared_ptr<void> InitWorker(std::uint32_t worker) override;
  Ran RunSome(std::uint32_t worker) override;
  bool HasWork(std::uint32_t worker) const override;
  Ran RunTimed(Worker& own, std::uint32_t writer);
  void RunUntimed(Worker& own);
  void CopyArguments(Worker& own);
  static std::string CallInto(Worker& own, RenewableGroup::Hold& hold, StepCounts& counts);

  // --- The rows and the ends of items.
  template <class Write>
  void WriteRow(std::uint32_t env, const Item& item, const StepCounts& counts, Write&& write);
  void FinishItem();
  void WriteFailedRow(std::uint32_t env, const Item& item, const StepCounts& counts);
  void FailItem(std::uint32_t env, const Item& item, const char* what);

  // --- A waiting thread; late_steps.cc.
  void GiveUp(const Late& late) ENGINE_REQUIRES(give_up_mutex_);
  void Replace(std::uint32_t worker) ENGINE_REQUIRES(give_up_mutex_);
  std::array<char, 160> WhyGivenUp(std::uint32_t env, const Item& item) const;

  const std::uint32_t num_envs_;
  const std::uint32_t num_threads_;
  const std::uint32_t num_cpus_;
  const std::uint32_t batch_size_;
  const std::int64_t step_timeout_ns_;
  const BatchExtras extras_;
  const std::vector<WorkerPlacement> placements_;
  const NodePlan nodes_;
  std::vector<std::uint32_t> all_ids_;     // 0, 1, ..., num_envs - 1
  std::unique_ptr<RenewableGroup> group_;  // null once the lifetime has ended
  const std::shared_ptr<ActionSink> actions_;
  Telemetry telemetry_;  // a writer per worker, and one for callers

  std::vector<Item> items_;  // by environment
  Mutex push_mutex_;         // orders the threads that push
  NodeQueues<> queue_;
  // A worker constructs only environments of its node, so that their memory is there.
  std::atomic<bool> placing_{false};
  ReceiverSignal<> signal_;
  BatchLedger<RowTickets<>> batches_;

  // The job.
  std::atomic<std::uint32_t> left_{0};  // items
  Parker<> done_;
  Mutex error_mutex_;
  std::exception_ptr error_ ENGINE_GUARDED_BY(error_mutex_);  // of a constructor

  // Late steps are given up by one thread at a time.
  Mutex give_up_mutex_;
  std::atomic<std::uint64_t> watched_at_{0};  // ticks
  std::vector<Late> late_ ENGINE_GUARDED_BY(give_up_mutex_);
  std::vector<std::uint8_t> missing_ ENGINE_GUARDED_BY(give_up_mutex_);  // workers without a thread
  Mutex watch_mutex_;
  std::vector<WorkerSlot> slots_;
  WorkerThreads workers_;  // last, because its threads use all members above
};

}  // namespace engine

#endif  // ENGINE_RUNTIME_TIMED_EXECUTOR_H_
