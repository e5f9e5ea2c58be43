#include "engine/processes/worker_loop.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "engine/base/tick_clock.h"

namespace engine {
namespace {

// Counters with one writer.
void Add(std::atomic<std::uint64_t>& counter, std::uint64_t by) {
  if (by == 0) return;
  counter.store(counter.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
}

std::shared_ptr<const BatchLayout> LayoutOf(const EnvGroup& group, std::uint32_t rows,
                                            BatchExtras extras) {
  return std::make_shared<const BatchLayout>(group.spec(), rows, extras);
}

}  // namespace

WorkerLoop::WorkerLoop(SharedState& state, std::uint32_t worker, EnvGroup& group,
                       BatchExtras extras, Options& options)
    : state_(state),
      worker_(worker),
      line_(state.worker(worker)),
      process_(static_cast<std::uint32_t>(getpid())),
      ring_(state.ring(worker)),
      group_(group),
      options_(options),
      actions_{.base = state.action_slots(), .bytes = state.geometry().action_bytes},
      job_layout_(LayoutOf(group, state.geometry().num_envs, extras)),
      queue_layout_(LayoutOf(group, state.geometry().batch_size, extras)),
      resets_(state.geometry().num_envs, 0) {}

bool WorkerLoop::closed() const {
  return state_.header().closed.load(std::memory_order_acquire) != 0;
}

bool WorkerLoop::Run(Host& host, double spin_ns) {
  for (;;) {
    const bool empty = ring_.empty();
    // After the look at the ring: items for another process come after it was attached.
    if (closed() || !attached()) return true;
    if (!empty) {
      RunItem(ring_.Front());
    } else if (!Wait(host, spin_ns)) {
      return false;
    }
  }
}

// Waits without the host's lock, because other threads of the process may need it.
bool WorkerLoop::Wait(Host& host, double spin_ns) {
  const auto ready = [this] { return !ring_.empty() || closed() || !attached(); };
  const std::uint64_t start = TickClock::Now();
  bool goes_on = true;
  host.Unlock();
  if (!ProcessParker::Spin(ready, spin_ns)) {
    std::uint64_t asked = start;
    while (goes_on && !ready()) {
      // No timeout: work, closing or a signal ends the sleep. Where signals are not reported, the
      // sleep ends after a millisecond, and the host is asked at intervals.
      const FutexResult woken = line_.parker.SleepUnless(ready, -1);
      if (woken != FutexResult::kInterrupted &&
          (ready() || TickClock::Nanoseconds(TickClock::Now() - asked) <
                          static_cast<double>(kTuning.interrupt_ns))) {
        continue;
      }
      asked = TickClock::Now();
      goes_on = !host.Interrupted();
    }
  }
  host.Lock();
  Add(line_.idle_ticks, TickClock::Now() - start);
  return goes_on;
}

const BatchView& WorkerLoop::ViewOf(const std::atomic<std::uint64_t>* blocks, bool is_job) {
  const std::uint64_t first = blocks[0].load(std::memory_order_relaxed);
  const std::uint64_t second = blocks[1].load(std::memory_order_relaxed);
  std::unique_ptr<OpenBatch>& batch = (is_job ? job_batches_ : queue_batches_)[first];
  if (batch == nullptr) {
    batch = std::make_unique<OpenBatch>(is_job ? *job_layout_ : *queue_layout_);
  }
  const OpenBatch::Memory memory = {state_.base() + first,
                                    second == 0 ? nullptr : state_.base() + second};
  if (batch->memory() != memory) batch->PointTo(memory);
  return batch->view();
}

void WorkerLoop::RunItem(std::uint32_t env) {
  const std::uint64_t start = TickClock::Now();
  WorkItem& item = state_.item(env);
  StepCounts counts;
  if (item.kind == ItemKind::kQueuedStep || item.kind == ItemKind::kQueuedReset) {
    RunQueued(env, item, counts);
  } else {
    RunKnownRow(env, item, counts);
  }
  Add(line_.steps, counts.steps);
  Add(line_.episodes, counts.episodes);
  Add(line_.resets, counts.resets);
  Add(line_.failures, counts.failures);
  Add(line_.step_ticks, TickClock::Now() - start);
  SharedHeader& header = state_.header();
  if (ring_.Finish() == line_.job_end.load(std::memory_order_acquire)) {
    // Acquire and release, so that the last worker's wake-up comes after the results of all
    // workers.
    const std::int32_t left = header.job_left.fetch_sub(1, std::memory_order_acq_rel);
    if (left <= 1) header.done.parker.Notify(UINT32_MAX);
  }
}

void WorkerLoop::RunKnownRow(std::uint32_t env, WorkItem& item, StepCounts& counts) {
  const SharedHeader& header = state_.header();
  const EnvRange range{.ids = &env, .begin = 0, .end = 1, .first_row = item.row};
  const StopCondition stop(never_closed_);
  switch (item.kind) {
    case ItemKind::kStep:
      group_.StepRows(range, actions_, ViewOf(header.job_blocks, true), stop, counts);
      break;
    case ItemKind::kReset:
    case ItemKind::kObserve: {
      const std::uint8_t resets = item.kind == ItemKind::kReset ? 1 : 0;
      const std::uint8_t has_seed = item.has_seed ? 1 : 0;
      std::unique_ptr<ResetStart> start;
      if (item.has_options) {
        start =
            options_.Read(state_.job_buffer(), header.job_bytes.load(std::memory_order_relaxed));
      }
      const ResetPlan plan{
          .start = start.get(), .seeds = &item.seed, .has_seed = &has_seed, .mask = &resets};
      group_.ResetRows(range, plan, ViewOf(header.job_blocks, true), stop, counts);
      break;
    }
    default:
      group_.CallMethodRows(range, &state_, stop, counts);
      break;
  }
  Report(env, item, counts);
}

void WorkerLoop::RunQueued(std::uint32_t env, WorkItem& item, StepCounts& counts) {
  resets_[env] = item.kind == ItemKind::kQueuedReset ? 1 : 0;
  if (item.has_seed) group_.Seed(env, item.seed);
  const StopCondition stop(never_closed_);
  Outcome outcome;
  group_.StepWithoutRows(&env, 1, resets_.data(), actions_, no_frame_, &outcome, stop, counts);
  Tickets& rows = state_.rows();
  Tickets::Writer& writer = rows.writer(worker_);
  const Tickets::Position position =
      state_.geometry().ordered() ? rows.RowOfHead(env) : rows.Reserve(writer, env);
  const BatchView& view = ViewOf(rows.slot(position.slot).blocks, false);
  group_.WriteRows(&env, 1, nullptr, position.row, &outcome, no_frame_, view, counts);
  Report(env, item, counts);
  state_.header().done.Notify(rows.Commit(writer, position), UINT32_MAX);
}

void WorkerLoop::Report(std::uint32_t env, WorkItem& item, const StepCounts& counts) {
  item.status = group_.status(env);
  item.ended = counts.episodes > 0;
  item.game_over = counts.games > 0;
  item.failed = counts.failures > 0;
  if (!item.failed) return;
  const std::string what = group_.FailureOf(env);
  item.has_object = false;
  item.out_bytes = std::min<std::uint64_t>(what.size(), state_.geometry().buffer_bytes);
  std::memcpy(state_.outbox(env), what.data(), item.out_bytes);
}

}  // namespace engine
