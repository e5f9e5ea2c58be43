// Steps that take longer than the limit are given up: the others go on, the thread that is in the
// step does no harm when the step ends after all, and the pool can be closed.
#include "engine/runtime/timed_executor.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "engine/group/env_group_of.h"
#include "engine/runtime/pool.h"
#include "tests/engine/harness.h"
#include "tests/engine/runtime/pool_fixture.h"
#include "tests/engine/testing_module/gate.h"

namespace engine::testing {
namespace timed_executor_test {

using Ids = std::vector<std::int32_t>;

struct Settings {
  std::uint32_t num_envs = 4;
  std::uint32_t batch_size = 4;
  std::uint32_t num_threads = 2;
  bool resets_failed = false;
  std::int64_t reset_gate = 0;
};

std::unique_ptr<EnvGroup> MakeGates(const Settings& settings) {
  const ParamValues values(Gate::Options(), {{"reset_gate", settings.reset_gate}}, "option",
                           "Gate");
  return std::make_unique<EnvGroupOf<Gate>>(values, GroupConfig{.num_envs = settings.num_envs});
}

// A pool of Gate environments. A call that waits at a closed gate is given up after 60 ms.
class GatePool {
 public:
  explicit GatePool(const Settings& settings) {
    Topology topology;
    topology.cpus = {0, 1};
    topology.nodes = {{.id = 0, .cpus = {0, 1}, .num_cores = 2}};
    pool_ =
        std::make_shared<Pool>(std::make_unique<RenewableGroup>(
                                   MakeGates(settings), [settings] { return MakeGates(settings); }),
                               PoolConfig{.batch_size = settings.batch_size,
                                          .num_threads = settings.num_threads,
                                          .resets_failed = settings.resets_failed,
                                          .max_failures = 1000,
                                          .step_timeout_ns = 60'000'000},
                               topology);
    EXPECT_TRUE(pool_->Construct(host_) == WaitResult::kDone);
    ResetRequest seeds;
    seeds.seed_by_env = true;
    pool_->SeedAll(seeds);
  }

  Pool* operator->() { return pool_.get(); }
  void Free() { pool_.reset(); }

  Batch Reset(const Ids& ids = {}) {
    Batch batch;
    const std::int64_t shape[] = {static_cast<std::int64_t>(ids.size())};
    const ArrayView view = View(ids.data(), DType::kInt32, shape);
    EXPECT_TRUE(pool_->Reset(ids.empty() ? nullptr : &view, {}, host_, batch) == WaitResult::kDone);
    return batch;
  }
  Batch Step(const std::vector<std::int64_t>& actions, const Ids& ids = {}) {
    Batch batch;
    const std::int64_t shape[] = {static_cast<std::int64_t>(actions.size())};
    const ArrayView view = View(ids.data(), DType::kInt32, shape);
    EXPECT_TRUE(pool_->Step(View(actions.data(), DType::kInt64, shape),
                            ids.empty() ? nullptr : &view, host_, batch) == WaitResult::kDone);
    return batch;
  }
  void Send(const std::vector<std::int64_t>& actions, const Ids& ids) {
    const std::int64_t shape[] = {static_cast<std::int64_t>(actions.size())};
    const ArrayView view = View(ids.data(), DType::kInt32, shape);
    pool_->Send(View(actions.data(), DType::kInt64, shape), &view, host_);
  }
  void SendReset() { pool_->SendReset(nullptr, {}, host_); }
  Batch Recv() {
    Batch batch;
    EXPECT_TRUE(pool_->Recv(host_, -1, batch) == WaitResult::kDone);
    return batch;
  }
  WaitResult Close() { return pool_->Close(host_, -1); }

 private:
  static ArrayView View(const void* data, DType dtype, const std::int64_t* shape) {
    return {
        .data = static_cast<const std::byte*>(data), .dtype = dtype, .shape = shape, .num_dims = 1};
  }

