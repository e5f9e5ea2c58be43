#include "engine/runtime/queue_runner.h"

#include <algorithm>
#include <utility>

#include "engine/base/tick_clock.h"

namespace engine {

QueueRunner::Scratch::Scratch(const EnvSpec& spec, bool final_frames, std::uint32_t node)
    : taker(node),
      frame_memory(spec, 1, {.final_frames = final_frames}, HeapAllocator::Global(), 0),
      pending_final_frame(frame_memory.Take()) {}

QueueRunner::RecordedBatches::RecordedBatches(RunnerContext& context, const BatchConfig& config,
                                              ReceiverSignal<>& signal)
    : BatchLedger(context.group.spec(), context.group.num_envs(), config, signal, 1,
                  config.batch_size,
                  (context.group.num_envs() + config.batch_size - 1) / config.batch_size),
      context_(context) {}

void QueueRunner::RecordedBatches::Open(OpenBatch* batch) {
  if (Recorder* const recorder = context_.telemetry.recorder()) {
    recorder->Opened(next_slot(), TickClock::Now());
  }
  BatchLedger::Open(batch);
}

OpenBatch* QueueRunner::RecordedBatches::Take() {
  if (Recorder* const recorder = context_.telemetry.recorder()) {
    recorder->Taken(context_.batch_writer(), tickets().head_slot(), TickClock::Now(),
                    tickets().rows_per_batch());
  }
  return BatchLedger::Take();
}

QueueRunner::QueueRunner(RunnerContext& context, const BatchConfig& config, const NodePlan& nodes)
    : context_(context),
      num_envs_(context.group.num_envs()),
      batch_size_(config.batch_size),
      resets_(num_envs_, 0),
      queue_(num_envs_, nodes.num_nodes, nodes.of_env, num_envs_ / kTuning.queue_checks_per_round),
      batches_(context, config, signal_) {}

std::unique_ptr<QueueRunner::Scratch> QueueRunner::MakeScratch(std::uint32_t node) {
  return std::make_unique<Scratch>(context_.group.spec(),
                                   batches_.job_memory().layout().extras.final_frames, node);
}

// The cost of a step. Queued environments are planned as steps, because few of them are resets. A
// send of resets alone is planned with the cost of a reset (see Push).
double QueueRunner::CostNs() const { return context_.cost(JobKind::kStep).ns_per_env(); }

// --- A sender ------------------------------------------------------------------------------------

void QueueRunner::EnsureCanPush() {
  context_.workers.EnsureStarted(context_.machine.num_threads);
  if (receiver_scratch_ == nullptr) receiver_scratch_ = MakeScratch(NodeQueues<>::kNoQueue);
}

void QueueRunner::Push(const std::uint32_t* ids, std::uint32_t n, bool resets) {
  MarkResets(ids, n, resets);
  {
    const ScopedLock lock(push_mutex_);
    queue_.Push(ids, n);
  }
  // Ordered with the read-modify-write in WaitUntil: either the receiver is counted here, or the
  // receiver sees the queued ids and wakes a worker itself.
  const std::uint32_t receivers = receivers_.fetch_add(0, std::memory_order_acq_rel);
  context_.workers.Wake(PlanSend(
      context_.machine, {.n = n,
                         .batch_size = batch_size_,
                         .cost_ns = resets ? context_.cost(JobKind::kReset).ns_per_env() : CostNs(),
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
  const PiecePlan plan = PlanPiece(context_.machine, CostNs(), batch_size_);
  const std::uint32_t n = queue_.Pop(scratch.taker, scratch.ids, plan.min_envs, plan.max_envs);
  if (n == 0) return false;
  if (WakesAnother(context_.machine) && HasWork()) {
    context_.workers.Wake(1);
  }
  Recorder* const recorder = context_.telemetry.recorder();
  if (recorder != nullptr) recorder->Queued(writer, queue_.size());
  const std::uint64_t start = TickClock::Now();
  std::uint64_t recorded = start;
  const StopCondition stop(context_.lifetime.closed_flag(), start, plan.overrun_ns);
  std::uint32_t done = 0;
  bool resets_only = true;
  while (done < n) {
    StepCounts counts;
    context_.telemetry.Begins(writer, start, scratch.ids[done], n - done, true);
    const std::uint32_t m = context_.group.StepWithoutRows(
        scratch.ids + done, n - done, resets_.data(), context_.actions.slots(),
        scratch.pending_final_frame->view(), scratch.outcomes + done, stop, counts);
    context_.telemetry.Ends(writer);
    const bool resets = counts.steps == 0 && counts.failures == 0;
    resets_only = resets_only && resets;
    // Counted before any row is committed, so that this work is included in the statistics that a
    // receiver reads.
    context_.telemetry.Worked(writer, counts, 0);
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
    if (context_.lifetime.closed()) break;
    if (done < n && stop.PastDeadline()) {
      GiveBack(scratch.ids + done, n - done);
      break;
    }
  }
  const std::uint64_t ticks = (recorder != nullptr ? recorded : TickClock::Now()) - start;
  if (done > 0) {
    CostEstimate& cost =
        resets_only ? context_.cost(JobKind::kReset) : context_.cost(JobKind::kStep);
    const double ns = TickClock::Nanoseconds(ticks);
    cost.Measured(ns, done);
    if (!resets_only && ns >= Telemetry::kLongStepNs * done) {
      for (std::uint32_t k = 0; k < done; ++k)
        context_.telemetry.Stepped(scratch.ids[k], ns / done);
    }
  }
  context_.telemetry.Worked(writer, StepCounts{}, ticks);
  return true;
}

// Reserves rows for items [first, first + n) of the piece and writes them.
void QueueRunner::ReserveAndWriteRows(Scratch& scratch, std::uint32_t first, std::uint32_t n,
                                      std::uint32_t writer) {
  if (ordered()) {
    WriteRows(scratch, first, n, {.slot = 0, .row = 0}, writer);
    return;
  }
  const std::uint64_t ticket = batches_.tickets().Reserve(n);
  for (std::uint32_t done = 0; done < n;) {  // the rows may reach into the next batch
    const RowTickets<>::Position position = batches_.tickets().PositionOf(ticket + done);
    const std::uint32_t m = std::min(n - done, batch_size_ - position.row);
    WriteRows(scratch, first + done, m, position, writer);
    done += m;
  }
}

// Writes items [first, first + n) into `position` (in ordered mode, into the rows of their ids) and
// commits the rows.
void QueueRunner::WriteRows(Scratch& scratch, std::uint32_t first, std::uint32_t n,
                            RowTickets<>::Position position, std::uint32_t writer) {
  OpenBatch* const batch = batches_.at(position.slot);
  const std::uint32_t* const ids = scratch.ids + first;
  const Outcome* const outcomes = scratch.outcomes + first;
  StepCounts rows;
  context_.group.WriteRows(ids, n, ordered() ? ids : nullptr, position.row, outcomes,
                           scratch.pending_final_frame->view(), batch->view(), rows);
  context_.telemetry.Worked(writer, rows, 0);
  for (std::uint32_t k = 0; k < n; ++k) {
    rows.failures += outcomes[k].failed;
    rows.episodes += outcomes[k].terminated || outcomes[k].truncated;
    rows.games += outcomes[k].game_over;
  }
  batch->Count(rows);
  const bool full = batches_.tickets().Commit(position.slot, n);
  if (Recorder* const recorder = context_.telemetry.recorder(); full && recorder != nullptr) {
    recorder->Filled(position.slot, TickClock::Now());
  }
  signal_.Notify(full, 1);
}

// Returns the rest of a piece that has overrun to the queue, so that other threads may step it.
void QueueRunner::GiveBack(const std::uint32_t* ids, std::uint32_t n) {
  {
    const ScopedLock lock(push_mutex_);
    queue_.Push(ids, n);
  }
  context_.workers.Wake(n);
}

// --- A receiver ----------------------------------------------------------------------------------

template <class Over>
WaitResult QueueRunner::WaitUntil(Over&& over, WaitContext& caller) {
  const auto over_or_closed = [&] { return over() || context_.lifetime.closed(); };
  if (over_or_closed()) return WaitResult::kDone;
  receivers_.fetch_add(1, std::memory_order_acq_rel);  // pairs with Push
  StepWhileReceiving(over_or_closed, caller);
  WaitResult waited = WaitResult::kDone;
  if (!over_or_closed()) {
    // The workers that were woken for these environments may still be busy with slow ones.
    if (HasWork()) context_.workers.Wake(1);
    const std::uint64_t start = TickClock::Now();
    waited = caller.WaitUntil(signal_.parker, over_or_closed, context_.SpinNs());
    context_.telemetry.Waited(context_.receiver_writer(), start, TickClock::Now());
  }
  receivers_.fetch_sub(1, std::memory_order_relaxed);
  return waited;
}

// Steps queued environments until over(), as long as that costs less than handing them to workers.
template <class Over>
void QueueRunner::StepWhileReceiving(Over&& over, WaitContext& caller) {
  double worked_ns = 0.0;
  const auto steps = [&] {
    return ReceiverSteps(context_.machine, CostNs(), batch_size_, caller.LeftNs(), worked_ns);
  };
  if (!steps() || receiver_steps_.exchange(true, std::memory_order_acquire)) return;
  const std::uint64_t start = TickClock::Now();
  while (!over() && steps()) {
    if (!RunPiece(*receiver_scratch_, context_.receiver_writer())) break;
    worked_ns = TickClock::Nanoseconds(TickClock::Now() - start);
    if (!KeepsLock(worked_ns)) caller.Unlock();
  }
  receiver_steps_.store(false, std::memory_order_release);  // pairs with the exchange
}

WaitResult QueueRunner::WaitForBatch(std::uint64_t epoch, WaitContext& caller) {
  return batches_.WaitForBatch(epoch, [&](auto&& over) { return WaitUntil(over, caller); });
}

WaitResult QueueRunner::WaitForRows(std::uint32_t rows, std::uint64_t taken, WaitContext& caller) {
  return batches_.WaitForRows(rows, taken, [&](auto&& over) { return WaitUntil(over, caller); });
}

}  // namespace engine
