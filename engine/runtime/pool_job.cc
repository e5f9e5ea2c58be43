// Synchronous calls at work: the caller alone, or the caller and the workers.
#include <algorithm>
#include <exception>

#include "engine/base/error.h"
#include "engine/runtime/pool.h"
#include "engine/runtime/pool_internal.h"

namespace engine {
namespace {

// Making environments is done once: no thread is started for less than this.
constexpr double kInlineNsConstruct = 1'000'000.0;
// Steps that follow one another faster than this, so many times, are a loop in
// which workers are worth keeping awake (they spin longer than that).
constexpr double kShortGapNs = 25'000.0;
constexpr std::uint32_t kLoopSteps = 16;
// How long a caller that works itself goes without looking for Ctrl-C.
constexpr double kInterruptNs = 50'000'000.0;

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
      group_->StepRows(items, staging_.slots(), job_.batch->view(), tally);
      break;
    case Op::kReset:
      group_->ResetRows(items, job_.plan, job_.batch->view(), tally);
      break;
    case Op::kRender:
      group_->RenderRows(items, job_.pictures, tally);
      break;
    case Op::kConstruct:
      try {
        group_->Construct(begin, end);
        // On their way through the queue they begin where their memory is.
        for (std::uint32_t env = begin; env < end; ++env) {
          queue_.SetHome(env, std::min(writer, config_.num_threads));
        }
      } catch (...) {
        const std::lock_guard lock(construct_error_mutex_);
        if (!construct_error_) construct_error_ = std::current_exception();
      }
      break;
  }
  const std::uint64_t ticks = TickClock::Now() - start;
  if (job_.batch != nullptr) job_.batch->Count(tally);
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
    const std::uint64_t start = TickClock::Now();
    done = RunInline(std::max(limit, kInlineNs), interrupts, interrupted);
    if (done == job_.n) {
      last_job_end_ = TickClock::Now();
      if (job_.op == Op::kStep) sharing_.Alone(Nanoseconds(last_job_end_ - start), done);
      return Waited::kDone;
    }
  }
  const std::uint64_t shared_at = TickClock::Now();
  ShareJob(done, !placing);
  const Waited waited = interrupted ? Waited::kInterrupted : FinishSharedJob(interrupts, -1);
  // Release pairs with Recv, which finishes what is left.
  if (waited == Waited::kInterrupted) job_.interrupted.store(true, std::memory_order_release);
  last_job_end_ = TickClock::Now();
  if (job_.op == Op::kStep && waited == Waited::kDone) {
    sharing_.Shared(Nanoseconds(last_job_end_ - shared_at), job_.n - done);
  }
  return waited;
}

// Up to how much work the caller does alone.
double Pool::InlineLimitNs() {
  if (job_.op == Op::kConstruct) return kInlineNsConstruct;
  if (job_.op == Op::kRender) return kInlineNs;  // says nothing about the steps' loop
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

Waited Pool::WaitForJob(Interrupts& interrupts, std::int64_t timeout_ns) {
  if (range_.Done()) return Waited::kDone;
  const std::uint64_t start = TickClock::Now();
  const Waited waited =
      WaitUntil(job_done_, [&] { return range_.Done() || closed(); }, interrupts, timeout_ns);
  telemetry_.Waited(config_.num_threads, TickClock::Now() - start);
  if (waited == Waited::kDone && !range_.Done()) CheckOpen();
  return waited;
}

Waited Pool::RecvJob(Interrupts& interrupts, std::int64_t timeout_ns, Batch& batch) {
  const std::lock_guard lock(job_mutex_);
  if (!job_.interrupted.load(std::memory_order_relaxed)) return Waited::kDone;
  const Waited waited = FinishSharedJob(interrupts, timeout_ns);
  if (waited == Waited::kDone) {
    job_.interrupted.store(false, std::memory_order_relaxed);
    batch = EndJob();
  }
  return waited;
}

}  // namespace engine
