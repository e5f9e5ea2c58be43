// The asynchronous way: send, the workers' queue, rows of open batches, recv.
#include <algorithm>
#include <utility>

#include "engine/base/error.h"
#include "engine/runtime/pool.h"
#include "engine/runtime/pool_internal.h"
#include "engine/runtime/pool_scratch.h"

namespace engine {
namespace {

// A Recv that comes so soon after a Send is quick; so many in a row are a loop.
constexpr double kQuickRecvNs = 5'000.0;
constexpr std::int32_t kLoopRecvs = 16;
// A chunk that takes this long and ten times what was expected is a spike; after
// it the loop must prove itself for longer.
constexpr double kSpikeNs = 200'000.0;
constexpr std::int32_t kLoopRecvsAfterSpike = 100;
// Up to what workers' measurements the receiver tries to step a batch itself.
constexpr double kTryReceiverNs = 40'000.0;
// The receiver takes a worker's seat where it is away, between one Recv and the
// next, for no longer than this, so often (twice as often, and one longer absence
// does not count); where an environment's step takes no longer than that, and for
// so long in one Recv.
constexpr double kTightAwayNs = 100'000.0;
constexpr std::int32_t kTightRecvs = 16;
constexpr double kSeatedStepNs = 1'000'000.0;
constexpr double kSeatedNs = 20'000'000.0;
// What a Recv in a seat saves. After a step that held the receiver up, it stays
// away for as many Recvs as save that time: however often such steps come, they
// cost no more than seats would save. Whether the environment was slow or the
// processor was taken away makes no difference to that, and cannot always be told
// (the host of a virtual machine takes it, for 1 to 2 ms, unseen).
constexpr double kSeatSavesNs = 5'000.0;
constexpr double kMostRecvsAway = 1e9;
// How long the receiver lets queued work lie before it wakes another worker.
constexpr double kStuckNs = 10'000.0;

}  // namespace

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
    if (open_blocks_[0] == nullptr) open_blocks_[0] = batch_buffer_->Take();
  } else {
    for (; installed_batches_ <= last_batch; ++installed_batches_) {
      open_blocks_[states_.SlotOf(installed_batches_)] = batch_buffer_->Take();
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

// How many more workers may step.
std::uint32_t Pool::FreeSeats() {
  if (!receiver_seated_.load(std::memory_order_acquire)) return config_.num_threads;
  const std::uint32_t taken = 1 + stepping_.fetch_add(0, std::memory_order_acq_rel);
  return config_.num_threads - std::min(taken, config_.num_threads);
}

// Whether the receiver steps queued environments itself: when a batch is lighter
// than handing it to another processor and back (about 100 cache lines), and
// Recv has been following Send at once. It takes the seat of a worker that
// sleeps, so that no more than num_threads step at a time.
bool Pool::ReceiverSteps() const {
  if (quick_recvs_.load(std::memory_order_relaxed) < kLoopRecvs) return false;
  if (crew_.sleeping() == 0 && crew_.started() == config_.num_threads) return false;
  // What workers measure includes fetching everything from other processors'
  // caches; what the receiver measured itself is the better guide, once it has.
  const double own_ns = receiver_cost_.ns_per_env() * config_.batch_size;
  if (own_ns > 0.0) return own_ns < kInlineNs;
  const double batch_ns = CostOf(Op::kStep).ns_per_env() * config_.batch_size;
  return batch_ns > 0.0 && batch_ns < kTryReceiverNs;
}

// Whether the receiver steps heavy environments, too: where there are as many
// workers as processors, a receiver that sleeps takes one from them each time it
// wakes up, and waking it costs more than what it does then (a tenth of the
// batches of 8 HalfCheetahs on two processors). It steps one at a time and looks
// whether the batch is full in between; one worker stays out. A receiver that is
// away for longer would leave that worker's seat empty.
bool Pool::ReceiverSits(std::int64_t timeout_ns) const {
  const double cost = CostOf(Op::kStep).ns_per_env();
  return tight_recvs_.load(std::memory_order_relaxed) >= kTightRecvs &&
         config_.num_threads >= crew_.cpus() && cost <= kSeatedStepNs &&
         cost * config_.batch_size > kInlineNs &&
         (timeout_ns < 0 || static_cast<double>(timeout_ns) > kSeatedNs);
}

void Pool::SetSeated(bool seated) {
  if (receiver_seated_.load(std::memory_order_relaxed) == seated) return;
  receiver_seated_.store(seated, std::memory_order_release);
  if (!seated) crew_.Wake(1);
}

// At the start of a Recv, with state_mutex_ held; see ReceiverSteps and ReceiverSits.
void Pool::NoteRecv(std::int64_t timeout_ns) {
  const std::uint64_t now = TickClock::Now();
  const bool tight = Nanoseconds(now - received_at_) < kTightAwayNs;
  const std::int32_t recvs = tight_recvs_.load(std::memory_order_relaxed);
  tight_recvs_.store(tight ? std::min(recvs + 1, 2 * kTightRecvs)
                           : std::max(recvs - kTightRecvs, std::min(recvs, 0)),
                     std::memory_order_relaxed);
  const std::int32_t quick = quick_recvs_.load(std::memory_order_relaxed);
  if (Nanoseconds(now - sent_at_) > kQuickRecvNs) {
    quick_recvs_.store(std::min(quick, 0), std::memory_order_relaxed);
  } else if (quick < kLoopRecvs) {
    quick_recvs_.store(quick + 1, std::memory_order_relaxed);
  }
  SetSeated(ReceiverSits(timeout_ns));
}

// For the receiver: steps queued environments until a batch is full or others
// have to finish it.
void Pool::StepWhileReceiving() {
  const bool seated = receiver_seated_.load(std::memory_order_relaxed);
  const std::uint64_t start = TickClock::Now();
  while (!states_.Ready() && !closed() && (seated || ReceiverSteps())) {
    if (!RunQueued(*receiver_scratch_, config_.num_threads + 1)) break;
    if (seated && Nanoseconds(TickClock::Now() - start) > kSeatedNs) break;
  }
  // Whoever waits elsewhere, for Ctrl-C too, leaves the work to the workers.
  if (seated && !states_.Ready() && queue_.size() != 0) SetSeated(false);
  // What the receiver does not finish itself is everybody's.
  if (!states_.Ready() && left_to_receiver_.exchange(false, std::memory_order_acq_rel)) {
    crew_.Wake(config_.num_threads);
  }
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
  // One slow environment among others must not hold up the receiver again.
  if (receiver && ns > kSpikeNs) {
    const double expected = cost.ns_per_env() * n;
    if (seated && ns > kSeatedStepNs && expected < ns / 10.0) {
      const double away = std::min(ns / kSeatSavesNs, kMostRecvsAway);
      tight_recvs_.store(-static_cast<std::int32_t>(away), std::memory_order_relaxed);
    } else if (!seated && expected < kSpikeNs / 10.0) {
      quick_recvs_.store(-kLoopRecvsAfterSpike, std::memory_order_relaxed);
    }
  }
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
    Block* const block = open_blocks_[place.slot];
    Tally tally;
    group_->StepRows({.ids = ids + done, .begin = 0, .end = m, .first_row = place.row},
                     staging_.slots(), block->view(), tally);
    telemetry_.Worked(writer, tally, 0);
    block->Count(tally);
    if (states_.Commit(place.slot, m)) batch_full_.Notify(1);
    done += m;
  }
}

void Pool::ProcessChunk(Scratch& scratch, std::uint32_t n, std::uint32_t worker) {
  for (std::uint32_t done = 0; done < n;) {
    const std::uint32_t* const ids = scratch.ids.data() + done;
    Tally tally;
    const std::uint32_t m = group_->Advance(ids, n - done, resets_.data(), staging_.slots(),
                                            scratch.stash.view(), scratch.outcomes.data(), tally);
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
  Block* const block = open_blocks_[place.slot];
  const Outcome* const outcomes = scratch.outcomes.data() + first;
  Tally rows;
  group_->Deliver(ids + first, n, ordered() ? ids + first : nullptr, place.row, outcomes,
                  scratch.stash.view(), block->view(), rows);
  telemetry_.Worked(worker, rows, 0);
  for (std::uint32_t k = 0; k < n; ++k) {
    rows.failures += outcomes[k].failed;
    rows.episodes += outcomes[k].terminated || outcomes[k].truncated;
  }
  block->Count(rows);
  if (states_.Commit(place.slot, n) || draining_.load(std::memory_order_seq_cst)) {
    batch_full_.Notify(1);
  }
}

// A worker that was awake when light work was queued may have met a heavy
// environment since: if work still lies there after a while, wake another.
template <class Ready>
void Pool::WakeIfStuck(Ready&& ready) {
  const auto moves = [&] { return ready() || queue_.size() == 0; };
  if (!Parker<>::Spin(moves, CallerMaySpin() ? kStuckNs : 0.0)) crew_.Wake(1);
}

Waited Pool::Recv(Interrupts& interrupts, std::int64_t timeout_ns, Batch& batch) {
  CheckOpen();
  if (job_.interrupted.load(std::memory_order_acquire)) {
    const Waited waited = RecvJob(interrupts, timeout_ns, batch);
    if (waited != Waited::kDone || batch.block != nullptr) return waited;
  }
  {
    const std::lock_guard lock(state_mutex_);
    CheckFillsBatch(queued_rows_, "recv");
    NoteRecv(timeout_ns);
  }
  const auto ready = [&] { return states_.Ready() || closed(); };
  StepWhileReceiving();
  if (!ready()) {
    const std::uint64_t start = TickClock::Now();
    WakeIfStuck(ready);
    const Waited waited = WaitUntil(batch_full_, ready, interrupts, timeout_ns);
    telemetry_.Waited(config_.num_threads + 1, TickClock::Now() - start);
    if (waited != Waited::kDone) return waited;
  }
  CheckOpen();
  const std::lock_guard lock(state_mutex_);
  Block* const block = std::exchange(open_blocks_[states_.Take()], nullptr);
  const std::uint32_t rows = config_.batch_size;
  const auto* const ids = reinterpret_cast<const std::uint32_t*>(block->view().env_id);
  ledger_.Clear(ids, rows);
  queued_rows_ -= rows;
  FinishBatch(block, rows, batch);
  received_at_ = TickClock::Now();
  return Waited::kDone;
}

Waited Pool::Drain(Interrupts& interrupts) {
  for (;;) {
    Batch dropped;
    {
      const std::lock_guard lock(state_mutex_);
      CheckOpen();
      const bool job_waits = job_.interrupted.load(std::memory_order_acquire);
      if (!job_waits && queued_rows_ < config_.batch_size) break;
    }
    const Waited waited = Recv(interrupts, -1, dropped);
    if (waited != Waited::kDone) return waited;
    if (dropped.block != nullptr) BatchBuffer::EndLease(dropped.block);
  }
  std::uint32_t rest = 0;
  {
    const std::lock_guard lock(state_mutex_);
    rest = static_cast<std::uint32_t>(queued_rows_);
  }
  if (rest == 0) return Waited::kDone;
  // A worker commits and then looks at draining_, this thread sets it and then
  // looks at what is committed; all four are seq_cst, so one sees the other.
  StepWhileReceiving();
  WakeIfStuck([&] { return states_.WrittenInHead() == rest; });
  draining_.store(true, std::memory_order_seq_cst);
  const Waited waited = WaitUntil(
      batch_full_, [&] { return states_.WrittenInHead() == rest || closed(); }, interrupts, -1);
  draining_.store(false, std::memory_order_relaxed);
  if (waited != Waited::kDone) return waited;
  CheckOpen();
  const std::lock_guard lock(state_mutex_);
  const std::uint32_t slot = states_.head_slot();
  Block* const block = std::exchange(open_blocks_[slot], nullptr);
  for (std::uint32_t env = 0; env < num_envs_; ++env) {
    if (ledger_.IsInFlight(env)) ledger_.Clear(&env, 1);
  }
  batch_buffer_->Return(block);
  states_.DropPartial();
  sent_rows_ -= rest;
  if (!ordered()) --installed_batches_;
  queued_rows_ = 0;
  return Waited::kDone;
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
