// The ledger of a pool's open batches, which are those that have memory and are not taken yet.
// Batches have an order; a later one is not taken before an earlier one, even if it is full first.
// "The next batch" is the next one to be taken.
//
// The pool uses OpenBatches. An executor owns a BatchLedger, which adds the tickets of the rows and
// the receivers that wait: for threads in this process, or in memory that processes share.
#ifndef ENGINE_RUNTIME_OPEN_BATCHES_H_
#define ENGINE_RUNTIME_OPEN_BATCHES_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "engine/batch/batch_memory.h"
#include "engine/runtime/host.h"
#include "engine/sync/receiver_signal.h"
#include "engine/telemetry/counters.h"

namespace engine {

struct BatchConfig {
  std::uint32_t batch_size = 1;  // of queued environments
  BatchExtras extras{};
  std::uint64_t max_blocks = 0;         // of batch memory, per region; 0: no cap
  BlockAllocator* allocator = nullptr;  // must live until the last lease has ended
};

// Requires: the pool's state lock is held, for all methods that do not say "any thread".
class OpenBatches {
 public:
  OpenBatches(const EnvSpec& spec, std::uint32_t num_envs, const BatchConfig& config)
      : job_memory_(spec, num_envs, config.extras, *config.allocator, config.max_blocks),
        queue_memory_(config.batch_size == num_envs
                          ? nullptr
                          : std::make_unique<BatchMemory>(spec, config.batch_size, config.extras,
                                                          *config.allocator, config.max_blocks)) {}
  virtual ~OpenBatches() = default;
  OpenBatches(const OpenBatches&) = delete;
  OpenBatches& operator=(const OpenBatches&) = delete;

  // The memory of batches: of num_envs rows for jobs, and of batch_size rows for queued
  // environments. The same object if the two numbers are equal.
  BatchMemory& job_memory() { return job_memory_; }
  BatchMemory& queue_memory() { return queue_memory_ == nullptr ? job_memory_ : *queue_memory_; }
  // Called once no thread uses the environments any more.
  void CloseMemory() noexcept {
    job_memory_.Close();
    if (queue_memory_ != nullptr) queue_memory_->Close();
  }
  // Any thread, also after CloseMemory.
  void AddTo(PoolStats& stats) const {
    stats.Add(job_memory_.stats());
    if (queue_memory_ != nullptr) stats.Add(queue_memory_->stats());
  }

  // Assigns memory to the first batch that has none.
  virtual void Open(OpenBatch* batch) = 0;
  // The number of open batches.
  std::uint32_t num_open() const { return num_open_; }
  // Whether the next batch is full. Any thread; true may be outdated without the lock.
  virtual bool Ready() const = 0;
  // The number of rows written into the next batch. Any thread.
  virtual std::uint32_t RowsWritten() const = 0;
  // Takes the next batch, and wakes the threads that now have something to do.
  // Requires: Ready().
  virtual OpenBatch* Take() = 0;
  // The number of batches taken so far. Any thread.
  virtual std::uint64_t num_taken() const = 0;
  // Drops the rows of a partly written batch, if there is one, and calls WakeReceivers().
  // Requires: everything in flight has been written.
  virtual void DropPartial() = 0;
  // Begins an epoch: fewer environments than a batch has rows are left in flight. The threads that
  // wait for a batch check the number again, and throw if it is still too small.
  virtual void WakeReceivers() = 0;
  // The number of calls of WakeReceivers(). Any thread.
  virtual std::uint64_t underfull_epoch() const = 0;

 protected:
  std::uint32_t num_open_ = 0;  // guarded by the pool's state lock

 private:
  BatchMemory job_memory_;
  std::unique_ptr<BatchMemory> queue_memory_;  // null: as job_memory_
};

// `Tickets`: RowTickets or SharedRowTickets, whose writers may use it at any time.
template <class Tickets, class Sync = StdSync>
class BatchLedger : public OpenBatches {
  template <class T>
  using Atomic = typename Sync::template Atomic<T>;

