// Counters of the work of each thread of a pool, and the Recorder, which records what the threads
// do while it is switched on. A thread writes its own cache line with plain stores; any thread may
// read the lines and add them up.
#ifndef ENGINE_TELEMETRY_COUNTERS_H_
#define ENGINE_TELEMETRY_COUNTERS_H_

#include <atomic>
#include <cstdint>
#include <memory>

#include "engine/base/cache_line.h"
#include "engine/base/mutex.h"
#include "engine/base/tick_clock.h"
#include "engine/batch/block_store.h"
#include "engine/group/env_group.h"
#include "engine/telemetry/recorder.h"

namespace engine {

// The counters of one thread, or of one worker process.
struct ThreadStats {
  enum class Role : std::uint8_t { kWorker, kCaller, kReceiver };
  Role role = Role::kWorker;
  std::uint64_t steps = 0, episodes = 0, resets = 0, failures = 0;
  std::uint64_t step_ns = 0;  // in environments
  std::uint64_t idle_ns = 0;  // a worker without work
  std::uint64_t wait_ns = 0;  // a caller waiting for results
};

struct PoolStats {
  std::uint64_t steps = 0, episodes = 0, resets = 0, failures = 0;
  std::uint64_t step_ns = 0;                          // in environments, summed over threads
  std::uint64_t idle_ns = 0;                          // workers without work, summed
  std::uint64_t recv_wait_ns = 0;                     // callers waiting for results
  std::uint64_t blocks = 0, block_bytes = 0;          // of batch memory
  std::uint64_t leased_blocks = 0, leased_bytes = 0;  // ... of them held by arrays
  std::uint64_t threads_started = 0;

  void Add(const ThreadStats& thread) {
    steps += thread.steps;
    episodes += thread.episodes;
    resets += thread.resets;
    failures += thread.failures;
    step_ns += thread.step_ns;
    idle_ns += thread.idle_ns;
    recv_wait_ns += thread.wait_ns;
  }
  void Add(const BlockStats& memory) {
    blocks += memory.blocks;
    block_bytes += memory.bytes;
    leased_blocks += memory.leased_blocks;
    leased_bytes += memory.leased_bytes;
  }
};

class Telemetry {
 public:
  explicit Telemetry(std::uint32_t num_writers)
      : num_writers_(num_writers), lines_(new Line[num_writers]) {}

  // --- For the runners. One thread at a time per writer. (Receivers that wait at the same time
  // share a writer, so some of their waits may be lost.)
  void Worked(std::uint32_t writer, const StepCounts& counts, std::uint64_t ticks) {
    Line& line = lines_[writer];
    Bump(line.steps, counts.steps);
    if ((counts.episodes | counts.resets | counts.failures) != 0) {
      Bump(line.episodes, counts.episodes);
      Bump(line.resets, counts.resets);
      Bump(line.failures, counts.failures);
    }
    Bump(line.step_ticks, ticks);
  }
  void Waited(std::uint32_t writer, std::uint64_t start, std::uint64_t end) {
    Bump(lines_[writer].wait_ticks, end - start);
    if (Recorder* const to = recorder()) to->Add(writer, Activity::kWait, start, end);
  }

  // Null while recording is off.
  // Memory ordering: acquire pairs with the release in StartRecording.
  Recorder* recorder() const { return recorder_.load(std::memory_order_acquire); }

  // --- Any thread.
  // Starts or resumes recording. The first call sets the number of recent events that are kept for
  // each thread. Later calls keep the recorded data.
  void StartRecording(std::uint32_t num_slots, std::uint32_t events_per_writer) {
    const ScopedLock lock(mutex_);
    if (owned_ == nullptr) {
      owned_ = std::make_unique<Recorder>(num_writers_, num_slots, events_per_writer);
    }
    owned_->ForgetOpenBatches();
    recorder_.store(owned_.get(), std::memory_order_release);
  }
  // A thread that has already read recorder() may still record.
  void StopRecording() { recorder_.store(nullptr, std::memory_order_relaxed); }
  // The recorded data, also after StopRecording; null if nothing was ever recorded.
  const Recorder* recorded() const {
    const ScopedLock lock(mutex_);
    return owned_.get();
  }

  std::uint32_t num_writers() const { return num_writers_; }
  // The counters of one writer. The owner sets the role.
  ThreadStats OfThread(std::uint32_t writer) const {
    const Line& line = lines_[writer];
    return {.steps = line.steps.load(std::memory_order_relaxed),
            .episodes = line.episodes.load(std::memory_order_relaxed),
            .resets = line.resets.load(std::memory_order_relaxed),
            .failures = line.failures.load(std::memory_order_relaxed),
            .step_ns = InNs(line.step_ticks),
            .wait_ns = InNs(line.wait_ticks)};
  }

 private:
  using Counter = std::atomic<std::uint64_t>;
  struct alignas(kCacheLineBytes) Line {
    Counter steps{0}, episodes{0}, resets{0}, failures{0}, step_ticks{0}, wait_ticks{0};
  };

  static void Bump(Counter& counter, std::uint64_t by) {
    if (by == 0) return;
    counter.store(counter.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
  }
  static std::uint64_t InNs(const Counter& ticks) {
    return static_cast<std::uint64_t>(
        TickClock::Nanoseconds(ticks.load(std::memory_order_relaxed)));
  }

  const std::uint32_t num_writers_;
  const std::unique_ptr<Line[]> lines_;
  std::atomic<Recorder*> recorder_{nullptr};
  mutable Mutex mutex_;
  // Made once and kept, because threads may use it.
  std::unique_ptr<Recorder> owned_ ENGINE_GUARDED_BY(mutex_);
};

}  // namespace engine

#endif  // ENGINE_TELEMETRY_COUNTERS_H_
