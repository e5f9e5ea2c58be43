// For all schedules, no wake-up is lost, and waits end for each possible reason.
#include "engine/sync/parker.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "tests/engine/harness.h"
#include "tests/engine/support/expect_schedules.h"
#include "tests/engine/support/scheduled_sync.h"

namespace engine::testing {
namespace parker_test {

constexpr std::uint32_t kAll = UINT32_MAX;
constexpr std::uint32_t kLastSequence = UINT32_MAX;

// A counter to wait for: each Give allows one Take.
template <class Sync>
class Tokens {
 public:
  explicit Tokens(std::uint32_t first_sequence = 0) : parker_(first_sequence) {}

  void Give(std::uint32_t wakes) {
    count_.fetch_add(1, std::memory_order_release);
    parker_.Notify(wakes);
  }
  void Take(double spin_ns) {
    for (;;) {
      parker_.Wait([this] { return Any(); }, spin_ns);
      if (TryTake()) return;
    }
  }
  // Returns kWoken if it took a token, otherwise the reason for which the sleep ended.
  FutexResult TakeWithin(std::int64_t timeout_ns) {
    while (!TryTake()) {
      const FutexResult result = parker_.SleepUnless([this] { return Any(); }, timeout_ns);
      if (result != FutexResult::kWoken) return result;
    }
    return FutexResult::kWoken;
  }
  std::uint32_t sleepers() const { return parker_.sleepers(); }

 private:
  bool Any() const { return count_.load(std::memory_order_acquire) > 0; }
  bool TryTake() {
    std::uint32_t count = count_.load(std::memory_order_acquire);
    while (count > 0) {
      if (count_.compare_exchange_weak(count, count - 1, std::memory_order_acq_rel,
                                       std::memory_order_acquire)) {
        return true;
      }
    }
    return false;
  }

