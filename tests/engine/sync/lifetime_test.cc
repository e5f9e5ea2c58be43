// For all schedules: no thread uses memory after the end, the end runs once, and every thread that
// waits for the end continues. The same with workers that sleep until there is work or the end.
// Runs under the deterministic scheduler, and with real threads for the sanitizers.
#include "engine/sync/lifetime.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "engine/sync/action_queue.h"
#include "engine/sync/work_signal.h"
#include "tests/engine/harness.h"
#include "tests/engine/support/expect_schedules.h"
#include "tests/engine/support/scheduled_sync.h"
#include "tests/engine/support/wait_for_work.h"

namespace engine::testing {
namespace lifetime_test {

// --- On one thread -------------------------------------------------------------------------------

TEST(Lifetime, ClosingWithNobodyInsideEndsIt) {
  int ends = 0;
  Lifetime lifetime([&] { ++ends; });
  EXPECT_FALSE(lifetime.closed());
  EXPECT_FALSE(lifetime.ended());
  EXPECT_TRUE(lifetime.Close());
  EXPECT_TRUE(lifetime.closed());
  EXPECT_TRUE(lifetime.closed_flag().load());
  EXPECT_TRUE(lifetime.ended());
  EXPECT_EQ(ends, 1);
}

TEST(Lifetime, TheLastToLeaveEndsIt) {
  int ends = 0;
  Lifetime lifetime([&] { ++ends; });
  EXPECT_TRUE(lifetime.Enter());
  EXPECT_TRUE(lifetime.Enter());
  EXPECT_EQ(lifetime.users(), 2U);
  EXPECT_TRUE(lifetime.Close());
  EXPECT_EQ(lifetime.users(), 2U);
  EXPECT_FALSE(lifetime.ended());
  lifetime.Leave();
  EXPECT_EQ(ends, 0);
  EXPECT_FALSE(lifetime.ended());
  lifetime.Leave();
  EXPECT_EQ(ends, 1);
  EXPECT_TRUE(lifetime.ended());
  EXPECT_EQ(lifetime.users(), 0U);
}

TEST(Lifetime, ClosesOnce) {
  int ends = 0;
  Lifetime lifetime([&] { ++ends; });
  EXPECT_TRUE(lifetime.Enter());
  EXPECT_TRUE(lifetime.Close());
  EXPECT_FALSE(lifetime.Close());
  lifetime.Leave();
  EXPECT_FALSE(lifetime.Close());
  EXPECT_EQ(ends, 1);
}

TEST(Lifetime, NobodyEntersAfterClose) {
  Lifetime lifetime([] {});
  EXPECT_TRUE(lifetime.Enter());
  lifetime.Close();
  EXPECT_FALSE(lifetime.Enter());
  EXPECT_EQ(lifetime.users(), 1U);  // a failed Enter() does not count
  lifetime.Leave();
  EXPECT_FALSE(lifetime.Enter());
  EXPECT_EQ(lifetime.users(), 0U);
}

TEST(Lifetime, LeavingAnOpenOneEndsNothing) {
  int ends = 0;
  Lifetime lifetime([&] { ++ends; });
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(lifetime.Enter());
    lifetime.Leave();
  }
  EXPECT_EQ(ends, 0);
}

TEST(Lifetime, ItHasNotEndedWhileAtEndRuns) {
  bool ended_inside = true, closed_inside = false;
  Lifetime* self = nullptr;
  Lifetime lifetime([&] {
    ended_inside = self->ended();
    closed_inside = self->closed();
  });
  self = &lifetime;
  lifetime.Close();
  EXPECT_FALSE(ended_inside);
  EXPECT_TRUE(closed_inside);
}

// --- Users and closers ---------------------------------------------------------------------------

// State shared by the users of a lifetime. The end writes it, so a use that is not ordered before
// the end is a race.
template <class Sync>
class SharedState {
 public:
  SharedState()
      : lifetime_([this] {
          content_.Write(content_.Read() + 1);
          ends_.fetch_add(1, std::memory_order_relaxed);
        }) {}

