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
// The code under test is a template over a synchronisation policy and gets
// ScheduledSync (scheduled_sync.h), whose operations are scheduling points and
// follow the C++ memory model as declared: a load may return a stale value if
// nothing forbids it. Found are: races on Sync::Var, deadlock (every unfinished
// thread asleep: a lost wake-up), livelock (the step limit), a failed Require
// and an exception that leaves a thread.
//
// Not modelled: a load never returns a store that runs after it (compilers and
// some processors let relaxed loads pass later stores), modification order is
// the order in which stores run, a load looks back four stores at most, and
// there are no fences. So a pass is no proof for those; a failure is real.
//
// Scenarios must be deterministic but for their schedule. A schedule that
// fails is left where it stands: objects on the virtual threads' stacks are not
// destroyed. One real thread; not reentrant.
#ifndef ENGINE_TESTS_SUPPORT_SCHEDULE_H_
#define ENGINE_TESTS_SUPPORT_SCHEDULE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace engine::testing {

struct ExploreOptions {
  // ExploreAll: the most departures from the plain schedule, by kind.
  int preemption_bound = 2;   // switches away from a thread that could go on
  int stale_bound = 1;        // loads of an older value than the newest; the thread may then
                              // miss that variable's news for three more loads
  int disturbance_bound = 1;  // time-outs while others can run, and what is enabled below
  // ExploreAll: gives up (complete = false) after so many schedules.
  std::uint64_t max_executions = 3'000'000;

  // ExploreRandom: how many schedules, and the first of their seeds.
  std::uint64_t schedules = 3000;
  std::uint64_t seed = 1;

  // Both: a schedule that takes more operations is a livelock.
  std::uint32_t max_steps = 20'000;
  bool spurious_wakes = false;   // FutexWait may return kWoken for no reason
  bool interrupts = false;       // FutexWait may return kInterrupted
  bool weak_failures = false;    // compare_exchange_weak may fail for no reason
  std::uint64_t pause_ns = 500;  // how far Pause moves the virtual clock
};

// The choices that make one schedule: what a failure prints and Replay takes.
using Choices = std::vector<std::uint8_t>;

struct ExploreResult {
  bool failed = false;
  bool complete = false;         // ExploreAll: every schedule within the bounds was run
  std::uint64_t executions = 0;  // schedules run
  std::uint32_t longest = 0;     // most operations in one of them
  std::string failure;           // what went wrong, in one line
  std::string report;            // that, how to replay it, and the operations that led to it
  Choices choices;
};

// One execution, as its set-up function sees it. Set-up runs before all virtual
// threads and the final checks after them; neither is scheduled.
class Scenario {
 public:
  // At most kMaxThreads - 1 threads.
  void Thread(std::string name, std::function<void()> body) {
    threads_.emplace_back(std::move(name), std::move(body));
  }
  // Runs if every thread has finished and nothing has failed.
  void AtEnd(std::function<void()> check) { checks_.push_back(std::move(check)); }

 private:
  friend class Scheduler;
  std::vector<std::pair<std::string, std::function<void()>>> threads_;
  std::vector<std::function<void()>> checks_;
};

using SetUp = std::function<void(Scenario&)>;

// Depth-first search through all schedules within the bounds, those with fewer
// preemptions first. Stops at the first failure.
ExploreResult ExploreAll(const ExploreOptions& options, const SetUp& set_up);

// Schedules drawn by seed: uniform, sticky, and by priorities that change at a
// few random moments. Stops at the first failure.
ExploreResult ExploreRandom(const ExploreOptions& options, const SetUp& set_up);

// Runs one schedule again, with the options it was found under.
ExploreResult Replay(const ExploreOptions& options, const Choices& choices, const SetUp& set_up);

// Fails the schedule; from a virtual thread it does not return. From set-up or
// the final checks it returns, and the first failure counts.
void FailSchedule(const char* what);

// How often virtual threads have written atomics that at least two of them have written: each such
// write may have to move a cache line between processors.
std::uint64_t SharedWrites();

inline void Require(bool condition, const char* what) {
  if (!condition) FailSchedule(what);
}

}  // namespace engine::testing

#endif  // ENGINE_TESTS_SUPPORT_SCHEDULE_H_
