// Idle workers of several pools share the processors.
#include "engine/runtime/worker_threads.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "engine/sync/lifetime.h"
#include "tests/engine/harness.h"

namespace engine::testing {
namespace worker_threads_test {

// A pool with one thread, which waits for work that never comes.
struct IdlePool final : WorkSource, std::enable_shared_from_this<IdlePool> {
  // `cpus`: the number of processors that the process pretends to have.
  explicit IdlePool(int cpus) {
    std::vector<int> all(static_cast<std::size_t>(cpus));  // all are processor 0, which exists
    threads = std::make_unique<WorkerThreads>(*this, lifetime, std::vector<WorkerPlacement>(1), all,
                                              telemetry);
  }
  void Start() { threads->EnsureStarted(1); }
  void AwaitSleeper() const {
    while (threads->sleeping() == 0) std::this_thread::yield();
  }
  void End() {
    lifetime.Close();
    threads->WakeAll();
    threads->Join();
  }

  std::shared_ptr<void> InitWorker(std::uint32_t) override { return shared_from_this(); }
  Ran RunSome(std::uint32_t) override { return Ran::kNothing; }
  bool HasWork(std::uint32_t) const override {
    if (WorkerThreads::process_spinners() > 0) has_spun.store(true);
    return false;
  }

  mutable std::atomic<bool> has_spun{false};
  Lifetime lifetime{[] {}};
  Telemetry telemetry{1, 1};
  std::unique_ptr<WorkerThreads> threads;
};

TEST(WorkerThreads, SleepingWorkersOfOnePoolLetThoseOfAnotherSpin) {
  const auto first = std::make_shared<IdlePool>(2);
  first->Start();
  first->AwaitSleeper();
  EXPECT_TRUE(first->has_spun.load());
  EXPECT_EQ(WorkerThreads::process_spinners(), 0);

  const auto second = std::make_shared<IdlePool>(2);
  second->Start();
  second->AwaitSleeper();
  EXPECT_TRUE(second->has_spun.load());
  EXPECT_EQ(WorkerThreads::process_spinners(), 0);
  first->End();
  second->End();
}

TEST(WorkerThreads, TheOnlyProcessorIsLeftToTheCaller) {
  const auto pool = std::make_shared<IdlePool>(1);
  pool->Start();
  pool->AwaitSleeper();
  EXPECT_FALSE(pool->has_spun.load());
  pool->End();
}

}  // namespace worker_threads_test
}  // namespace engine::testing
