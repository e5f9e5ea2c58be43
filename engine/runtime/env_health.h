// What is known about each environment of a pool while it runs: Pool::Health.
#ifndef ENGINE_RUNTIME_ENV_HEALTH_H_
#define ENGINE_RUNTIME_ENV_HEALTH_H_

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "engine/base/tick_clock.h"

namespace engine {

struct EnvHealth {
  enum class State : std::uint8_t {
    kNeverReset,
    kIdle,         // the program has its result
    kInFlight,     // the program has not received its result
    kStepping,     // a thread steps, resets or draws it
    kEpisodeOver,  // it must be reset, because autoreset is disabled
    kFailed,       // it must be reset
  };
  State state = State::kNeverReset;
  // Since a thread began with it (kStepping), otherwise since it was last sent; NaN: it never was.
  double seconds = 0.0;
  std::uint64_t results = 0;   // rows that the program has received
  std::uint64_t failures = 0;  // of them, rows in which it had failed
  double step_seconds = 0.0;   // of a recent step; NaN: unknown
};

// Counts results and failures. Not thread-safe.
class ResultCounts {
 public:
  // An environment that fails more than `max_failures` times in an hour fails too often.
  ResultCounts(std::uint32_t num_envs, std::uint32_t max_failures)
      : max_failures_(max_failures), results_(num_envs, 0), failures_(num_envs, 0) {}

  // `ids` null: environments [0, n), which are all.
  void Returned(const std::uint32_t* ids, std::uint32_t n) {
    if (ids == nullptr) {
      ++of_all_;
      return;
    }
    for (std::uint32_t k = 0; k < n; ++k) ++results_[ids[k]];
  }
  // Returns whether the environment fails too often. `now`: ticks.
  bool Failed(std::uint32_t env, std::uint64_t now) {
    ++failures_[env];
    std::deque<std::uint64_t>& times = failed_at_[env];
    while (!times.empty() && now - times.front() > TickClock::Ticks(kHourNs)) times.pop_front();
    times.push_back(now);
    if (times.size() <= max_failures_) return false;
    times.pop_front();
    return true;
  }
  std::uint64_t results(std::uint32_t env) const { return of_all_ + results_[env]; }
  std::uint64_t failures(std::uint32_t env) const { return failures_[env]; }

 private:
  static constexpr double kHourNs = 3600e9;

  const std::uint32_t max_failures_;
  std::uint64_t of_all_ = 0;
  std::vector<std::uint64_t> results_, failures_;
  std::unordered_map<std::uint32_t, std::deque<std::uint64_t>> failed_at_;  // in the last hour
};

}  // namespace engine

#endif  // ENGINE_RUNTIME_ENV_HEALTH_H_
