// Steps environments only on the thread that waits for them: for environments that cost less than
// waking another thread or process, and for environments that must stay on one thread. Starts no
// threads. Calls from several threads run one after the other.
#ifndef ENGINE_RUNTIME_INLINE_EXECUTOR_H_
#define ENGINE_RUNTIME_INLINE_EXECUTOR_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/base/mutex.h"
#include "engine/runtime/executor.h"
#include "engine/sync/action_queue.h"
#include "engine/sync/lock.h"
#include "engine/sync/parker.h"
#include "engine/sync/row_tickets.h"

namespace engine {

class InlineExecutor final : public Executor {
 public:
  // `actions` stores the actions of this group. The executor shares ownership of it.
  InlineExecutor(std::unique_ptr<EnvGroup> group, std::shared_ptr<ActionSink> actions,
                 const BatchConfig& config);

  // --- Executor
  ActionSink& actions() override { return *actions_; }
  EnvGroup& group() override { return *group_; }
  OpenBatches& batches() override { return batches_; }
  void WakeToEnd() override { changed_.parker.Notify(UINT32_MAX); }
  WaitResult Construct(WaitContext& caller) override;
  WaitResult Run(WaitContext& caller) override;
  WaitResult Finish(WaitContext& caller) override;
  void Push(const std::uint32_t* ids, std::uint32_t n, bool resets) override;
  WaitResult WaitForBatch(std::uint64_t epoch, WaitContext& caller) override;
  WaitResult WaitForRows(std::uint32_t rows, std::uint64_t taken, WaitContext& caller) override;
  std::vector<ThreadStats> thread_stats() const override;
  std::uint64_t num_queued() const override { return queue_.size(); }

 private:
  void FreeEnvs() override { group_.reset(); }
  bool HasWork() const { return queue_.size() != 0; }
  std::uint32_t RunRange(std::uint32_t begin, std::int64_t most_ns);
  template <class Over>
  WaitResult WaitUntil(Over&& over, WaitContext& caller);
  template <class Over>
  WaitResult StepQueued(Over&& over, WaitContext& caller) ENGINE_REQUIRES(stepping_mutex_);
  void StepOne(std::uint32_t env) ENGINE_REQUIRES(stepping_mutex_);
  void Count(const StepCounts& counts, std::uint64_t ticks);

  const std::uint32_t num_envs_;
  const bool ordered_;
  std::unique_ptr<EnvGroup> group_;  // null once the lifetime has ended
  const std::shared_ptr<ActionSink> actions_;
  BatchMemory frame_memory_;  // one row; see QueueRunner::Scratch
  OpenBatch* const pending_final_frame_ ENGINE_PT_GUARDED_BY(stepping_mutex_);

  std::uint32_t done_ = 0;  // finished items of the job; written by the caller

  // Queued environments.
  std::vector<std::uint8_t> resets_;  // as in QueueRunner
  ActionQueue<> queue_;               // pushed under the pool's state lock
  // stepping_mutex_ is held by the thread that steps. The others read `stepping_` while they wait.
  Mutex stepping_mutex_;
  std::atomic<bool> stepping_{false};
  // Rows were written, a batch was taken, or the stepping thread has left.
  ReceiverSignal<> changed_;
  BatchLedger<RowTickets<>> batches_;

  // Written by stepping threads and by callers of jobs, with atomic additions, because both may
  // run.
  std::atomic<std::uint64_t> steps_{0}, episodes_{0}, resets_done_{0}, failures_{0}, step_ticks_{0};
};

}  // namespace engine

#endif  // ENGINE_RUNTIME_INLINE_EXECUTOR_H_