  // A call. Returns false if the lifetime was closed.
  bool Visit() {
    if (!lifetime_.Enter()) return false;
    intact_ &= content_.Read() == 0;
    lifetime_.Leave();
    return true;
  }
  void Close() {
    lifetime_.Close();
    lifetime_.left().Wait([this] { return lifetime_.ended(); }, 0.0);
    freed_ &= content_.Read() == 1;
  }
  // A call that closes, like an interrupt handler. It waits until all other users have left.
  void CloseFromInside() {
    if (!lifetime_.Enter()) return;
    lifetime_.Close();
    lifetime_.left().Wait([this] { return lifetime_.users() <= 1; }, 0.0);
    intact_ &= content_.Read() == 0;
    lifetime_.Leave();
  }

  BasicLifetime<Sync>& lifetime() { return lifetime_; }
  bool IsRight() const {
    return intact_ && freed_ && ends_.load(std::memory_order_relaxed) == 1 &&
           lifetime_.users() == 0;
  }

 private:
  // All threads may write it, but only to false.
  struct Flag {
    typename Sync::template Atomic<bool> value{true};
    void operator&=(bool holds) {
      if (!holds) value.store(false, std::memory_order_relaxed);
    }
    operator bool() const { return value.load(std::memory_order_relaxed); }  // NOLINT: as a bool
  };

  typename Sync::template Var<int> content_{0};
  typename Sync::template Atomic<std::uint32_t> ends_{0};
  Flag intact_, freed_;
  BasicLifetime<Sync> lifetime_;
};

using Body = std::function<void(SharedState<ScheduledSync>&)>;

SetUp In(std::vector<std::pair<const char*, Body>> threads) {
  return [threads](Scenario& scenario) {
    auto house = std::make_shared<SharedState<ScheduledSync>>();
    for (const auto& [name, body] : threads) {
      scenario.Thread(name, [house, body = body] { body(*house); });
    }
    scenario.AtEnd([house] { Require(house->IsRight(), "used after the end, or not ended once"); });
  };
}

const Body kVisit = [](SharedState<ScheduledSync>& house) { house.Visit(); };
const Body kVisitTwice = [](SharedState<ScheduledSync>& house) {
  const bool first = house.Visit();
  const bool second = house.Visit();
  Require(first || !second, "entered after it was closed");
};
const Body kClose = [](SharedState<ScheduledSync>& house) { house.Close(); };
const Body kCloseFromInside = [](SharedState<ScheduledSync>& house) {
  house.CloseFromInside();
  house.Close();  // closed already: waits for the end
};

TEST(Lifetime, UsersAndACloserEverySchedule) {
  ExpectEverySchedule({.preemption_bound = 3, .stale_bound = 1},
                      In({{"user", kVisitTwice}, {"user", kVisit}, {"closer", kClose}}));
}

TEST(Lifetime, TwoClosersEverySchedule) {
  // The second closer waits for the end, whichever thread runs it.
  ExpectEverySchedule({.preemption_bound = 3, .stale_bound = 1},
                      In({{"closer", kClose}, {"closer", kClose}}));
  ExpectEverySchedule({.preemption_bound = 2, .stale_bound = 1},
                      In({{"user", kVisit}, {"closer", kClose}, {"closer", kClose}}));
}

TEST(Lifetime, AUserClosesEverySchedule) {
  ExpectEverySchedule({.preemption_bound = 2, .stale_bound = 1},
                      In({{"user", kVisitTwice}, {"closing user", kCloseFromInside}}));
  // One thread closes from inside and one from outside. The second waits until the first has left.
  ExpectEverySchedule({.preemption_bound = 2, .stale_bound = 1},
                      In({{"closing user", kCloseFromInside}, {"closer", kClose}}));
}

TEST(Lifetime, ManyUsersAndClosersRandomSchedules) {
  ExpectRandomSchedules({.schedules = 3000, .spurious_wakes = true, .weak_failures = true},
                        In({{"user", kVisitTwice},
                            {"user", kVisitTwice},
                            {"closing user", kCloseFromInside},
                            {"closer", kClose},
                            {"closer", kClose}}));
}

TEST(Lifetime, RealThreads) {
  for (int round = 0; round < 300; ++round) {
    SharedState<StdSync> house;
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; ++i) {
      threads.emplace_back([&] {
        while (house.Visit()) {
        }
      });
    }
    if (round % 2 == 0) threads.emplace_back([&] { house.CloseFromInside(); });
    threads.emplace_back([&] { house.Close(); });
    house.Close();
    for (std::thread& thread : threads) thread.join();
    EXPECT_TRUE(house.IsRight());
  }
}

