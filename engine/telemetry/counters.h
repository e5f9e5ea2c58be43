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

// What a thread or a worker process steps at the moment: `n` environments from item `first` of the
// job on, or from environment `first` of a piece of the queue.
struct RunningPiece {
  std::uint64_t since = 0;  // ticks; 0: unknown
  std::uint32_t first = 0;
  std::uint32_t n = 0;  // 0: nothing
  bool of_queue = false;
};

class Telemetry {
 public:
  Telemetry(std::uint32_t num_writers, std::uint32_t num_envs)
      : num_writers_(num_writers),
        lines_(new Line[num_writers]),
        step_ns_(new std::atomic<float>[num_envs]()) {}

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
  // Around the time in environments.
  void Begins(std::uint32_t writer, std::uint64_t since, std::uint32_t first, std::uint32_t n,
              bool of_queue) {
    Line& line = lines_[writer];
    line.piece_first.store(first, std::memory_order_relaxed);
    line.piece_size.store(n << 1 | (of_queue ? 1 : 0), std::memory_order_relaxed);
    line.piece_since.store(since, std::memory_order_relaxed);
  }
  void Ends(std::uint32_t writer) {
    lines_[writer].piece_since.store(0, std::memory_order_relaxed);
  }
  // Notes how long a step of an environment took. Only for steps that take longer than
  // kLongStepNs: for others this would take a noticeable part of the time.
  static constexpr double kLongStepNs = 1000.0;
  void Stepped(std::uint32_t env, double ns) {
    step_ns_[env].store(static_cast<float>(ns), std::memory_order_relaxed);
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
  RunningPiece Running(std::uint32_t writer) const {
    const Line& line = lines_[writer];
    const std::uint64_t since = line.piece_since.load(std::memory_order_relaxed);
    const std::uint32_t first = line.piece_first.load(std::memory_order_relaxed);
    const std::uint32_t size = line.piece_size.load(std::memory_order_relaxed);
    // Another piece may have begun meanwhile.
    if (since == 0 || line.piece_since.load(std::memory_order_relaxed) != since) return {};
    return {.since = since, .first = first, .n = size >> 1, .of_queue = (size & 1) != 0};
  }
  // 0: unknown.
  float LatestStepNs(std::uint32_t env) const {
    return step_ns_[env].load(std::memory_order_relaxed);
  }

 private:
  using Counter = std::atomic<std::uint64_t>;
  struct alignas(kCacheLineBytes) Line {
    Counter steps{0}, episodes{0}, resets{0}, failures{0}, step_ticks{0}, wait_ticks{0};
    Counter piece_since{0};  // 0: no piece
    std::atomic<std::uint32_t> piece_first{0}, piece_size{0};
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
  const std::unique_ptr<std::atomic<float>[]> step_ns_;  // by environment
  std::atomic<Recorder*> recorder_{nullptr};
  mutable Mutex mutex_;
  // Made once and kept, because threads may use it.
  std::unique_ptr<Recorder> owned_ ENGINE_GUARDED_BY(mutex_);
};

}  // namespace engine

#endif  // ENGINE_TELEMETRY_COUNTERS_H_
