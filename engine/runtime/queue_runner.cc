#include "engine/runtime/queue_runner.h"

#include <algorithm>
#include <utility>

#include "engine/base/tick_clock.h"
#include "engine/runtime/thread_executor.h"

namespace engine {

QueueRunner::Scratch::Scratch(const EnvSpec& spec, bool final_frames, std::uint32_t node)
    : taker(node),
      frame_memory(spec, 1, {.final_frames = final_frames}, HeapAllocator::Global(), 0),
      pending_final_frame(frame_memory.Take()) {}

QueueRunner::QueueRunner(ThreadExecutor& executor, std::uint32_t num_envs, std::uint32_t batch_size,
                         const NodePlan& nodes)
    : executor_(executor),
      num_envs_(num_envs),
      batch_size_(batch_size),
      resets_(num_envs, 0),
      queue_(num_envs, nodes.num_nodes, nodes.of_env, num_envs / kTuning.queue_checks_per_round),
      rows_(batch_size, (num_envs + batch_size - 1) / batch_size),
      open_(rows_.num_slots(), nullptr) {}

// The cost of a step. Queued environments are planned as steps, because few of them are resets. A
// send of resets alone is planned with the cost of a reset (see Push).
double QueueRunner::CostNs() const { return executor_.StepCost().ns_per_env(); }

// --- A sender ------------------------------------------------------------------------------------

void QueueRunner::OpenNext(OpenBatch* batch) {
  open_[rows_.SlotOf(first_unopened_)] = batch;
  if (Recorder* const recorder = executor_.telemetry().recorder()) {
    recorder->Opened(rows_.SlotOf(first_unopened_), TickClock::Now());
  }
  ++first_unopened_;
  ++num_open_;
}

void QueueRunner::PreparePush() {
  executor_.StartUpTo(executor_.machine().num_threads);
  if (receiver_scratch_ == nullptr)
    receiver_scratch_ = executor_.MakeScratch(NodeQueues<>::kNoQueue);
}

void QueueRunner::Push(const std::uint32_t* ids, std::uint32_t n, bool resets) {
  MarkResets(ids, n, resets);
  {
    const std::lock_guard lock(push_mutex_);
    queue_.Push(ids, n);
  }
  // Ordered with the read-modify-write in WaitUntil: either the receiver is counted here, or the
  // receiver sees the queued ids and wakes a worker itself.
  const std::uint32_t receivers = receivers_.fetch_add(0, std::memory_order_acq_rel);
  executor_.Wake(PlanSend(executor_.machine(),
                          {.n = n,
                           .batch_size = batch_size_,
                           .cost_ns = resets ? executor_.ResetCost().ns_per_env() : CostNs(),
                           .receivers = receivers}));
}

// Writes only flags that change, so that the cache lines of other flags stay in the workers'
// caches.
void QueueRunner::MarkResets(const std::uint32_t* ids, std::uint32_t n, bool resets) {
  for (std::uint32_t k = 0; k < n; ++k) {
    if ((resets_[ids[k]] != 0) != resets) resets_[ids[k]] = resets;
  }
}

// --- A worker ------------------------------------------------------------------------------------

bool QueueRunner::RunPiece(Scratch& scratch, std::uint32_t writer) {
  const PiecePlan plan = PlanPiece(executor_.machine(), CostNs(), batch_size_);
  const std::uint32_t n = queue_.Pop(scratch.taker, scratch.ids, plan.min_envs, plan.max_envs);
  if (n == 0) return false;
  if (WakesAnother(executor_.machine()) && HasWork()) {
    executor_.Wake(1);
  }
  Recorder* const recorder = executor_.telemetry().recorder();
  if (recorder != nullptr) recorder->Queued(writer, queue_.size());
  const std::uint64_t start = TickClock::Now();
  std::uint64_t recorded = start;
  const StopCondition stop(executor_.lifetime().closed_flag(), start, plan.overrun_ns);
  std::uint32_t done = 0;
  bool resets_only = true;
  while (done < n) {
    StepCounts counts;
    const std::uint32_t m = executor_.group().StepWithoutRows(
        scratch.ids + done, n - done, resets_.data(), executor_.actions().slots(),
        scratch.pending_final_frame->view(), scratch.outcomes + done, stop, counts);
    const bool resets = counts.steps == 0 && counts.failures == 0;
    resets_only = resets_only && resets;
    // Counted before any row is committed, so that this work is included in the statistics that a
    // receiver reads.
    executor_.telemetry().Worked(writer, counts, 0);
    if (recorder != nullptr) {
      const std::uint64_t before = std::exchange(recorded, TickClock::Now());
      recorder->Ran(writer, resets ? Activity::kReset : Activity::kStep, before, recorded, m);
    }
    ReserveAndWriteRows(scratch, done, m, writer);
    if (recorder != nullptr) {
      const std::uint64_t before = std::exchange(recorded, TickClock::Now());
      recorder->Add(writer, Activity::kRows, before, recorded, m);
    }
    done += m;
    if (executor_.lifetime().closed()) break;
    if (done < n && stop.PastDeadline()) {
      GiveBack(scratch.ids + done, n - done);
      break;
    }
  }
  const std::uint64_t ticks = (recorder != nullptr ? recorded : TickClock::Now()) - start;
  if (done > 0) {
    CostEstimate& cost = resets_only ? executor_.ResetCost() : executor_.StepCost();
    cost.Measured(TickClock::Nanoseconds(ticks), done);
  }
  executor_.telemetry().Worked(writer, StepCounts{}, ticks);
  return true;
}

// Reserves rows for items [first, first + n) of the piece and writes them.
void QueueRunner::ReserveAndWriteRows(Scratch& scratch, std::uint32_t first, std::uint32_t n,
                                      std::uint32_t writer) {
  if (ordered()) {
    WriteRows(scratch, first, n, {.slot = 0, .row = 0}, writer);
    return;
  }
  const std::uint64_t ticket = rows_.Reserve(n);
  for (std::uint32_t done = 0; done < n;) {  // the rows may reach into the next batch
    const StateQueue<>::Position position = rows_.PositionOf(ticket + done);
    const std::uint32_t m = std::min(n - done, batch_size_ - position.row);
    WriteRows(scratch, first + done, m, position, writer);
    done += m;
  }
}

// Writes items [first, first + n) into `position` (in ordered mode, into the rows of their ids) and
// commits the rows.
void QueueRunner::WriteRows(Scratch& scratch, std::uint32_t first, std::uint32_t n,
                            StateQueue<>::Position position, std::uint32_t writer) {
  OpenBatch* const batch = open_[position.slot];
  const std::uint32_t* const ids = scratch.ids + first;
  const Outcome* const outcomes = scratch.outcomes + first;
  StepCounts rows;
  executor_.group().WriteRows(ids, n, ordered() ? ids : nullptr, position.row, outcomes,
                              scratch.pending_final_frame->view(), batch->view(), rows);
  executor_.telemetry().Worked(writer, rows, 0);
  for (std::uint32_t k = 0; k < n; ++k) {
    rows.failures += outcomes[k].failed;
    rows.episodes += outcomes[k].terminated || outcomes[k].truncated;
    rows.games += outcomes[k].game_over;
  }
  batch->Count(rows);
  if (rows_.Commit(position.slot, n)) {
    if (Recorder* const recorder = executor_.telemetry().recorder()) {
      recorder->Filled(position.slot, TickClock::Now());
    }
    batch_full_.Notify(1);
  }
  // seq_cst, as are the commit and the count of waiters: either this thread sees the waiter, or the
  // waiter sees the rows.
  if (row_waiters_.load(std::memory_order_seq_cst) > 0) batch_full_.Notify(UINT32_MAX);
}

// Returns the rest of a piece that has overrun to the queue, so that other threads may step it.
void QueueRunner::GiveBack(const std::uint32_t* ids, std::uint32_t n) {
  {
    const std::lock_guard lock(push_mutex_);
    queue_.Push(ids, n);
  }
  executor_.Wake(n);
}

// --- A receiver ----------------------------------------------------------------------------------

template <class Over>
WaitResult QueueRunner::WaitUntil(Over&& over, Caller& caller) {
  if (over()) return WaitResult::kDone;
  receivers_.fetch_add(1, std::memory_order_acq_rel);  // pairs with Push
  StepWhileReceiving(over, caller);
  WaitResult waited = WaitResult::kDone;
  if (!over()) {
    // The workers that were woken for these environments may still be busy with slow ones.
    if (HasWork()) executor_.Wake(1);
    const std::uint64_t start = TickClock::Now();
    waited = caller.WaitUntil(batch_full_, over, executor_.SpinNs());
    executor_.telemetry().Waited(executor_.receiver_writer(), start, TickClock::Now());
  }
  receivers_.fetch_sub(1, std::memory_order_relaxed);
  return waited;
}

// Steps queued environments until over(), as long as that costs less than handing them to workers.
template <class Over>
void QueueRunner::StepWhileReceiving(Over&& over, Caller& caller) {
  double worked_ns = 0.0;
  const auto steps = [&] {
    return ReceiverSteps(executor_.machine(), CostNs(), batch_size_, caller.LeftNs(), worked_ns);
  };
  if (!steps() || receiver_steps_.exchange(true, std::memory_order_acquire)) return;
  const std::uint64_t start = TickClock::Now();
  while (!over() && steps()) {
    if (!RunPiece(*receiver_scratch_, executor_.receiver_writer())) break;
    worked_ns = TickClock::Nanoseconds(TickClock::Now() - start);
    if (!KeepsLock(worked_ns)) caller.Unlock();
  }
  receiver_steps_.store(false, std::memory_order_release);  // pairs with the exchange
}

WaitResult QueueRunner::WaitForBatch(std::uint64_t shortfalls_seen, Caller& caller) {
  const WaitResult waited = WaitUntil(
      [&] {
        return rows_.Ready() || num_shortfalls() != shortfalls_seen ||
               executor_.lifetime().closed();
      },
      caller);
  // This thread may have been woken for a batch that it does not take, so another one must be
  // woken.
  if (waited != WaitResult::kDone && rows_.Ready()) batch_full_.Notify(1);
  return waited;
}

WaitResult QueueRunner::WaitForRows(std::uint32_t rows, std::uint64_t taken, Caller& caller) {
  row_waiters_.fetch_add(1, std::memory_order_seq_cst);
  const WaitResult waited = WaitUntil(
      [&] {
        return RowsWritten() >= rows || num_taken() != taken || executor_.lifetime().closed();
      },
      caller);
  row_waiters_.fetch_sub(1, std::memory_order_relaxed);
  if (rows_.Ready()) batch_full_.Notify(1);  // as in WaitForBatch
  return waited;
}

OpenBatch* QueueRunner::Take() {
  --num_open_;
  const std::uint32_t slot = rows_.Take();
  OpenBatch* const batch = std::exchange(open_[slot], nullptr);
  if (Recorder* const recorder = executor_.telemetry().recorder()) {
    recorder->Taken(executor_.batch_writer(), slot, TickClock::Now(), batch_size_);
  }
  // seq_cst as in WriteRows: either this thread sees the waiter, or the waiter sees the change.
  taken_.fetch_add(1, std::memory_order_seq_cst);
  if (row_waiters_.load(std::memory_order_seq_cst) > 0) batch_full_.Notify(UINT32_MAX);
  // If the next batch was filled before this one, the thread that was woken for it has gone back to
  // sleep.
  if (rows_.Ready()) batch_full_.Notify(1);
  return batch;
}

void QueueRunner::DropPartial() {
  if (OpenBatch* const batch = open_[rows_.head_slot()]; batch != nullptr) batch->ResetCounts();
  rows_.DropPartial();
  NotifyTooFewInFlight();
}

void QueueRunner::NotifyTooFewInFlight() {
  num_shortfalls_.fetch_add(1, std::memory_order_release);  // pairs with num_shortfalls()
  batch_full_.Notify(UINT32_MAX);
}

}  // namespace engine
