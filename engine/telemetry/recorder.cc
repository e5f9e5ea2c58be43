#include "engine/telemetry/recorder.h"

namespace engine {

Recorder::Recorder(std::uint32_t num_writers, std::uint32_t num_slots,
                   std::uint32_t events_per_writer)
    : num_slots_(num_slots), slots_(new Slot[num_slots]) {
  lines_.reserve(num_writers);
  for (std::uint32_t w = 0; w < num_writers; ++w) {
    lines_.push_back(std::make_unique<Line>(events_per_writer));
  }
}

void Recorder::Taken(std::uint32_t writer, std::uint32_t slot, std::uint64_t now,
                     std::uint32_t rows) {
  const std::uint64_t opened = slots_[slot].opened.exchange(0, std::memory_order_relaxed);
  const std::uint64_t filled = slots_[slot].filled.exchange(0, std::memory_order_relaxed);
  if (opened == 0 || filled < opened) return;
  RanBatch(writer, opened, filled, rows);
  // Clocks of two processors may differ by a few ticks.
  Of(writer, Measure::kHeldTicks).Add(now > filled ? now - filled : 0);
}

void Recorder::ForgetOpenBatches() {
  for (std::uint32_t slot = 0; slot < num_slots_; ++slot) {
    slots_[slot].opened.store(0, std::memory_order_relaxed);
  }
}

Recording Recorder::Read() const {
  Recording recording;
  for (const std::unique_ptr<Line>& line : lines_) {
    Recording::Thread thread;
    for (std::size_t a = 0; a < kNumActivities; ++a) {
      thread.ticks[a] = line->ticks[a].load(std::memory_order_relaxed);
      thread.counts[a] = line->counts[a].load(std::memory_order_relaxed);
    }
    thread.num_events = line->timeline.num_added();
    recording.threads.push_back(thread);
    for (std::size_t m = 0; m < kNumMeasures; ++m) {
      line->histograms[m].AddTo(recording.histograms[m]);
    }
  }
  return recording;
}

}  // namespace engine
