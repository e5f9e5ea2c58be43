// Measures how long a worker process has made no progress while work waits for it, wherever the
// process stands still: in a step, between two steps, or stopped by a signal.
#ifndef ENGINE_PROCESSES_HANG_WATCH_H_
#define ENGINE_PROCESSES_HANG_WATCH_H_

#include <algorithm>
#include <cstdint>

#include "engine/processes/shared_state.h"
#include "engine/runtime/policy.h"

namespace engine {

class HangWatch {
 public:
  // What the pool sees of a worker. Any change is progress.
  struct Seen {
    WorkerState state = WorkerState::kStarting;
    bool is_closed = false;       // the pool
    std::uint64_t finished = 0;   // items
    std::uint64_t published = 0;  // items

    // Whether anything waits for the worker: an item, or the end of the pool.
    bool waits() const { return is_closed || published != finished; }
  };

  // Returns for how many ns the worker has made no progress. `now_ns`: of a monotonic clock.
  //
  // Counts only time between two observations that show the same unfinished work, so the result is
  // never more than the time since that work was published. A waiting caller observes every
  // interrupt_ns. A longer gap does not count in full: the whole program, with its workers, may
  // have been suspended meanwhile.
  std::int64_t Observe(const Seen& now, std::uint64_t now_ns) {
    const bool same = now.waits() && seen_.waits() && now.finished == seen_.finished &&
                      now.state == seen_.state && now.is_closed == seen_.is_closed;
    const auto gap = static_cast<std::int64_t>(now_ns - observed_ns_);
    hung_ns_ = same ? hung_ns_ + std::min(gap, kLongestGapNs) : 0;
    seen_ = now;
    observed_ns_ = now_ns;
    return hung_ns_;
  }

 private:
  static constexpr std::int64_t kLongestGapNs = 2 * kTuning.interrupt_ns;

  Seen seen_;
  std::uint64_t observed_ns_ = 0;
  std::int64_t hung_ns_ = 0;
};

}  // namespace engine

#endif  // ENGINE_PROCESSES_HANG_WATCH_H_
