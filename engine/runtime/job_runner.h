// Runs jobs, whose rows are known in advance, on threads. The caller steps the rows alone if that
// is quick, otherwise together with the workers. Part of ThreadExecutor. One job at a time.
//
// A shared job is split into num_threads parts. Worker i first takes rows of part i + 1. The caller
// is one of the num_threads threads: it takes part 0 in place of the last worker. The exception is
// the construction of environments on a machine with several NUMA nodes: each worker, and no other
// thread, constructs its own part, and the last worker constructs part 0 (see PlanNodes).
#ifndef ENGINE_RUNTIME_JOB_RUNNER_H_
#define ENGINE_RUNTIME_JOB_RUNNER_H_

#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

#include "engine/base/mutex.h"
#include "engine/runtime/executor.h"
#include "engine/runtime/policy.h"
#include "engine/runtime/runner_context.h"
#include "engine/sync/parker.h"
#include "engine/sync/sharded_range.h"

namespace engine {

class JobRunner {
 public:
  // `job`: the executor's; written by the caller, between jobs.
  JobRunner(RunnerContext& context, Job& job)
      : context_(context),
        job_(job),
        range_(context.machine.num_threads, 0, GroupSizeFor(context.machine.num_threads)) {}

  // --- The caller's side; see Executor.
  WaitResult Run(WaitContext& caller);
  WaitResult Finish(WaitContext& caller);
  // Rethrows the first exception of an environment's constructor, if there was one.
  void CheckConstructed() const;

  // --- For workers. `epoch` is the epoch of the latest job that the worker has seen.
  // A job counts as work also for the worker that takes no part in it. If that worker were woken
  // and had no work, it would cancel the wake-ups that it should pass on (see WorkSignal).
  bool HasWork(std::uint32_t epoch) const { return range_.epoch() != epoch; }
  // Returns whether the worker did some work.
  bool Help(std::uint32_t worker, std::uint32_t& epoch);
  // The epoch with which a new worker starts. It is not the current one, so a worker that was
  // started for the current job runs it.
  std::uint32_t epoch_before() const { return range_.epoch() - 1; }

  void WakeToEnd() { done_.Notify(UINT32_MAX); }

 private:
  // Shards per group of range_. 0, which means one group, for up to workers_per_signal threads.
  static std::uint32_t GroupSizeFor(std::uint32_t num_threads) {
    return num_threads > kTuning.workers_per_signal ? kTuning.workers_per_signal : 0;
  }
  // The part of a job that the caller did alone.
  struct PartDone {
    std::uint32_t done = 0;  // items
    double ns_per_env = 0.0;
    bool interrupted = false;
  };
  PartDone RunAlone(const JobPlan& plan, WaitContext& caller, std::uint64_t& now);
  std::uint32_t RunRange(std::uint32_t begin, std::uint32_t end, std::uint32_t writer,
                         const StopCondition& stop, std::uint64_t& now);
  void Record(Recorder& recorder, std::uint32_t writer, std::uint64_t start, std::uint64_t end,
              std::uint32_t n) const;
  void Construct(std::uint32_t begin, std::uint32_t end);
  bool places() const { return placing_.load(std::memory_order_relaxed); }
  void Share(std::uint32_t first, double cost_ns);
  bool LeaveToWorkers();
  WaitResult Work(std::uint32_t shard, std::uint32_t writer, WaitContext* caller, bool& worked);

  RunnerContext& context_;
  Job& job_;
  std::uint32_t first_ = 0;  // the item at index 0 of range_; written before Publish
  // The workers construct, each its own part. Written by the caller before Publish. The last worker
  // reads it in place of job_, which the caller may change while that worker takes no part.
  std::atomic<bool> placing_{false};
  TightLoop loop_;              // used by the caller only
  SharingGain gain_;            // used by the caller only
  std::uint64_t last_end_ = 0;  // ticks; used by the caller only
  mutable Mutex error_mutex_;
  std::exception_ptr error_ ENGINE_GUARDED_BY(error_mutex_);
  ShardedRange<> range_;
  // Bounds of the pieces to claim. A worker may read those of the previous job, because the bounds
  // affect only the speed.
  std::atomic<std::uint32_t> min_piece_{1}, max_piece_{1};
  Parker<> done_;
};

}  // namespace engine

#endif  // ENGINE_RUNTIME_JOB_RUNNER_H_
