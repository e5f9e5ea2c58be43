// Sequences of recorded costs, and the plans that the policy makes from their averages. The tests
// use no threads and no clocks.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/runtime/policy.h"
#include "tests/engine/harness.h"
#include "tests/engine/runtime/policy_cases.h"

namespace engine::testing {
namespace policy_traces_test {

// --- Recorded costs ------------------------------------------------------------------------------

// The total time of `envs` environments.
struct Sample {
  double ns;
  std::uint32_t envs;
};
using Trace = std::vector<Sample>;

// A trace that cycles through the costs of one environment, with `envs` environments per sample.
Trace Repeated(const std::vector<double>& costs_ns, std::uint32_t envs, int samples) {
  Trace trace;
  for (int i = 0; i < samples; ++i) {
    trace.push_back({costs_ns[static_cast<std::size_t>(i) % costs_ns.size()] * envs, envs});
  }
  return trace;
}

// Calls `check` with the average after each sample.
template <class Check>
void Replay(CostEstimate& cost, const Trace& trace, Check&& check) {
  for (const Sample& sample : trace) {
    cost.Measured(sample.ns, sample.envs);
    check(cost.ns_per_env());
  }
}

// CartPole, the lightest environment: 64 environments in pieces of 64.
TEST(Traces, CartPole) {
  CostEstimate cost;
  TightLoop loop;
  const Trace trace = Repeated({40.0, 22.0, 18.0, 15.0, 17.0, 31.0, 16.0, 38.0}, 64, 400);
  Replay(cost, trace, [&](double ns) {
    loop.Called(300.0);
    EXPECT_GE(ns, 15.0);
    EXPECT_LE(ns, 40.0);
    // The whole job takes 1 to 2.5 us: less than waking a thread, and less than releasing the lock.
    const JobPlan cold = Plan(kShort, 64, ns);
    EXPECT_TRUE(cold.begins_alone);
    EXPECT_TRUE(cold.keeps_lock);
    EXPECT_EQ(cold.piece, 64U);  // no clock is read within the job
    EXPECT_TRUE(ReceiverSteps(kShort, ns, 64, kForever));
    EXPECT_EQ(Woken(kShort, 64, 16, ns), 0U);
  });
  EXPECT_TRUE(loop.tight());
  // Short gaps make the loop tight, but 64 environments are too light for any helper.
  const double ns = cost.ns_per_env();
  const JobFacts facts{.n = 64, .cost_ns = ns, .tight_loop = true};
  EXPECT_TRUE(PlanJob(kShort, kOneSpins, facts).begins_alone);
  // A thousand environments are worth helpers that are awake.
  JobFacts thousand = facts;
  thousand.n = 1000;
  EXPECT_FALSE(PlanJob(kShort, kOneSpins, thousand).begins_alone);
  EXPECT_EQ(PlanShare(kShort, 1000, ns).helpers, 3U);
}

TEST(Traces, HalfCheetah) {
  CostEstimate cost;
  Replay(cost, Repeated({15'000.0, 14'600.0, 15'900.0, 15'200.0}, 1, 200), [](double ns) {
    EXPECT_NEAR(ns, 15'000.0, 600.0);
    // Eight environments take 120 us. All threads share them in pieces of one or two.
    EXPECT_FALSE(Plan(kShort, 8, ns).begins_alone);
    EXPECT_FALSE(Plan(kShort, 8, ns).keeps_lock);
    const SharePlan share = PlanShare(kShort, 8, ns);
    EXPECT_EQ(share.helpers, 3U);
    EXPECT_EQ(share.min_piece, 1U);
    EXPECT_EQ(share.max_piece, 2U);  // a thread's share
    EXPECT_FALSE(ReceiverSteps(kShort, ns, 8, kForever));
    EXPECT_EQ(Woken(kShort, 8, 4, ns), 4U);
    EXPECT_EQ(Woken(kShort, 1, 4, ns), 1U);
    EXPECT_EQ(PlanPiece(kShort, ns).max_envs, 1U);
  });
}

TEST(Traces, AntAndPong) {
  for (const double ns_per_step : {90'000.0, 100'000.0}) {
    CostEstimate cost;
    Replay(cost, Repeated({ns_per_step, 0.97 * ns_per_step, 1.1 * ns_per_step}, 1, 200),
           [](double ns) {
             // Even two environments are worth a helper. Each is a piece of its own.
             EXPECT_FALSE(Plan(kShort, 2, ns).begins_alone);
             EXPECT_EQ(Plan(kShort, 8, ns).piece, 1U);
             EXPECT_FALSE(Plan(kShort, 1, ns).keeps_lock);
             EXPECT_EQ(PlanShare(kShort, 2, ns).helpers, 1U);
             EXPECT_EQ(PlanShare(kShort, 64, ns).helpers, 3U);
             EXPECT_EQ(PlanShare(kShort, 64, ns).max_piece, 1U);
             EXPECT_FALSE(ReceiverSteps(kShort, ns, 1, kForever));
             EXPECT_EQ(Woken(kShort, 8, 4, ns), 4U);
             EXPECT_EQ(PlanPiece(kShort, ns).max_envs, 1U);
           });
  }
}

// A step takes 100 ns. Every thirty-second step starts an episode and takes 5 us.
TEST(Traces, OneInThirtyTwoFiftyTimesSlower) {
  std::vector<double> costs(32, 100.0);
  costs[20] = 5000.0;
  // With samples of one environment, the average stays near the common step. The cost of the rare
  // steps is handled when they occur: a job that takes longer is shared, and a piece that overruns
  // is given back.
  CostEstimate one_by_one;
  Replay(one_by_one, Repeated(costs, 1, 3200), [](double ns) {
    EXPECT_GE(ns, 100.0 - 1e-3);
    EXPECT_LE(ns, 110.0);
    EXPECT_TRUE(Plan(kShort, 64, ns).begins_alone);
    EXPECT_TRUE(Plan(kShort, 64, ns).keeps_lock);
    EXPECT_GE(PlanPiece(kShort, ns).max_envs, 45U);
  });
  // With samples of whole rounds, the average is the true one, 253 ns: 64 steps take 16 us and are
  // shared.
  CostEstimate rounds;
  Replay(rounds, Repeated({31 * 100.0 / 32 + 5000.0 / 32}, 32, 100), [](double ns) {
    EXPECT_NEAR(ns, 253.125, 0.1);
    EXPECT_FALSE(Plan(kShort, 64, ns).begins_alone);
    EXPECT_TRUE(Plan(kShort, 32, ns).begins_alone);
  });
}

// A jump from 50 ns to 1 ms, as when a new level has other physics. The average follows within some
// tens of samples of one environment each. The caller does not rely on it: it checks the clock
// after each piece (see JobRunner::RunAlone).
TEST(Traces, AJumpToAMillisecond) {
  CostEstimate cost;
  Replay(cost, Repeated({50.0}, 64, 100), [](double) {});
  ASSERT_TRUE(Plan(kShort, 64, cost.ns_per_env()).keeps_lock);
  ASSERT_TRUE(Plan(kOneThread, 64, cost.ns_per_env()).keeps_lock);

  int samples = 0;
  int until_shared = 0, until_unlocked = 0, until_received = 0, until_one_by_one = 0;
  int until_half = 0;
  double last = 0.0;
  const auto first = [&](int& at, bool now) {
    if (at == 0 && now) at = samples;
    EXPECT_TRUE(at == 0 || now);  // the average only grows, so no plan flips back
  };
  Replay(cost, Repeated({1e6}, 1, 200), [&](double ns) {
    ++samples;
    EXPECT_GT(ns, last);
    last = ns;
    first(until_shared, !Plan(kShort, 64, ns).begins_alone);
    first(until_unlocked, !Plan(kOneThread, 64, ns).keeps_lock);
    first(until_received, !ReceiverSteps(kShort, ns, 8, kForever));
    first(until_one_by_one, PlanPiece(kShort, ns).max_envs == 1);
    first(until_half, ns > 0.5e6);
  });
  EXPECT_EQ(until_shared, 18);      // 64 steps of 235 ns
  EXPECT_EQ(until_unlocked, 21);    // 64 steps of 313 ns
  EXPECT_EQ(until_received, 44);    // 8 steps of 2.5 us
  EXPECT_EQ(until_one_by_one, 44);  // a step of 2.5 us
  EXPECT_LE(until_half, 120);
}

TEST(Traces, BackFromAMillisecond) {
  // The average falls in about half as many samples.
  CostEstimate cost;
  cost.Measured(1e6, 1);
  int samples = 0;
  while (!Plan(kShort, 64, cost.ns_per_env()).keeps_lock) {
    cost.Measured(50.0 * 64, 64);
    ASSERT_TRUE(++samples < 100);
  }
  EXPECT_LE(samples, 70);
}

// The system preempts the thread for 3 ms.
TEST(Traces, ASpikeByTheSystemChangesNoPlan) {
  struct Case {
    double cost_ns;
    std::uint32_t envs;  // per sample
  };
  for (const Case& one : {Case{20.0, 64}, Case{100.0, 32}, Case{15'000.0, 1}, Case{90'000.0, 1}}) {
    CostEstimate cost;
    Replay(cost, Repeated({one.cost_ns}, one.envs, 50), [](double) {});
    const double before = cost.ns_per_env();
    const JobPlan plan = Plan(kShort, 64, before);
    const SharePlan share = PlanShare(kShort, 64, before);
    const std::uint32_t woken = Woken(kShort, 64, 16, before);
    Trace trace = {{3e6, one.envs}};
    for (const Sample& sample : Repeated({one.cost_ns}, one.envs, 20)) trace.push_back(sample);
    Replay(cost, trace, [&](double ns) {
      EXPECT_LE(ns, before * 1.1);
      EXPECT_EQ(Plan(kShort, 64, ns).begins_alone, plan.begins_alone);
      EXPECT_EQ(Plan(kShort, 64, ns).keeps_lock, plan.keeps_lock);
      EXPECT_EQ(PlanShare(kShort, 64, ns).helpers, share.helpers);
      EXPECT_EQ(Woken(kShort, 64, 16, ns), woken);
    });
    EXPECT_NEAR(cost.ns_per_env(), before, before * 0.01);  // forgotten
  }
}

TEST(Traces, ASpikeInTheFirstSampleIsForgotten) {
  // No earlier sample bounds the first one. CartPole is shared needlessly until the average has
  // fallen.
  CostEstimate cost;
  cost.Measured(3e6, 64);
  int samples = 0;
  while (!Plan(kShort, 64, cost.ns_per_env()).begins_alone) {
    cost.Measured(20.0 * 64, 64);
    ASSERT_TRUE(++samples < 100);
  }
  EXPECT_LE(samples, 45);
}

// --- Alone or shared -----------------------------------------------------------------------------

// A period in which a job of 256 environments takes `alone_ns` or `shared_ns`. Once per
// `spike_every_ns`, the system takes a processor away for `spike_ns`.
struct Phase {
  double seconds;
  double alone_ns, shared_ns;
  double spike_ns = 0.0, spike_every_ns = 1e9;
  bool only_shared = false;  // only from the worker: jobs done alone are not delayed
};

// Returns the time of a loop, relative to a loop that takes the better way in each phase.
double Slowdown(const std::vector<Phase>& phases) {
  SharingGain gain;
  double all_ns = 0.0, best_all_ns = 0.0;
  for (const Phase& phase : phases) {
    const double spikes = phase.spike_ns / phase.spike_every_ns;  // per ns
    const double alone_ns = phase.alone_ns * (phase.only_shared ? 1.0 : 1.0 + spikes);
    const double shared_ns = phase.shared_ns * (1.0 + spikes);
    const auto jobs =
        static_cast<std::int64_t>(phase.seconds * 1e9 / std::min(alone_ns, shared_ns));
    best_all_ns += phase.seconds * 1e9;
    double until_spike = 0.5 * phase.spike_every_ns;
    for (std::int64_t job = 0; job < jobs; ++job) {
      const bool shares = gain.Pays();
      double ns = shares ? phase.shared_ns : phase.alone_ns;
      if (shares || !phase.only_shared) until_spike -= ns;
      if (until_spike <= 0.0) {
        ns += phase.spike_ns;
        until_spike += phase.spike_every_ns;
      }
      gain.Record(shares, ns, 256);
      all_ns += ns;
    }
  }
  return all_ns / best_all_ns;
}

// Rates of CartPole and Pendulum with 256 environments, on two processors that share a core. They
// were recorded within one hour on one machine with other users.
TEST(SharingTraces, QuietAndBusyTurnByTurn) {
  const Phase quiet{.seconds = 1.0, .alone_ns = 7'600.0, .shared_ns = 6'700.0};
  const Phase busy{.seconds = 1.0, .alone_ns = 11'600.0, .shared_ns = 13'500.0};
  EXPECT_LT(Slowdown({quiet, quiet, quiet, quiet}), 1.02);
  EXPECT_LT(Slowdown({busy, busy, busy, busy}), 1.02);
  EXPECT_LT(Slowdown({quiet, busy, quiet, busy, quiet, busy}), 1.06);
  const Phase pendulum{.seconds = 1.0, .alone_ns = 33'000.0, .shared_ns = 17'000.0};
  const Phase busy_pendulum{.seconds = 1.0, .alone_ns = 33'000.0, .shared_ns = 45'000.0};
  EXPECT_LT(Slowdown({pendulum, pendulum, pendulum, pendulum}), 1.02);
  EXPECT_LT(Slowdown({pendulum, busy_pendulum, pendulum, busy_pendulum}), 1.15);
}

TEST(SharingTraces, ProcessorsThatAreTakenAwayNowAndThen) {
  // 3 ms, ten times a second, in both ways: sharing is still better.
  EXPECT_LT(Slowdown({{.seconds = 10.0,
                       .alone_ns = 7'600.0,
                       .shared_ns = 5'000.0,
                       .spike_ns = 3e6,
                       .spike_every_ns = 1e8}}),
            1.08);
  // Only from the worker, fifty times a second: sharing takes 5.75 us on average and is still
  // better.
  EXPECT_LT(Slowdown({{.seconds = 10.0,
                       .alone_ns = 7'600.0,
                       .shared_ns = 5'000.0,
                       .spike_ns = 3e6,
                       .spike_every_ns = 2e7,
                       .only_shared = true}}),
            1.08);
  // 3 ms after every 3 ms of shared work: sharing is slower.
  EXPECT_LT(Slowdown({{.seconds = 10.0,
                       .alone_ns = 7'600.0,
                       .shared_ns = 5'000.0,
                       .spike_ns = 3e6,
                       .spike_every_ns = 3e6,
                       .only_shared = true}}),
            1.05);
}

// --- Resets that are queued ----------------------------------------------------------------------

TEST(AsyncReset, IsPlannedByWhatResetsCost) {
  // Steps of 40 ns would be left to the receiver. Their resets take 200 us, and the receiver would
  // run 64 of them alone.
  CostEstimate step, reset;
  Replay(step, Repeated({40.0}, 64, 10), [](double) {});
  Replay(reset, Repeated({200'000.0}, 1, 10), [](double) {});
  EXPECT_EQ(Woken(kShort, 64, 16, step.ns_per_env()), 0U);
  EXPECT_EQ(Woken(kShort, 64, 16, reset.ns_per_env()), 4U);
}

TEST(AsyncReset, OfUnknownCostWakesAll) {
  EXPECT_EQ(Woken(kShort, 64, 16, CostEstimate().ns_per_env()), 4U);
}

}  // namespace policy_traces_test
}  // namespace engine::testing
