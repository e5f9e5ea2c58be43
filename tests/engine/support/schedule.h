// Runs a few virtual threads under every schedule, or under many random ones, to find concurrency
// errors that real runs rarely hit.
//
//   auto result = ExploreAll({}, [](Scenario& scenario) {
//     auto state = std::make_shared<State>();       // fresh for each schedule
//     scenario.Thread("producer", [state] { state->queue.Push(1); });
//     scenario.Thread("consumer", [state] { Require(state->queue.Pop() == 1, "lost"); });
//     scenario.AtEnd([state] { Require(state->done, "unfinished"); });
//   });
//   EXPECT_FALSE(result.failed) << result.report;
//
// The code under test is a template over a synchronisation policy and gets ScheduledSync
// (scheduled_sync.h). Its operations are scheduling points and follow the C++ memory model as
// declared: a load may return a stale value if the model allows it. The scheduler reports races on
// Sync::Var, deadlock (every unfinished thread sleeps: a lost wake-up), livelock (the step limit),
// a failed Require, and an exception that leaves a thread.
//
// Not modelled: a load never returns a store that runs after it (compilers and some processors let
// relaxed loads pass later stores), the modification order is the order in which stores run, a load
// looks back four stores at most, and there are no fences. For these, a pass proves nothing. A
// failure is always real.
//
// Scenarios must be deterministic except for their schedule. A schedule that fails is abandoned:
// objects on the virtual threads' stacks are not destroyed. Call everything on one real thread.
// Explorations do not nest.
#ifndef ENGINE_TESTS_SUPPORT_SCHEDULE_H_
#define ENGINE_TESTS_SUPPORT_SCHEDULE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace engine::testing {

struct ExploreOptions {
  // ExploreAll: the maximum number of departures from the default schedule, by kind.
  int preemption_bound = 2;   // switches away from a thread that could continue
  int stale_bound = 1;        // loads of a value older than the newest; the thread may then
                              // miss newer values of this variable in three more loads
  int disturbance_bound = 1;  // timeouts while others can run, and the events enabled below
  // ExploreAll: gives up (complete = false) after this number of schedules.
  std::uint64_t max_executions = 3'000'000;

  // ExploreRandom: the number of schedules, and the seed of the first one. The seeds are
  // consecutive.
  std::uint64_t schedules = 3000;
  std::uint64_t seed = 1;

  // Both: a schedule with more operations counts as a livelock.
  std::uint32_t max_steps = 20'000;
  bool spurious_wakes = false;   // FutexWait may return kWoken for no reason
  bool interrupts = false;       // FutexWait may return kInterrupted
  bool weak_failures = false;    // compare_exchange_weak may fail for no reason
  std::uint64_t pause_ns = 500;  // virtual time of one Pause
};

// The choices that make one schedule. A failure prints them, and Replay takes them.
using Choices = std::vector<std::uint8_t>;

struct ExploreResult {
  bool failed = false;
  bool complete = false;         // ExploreAll: every schedule within the bounds was run
  std::uint64_t executions = 0;  // number of schedules run
  std::uint32_t longest = 0;     // number of operations in the longest schedule
  std::string failure;           // a description in one line
  std::string report;            // the failure, how to replay it, and the operations before it
  Choices choices;
};

// One execution, as the set-up function builds it. The set-up runs before all virtual threads, and
// the final checks run after them. Neither is scheduled.
class Scenario {
 public:
  // Adds a virtual thread. At most kMaxThreads - 1 per scenario.
  void Thread(std::string name, std::function<void()> body) {
    threads_.emplace_back(std::move(name), std::move(body));
  }
  // Adds a final check. It runs if every thread has finished and nothing has failed.
  void AtEnd(std::function<void()> check) { checks_.push_back(std::move(check)); }

 private:
  friend class Scheduler;
  std::vector<std::pair<std::string, std::function<void()>>> threads_;
  std::vector<std::function<void()>> checks_;
};

using SetUp = std::function<void(Scenario&)>;

// Depth-first search through all schedules within the bounds, in order of their number of
// preemptions. Stops at the first failure.
ExploreResult ExploreAll(const ExploreOptions& options, const SetUp& set_up);

// Runs schedules drawn by seed: uniform, sticky, or by priorities that change at a few random
// moments. Stops at the first failure.
ExploreResult ExploreRandom(const ExploreOptions& options, const SetUp& set_up);

// Runs one schedule again. `options` must be those of the exploration that found it.
ExploreResult Replay(const ExploreOptions& options, const Choices& choices, const SetUp& set_up);

// Fails the schedule. It does not return to a virtual thread, but returns to the set-up and to
// final checks. Only the first failure is kept.
void FailSchedule(const char* what);

// The number of writes of virtual threads to atomics that at least two of them have written. Each
// such write may move a cache line between processors.
std::uint64_t SharedWrites();

inline void Require(bool condition, const char* what) {
  if (!condition) FailSchedule(what);
}

}  // namespace engine::testing

#endif  // ENGINE_TESTS_SUPPORT_SCHEDULE_H_
