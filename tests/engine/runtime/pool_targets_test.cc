// Pools whose environments write their observations into the caller's memory.
#include <algorithm>
#include <memory>
#include <vector>

#include "engine/base/error.h"
#include "tests/engine/harness.h"
#include "tests/engine/runtime/pool_fixture.h"

namespace engine::testing {
namespace pool_targets_test {

// Memory for `rows` observations of Probe: (steps since the reset, a drawn number).
struct Observations final : TargetMemory {
  Observations(const BatchLayout& layout, std::uint64_t num_rows) : values(num_rows * 2, -1) {
    fields.assign(layout.fields.size(), nullptr);
    fields[layout.frame.obs] = reinterpret_cast<std::byte*>(values.data());
    rows = num_rows;
  }
  std::int64_t steps(std::uint64_t row) const { return values[row * 2]; }
  std::vector<std::int64_t> values;
};

TEST(PoolTargets, AStepWritesItsRowsThere) {
  for (const bool never_waits : {true, false}) {
    PoolFixture pool({.num_envs = 4, .num_threads = 3, .never_waits = never_waits});
    pool.Reset();
    const auto target = std::make_shared<Observations>(pool->layout(), 16);
    for (std::uint64_t t = 0; t < 3; ++t) {
      const Batch batch = pool.TakeStepInto({.memory = target, .first_row = 4 * t}, 0);
      EXPECT_TRUE(batch.target().memory == target);
    }
    for (std::uint64_t row = 0; row < 16; ++row) {
      EXPECT_EQ(target->steps(row), row < 12 ? static_cast<std::int64_t>(1 + row / 4) : -1);
    }
    EXPECT_FALSE(static_cast<bool>(pool.TakeStepAll(0).target()));
    EXPECT_EQ(target->steps(12), -1);
  }
}

TEST(PoolTargets, ATargetThatIsTooShortChangesNothing) {
  PoolFixture pool({.num_envs = 4});
  pool.Reset();
  const auto target = std::make_shared<Observations>(pool->layout(), 7);
  for (const std::uint64_t first : {std::uint64_t{4}, std::uint64_t{7}, UINT64_MAX}) {
    try {
      pool.TakeStepInto({.memory = target, .first_row = first}, 0);
      EXPECT_TRUE(false);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kInput);
    }
    TestHost host;
    for (const std::uint64_t batches : {std::uint64_t{3}, UINT64_MAX, UINT64_MAX / 4 + 2}) {
      try {
        pool->AddTargets({.memory = target, .first_row = 0}, batches, host);
        EXPECT_TRUE(false);
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::kInput);
      }
    }
    EXPECT_EQ(pool->NumOpened(host), 0U);
  }
  const Batch batch = pool.TakeStepInto({.memory = target, .first_row = 3}, 0);
  EXPECT_EQ(ElapsedSteps(batch)[0], 1);
  EXPECT_EQ(target->steps(2), -1);
  EXPECT_EQ(target->steps(3), 1);
}

TEST(PoolTargets, AnInterruptedStepIsFinishedThere) {
  // The step takes much longer than the 50 ms after which the caller checks for interrupts.
  PoolFixture pool({.num_envs = 16, .num_threads = 3, .work = 10'000'000});
  pool.Reset();
  const auto target = std::make_shared<Observations>(pool->layout(), 16);
  const WaitResult waited = pool.InterruptedStep(1, {}, {.memory = target, .first_row = 0});
  ASSERT_TRUE(waited == WaitResult::kInterrupted);
  const Batch batch = pool.Recv();
  EXPECT_TRUE(batch.target().memory == target);
  EXPECT_EQ(batch.rows(), 16U);
  for (std::uint64_t row = 0; row < 16; ++row) EXPECT_EQ(target->steps(row), 1);
}

TEST(PoolTargets, QueuedBatchesTakeConsecutiveRows) {
  constexpr std::uint32_t kEnvs = 12;
  constexpr std::uint32_t kRows = 4;
  PoolFixture pool({.num_envs = kEnvs, .batch_size = kRows, .num_threads = 3});
  TestHost host;
  constexpr std::uint64_t kBatches = 10;
  const auto target = std::make_shared<Observations>(pool->layout(), kRows * kBatches);
  EXPECT_EQ(pool->NumOpened(host), 0U);
  pool->AddTargets({.memory = target, .first_row = 0}, kBatches, host);
  EXPECT_EQ(pool->NumOpened(host), kBatches);
  pool.AsyncReset();
  EXPECT_EQ(pool->NumOpened(host), kBatches);  // three of them are open
  std::vector<std::int32_t> ids(kRows);
  for (std::uint64_t k = 0; k < kBatches + 3; ++k) {
    const Batch batch = pool.Recv();
    EXPECT_EQ(static_cast<bool>(batch.target()), k < kBatches);
    if (k < kBatches) EXPECT_EQ(batch.target().first_row, k * kRows);
    for (std::uint32_t row = 0; row < kRows && k < kBatches; ++row) {
      EXPECT_EQ(target->steps(k * kRows + row), ElapsedSteps(batch)[row]);
    }
    std::copy_n(EnvIds(batch), kRows, ids.begin());
    pool.Send(0, ids);
  }
  EXPECT_EQ(pool->NumOpened(host), kEnvs / kRows);
  // ClearTargets() drops the targets of batches that are not open yet, and no longer needs their
  // memory.
  pool->AddTargets({.memory = target, .first_row = 0}, 2, host);
  pool->ClearTargets(host);
  EXPECT_EQ(target.use_count(), 1);
}

TEST(PoolTargets, DrainingDropsTheRows) {
  PoolFixture pool({.num_envs = 8, .batch_size = 3, .num_threads = 2});
  TestHost host;
  const auto target = std::make_shared<Observations>(pool->layout(), 30);
  pool->AddTargets({.memory = target, .first_row = 0}, 10, host);
  pool.AsyncReset();
  pool.Drain();
  pool.AsyncReset();
  // Two of the first three batches were full. The third was dropped, but its rows stay reserved.
  const Batch batch = pool.Recv();
  EXPECT_EQ(batch.target().first_row, 6U);
  for (std::uint64_t row = 6; row < 9; ++row) EXPECT_EQ(target->steps(row), 0);
}

}  // namespace pool_targets_test
}  // namespace engine::testing
