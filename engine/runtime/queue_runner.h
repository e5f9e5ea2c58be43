// Runs queued environments on threads. Environments with an action wait in the queue of their NUMA
// node; any worker may take them. The environments that finish first get the next rows of the open
// batches. Part of ThreadExecutor.
//
// A sender queues ids under the pool's state lock. Workers (and receivers, if a batch is light)
// take ids in pieces, step the environments and write their rows. A receiver takes full batches
// under the same lock.
#ifndef ENGINE_RUNTIME_QUEUE_RUNNER_H_
#define ENGINE_RUNTIME_QUEUE_RUNNER_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/base/cache_line.h"
#include "engine/runtime/executor.h"
#include "engine/runtime/policy.h"
#include "engine/sync/node_queues.h"
#include "engine/sync/parker.h"
#include "engine/sync/state_queue.h"
#include "engine/topology/placement.h"

namespace engine {

class ThreadExecutor;

class QueueRunner {
 public:
  // The scratch memory of a thread that steps queued environments. Used by one thread at a time.
  struct Scratch {
    // `node`: of the thread, as in NodePlan; NodeQueues::kNoQueue: none.
    Scratch(const EnvSpec& spec, bool final_frames, std::uint32_t node);

    NodeQueues<>::Taker taker;
    std::uint32_t ids[kTuning.max_piece];
    Outcome outcomes[kTuning.max_piece];
    // SameStep: one row for the last frame of an episode whose row in the batch is not assigned
    // yet.
    BatchMemory frame_memory;
    OpenBatch* pending_final_frame;
  };

  QueueRunner(ThreadExecutor& executor, std::uint32_t num_envs, std::uint32_t batch_size,
              const NodePlan& nodes);

  // --- Senders and receivers; see Executor.
  void OpenNext(OpenBatch* batch);
  std::uint32_t num_open() const { return num_open_; }
  std::uint32_t num_slots() const { return rows_.num_slots(); }
  std::uint64_t num_queued() const { return queue_.size(); }
  void PreparePush();
  void Push(const std::uint32_t* ids, std::uint32_t n, bool resets);
  bool Ready() const { return rows_.Ready(); }
  std::uint32_t RowsWritten() const { return rows_.WrittenInHead(); }
  std::uint64_t num_taken() const { return taken_.load(std::memory_order_acquire); }
  std::uint64_t num_shortfalls() const { return num_shortfalls_.load(std::memory_order_acquire); }
  WaitResult WaitForBatch(std::uint64_t shortfalls_seen, Caller& caller);
  WaitResult WaitForRows(std::uint32_t rows, std::uint64_t taken, Caller& caller);
  OpenBatch* Take();
  void DropPartial();
  void NotifyTooFewInFlight();
  void WakeToEnd() { batch_full_.Notify(UINT32_MAX); }

  // --- Workers.
  bool HasWork() const { return queue_.size() != 0; }
  // Takes and steps one piece; false if nothing was queued.
  bool RunPiece(Scratch& scratch, std::uint32_t writer);

 private:
  bool ordered() const { return num_envs_ == batch_size_; }
  double CostNs() const;
  void MarkResets(const std::uint32_t* ids, std::uint32_t n, bool resets);
  template <class Over>
  WaitResult WaitUntil(Over&& over, Caller& caller);
  template <class Over>
  void StepWhileReceiving(Over&& over, Caller& caller);
  void ReserveAndWriteRows(Scratch& scratch, std::uint32_t first, std::uint32_t n,
                           std::uint32_t writer);
  void WriteRows(Scratch& scratch, std::uint32_t first, std::uint32_t n,
                 StateQueue<>::Position position, std::uint32_t writer);
  void GiveBack(const std::uint32_t* ids, std::uint32_t n);

  ThreadExecutor& executor_;
  const std::uint32_t num_envs_;
  const std::uint32_t batch_size_;
  // Per environment, whether it is queued for a reset. Written by senders, read by the thread that
  // took the id.
  std::vector<std::uint8_t> resets_;
  std::mutex push_mutex_;  // orders senders and threads that return ids
  NodeQueues<> queue_;
  StateQueue<> rows_;
  // Memory of each open batch. Senders write it before they queue the ids whose rows the batch will
  // hold. The thread that takes the batch clears it.
  std::vector<OpenBatch*> open_;
  std::uint64_t first_unopened_ = 0;  // batch; guarded by the pool's state lock
  std::uint32_t num_open_ = 0;        // guarded by the pool's state lock
  Parker<> batch_full_;
  // The number of threads that wait for a batch, and the number of those that are in WaitForRows.
  alignas(kCacheLineBytes) std::atomic<std::uint32_t> receivers_{0};
  std::atomic<std::uint32_t> row_waiters_{0};
  std::atomic<std::uint64_t> taken_{0};           // batches; written under the pool's state lock
  std::atomic<std::uint64_t> num_shortfalls_{0};  // written under that lock
  // Whether a receiver is stepping environments. At most one receiver steps at a time.
  std::atomic<bool> receiver_steps_{false};
  std::unique_ptr<Scratch> receiver_scratch_;
};

}  // namespace engine

#endif  // ENGINE_RUNTIME_QUEUE_RUNNER_H_
