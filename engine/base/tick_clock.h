// A clock that is cheap enough to be read before and after every piece of work (about 8 ns;
// std::chrono::steady_clock takes 22 ns). Any thread; no state after start-up.
#ifndef ENGINE_BASE_TICK_CLOCK_H_
#define ENGINE_BASE_TICK_CLOCK_H_

#include <chrono>
#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace engine {

class TickClock {
 public:
  // Monotonic per thread; the unit is the processor's time-stamp counter on
  // x86-64 and the nanosecond elsewhere.
  static std::uint64_t Now() {
#if defined(__x86_64__)
    return __rdtsc();
#else
    return SteadyNanoseconds();
#endif
  }

  // Nanoseconds per tick. The first call at least 50 microseconds after start-up determines the
  // value; an earlier call waits until then.
  static double NanosecondsPerTick() {
#if defined(__x86_64__)
    static const double ratio = Calibrate();
    return ratio;
#else
    return 1.0;
#endif
  }

  // The duration of `ticks`.
  static double Nanoseconds(std::uint64_t ticks) {
    return static_cast<double>(ticks) * NanosecondsPerTick();
  }

  // The whole ticks in a duration. Multiplies, because the time of a division is measurable in a
  // call that steps one light environment.
  static std::uint64_t Ticks(double nanoseconds) {
    static const double per_nanosecond = 1.0 / NanosecondsPerTick();
    return static_cast<std::uint64_t>(nanoseconds * per_nanosecond);
  }

  static std::uint64_t SteadyNanoseconds() {
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                          std::chrono::steady_clock::now().time_since_epoch())
                                          .count());
  }

 private:
  // The two clocks.
  struct Real {
    static std::uint64_t Ticks() { return Now(); }
    static std::uint64_t Nanoseconds() { return SteadyNanoseconds(); }
  };

 public:
  // A moment on both clocks. `Clocks` as Real; tests have their own.
  template <class Clocks = Real>
  struct Moment {
    std::uint64_t ticks = 0;
    std::uint64_t nanoseconds = 0;

    // A thread that is preempted between two readings gets those of two moments. So this takes the
    // closest of several pairs.
    Moment() {
      constexpr int kPairs = 8;
      std::uint64_t shortest = UINT64_MAX;
      for (int i = 0; i < kPairs; ++i) {
        const std::uint64_t before = Clocks::Ticks();
        const std::uint64_t between = Clocks::Nanoseconds();
        const std::uint64_t took = Clocks::Ticks() - before;
        if (took >= shortest) continue;
        shortest = took;
        ticks = before + took / 2;
        nanoseconds = between;
      }
    }

    // Nanoseconds per tick, from this moment to the present one.
    double Calibrate() const {
      constexpr std::uint64_t kShortestBaselineNs = 50'000;
      for (;;) {
        const Moment now;
        const std::uint64_t ns = now.nanoseconds - nanoseconds;
        if (ns < kShortestBaselineNs || now.ticks == ticks) continue;
        return static_cast<double>(ns) / static_cast<double>(now.ticks - ticks);
      }
    }
  };

 private:
  static const Moment<>& Start() {
    static const Moment<> origin;
    return origin;
  }
  static double Calibrate() { return Start().Calibrate(); }

  // Read at load time, so that the baseline has usually grown to milliseconds when the first pool
  // needs the ratio.
  inline static const Moment<>& at_load_ = Start();
};

}  // namespace engine

#endif  // ENGINE_BASE_TICK_CLOCK_H_
