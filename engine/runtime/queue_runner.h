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
#include <vector>

#include "engine/base/cache_line.h"
#include "engine/base/mutex.h"
#include "engine/runtime/executor.h"
#include "engine/runtime/policy.h"
#include "engine/runtime/runner_context.h"
#include "engine/sync/node_queues.h"
#include "engine/sync/parker.h"
#include "engine/sync/row_tickets.h"
#include "engine/topology/placement.h"

namespace engine {

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

  QueueRunner(RunnerContext& context, const BatchConfig& config, const NodePlan& nodes);

  // --- Senders and receivers; see Executor.
  OpenBatches& batches() { return batches_; }
  const OpenBatches& batches() const { return batches_; }
  std::uint32_t num_slots() const { return batches_.tickets().num_slots(); }
  std::uint64_t num_queued() const { return queue_.size(); }
  void EnsureCanPush();
  void Push(const std::uint32_t* ids, std::uint32_t n, bool resets);
  WaitResult WaitForBatch(std::uint64_t epoch, WaitContext& caller);
  WaitResult WaitForRows(std::uint32_t rows, std::uint64_t taken, WaitContext& caller);
  void WakeToEnd() { signal_.parker.Notify(UINT32_MAX); }

  // --- Workers.
  bool HasWork() const { return queue_.size() != 0; }
  // Takes and steps one piece; false if nothing was queued.
  bool RunPiece(Scratch& scratch, std::uint32_t writer);
  // `node`: as in Scratch, of the thread that will use it.
  std::unique_ptr<Scratch> MakeScratch(std::uint32_t node);

 private:
  // Records when batches are opened and taken.
  class RecordedBatches final : public BatchLedger<RowTickets<>> {
   public:
    RecordedBatches(RunnerContext& context, const BatchConfig& config, ReceiverSignal<>& signal);
    void Open(OpenBatch* batch) override;
    OpenBatch* Take() override;

   private:
    RunnerContext& context_;
  };

  bool ordered() const { return num_envs_ == batch_size_; }
  double CostNs() const;
  void MarkResets(const std::uint32_t* ids, std::uint32_t n, bool resets);
  template <class Over>
  WaitResult WaitUntil(Over&& over, WaitContext& caller);
  template <class Over>
  void StepWhileReceiving(Over&& over, WaitContext& caller);
  void ReserveAndWriteRows(Scratch& scratch, std::uint32_t first, std::uint32_t n,
                           std::uint32_t writer);
  void WriteRows(Scratch& scratch, std::uint32_t first, std::uint32_t n,
                 RowTickets<>::Position position, std::uint32_t writer);
  void GiveBack(const std::uint32_t* ids, std::uint32_t n);

  RunnerContext& context_;
  const std::uint32_t num_envs_;
  const std::uint32_t batch_size_;
  // Per environment, whether it is queued for a reset. Written by senders, read by the thread that
  // took the id.
  std::vector<std::uint8_t> resets_;
  Mutex push_mutex_;  // orders senders and threads that return ids
  NodeQueues<> queue_;
  ReceiverSignal<> signal_;
  RecordedBatches batches_;
  // The number of threads that wait for a batch or for rows.
  alignas(kCacheLineBytes) std::atomic<std::uint32_t> receivers_{0};
  // Whether a receiver is stepping environments. At most one receiver steps at a time.
  std::atomic<bool> receiver_steps_{false};
  std::unique_ptr<Scratch> receiver_scratch_;
};

}  // namespace engine

#endif  // ENGINE_RUNTIME_QUEUE_RUNNER_H_