// --- Workers -------------------------------------------------------------------------------------

struct WorkerPlan {
  std::uint32_t workers = 2;
  std::uint32_t items = 2;  // per producer, queued one by one
  std::uint32_t producers = 1;
  bool closes_early = true;  // at any moment; otherwise when every item is done
  double spin_ns = 0.0;
};

// Worker threads as in WorkerThreads, over one queue: they enter a lifetime, wait on a WorkSignal
// and leave after the close. A worker that sleeps forever is a deadlock.
template <class Sync>
class Workers {
 public:
  explicit Workers(const WorkerPlan& shift)
      : shift_(shift),
        total_(shift.items * shift.producers),
        inputs_(total_),
        queue_(total_),
        lifetime_([this] {
          environments_.Write(1);
          ends_.fetch_add(1, std::memory_order_relaxed);
        }) {}

  void Work() {
    if (!lifetime_.Enter()) return;  // closed before the worker started
    while (!lifetime_.closed()) {
      if (!RunOne()) {
        WaitForWork(
            signal_, [this] { return queue_.size() != 0 || lifetime_.closed(); }, shift_.spin_ns);
      }
    }
    lifetime_.Leave();
  }

  void Produce(std::uint32_t producer) {
    for (std::uint32_t i = 0; i < shift_.items; ++i) {
      if (!lifetime_.Enter()) return;
      const std::uint32_t id = producer * shift_.items + i;
      inputs_[id].Write(id + 7);
      Push(id);
      signal_.Wake(1);
      lifetime_.Leave();
    }
  }

  void Close() {
    if (!shift_.closes_early) {
      done_changed_.Wait([this] { return done_.load(std::memory_order_acquire) == total_; }, 0.0);
    }
    lifetime_.Close();
    signal_.WakeAll();
    lifetime_.left().Wait([this] { return lifetime_.ended(); }, 0.0);
  }

  bool IsRight() const {
    const std::uint32_t done = done_.load(std::memory_order_relaxed);
    return ends_.load(std::memory_order_relaxed) == 1 && !wrong_.load(std::memory_order_relaxed) &&
           (shift_.closes_early ? done <= total_ : done == total_) && signal_.sleeping() == 0 &&
           signal_.spinning() == 0;
  }

 private:
  // Allows one producer at a time, like the mutex of a pool.
  void Push(std::uint32_t id) {
    while (pushing_.exchange(true, std::memory_order_acquire)) Sync::Pause();
    queue_.Push(&id, 1);
    pushing_.store(false, std::memory_order_release);
  }

  bool RunOne() {
    std::uint32_t id = 0;
    if (queue_.Pop(&id, 1, 1) == 0) return false;
    if (environments_.Read() != 0 || inputs_[id].Read() != id + 7) {
      wrong_.store(true, std::memory_order_relaxed);
    }
    done_.fetch_add(1, std::memory_order_acq_rel);
    done_changed_.Notify(1);
    return true;
  }

