// The pool under obstruction: failed allocations, slow or stuck steps, receivers concurrent with a
// drain, a close that times out. The tests do not depend on durations: they open gates.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <new>
#include <numeric>
#include <set>
#include <thread>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/tick_clock.h"
#include "engine/runtime/pool.h"
#include "tests/engine/batch/test_allocator.h"
#include "tests/engine/harness.h"
#include "tests/engine/runtime/pool_fixture.h"
#include "tests/engine/support/emulated.h"
#include "tests/engine/support/expect_schedules.h"

namespace engine::testing {
namespace pool_waiting_test {

// --- Environments whose steps wait for the test --------------------------------------------------

// A step with a gate spins until the test opens the gate.
struct Gate {
  std::atomic<int> waiting{0};
  std::atomic<bool> open{false};

  void Pass() {
    waiting.fetch_add(1);
    while (!open.load()) std::this_thread::yield();
    waiting.fetch_sub(1);
  }
  void AwaitWaiter() const {
    while (waiting.load() == 0) std::this_thread::yield();
  }
};

// State shared by the environments of one test. The test makes it before its pool.
struct TestEnvironments {
  TestEnvironments() { current = this; }
  ~TestEnvironments() { current = nullptr; }

  Gate gates[2];
  std::atomic<int> instances{0};
  std::atomic<int> plain_steps{0};  // started
  static inline TestEnvironments* current = nullptr;
};

// Observes the steps since the reset. Action 0 only steps, actions 1 and 2 first wait at a gate.
// `kShort` is its kNeverWaits: a slow step may occur despite it.
template <bool kShort>
class Gated {
 public:
  static constexpr bool kNeverWaits = kShort;
  static ParamSchema Options() { return {}; }
  static ParamSchema ResetOptions() { return {}; }
  static EnvSpec Spec(const ParamValues&) {
    EnvSpec spec;
    spec.observation = SpaceSpec::Box<std::int64_t>({1}, INT64_MIN, INT64_MAX);
    spec.action = SpaceSpec::Discrete(3);
    return spec;
  }
  struct Config {
    explicit Config(const ParamValues&) {}
  };
  struct Start {
    explicit Start(const ParamValues&) {}
  };

  explicit Gated(const Config&) : site_(*TestEnvironments::current) {
    site_.instances.fetch_add(1);
  }
  ~Gated() { site_.instances.fetch_sub(1); }
  Gated(const Gated&) = delete;
  Gated& operator=(const Gated&) = delete;

  void Reset(const Start&, Rng&) { steps_ = 0; }
  StepResult Step(ActionView action, Rng&) {
    if (action.Index() == 0) {
      site_.plain_steps.fetch_add(1, std::memory_order_relaxed);
    } else {
      site_.gates[action.Index() - 1].Pass();
    }
    ++steps_;
    return {};
  }
  void Observe(ObsRow row) const { *row.Data<std::int64_t>() = steps_; }

 private:
  TestEnvironments& site_;
  std::int64_t steps_ = 0;
};

std::vector<std::int32_t> Ids(std::int32_t first, std::int32_t end) {
  std::vector<std::int32_t> ids(static_cast<std::size_t>(end - first));
  std::iota(ids.begin(), ids.end(), first);
  return ids;
}

// A pool of Gated, after a reset.
class GatedPool {
 public:
  GatedPool(bool never_waits, std::uint32_t num_envs, const PoolConfig& config) {
    Topology topology;
    topology.cpus = {0, 1};
    topology.nodes = {{.id = 0, .cpus = {0, 1}, .num_cores = 2}};
    pool_ = std::make_unique<Pool>(never_waits ? Group<true>(num_envs) : Group<false>(num_envs),
                                   config, topology);
    TestHost host;
    pool_->Construct(host);
    ResetRequest seeds;
    seeds.seed_by_env = true;
    pool_->SeedAll(seeds);
    Batch batch;
    pool_->Reset(nullptr, {}, host, batch);
  }

  Pool* operator->() { return pool_.get(); }
  void Destroy() { pool_.reset(); }

