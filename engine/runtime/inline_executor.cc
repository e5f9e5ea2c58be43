#include "engine/runtime/inline_executor.h"

#include <algorithm>
#include <utility>

#include "engine/base/tick_clock.h"

namespace engine {

InlineExecutor::InlineExecutor(std::unique_ptr<EnvGroup> group, std::shared_ptr<ActionSink> actions,
                               const BatchConfig& config)
    : num_envs_(group->num_envs()),
      ordered_(config.batch_size == num_envs_),
      group_(std::move(group)),
      actions_(std::move(actions)),
      frame_memory_(group_->spec(), 1, {.final_frames = config.extras.final_frames},
                    HeapAllocator::Global(), 0),
      pending_final_frame_(frame_memory_.Take()),
      resets_(num_envs_, 0),
      queue_(num_envs_),
      batches_(group_->spec(), num_envs_, config, changed_, UINT32_MAX, config.batch_size,
               (num_envs_ + config.batch_size - 1) / config.batch_size) {}

// --- Jobs ----------------------------------------------------------------------------------------

WaitResult InlineExecutor::Construct(WaitContext& /*caller*/) {
  group_->Construct(0, num_envs_);
  return WaitResult::kDone;
}

WaitResult InlineExecutor::Run(WaitContext& caller) {
  done_ = 0;
  return Finish(caller);
}

WaitResult InlineExecutor::Finish(WaitContext& caller) {
  while (done_ < job_.n && !lifetime_.closed()) {
    const std::int64_t left_ns = caller.LeftNs();
    if (left_ns == 0) return WaitResult::kTimedOut;
    done_ += RunRange(done_, std::min(kTuning.interrupt_ns, left_ns));
    // RunRange has stopped early: its time limit has passed, or an interrupt arrived while an
    // environment ran.
    if (done_ < job_.n && caller.Interrupted()) return WaitResult::kInterrupted;
  }
  return WaitResult::kDone;
}

// Runs items from `begin` on for about `most_ns`. Returns the number of items run.
std::uint32_t InlineExecutor::RunRange(std::uint32_t begin, std::int64_t most_ns) {
  const std::uint64_t start = TickClock::Now();
  const StopCondition stop(lifetime_.closed_flag(), start, static_cast<double>(most_ns));
  StepCounts counts;
  const std::uint32_t done = job_.RunItems(*group_, actions_->slots(), begin, job_.n, stop, counts);
  if (job_.batch != nullptr) job_.batch->Count(counts);
  Count(counts, job_.kind == JobKind::kStep ? TickClock::Now() - start : 0);
  return done;
}

// --- Queued environments -------------------------------------------------------------------------

void InlineExecutor::Push(const std::uint32_t* ids, std::uint32_t n, bool resets) {
  for (std::uint32_t k = 0; k < n; ++k) resets_[ids[k]] = resets ? 1 : 0;
  queue_.Push(ids, n);
  changed_.parker.Notify(1);
}

template <class Over>
WaitResult InlineExecutor::WaitUntil(Over&& over, WaitContext& caller) {
  const auto over_or_closed = [&] { return over() || lifetime_.closed(); };
  while (!over_or_closed()) {
    if (HasWork() && stepping_mutex_.try_lock()) {
      stepping_.store(true, std::memory_order_relaxed);
      const WaitResult waited = StepQueued(over_or_closed, caller);
      stepping_.store(false, std::memory_order_release);  // pairs with the load below
      stepping_mutex_.unlock();
      // Another waiting thread may step the rest.
      changed_.parker.Notify(UINT32_MAX);
      if (waited != WaitResult::kDone) return waited;
      continue;
    }
    const WaitResult waited = caller.WaitUntil(
        changed_.parker,
        [&] {
          return over_or_closed() || (HasWork() && !stepping_.load(std::memory_order_acquire));
        },
        0.0);
    if (waited != WaitResult::kDone) return waited;
  }
  return WaitResult::kDone;
}

template <class Over>
WaitResult InlineExecutor::StepQueued(Over&& over, WaitContext& caller) {
  const std::uint64_t start = TickClock::Now();
  std::uint32_t env = 0;
  while (!over()) {
    if (caller.LeftNs() == 0) return WaitResult::kTimedOut;
    if (queue_.Pop(&env, 1, 1) == 0) break;
    StepOne(env);
    // An interrupt that arrives while an environment runs makes that environment fail.
    const bool failed = (group_->status(env) & EnvStatus::kFailed) != 0;
    if (failed ? caller.Interrupted() : caller.InterruptedWhileWorking(start)) {
      return WaitResult::kInterrupted;
    }
  }
  return WaitResult::kDone;
}

void InlineExecutor::StepOne(std::uint32_t env) {
  const std::uint64_t start = TickClock::Now();
  const StopCondition never_late(lifetime_.closed_flag());
  StepCounts counts;
  Outcome outcome;
  group_->StepWithoutRows(&env, 1, resets_.data(), actions_->slots(), pending_final_frame_->view(),
                          &outcome, never_late, counts);
  RowTickets<>& rows = batches_.tickets();
  const RowTickets<>::Position position =
      ordered_ ? RowTickets<>::Position{.slot = 0, .row = env} : rows.PositionOf(rows.Reserve(1));
  OpenBatch* const batch = batches_.at(position.slot);
  group_->WriteRows(&env, 1, nullptr, position.row, &outcome, pending_final_frame_->view(),
                    batch->view(), counts);
  batch->Count(counts);
  Count(counts, TickClock::Now() - start);
  rows.Commit(position.slot, 1);
}

WaitResult InlineExecutor::WaitForBatch(std::uint64_t epoch, WaitContext& caller) {
  return batches_.WaitForBatch(epoch, [&](auto&& over) { return WaitUntil(over, caller); });
}

WaitResult InlineExecutor::WaitForRows(std::uint32_t rows, std::uint64_t taken,
                                       WaitContext& caller) {
  return batches_.WaitForRows(rows, taken, [&](auto&& over) { return WaitUntil(over, caller); });
}

// --- Statistics ----------------------------------------------------------------------------------

void InlineExecutor::Count(const StepCounts& counts, std::uint64_t ticks) {
  const auto add = [](std::atomic<std::uint64_t>& counter, std::uint64_t by) {
    if (by > 0) counter.fetch_add(by, std::memory_order_relaxed);
  };
  add(steps_, counts.steps);
  add(episodes_, counts.episodes);
  add(resets_done_, counts.resets);
  add(failures_, counts.failures);
  add(step_ticks_, ticks);
}

std::vector<ThreadStats> InlineExecutor::thread_stats() const {
  return {{.role = ThreadStats::Role::kCaller,
           .steps = steps_.load(std::memory_order_relaxed),
           .episodes = episodes_.load(std::memory_order_relaxed),
           .resets = resets_done_.load(std::memory_order_relaxed),
           .failures = failures_.load(std::memory_order_relaxed),
           .step_ns = static_cast<std::uint64_t>(
               TickClock::Nanoseconds(step_ticks_.load(std::memory_order_relaxed)))}};
}

}  // namespace engine
