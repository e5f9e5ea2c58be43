// Measures how far the steps of several threads overlap in environments written in Python: the time
// that threads are inside environments, and the time in which at least one is.
// envpool_py.python_envs.overlap uses it to decide whether several threads are faster than one.
//
// All calls need the GIL. A thread may release the GIL while it is inside an environment.
#ifndef ENGINE_BINDINGS_PYTHON_ENVS_OVERLAP_METER_H_
#define ENGINE_BINDINGS_PYTHON_ENVS_OVERLAP_METER_H_

#include <cstdint>
#include <ctime>

#include "engine/base/tick_clock.h"
#include "engine/bindings/gil_mutex.h"

namespace engine::bindings {

class OverlapMeter {
 public:
  struct Times {
    double inside_seconds = 0;   // in environments, summed over threads
    double cpu_seconds = 0;      // processor time used there, summed over threads
    double elapsed_seconds = 0;  // while at least one thread was in an environment
  };

  // Measures from construction to destruction. The calling thread runs environments in this time.
  // Measures nothing if `meter` is null.
  class Scope {
   public:
    explicit Scope(OverlapMeter* meter) : meter_(meter) {
      if (meter_ == nullptr) return;
      start_cpu_ = CpuSeconds();
      const ScopedLock lock(meter_->mutex_);
      start_ = TickClock::Now();
      if (meter_->threads_++ == 0) meter_->since_ = start_;
    }
    ~Scope() {
      if (meter_ == nullptr) return;
      const double cpu = CpuSeconds() - start_cpu_;
      const ScopedLock lock(meter_->mutex_);
      const std::uint64_t now = TickClock::Now();
      Times& times = meter_->times_;
      times.inside_seconds += TickClock::Nanoseconds(now - start_) / 1e9;
      times.cpu_seconds += cpu;
      if (--meter_->threads_ > 0) return;
      times.elapsed_seconds += TickClock::Nanoseconds(now - meter_->since_) / 1e9;
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    static double CpuSeconds() {
      timespec time{};
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
      return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
    }

    OverlapMeter* const meter_;
    std::uint64_t start_ = 0;
    double start_cpu_ = 0;
  };

  Times times() const {
    const ScopedLock lock(mutex_);
    return times_;
  }

 private:
  mutable GilMutex mutex_;
  Times times_ ENGINE_GUARDED_BY(mutex_);
  std::uint32_t threads_ ENGINE_GUARDED_BY(mutex_) = 0;  // in environments now
  std::uint64_t since_ ENGINE_GUARDED_BY(mutex_) = 0;    // ticks
};

}  // namespace engine::bindings

#endif  // ENGINE_BINDINGS_PYTHON_ENVS_OVERLAP_METER_H_
