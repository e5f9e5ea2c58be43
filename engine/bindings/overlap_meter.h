// How much the threads that step environments written in Python do at the same time: whether
// threads are of use is decided from it, by envpool_py.python_envs.overlap.
//
// Not synchronised: all calls need the GIL, which a thread in an environment may release meanwhile.
#ifndef ENGINE_BINDINGS_OVERLAP_METER_H_
#define ENGINE_BINDINGS_OVERLAP_METER_H_

#include <cstdint>
#include <ctime>
#include <memory>
#include <utility>

#include "engine/base/tick_clock.h"

namespace engine::bindings {

class OverlapMeter {
 public:
  struct Times {
    double inside_seconds = 0;   // in environments, summed over threads
    double cpu_seconds = 0;      // of it on a processor
    double elapsed_seconds = 0;  // while at least one thread was in an environment
  };

  // A thread's stay in environments; null: nothing is measured.
  class Stay {
   public:
    explicit Stay(std::shared_ptr<OverlapMeter> meter) : meter_(std::move(meter)) {
      if (meter_ == nullptr) return;
      start_ = TickClock::Now();
      start_cpu_ = CpuSeconds();
      if (meter_->threads_++ == 0) meter_->since_ = start_;
    }
    ~Stay() {
      if (meter_ == nullptr) return;
      const std::uint64_t now = TickClock::Now();
      Times& times = meter_->times_;
      times.inside_seconds += TickClock::Nanoseconds(now - start_) / 1e9;
      times.cpu_seconds += CpuSeconds() - start_cpu_;
      if (--meter_->threads_ > 0) return;
      times.elapsed_seconds += TickClock::Nanoseconds(now - meter_->since_) / 1e9;
    }
    Stay(const Stay&) = delete;
    Stay& operator=(const Stay&) = delete;

   private:
    static double CpuSeconds() {
      timespec time{};
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
      return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
    }

    const std::shared_ptr<OverlapMeter> meter_;
    std::uint64_t start_ = 0;
    double start_cpu_ = 0;
  };

  const Times& times() const { return times_; }

 private:
  Times times_;
  std::uint32_t threads_ = 0;  // in environments now
  std::uint64_t since_ = 0;    // ticks
};

}  // namespace engine::bindings

#endif  // ENGINE_BINDINGS_OVERLAP_METER_H_
