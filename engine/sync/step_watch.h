// Watches the steps of one thread, so that another thread can give up a step that takes too long.
// Either the step ends in time and its thread uses the result, or a watcher gives it up and the
// thread must not use anything that it shares with others: never both.
//
// The stepping thread calls Begin and End. Watchers, one at a time, call Observe and GiveUp.
#ifndef ENGINE_SYNC_STEP_WATCH_H_
#define ENGINE_SYNC_STEP_WATCH_H_

#include <algorithm>
#include <cstdint>

#include "engine/base/cache_line.h"
#include "engine/sync/std_sync.h"

namespace engine {

template <class Sync = StdSync>
class alignas(kCacheLineBytes) StepWatch {
 public:
  // --- The stepping thread.
  // Memory ordering: release pairs with the acquire in GiveUp, so that the watcher which gives the
  //   step up sees what this thread wrote before the step.
  void Begin() { step_.store(++begun_, std::memory_order_release); }
  // Returns false if the step was given up. The thread must then end.
  // Memory ordering: relaxed. If the step was not given up, no other thread has taken part. If it
  //   was, this thread uses only what it owns.
  bool End() {
    std::uint64_t step = begun_;
    return step_.compare_exchange_strong(step, kNone, std::memory_order_relaxed,
                                         std::memory_order_relaxed);
  }

  // --- Watchers.
  // Returns for how many ns the current step has been observed; 0: no step, or a new one. `now_ns`:
  // of a monotonic clock. `longest_gap_ns`: a longer time between two observations does not count
  // in full, because the whole process may have been suspended meanwhile.
  std::int64_t Observe(std::uint64_t now_ns, std::int64_t longest_gap_ns) {
    const std::uint64_t step = step_.load(std::memory_order_relaxed);
    if (step == kNone || step == kGivenUp || step != observed_) {
      observed_ = step;
      observed_for_ns_ = 0;
    } else {
      observed_for_ns_ +=
          std::min(static_cast<std::int64_t>(now_ns - observed_at_ns_), longest_gap_ns);
    }
    observed_at_ns_ = now_ns;
    return observed_for_ns_;
  }
  // Gives up the step that was observed. Returns false if it has ended.
  // Requires: Observe has not returned 0.
  bool GiveUp() {
    std::uint64_t step = observed_;
    return step_.compare_exchange_strong(step, kGivenUp, std::memory_order_acquire,
                                         std::memory_order_relaxed);
  }

 private:
  static constexpr std::uint64_t kNone = 0;
  static constexpr std::uint64_t kGivenUp = UINT64_MAX;

  // kNone, kGivenUp, or the number of the step that runs, counted from 1.
  typename Sync::template Atomic<std::uint64_t> step_{kNone};
  std::uint64_t begun_ = 0;  // used by the stepping thread
  // Used by watchers.
  std::uint64_t observed_ = kNone;
  std::uint64_t observed_at_ns_ = 0;
  std::int64_t observed_for_ns_ = 0;
};

}  // namespace engine

#endif  // ENGINE_SYNC_STEP_WATCH_H_
