// The asynchronous way up to a full batch: send, the workers' queue, rows of open
// batches.
#include <algorithm>

#include "engine/base/error.h"
#include "engine/runtime/pool.h"
#include "engine/runtime/pool_internal.h"
#include "engine/runtime/pool_scratch.h"

namespace engine {

void Pool::CheckFillsBatch(std::uint64_t rows, const char* call) const {
  if (rows >= config_.batch_size) return;
  throw Error(ErrorKind::kNothingInFlight,
              std::string(call) + ": expected at least batch_size = " +
                  std::to_string(config_.batch_size) + " environments in flight, got " +
                  std::to_string(rows) + ": send() or async_reset() more first");
}

void Pool::Send(const ArrayView& actions, const ArrayView* ids, bool fills_batch) {
  CheckOpen();
  const std::lock_guard lock(state_mutex_);
  CheckOpen();  // no thread may start once Close has begun
  std::uint32_t n = 0;
  const std::uint32_t* const idle = ReadIds(ids, n);
  CheckSteppable(idle, n);
  if (fills_batch) CheckFillsBatch(queued_rows_ + n, "step");
  staging_.Stage(actions, idle, n);
  Enqueue(idle, n, false);
}

void Pool::SendReset(const ArrayView* ids, const ResetRequest& request) {
  CheckOpen();
  const std::lock_guard lock(state_mutex_);
  CheckOpen();
  std::uint32_t n = 0;
  const std::uint32_t* const idle = ReadIds(ids, n);
  crew_.EnsureStarted(config_.num_threads);  // may throw: before any seed is set
  for (std::uint32_t k = 0; k < n; ++k) {
    const std::uint32_t env = idle == nullptr ? k : idle[k];
    if (request.seed_by_env) group_->Seed(env, request.first_seed + env);
    if (!request.seeds.empty() && request.has_seed[k] != 0) group_->Seed(env, request.seeds[k]);
  }
  Enqueue(idle, n, true);
}

// Called with state_mutex_ held and every argument checked.
void Pool::Enqueue(const std::uint32_t* ids, std::uint32_t n, bool is_reset) {
  // These may throw: nothing has changed yet.
  crew_.EnsureStarted(config_.num_threads);
  if (receiver_scratch_ == nullptr) receiver_scratch_ = MakeScratch(config_.num_threads);
  const std::uint64_t last_batch =
      ordered() ? installed_batches_ : (sent_rows_ + n - 1) / config_.batch_size;
  if (ordered()) {
    if (open_batches_[0] == nullptr) open_batches_[0] = batch_memory_.Take();
  } else {
    for (; installed_batches_ <= last_batch; ++installed_batches_) {
      open_batches_[states_.SlotOf(installed_batches_)] = batch_memory_.Take();
    }
  }
  if (ids == nullptr) ids = all_ids_.data();
  MarkResets(ids, n, is_reset);
  ledger_.Mark(ids, n);
  sent_rows_ += n;
  queued_rows_ += n;
  const bool receiver_steps = ReceiverSteps();
  if (receiver_steps) {
    queue_.PushTo(receiver_scratch_->taker.own, ids, n);
  } else {
    queue_.Push(ids, n);
  }
  const double cost = CostOf(Op::kStep).ns_per_env();
  const std::uint32_t most = std::min(n, config_.num_threads);
  sent_at_ = TickClock::Now();
  left_to_receiver_.store(receiver_steps, std::memory_order_release);
  if (cost == 0.0) {
    crew_.Wake(most);  // an unknown cost may be a large one
  } else if (receiver_steps) {
    // Nobody is woken: the caller is expected in Recv before anyone could be.
  } else if (cost * static_cast<double>(queued_rows_) < kInlineNs ||
             (cost * n < kInlineNs && cost * static_cast<double>(queue_.size()) < kInlineNs)) {
    crew_.WakeUnlessAwake();  // Recv wakes one if that was not enough
  } else {
    const std::uint32_t seats = FreeSeats();
    if (seats > 0) crew_.Wake(std::max(HelpersFor(cost * n, std::min(most, seats)), 1U));
  }
}

// Writes only flags that change, which leaves the others' lines in the workers' caches.
void Pool::MarkResets(const std::uint32_t* ids, std::uint32_t n, bool is_reset) {
  std::uint32_t set = num_resets_.load(std::memory_order_relaxed);
  if (!is_reset && set == 0) return;
  for (std::uint32_t k = 0; k < n; ++k) {
    if ((resets_[ids[k]] != 0) == is_reset) continue;
    resets_[ids[k]] = is_reset;
    set = is_reset ? set + 1 : set - 1;
  }
  num_resets_.store(set, std::memory_order_relaxed);
}

bool Pool::RunQueued(Scratch& scratch, std::uint32_t worker) {
  const bool receiver = worker > config_.num_threads;
  const bool seated = receiver_seated_.load(std::memory_order_acquire);
  if (!seated || receiver) return RunQueuedIn(scratch, worker, seated);
  // All but one of the workers.
  bool worked = false;
  if (stepping_.fetch_add(1, std::memory_order_acq_rel) + 1 < config_.num_threads) {
    worked = RunQueuedIn(scratch, worker, seated);
  }
  stepping_.fetch_sub(1, std::memory_order_acq_rel);
  return worked;
}

bool Pool::RunQueuedIn(Scratch& scratch, std::uint32_t worker, bool seated) {
  CostModel& cost = CostOf(Op::kStep);
  // At least what is worth taking at once, at most what may hold up a batch.
  const std::uint32_t most = cost.EnvsIn(kPieceNs, kMaxChunk);
  const std::uint32_t least = config_.num_threads == 1 ? most : cost.EnvsIn(kMinPieceNs, kMaxChunk);
  const std::uint32_t n = queue_.Pop(scratch.taker, scratch.ids.data(), least, most);
  if (n == 0) return false;
  const std::uint64_t start = TickClock::Now();
  const auto is_reset = [this](std::uint32_t env) { return resets_[env] != 0; };
  const auto none_is_reset = [&] {
    return num_resets_.load(std::memory_order_relaxed) == 0 ||
           std::none_of(scratch.ids.begin(), scratch.ids.begin() + n, is_reset);
  };
  const bool receiver = worker > config_.num_threads;
  if (receiver && !seated && !ordered() && none_is_reset()) {
    ProcessDirect(scratch.ids.data(), n, worker);
  } else {
    ProcessChunk(scratch, n, worker);
  }
  const std::uint64_t ticks = TickClock::Now() - start;
  const double ns = Nanoseconds(ticks);
  if (receiver) NoteReceiverStep(ns, cost.ns_per_env() * n, seated);
  cost.Measured(ns, n);
  if (receiver) receiver_cost_.Measured(ns, n);
  telemetry_.Worked(worker, Tally{}, ticks);
  // The estimate at Send may have been too low: pass the word on. What is left to
  // the receiver is not for those who would wake.
  if (!receiver && !seated && crew_.sleeping() > 0 &&
      cost.ns_per_env() * static_cast<double>(queue_.size()) > kInlineNs) {
    crew_.Wake(crew_.spinning() + 1);
  }
  return true;
}

// Reserves the rows first and steps straight into them, in one pass. For the
// receiver only: were an environment slow, it would wait for it either way.
void Pool::ProcessDirect(const std::uint32_t* ids, std::uint32_t n, std::uint32_t writer) {
  const std::uint64_t ticket = states_.Reserve(n);
  for (std::uint32_t done = 0; done < n;) {
    const StateQueue<>::Place place = states_.PlaceOf(ticket + done);
    const std::uint32_t m = std::min(n - done, config_.batch_size - place.row);
    OpenBatch* const batch = open_batches_[place.slot];
    Tally tally;
    group_->StepRows({.ids = ids + done, .begin = 0, .end = m, .first_row = place.row},
                     staging_.slots(), batch->view(), tally);
    telemetry_.Worked(writer, tally, 0);
    batch->Count(tally);
    if (states_.Commit(place.slot, m)) batch_full_.Notify(1);
    done += m;
  }
}

void Pool::ProcessChunk(Scratch& scratch, std::uint32_t n, std::uint32_t worker) {
  for (std::uint32_t done = 0; done < n;) {
    const std::uint32_t* const ids = scratch.ids.data() + done;
    Tally tally;
    const std::uint32_t m = group_->Advance(ids, n - done, resets_.data(), staging_.slots(),
                                            scratch.stash->view(), scratch.outcomes.data(), tally);
    // Before any row is committed: who receives it finds it counted.
    telemetry_.Worked(worker, tally, 0);
    if (ordered()) {
      DeliverRows(scratch, 0, m, {.slot = 0, .row = 0}, ids, worker);
    } else {
      DeliverTickets(scratch, ids, m, worker);
    }
    done += m;
    if (closed()) return;
  }
}

void Pool::DeliverTickets(Scratch& scratch, const std::uint32_t* ids, std::uint32_t n,
                          std::uint32_t worker) {
  const std::uint64_t ticket = states_.Reserve(n);
  for (std::uint32_t done = 0; done < n;) {  // the rows may reach into the next batch
    const StateQueue<>::Place place = states_.PlaceOf(ticket + done);
    const std::uint32_t m = std::min(n - done, config_.batch_size - place.row);
    DeliverRows(scratch, done, m, place, ids, worker);
    done += m;
  }
}

// Writes outcomes [first, first + n) of environments ids[first...) into `place`
// (in ordered mode, into the rows of their ids) and reports the rows.
void Pool::DeliverRows(Scratch& scratch, std::uint32_t first, std::uint32_t n,
                       StateQueue<>::Place place, const std::uint32_t* ids, std::uint32_t worker) {
  OpenBatch* const batch = open_batches_[place.slot];
  const Outcome* const outcomes = scratch.outcomes.data() + first;
  Tally rows;
  group_->Deliver(ids + first, n, ordered() ? ids + first : nullptr, place.row, outcomes,
                  scratch.stash->view(), batch->view(), rows);
  telemetry_.Worked(worker, rows, 0);
  for (std::uint32_t k = 0; k < n; ++k) {
    rows.failures += outcomes[k].failed;
    rows.episodes += outcomes[k].terminated || outcomes[k].truncated;
  }
  batch->Count(rows);
  if (states_.Commit(place.slot, n) || draining_.load(std::memory_order_seq_cst)) {
    batch_full_.Notify(1);
  }
}

bool Pool::HasWork(std::uint32_t worker) const {
  if (!left_to_receiver_.load(std::memory_order_acquire) &&
      queue_.HasAny(scratch_[worker]->taker)) {
    if (!receiver_seated_.load(std::memory_order_acquire)) return true;
    if (stepping_.load(std::memory_order_acquire) + 1 < config_.num_threads) return true;
  }
  // In a job the caller is one of num_threads, so the last worker stays out.
  if (worker + 1 >= config_.num_threads) return false;
  return range_.epoch() != scratch_[worker]->epoch_seen;
}

std::unique_ptr<Pool::Scratch> Pool::MakeScratch(std::uint32_t lane) const {
  return std::make_unique<Scratch>(
      spec_, BatchExtras{.final_frames = config_.autoreset == AutoresetMode::kSameStep},
      range_.epoch() - 1, lane);
}

void Pool::Prepare(std::uint32_t worker) {
  // An epoch before the present one, so that the worker looks at the job that
  // it was started for.
  scratch_[worker] = MakeScratch(worker);
}

bool Pool::RunSome(std::uint32_t worker) {
  Scratch& scratch = *scratch_[worker];
  bool worked = false;
  if (worker + 1 < config_.num_threads) {
    const std::uint32_t epoch = range_.epoch();
    if (epoch != scratch.epoch_seen) {
      HelpJob(worker + 1, worker, nullptr, worked);
      scratch.epoch_seen = epoch;
    }
  }
  if (left_to_receiver_.load(std::memory_order_acquire)) return worked;
  return RunQueued(scratch, worker) || worked;
}

}  // namespace engine
