#include "engine/runtime/job_runner.h"

#include <algorithm>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/tick_clock.h"
#include "engine/runtime/thread_executor.h"

namespace engine {
namespace {

double NsSince(std::uint64_t ticks) {
  return static_cast<double>(TickClock::Now() - ticks) * TickClock::NanosecondsPerTick();
}

}  // namespace

// Top down: the caller begins alone, or shares all; then it works along and waits.
Waited JobRunner::Run(Caller& caller) {
  const double cost_ns = cost(job_.kind).ns_per_env();
  if (job_.kind == JobKind::kStep) loop_.Called(NsSince(last_end_));
  const JobPlan plan =
      PlanJob(executor_.machine(), executor_.worker_counts(),
              {.kind = job_.kind, .n = job_.n, .cost_ns = cost_ns, .tight_loop = loop_.tight()});
  if (!plan.keeps_lock) caller.Unlock();
  // Memory is to be touched first by the worker that will step it.
  const bool placing = job_.kind == JobKind::kConstruct && executor_.places_memory();
  Begun begun;
  if (plan.begins_alone && !placing) begun = RunAlone(plan, caller);
  Waited waited = Waited::kDone;
  if (begun.done < job_.n && !executor_.lifetime().closed()) {
    caller.Unlock();
    // An average follows a jump too slowly: what has just been seen counts, if it is more.
    Share(begun.done, std::max(cost_ns, begun.ns_per_env));
    waited = begun.interrupted ? Waited::kInterrupted : Finish(caller);
  }
  last_end_ = TickClock::Now();
  return waited;
}

// The caller alone, as long as no more than plan.inline_ns of work turns out to be left and no
// interrupt comes.
JobRunner::Begun JobRunner::RunAlone(const JobPlan& plan, Caller& caller) {
  const std::uint64_t start = TickClock::Now();
  Begun begun;
  for (;;) {
    const std::uint32_t size = std::min(plan.piece, job_.n - begun.done);
    const Pace pace(executor_.lifetime().closed_flag(), TickClock::Now(), kTuning.keep_lock_ns);
    begun.done += RunRange(begun.done, begun.done + size, caller_writer_, pace);
    if (begun.done == job_.n || executor_.lifetime().closed()) return begun;
    const double ns = NsSince(start);
    if (ns > kTuning.keep_lock_ns) caller.Unlock();
    begun.ns_per_env = ns / begun.done;
    if (SharesRest(executor_.machine(), plan, begun.ns_per_env * (job_.n - begun.done))) {
      return begun;
    }
    begun.interrupted = caller.InterruptedWhileWorking(start);
    if (begun.interrupted) return begun;
  }
}

// Offers the items from `first` on to the workers and wakes as many as pay off.
void JobRunner::Share(std::uint32_t first, double cost_ns) {
  const std::uint32_t n = job_.n - first;
  SharePlan plan = PlanShare(executor_.machine(), n, cost_ns);
  const bool placing = job_.kind == JobKind::kConstruct && executor_.places_memory();
  if (placing) plan.helpers = executor_.machine().num_threads - 1;
  first_ = first;
  max_piece_.store(plan.max_piece, std::memory_order_relaxed);
  min_piece_.store(plan.min_piece, std::memory_order_relaxed);
  try {
    executor_.StartUpTo(plan.helpers);
  } catch (const std::exception&) {
    // Refused by the system, or no memory. Fewer threads do the same work; the caller alone would.
  }
  range_.Publish(n, !placing);
  // Each worker has a part of its own.
  if (placing) return executor_.WakeAll();
  // Should the worker that stays out of jobs run, a wake-up may be lost on it.
  const bool one_stays_out = executor_.worker_counts().started == executor_.machine().num_threads;
  executor_.Wake(plan.helpers > 0 && one_stays_out ? plan.helpers + 1 : plan.helpers);
}

Waited JobRunner::Finish(Caller& caller) {
  // What this thread stepped itself might outlive a timeout.
  if (!caller.has_deadline() || !LeaveToWorkers()) {
    bool worked = false;
    const Waited waited = Work(0, caller_writer_, &caller, worked);
    if (waited != Waited::kDone || range_.Done()) return waited;
  }
  const std::uint64_t start = TickClock::Now();
  const auto over = [&] { return range_.Done() || executor_.lifetime().closed(); };
  const Waited end = caller.WaitUntil(done_, over, executor_.SpinNs());
  executor_.telemetry().Waited(caller_writer_, TickClock::Now() - start);
  return end;
}

// Whether workers do the rest of the job; false where there are none.
bool JobRunner::LeaveToWorkers() {
  const std::uint32_t helpers = executor_.machine().num_threads - 1;
  if (helpers == 0) return false;
  try {
    executor_.StartUpTo(helpers);
  } catch (const std::exception&) {
    if (executor_.worker_counts().started == 0) return false;
  }
  executor_.WakeAll();
  return true;
}

bool JobRunner::Help(std::uint32_t worker, std::uint32_t& epoch) {
  const std::uint32_t now = range_.epoch();
  if (now == epoch) return false;
  bool worked = false;
  Work(worker + 1, worker, nullptr, worked);
  epoch = now;
  return worked;
}

// Takes pieces of the shared job until none is left. kInterrupted: others finish it.
Waited JobRunner::Work(std::uint32_t shard, std::uint32_t writer, Caller* caller, bool& worked) {
  const std::uint64_t start = TickClock::Now();
  const Pace never_late(executor_.lifetime().closed_flag());
  std::uint32_t finished = 0;
  // Before others' shards are looked through for more, and at the end.
  const auto report = [&] {
    if (finished > 0 && range_.Finish(std::exchange(finished, 0U))) done_.Notify(1);
  };
  Waited waited = Waited::kDone;
  while (waited == Waited::kDone) {
    const IndexRange piece = range_.Claim(shard, min_piece_.load(std::memory_order_relaxed),
                                          max_piece_.load(std::memory_order_relaxed), report);
    if (piece.empty()) break;
    worked = true;
    for (std::uint32_t begin = piece.begin; begin < piece.end;) {
      begin += RunRange(first_ + begin, first_ + piece.end, writer, never_late);
      if (executor_.lifetime().closed()) return Waited::kDone;
    }
    finished += piece.size();
    if (caller != nullptr) waited = caller->MayWaitAgain(start);
  }
  report();
  return waited;
}

// Runs items [begin, end) of the job; returns how many: fewer when the pace was over.
std::uint32_t JobRunner::RunRange(std::uint32_t begin, std::uint32_t end, std::uint32_t writer,
                                  const Pace& pace) {
  const EnvRange range = job_.Envs(begin, end);
  const std::uint64_t start = TickClock::Now();
  EnvGroup& group = executor_.group();
  StepCounts counts;
  std::uint32_t done = end - begin;
  switch (job_.kind) {
    case JobKind::kStep:
      done = group.StepRows(range, executor_.actions().slots(), job_.batch->view(), pace, counts);
      break;
    case JobKind::kReset:
      done = group.ResetRows(range, job_.plan, job_.batch->view(), pace, counts);
      break;
    case JobKind::kRender:
      done = group.RenderRows(range, job_.pictures, pace, counts);
      break;
    case JobKind::kConstruct:
      Construct(begin, end);
      break;
  }
  const std::uint64_t ticks = TickClock::Now() - start;
  if (job_.batch != nullptr) job_.batch->Count(counts);
  if (done > 0) {
    cost(job_.kind).Measured(static_cast<double>(ticks) * TickClock::NanosecondsPerTick(), done);
  }
  executor_.telemetry().Worked(writer, counts, job_.kind == JobKind::kStep ? ticks : 0);
  return done;
}

void JobRunner::Construct(std::uint32_t begin, std::uint32_t end) {
  try {
    executor_.group().Construct(begin, end);
  } catch (...) {
    const std::lock_guard lock(error_mutex_);
    if (!error_) error_ = std::current_exception();
  }
}

void JobRunner::CheckConstructed() const {
  const std::lock_guard lock(error_mutex_);  // an interrupted job goes on
  if (error_) std::rethrow_exception(error_);
}

}  // namespace engine
