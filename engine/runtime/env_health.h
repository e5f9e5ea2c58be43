// What is known about each environment of a pool while it runs: Pool::Health.
#ifndef ENGINE_RUNTIME_ENV_HEALTH_H_
#define ENGINE_RUNTIME_ENV_HEALTH_H_

#include <cstdint>
#include <vector>

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
  explicit ResultCounts(std::uint32_t num_envs) : results_(num_envs, 0), failures_(num_envs, 0) {}

  // `ids` null: environments [0, n), which are all.
  void Returned(const std::uint32_t* ids, std::uint32_t n) {
    if (ids == nullptr) {
      ++of_all_;
      return;
    }
    for (std::uint32_t k = 0; k < n; ++k) ++results_[ids[k]];
  }
  void Failed(std::uint32_t env) { ++failures_[env]; }
  std::uint64_t results(std::uint32_t env) const { return of_all_ + results_[env]; }
  std::uint64_t failures(std::uint32_t env) const { return failures_[env]; }

 private:
  std::uint64_t of_all_ = 0;
  std::vector<std::uint64_t> results_, failures_;
};

}  // namespace engine

#endif  // ENGINE_RUNTIME_ENV_HEALTH_H_
