// The end of the asynchronous way: recv, and when its thread steps environments
// itself.
#include <algorithm>
#include <utility>

#include "engine/runtime/pool.h"
#include "engine/runtime/pool_internal.h"

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

// For the receiver, after a chunk: one slow environment among others must not hold
// it up again.
void Pool::NoteReceiverStep(double ns, double expected_ns, bool seated) {
  if (ns <= kSpikeNs) return;
  if (seated && ns > kSeatedStepNs && expected_ns < ns / 10.0) {
    const double away = std::min(ns / kSeatSavesNs, kMostRecvsAway);
    tight_recvs_.store(-static_cast<std::int32_t>(away), std::memory_order_relaxed);
  } else if (!seated && expected_ns < kSpikeNs / 10.0) {
    quick_recvs_.store(-kLoopRecvsAfterSpike, std::memory_order_relaxed);
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
    if (waited != Waited::kDone || batch) return waited;
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
  OpenBatch* const open = std::exchange(open_batches_[states_.Take()], nullptr);
  const std::uint32_t rows = config_.batch_size;
  const auto* const ids = reinterpret_cast<const std::uint32_t*>(open->view().env_id);
  ledger_.Clear(ids, rows);
  queued_rows_ -= rows;
  FinishBatch(batch_memory_, open, rows, batch);
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
  OpenBatch* const open = std::exchange(open_batches_[slot], nullptr);
  for (std::uint32_t env = 0; env < num_envs_; ++env) {
    if (ledger_.IsInFlight(env)) ledger_.Clear(&env, 1);
  }
  batch_memory_.Return(open);
  states_.DropPartial();
  sent_rows_ -= rest;
  if (!ordered()) --installed_batches_;
  queued_rows_ = 0;
  return Waited::kDone;
}

}  // namespace engine
