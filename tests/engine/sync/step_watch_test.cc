// For all schedules, a step either ends and its thread uses the result, or it is given up and the
// watcher does: never both. Runs under the deterministic scheduler, and with real threads for the
// sanitizers.
//
// Each of these changes to step_watch.h makes tests in this file fail (each was tried): Begin
// stores relaxed; GiveUp stores instead of comparing; GiveUp is relaxed.
#include "engine/sync/step_watch.h"

#include <cstdint>
#include <memory>
#include <thread>

#include "tests/engine/harness.h"
#include "tests/engine/support/expect_schedules.h"
#include "tests/engine/support/scheduled_sync.h"

namespace engine::testing {
namespace step_watch_test {

constexpr std::int64_t kLongGap = 1'000'000;

// One thread makes `steps` steps, another one gives up any step that it observes twice.
template <class Sync>
class WatchedSteps {
 public:
  explicit WatchedSteps(int steps) : steps_(steps) {}

  void Step() {
    for (int step = 1; step <= steps_; ++step) {
      argument_.Write(step);
      watch_.Begin();
      if (!watch_.End()) {
        lost_ = step;
        return;
      }
      result_.Write(step);
    }
  }
  void Watch(int observations) {
    for (int i = 1; i <= observations; ++i) {
      if (watch_.Observe(static_cast<std::uint64_t>(i), kLongGap) == 0) continue;
      if (!watch_.GiveUp()) continue;
      given_up_ = argument_.Read();
      if (result_.Read() != given_up_ - 1) given_up_ = -1;
      result_.Write(-given_up_);
      return;
    }
  }
  // After both have ended.
  bool IsRight() const {
    return given_up_ == lost_ && result_.Read() == (lost_ > 0 ? -lost_ : steps_);
  }

 private:
  template <class T>
  using Var = typename Sync::template Var<T>;

  const int steps_;
  StepWatch<Sync> watch_;
  Var<int> argument_{0};  // of the step; for the watcher once it has given the step up
  Var<int> result_{0};    // of whoever has the step
  int lost_ = 0;          // written by the stepping thread
  int given_up_ = 0;      // written by the watcher
};

SetUp In(int steps, int observations) {
  return [=](Scenario& scenario) {
    auto steps_of = std::make_shared<WatchedSteps<ScheduledSync>>(steps);
    scenario.Thread("steps", [steps_of] { steps_of->Step(); });
    scenario.Thread("watches", [=] { steps_of->Watch(observations); });
    scenario.AtEnd([steps_of] {
      Require(steps_of->IsRight(), "a step has two results, or none, or that of another step");
    });
  };
}

TEST(StepWatch, EverySchedule) {
  ExpectEverySchedule({.preemption_bound = 4, .stale_bound = 2}, In(2, 3));
  ExpectEverySchedule({.preemption_bound = 3, .stale_bound = 1}, In(3, 4));
}

TEST(StepWatch, RealThreads) {
  for (int round = 0; round < 2000; ++round) {
    WatchedSteps<StdSync> steps(50);
    std::thread watcher([&] { steps.Watch(50); });
    steps.Step();
    watcher.join();
    EXPECT_TRUE(steps.IsRight());
  }
}

TEST(StepWatch, TimeCountsFromTheFirstObservation) {
  StepWatch<> watch;
  EXPECT_EQ(watch.Observe(100, kLongGap), 0);  // no step
  watch.Begin();
  EXPECT_EQ(watch.Observe(1'000, kLongGap), 0);
  EXPECT_EQ(watch.Observe(1'700, kLongGap), 700);
  EXPECT_EQ(watch.Observe(1'900, kLongGap), 900);
  EXPECT_TRUE(watch.End());
  watch.Begin();
  EXPECT_EQ(watch.Observe(2'000, kLongGap), 0);  // another step
  EXPECT_EQ(watch.Observe(2'010, kLongGap), 10);
  EXPECT_TRUE(watch.End());
  EXPECT_EQ(watch.Observe(3'000, kLongGap), 0);
}

TEST(StepWatch, ALongGapDoesNotCountInFull) {
  StepWatch<> watch;
  watch.Begin();
  EXPECT_EQ(watch.Observe(1'000, 50), 0);
  EXPECT_EQ(watch.Observe(9'000, 50), 50);
  EXPECT_EQ(watch.Observe(9'020, 50), 70);
}

TEST(StepWatch, AStepThatWasGivenUpIsOver) {
  StepWatch<> watch;
  watch.Begin();
  watch.Observe(1, kLongGap);
  EXPECT_EQ(watch.Observe(2, kLongGap), 1);
  EXPECT_TRUE(watch.GiveUp());
  EXPECT_EQ(watch.Observe(3, kLongGap), 0);
  EXPECT_FALSE(watch.End());
}

}  // namespace step_watch_test
}  // namespace engine::testing