  Parker<Sync> parker_;
  typename Sync::template Atomic<std::uint32_t> count_{0};
};

struct Exchange {
  int givers = 1;
  int takers = 1;
  std::uint32_t wakes = 1;
  double spin_ns = 0.0;
  std::uint32_t first_sequence = 0;
};

// The givers give as many tokens in total as there are takers. All threads must finish.
SetUp GiveAndTake(const Exchange& exchange) {
  return [exchange](Scenario& scenario) {
    auto tokens = std::make_shared<Tokens<ScheduledSync>>(exchange.first_sequence);
    for (int t = 0; t < exchange.takers; ++t) {
      scenario.Thread("taker", [tokens, exchange] { tokens->Take(exchange.spin_ns); });
    }
    for (int g = 0; g < exchange.givers; ++g) {
      scenario.Thread("giver", [tokens, exchange] {
        for (int i = 0; i < exchange.takers / exchange.givers; ++i) tokens->Give(exchange.wakes);
      });
    }
    scenario.AtEnd([tokens] { Require(tokens->sleepers() == 0, "sleepers are miscounted"); });
  };
}

TEST(Parker, OneWaiterEverySchedule) {
  for (const std::uint32_t first : {0U, kLastSequence}) {
    ExpectEverySchedule({.preemption_bound = 6, .stale_bound = 3},
                        GiveAndTake({.first_sequence = first}));
  }
}

TEST(Parker, SpinsBeforeItSleeps) {
  // The spin is long enough for one or two checks, and short enough to run out.
  ExpectEverySchedule({.preemption_bound = 2, .pause_ns = 100}, GiveAndTake({.spin_ns = 300.0}));
  ExpectRandomSchedules({.schedules = 2000},
                        GiveAndTake({.givers = 2, .takers = 2, .spin_ns = 5000.0}));
}

TEST(Parker, TwoWaitersOneNotifierEverySchedule) {
  ExpectEverySchedule({.preemption_bound = 2}, GiveAndTake({.takers = 2}));
  ExpectEverySchedule({.preemption_bound = 2}, GiveAndTake({.takers = 2, .wakes = kAll}));
}

TEST(Parker, TwoWaitersTwoNotifiersEverySchedule) {
  ExpectEverySchedule({.preemption_bound = 2, .max_executions = 5'000'000},
                      GiveAndTake({.givers = 2, .takers = 2, .first_sequence = kLastSequence}));
}

TEST(Parker, ManyThreadsRandomSchedules) {
  for (const std::uint32_t wakes : {1U, kAll}) {
    const Exchange exchange = {
        .givers = 3, .takers = 3, .wakes = wakes, .first_sequence = kLastSequence - 1};
    ExpectRandomSchedules({.schedules = 4000, .spurious_wakes = true, .weak_failures = true},
                          GiveAndTake(exchange));
  }
}

// One Notify wakes all threads that wait for the same change.
TEST(Parker, OneNotifyWakesAll) {
  ExpectEverySchedule({.preemption_bound = 2}, [](Scenario& scenario) {
    struct State {
      Parker<ScheduledSync> parker;
      ScheduledSync::Atomic<bool> open{false};
      ScheduledSync::Var<int> data{0};
    };
    auto state = std::make_shared<State>();
    for (int t = 0; t < 2; ++t) {
      scenario.Thread("waiter", [state] {
        state->parker.Wait([&] { return state->open.load(std::memory_order_acquire); }, 0.0);
        Require(state->data.Read() == 7, "old data");
      });
    }
    scenario.Thread("opener", [state] {
      state->data.Write(7);
      state->open.store(true, std::memory_order_release);
      state->parker.Notify(kAll);
    });
  });
}

// The change need not be a read-modify-write. The counter of sleepers orders a release store before
// the acquire load of the last check.
TEST(Parker, StoresAreSeenByTheLastLook) {
  ExpectEverySchedule({.preemption_bound = 3, .stale_bound = 3}, [](Scenario& scenario) {
    struct State {
      std::array<Parker<ScheduledSync>, 2> parkers;
      std::array<ScheduledSync::Atomic<bool>, 2> flags;
    };
    auto state = std::make_shared<State>();
    for (std::size_t t = 0; t < 2; ++t) {
      scenario.Thread("peer", [state, t] {
        state->flags[t].store(true, std::memory_order_release);
        state->parkers[t].Notify(1);
        state->parkers[1 - t].Wait(
            [&] { return state->flags[1 - t].load(std::memory_order_acquire); }, 0.0);
      });
    }
  });
}

TEST(Parker, WaitsEndByWakeTimeOutOrSignal) {
  std::set<FutexResult> seen;
  std::set<FutexResult> seen_alone;
  const auto scenario_with = [](bool giver, std::set<FutexResult>* results) {
    return [giver, results](Scenario& scenario) {
      auto tokens = std::make_shared<Tokens<ScheduledSync>>();
      scenario.Thread("taker", [=] { results->insert(tokens->TakeWithin(1000)); });
      if (giver) scenario.Thread("giver", [=] { tokens->Give(1); });
      scenario.AtEnd([=] { Require(tokens->sleepers() == 0, "sleepers are miscounted"); });
    };
  };
  const ExploreOptions options = {.spurious_wakes = true, .interrupts = true};
  ExpectEverySchedule(options, scenario_with(true, &seen));
  EXPECT_EQ(seen.size(), 3);
  ExpectEverySchedule({}, scenario_with(false, &seen_alone));
  EXPECT_TRUE(seen_alone == std::set<FutexResult>{FutexResult::kTimedOut});
}

// Real threads pass a token around a ring. Each hop needs a sleep and a wake-up.
TEST(Parker, RealThreadsPassTokens) {
  constexpr std::size_t kThreads = 3;
  constexpr int kRounds = 3000;
  for (const double spin_ns : {0.0, 2000.0}) {
    std::array<Tokens<StdSync>, kThreads> ring;
    StdSync::Var<std::int64_t> hops{0};
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < kRounds; ++i) {
          ring[t].Take(spin_ns);
          hops.Write(hops.Read() + 1);
          ring[(t + 1) % kThreads].Give(1);
        }
      });
    }
    ring[0].Give(1);
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(hops.Read(), kRounds * static_cast<std::int64_t>(kThreads));
    EXPECT_EQ(ring[1].sleepers(), 0);
  }
}

TEST(Parker, RealThreadsShareTokens) {
  constexpr int kConsumers = 3;
  constexpr int kEach = 3000;
  Tokens<StdSync> tokens;
  std::vector<std::thread> threads;
  for (int t = 0; t < kConsumers; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kEach; ++i) tokens.Take(0.0);
    });
    threads.emplace_back([&] {
      for (int i = 0; i < kEach; ++i) tokens.Give(1);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(tokens.sleepers(), 0);
  EXPECT_TRUE(tokens.TakeWithin(0) == FutexResult::kTimedOut) << "a token is left over";
}

}  // namespace parker_test
}  // namespace engine::testing
