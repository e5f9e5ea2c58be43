// What the files of the pool's implementation share: thresholds, waiting.
#ifndef ENGINE_RUNTIME_POOL_INTERNAL_H_
#define ENGINE_RUNTIME_POOL_INTERNAL_H_

#include <algorithm>
#include <cstdint>

#include "engine/base/tick_clock.h"
#include "engine/runtime/pool.h"

namespace engine {

// Work that one thread does sooner than it could have had help: with every
// worker asleep (waking one takes 5 to 50 microseconds), and with one spinning.
inline constexpr double kInlineNs = 15'000.0;
inline constexpr double kInlineNsHot = 2'500.0;
// Pieces taken from a shared job or the queue: long against the cost of taking
// one (about 50 ns), short against a batch.
inline constexpr double kMinPieceNs = 1'000.0;
inline constexpr double kPieceNs = 5'000.0;
inline constexpr double kMaxPieceNs = 50'000.0;
// Waking one more thread pays off from about this much work.
inline constexpr double kWorkPerHelperNs = 3'000.0;
// A waiting caller spins as long as a light batch takes, then sleeps.
inline constexpr double kCallerSpinNs = 50'000.0;
// How often a sleeping caller looks for Ctrl-C.
inline constexpr std::int64_t kInterruptSliceNs = 50'000'000;

inline double Nanoseconds(std::uint64_t ticks) {
  return static_cast<double>(ticks) * TickClock::NanosecondsPerTick();
}

inline std::uint32_t HelpersFor(double ns, std::uint32_t most) {
  return static_cast<std::uint32_t>(
      std::clamp(ns / kWorkPerHelperNs, 0.0, static_cast<double>(most)));
}

template <class Ready>
Waited Pool::WaitUntil(Parker<>& parker, Ready&& ready, Interrupts& interrupts,
                       std::int64_t timeout_ns) {
  const double spin = CallerMaySpin() ? kCallerSpinNs : 0.0;
  const double budget = timeout_ns < 0 ? spin : std::min(spin, static_cast<double>(timeout_ns));
  if (Parker<>::Spin(ready, budget)) return Waited::kDone;
  const std::uint64_t start = TickClock::SteadyNanoseconds();
  while (!ready()) {
    std::int64_t slice = kInterruptSliceNs;
    if (timeout_ns >= 0) {
      const auto waited = static_cast<std::int64_t>(TickClock::SteadyNanoseconds() - start);
      if (waited >= timeout_ns) return Waited::kTimedOut;
      slice = std::min(slice, timeout_ns - waited);
    }
    // Also if it is ready by now: the signal's exception must not be left set
    // behind a result. What is ready stays there for Recv.
    if (parker.SleepUnless(ready, slice) != FutexResult::kWoken && interrupts.Pending()) {
      return Waited::kInterrupted;
    }
  }
  return Waited::kDone;
}

}  // namespace engine

#endif  // ENGINE_RUNTIME_POOL_INTERNAL_H_
