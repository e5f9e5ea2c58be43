// Timing of one operation of the engine's primitives: rounds of a fixed number
// of operations on a fixed number of threads. Used by the *_benchmark.cc files.
#ifndef ENGINE_BENCHMARKS_MEASURE_H_
#define ENGINE_BENCHMARKS_MEASURE_H_

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <thread>
#include <vector>

#include "engine/base/tick_clock.h"

namespace engine::benchmarks {

// Keeps a value from being optimised away.
template <class T>
void Keep(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

// Nanoseconds that `threads` threads take, all started at once, for one round.
// body(thread) does that thread's share.
inline double RoundNs(std::uint32_t threads, const std::function<void(std::uint32_t)>& body) {
  std::atomic<std::uint32_t> ready{0};
  std::atomic<bool> go{false};
  std::vector<std::thread> others;
  for (std::uint32_t t = 1; t < threads; ++t) {
    others.emplace_back([&, t] {
      ready.fetch_add(1, std::memory_order_release);
      while (!go.load(std::memory_order_acquire)) std::this_thread::yield();
      body(t);
    });
  }
  while (ready.load(std::memory_order_acquire) + 1 < threads) std::this_thread::yield();
  const std::uint64_t start = TickClock::SteadyNanoseconds();
  go.store(true, std::memory_order_release);
  body(0);
  for (std::thread& other : others) other.join();
  return static_cast<double>(TickClock::SteadyNanoseconds() - start);
}

// Prints the median and the fastest of several rounds in nanoseconds per
// operation; `operations` counts those of all threads. `prepare` runs before
// each round and is not timed.
inline void Report(const char* name, std::uint32_t threads, std::uint64_t operations,
                   const std::function<void()>& prepare,
                   const std::function<void(std::uint32_t)>& body) {
  constexpr int kRounds = 9;
  std::vector<double> ns;
  for (int round = 0; round < kRounds; ++round) {
    prepare();
    ns.push_back(RoundNs(threads, body) / static_cast<double>(operations));
  }
  std::sort(ns.begin(), ns.end());
  std::printf("%-44s %2u threads  %9.1f ns median  %9.1f ns fastest\n", name, threads,
              ns[kRounds / 2], ns[0]);
}

}  // namespace engine::benchmarks

#endif  // ENGINE_BENCHMARKS_MEASURE_H_
