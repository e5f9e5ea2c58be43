// Steps environments only on the thread that waits for them: for environments that cost less than
// waking another thread or process, and for environments that must stay on one thread. Starts no
// threads. Calls from several threads run one after the other.
#ifndef ENGINE_RUNTIME_CALLER_EXECUTOR_H_
#define ENGINE_RUNTIME_CALLER_EXECUTOR_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/runtime/executor.h"
#include "engine/sync/action_queue.h"
#include "engine/sync/lock.h"
#include "engine/sync/parker.h"
#include "engine/sync/state_queue.h"

namespace engine {

class CallerExecutor final : public Executor {
 public:
  struct Config {
    std::uint32_t batch_size = 1;  // of queued environments
    BatchExtras extras;
    std::uint64_t max_blocks = 0;
    BlockAllocator* allocator = nullptr;
  };
  // `actions` stores the actions of this group. The executor shares ownership of it.
  CallerExecutor(std::unique_ptr<EnvGroup> group, std::shared_ptr<ActionSink> actions,
                 const Config& config);

  // --- Executor
  ActionSink& actions() override { return *actions_; }
  EnvGroup& group() override { return *group_; }
  BatchMemory& job_memory() override { return *job_memory_; }
  BatchMemory& queue_memory() override {
    return queue_memory_ == nullptr ? *job_memory_ : *queue_memory_;
  }
  Lifetime& lifetime() override { return lifetime_; }
  void WakeToEnd() override { changed_.Notify(UINT32_MAX); }
  void Join() override {}
  WaitResult Construct(Caller& caller) override;
  Job& job() override { return job_; }
  WaitResult Run(Caller& caller) override;
  WaitResult Finish(Caller& caller) override;
  void OpenNext(OpenBatch* batch) override;
  std::uint32_t num_open() const override { return num_open_; }
  void PreparePush() override {}
  void Push(const std::uint32_t* ids, std::uint32_t n, bool resets) override;
  bool Ready() const override { return rows_.Ready(); }
  WaitResult WaitForBatch(std::uint64_t shortfalls_seen, Caller& caller) override;
  WaitResult WaitForRows(std::uint32_t rows, std::uint64_t taken, Caller& caller) override;
  std::uint64_t num_taken() const override { return taken_.load(std::memory_order_acquire); }
  std::uint64_t num_shortfalls() const override {
    return num_shortfalls_.load(std::memory_order_acquire);
  }
  std::uint32_t RowsWritten() const override { return rows_.WrittenInHead(); }
  OpenBatch* Take() override;
  void DropPartial() override;
  void NotifyTooFewInFlight() override;
  PoolStats stats() const override;
  std::vector<ThreadStats> thread_stats() const override;
  std::uint64_t num_queued() const override { return queue_.size(); }

 private:
  bool ordered() const { return num_envs_ == batch_size_; }
  bool HasWork() const { return queue_.size() != 0; }
  std::uint32_t RunRange(std::uint32_t begin, std::int64_t most_ns);
  template <class Over>
  WaitResult WaitUntil(Over&& over, Caller& caller);
  template <class Over>
  WaitResult StepQueued(Over&& over, Caller& caller);
  void StepOne(std::uint32_t env);
  void Count(const StepCounts& counts, std::uint64_t ticks);

  const std::uint32_t num_envs_;
  const std::uint32_t batch_size_;
  std::unique_ptr<EnvGroup> group_;  // null once the lifetime has ended
  const std::shared_ptr<ActionSink> actions_;
  std::unique_ptr<BatchMemory> job_memory_;    // num_envs rows
  std::unique_ptr<BatchMemory> queue_memory_;  // batch_size rows; null: as job_memory_
  BatchMemory frame_memory_;                   // one row; see QueueRunner::Scratch
  OpenBatch* const pending_final_frame_;       // used with stepping_mutex_ held
  Lifetime lifetime_;

  // Jobs. Written by the caller.
  Job job_;
  std::uint32_t done_ = 0;  // finished items of the job

  // Queued environments.
  std::vector<std::uint8_t> resets_;  // as in QueueRunner
  ActionQueue<> queue_;               // pushed under the pool's state lock
  StateQueue<> rows_;
  std::vector<OpenBatch*> open_;      // as in QueueRunner
  std::uint64_t first_unopened_ = 0;  // guarded by the pool's state lock
  std::uint32_t num_open_ = 0;        // guarded by the pool's state lock
  std::atomic<std::uint64_t> taken_{0};
  std::atomic<std::uint64_t> num_shortfalls_{0};
  // stepping_mutex_ is held by the thread that steps. The others read `stepping_` while they wait.
  std::mutex stepping_mutex_;
  std::atomic<bool> stepping_{false};
  Parker<> changed_;  // rows were written, a batch was taken, or the stepping thread has left

  // Written by stepping threads and by callers of jobs, with atomic additions, because both may
  // run.
  std::atomic<std::uint64_t> steps_{0}, episodes_{0}, resets_done_{0}, failures_{0}, step_ticks_{0};
};

}  // namespace engine

#endif  // ENGINE_RUNTIME_CALLER_EXECUTOR_H_
