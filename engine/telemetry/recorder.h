// Records what each thread of a pool does while recording is on: recent events, times by activity,
// and histograms of step costs, batch latencies and queue lengths. The runners call it through
// Telemetry::recorder(), which is null while recording is off. All times are ticks of TickClock.
// The caller reads the clock; readers of a Recording convert the ticks.
#ifndef ENGINE_TELEMETRY_RECORDER_H_
#define ENGINE_TELEMETRY_RECORDER_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/base/cache_line.h"
#include "engine/telemetry/histogram.h"
#include "engine/telemetry/timeline.h"

namespace engine {

enum class Measure : std::uint8_t {
  kStepTicks,   // of one step; each step of a piece counts with the mean
  kBatchTicks,  // from the start of a batch to its last row
  kHeldTicks,   // from the last row of a first-ready batch to the recv that takes it
  kQueued,      // environments that wait in the queue when a worker takes some
};
inline constexpr std::size_t kNumMeasures = 4;

// All data recorded so far. Values of histograms are in ticks or environments.
struct Recording {
  struct Thread {
    std::array<std::uint64_t, kNumActivities> ticks{};
    std::array<std::uint64_t, kNumActivities> counts{};  // see TimelineEvent::count
    std::uint64_t num_events = 0;                        // including those that were overwritten
  };
  std::vector<Thread> threads;
  std::array<Histogram::Counts, kNumMeasures> histograms{};
};

class Recorder {
 public:
  // `num_writers`: as in Telemetry. `num_slots`: open batches of a first-ready pool.
  // `events_per_writer`: how many recent events of each thread are kept.
  Recorder(std::uint32_t num_writers, std::uint32_t num_slots, std::uint32_t events_per_writer);

  // --- For the runners. One thread at a time per writer, as in Telemetry.

  // Records that `writer` has spent [start, end) on `count` environments, rows or pieces.
  void Add(std::uint32_t writer, Activity activity, std::uint64_t start, std::uint64_t end,
           std::uint32_t count = 0) {
    Line& line = *lines_[writer];
    const auto index = static_cast<std::size_t>(activity);
    Bump(line.ticks[index], end - start);
    Bump(line.counts[index], count);
    line.timeline.Add({.start = start, .end = end, .count = count, .activity = activity});
  }
  // As above, for a piece of `n` environments.
  void Ran(std::uint32_t writer, Activity activity, std::uint64_t start, std::uint64_t end,
           std::uint32_t n) {
    if (n == 0) return;
    Add(writer, activity, start, end, n);
    if (activity == Activity::kStep) Of(writer, Measure::kStepTicks).Add((end - start) / n, n);
  }
  void Queued(std::uint32_t writer, std::uint64_t n) { Of(writer, Measure::kQueued).Add(n); }
  // Records that a batch whose rows are known in advance has run.
  void RanBatch(std::uint32_t writer, std::uint64_t start, std::uint64_t end, std::uint32_t rows) {
    Add(writer, Activity::kBatch, start, end, rows);
    Of(writer, Measure::kBatchTicks).Add(end - start);
  }

  // The life of a first-ready batch in slot `slot`: a sender opens its memory, a worker writes its
  // last row, and a receiver takes it. A batch is left out if recording began after it was opened,
  // or if it is taken before its last writer has called Filled.
  void Opened(std::uint32_t slot, std::uint64_t now) {
    slots_[slot].filled.store(0, std::memory_order_relaxed);
    slots_[slot].opened.store(now, std::memory_order_relaxed);
  }
  void Filled(std::uint32_t slot, std::uint64_t now) {
    slots_[slot].filled.store(now, std::memory_order_relaxed);
  }
  void Taken(std::uint32_t writer, std::uint32_t slot, std::uint64_t now, std::uint32_t rows);

  // --- For readers; any thread.
  void ForgetOpenBatches();
  Recording Read() const;
  // The recent events of one writer.
  void ReadEvents(std::uint32_t writer, std::vector<TimelineEvent>& events) const {
    lines_[writer]->timeline.CopyTo(events);
  }
  std::uint32_t num_writers() const { return static_cast<std::uint32_t>(lines_.size()); }

 private:
  using Counter = std::atomic<std::uint64_t>;
  struct alignas(kCacheLineBytes) Line {
    explicit Line(std::uint32_t events) : timeline(events) {}

    std::array<Counter, kNumActivities> ticks{}, counts{};
    std::array<Histogram, kNumMeasures> histograms;
    Timeline<> timeline;
  };
  struct alignas(kCacheLineBytes) Slot {
    Counter opened{0}, filled{0};  // ticks; 0: unknown
  };

  Histogram& Of(std::uint32_t writer, Measure measure) {
    return lines_[writer]->histograms[static_cast<std::size_t>(measure)];
  }
  static void Bump(Counter& counter, std::uint64_t by) {
    counter.store(counter.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
  }

  std::vector<std::unique_ptr<Line>> lines_;  // each written by its thread
  const std::uint32_t num_slots_;
  const std::unique_ptr<Slot[]> slots_;
};

}  // namespace engine

#endif  // ENGINE_TELEMETRY_RECORDER_H_
