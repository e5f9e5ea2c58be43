// Every decision of the policy, on both sides of its thresholds. The tests use no threads and no
// clocks.
#include "engine/runtime/policy.h"

#include <algorithm>
#include <cstdint>

#include "tests/engine/harness.h"
#include "tests/engine/runtime/policy_cases.h"

namespace engine::testing {
namespace policy_test {

// --- The average ---------------------------------------------------------------------------------

TEST(CostEstimate, IsUnknownAtFirstThenTheFirstSample) {
  CostEstimate cost;
  EXPECT_EQ(cost.ns_per_env(), 0.0);
  // The first sample is the average.
  cost.Measured(6400.0, 64);
  EXPECT_NEAR(cost.ns_per_env(), 100.0, 1e-3);
}

TEST(CostEstimate, FollowsQuicklyDownAndSlowlyUp) {
  // Disturbances only make samples longer, so the average follows a short sample faster than a long
  // one.
  CostEstimate cost;
  cost.Measured(160.0, 1);
  cost.Measured(80.0, 1);
  EXPECT_NEAR(cost.ns_per_env(), 150.0, 1e-3);  // an eighth of the difference
  cost.Measured(182.0, 1);
  EXPECT_NEAR(cost.ns_per_env(), 151.0, 1e-3);  // a thirty-second of the difference
}

TEST(CostEstimate, ASampleCountsForNoMoreThanFourTimesTheAverage) {
  CostEstimate cost, jump, fourfold;
  for (CostEstimate* one : {&cost, &jump, &fourfold}) one->Measured(100.0, 1);
  jump.Measured(1e9, 1);
  fourfold.Measured(400.0, 1);
  EXPECT_EQ(jump.ns_per_env(), fourfold.ns_per_env());
  EXPECT_NEAR(jump.ns_per_env(), 109.375, 1e-3);
}

TEST(CostEstimate, StaysWhereAllSamplesAreEqual) {
  CostEstimate cost;
  for (int i = 0; i < 1000; ++i) cost.Measured(35.0 * 32, 32);
  EXPECT_NEAR(cost.ns_per_env(), 35.0, 1e-3);
}

TEST(EnvsIn, IsBoundedOnBothSides) {
  EXPECT_EQ(EnvsIn(5000.0, 100.0, 256), 50U);
  EXPECT_EQ(EnvsIn(5000.0, 1.0, 256), 256U);
  EXPECT_EQ(EnvsIn(5000.0, 1e6, 256), 1U);  // at least one
  EXPECT_EQ(EnvsIn(5000.0, 5001.0, 256), 1U);
  EXPECT_EQ(EnvsIn(5000.0, 2501.0, 256), 1U);  // rounded down, to stay within the time
  EXPECT_EQ(EnvsIn(5000.0, 1e-6, 7), 7U);      // the quotient exceeds an integer
  EXPECT_EQ(EnvsIn(5000.0, 0.0, 256), 1U);     // unknown: as few as possible
}

// --- Loops ---------------------------------------------------------------------------------------

TEST(TightLoop, NeedsSixteenShortGapsInARow) {
  TightLoop loop;
  EXPECT_FALSE(loop.tight());
  for (int i = 0; i < 15; ++i) loop.Called(1000.0);
  EXPECT_FALSE(loop.tight());
  loop.Called(1000.0);
  EXPECT_TRUE(loop.tight());
  for (int i = 0; i < 100; ++i) loop.Called(1000.0);
  EXPECT_TRUE(loop.tight());
}

TEST(TightLoop, OneLongGapEndsIt) {
  // Workers are asleep again by the next call, so the loop needs sixteen short gaps again.
  TightLoop loop;
  for (int i = 0; i < 20; ++i) loop.Called(10.0);
  loop.Called(kTuning.tight_gap_ns);  // the bound itself is too long
  EXPECT_FALSE(loop.tight());
  for (int i = 0; i < 15; ++i) loop.Called(kTuning.tight_gap_ns - 1.0);
  EXPECT_FALSE(loop.tight());
  loop.Called(0.0);
  EXPECT_TRUE(loop.tight());
}

TEST(TightLoop, ALearnerBetweenTheStepsIsNoLoop) {
  TightLoop loop;
  for (int i = 0; i < 1000; ++i) loop.Called(1e6);
  EXPECT_FALSE(loop.tight());
  // A loop in which every tenth call waits for a learner is not tight either.
  for (int i = 0; i < 1000; ++i) {
    loop.Called(i % 10 == 9 ? 1e6 : 500.0);
    EXPECT_FALSE(loop.tight());
  }
}

// --- Whether sharing light jobs is faster --------------------------------------------------------

// Runs a loop over jobs of 256 environments for `ns`. A job takes `alone_ns` or `shared_ns`.
// Returns the fraction of time spent in shared jobs.
double PartShared(SharingGain& gain, double ns, double alone_ns, double shared_ns) {
  double shared = 0.0, all = 0.0;
  while (all < ns) {
    const bool shares = gain.Pays();
    const double job_ns = shares ? shared_ns : alone_ns;
    gain.Record(shares, job_ns, 256);
    all += job_ns;
    shared += shares ? job_ns : 0.0;
  }
  return shared / all;
}

constexpr double kSecond = 1e9;

TEST(SharingGain, LightJobsAreSharedWhileThatIsQuicker) {
  SharingGain gain;
  PartShared(gain, kSecond, 6'000.0, 4'000.0);
  // The caller runs the other jobs alone, to measure `alone_ns`.
  EXPECT_GT(PartShared(gain, 10 * kSecond, 6'000.0, 4'000.0), 0.98);
}

TEST(SharingGain, LightJobsAreDoneAloneWhereSharingIsSlower) {
  SharingGain gain;
  PartShared(gain, kSecond, 6'000.0, 8'500.0);
  EXPECT_LT(PartShared(gain, 10 * kSecond, 6'000.0, 8'500.0), 0.02);
}

TEST(SharingGain, ASecondProcessorIsNotUsedForNothing) {
  SharingGain gain;
  PartShared(gain, kSecond, 6'000.0, 5'950.0);
  EXPECT_LT(PartShared(gain, 10 * kSecond, 6'000.0, 5'950.0), 0.02);
}

TEST(SharingGain, WhatChangesIsFoundWithinHalfASecond) {
  SharingGain gain;
  for (int i = 0; i < 3; ++i) {
    PartShared(gain, 5 * kSecond, 6'000.0, 8'500.0);
    PartShared(gain, 0.5 * kSecond, 6'000.0, 4'000.0);
    EXPECT_GT(PartShared(gain, kSecond, 6'000.0, 4'000.0), 0.85);
    PartShared(gain, 5 * kSecond, 6'000.0, 4'000.0);
    PartShared(gain, 0.5 * kSecond, 6'000.0, 8'500.0);
    EXPECT_LT(PartShared(gain, kSecond, 6'000.0, 8'500.0), 0.15);
  }
}

// The first two periods try one way each.
TEST(SharingGain, BothWaysAreTriedFirst) {
  SharingGain gain;
  EXPECT_GT(PartShared(gain, kTuning.trial_ns, 6'000.0, 4'000.0), 0.99);
  EXPECT_LT(PartShared(gain, kTuning.trial_ns, 6'000.0, 4'000.0), 0.03);
  EXPECT_GT(PartShared(gain, kTuning.trial_ns, 6'000.0, 4'000.0), 0.97);
}

TEST(SharingGain, JobsThatWereNotSharedBecauseOfTheirWeightDoNotCount) {
  SharingGain gain;
  for (int i = 0; i < 100'000; ++i) gain.Record(false, 1'000.0, 8);
  EXPECT_TRUE(gain.Pays());
  EXPECT_GT(PartShared(gain, kTuning.trial_ns, 6'000.0, 8'500.0), 0.99);
}

TEST(SharingGain, HeavyJobsAreSharedWhateverWasMeasured) {
  JobFacts facts{.n = 256, .cost_ns = 350.0, .tight_loop = true, .sharing_pays = false};  // 90 us
  EXPECT_TRUE(PlanJob(kShort, kOneSpins, facts).begins_alone);
  facts.cost_ns = 400.0;  // 102 us
  EXPECT_FALSE(PlanJob(kShort, kOneSpins, facts).begins_alone);
}

// --- Jobs: who starts ----------------------------------------------------------------------------

TEST(PlanJob, LightWorkIsTheCallers) {
  // Waking a thread takes as long as the work.
  EXPECT_TRUE(Plan(kShort, 150, 100.0).begins_alone);   // 15 us in all
  EXPECT_FALSE(Plan(kShort, 151, 100.0).begins_alone);  // more
}

TEST(PlanJob, OneEnvironmentIsTheCallersWhateverItCosts) {
  // No other thread could help.
  EXPECT_TRUE(Plan(kShort, 1, 1e9).begins_alone);
  EXPECT_TRUE(Plan(kAny, 1, 1e9).begins_alone);
}

TEST(PlanJob, OneThreadIsTheCallers) { EXPECT_TRUE(Plan(kOneThread, 1000, 1e6).begins_alone); }

TEST(PlanJob, UnknownWorkIsBegunByTheCallerOneByOneWithoutTheLock) {
  // The first environment shows the cost of the others. It may take seconds, and other threads of
  // the host must run during this time.
  for (const Machine& machine : {kShort, kAny, kOneThread}) {
    const JobPlan plan = Plan(machine, 64, 0.0);
    EXPECT_TRUE(plan.begins_alone);
    EXPECT_EQ(plan.piece, 1U);
    EXPECT_FALSE(plan.keeps_lock);
  }
}

TEST(PlanJob, LessIsSharedWhereAWorkerIsAwake) {
  // A spinning worker starts within a microsecond, a sleeping one within 5 to 50.
  const JobFacts facts{.n = 50, .cost_ns = 100.0};  // 5 us
  EXPECT_TRUE(PlanJob(kShort, kNobody, facts).begins_alone);
  EXPECT_FALSE(PlanJob(kShort, kOneSpins, facts).begins_alone);
  // In a tight loop, the workers stay awake from the next call on, so waking them is worth it.
  JobFacts in_loop = facts;
  in_loop.tight_loop = true;
  EXPECT_FALSE(PlanJob(kShort, kNobody, in_loop).begins_alone);
  // Less work than this is not worth moving to another processor.
  in_loop.n = 25;  // 2.5 us
  EXPECT_TRUE(PlanJob(kShort, kOneSpins, in_loop).begins_alone);
}

TEST(PlanJob, NothingIsSharedEarlierWithoutAProcessorForTheWorker) {
  // A worker that spins on the only processor does not run until the caller waits.
  const Machine machine{.num_threads = 4, .num_cpus = 1, .never_waits = true};
  const JobFacts facts{.n = 50, .cost_ns = 100.0, .tight_loop = true};
  EXPECT_TRUE(PlanJob(machine, kOneSpins, facts).begins_alone);
}

TEST(PlanJob, ACallerThatHasBegunGoesOnForAsLongAsHelpTakes) {
  // Even if the loop's workers are sometimes awake and sometimes not, the plan does not alternate:
  // a job that the caller begins alone is shared only if waking a sleeping worker would be worth
  // it.
  const JobFacts facts{.n = 20, .cost_ns = 100.0, .tight_loop = true};
  EXPECT_EQ(PlanJob(kShort, kNobody, facts).inline_ns, kTuning.inline_ns);
  EXPECT_EQ(PlanJob(kShort, kOneSpins, facts).inline_ns, kTuning.inline_ns);
}

TEST(PlanJob, ConstructionWakesNobodyForLessThanAMillisecond) {
  // Construction happens once, and starting a thread takes tens of microseconds.
  JobFacts facts{.kind = JobKind::kConstruct, .n = 10, .cost_ns = 100'000.0};
  EXPECT_TRUE(PlanJob(kShort, kNobody, facts).begins_alone);
  EXPECT_EQ(PlanJob(kShort, kNobody, facts).inline_ns, kTuning.inline_construct_ns);
  facts.n = 11;
  EXPECT_FALSE(PlanJob(kShort, kNobody, facts).begins_alone);
}

TEST(PlanJob, RenderingIsNoPartOfALoopOfSteps) {
  const JobFacts facts{.kind = JobKind::kRender, .n = 1, .cost_ns = 5000.0, .tight_loop = true};
  JobFacts three = facts;
  three.n = 3;  // 15 us
  EXPECT_TRUE(PlanJob(kShort, kOneSpins, three).begins_alone);
  three.n = 4;
  EXPECT_FALSE(PlanJob(kShort, kOneSpins, three).begins_alone);
  // Drawing runs code of the host's libraries, so it releases the lock even if it is light.
  EXPECT_FALSE(PlanJob(kShort, kNobody, facts).keeps_lock);
}

TEST(PlanJob, ThePieceBetweenTwoLooksAtTheClock) {
  // 15 us of work: the amount that the caller may do alone.
  EXPECT_EQ(Plan(kShort, 1000, 100.0).piece, 150U);
  EXPECT_EQ(Plan(kShort, 100, 100.0).piece, 100U);  // not more than the whole job
  EXPECT_EQ(Plan(kShort, 1000, 1e6).piece, 1U);
}

// --- Jobs: the host's lock -----------------------------------------------------------------------

TEST(KeepsLock, ForShortKnownStepsOnly) {
  EXPECT_TRUE(Plan(kShort, 64, 40.0).keeps_lock);
  // A step that may wait could wait for a thread of the host that needs the lock.
  EXPECT_FALSE(Plan(kAny, 64, 40.0).keeps_lock);
  EXPECT_FALSE(Plan(kShort, 64, 0.0).keeps_lock);
  // The caller does not hold the lock while it waits for workers.
  EXPECT_FALSE(Plan(kShort, 1000, 40.0).keeps_lock);
}

TEST(KeepsLock, UpToTwentyMicroseconds) {
  // A longer job would delay other threads by more than releasing the lock costs.
  EXPECT_TRUE(Plan(kOneThread, 1, 19'999.0).keeps_lock);
  EXPECT_FALSE(Plan(kOneThread, 1, 20'000.0).keeps_lock);
  EXPECT_FALSE(Plan(kOneThread, 1000, 1000.0).keeps_lock);
}

TEST(KeepsLock, ForResetsAsForSteps) {
  JobFacts facts{.kind = JobKind::kReset, .n = 8, .cost_ns = 100.0};
  EXPECT_TRUE(PlanJob(kShort, kNobody, facts).keeps_lock);
  // Construction opens files and loads libraries.
  facts.kind = JobKind::kConstruct;
  EXPECT_FALSE(PlanJob(kShort, kNobody, facts).keeps_lock);
}

// --- Jobs: how they are shared -------------------------------------------------------------------

TEST(PlanShare, AHelperForEveryThreeMicroseconds) {
  EXPECT_EQ(PlanShare(kShort, 59, 50.0).helpers, 0U);  // 2.95 us: the caller alone is as fast
  EXPECT_EQ(PlanShare(kShort, 60, 50.0).helpers, 1U);
  EXPECT_EQ(PlanShare(kShort, 120, 50.0).helpers, 2U);
  // The caller is one of the threads.
  EXPECT_EQ(PlanShare(kShort, 1000, 1000.0).helpers, 3U);
}

TEST(PlanShare, NoMoreHelpersThanProcessorsUnlessTheyMayWait) {
  const Machine crowded{.num_threads = 64, .num_cpus = 2, .never_waits = true};
  EXPECT_EQ(PlanShare(crowded, 64, 1e6).helpers, 1U);
  const Machine waiting{.num_threads = 64, .num_cpus = 2, .never_waits = false};
  EXPECT_EQ(PlanShare(waiting, 64, 1e6).helpers, 63U);
  const Machine one{.num_threads = 4, .num_cpus = 1, .never_waits = true};
  EXPECT_EQ(PlanShare(one, 64, 1e6).helpers, 1U);
}

TEST(PlanShare, NoMoreHelpersThanWork) {
  EXPECT_EQ(PlanShare(kShort, 1, 1e9).helpers, 0U);
  EXPECT_EQ(PlanShare(kShort, 2, 1e9).helpers, 1U);
  EXPECT_EQ(PlanShare(kOneThread, 1000, 1e9).helpers, 0U);
}

TEST(NumToWake, OneMoreWhereAWorkerMayTakeAWakeUpForNothing) {
  Workers workers{.started = 3};
  SharePlan plan{.helpers = 2};
  EXPECT_EQ(NumToWake(kShort, workers, plan), 2U);
  workers.started = kShort.num_threads;  // the last one takes no part in jobs
  EXPECT_EQ(NumToWake(kShort, workers, plan), 3U);
  plan.helpers = 0;
  EXPECT_EQ(NumToWake(kShort, workers, plan), 0U);
}

TEST(PlanShare, PiecesAreLongAgainstTakingThemAndShortAgainstTheJob) {
  SharePlan plan = PlanShare(kShort, 4096, 100.0);
  EXPECT_EQ(plan.min_piece, 10U);   // 1 us
  EXPECT_EQ(plan.max_piece, 500U);  // 50 us
  // At most one thread's share, otherwise the other threads would have no work.
  plan = PlanShare(kShort, 401, 100.0);
  EXPECT_EQ(plan.max_piece, 101U);
  // Heavy environments are taken one by one, so that all threads finish at the same time.
  plan = PlanShare(kShort, 64, 90'000.0);
  EXPECT_EQ(plan.min_piece, 1U);
  EXPECT_EQ(plan.max_piece, 1U);
  // The same holds if the cost is unknown.
  plan = PlanShare(kShort, 64, 0.0);
  EXPECT_EQ(plan.min_piece, 1U);
  EXPECT_EQ(plan.max_piece, 1U);
}

TEST(PlanShare, PiecesAreInOrderWhateverTheWork) {
  for (const std::uint32_t n : {1U, 2U, 3U, 4U, 5U, 100U, 100'000U}) {
    for (const double cost_ns : {0.0, 1.0, 40.0, 999.0, 1001.0, 1e5, 1e10}) {
      const SharePlan plan = PlanShare(kShort, n, cost_ns);
      EXPECT_LE(1U, plan.min_piece);
      EXPECT_LE(plan.min_piece, plan.max_piece);
      EXPECT_LE(plan.max_piece, n);
      EXPECT_LT(plan.helpers, std::min(n, kShort.num_threads));
    }
  }
}

// --- Queued environments -------------------------------------------------------------------------

TEST(PlanPiece, OneOfThoseThatMayWait) {
  // A slow environment would delay the others of its piece.
  for (const double cost_ns : {0.0, 15.0, 1e6}) {
    const PiecePlan plan = PlanPiece(kAny, cost_ns);
    EXPECT_EQ(plan.min_envs, 1U);
    EXPECT_EQ(plan.max_envs, 1U);
  }
}

TEST(PlanPiece, ManyOfTheShortOnes) {
  PiecePlan plan = PlanPiece(kShort, 100.0);
  EXPECT_EQ(plan.min_envs, 10U);  // 1 us: long compared with the 50 ns to take a piece
  EXPECT_EQ(plan.max_envs, 50U);  // 5 us: rows are reported soon
  plan = PlanPiece(kShort, 1.0);
  EXPECT_EQ(plan.min_envs, kTuning.max_piece);  // the size of the scratch memory
  EXPECT_EQ(plan.max_envs, kTuning.max_piece);
  plan = PlanPiece(kShort, 15'000.0);
  EXPECT_EQ(plan.min_envs, 1U);
  EXPECT_EQ(plan.max_envs, 1U);
}

TEST(PlanPiece, LongerWithManyThreadsIfBatchesAreLarge) {
  const Machine large{.num_threads = 256, .num_cpus = 256, .never_waits = true};
  EXPECT_EQ(PlanPiece(large, 20'000.0, 4096).max_envs, 5U);  // five steps take 100 us
  EXPECT_EQ(PlanPiece(large, 20'000.0, 1024).max_envs, 2U);  // half of a thread's rows
  EXPECT_EQ(PlanPiece(large, 20'000.0, 64).max_envs, 1U);    // less than one row per thread
  EXPECT_EQ(PlanPiece(large, 50.0, 100'000).max_envs, 195U);
  EXPECT_EQ(PlanPiece(large, 300'000.0, 100'000).max_envs, 1U);
  EXPECT_NEAR(PlanPiece(large, 20'000.0, 1024).overrun_ns, 409'600.0, 1e-6);
  const Machine small{.num_threads = 8, .num_cpus = 16, .never_waits = true};
  EXPECT_EQ(PlanPiece(small, 1'000.0, 1024).max_envs, PlanPiece(small, 1'000.0).max_envs);
}

TEST(Pieces, HaveWhatIsSteppedTogetherButNoMoreThanAThreadsPart) {
  Machine machine = kShort;  // four threads
  machine.together = 16;
  EXPECT_EQ(PlanPiece(machine, 15'000.0, 256).max_envs, 16U);
  EXPECT_EQ(PlanPiece(machine, 15'000.0, 8).max_envs, 2U);
  EXPECT_EQ(PlanPiece(machine, 15'000.0, 3).max_envs, 1U);
  EXPECT_EQ(PlanPiece(machine, 100.0, 256).max_envs, 50U);
  EXPECT_EQ(PlanShare(machine, 256, 15'000.0).min_piece, 16U);
  EXPECT_EQ(PlanShare(machine, 256, 15'000.0).max_piece, 16U);
  EXPECT_EQ(PlanShare(machine, 8, 15'000.0).max_piece, 2U);
  EXPECT_EQ(PlanShare(machine, 8, 50'000.0).min_piece, 2U);
  EXPECT_EQ(PlanShare(machine, 256, 100.0).max_piece, 64U);
  machine.num_threads = 1;
  EXPECT_EQ(Plan(machine, 256, 15'000.0).piece, 16U);
  EXPECT_EQ(Plan(machine, 5, 15'000.0).piece, 5U);
}

TEST(PlanPiece, OneIfTheCostIsUnknown) {
  EXPECT_EQ(PlanPiece(kShort, 0.0).min_envs, 1U);
  EXPECT_EQ(PlanPiece(kShort, 0.0).max_envs, 1U);
}

TEST(PlanPiece, AsMuchAsMayBeWhereNobodyElseTakesAny) {
  const PiecePlan plan = PlanPiece(kOneThread, 100.0);
  EXPECT_EQ(plan.min_envs, 50U);
  EXPECT_EQ(plan.max_envs, 50U);
}

TEST(PlanPiece, OverrunsAtFourTimesItsLength) {
  // Twice the length is an ordinary disturbance. More than 20 us delays rows that are finished.
  EXPECT_NEAR(PlanPiece(kShort, 100.0).overrun_ns, 20'000.0, 1e-6);
}

TEST(PlanSend, UnknownWorkWakesAWorkerForEach) {
  // The work may be heavy, and then every worker is needed.
  EXPECT_EQ(Woken(kShort, 2, 8, 0.0), 2U);
  EXPECT_EQ(Woken(kShort, 64, 8, 0.0), 4U);
  EXPECT_EQ(Woken(kOneThread, 64, 8, 0.0), 1U);
}

TEST(PlanSend, LightWorkIsLeftToTheReceiver) {
  // The receiver comes anyway, and its processor has the actions in its cache.
  EXPECT_EQ(Woken(kShort, 8, 8, 40.0), 0U);
  // A receiver that is already waiting is not woken to step. A worker steps, and wakes the receiver
  // with a full batch.
  EXPECT_EQ(Woken(kShort, 8, 8, 40.0, 1), 1U);
}

TEST(PlanSend, EnvironmentsThatMayWaitAreAlwaysHandedOn) {
  // A receiver inside a step could not return a batch that another thread completed, and could not
  // obey its timeout.
  EXPECT_EQ(Woken(kAny, 8, 8, 40.0), 1U);
  EXPECT_EQ(Woken(kAny, 1, 8, 1.0), 1U);
}

TEST(PlanSend, HeavyWorkWakesAWorkerForEveryThreeMicroseconds) {
  EXPECT_EQ(Woken(kShort, 1, 16, 2000.0), 1U);  // at least one
  EXPECT_EQ(Woken(kShort, 3, 16, 2000.0), 2U);
  EXPECT_EQ(Woken(kShort, 64, 16, 2000.0), 4U);
  EXPECT_EQ(Woken(kShort, 1, 8, 1e6), 1U);  // one environment, one worker
}

TEST(PlanSend, WakesNobodyOnlyWhereAReceiverSteps) {
  // If a send wakes no worker, a receiver must step: the two decisions agree for a receiver that
  // can wait.
  for (const Machine& machine : {kShort, kAny, kOneThread, kTwoThreads}) {
    for (const double cost_ns : {0.0, 1.0, 40.0, 2499.0, 2501.0, 3749.0, 3751.0, 1e5}) {
      for (const std::uint32_t receivers : {0U, 1U}) {
        const bool steps = ReceiverSteps(machine, cost_ns, 8, kForever);
        const bool wakes_nobody = Woken(machine, 8, 8, cost_ns, receivers) == 0;
        EXPECT_EQ(wakes_nobody, steps && receivers == 0) << "cost " << cost_ns;
      }
    }
  }
}

TEST(ReceiverSteps, NotOnceItHasWorkedLongerThanItWasTo) {
  EXPECT_TRUE(ReceiverSteps(kShort, 1000.0, 8, kForever, kTuning.max_piece_ns));
  EXPECT_FALSE(ReceiverSteps(kShort, 1000.0, 8, kForever, kTuning.max_piece_ns + 1.0));
}

TEST(ReceiverSteps, WhatIsLighterThanHandingItOn) {
  EXPECT_TRUE(ReceiverSteps(kShort, 2499.0, 8, kForever));
  EXPECT_FALSE(ReceiverSteps(kShort, 2500.0, 8, kForever));  // the threshold is 4/3 of 15 us
  EXPECT_FALSE(ReceiverSteps(kShort, 0.0, 8, kForever));     // unknown
  EXPECT_FALSE(ReceiverSteps(kAny, 40.0, 8, kForever));      // may wait
}

TEST(ReceiverSteps, HeavierBatchesWhereFewerThreadsWouldShareThem) {
  for (const Machine& machine : {kTwoThreads, kOneThread}) {
    EXPECT_TRUE(ReceiverSteps(machine, 3749.0, 8, kForever));
    EXPECT_FALSE(ReceiverSteps(machine, 3750.0, 8, kForever));  // 30 us
  }
  const Machine many{.num_threads = 64, .num_cpus = 64, .never_waits = true};
  EXPECT_TRUE(ReceiverSteps(many, 1904.0, 8, kForever));
  EXPECT_FALSE(ReceiverSteps(many, 1905.0, 8, kForever));  // 15.24 us
}

TEST(ReceiverSteps, WithinItsTimeout) {
  EXPECT_TRUE(ReceiverSteps(kShort, 40.0, 8, 320));
  EXPECT_FALSE(ReceiverSteps(kShort, 40.0, 8, 319));
  EXPECT_FALSE(ReceiverSteps(kShort, 40.0, 8, 0));  // a timeout of 0 only polls
}

TEST(WorkerSpin, EndsWhereManyWorkersKeepLosingTheRace) {
  EXPECT_EQ(WorkerSpinNs(16, 1e9), kTuning.worker_spin_ns);
  EXPECT_EQ(WorkerSpinNs(17, 0.0), kTuning.worker_spin_ns);
  EXPECT_EQ(WorkerSpinNs(17, 20'000.0), kTuning.worker_spin_ns - 20'000.0);
  EXPECT_EQ(WorkerSpinNs(17, 60'000.0), 0.0);
}

TEST(CallerSpin, NotWhereItTakesAProcessorFromAWorker) {
  const Machine machine{.num_threads = 4, .num_cpus = 2, .never_waits = true};
  EXPECT_EQ(CallerSpinNs(machine, kNobody), kTuning.caller_spin_ns);
  EXPECT_EQ(CallerSpinNs(machine, {.started = 4, .sleeping = 4}), kTuning.caller_spin_ns);
  EXPECT_EQ(CallerSpinNs(machine, {.started = 4, .sleeping = 3}), kTuning.caller_spin_ns);
  EXPECT_EQ(CallerSpinNs(machine, {.started = 4, .sleeping = 2}), 0.0);
  // The counts are read at different times: a worker may be counted as asleep before it is counted
  // as started.
  EXPECT_EQ(CallerSpinNs(machine, {.started = 0, .sleeping = 1}), kTuning.caller_spin_ns);
  const Machine one_cpu{.num_threads = 4, .num_cpus = 1, .never_waits = true};
  EXPECT_EQ(CallerSpinNs(one_cpu, {.started = 1}), 0.0);
}

}  // namespace policy_test
}  // namespace engine::testing
