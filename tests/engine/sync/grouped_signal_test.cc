// For all schedules, workers of several groups find all published work, and workers of later groups
// are woken when the workers of the first group are busy.
#include "engine/sync/grouped_signal.h"

#include <cstdint>
#include <memory>

#include "tests/engine/harness.h"
#include "tests/engine/support/expect_schedules.h"
#include "tests/engine/support/scheduled_sync.h"
#include "tests/engine/support/wait_for_work.h"

namespace engine::testing {
namespace grouped_signal_test {

struct State {
  explicit State(std::uint32_t workers_per_group) : signal(2, workers_per_group) {}

  bool Take() {
    std::uint32_t left = items.load(std::memory_order_acquire);
    while (left > 0) {
      if (items.compare_exchange_weak(left, left - 1, std::memory_order_acq_rel,
                                      std::memory_order_acquire)) {
        return true;
      }
    }
    return false;
  }
  bool Stopped() const { return stopping.load(std::memory_order_acquire) != 0; }

  GroupedSignal<ScheduledSync> signal;
  ScheduledSync::Atomic<std::uint32_t> items{0}, taken{0}, stopping{0};
};

// Each worker holds the first item that it takes until both items have been taken. If only one
// worker is woken, it waits forever. A worker that leaves an item behind wakes another worker, as a
// pool's worker does if environments may wait.
SetUp BothWorkersMeet(std::uint32_t workers_per_group, bool one_by_one, double spin_ns) {
  return [=](Scenario& scenario) {
    auto state = std::make_shared<State>(workers_per_group);
    for (std::uint32_t w = 0; w < 2; ++w) {
      scenario.Thread("worker", [=] {
        const auto ready = [&] {
          return state->items.load(std::memory_order_acquire) > 0 || state->Stopped();
        };
        while (!state->Stopped()) {
          if (!state->Take()) {
            WaitForWork(state->signal.Of(w), ready, spin_ns);
            continue;
          }
          if (state->items.load(std::memory_order_acquire) > 0) state->signal.Wake(1);
          state->taken.fetch_add(1, std::memory_order_acq_rel);
          while (state->taken.load(std::memory_order_acquire) < 2) ScheduledSync::Pause();
          state->stopping.store(1, std::memory_order_release);
          state->signal.WakeAll();
        }
      });
    }
    scenario.Thread("producer", [=] {
      for (std::uint32_t part = 0; part < (one_by_one ? 2U : 1U); ++part) {
        const std::uint32_t n = one_by_one ? 1 : 2;
        state->items.fetch_add(n, std::memory_order_release);
        state->signal.Wake(n);
      }
    });
    scenario.AtEnd([state] {
      Require(state->signal.sleeping() == 0 && state->signal.spinning() == 0, "miscounted");
    });
  };
}

TEST(GroupedSignal, WorkersOfEachGroupAreWokenEverySchedule) {
  for (const std::uint32_t workers_per_group : {1U, 2U}) {
    for (const bool one_by_one : {false, true}) {
      ExpectEverySchedule({.preemption_bound = 2},
                          BothWorkersMeet(workers_per_group, one_by_one, 0.0));
    }
  }
}

TEST(GroupedSignal, SpinnersAndSleepersRandomSchedules) {
  for (const bool one_by_one : {false, true}) {
    ExpectRandomSchedules({.schedules = 3000, .spurious_wakes = true},
                          BothWorkersMeet(1, one_by_one, 2'000.0));
  }
}

TEST(GroupedSignal, GroupsHaveNeighbouringWorkers) {
  GroupedSignal<> signal(33, 16);
  EXPECT_TRUE(&signal.Of(0) == &signal.Of(15));
  EXPECT_TRUE(&signal.Of(15) != &signal.Of(16));
  EXPECT_TRUE(&signal.Of(31) != &signal.Of(32));
  signal.Wake(5);  // no worker waits
  signal.WakeAll();
  EXPECT_EQ(signal.sleeping(), 0U);
  EXPECT_EQ(signal.spinning(), 0U);
}

}  // namespace grouped_signal_test
}  // namespace engine::testing