 public:
  // A full batch wakes `wakes` receivers: all of them if threads with other conditions sleep on
  // `signal`, too.
  template <class... Args>
  BatchLedger(const EnvSpec& spec, std::uint32_t num_envs, const BatchConfig& config,
              ReceiverSignal<Sync>& signal, std::uint32_t wakes, Args&&... tickets)
      : OpenBatches(spec, num_envs, config),
        signal_(signal),
        wakes_(wakes),
        tickets_(std::forward<Args>(tickets)...),
        open_(tickets_.num_slots(), nullptr) {}

  Tickets& tickets() { return tickets_; }
  const Tickets& tickets() const { return tickets_; }
  // The batch in a slot of the tickets. For writers, which have reserved one of its rows.
  OpenBatch* at(std::uint32_t slot) const { return open_[slot]; }

  void Open(OpenBatch* batch) override {
    open_[next_slot()] = batch;
    ++num_opened_;
    ++num_open_;
  }
  bool Ready() const override { return tickets_.Ready(); }
  std::uint32_t RowsWritten() const override { return tickets_.WrittenInHead(); }
  OpenBatch* Take() override {
    OpenBatch* const batch = TakeHead();
    Taken();
    return batch;
  }
  std::uint64_t num_taken() const override { return taken_.load(std::memory_order_seq_cst); }
  void DropPartial() override {
    DropHead();
    WakeReceivers();
  }
  void WakeReceivers() override {
    epoch_.fetch_add(1, std::memory_order_release);  // pairs with underfull_epoch()
    signal_.parker.Notify(UINT32_MAX);
  }
  std::uint64_t underfull_epoch() const override { return epoch_.load(std::memory_order_acquire); }

  // The waits of Executor. wait(over) waits until over() and returns the result of the wait.
  template <class Wait>
  WaitResult WaitForBatch(std::uint64_t epoch, Wait&& wait) {
    const WaitResult waited =
        wait([&] { return tickets_.Ready() || epoch_.load(std::memory_order_acquire) != epoch; });
    // This thread may have been woken for a batch that it does not take, so another one must be
    // woken.
    if (waited != WaitResult::kDone && tickets_.Ready()) signal_.parker.Notify(wakes_);
    return waited;
  }
  template <class Wait>
  WaitResult WaitForRows(std::uint32_t rows, std::uint64_t taken, Wait&& wait) {
    // These and the loads of the condition are seq_cst: see ReceiverSignal::Notify.
    signal_.row_waiters.fetch_add(1, std::memory_order_seq_cst);
    const WaitResult waited =
        wait([&] { return tickets_.WrittenInHead() >= rows || num_taken() != taken; });
    signal_.row_waiters.fetch_sub(1, std::memory_order_relaxed);
    if (tickets_.Ready()) signal_.parker.Notify(wakes_);  // as in WaitForBatch
    return waited;
  }

 protected:
  // The slot of the batch that Open will open.
  std::uint32_t next_slot() const { return tickets_.SlotOf(num_opened_); }
  // The parts of Take and DropPartial that use open_.
  OpenBatch* TakeHead() { return std::exchange(open_[tickets_.Take()], nullptr); }
  void DropHead() {
    if (OpenBatch* const batch = open_[tickets_.head_slot()]; batch != nullptr) {
      batch->ResetCounts();
    }
    tickets_.DropPartial();
  }
  // The part of Take that wakes receivers. If the next batch was filled before the one that is
  // taken, the thread that was woken for it has gone back to sleep.
  // Memory ordering: see ReceiverSignal::Notify.
  void Taken() {
    --num_open_;
    taken_.fetch_add(1, std::memory_order_seq_cst);
    signal_.Notify(tickets_.Ready(), wakes_);
  }

 private:
  ReceiverSignal<Sync>& signal_;
  const std::uint32_t wakes_;
  Tickets tickets_;
  // Memory of each open batch. Senders write it before they queue the ids whose rows the batch will
  // hold. The thread that takes the batch clears it.
  std::vector<OpenBatch*> open_;
  std::uint64_t num_opened_ = 0;    // batches, so far; guarded by the pool's state lock
  Atomic<std::uint64_t> taken_{0};  // batches; written under the pool's state lock
  Atomic<std::uint64_t> epoch_{0};  // written under that lock
};

}  // namespace engine

#endif  // ENGINE_RUNTIME_OPEN_BATCHES_H_