  void Send(const std::vector<std::int32_t>& ids, const std::vector<std::int64_t>& actions) {
    const std::int64_t shape[] = {static_cast<std::int64_t>(ids.size())};
    const ArrayView id_view = View(ids.data(), DType::kInt32, shape);
    TestHost host;
    pool_->Send(View(actions.data(), DType::kInt64, shape), &id_view, host);
  }
  void Send(const std::vector<std::int32_t>& ids) {
    Send(ids, std::vector<std::int64_t>(ids.size(), 0));
  }
  WaitResult Recv(std::int64_t timeout_ns, Batch& batch) {
    TestHost host;
    return pool_->Recv(host, timeout_ns, batch);
  }
  WaitResult StepAll(std::int64_t action) {
    TestHost host;
    return StepAll(action, host);
  }
  WaitResult StepAll(std::int64_t action, Host& host) {
    const std::vector<std::int64_t> actions(pool_->num_envs(), action);
    const std::int64_t shape[] = {static_cast<std::int64_t>(actions.size())};
    Batch batch;
    return pool_->Step(View(actions.data(), DType::kInt64, shape), nullptr, host, batch);
  }
  WaitResult Drain() {
    TestHost host;
    return pool_->Drain(host);
  }
  WaitResult Close(std::int64_t timeout_ns) {
    TestHost host;
    return pool_->Close(host, timeout_ns);
  }

 private:
  template <bool kShort>
  static std::unique_ptr<EnvGroup> Group(std::uint32_t num_envs) {
    const ParamValues none({}, {}, "option", "Gated");
    return std::make_unique<EnvGroupOf<Gated<kShort>>>(none, GroupConfig{.num_envs = num_envs});
  }
  static ArrayView View(const void* data, DType dtype, const std::int64_t* shape) {
    return {
        .data = static_cast<const std::byte*>(data), .dtype = dtype, .shape = shape, .num_dims = 1};
  }

