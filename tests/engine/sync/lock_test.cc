// For all schedules: one thread at a time has the lock and sees the effects of earlier holders, and
// no thread sleeps forever, even if some waiting threads give up. Runs under the deterministic
// scheduler, and with real threads for the sanitizers.
#include "engine/sync/lock.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "tests/engine/harness.h"
#include "tests/engine/support/expect_schedules.h"
#include "tests/engine/support/scheduled_sync.h"

namespace engine::testing {
namespace lock_test {

TEST(Lock, IsTakenOnce) {
  Lock lock;
  EXPECT_TRUE(lock.try_lock());
  EXPECT_FALSE(lock.try_lock());
  EXPECT_FALSE(lock.TryLockOrAwait());
  lock.unlock();
  EXPECT_TRUE(lock.TryLockOrAwait());
  EXPECT_FALSE(lock.try_lock());
  lock.unlock();
  EXPECT_TRUE(lock.try_lock());
}

// A counter behind a lock.
template <class Sync>
class Guarded {
 public:
  void Count() {
    const std::lock_guard guard(lock_);
    value_.Write(value_.Read() + 1);
  }
  // Like a wait with a timeout: gives up if it does not get the lock after one sleep.
  void CountOrGiveUp() {
    bool locked = lock_.try_lock();
    const auto over = [&] { return locked || (locked = lock_.TryLockOrAwait()); };
    if (!over()) lock_.released().SleepUnless(over, 1000);
    if (!locked) {
      lock_.released().Notify(1);
      return;
    }
    value_.Write(value_.Read() + 1);
    lock_.unlock();
  }
  int value() {
    const std::lock_guard guard(lock_);
    return value_.Read();
  }
  std::uint32_t sleepers() { return lock_.released().sleepers(); }

 private:
  BasicLock<Sync> lock_;
  typename Sync::template Var<int> value_{0};
};

// `counters` threads count twice each. `impatient` threads count at most once each.
SetUp CountAll(int counters, int impatient) {
  return [=](Scenario& scenario) {
    auto guarded = std::make_shared<Guarded<ScheduledSync>>();
    for (int t = 0; t < counters; ++t) {
      scenario.Thread("counter", [guarded] {
        guarded->Count();
        guarded->Count();
      });
    }
    for (int t = 0; t < impatient; ++t) {
      scenario.Thread("impatient", [guarded] { guarded->CountOrGiveUp(); });
    }
    scenario.AtEnd([=] {
      const int value = guarded->value();
      Require(value >= 2 * counters && value <= 2 * counters + impatient, "miscounted");
      Require(guarded->sleepers() == 0, "sleepers are miscounted");
    });
  };
}

TEST(Lock, TwoThreadsEverySchedule) {
  ExpectEverySchedule({.preemption_bound = 3, .stale_bound = 1}, CountAll(2, 0));
}

TEST(Lock, ThreeThreadsEverySchedule) {
  ExpectEverySchedule({.preemption_bound = 2, .max_executions = 5'000'000}, CountAll(3, 0));
}

TEST(Lock, WhoGivesUpPassesTheWakeUpOnEverySchedule) {
  ExpectEverySchedule({.preemption_bound = 2, .max_executions = 5'000'000}, CountAll(2, 1));
}

TEST(Lock, ManyThreadsRandomSchedules) {
  ExpectRandomSchedules({.schedules = 4000, .spurious_wakes = true, .weak_failures = true},
                        CountAll(3, 2));
}

TEST(Lock, RealThreads) {
  Guarded<StdSync> guarded;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 5000; ++i) guarded.Count();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(guarded.value(), 20'000);
}

}  // namespace lock_test
}  // namespace engine::testing
