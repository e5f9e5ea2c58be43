// The recent events of one thread with their times, in a ring whose oldest events are overwritten.
// One thread adds; any thread copies the ring at any time, without stopping the thread that adds.
#ifndef ENGINE_TELEMETRY_TIMELINE_H_
#define ENGINE_TELEMETRY_TIMELINE_H_

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/sync/std_sync.h"

namespace engine {

// What a thread does. Python has the same names, in this order: envpool_py/pool/telemetry.py.
enum class Activity : std::uint8_t {
  kStep,        // runs steps
  kReset,       // runs resets
  kConstruct,   // makes environments
  kRender,      // draws
  kCallMethod,  // calls methods of environments
  kRows,        // reserves rows of a batch, writes and commits them
  kSearch,      // looks for work in the shards of other threads
  kSpin,        // waits for work, on a processor
  kSleep,       // waits for work, asleep
  kWait,        // a caller waits for results
  kBatch,       // a batch, from its first environment's start to its last row
};
inline constexpr std::size_t kNumActivities = 11;

struct TimelineEvent {
  std::uint64_t start = 0;  // ticks
  std::uint64_t end = 0;    // ticks
  std::uint32_t count = 0;  // environments, or rows; kSearch: pieces that it found
  Activity activity = Activity::kStep;
};

template <class Sync = StdSync>
class Timeline {
 public:
  // `capacity` is rounded up to a power of two.
  explicit Timeline(std::uint32_t capacity)
      : mask_(std::bit_ceil(std::uint64_t{std::max(capacity, 2U)}) - 1),
        events_(new Slot[mask_ + 1]) {}

  // One thread at a time. (If two threads add at once, one of the events may be lost, or may have
  // parts of both.)
  // Memory ordering: the release of each word orders it after the increment of end_ for the event
  //   before, so a reader that sees part of a newer event also sees that it must drop the oldest.
  void Add(const TimelineEvent& event) {
    const std::uint64_t at = end_.load(std::memory_order_relaxed);
    Slot& slot = events_[at & mask_];
    slot.start.store(event.start, std::memory_order_release);
    slot.end.store(event.end, std::memory_order_release);
    slot.what.store(std::uint64_t{event.count} << 8 | static_cast<std::uint64_t>(event.activity),
                    std::memory_order_release);
    end_.store(at + 1, std::memory_order_release);  // pairs with the loads in CopyTo
  }

  // Appends the complete events to `events`, oldest first. Leaves out events that are overwritten
  // meanwhile. Any thread.
  // Memory ordering: the acquire of each word orders the second load of end_ after it. That load
  //   shows which slots may have been overwritten while they were read: all up to the slot that the
  //   writer is writing now.
  void CopyTo(std::vector<TimelineEvent>& events) const {
    const std::uint64_t end = end_.load(std::memory_order_acquire);
    const std::uint64_t first = end > mask_ ? end - mask_ : 0;
    const std::size_t old_size = events.size();
    for (std::uint64_t at = first; at < end; ++at) {
      const Slot& slot = events_[at & mask_];
      const std::uint64_t start = slot.start.load(std::memory_order_acquire);
      const std::uint64_t ended = slot.end.load(std::memory_order_acquire);
      const std::uint64_t what = slot.what.load(std::memory_order_acquire);
      events.push_back({.start = start,
                        .end = ended,
                        .count = static_cast<std::uint32_t>(what >> 8),
                        .activity = static_cast<Activity>(what & 0xFF)});
    }
    const std::uint64_t now = end_.load(std::memory_order_relaxed);
    const std::uint64_t whole = now > mask_ ? now - mask_ : 0;
    const std::uint64_t lost = std::min(std::max(whole, first) - first, end - first);
    const auto begin = events.begin() + static_cast<std::ptrdiff_t>(old_size);
    events.erase(begin, begin + static_cast<std::ptrdiff_t>(lost));
  }

  // The number of all events that were added, including those that were overwritten.
  std::uint64_t num_added() const { return end_.load(std::memory_order_relaxed); }

 private:
  struct Slot {
    typename Sync::template Atomic<std::uint64_t> start{0}, end{0}, what{0};
  };

  const std::uint64_t mask_;
  const std::unique_ptr<Slot[]> events_;
  typename Sync::template Atomic<std::uint64_t> end_{0};
};

}  // namespace engine

#endif  // ENGINE_TELEMETRY_TIMELINE_H_
