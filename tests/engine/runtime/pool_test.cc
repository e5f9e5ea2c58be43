// The pool without Python: results that do not depend on threads and mode, interrupts, failures,
// concurrent callers, and a close while busy. Run it with the sanitizers, too.
#include "engine/runtime/pool.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "engine/base/error.h"
#include "tests/engine/harness.h"
#include "tests/engine/runtime/pool_fixture.h"

namespace engine::testing {
namespace pool_test {

// The observable results of one step of an environment.
struct Seen {
  std::int64_t steps, drawn;
  double reward;
  bool terminated;
  std::int32_t elapsed;
  bool operator==(const Seen&) const = default;
};
using Histories = std::map<std::int32_t, std::vector<Seen>>;

void Record(const Batch& batch, Histories& histories) {
  const BatchLayout& layout = batch.layout();
  for (std::uint32_t row = 0; row < batch.rows(); ++row) {
    const auto* obs = batch.Data<std::int64_t>(layout.frame.obs) + std::size_t{2} * row;
    histories[EnvIds(batch)[row]].push_back({obs[0], obs[1], batch.Data<double>(layout.reward)[row],
                                             batch.Data<bool>(layout.terminated)[row],
                                             ElapsedSteps(batch)[row]});
  }
}

Histories Ordered(ProbeOptions options, int steps) {
  PoolFixture pool(options);
  pool.Reset();
  Histories histories;
  for (int i = 0; i < steps; ++i) {
    Batch batch = pool.TakeStepAll(1);
    Record(batch, histories);
    batch.Drop();
  }
  return histories;
}

// Sends each environment again when it is received. Returns the first `steps` results of each.
Histories FirstReady(ProbeOptions options, std::size_t steps) {
  PoolFixture pool(options);
  pool.Reset();
  std::vector<std::int32_t> ids(options.num_envs);
  for (std::uint32_t env = 0; env < options.num_envs; ++env) ids[env] = static_cast<int>(env);
  pool.Send(1, ids);
  Histories histories;
  std::size_t complete = 0;
  while (complete < options.num_envs) {
    Batch batch = pool.Recv();
    Record(batch, histories);
    ids.assign(EnvIds(batch), EnvIds(batch) + batch.rows());
    batch.Drop();
    complete = 0;
    for (const auto& [env, history] : histories) complete += history.size() >= steps;
    pool.Send(1, ids);
  }
  for (auto& [env, history] : histories) history.resize(steps);
  return histories;
}

TEST(Pool, ResultsDoNotDependOnThreadsOrMode) {
  constexpr int kSteps = 40;
  for (const AutoresetMode mode : {AutoresetMode::kNextStep, AutoresetMode::kSameStep}) {
    ProbeOptions options{.num_envs = 24, .num_threads = 1, .autoreset = mode, .episode_length = 7};
    const Histories expected = Ordered(options, kSteps);
    EXPECT_EQ(expected.size(), 24U);
    for (const std::uint32_t threads : {2U, 7U}) {
      // Jobs that the caller runs alone, jobs that are shared in pieces, and jobs that are shared
      // one by one.
      for (const auto& [work, never_waits] :
           {std::pair{0, true}, std::pair{3000, true}, std::pair{300, false}}) {
        options.num_threads = threads;
        options.never_waits = never_waits;
        options.work = work;
        options.batch_size = 0;
        EXPECT_TRUE(Ordered(options, kSteps) == expected) << threads << " threads, work " << work;
        for (const std::uint32_t batch_size : {1U, 5U, 8U, 23U}) {
          options.batch_size = batch_size;
          for (const bool two_nodes : {false, true}) {
            options.two_nodes = two_nodes;
            EXPECT_TRUE(FirstReady(options, kSteps) == expected)
                << threads << " threads, work " << work << ", batch " << batch_size
                << (two_nodes ? ", two nodes" : "");
          }
        }
        options.two_nodes = false;
      }
    }
  }
}

// The nodes of a pool share its batches fairly, even if the receiver steps all environments.
TEST(Pool, EnvironmentsOfAllNodesAreStepped) {
  for (const std::int64_t work : {0, 20'000}) {
    for (const std::uint32_t batch_size : {1U, 8U, 32U}) {
      constexpr std::uint32_t kEnvs = 64;
      PoolFixture pool({.num_envs = kEnvs,
                        .batch_size = batch_size,
                        .num_threads = 4,
                        .work = work,
                        .two_nodes = true});
      std::vector<int> rows(kEnvs, 0);
      pool.AsyncReset();
      std::vector<std::int32_t> ids(batch_size);
      // The system may suspend a worker that has taken environments while the others make thousands
      // of steps, so the limit is far above what is needed.
      constexpr std::uint32_t kMaxRows = 20'000'000;
      const auto fewest = [&] { return *std::ranges::min_element(rows); };
      for (std::uint32_t received = 0; fewest() < 5 && received < kMaxRows;
           received += batch_size) {
        Batch batch = pool.Recv();
        ids.assign(EnvIds(batch), EnvIds(batch) + batch_size);
        batch.Drop();
        for (const std::int32_t env : ids) ++rows[static_cast<std::size_t>(env)];
        pool.Send(1, ids);
      }
      EXPECT_LE(5, fewest()) << "work " << work << ", batch " << batch_size;
    }
  }
}

TEST(Pool, FailuresAndDrainsInALoop) {
  constexpr std::uint32_t kBatch = 8;
  for (const auto& [never_waits, two_nodes] :
       {std::pair{true, false}, std::pair{false, false}, std::pair{false, true}}) {
    for (const std::int64_t work : {0, 20'000}) {
      PoolFixture pool({.num_envs = 16,
                        .batch_size = kBatch,
                        .num_threads = 2,
                        .autoreset = AutoresetMode::kSameStep,
                        .episode_length = 7,
                        .work = work,
                        .never_waits = never_waits,
                        .two_nodes = two_nodes});
      std::vector<std::int32_t> ids(kBatch);
      const auto loop = [&](int recvs) {
        pool.AsyncReset();
        for (int i = 0; i < recvs; ++i) {
          Batch batch = pool.Recv();
          EXPECT_EQ(batch.failed.size(), 0U);
          std::copy_n(EnvIds(batch), kBatch, ids.begin());
          batch.Drop();
          pool.Send(1, ids);
        }
      };
      loop(200);
      pool.Drain();
      pool.Reset();
      loop(200);
      Batch batch = pool.Recv();
      std::copy_n(EnvIds(batch), kBatch, ids.begin());
      batch.Drop();
      pool.Send(2, ids);  // their steps throw
      pool.Drain();
      for (const std::int32_t env : ids) EXPECT_THROW(pool.Send(1, {env}), Error);
      pool.Reset();
      loop(100);  // the pool is closed with steps in flight
    }
  }
}

TEST(Pool, AnInterruptedStepIsReceivedLater) {
  for (const std::uint32_t threads : {1U, 3U}) {
    // The step takes much longer than the 50 ms after which the caller checks for interrupts.
    PoolFixture pool({.num_envs = 16, .num_threads = threads, .work = 10'000'000});
    pool.Reset();
    ASSERT_EQ(pool.InterruptedStep(1), WaitResult::kInterrupted);
    EXPECT_THROW(pool.Send(1, {3}), Error);  // in flight
    Batch batch = pool.Recv();
    EXPECT_EQ(batch.rows(), 16U);
    EXPECT_EQ(ElapsedSteps(batch)[15], 1);
    batch.Drop();
    Batch next = pool.TakeStepAll(1);
    EXPECT_EQ(ElapsedSteps(next)[15], 2);
  }
}

TEST(Pool, ASynchronousCallDropsWhatAnInterruptedOneLeft) {
  for (const std::uint32_t threads : {1U, 3U}) {
    PoolFixture pool({.num_envs = 12, .num_threads = threads, .work = 10'000'000});
    pool.Reset();
    ASSERT_EQ(pool.InterruptedStep(1, {0, 1, 2, 3, 4, 5, 6, 7, 8}), WaitResult::kInterrupted);
    pool.Step(1, {10, 11});
    Batch batch = pool.TakeStepAll(1);
    for (int row = 0; row < 12; ++row) EXPECT_EQ(ElapsedSteps(batch)[row], row == 9 ? 1 : 2);
    EXPECT_THROW(pool.Recv(), Error);  // nothing is in flight
  }
}

TEST(Pool, AResetDropsWhatAnInterruptedFirstReadyStepLeft) {
  PoolFixture pool({.num_envs = 6, .batch_size = 4, .num_threads = 2, .work = 50'000'000});
  pool.Reset();
  ASSERT_EQ(pool.InterruptedStep(1), WaitResult::kInterrupted);
  pool.Reset();
  pool.Step(1, {0, 1, 2, 3, 4, 5});
  pool.Drain();
}

TEST(Pool, OneFailureLeavesTheOthersAlone) {
  PoolFixture pool({.num_envs = 6, .num_threads = 3, .work = 2000});
  pool.Reset();
  pool.Step(2, {4});
  EXPECT_EQ(pool->stats().failures, 1U);
  EXPECT_THROW(pool.StepAll(1), Error);
  pool.Step(1, {0, 1, 2, 3, 5});
  pool.Reset();
  pool.StepAll(1);
  EXPECT_EQ(pool->stats().failures, 1U);
}

TEST(Pool, CallersMayShareIt) {
  PoolFixture pool({.num_envs = 64, .batch_size = 8, .num_threads = 3, .episode_length = 5});
  pool.Reset();
  std::atomic<std::uint64_t> rows{0};
  std::atomic<bool> finished{false};
  constexpr int kBatches = 400;
  std::vector<std::int32_t> all(64);
  for (int env = 0; env < 64; ++env) all[static_cast<std::size_t>(env)] = env;
  pool.Send(1, all);
  std::thread reader([&] {
    while (!finished.load()) {
      if (pool->stats().steps > 1'000'000'000) rows.fetch_add(1);
    }
  });
  std::vector<std::thread> receivers;
  std::mutex sending;  // guards the fixture's action buffer
  for (int t = 0; t < 3; ++t) {
    receivers.emplace_back([&] {
      for (int i = 0; i < kBatches; ++i) {
        Batch batch = pool.Recv();
        std::vector<std::int32_t> ids(EnvIds(batch), EnvIds(batch) + batch.rows());
        rows.fetch_add(batch.rows());
        batch.Drop();
        const std::lock_guard lock(sending);
        pool.Send(1, ids);
      }
    });
  }
  for (std::thread& receiver : receivers) receiver.join();
  finished = true;
  reader.join();
  EXPECT_EQ(rows.load(), 3U * kBatches * 8U);
}

TEST(Pool, ClosesWhileBusyAndWhileSomeoneWaits) {
  for (int round = 0; round < 50; ++round) {
    PoolFixture pool({.num_envs = 32, .batch_size = 32 - 1, .num_threads = 3, .work = 20000});
    pool.Reset();
    std::vector<std::int32_t> ids(32);
    for (int env = 0; env < 32; ++env) ids[static_cast<std::size_t>(env)] = env;
    pool.Send(1, ids);
    std::atomic<bool> threw{false};
    std::thread receiver([&] {
      try {
        for (;;) {
          Batch batch = pool.Recv();
          ids.assign(EnvIds(batch), EnvIds(batch) + batch.rows());
          batch.Drop();
          pool.Send(1, ids);
        }
      } catch (const Error& error) {
        threw = error.kind() == ErrorKind::kClosed;
      }
    });
    while (pool->stats().steps < static_cast<std::uint64_t>(round)) std::this_thread::yield();
    pool.Close();
    receiver.join();
    EXPECT_TRUE(threw.load());
  }
}

TEST(Pool, ALeaseOutlivesItsPool) {
  Batch batch;
  {
    PoolFixture pool({.num_envs = 3});
    pool.Reset();
    batch = pool.TakeStepAll(1);
  }
  EXPECT_EQ(EnvIds(batch)[2], 2);
  batch.Drop();
}

TEST(Pool, MoreThreadsThanItemsAndCores) {
  PoolFixture pool({.num_envs = 5, .num_threads = 32, .work = 20000});
  pool.Reset();
  for (int i = 0; i < 200; ++i) pool.StepAll(1);
  EXPECT_EQ(pool->stats().steps + pool->stats().resets, 5U * 201U);
}

}  // namespace pool_test
}  // namespace engine::testing
