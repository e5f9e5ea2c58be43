#include "engine/bindings/pool_telemetry.h"

#include <vector>

#include "engine/base/tick_clock.h"
#include "engine/bindings/numpy_api.h"

namespace py = pybind11;

namespace engine::bindings {
namespace {

constexpr std::int64_t kEventColumns = 4;

std::int64_t InNs(std::uint64_t ticks) {
  return static_cast<std::int64_t>(TickClock::Nanoseconds(ticks));
}

const char* NameOf(ThreadStats::Role role) {
  switch (role) {
    case ThreadStats::Role::kWorker:
      return "worker";
    case ThreadStats::Role::kCaller:
      return "caller";
    case ThreadStats::Role::kReceiver:
      break;
  }
  return "receiver";
}

bool IsInTicks(std::size_t measure) { return static_cast<Measure>(measure) != Measure::kQueued; }

// (low, high, count) of the buckets that are not empty; high is exclusive.
py::list BucketsOf(const Histogram::Counts& counts, double unit) {
  py::list buckets;
  for (std::size_t b = 0; b < Histogram::kNumBuckets; ++b) {
    if (counts[b] == 0) continue;
    const double low = static_cast<double>(Histogram::LowOf(b)) * unit;
    const double high = static_cast<double>(Histogram::LowOf(b + 1)) * unit;
    buckets.append(py::make_tuple(low, high, counts[b]));
  }
  return buckets;
}

py::dict RecordingOf(const Recorder& recorder) {
  const Recording recording = recorder.Read();
  py::list threads;
  for (const Recording::Thread& thread : recording.threads) {
    py::list ns;
    py::list counts;
    for (std::size_t a = 0; a < kNumActivities; ++a) {
      ns.append(InNs(thread.ticks[a]));
      counts.append(thread.counts[a]);
    }
    py::dict named;
    named["ns"] = ns;
    named["counts"] = counts;
    named["events"] = thread.num_events;
    threads.append(named);
  }
  py::list histograms;
  for (std::size_t m = 0; m < kNumMeasures; ++m) {
    histograms.append(
        BucketsOf(recording.histograms[m], IsInTicks(m) ? TickClock::NanosecondsPerTick() : 1.0));
  }
  py::dict all;
  all["threads"] = threads;
  all["histograms"] = histograms;
  return all;
}

py::object EventsOf(const std::vector<TimelineEvent>& events, std::uint64_t since) {
  std::vector<const TimelineEvent*> recent;
  for (const TimelineEvent& event : events) {
    if (event.start >= since && event.end >= event.start) recent.push_back(&event);
  }
  py::object rows =
      NewArray(DType::kInt64, {static_cast<std::int64_t>(recent.size()), kEventColumns});
  auto* at = DataOf<std::int64_t>(rows);
  for (const TimelineEvent* event : recent) {
    *at++ = static_cast<std::int64_t>(event->activity);
    *at++ = InNs(event->start - since);
    *at++ = InNs(event->end - event->start);
    *at++ = event->count;
  }
  return rows;
}

}  // namespace

py::dict DetailedStats(const Executor& executor) {
  py::list threads;
  for (const ThreadStats& thread : executor.thread_stats()) {
    py::dict named;
    named["role"] = NameOf(thread.role);
    named["steps"] = thread.steps;
    named["episodes"] = thread.episodes;
    named["resets"] = thread.resets;
    named["failures"] = thread.failures;
    named["step_ns"] = thread.step_ns;
    named["idle_ns"] = thread.idle_ns;
    named["wait_ns"] = thread.wait_ns;
    threads.append(named);
  }
  py::dict detail;
  detail["queued"] = executor.num_queued();
  detail["threads"] = threads;
  const Recorder* const recorder = executor.recorded();
  detail["recorded"] = recorder == nullptr ? py::object(py::none()) : RecordingOf(*recorder);
  return detail;
}

py::list RecordedEvents(const Executor& executor, std::uint64_t since) {
  py::list threads;
  const Recorder* const recorder = executor.recorded();
  if (recorder == nullptr) return threads;
  std::vector<TimelineEvent> events;
  for (std::uint32_t writer = 0; writer < recorder->num_writers(); ++writer) {
    events.clear();
    recorder->ReadEvents(writer, events);
    threads.append(EventsOf(events, since));
  }
  return threads;
}

}  // namespace engine::bindings