  std::unique_ptr<Pool> pool_;
};

// Adds the ids of a batch to `seen`. Expects that none is in it yet and that each environment is at
// step `elapsed`.
void ExpectRows(const Batch& batch, std::int32_t elapsed, std::set<std::int32_t>& seen) {
  for (std::uint32_t row = 0; row < batch.rows(); ++row) {
    EXPECT_TRUE(seen.insert(EnvIds(batch)[row]).second) << EnvIds(batch)[row];
    EXPECT_EQ(ElapsedSteps(batch)[row], elapsed);
  }
}

// --- Memory --------------------------------------------------------------------------------------

constexpr std::int32_t kEnvs = 8;

ProbeOptions SmallBatches(std::uint32_t batch_size, TestAllocator& allocator) {
  return {
      .num_envs = kEnvs, .batch_size = batch_size, .episode_length = 1000, .allocator = &allocator};
}

// Sends all environments, and receives as many full batches as they fill.
void ExpectSendAndRecvWork(PoolFixture& pool, std::int32_t elapsed) {
  pool.Send(1, Ids(0, kEnvs));
  std::set<std::int32_t> seen;
  for (std::uint32_t b = 0; b < kEnvs / pool->batch_size(); ++b) {
    ExpectRows(pool.Recv(), elapsed, seen);
  }
  pool.Drain();
}

TEST(PoolWaiting, AnAllocationThatFailsInSendQueuesNothing) {
  for (const std::uint32_t batch_size : {2U, 3U}) {
    bool failed = true;
    std::uint64_t which = 0;
    for (; failed; ++which) {
      TestAllocator allocator;
      {
        PoolFixture pool(SmallBatches(batch_size, allocator));
        pool.Reset();
        allocator.FailAt(allocator.calls() + which);
        failed = false;
        try {
          pool.Send(1, Ids(0, kEnvs));
        } catch (const std::bad_alloc&) {
          failed = true;
        }
        allocator.FailAt(TestAllocator::kNever);
        if (failed) EXPECT_THROW(pool.Recv(), Error);  // nothing is in flight
        pool.Drain();
        ExpectSendAndRecvWork(pool, failed ? 1 : 2);
      }
      EXPECT_EQ(allocator.live_blocks(), 0U);
      EXPECT_FALSE(allocator.wrong());
    }
    // At least one allocation for each full batch.
    EXPECT_GE(which, std::uint64_t{kEnvs / batch_size});
  }
}

TEST(PoolWaiting, AnAllocationThatFailsLeavesWhatIsInFlightAlone) {
  for (std::uint64_t which = 0; which < 2; ++which) {
    TestAllocator allocator;
    {
      PoolFixture pool(SmallBatches(3, allocator));
      pool.Reset();
      pool.Send(1, {6, 1, 4, 7});  // one batch and a row of the next
      allocator.FailAt(allocator.calls() + which);
      // The eight rows in flight extend into a third batch.
      if (which == 0) {
        EXPECT_THROW(pool.Send(1, {0, 2, 3, 5}), std::bad_alloc);
      } else {
        pool.Send(1, {0, 2, 3, 5});
      }
      allocator.FailAt(TestAllocator::kNever);
      std::set<std::int32_t> seen;
      for (std::uint64_t b = 0; b <= which; ++b) ExpectRows(pool.Recv(), 1, seen);
      pool.Drain();
      pool.Reset();
      ExpectSendAndRecvWork(pool, 1);
    }
    EXPECT_EQ(allocator.live_blocks(), 0U);
    EXPECT_FALSE(allocator.wrong());
  }
}

TEST(PoolWaiting, AnAllocationThatFailsInAsyncResetQueuesNothing) {
  TestAllocator allocator;
  {
    PoolFixture pool(SmallBatches(2, allocator));
    pool.Reset();
    allocator.FailAt(allocator.calls() + 2);
    EXPECT_THROW(pool.AsyncReset(), std::bad_alloc);
    allocator.FailAt(TestAllocator::kNever);
    pool.Drain();
    ExpectSendAndRecvWork(pool, 1);
  }
  EXPECT_EQ(allocator.live_blocks(), 0U);
}

TEST(PoolWaiting, ACapThatIsReachedInSendQueuesNothing) {
  TestEnvironments site;
  GatedPool pool(true, 4, {.batch_size = 2, .num_threads = 2, .max_blocks = 2});
  pool.Send(Ids(0, 4));
  Batch first, second;
  ASSERT_EQ(pool.Recv(-1, first), WaitResult::kDone);
  ASSERT_EQ(pool.Recv(-1, second), WaitResult::kDone);
  std::set<std::int32_t> seen;
  ExpectRows(first, 1, seen);
  ExpectRows(second, 1, seen);
  for (int i = 0; i < 3; ++i) {
    try {
      pool.Send({0, 1});
      EXPECT_TRUE(false) << "more batches than max_blocks";
    } catch (const Error& error) {
      EXPECT_TRUE(error.kind() == ErrorKind::kBatchMemory);
    }
    EXPECT_EQ(pool.Drain(), WaitResult::kDone);
  }
  first.Drop();
  pool.Send({3, 1});
  Batch third;
  ASSERT_EQ(pool.Recv(-1, third), WaitResult::kDone);
  seen.clear();
  ExpectRows(third, 2, seen);
  EXPECT_TRUE(seen == (std::set<std::int32_t>{1, 3}));
}

// --- Slow steps ----------------------------------------------------------------------------------

constexpr int kBeforeTheSlowOne = 15;

// One worker takes 32 light environments in one piece, and the first of them is slow. The worker
// must then give back the environments after the sixteenth, so that the 16 queued in the meantime
// come first. Returns the number of light steps before the seventeenth environment's step.
int StepsBeforeTheSeventeenth(GatedPool& pool, TestEnvironments& site, std::int32_t elapsed) {
  for (Gate& gate : site.gates) gate.open = false;
  site.plain_steps = 0;
  std::vector<std::int64_t> actions(32, 0);
  actions[0] = 1;
  actions[16] = 2;
  pool.Send(Ids(0, 32), actions);
  Batch batch;
  // With a timeout of 0 the receiver steps no environment, so it cannot get stuck.
  while (site.gates[0].waiting == 0) EXPECT_EQ(pool.Recv(0, batch), WaitResult::kTimedOut);
  pool.Send(Ids(32, 48));
  const std::uint64_t start = TickClock::SteadyNanoseconds();
  while (TickClock::SteadyNanoseconds() - start < 100'000) std::this_thread::yield();
  site.gates[0].open = true;
  site.gates[1].AwaitWaiter();
  const int steps = site.plain_steps;
  std::set<std::int32_t> seen;
  int batches = 0;
  if (steps > kBeforeTheSlowOne) {
    // The finished rows have been reported, although the worker is stuck again.
    while (pool.Recv(0, batch) == WaitResult::kTimedOut) std::this_thread::yield();
    ExpectRows(batch, elapsed, seen);
    EXPECT_TRUE(std::ranges::equal(seen, Ids(0, 16)));
    ++batches;
  }
  site.gates[1].open = true;
  for (; batches < 3; ++batches) {
    EXPECT_EQ(pool.Recv(-1, batch), WaitResult::kDone);
    ExpectRows(batch, elapsed, seen);
  }
  EXPECT_EQ(seen.size(), 48U);
  return steps;
}

TEST(PoolWaiting, APieceThatTurnsSlowGivesBackTheRest) {
  TestEnvironments site;
  GatedPool pool(true, 48, {.batch_size = 16, .num_threads = 1});
  // Repeats until the worker's estimate shows that the environments are light.
  std::int32_t elapsed = 0;
  for (int i = 0; i < 50; ++i) {
    pool.Send(Ids(0, 48));
    ++elapsed;
    for (int b = 0; b < 3; ++b) {
      Batch batch;
      EXPECT_EQ(pool.Recv(-1, batch), WaitResult::kDone);
    }
  }
  // If the system preempts the worker, the environments look heavy for a while and the pieces are
  // too small for this test. Sanitizers have the same effect.
  bool given_back = false;
  for (int i = 0; i < 20 && !given_back; ++i) {
    const int steps = StepsBeforeTheSeventeenth(pool, site, ++elapsed);
    EXPECT_GE(steps, kBeforeTheSlowOne);
    given_back = steps == kBeforeTheSlowOne + 16;
  }
  EXPECT_TRUE(given_back || kSanitized || Emulated());
}

TEST(PoolWaiting, PollingWithoutATimeoutMakesProgress) {
  for (const bool never_waits : {false, true}) {
    TestEnvironments site;
    GatedPool pool(never_waits, 8, {.batch_size = 4, .num_threads = 2});
    for (std::int32_t round = 1; round <= 200; ++round) {
      pool.Send(Ids(0, 8));
      std::set<std::int32_t> seen;
      for (int b = 0; b < 2; ++b) {
        Batch batch;
        while (pool.Recv(0, batch) == WaitResult::kTimedOut) std::this_thread::yield();
        ExpectRows(batch, round, seen);
      }
    }
  }
}

// --- Receivers beside a drain --------------------------------------------------------------------

TEST(PoolWaiting, ReceiversBesideADrain) {
  constexpr int kRounds = 200;
  TestEnvironments site;
  GatedPool pool(true, 16, {.batch_size = 5, .num_threads = 2});
  std::atomic<bool> over{false};
  std::atomic<int> received{0};
  std::vector<std::thread> receivers;
  for (int t = 0; t < 2; ++t) {
    receivers.emplace_back([&] {
      while (!over.load()) {
        try {
          Batch batch;
          if (pool.Recv(100'000, batch) != WaitResult::kDone) continue;
          // All rows of a batch are from one round: rows that a drain drops never appear later.
          std::set<std::int32_t> seen;
          ExpectRows(batch, ElapsedSteps(batch)[0], seen);
          received.fetch_add(1);
        } catch (const Error& error) {
          EXPECT_TRUE(error.kind() == ErrorKind::kNothingInFlight);
          std::this_thread::yield();
        }
      }
    });
  }
  for (int round = 0; round < kRounds; ++round) {
    pool.Send(Ids(0, 16));  // three batches, and one row that only the drain gets
    if (round % 2 == 0) std::this_thread::yield();
    EXPECT_EQ(pool.Drain(), WaitResult::kDone);
  }
  over = true;
  for (std::thread& receiver : receivers) receiver.join();
  EXPECT_LE(received.load(), 3 * kRounds);
  // No environment was stepped twice or skipped.
  pool.Send(Ids(0, 16));
  Batch batch;
  ASSERT_EQ(pool.Recv(-1, batch), WaitResult::kDone);
  std::set<std::int32_t> seen;
  ExpectRows(batch, kRounds + 1, seen);
}

// --- Close ---------------------------------------------------------------------------------------

TEST(PoolWaiting, ACloseThatTimesOutIsACloseAllTheSame) {
  for (const bool never_waits : {false, true}) {
    TestEnvironments site;
    GatedPool pool(never_waits, 4, {.batch_size = 2, .num_threads = 2});
    pool.Send({0, 1, 2}, {1, 0, 0});
    site.gates[0].AwaitWaiter();
    EXPECT_EQ(pool.Close(0), WaitResult::kTimedOut);
    EXPECT_EQ(pool.Close(1'000'000), WaitResult::kTimedOut);
    EXPECT_TRUE(pool->closed());
    EXPECT_EQ(site.instances.load(), 4);  // one of them is in a step
    EXPECT_THROW(pool.Send({3}), Error);
    EXPECT_THROW(pool.Drain(), Error);
    site.gates[0].open = true;
    EXPECT_EQ(pool.Close(-1), WaitResult::kDone);
    EXPECT_EQ(site.instances.load(), 0);
    EXPECT_EQ(pool.Close(-1), WaitResult::kDone);
  }
}

TEST(PoolWaiting, AStuckCallFreesTheEnvironmentsWhenItLeaves) {
  TestEnvironments site;
  TestAllocator allocator;
  {
    GatedPool pool(false, 1, {.batch_size = 1, .num_threads = 1, .allocator = &allocator});
    bool was_closed = false;
    std::thread stepper([&] {
      try {
        pool.StepAll(1);  // the step runs on this thread
      } catch (const Error& error) {
        was_closed = error.kind() == ErrorKind::kClosed;
      }
    });
    site.gates[0].AwaitWaiter();
    EXPECT_EQ(pool.Close(1'000'000), WaitResult::kTimedOut);
    EXPECT_EQ(site.instances.load(), 1);
    site.gates[0].open = true;
    stepper.join();
    EXPECT_TRUE(was_closed);
    EXPECT_EQ(site.instances.load(), 0);  // without another Close
  }
  EXPECT_EQ(allocator.live_blocks(), 0U);
}

// While a call waits for another one, its host closes the pool and lets the other call end. The
// lock is then free, but the environments of the call that Close ended are still in flight.
struct ClosingHost final : Host {
  ClosingHost(GatedPool& closed, Gate& opened, std::thread& ended)
      : pool(closed), gate(opened), other(ended) {}
  void Unlock() override {}
  void Lock() override {}
  bool Interrupted() override {
    if (!other.joinable()) return false;
    EXPECT_EQ(pool.Close(0), WaitResult::kTimedOut);
    gate.open = true;
    other.join();
    return false;
  }

  GatedPool& pool;
  Gate& gate;
  std::thread& other;
};

TEST(PoolWaiting, ACallThatWaitsForOneThatCloseEndsIsClosedToo) {
  TestEnvironments site;
  GatedPool pool(false, 2, {.batch_size = 2, .num_threads = 1});
  const auto end_of = [&pool](std::int64_t action, Host& host) {
    try {
      pool.StepAll(action, host);
    } catch (const Error& error) {
      return error.kind();
    }
    return ErrorKind::kInternal;
  };
  std::thread stepper([&] {
    TestHost host;
    EXPECT_EQ(end_of(1, host), ErrorKind::kClosed);
  });
  site.gates[0].AwaitWaiter();
  ClosingHost host(pool, site.gates[0], stepper);
  EXPECT_EQ(end_of(0, host), ErrorKind::kClosed);
  EXPECT_FALSE(stepper.joinable());
}

TEST(PoolWaiting, ADestructorWaitsForAStuckStep) {
  TestEnvironments site;
  TestAllocator allocator;
  GatedPool pool(false, 4, {.batch_size = 2, .num_threads = 2, .allocator = &allocator});
  pool.Send({0, 1, 2, 3}, {1, 1, 0, 0});
  site.gates[0].AwaitWaiter();
  Pool* const raw = pool.operator->();  // lives until the gate is open
  std::thread opener([&] {
    while (!raw->closed()) std::this_thread::yield();
    EXPECT_EQ(site.instances.load(), 4);
    site.gates[0].open = true;
  });
  pool.Destroy();
  opener.join();
  EXPECT_EQ(site.instances.load(), 0);
  EXPECT_EQ(allocator.live_blocks(), 0U);
  EXPECT_FALSE(allocator.wrong());
}

}  // namespace pool_waiting_test
}  // namespace engine::testing
