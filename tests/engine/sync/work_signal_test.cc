// For all schedules, workers that sleep or spin find all published work, no work remains while a
// worker is idle, and many workers are woken as a tree.
//
// Each of these changes to work_signal.h or parker.h makes tests in this file fail (each was
// tried):
//   Signal publishes relaxed, or counts on spinners that already have a signal
//     (WakeDoesNotCountOnASpinnerTwice);
//   Wake reads the sleepers without a read-modify-write, or SleepUnless registers
//     itself relaxed (OneWorker and most others);
//   a woken worker does not WakeNext (WakeTree..., PendingWakes...).
#include "engine/sync/work_signal.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "engine/sync/parker.h"
#include "tests/engine/harness.h"
#include "tests/engine/support/expect_schedules.h"
#include "tests/engine/support/let_others_run.h"
#include "tests/engine/support/scheduled_sync.h"
#include "tests/engine/support/wait_for_work.h"

namespace engine::testing {
namespace work_signal_test {

constexpr std::uint32_t kLastSequence = UINT32_MAX;

struct Plan {
  std::uint32_t workers = 1;
  std::uint32_t producers = 1;
  std::uint32_t rounds = 2;  // per producer; each round publishes `items`
  std::uint32_t items = 1;
  std::uint32_t wanted = 1;
  // A worker holds a taken item until this number of items have been taken. So the workers that
  // take the others must be woken while some workers are busy.
  std::uint32_t meet = 0;
  // The producer takes back the rest of each round except the last one. Workers hold only the items
  // of the last round.
  bool takes_back = false;
  double spin_ns = 0.0;
  std::uint32_t sleepers = 0;  // number of workers that never spin
  std::uint32_t first_sequence = 0;
};

// A number of items, and workers that wait for them on a WorkSignal. The worker that finishes the
// last item stops the others. A lost wake-up leaves all workers asleep, which is a deadlock.
template <class Sync>
class WorkerPool {
 public:
  explicit WorkerPool(const Plan& plan)
      : plan_(plan),
        total_(plan.producers * plan.rounds * plan.items),
        signal_(plan.first_sequence),
        inputs_(total_),
        outputs_(total_) {}

  void Produce(std::uint32_t producer) {
    for (std::uint32_t round = 0; round < plan_.rounds; ++round) {
      // Items are numbered in the order of publishing. Any worker that takes an item must see its
      // input.
      const std::uint32_t first = (producer * plan_.rounds + round) * plan_.items;
      for (std::uint32_t i = first; i < first + plan_.items; ++i) inputs_[i].Write(i + 7);
      published_.fetch_add(plan_.items, std::memory_order_release);
      signal_.Wake(plan_.wanted);
      while (plan_.takes_back && round + 1 < plan_.rounds && RunOne()) {
      }
    }
  }

  void Work(std::uint32_t worker) {
    const double spin_ns = worker < plan_.sleepers ? 0.0 : plan_.spin_ns;
    while (!stopping_.load(std::memory_order_acquire)) {
      if (!RunOne()) WaitForWork(signal_, [this] { return Ready(); }, spin_ns);
    }
  }

  void Stop() {
    stopping_.store(true, std::memory_order_release);
    signal_.WakeAll();
  }

  bool IsRight() const {
    if (taken_.load(std::memory_order_relaxed) != total_) return false;
    if (plan_.producers > 1) return true;  // the order of taken items is unknown
    for (std::uint32_t i = 0; i < total_; ++i) {
      if (outputs_[i].Read() != i + 7) return false;
    }
    return true;
  }
  bool AllCounted() const { return signal_.spinning() == 0 && signal_.sleeping() == 0; }

 private:
  bool HasItem() const {
    // Loads taken_ first, so that it is not newer than published_.
    const std::uint32_t taken = taken_.load(std::memory_order_acquire);
    return published_.load(std::memory_order_acquire) != taken;
  }
  bool Ready() const { return HasItem() || stopping_.load(std::memory_order_acquire); }

  bool RunOne() {
    std::uint32_t taken = taken_.load(std::memory_order_acquire);
    do {
      if (published_.load(std::memory_order_acquire) == taken) return false;
    } while (!taken_.compare_exchange_weak(taken, taken + 1, std::memory_order_acq_rel,
                                           std::memory_order_acquire));
    // With one producer, item numbers are in the order of publishing.
    if (plan_.producers == 1) outputs_[taken].Write(inputs_[taken].Read());
    Meet(taken + 1);
    if (finished_.fetch_add(1, std::memory_order_acq_rel) + 1 == total_) Stop();
    return true;
  }

