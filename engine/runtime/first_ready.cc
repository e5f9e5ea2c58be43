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
  if (order_.replays()) {
    order_.Defer(ids, n, resets);
  } else {
    executor_->Push(ids, n, resets);
  }
  in_flight_.Mark(ids, n, TickClock::Now());
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

// Passes environments to the executor that were deferred while a log is repeated.
void Pool::PushReleased(const BatchOrder::Released& released) {
  const auto push = [&](const std::vector<std::uint32_t>& ids, bool resets) {
    if (!ids.empty()) {
      executor_->Push(ids.data(), static_cast<std::uint32_t>(ids.size()), resets);
    }
  };
  push(released.steps, false);
  push(released.resets, true);
  replays_.store(order_.replays(), std::memory_order_relaxed);
}

// A batch that has been taken, before it is completed.
void Pool::NoteReceived(OpenBatch* open) {
  results_.Returned(taken_ids_.data(), config_.batch_size);
  try {
    order_.Received(*open, taken_ids_.data());
  } catch (...) {
    batches_.queue_memory().Return(open);
    throw;
  }
  // Other threads that wait may pass on the log's next batch.
  if (order_.replays()) batches_.WakeReceivers();
}

// If several threads wait, any one of them gets the next batch; the others wait for a later one. If
// too few environments are left in flight to fill a batch, the call could wait forever, so it
// throws the same error as at the beginning of a call.
WaitResult Pool::RecvNext(WaitContext& caller, std::uint64_t epoch, bool by_recv, Batch& batch) {
  std::uint64_t start = 0;
  for (;;) {
    if (replays_.load(std::memory_order_relaxed)) {
      const StateLock lock(*this, caller);
      PushReleased(order_.ReleaseNext());
    }
    WaitResult waited = executor_->WaitForBatch(epoch, caller);
    CheckOpen();
    if (waited != WaitResult::kDone) return waited;
    {
      const StateLock lock(*this, caller);
      if (batches_.Ready()) {
        OpenBatch* const open = TakeNext();
        NoteReceived(open);
        if (replays_.load(std::memory_order_relaxed)) CopyIds(*open);  // in the log's order
        Finish(batches_.queue_memory(), open, taken_ids_.data(), config_.batch_size, batch);
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

// The ids are read once, because a broken worker process may still change them after the executor
// has checked them.
void Pool::CopyIds(const OpenBatch& open) {
  const auto* const ids = reinterpret_cast<const std::uint32_t*>(open.view().env_id);
  for (std::uint32_t row = 0; row < config_.batch_size; ++row) {
    taken_ids_[row] = std::min(ids[row], num_envs_ - 1);
  }
}

// With the state lock held: takes a full batch, whose environments are then idle.
OpenBatch* Pool::TakeNext() {
  OpenBatch* const open = batches_.Take();
  CopyIds(*open);
  in_flight_.Clear(taken_ids_.data(), config_.batch_size);
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

// --- Recording and repeating the order of batches
// --------------------------------------------------

std::uint64_t Pool::NumReceived(Host& host) {
  CallScope caller(*this, host);
  const StateLock lock(*this, caller);
  return order_.num_received();
}

void Pool::SetNumReceived(std::uint64_t n, Host& host) {
  CallScope caller(*this, host);
  const StateLock lock(*this, caller);
  order_.SetNumReceived(n);
}

// `header`: of a log that is read, or null.
void Pool::CheckLog(const char* call, const BatchLogHeader* header) const {
  if (ordered()) {
    throw Error(ErrorKind::kInput,
                std::string(call) +
                    ": expected a pool whose batch_size is below num_envs, got one whose batches "
                    "have all environments, in their order");
  }
  if (queued_rows_ > 0) {
    throw Error(ErrorKind::kEnvId,
                std::string(call) + ": expected no environments in flight, got " +
                    std::to_string(queued_rows_) + ": recv() their results or drain() first");
  }
  if (header == nullptr) return;
  if (header->num_envs != num_envs_ || header->batch_size != config_.batch_size) {
    throw Error(ErrorKind::kInput, std::string(call) +
                                       ": expected a log of num_envs=" + std::to_string(num_envs_) +
                                       " and batch_size=" + std::to_string(config_.batch_size) +
                                       ", got one of num_envs=" + std::to_string(header->num_envs) +
                                       " and batch_size=" + std::to_string(header->batch_size));
  }
}

void Pool::CheckRecordsBatches(const char* call, const BatchLogHeader* header, Host& host) {
  CallScope caller(*this, host);
  const StateLock lock(*this, caller);
  CheckLog(call, header);
}

void Pool::RecordBatches(std::unique_ptr<BatchLogWriter> writer, Host& host) {
  CallScope caller(*this, host);
  const StateLock lock(*this, caller);
  if (writer != nullptr) CheckLog("record_batches", nullptr);
  order_.Record(std::move(writer));
}

void Pool::ReplayBatches(std::unique_ptr<BatchLogReader> reader,
                         std::unique_ptr<BatchLogWriter> then, Host& host) {
  CallScope caller(*this, host);
  const StateLock lock(*this, caller);
  CheckLog("replay_batches", &reader->header());
  order_.Replay(std::move(reader), std::move(then));
  replays_.store(order_.replays(), std::memory_order_relaxed);
}

int Pool::FlushBatches(Host& host) {
  CallScope caller(*this, host);
  const StateLock lock(*this, caller);
  return order_.writer() == nullptr ? 0 : order_.writer()->Flush();
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
      if (order_.replays()) PushReleased(order_.ReleaseAll());
      while (batches_.Ready()) batches_.queue_memory().Return(TakeNext());
      rest = std::min<std::uint64_t>(queued_rows_, config_.batch_size);
      taken = batches_.num_taken();
      if (rest < config_.batch_size && batches_.RowsWritten() == rest) {
        batches_.DropPartial();
        order_.Drained();
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
