// The work of a pool: running a job on the caller and the workers, and queued
// environments on the workers.
#include <algorithm>
#include <exception>

#include "engine/base/error.h"
#include "engine/runtime/pool.h"
#include "engine/runtime/pool_scratch.h"

namespace engine {
namespace {

// Work that one thread does sooner than it could have had help: with every
// worker asleep (waking one takes 5 to 50 microseconds), and with one spinning.
constexpr double kInlineNs = 15'000.0;
constexpr double kInlineNsHot = 2'500.0;
// Making environments is done once: no thread is started for less than this.
constexpr double kInlineNsConstruct = 1'000'000.0;
// Steps that follow one another faster than this, so many times, are a loop in
// which workers are worth keeping awake (they spin longer than that).
constexpr double kShortGapNs = 25'000.0;
constexpr std::uint32_t kLoopSteps = 16;
// Pieces taken from a shared job or the queue: long against the cost of taking
// one (about 50 ns), short against a batch.
constexpr double kMinPieceNs = 1'000.0;
constexpr double kPieceNs = 5'000.0;
constexpr double kMaxPieceNs = 50'000.0;
// Waking one more thread pays off from about this much work.
constexpr double kWorkPerHelperNs = 3'000.0;
// A Recv that comes so soon after a Send is quick; so many in a row are a loop.
constexpr double kQuickRecvNs = 5'000.0;
constexpr std::int32_t kLoopRecvs = 16;
// A chunk that takes this long and ten times what was expected is a spike; after
// it the loop must prove itself for longer.
constexpr double kSpikeNs = 200'000.0;
constexpr std::int32_t kLoopRecvsAfterSpike = 100;
// Up to what workers' measurements the receiver tries to step a batch itself.
constexpr double kTryReceiverNs = 40'000.0;
// How long a caller that works itself goes without looking for Ctrl-C.
constexpr double kInterruptNs = 50'000'000.0;

std::uint32_t HelpersFor(double ns, std::uint32_t most) {
  return static_cast<std::uint32_t>(
      std::clamp(ns / kWorkPerHelperNs, 0.0, static_cast<double>(most)));
}

double Nanoseconds(std::uint64_t ticks) {
  return static_cast<double>(ticks) * TickClock::NanosecondsPerTick();
}

// Asks at most every kInterruptNs.
class InterruptTimer {
 public:
  explicit InterruptTimer(Interrupts* interrupts)
      : interrupts_(interrupts), last_(TickClock::Now()) {}
  bool Pending() {
    if (interrupts_ == nullptr) return false;
    const std::uint64_t now = TickClock::Now();
    if (Nanoseconds(now - last_) < kInterruptNs) return false;
    last_ = now;
    return interrupts_->Pending();
  }