  const WorkerPlan shift_;
  const std::uint32_t total_;
  typename Sync::template Var<int> environments_{0};  // 1: freed
  std::vector<typename Sync::template Var<std::uint32_t>> inputs_;
  ActionQueue<Sync> queue_;
  typename Sync::template Atomic<bool> pushing_{false};
  typename Sync::template Atomic<bool> wrong_{false};
  typename Sync::template Atomic<std::uint32_t> done_{0};
  typename Sync::template Atomic<std::uint32_t> ends_{0};
  Parker<Sync> done_changed_;
  WorkSignal<Sync> signal_;
  BasicLifetime<Sync> lifetime_;
};

SetUp Run(const WorkerPlan& shift) {
  return [shift](Scenario& scenario) {
    auto workers = std::make_shared<Workers<ScheduledSync>>(shift);
    for (std::uint32_t w = 0; w < shift.workers; ++w) {
      scenario.Thread("worker", [workers] { workers->Work(); });
    }
    for (std::uint32_t p = 0; p < shift.producers; ++p) {
      scenario.Thread("producer", [workers, p] { workers->Produce(p); });
    }
    scenario.Thread("closer", [workers] { workers->Close(); });
    scenario.AtEnd(
        [workers] { Require(workers->IsRight(), "work was lost or came after the end"); });
  };
}

constexpr std::uint64_t kPauseNs = 100;

TEST(WorkersUntilTheEnd, ACloseAtAnyMomentEverySchedule) {
  for (const double spin_ns : {0.0, 300.0}) {
    ExpectEverySchedule(
        {.preemption_bound = spin_ns > 0 ? 1 : 2, .stale_bound = 1, .pause_ns = kPauseNs},
        Run({.workers = 1, .spin_ns = spin_ns}));
    ExpectEverySchedule({.preemption_bound = 1, .stale_bound = 1, .pause_ns = kPauseNs},
                        Run({.workers = 2, .items = 1, .spin_ns = spin_ns}));
  }
}

TEST(WorkersUntilTheEnd, AllWorkIsDoneFirstEverySchedule) {
  for (const double spin_ns : {0.0, 300.0}) {
    ExpectEverySchedule({.preemption_bound = 1, .stale_bound = 1, .pause_ns = kPauseNs},
                        Run({.workers = 1, .closes_early = false, .spin_ns = spin_ns}));
  }
  ExpectEverySchedule({.preemption_bound = 1, .stale_bound = 0},
                      Run({.workers = 2, .closes_early = false}));
}

TEST(WorkersUntilTheEnd, ManyThreadsRandomSchedules) {
  for (const bool closes_early : {false, true}) {
    for (const double spin_ns : {0.0, 2000.0}) {
      ExpectRandomSchedules({.schedules = 2000, .spurious_wakes = true, .weak_failures = true},
                            Run({.workers = 3,
                                 .items = 2,
                                 .producers = 2,
                                 .closes_early = closes_early,
                                 .spin_ns = spin_ns}));
    }
  }
}

TEST(WorkersUntilTheEnd, RealThreads) {
  for (int round = 0; round < 100; ++round) {
    const WorkerPlan shift{.workers = 3,
                           .items = 50,
                           .producers = 2,
                           .closes_early = round % 2 == 0,
                           .spin_ns = round % 4 < 2 ? 0.0 : 5000.0};
    Workers<StdSync> workers(shift);
    std::vector<std::thread> threads;
    for (std::uint32_t w = 0; w < shift.workers; ++w) threads.emplace_back([&] { workers.Work(); });
    for (std::uint32_t p = 0; p < shift.producers; ++p) {
      threads.emplace_back([&, p] { workers.Produce(p); });
    }
    workers.Close();
    for (std::thread& thread : threads) thread.join();
    EXPECT_TRUE(workers.IsRight());
  }
}

}  // namespace lifetime_test
}  // namespace engine::testing
