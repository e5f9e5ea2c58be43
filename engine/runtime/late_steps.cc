// How TimedExecutor gives up steps that take too long: on the threads that wait for results.
#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>

#include "engine/base/tick_clock.h"
#include "engine/runtime/timed_executor.h"

namespace engine {

void TimedExecutor::GiveUpLateSteps() {
  const std::uint64_t now = TickClock::Now();
  // Somewhat shorter than the intervals at which a sleeping caller wakes.
  if (TickClock::Nanoseconds(now - watched_at_.load(std::memory_order_relaxed)) <
      0.9 * static_cast<double>(kTuning.interrupt_ns)) {
    return;
  }
  if (!give_up_mutex_.try_lock()) return;
  const ScopedLock giving_up(give_up_mutex_, std::adopt_lock);
  watched_at_.store(now, std::memory_order_relaxed);
  late_.clear();
  // A program may wait briefly and seldom.
  const std::int64_t longest_gap_ns = std::min<std::int64_t>(1'000'000'000, step_timeout_ns_ / 2);
  {
    const std::uint64_t now_ns = TickClock::SteadyNanoseconds();
    const ScopedLock lock(watch_mutex_);
    for (std::uint32_t worker = 0; worker < num_threads_; ++worker) {
      Worker* const at = slots_[worker].worker.get();
      if (at == nullptr) continue;
      const std::int64_t ns = at->watch.Observe(now_ns, longest_gap_ns);
      if (ns < step_timeout_ns_ || !at->watch.GiveUp()) continue;
      late_.push_back({.worker = worker, .env = at->env, .item = at->item});
      slots_[worker].worker.reset();  // its thread keeps it
    }
  }
  // Before the pool's lifetime can end, because each of these threads was a user of it.
  for (const Late& late : late_) GiveUp(late);
  for (std::uint32_t worker = 0; worker < num_threads_; ++worker) {
    if (missing_[worker] != 0) Replace(worker);
  }
}

// Fails the environment, delivers its row, and replaces the thread, which the lifetime counts as a
// user until then.
void TimedExecutor::GiveUp(const Late& late) {
  const std::uint32_t env = late.env;
  StepCounts counts;
  group_->GiveUp(env, WhyGivenUp(env, late.item).data(), counts);
  telemetry_.Ends(late.worker);
  telemetry_.Worked(late.worker, counts, 0);
  if (!lifetime_.closed()) {
    WriteFailedRow(env, late.item, counts);
  }
  Replace(late.worker);
}

void TimedExecutor::Replace(std::uint32_t worker) {
  try {
    workers_.Replace(worker);
    missing_[worker] = 0;
  } catch (const std::exception&) {
    missing_[worker] = 1;  // tried again at the next check
  }
}

// Allocates nothing.
std::array<char, 160> TimedExecutor::WhyGivenUp(std::uint32_t env, const Item& item) const {
  std::array<char, 160> text;
  std::array<char, 40> what = {"its reset"};
  if (item.kind == JobKind::kStep) {
    std::snprintf(what.data(), what.size(), "step %lld of its episode",
                  static_cast<long long>(group_->elapsed_step(env)) + 1);
  }
  std::array<char, 32> seed = {""};
  if (const auto given = group_->seed(env)) {
    std::snprintf(seed.data(), seed.size(), ", seed %llu", static_cast<unsigned long long>(*given));
  }
  std::snprintf(text.data(), text.size(), "%s has taken longer than step_timeout=%g seconds%s",
                what.data(), static_cast<double>(step_timeout_ns_) * 1e-9, seed.data());
  return text;
}

}  // namespace engine
