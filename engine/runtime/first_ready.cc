// Asynchronous calls: Send queues environments, the executor writes the rows of those that finish
// first, and Recv takes full batches.
#include <algorithm>
#include <utility>

#include "engine/base/error.h"
#include "engine/runtime/call_scope.h"
#include "engine/runtime/pool.h"

namespace engine {

// --- Sending -------------------------------------------------------------------------------------

void Pool::Send(const ArrayView& actions, const ArrayView* ids, Host& host) {
  CallScope caller(*this, host);
  const StateLock lock(*this, caller);
  std::uint32_t n = 0;
  const std::uint32_t* const idle = ReadIds(ids, n);
  CheckSteppable(idle, n);
  executor_->actions().Stage(actions, idle, n);
  OpenMemory(n);
  Enqueue(idle, n, false);
}

void Pool::SendReset(const ArrayView* ids, const ResetRequest& request, Host& host) {
  CallScope caller(*this, host);
  const StateLock lock(*this, caller);
  std::uint32_t n = 0;
  const std::uint32_t* const idle = ReadIds(ids, n);
  OpenMemory(n);  // may throw, so it comes before any seed is set
  GroupState& group = executor_->group();
  for (std::uint32_t k = 0; k < n; ++k) {
    const std::uint32_t env = idle == nullptr ? k : idle[k];
    if (request.seed_by_env) group.Seed(env, request.first_seed + env);
    if (!request.seeds.empty() && request.has_seed[k] != 0) group.Seed(env, request.seeds[k]);
  }
  Enqueue(idle, n, true);
}

// Does everything that may fail when `n` more environments are queued:
// starts threads, and allocates memory for all rows that will be in flight. If the call fails
// afterwards, the threads and the memory remain for the next call.
void Pool::OpenMemory(std::uint32_t n) {
  executor_->EnsureCanPush();
  const std::uint64_t rows = queued_rows_ + n;
  const std::uint64_t batches = (rows + config_.batch_size - 1) / config_.batch_size;
  while (batches_.num_open() < batches) batches_.Open(TakeQueueMemory());
}

// With the state lock held.
OpenBatch* Pool::TakeQueueMemory() {
  OpenBatch* const open = batches_.queue_memory().Take();
  if (targets_.empty()) return open;
  TargetRun& run = targets_.front();
  if (executor_->writes_targets()) open->Redirect(run.next);
  run.next.first_row += config_.batch_size;
  if (--run.batches == 0) targets_.pop_front();
  return open;
}

void Pool::CheckTarget(const RowTarget& target, std::uint64_t rows) const {
  if (target && spec_.players) {
    throw Error(ErrorKind::kInput,
                "target: expected a pool whose environments have one player each, got one with "
                "several players");
  }
  if (!target ||
      (target.first_row <= target.memory->rows && rows <= target.memory->rows - target.first_row)) {
    return;
  }
  throw Error(ErrorKind::kInput, "target: expected " + std::to_string(rows) + " rows from row " +
                                     std::to_string(target.first_row) + ", got an array of " +
                                     std::to_string(target.memory->rows) + " rows");
}

void Pool::AddTargets(const RowTarget& target, std::uint64_t batches, Host& host) {
  CallScope caller(*this, host);
  if (batches > target.memory->rows) batches = target.memory->rows + 1;  // without overflow
  CheckTarget(target, batches * config_.batch_size);
  const StateLock lock(*this, caller);
  if (batches > 0) targets_.push_back({.next = target, .batches = batches});
}

std::uint64_t Pool::NumOpened(Host& host) {
  CallScope caller(*this, host);
  const StateLock lock(*this, caller);
  std::uint64_t opened = batches_.num_open();
  for (const TargetRun& run : targets_) opened += run.batches;
  return opened;
}

void Pool::ClearTargets(Host& host) {
  CallScope caller(*this, host);
  std::deque<TargetRun> cleared;
  const StateLock lock(*this, caller);
  cleared.swap(targets_);
}

// With the state lock held, after all arguments are checked and memory is allocated.
void Pool::Enqueue(const std::uint32_t* ids, std::uint32_t n, bool resets) {
  const std::uint64_t rows = queued_rows_ + n;
  if (ids == nullptr) ids = all_ids_.data();
  executor_->Push(ids, n, resets);
  in_flight_.Mark(ids, n);
  queued_rows_ = rows;
}

// --- Receiving -----------------------------------------------------------------------------------

void Pool::CheckFillsBatch(std::uint64_t rows, const char* call) const {
  if (rows >= config_.batch_size) return;
  throw Error(ErrorKind::kNothingInFlight,
              std::string(call) + ": expected at least batch_size = " +
                  std::to_string(config_.batch_size) + " environments in flight, got " +
                  std::to_string(rows) + ": send() or async_reset() more first");
}

WaitResult Pool::Recv(Host& host, std::int64_t timeout_ns, Batch& batch) {
  CallScope caller(*this, host, timeout_ns);
  if (has_unfinished_job_.load(std::memory_order_acquire)) {
    SyncCallLock::Holder holder(sync_lock_);
    const WaitResult waited = AcquireSync(caller, holder, &batch);
    if (waited != WaitResult::kDone || batch) return waited;
  }
  std::uint64_t epoch = 0;
  {
    const StateLock lock(*this, caller);
    CheckFillsBatch(queued_rows_, "recv");
    epoch = batches_.underfull_epoch();
  }
  return RecvNext(caller, epoch, true, batch);
}

// If several threads wait, any one of them gets the next batch; the others wait for a later one. If
// too few environments are left in flight to fill a batch, the call could wait forever, so it
// throws the same error as at the beginning of a call.
WaitResult Pool::RecvNext(WaitContext& caller, std::uint64_t epoch, bool by_recv, Batch& batch) {
  std::uint64_t start = 0;
  for (;;) {
    WaitResult waited = executor_->WaitForBatch(epoch, caller);
    CheckOpen();
    if (waited != WaitResult::kDone) return waited;
    {
      const StateLock lock(*this, caller);
      if (batches_.Ready()) {
        Finish(batches_.queue_memory(), TakeNext(), config_.batch_size, batch);
        // A program that calls Recv receives the results of an interrupted step itself, so later
        // synchronous calls need not drop them.
        if (by_recv || queued_rows_ == 0) has_interrupted_step_ = false;
        return WaitResult::kDone;
      }
      if (batches_.underfull_epoch() != epoch) {
        CheckFillsBatch(
            queued_rows_,
            by_recv ? "recv (other threads have received or drained the results it waited for)"
                    : "step (other threads have received or drained the results it waited for)");
        epoch = batches_.underfull_epoch();
      }
    }
    if (start == 0) start = TickClock::Now();
    waited = caller.CheckLimits(start);
    if (waited != WaitResult::kDone) return waited;
  }
}

// With the state lock held: takes a full batch, whose environments are then idle.
OpenBatch* Pool::TakeNext() {
  OpenBatch* const open = batches_.Take();
  in_flight_.Clear(reinterpret_cast<const std::uint32_t*>(open->view().env_id), config_.batch_size);
  queued_rows_ -= config_.batch_size;
  if (queued_rows_ < config_.batch_size) batches_.WakeReceivers();
  return open;
}

// A step of a first-ready pool: sends, and receives the next batch that is ready.
WaitResult Pool::SendAndRecv(const ArrayView& actions, const ArrayView* ids, Host& host,
                             Batch& batch) {
  CallScope caller(*this, host);
  {
    // Released before the wait, so that others may send and receive.
    SyncCallLock::Holder holder(sync_lock_);
    const WaitResult begun = BeginSync(ids, caller, holder);
    if (begun != WaitResult::kDone) return begun;
  }
  std::uint64_t epoch = 0;
  {
    const StateLock lock(*this, caller);
    std::uint32_t n = 0;
    const std::uint32_t* const idle = ReadIds(ids, n);
    CheckSteppable(idle, n);
    CheckFillsBatch(queued_rows_ + n, "step");
    executor_->actions().Stage(actions, idle, n);
    OpenMemory(n);
    Enqueue(idle, n, false);
    epoch = batches_.underfull_epoch();
  }
  const WaitResult waited = RecvNext(caller, epoch, false, batch);
  if (waited != WaitResult::kDone) {
    const StateLock lock(*this, caller);
    has_interrupted_step_ = true;
  }
  return waited;
}

// --- Draining ------------------------------------------------------------------------------------

WaitResult Pool::Drain(Host& host) {
  CallScope caller(*this, host);
  SyncCallLock::Holder holder(sync_lock_);
  const WaitResult waited = AcquireSync(caller, holder, nullptr);
  return waited == WaitResult::kDone ? DrainQueue(caller) : waited;
}

// With the lock of synchronous calls held. Each round reads under the state lock which rows are in
// flight, so it includes what other threads have sent and received meanwhile.
WaitResult Pool::DrainQueue(WaitContext& caller) {
  const std::uint64_t start = TickClock::Now();
  for (;;) {
    std::uint64_t rest = 0;
    std::uint64_t taken = 0;
    {
      const StateLock lock(*this, caller);
      while (batches_.Ready()) batches_.queue_memory().Return(TakeNext());
      rest = std::min<std::uint64_t>(queued_rows_, config_.batch_size);
      taken = batches_.num_taken();
      if (rest < config_.batch_size && batches_.RowsWritten() == rest) {
        batches_.DropPartial();
        in_flight_.ClearAll();
        queued_rows_ = 0;
        has_interrupted_step_ = false;
        return WaitResult::kDone;
      }
    }
    WaitResult waited = executor_->WaitForRows(static_cast<std::uint32_t>(rest), taken, caller);
    CheckOpen();
    if (waited == WaitResult::kDone) waited = caller.CheckLimits(start);
    if (waited != WaitResult::kDone) return waited;
  }
}

// Whether a call needs environments that an interrupted step left in flight; `ids` null: all.
bool Pool::NeedsInterruptedEnvs(const ArrayView* ids, WaitContext& caller) {
  if (ordered()) return false;
  const StateLock lock(*this, caller);
  return has_interrupted_step_ && (ids == nullptr || !in_flight_.AreIdle(*ids));
}

}  // namespace engine