  // Waits like a slow environment: without checking for work.
  void Meet(std::uint32_t taken) {
    if (plan_.meet == 0) return;
    if (plan_.takes_back && taken <= total_ - plan_.items) return;
    const std::uint32_t needed =
        std::min((taken + plan_.meet - 1) / plan_.meet * plan_.meet, total_);
    meeting_.Notify(UINT32_MAX);
    meeting_.Wait([&] { return taken_.load(std::memory_order_acquire) >= needed; }, 0.0);
  }

  const Plan plan_;
  const std::uint32_t total_;
  WorkSignal<Sync> signal_;
  std::vector<typename Sync::template Var<std::uint32_t>> inputs_, outputs_;
  typename Sync::template Atomic<std::uint32_t> published_{0};
  typename Sync::template Atomic<std::uint32_t> taken_{0};
  typename Sync::template Atomic<std::uint32_t> finished_{0};
  typename Sync::template Atomic<bool> stopping_{false};
  Parker<Sync> meeting_;
};

SetUp Run(const Plan& plan) {
  return [plan](Scenario& scenario) {
    auto shop = std::make_shared<WorkerPool<ScheduledSync>>(plan);
    for (std::uint32_t w = 0; w < plan.workers; ++w) {
      scenario.Thread("worker", [shop, w] { shop->Work(w); });
    }
    for (std::uint32_t p = 0; p < plan.producers; ++p) {
      scenario.Thread("producer", [shop, p] { shop->Produce(p); });
    }
    scenario.AtEnd([shop] {
      Require(shop->IsRight(), "not every item was worked on");
      Require(shop->AllCounted(), "workers are miscounted");
    });
  };
}

// Workers that sleep at once, and workers that first check once or twice.
constexpr double kSpinBudgets[] = {0.0, 300.0};
constexpr std::uint64_t kPauseNs = 100;

TEST(WorkSignal, OneWorkerEverySchedule) {
  for (const double spin_ns : kSpinBudgets) {
    ExpectEverySchedule(
        {.preemption_bound = spin_ns > 0 ? 2 : 3, .stale_bound = 2, .pause_ns = kPauseNs},
        Run({.spin_ns = spin_ns, .first_sequence = kLastSequence}));
  }
}

TEST(WorkSignal, TwoWorkersEverySchedule) {
  for (const double spin_ns : kSpinBudgets) {
    ExpectEverySchedule(
        {.preemption_bound = spin_ns > 0 ? 1 : 2, .stale_bound = 1, .pause_ns = kPauseNs},
        Run({.workers = 2, .spin_ns = spin_ns}));
  }
}

TEST(WorkSignal, TwoProducersEverySchedule) {
  ExpectEverySchedule({.preemption_bound = 2}, Run({.producers = 2, .rounds = 1}));
  ExpectEverySchedule({.preemption_bound = 1}, Run({.workers = 2, .producers = 2, .rounds = 1}));
}

TEST(WorkSignal, ManyThreadsRandomSchedules) {
  for (const double spin_ns : {0.0, 3000.0}) {
    for (const std::uint32_t workers : {1U, 3U}) {
      const Plan plan = {.workers = workers,
                         .producers = 3,
                         .rounds = 3,
                         .items = 2,
                         .wanted = 2,
                         .spin_ns = spin_ns,
                         .first_sequence = kLastSequence - 1};
      ExpectRandomSchedules({.schedules = 2000, .spurious_wakes = true, .weak_failures = true},
                            Run(plan));
    }
  }
}

// If an item is published while one worker is busy or about to be, an idle worker gets it: each of
// the two items is held until both are taken.
TEST(WorkSignal, WakeReachesAnIdleWorkerBesideABusyOneEverySchedule) {
  for (const double spin_ns : kSpinBudgets) {
    ExpectEverySchedule({.preemption_bound = 2, .stale_bound = 1, .pause_ns = kPauseNs},
                        Run({.workers = 2, .meet = 2, .spin_ns = spin_ns}));
  }
}

// One worker spins and one sleeps: two calls of Wake must not both count on the spinner.
TEST(WorkSignal, WakeDoesNotCountOnASpinnerTwiceEverySchedule) {
  ExpectEverySchedule({.preemption_bound = 1, .stale_bound = 1},
                      Run({.workers = 2, .meet = 2, .spin_ns = 20'000.0, .sleepers = 1}));
}

// As many items as workers at the same time: Wake must not count on a spinner twice.
TEST(WorkSignal, EachWakeHasItsOwnWorkerRandomSchedules) {
  for (const double spin_ns : {0.0, 1000.0, 20'000.0}) {
    for (const std::uint32_t producers : {1U, 2U}) {
      const Plan plan = {.workers = 4,
                         .producers = producers,
                         .rounds = 4 / producers,
                         .meet = 4,
                         .spin_ns = spin_ns};
      ExpectRandomSchedules({.schedules = 4000, .weak_failures = true}, Run(plan));
    }
  }
}

// One Wake for all workers: those that it wakes wake the others.
TEST(WorkSignal, WakeTreeReachesAllEverySchedule) {
  const Plan plan = {.workers = 3, .rounds = 1, .items = 3, .wanted = 3, .meet = 3};
  ExpectEverySchedule({.preemption_bound = 1, .stale_bound = 0, .disturbance_bound = 0}, Run(plan));
  ExpectEverySchedule({.preemption_bound = 0, .stale_bound = 2, .disturbance_bound = 0}, Run(plan));
}

TEST(WorkSignal, WakeTreeReachesAllRandomSchedules) {
  for (const double spin_ns : {0.0, 2000.0}) {
    for (const std::uint32_t wanted : {6U, 100U}) {
      const Plan plan = {.workers = 6,
                         .rounds = 3,
                         .items = 6,
                         .wanted = wanted,
                         .meet = 6,
                         .spin_ns = spin_ns,
                         .first_sequence = kLastSequence - 2};
      ExpectRandomSchedules({.schedules = 2000, .weak_failures = true}, Run(plan));
    }
  }
}

// The pending wake-ups of one Wake are added to those of another.
TEST(WorkSignal, TwoWakeTreesReachAllRandomSchedules) {
  ExpectRandomSchedules({.schedules = 10'000},
                        Run({.workers = 6, .items = 3, .wanted = 3, .meet = 6}));
}

// Pending wake-ups are cancelled if another worker has taken their work meanwhile. Those for later
// work are kept.
TEST(WorkSignal, PendingWakesAreCancelledOnlyForWorkThatIsGone) {
  for (const std::uint32_t rounds : {2U, 3U}) {
    const Plan plan = {
        .workers = 5, .rounds = rounds, .items = 5, .wanted = 5, .meet = 5, .takes_back = true};
    ExpectRandomSchedules({.schedules = 10'000}, Run(plan));
  }
}

TEST(WorkSignal, SleepersAndSpinnersSeeTheStopEverySchedule) {
  struct State {
    WorkSignal<ScheduledSync> signal;
    ScheduledSync::Atomic<bool> stopping{false};
  };
  for (const double spin_ns : kSpinBudgets) {
    ExpectEverySchedule({.preemption_bound = 2, .pause_ns = kPauseNs}, [&](Scenario& scenario) {
      auto state = std::make_shared<State>();
      for (int w = 0; w < 2; ++w) {
        scenario.Thread("worker", [state, spin_ns] {
          WaitForWork(
              state->signal, [&] { return state->stopping.load(std::memory_order_acquire); },
              spin_ns);
        });
      }
      scenario.Thread("stopper", [state] {
        state->stopping.store(true, std::memory_order_release);
        state->signal.WakeAll();
      });
    });
  }
}

// The counters when no worker waits, on one thread.
TEST(WorkSignal, CountsNobodyWhenNobodyWaits) {
  WorkSignal<StdSync> signal;
  signal.Wake(5);
  signal.WakeAll();
  WaitForWork(signal, [] { return true; }, 1000.0);
  int looks = 0;
  WaitForWork(signal, [&] { return ++looks > 3; }, 1e9);
  EXPECT_EQ(looks, 4);
  EXPECT_EQ(signal.spinning(), 0);
  EXPECT_EQ(signal.sleeping(), 0);
}

TEST(WorkSignal, RealThreads) {
  for (const double spin_ns : {0.0, 5000.0}) {
    for (const std::uint32_t meet : {0U, 4U}) {
      const Plan plan = {.workers = 4,
                         .rounds = 2000,
                         .items = 4,
                         .wanted = 4,
                         .meet = meet,
                         .spin_ns = spin_ns,
                         .first_sequence = kLastSequence - 100};
      WorkerPool<StdSync> shop(plan);
      std::vector<std::thread> workers;
      for (std::uint32_t w = 0; w < plan.workers; ++w)
        workers.emplace_back([&, w] { shop.Work(w); });
      shop.Produce(0);
      for (std::thread& worker : workers) worker.join();
      EXPECT_TRUE(shop.IsRight());
      EXPECT_TRUE(shop.AllCounted());
    }
  }
}

TEST(WorkSignal, RealThreadsManyProducers) {
  const Plan plan = {.workers = 3, .producers = 3, .rounds = 2000};
  WorkerPool<StdSync> shop(plan);
  std::vector<std::thread> threads;
  for (std::uint32_t w = 0; w < plan.workers; ++w) threads.emplace_back([&, w] { shop.Work(w); });
  for (std::uint32_t p = 0; p < plan.producers; ++p) {
    threads.emplace_back([&, p] { shop.Produce(p); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(shop.IsRight());
}

}  // namespace work_signal_test
}  // namespace engine::testing