 private:
  Interrupts* const interrupts_;
  std::uint64_t last_;
};

}  // namespace

// Runs items [begin, end) of the job as telemetry writer `writer`.
void Pool::RunItems(std::uint32_t begin, std::uint32_t end, std::uint32_t writer) {
  const Items items{.ids = job_.ids, .begin = begin, .end = end};
  const std::uint64_t start = TickClock::Now();
  Tally tally;
  switch (job_.op) {
    case Op::kStep:
      group_->StepRows(items, staging_.slots(), job_.block->view(), tally);
      break;
    case Op::kReset:
      group_->ResetRows(items, job_.plan, job_.block->view(), tally);
      break;
    case Op::kConstruct:
      try {
        group_->Construct(begin, end);
      } catch (...) {
        const std::lock_guard lock(construct_error_mutex_);
        if (!construct_error_) construct_error_ = std::current_exception();
      }
      break;
  }
  const std::uint64_t ticks = TickClock::Now() - start;
  job_.block->Count(tally);
  CostOf(job_.op).Measured(Nanoseconds(ticks), end - begin);
  telemetry_.Worked(writer, tally, job_.op == Op::kStep ? ticks : 0);
}

// The caller alone, as long as no more than limit_ns of work turns out to be left
// and no interrupt comes. Returns how many items it did.
std::uint32_t Pool::RunInline(double limit_ns, Interrupts& interrupts, bool& interrupted) {
  const CostModel& cost = CostOf(job_.op);
  InterruptTimer timer(&interrupts);
  const std::uint64_t start = TickClock::Now();
  std::uint32_t done = 0;
  for (;;) {
    const std::uint32_t size = std::min(cost.EnvsIn(kInlineNs, job_.n), job_.n - done);
    RunItems(done, done + size, config_.num_threads);
    done += size;
    if (done == job_.n) return done;
    // As they turn out now: the average would follow a jump too slowly.
    const double rest_ns = Nanoseconds(TickClock::Now() - start) / done * (job_.n - done);
    if (config_.num_threads > 1 && rest_ns > limit_ns) return done;
    interrupted = timer.Pending();
    if (interrupted) return done;
  }
}

// Offers the items from `first` on to the workers and wakes as many as pay off.
void Pool::ShareJob(std::uint32_t first, bool steal) {
  const CostModel& cost = CostOf(job_.op);
  const std::uint32_t n = job_.n - first;
  const std::uint32_t most = std::min(n, config_.num_threads) - 1;
  const std::uint32_t per_thread = (n + config_.num_threads - 1) / config_.num_threads;
  const std::uint32_t max_piece = cost.EnvsIn(kMaxPieceNs, per_thread);
  job_.first = first;
  max_piece_.store(max_piece, std::memory_order_relaxed);
  min_piece_.store(cost.EnvsIn(kMinPieceNs, max_piece), std::memory_order_relaxed);
  const std::uint32_t helpers = steal ? HelpersFor(cost.ns_per_env() * n, most) : most;
  if (steal && helpers > crew_.started()) {
    try {
      crew_.EnsureStarted(helpers);
    } catch (const Error&) {
      // Fewer threads do the same work; the caller alone would.
    }
  }
  range_.Publish(n, steal);
  // Should the worker that stays out of jobs run, a wake-up may be lost on it.
  const bool one_stays_out = crew_.started() == config_.num_threads;
  crew_.Wake(helpers > 0 && one_stays_out ? helpers + 1 : helpers);
}

// Takes pieces of the shared job until none is left. kInterrupted: others
// finish it. `worked` says whether there was anything.
Waited Pool::HelpJob(std::uint32_t shard, std::uint32_t writer, Interrupts* interrupts,
                     bool& worked) {
  InterruptTimer timer(interrupts);
  std::uint32_t finished = 0;
  Waited waited = Waited::kDone;
  for (;;) {
    const IndexRange piece = range_.Claim(shard, min_piece_.load(std::memory_order_relaxed),
                                          max_piece_.load(std::memory_order_relaxed));
    if (piece.empty()) break;
    RunItems(job_.first + piece.begin, job_.first + piece.end, writer);
    finished += piece.size();
    if (timer.Pending()) {
      waited = Waited::kInterrupted;
      break;
    }
    if (closed()) break;
  }
  worked = finished > 0;
  if (worked && range_.Finish(finished)) job_done_.Notify(1);
  return waited;
}

Waited Pool::RunJob(Interrupts& interrupts) {
  const bool alone = config_.num_threads == 1 || job_.n == 1;
  // Construction with workers started beforehand: memory is to be touched first
  // by the worker that will step it.
  const bool placing = job_.op == Op::kConstruct && crew_.started() > 0;
  const double predicted = PredictedJobNs();
  const double limit = InlineLimitNs();
  std::uint32_t done = 0;
  bool interrupted = false;
  if (!placing && (alone || predicted <= limit)) {
    done = RunInline(std::max(limit, kInlineNs), interrupts, interrupted);
    if (done == job_.n) {
      last_job_end_ = TickClock::Now();
      return Waited::kDone;
    }
  }
  const std::uint64_t shared_at = TickClock::Now();
  ShareJob(done, !placing);
  const Waited waited = interrupted ? Waited::kInterrupted : FinishSharedJob(interrupts, -1);
  // Release pairs with Recv, which finishes what is left.
  if (waited == Waited::kInterrupted) job_.interrupted.store(true, std::memory_order_release);
  last_job_end_ = TickClock::Now();
  if (!placing && waited == Waited::kDone) {
    sharing_.Shared(Nanoseconds(last_job_end_ - shared_at),
                    CostOf(job_.op).ns_per_env() * (job_.n - done));
  }
  return waited;
}

// Up to how much work the caller does alone.
double Pool::InlineLimitNs() {
  if (job_.op == Op::kConstruct) return kInlineNsConstruct;
  const double gap = Nanoseconds(TickClock::Now() - last_job_end_);
  quick_jobs_ = gap < kShortGapNs ? std::min(quick_jobs_ + 1, kLoopSteps) : 0;
  if (config_.num_threads == 1 || crew_.cpus() == 1) return kInlineNs;
  if (!sharing_.Try()) return SharingGain::kLightNs;
  return quick_jobs_ == kLoopSteps || crew_.spinning() > 0 ? kInlineNsHot : kInlineNs;
}

Waited Pool::FinishSharedJob(Interrupts& interrupts, std::int64_t timeout_ns) {
  bool worked = false;
  Waited waited = HelpJob(0, config_.num_threads, &interrupts, worked);
  if (waited == Waited::kDone) waited = WaitForJob(interrupts, timeout_ns);
  return waited;
}

bool Pool::HasWork(std::uint32_t worker) const {
  if (queue_.size() != 0 && !left_to_receiver_.load(std::memory_order_acquire)) return true;
  // In a job the caller is one of num_threads, so the last worker stays out.
  if (worker + 1 >= config_.num_threads) return false;
  return range_.epoch() != scratch_[worker]->epoch_seen;
}

std::unique_ptr<Pool::Scratch> Pool::MakeScratch() const {
  return std::make_unique<Scratch>(
      spec_, BatchExtras{.final_frames = config_.autoreset == AutoresetMode::kSameStep},
      range_.epoch() - 1);
}

void Pool::Prepare(std::uint32_t worker) {
  // An epoch before the present one, so that the worker looks at the job that
  // it was started for.
  scratch_[worker] = MakeScratch();
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

// Called with state_mutex_ held and every argument checked.
void Pool::Enqueue(const std::uint32_t* ids, std::uint32_t n, bool is_reset) {
  // These may throw: nothing has changed yet.
  crew_.EnsureStarted(config_.num_threads);
  if (receiver_scratch_ == nullptr) receiver_scratch_ = MakeScratch();
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
  for (std::uint32_t k = 0; k < n; ++k) {
    // Written only if it changes, which leaves the line in the workers' caches.
    if ((resets_[ids[k]] != 0) != is_reset) resets_[ids[k]] = is_reset;
  }
  ledger_.Mark(ids, n);
  sent_rows_ += n;
  queued_rows_ += n;
  queue_.Push(ids, n);
  const double cost = CostOf(Op::kStep).ns_per_env();
  const std::uint32_t most = std::min(n, config_.num_threads);
  sent_at_ = TickClock::Now();
  const bool receiver_steps = ReceiverSteps();
  left_to_receiver_.store(receiver_steps, std::memory_order_release);
  if (cost == 0.0) {
    crew_.Wake(most);  // an unknown cost may be a large one
  } else if (receiver_steps) {
    // Nobody is woken: the caller is expected in Recv before anyone could be.
  } else if (cost * static_cast<double>(queue_.size()) < kInlineNs) {
    crew_.WakeUnlessAwake();  // Recv wakes one if that was not enough
  } else {
    crew_.Wake(std::max(HelpersFor(cost * n, most), 1U));
  }
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

// At the start of a Recv; see ReceiverSteps.
void Pool::NoteRecv(std::uint64_t sent_at) {
  const std::int32_t quick = quick_recvs_.load(std::memory_order_relaxed);
  if (Nanoseconds(TickClock::Now() - sent_at) > kQuickRecvNs) {
    quick_recvs_.store(std::min(quick, 0), std::memory_order_relaxed);
  } else if (quick < kLoopRecvs) {
    quick_recvs_.store(quick + 1, std::memory_order_relaxed);
  }
}

// For the receiver: steps queued environments until a batch is full or others
// have to finish it.
void Pool::StepWhileReceiving() {
  while (!states_.Ready() && !closed() && ReceiverSteps()) {
    if (!RunQueued(*receiver_scratch_, config_.num_threads + 1)) break;
  }
  // What the receiver does not finish itself is everybody's.
  if (!states_.Ready() && left_to_receiver_.exchange(false, std::memory_order_acq_rel)) {
    crew_.Wake(config_.num_threads);
  }
}

bool Pool::RunQueued(Scratch& scratch, std::uint32_t worker) {
  CostModel& cost = CostOf(Op::kStep);
  const std::uint64_t queued = queue_.size();
  if (queued == 0) return false;
  const std::uint64_t share = (queued + config_.num_threads - 1) / config_.num_threads;
  // At least what is worth taking at once, at most a fair share of what waits.
  const std::uint32_t least = cost.EnvsIn(kMinPieceNs, kMaxChunk);
  const auto size =
      std::clamp(static_cast<std::uint32_t>(std::min<std::uint64_t>(share, kMaxChunk)), least,
                 std::max(least, cost.EnvsIn(kPieceNs, kMaxChunk)));
  const std::uint32_t n = queue_.Pop(scratch.ids.data(), size);
  if (n == 0) return false;
  const std::uint64_t start = TickClock::Now();
  const auto is_reset = [this](std::uint32_t env) { return resets_[env] != 0; };
  const bool receiver = worker > config_.num_threads;
  if (receiver && !ordered() &&
      std::none_of(scratch.ids.begin(), scratch.ids.begin() + n, is_reset)) {
    ProcessDirect(scratch.ids.data(), n, worker);
  } else {
    ProcessChunk(scratch, n, worker);
  }
  const std::uint64_t ticks = TickClock::Now() - start;
  const double ns = Nanoseconds(ticks);
  // One slow environment among light ones must not hold up the receiver again.
  if (receiver && ns > kSpikeNs && cost.ns_per_env() * n < kSpikeNs / 10.0) {
    quick_recvs_.store(-kLoopRecvsAfterSpike, std::memory_order_relaxed);
  }
  cost.Measured(ns, n);
  if (receiver) receiver_cost_.Measured(ns, n);
  telemetry_.Worked(worker, Tally{}, ticks);
  // The estimate at Send may have been too low: pass the word on.
  if (crew_.sleeping() > 0 && cost.ns_per_env() * static_cast<double>(queue_.size()) > kInlineNs) {
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
    rows.episodes += outcomes[k].stashed;
  }
  block->Count(rows);
  if (states_.Commit(place.slot, n) || draining_.load(std::memory_order_seq_cst)) {
    batch_full_.Notify(1);
  }
}

}  // namespace engine
