// Waits of concurrent callers of a pool: each wait ends when it can, at its timeout and at an
// interrupt, whatever the other callers do. The pool remains usable after failed allocations.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <new>
#include <numeric>
#include <thread>

#include "engine/base/error.h"
#include "engine/runtime/pool.h"
#include "tests/engine/harness.h"
#include "tests/engine/runtime/pool_fixture.h"

namespace {

// Allocations of this size or more fail.
std::atomic<std::size_t> fails_from{SIZE_MAX};

}  // namespace

// Not inlined, because GCC would report inlined calls of malloc() and free() as mismatched.
[[gnu::noinline]] void* operator new(std::size_t size) {
  if (size >= fails_from.load(std::memory_order_relaxed)) throw std::bad_alloc();
  if (void* const memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace engine::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// A step with action 1 writes its row only when `open` is true.
struct Gate {
  std::atomic<bool> open{false};
  std::atomic<int> waiting{0};
};
Gate gate;

class Gated {
 public:
  static ParamSchema Options() { return {}; }
  static ParamSchema ResetOptions() { return {}; }
  static EnvSpec Spec(const ParamValues&) {
    EnvSpec spec;
    spec.observation = SpaceSpec::Box<std::int64_t>({1}, 0, 1);
    spec.action = SpaceSpec::Discrete(2);
    return spec;
  }
  struct Config {
    explicit Config(const ParamValues&) {}
  };
  struct Start {
    explicit Start(const ParamValues&) {}
  };
  explicit Gated(const Config&) {}
  void Reset(const Start&, Rng&) { action_ = 0; }
  StepResult Step(ActionView action, Rng&) {
    action_ = action.Index();
    return {.reward = 1.0, .terminated = false};
  }
  void Observe(ObsRow row) const {
    row.Data<std::int64_t>()[0] = action_;
    if (action_ != 1) return;
    gate.waiting.fetch_add(1);
    while (!gate.open.load()) std::this_thread::yield();
    gate.waiting.fetch_sub(1);
  }

 private:
  std::int64_t action_ = 0;
};

std::unique_ptr<Pool> GatedPool(std::uint32_t num_envs, std::uint32_t batch_size) {
  Topology topology;
  topology.cpus = {0, 1};
  topology.nodes = {{.id = 0, .cpus = {0, 1}, .num_cores = 2}};
  auto pool = std::make_unique<Pool>(
      std::make_unique<EnvGroupOf<Gated>>(ParamValues(Gated::Options(), {}, "option", "Gated"),
                                          GroupConfig{.num_envs = num_envs}),
      PoolConfig{.batch_size = batch_size, .num_threads = 2}, topology);
  TestHost host;
  pool->Construct(host);
  Batch batch;
  pool->Reset(nullptr, {}, host, batch);
  return pool;
}

void SendOne(Pool& pool, std::int32_t id, std::int64_t action) {
  const std::int64_t shape[] = {1};
  const ArrayView ids{.data = reinterpret_cast<const std::byte*>(&id),
                      .dtype = DType::kInt32,
                      .shape = shape,
                      .num_dims = 1};
  const ArrayView actions{.data = reinterpret_cast<const std::byte*>(&action),
                          .dtype = DType::kInt64,
                          .shape = shape,
                          .num_dims = 1};
  TestHost host;
  pool.Send(actions, &ids, host);
}

std::vector<std::int32_t> AllIds(std::uint32_t n) {
  std::vector<std::int32_t> ids(n);
  std::iota(ids.begin(), ids.end(), 0);
  return ids;
}

TEST(Waiting, ABatchThatIsFullBeforeTheOneBeforeItIsReceivedWithIt) {
  constexpr int kRounds = 20;
  const std::unique_ptr<Pool> pool = GatedPool(3, 1);
  double late_ms = 0.0;
  for (int round = 0; round < kRounds; ++round) {
    gate.open = false;
    SendOne(*pool, 0, 1);  // reserves the first batch's row and waits in its write
    while (gate.waiting.load() == 0) std::this_thread::yield();
    std::atomic<int> received{0};
    SendOne(*pool, 2, 0);
    std::vector<std::thread> receivers;
    for (int t = 0; t < 2; ++t) {
      receivers.emplace_back([&] {
        TestHost host;
        Batch batch;
        if (pool->Recv(host, -1, batch) == WaitResult::kDone) received.fetch_add(1);
      });
    }
    // After this time, both receivers should sleep and the second batch should be full. Otherwise
    // the test checks nothing.
    std::this_thread::sleep_for(milliseconds(5));
    const auto start = steady_clock::now();
    gate.open = true;
    for (std::thread& receiver : receivers) receiver.join();
    late_ms += std::chrono::duration<double, std::milli>(steady_clock::now() - start).count();
    EXPECT_EQ(received.load(), 2);
  }
  EXPECT_LT(late_ms, kRounds * 25.0);
}

// Sends idle environments one at a time until `stop`.
template <class Send>
std::thread Sender(std::atomic<bool>& stop, std::uint32_t num_envs, Send&& send) {
  return std::thread([&stop, num_envs, send] {
    for (std::uint32_t env = 0; !stop.load(); env = (env + 1) % num_envs) {
      try {
        send(static_cast<std::int32_t>(env));
      } catch (const Error&) {
        std::this_thread::yield();  // in flight
      }
    }
  });
}

TEST(Waiting, ADrainIsInterruptedWhileOthersSend) {
  PoolFixture pool({.num_envs = 64, .batch_size = 8, .num_threads = 2, .work = 500'000});
  pool.Reset();
  pool.Send(1, AllIds(64));
  std::atomic<bool> stop{false};
  std::thread sender = Sender(stop, 64, [&](std::int32_t env) { pool.Send(1, {env}); });
  TestHost host(true);
  std::atomic<bool> ended{false};
  WaitResult waited = WaitResult::kDone;
  std::thread drainer([&] {
    waited = pool->Drain(host);
    ended = true;
  });
  const auto start = steady_clock::now();
  while (!ended.load() && steady_clock::now() - start < std::chrono::seconds(5)) {
    std::this_thread::sleep_for(milliseconds(5));
  }
  EXPECT_TRUE(ended.load());
  stop = true;
  sender.join();
  drainer.join();
  EXPECT_EQ(waited, WaitResult::kInterrupted);
}

TEST(Waiting, AReceiverWhoseResultsAreDrainedIsTold) {
  const std::unique_ptr<Pool> pool = GatedPool(3, 2);
  gate.open = false;
  SendOne(*pool, 0, 1);
  SendOne(*pool, 1, 1);
  std::atomic<bool> told{false};
  std::atomic<bool> over{false};
  std::thread receiver([&] {
    TestHost host;
    Batch batch;
    try {
      // Waits until the drainer has finished.
      const WaitResult waited = pool->Recv(host, 5'000'000'000, batch);
      told = waited == WaitResult::kDone;  // the receiver got the batch before the drain
    } catch (const Error& error) {
      told = error.kind() == ErrorKind::kNothingInFlight;
    }
    over = true;
  });
  std::thread drainer([&] {
    TestHost host;
    pool->Drain(host);
  });
  std::this_thread::sleep_for(milliseconds(5));
  gate.open = true;
  drainer.join();
  receiver.join();
  EXPECT_TRUE(told.load());
}

TEST(Waiting, ATimeoutHoldsWhereAStepWasLeft) {
  // A step of one environment takes much longer than the timeout.
  PoolFixture pool({.num_envs = 6, .num_threads = 2, .work = 150'000'000});
  pool.Reset();
  ASSERT_EQ(pool.InterruptedStep(1), WaitResult::kInterrupted);
  TestHost host;
  Batch batch;
  const auto start = steady_clock::now();
  EXPECT_EQ(pool->Recv(host, 10'000'000, batch), WaitResult::kTimedOut);
  EXPECT_LT(std::chrono::duration<double>(steady_clock::now() - start).count(), 0.1);
  EXPECT_EQ(pool.Recv().rows(), 6U);
}

// Closes the pool in its check for interrupts.
struct ClosingHost final : Host {
  explicit ClosingHost(Pool& own) : pool(own) {}
  void Unlock() override {}
  void Lock() override {}
  bool Interrupted() override {
    TestHost host;
    closed = pool.Close(host, 5'000'000'000);
    return true;
  }
  Pool& pool;
  WaitResult closed = WaitResult::kTimedOut;
};

TEST(Waiting, TwoCallsMayCloseFromTheirHandlers) {
  const std::unique_ptr<Pool> pool = GatedPool(3, 2);
  gate.open = false;
  SendOne(*pool, 0, 1);
  SendOne(*pool, 1, 1);
  std::vector<std::thread> receivers;
  std::atomic<int> closed{0};
  for (int t = 0; t < 2; ++t) {
    receivers.emplace_back([&] {
      ClosingHost host(*pool);
      Batch batch;
      try {
        pool->Recv(host, -1, batch);
      } catch (const Error&) {
      }
      closed.fetch_add(host.closed == WaitResult::kDone);
    });
  }
  // By then, both receivers are usually in their handlers.
  std::this_thread::sleep_for(milliseconds(200));
  gate.open = true;
  for (std::thread& receiver : receivers) receiver.join();
  EXPECT_GE(closed.load(), 1);
}

TEST(Waiting, NoMemoryForAThreadIsNoHindranceToAJob) {
  PoolFixture pool({.num_envs = 8, .num_threads = 2, .work = 20'000});
  pool.Reset();
  fails_from = 4096;  // the allocation for a worker is larger
  Batch batch;
  try {
    batch = pool.TakeStepAll(1);
  } catch (const std::bad_alloc&) {
  }
  fails_from = SIZE_MAX;
  EXPECT_TRUE(static_cast<bool>(batch));
  batch.Drop();
  pool.StepAll(1);
}

// Its allocations fail while `fails` is true.
struct FailingAllocator final : BlockAllocator {
  std::byte* Allocate(std::size_t bytes) override {
    if (fails) throw std::bad_alloc();
    return HeapAllocator::Global().Allocate(bytes);
  }
  void Free(std::byte* memory, std::size_t bytes) noexcept override {
    HeapAllocator::Global().Free(memory, bytes);
  }
  const char* name() const override { return "failing"; }
  bool fails = false;
};

TEST(Waiting, AFailedAsyncResetSeedsNothing) {
  const auto drawn = [](bool fails) {
    FailingAllocator allocator;
    PoolFixture pool({.num_envs = 4, .batch_size = 2, .num_threads = 1, .allocator = &allocator});
    pool.AsyncReset();
    pool.Drain();
    if (fails) {
      std::vector<Batch> held;  // keeps blocks in use, so that new ones are needed
      pool.AsyncReset();
      held.push_back(pool.Recv());
      held.push_back(pool.Recv());
      allocator.fails = true;
      ResetRequest seeds;
      seeds.seed_by_env = true;
      seeds.first_seed = 1234;
      TestHost host;
      EXPECT_THROW(pool->SendReset(nullptr, seeds, host), std::bad_alloc);
      allocator.fails = false;
    } else {
      pool.AsyncReset();
      pool.Drain();
    }
    TestHost host;
    Batch batch;
    EXPECT_EQ(pool->Reset(nullptr, {}, host, batch), WaitResult::kDone);
    return batch.Data<std::int64_t>(batch.layout().frame.obs)[1];
  };
  EXPECT_EQ(drawn(true), drawn(false));
}

}  // namespace
}  // namespace engine::testing