  TestHost host_;
  std::shared_ptr<Pool> pool_;
};

std::vector<std::int64_t> Steps(const Batch& batch, std::uint32_t rows) {
  const auto* const obs = batch.Data<std::int64_t>(batch.layout().frame.obs);
  return {obs, obs + rows};
}

std::vector<std::uint32_t> FailedOf(const Batch& batch) {
  std::vector<std::uint32_t> envs;
  for (const auto& [env, what] : batch.failed) envs.push_back(env);
  return envs;
}

// Opens a gate, and returns when no call waits at one any more.
void Open(std::size_t gate) {
  Gates::Global().Set(gate, true);
  EXPECT_TRUE(Gates::Global().AwaitWaiting(0, std::chrono::seconds(60)));
}
// Returns when `count` environments exist. Those that were given up end on their own threads.
void AwaitInstances(std::int64_t count) {
  while (GateInstances().load() != count) std::this_thread::yield();
}

TEST(TimedExecutor, TheOthersGoOn) {
  Gates::Global().Set(1, false);
  GatePool pool({});
  pool.Reset().Drop();
  pool.Step({0, 0, 0, 0}).Drop();
  Batch batch = pool.Step({0, 1, 0, 0});
  EXPECT_TRUE(FailedOf(batch) == std::vector<std::uint32_t>{1});
  EXPECT_TRUE(batch.failed[0].second.find("step 2 of its episode") == 0);
  EXPECT_TRUE(batch.failed[0].second.find("step_timeout=0.06 seconds, seed 1") !=
              std::string::npos);
  EXPECT_TRUE(Steps(batch, 4) == (std::vector<std::int64_t>{2, 0, 2, 2}));
  batch.Drop();
  EXPECT_EQ(Gates::Global().waiting(), 1);

  // The others alone, then a new environment in the place of the one that is still in its step.
  batch = pool.Step({0, 0, 0}, {0, 2, 3});
  EXPECT_TRUE(Steps(batch, 3) == (std::vector<std::int64_t>{3, 3, 3}));
  batch.Drop();
  batch = pool.Reset({1});
  EXPECT_TRUE(batch.failed.empty());
  batch.Drop();
  EXPECT_EQ(GateInstances().load(), 5);
  batch = pool.Step({0, 0, 0, 0});
  EXPECT_TRUE(Steps(batch, 4) == (std::vector<std::int64_t>{4, 1, 4, 4}));
  batch.Drop();

  Open(1);
  AwaitInstances(4);
  batch = pool.Step({0, 0, 0, 0});
  EXPECT_TRUE(Steps(batch, 4) == (std::vector<std::int64_t>{5, 2, 5, 5}));
  batch.Drop();
  EXPECT_EQ(Overlaps().load(), 0);
  EXPECT_TRUE(pool.Close() == WaitResult::kDone);
  AwaitInstances(0);
}

TEST(TimedExecutor, AllThreadsAreStuck) {
  Gates::Global().Set(1, false);
  GatePool pool({.num_envs = 6, .batch_size = 6, .num_threads = 2, .resets_failed = true});
  pool.Reset().Drop();
  for (int round = 0; round < 3; ++round) {
    Batch batch = pool.Step({1, 1, 0, 1, 0, 1});
    EXPECT_TRUE(FailedOf(batch) == (std::vector<std::uint32_t>{0, 1, 3, 5}));
    batch.Drop();
    EXPECT_EQ(Gates::Global().waiting(), 4 * (round + 1));
    batch = pool.Step({0, 0, 0, 0, 0, 0});  // resets them
    EXPECT_TRUE(batch.failed.empty());
    EXPECT_TRUE(Steps(batch, 6) ==
                (std::vector<std::int64_t>{0, 0, 2 * round + 2, 0, 2 * round + 2, 0}));
    batch.Drop();
  }
  Open(1);
  AwaitInstances(6);
  // The places of the environments that have ended are used again.
  Gates::Global().Set(1, false);
  pool.Step({1, 0, 0, 0, 0, 0}).Drop();
  pool.Step({0, 0, 0, 0, 0, 0}).Drop();
  EXPECT_EQ(GateInstances().load(), 7);
  Open(1);
  EXPECT_TRUE(pool.Close() == WaitResult::kDone);
  AwaitInstances(0);
  EXPECT_EQ(Overlaps().load(), 0);
}

TEST(TimedExecutor, FirstReady) {
  Gates::Global().Set(1, false);
  GatePool pool({.num_envs = 4, .batch_size = 2, .resets_failed = true});
  pool.SendReset();
  std::vector<int> failures(4), rows(4);
  while (failures[2] == 0 || rows[2] < 4) {
    Batch batch = pool.Recv();
    const Ids ids(EnvIds(batch), EnvIds(batch) + 2);
    for (const std::uint32_t env : FailedOf(batch)) ++failures[env];
    std::vector<std::int64_t> actions;
    for (const std::int32_t env : ids) {
      ++rows[static_cast<std::size_t>(env)];
      actions.push_back(env == 2 && failures[2] == 0 && rows[2] > 1 ? 1 : 0);
    }
    batch.Drop();
    pool.Send(actions, ids);
  }
  EXPECT_TRUE(failures == (std::vector<int>{0, 0, 1, 0}));
  for (const int count : rows) EXPECT_TRUE(count >= 4);
  Open(1);
  EXPECT_TRUE(pool.Close() == WaitResult::kDone);
  AwaitInstances(0);
}

TEST(TimedExecutor, AResetThatDoesNotEnd) {
  Gates::Global().Set(2, false);
  GatePool pool({.num_envs = 2, .batch_size = 2, .reset_gate = 2});
  Batch batch = pool.Reset();
  EXPECT_TRUE(FailedOf(batch) == (std::vector<std::uint32_t>{0, 1}));
  EXPECT_TRUE(batch.failed[0].second.find("its reset has taken longer") == 0);
  batch.Drop();
  Open(2);
  batch = pool.Reset();
  EXPECT_TRUE(batch.failed.empty());
  batch.Drop();
  EXPECT_TRUE(pool.Close() == WaitResult::kDone);
  AwaitInstances(0);
}

TEST(TimedExecutor, ClosingDoesNotWaitForAStuckStep) {
  Gates::Global().Set(1, false);
  GatePool pool({});
  pool.Reset().Drop();
  pool.Send({0, 1, 1, 0}, {0, 1, 2, 3});
  EXPECT_TRUE(Gates::Global().AwaitWaiting(2, std::chrono::seconds(60)));
  EXPECT_TRUE(pool.Close() == WaitResult::kDone);
  pool.Free();
  EXPECT_EQ(Gates::Global().waiting(), 2);
  EXPECT_TRUE(GateInstances().load() > 0);
  Open(1);
  AwaitInstances(0);
}

// Threads open and close the gate while steps are given up, so that some end at the same time.
TEST(TimedExecutor, StepsThatEndAsTheyAreGivenUp) {
  Gates::Global().Set(1, false);
  GatePool pool({.num_envs = 8, .batch_size = 8, .num_threads = 3, .resets_failed = true});
  pool.Reset().Drop();
  std::atomic<bool> done{false};
  std::thread opener([&] {
    for (std::uint64_t round = 0; !done.load(); ++round) {
      Gates::Global().AwaitWaiting(4, std::chrono::milliseconds(58 + round % 5));
      Gates::Global().Set(1, true);
      std::this_thread::yield();
      Gates::Global().Set(1, false);
    }
  });
  std::vector<std::int64_t> steps(8, 0);
  for (int round = 0; round < 40; ++round) {
    const std::vector<std::int64_t> actions = {1, 0, 1, 0, 0, 0, 1, 0};
    Batch batch = pool.Step(actions);
    const std::vector<std::int64_t> now = Steps(batch, 8);
    for (const std::size_t env : {1U, 3U, 4U, 5U, 7U}) EXPECT_EQ(now[env], ++steps[env]);
    for (const std::uint32_t env : FailedOf(batch)) EXPECT_EQ(actions[env], 1);
    batch.Drop();
  }
  done.store(true);
  opener.join();
  Open(1);
  EXPECT_TRUE(pool.Close() == WaitResult::kDone);
  AwaitInstances(0);
  EXPECT_EQ(Overlaps().load(), 0);
}

}  // namespace timed_executor_test
}  // namespace engine::testing
