#include "engine/runtime/job_runner.h"

#include <algorithm>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/tick_clock.h"

namespace engine {

// The functions are in the order in which they are called: the caller begins alone or shares the
// job, takes part, and waits.
//
// Reading the clock takes about 10 ns, a hundredth of a short job. So the caller of a job that it
// does alone in one piece reads the clock only twice.
WaitResult JobRunner::Run(WaitContext& caller) {
  const std::uint64_t start = TickClock::Now();
  const double cost_ns = context_.cost(job_.kind).ns_per_env();
  const bool steps = job_.kind == JobKind::kStep;
  const bool may_share = job_.n > 1 && context_.machine.num_threads > 1;
  const bool measures = steps && may_share;
  if (steps) loop_.Called(TickClock::Nanoseconds(start - last_end_));
  const Workers workers = may_share ? context_.worker_counts() : Workers{};
  const JobPlan plan = PlanJob(context_.machine, workers,
                               {.kind = job_.kind,
                                .n = job_.n,
                                .cost_ns = cost_ns,
                                .tight_loop = loop_.tight(),
                                .sharing_pays = !measures || gain_.Pays()});
  if (!plan.keeps_lock) caller.Unlock();
  // The worker that will step an environment should touch its memory first.
  placing_.store(job_.kind == JobKind::kConstruct && context_.places_memory,
                 std::memory_order_relaxed);
  PartDone alone;
  last_end_ = start;
  if (plan.begins_alone && !places()) alone = RunAlone(plan, caller, last_end_);
  WaitResult waited = WaitResult::kDone;
  if (alone.done < job_.n && !context_.lifetime.closed()) {
    caller.Unlock();
    // The average reacts too slowly to a jump, so the latest measurement is used if it is larger.
    Share(alone.done, std::max(cost_ns, alone.ns_per_env));
    waited = alone.interrupted ? WaitResult::kInterrupted : Finish(caller);
    last_end_ = TickClock::Now();
    if (measures && alone.done == 0 && waited == WaitResult::kDone) {
      gain_.Record(true, TickClock::Nanoseconds(last_end_ - start), job_.n);
    }
  } else if (measures) {
    gain_.Record(false, TickClock::Nanoseconds(last_end_ - start), job_.n);
  }
  if (Recorder* const recorder = context_.telemetry.recorder(); recorder != nullptr && steps) {
    recorder->RanBatch(context_.batch_writer(), start, last_end_, job_.n);
  }
  return waited;
}

// The caller works alone until the job is done, more than plan.inline_ns of work is left, or an
// interrupt arrives. `now`: ticks, updated.
JobRunner::PartDone JobRunner::RunAlone(const JobPlan& plan, WaitContext& caller,
                                        std::uint64_t& now) {
  const std::uint64_t start = now;
  PartDone alone;
  for (;;) {
    const std::uint32_t size = std::min(plan.piece, job_.n - alone.done);
    const StopCondition stop(context_.lifetime.closed_flag(), now, kTuning.keep_lock_ns);
    alone.done += RunRange(alone.done, alone.done + size, context_.caller_writer(), stop, now);
    if (alone.done == job_.n || context_.lifetime.closed()) return alone;
    const double ns = TickClock::Nanoseconds(now - start);
    if (!KeepsLock(ns)) caller.Unlock();
    alone.ns_per_env = ns / alone.done;
    if (SharesRest(context_.machine, plan, alone.ns_per_env * (job_.n - alone.done))) {
      return alone;
    }
    alone.interrupted = caller.InterruptedWhileWorking(start);
    if (alone.interrupted) return alone;
  }
}

// Publishes the items from `first` on and wakes as many workers as are worthwhile.
void JobRunner::Share(std::uint32_t first, double cost_ns) {
  const std::uint32_t n = job_.n - first;
  const SharePlan plan = PlanShare(context_.machine, n, cost_ns);
  first_ = first;
  max_piece_.store(plan.max_piece, std::memory_order_relaxed);
  min_piece_.store(plan.min_piece, std::memory_order_relaxed);
  try {
    context_.workers.EnsureStarted(plan.helpers);
  } catch (const std::exception&) {
    // The system refuses threads or memory. The existing threads, or the caller alone, do the same
    // work.
  }
  range_.Publish(n, !places());
  // Each worker must take its own shard. All of them have been started.
  if (places()) return context_.workers.WakeAll();
  context_.workers.Wake(NumToWake(context_.machine, context_.worker_counts(), plan));
}

WaitResult JobRunner::Finish(WaitContext& caller) {
  // A step on this thread could exceed the timeout.
  const bool leaves = places() || (caller.has_deadline() && LeaveToWorkers());
  if (!leaves) {
    bool worked = false;
    const WaitResult waited = Work(0, context_.caller_writer(), &caller, worked);
    if (waited != WaitResult::kDone || range_.Done()) return waited;
  }
  const std::uint64_t start = TickClock::Now();
  const auto over = [&] { return range_.Done() || context_.lifetime.closed(); };
  const WaitResult end = caller.WaitUntil(done_, over, context_.SpinNs());
  context_.telemetry.Waited(context_.caller_writer(), start, TickClock::Now());
  return end;
}

// Starts and wakes workers, which do the rest of the job. Returns false if there are no workers.
bool JobRunner::LeaveToWorkers() {
  const std::uint32_t helpers = context_.machine.num_threads - 1;
  if (helpers == 0) return false;
  try {
    context_.workers.EnsureStarted(helpers);
  } catch (const std::exception&) {
    if (context_.worker_counts().started == 0) return false;
  }
  context_.workers.WakeAll();
  return true;
}

bool JobRunner::Help(std::uint32_t worker, std::uint32_t& epoch) {
  const std::uint32_t now = range_.epoch();
  if (now == epoch) return false;
  bool worked = false;
  const bool is_last = worker + 1 == context_.machine.num_threads;
  if (!is_last || places()) Work(is_last ? 0 : worker + 1, worker, nullptr, worked);
  epoch = now;
  return worked;
}

// Takes pieces of the shared job until none is left. If the result is not kDone, the rest of the
// job is left to other threads and to Finish.
WaitResult JobRunner::Work(std::uint32_t shard, std::uint32_t writer, WaitContext* caller,
                           bool& worked) {
  const std::uint64_t start = TickClock::Now();
  std::uint64_t now = start;
  Recorder* const recorder = context_.telemetry.recorder();
  bool searched = false;
  const StopCondition never_late(context_.lifetime.closed_flag());
  std::uint32_t finished = 0;
  std::uint32_t index = 0;  // of one finished item; all of them are in the same shard
  // Called before a search in the shards of other threads, and at the end.
  const auto report = [&] {
    searched = true;
    if (finished > 0 && range_.Finish(index, std::exchange(finished, 0U))) done_.Notify(1);
  };
  WaitResult waited = WaitResult::kDone;
  while (waited == WaitResult::kDone) {
    const IndexRange piece = range_.Claim(shard, min_piece_.load(std::memory_order_relaxed),
                                          max_piece_.load(std::memory_order_relaxed), report);
    if (piece.empty()) break;
    worked = true;
    const std::uint64_t before = std::exchange(now, TickClock::Now());  // a search may take time
    if (std::exchange(searched, false) && recorder != nullptr) {
      recorder->Add(writer, Activity::kSearch, before, now, 1);
    }
    for (std::uint32_t begin = piece.begin; begin < piece.end;) {
      begin += RunRange(first_ + begin, first_ + piece.end, writer, never_late, now);
      if (context_.lifetime.closed()) return WaitResult::kDone;
    }
    index = piece.begin;
    finished += piece.size();
    if (caller != nullptr) waited = caller->CheckLimits(start);
  }
  report();
  if (recorder != nullptr) recorder->Add(writer, Activity::kSearch, now, TickClock::Now());
  return waited;
}

// Runs items [begin, end) of the job. Returns the number of items that were run, which is smaller
// if `stop` ended the loop. `now`: ticks, updated.
std::uint32_t JobRunner::RunRange(std::uint32_t begin, std::uint32_t end, std::uint32_t writer,
                                  const StopCondition& stop, std::uint64_t& now) {
  StepCounts counts;
  std::uint32_t done = end - begin;
  if (job_.kind == JobKind::kConstruct) {
    Construct(begin, end);
  } else {
    context_.telemetry.Begins(writer, now, begin, end - begin, false);
    done = job_.RunItems(context_.group, context_.actions.slots(), begin, end, stop, counts);
    context_.telemetry.Ends(writer);
  }
  const std::uint64_t start = std::exchange(now, TickClock::Now());
  if (job_.batch != nullptr) job_.batch->Count(counts);
  if (done > 0) {
    const double ns = TickClock::Nanoseconds(now - start);
    context_.cost(job_.kind).Measured(ns, done);
    if (job_.kind == JobKind::kStep && ns >= Telemetry::kLongStepNs * done) {
      for (std::uint32_t item = begin; item < begin + done; ++item) {
        context_.telemetry.Stepped(job_.ids.empty() ? item : job_.ids[item], ns / done);
      }
    }
  }
  context_.telemetry.Worked(writer, counts, job_.kind == JobKind::kStep ? now - start : 0);
  if (Recorder* const recorder = context_.telemetry.recorder()) {
    Record(*recorder, writer, start, now, done);
  }
  return done;
}

void JobRunner::Record(Recorder& recorder, std::uint32_t writer, std::uint64_t start,
                       std::uint64_t end, std::uint32_t n) const {
  constexpr Activity kOf[kNumJobKinds] = {Activity::kConstruct, Activity::kStep, Activity::kReset,
                                          Activity::kRender, Activity::kCallMethod};
  recorder.Ran(writer, kOf[static_cast<std::size_t>(job_.kind)], start, end, n);
}

void JobRunner::Construct(std::uint32_t begin, std::uint32_t end) {
  try {
    context_.group.Construct(begin, end);
  } catch (...) {
    const ScopedLock lock(error_mutex_);
    if (!error_) error_ = std::current_exception();
  }
}

void JobRunner::CheckConstructed() const {
  const ScopedLock lock(error_mutex_);  // an interrupted job continues on other threads
  if (error_) std::rethrow_exception(error_);
}

}  // namespace engine
