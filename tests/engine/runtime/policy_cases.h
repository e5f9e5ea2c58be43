// Machines and calls shared by the tests of the policy.
#ifndef ENGINE_TESTS_ENGINE_RUNTIME_POLICY_CASES_H_
#define ENGINE_TESTS_ENGINE_RUNTIME_POLICY_CASES_H_

#include <cstdint>
#include <limits>

#include "engine/runtime/policy.h"

namespace engine::testing {

inline constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();

// Short computations without waits, on a machine with a processor for every thread.
inline constexpr Machine kShort{.num_threads = 4, .num_cpus = 8, .never_waits = true};
inline constexpr Machine kTwoThreads{.num_threads = 2, .num_cpus = 8, .never_waits = true};
// Steps that may wait for anything.
inline constexpr Machine kAny{.num_threads = 4, .num_cpus = 8, .never_waits = false};
inline constexpr Machine kOneThread{.num_threads = 1, .num_cpus = 8, .never_waits = true};

inline constexpr Workers kNobody{};
inline constexpr Workers kOneSpins{.started = 3, .sleeping = 2, .spinning = 1};

inline JobPlan Plan(const Machine& machine, std::uint32_t n, double cost_ns) {
  return PlanJob(machine, kNobody, {.n = n, .cost_ns = cost_ns});
}

inline std::uint32_t Woken(const Machine& machine, std::uint32_t n, std::uint32_t batch_size,
                           double cost_ns, std::uint32_t receivers = 0) {
  return PlanSend(machine,
                  {.n = n, .batch_size = batch_size, .cost_ns = cost_ns, .receivers = receivers});
}

}  // namespace engine::testing

#endif  // ENGINE_TESTS_ENGINE_RUNTIME_POLICY_CASES_H_
