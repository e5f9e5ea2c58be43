// Batches whose observations are written into the caller's memory.
#include "engine/batch/row_target.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "engine/batch/batch_memory.h"
#include "tests/engine/batch/test_allocator.h"
#include "tests/engine/harness.h"

namespace engine::testing {
namespace row_target_test {

constexpr std::uint32_t kRows = 8;
constexpr std::uint64_t kTargetRows = 4 * kRows;

EnvSpec Spec() {
  EnvSpec spec;
  spec.observation = SpaceSpec::Box<std::int64_t>({3}, 0, 1000);
  spec.action = SpaceSpec::Discrete(2);
  return spec;
}

// Memory for the observations of `kTargetRows` rows.
struct Observations final : TargetMemory {
  explicit Observations(const BatchLayout& layout) : values(kTargetRows * 3, -1) {
    fields.assign(layout.fields.size(), nullptr);
    fields[layout.frame.obs] = reinterpret_cast<std::byte*>(values.data());
    rows = kTargetRows;
  }
  std::vector<std::int64_t> values;
};

void WriteRows(const OpenBatch& open, std::int64_t first) {
  for (std::uint32_t row = 0; row < kRows; ++row) {
    auto* const obs = reinterpret_cast<std::int64_t*>(open.view().frame.obs[0].Row(row));
    for (int i = 0; i < 3; ++i) obs[i] = first + 3 * row + i;
    open.view().reward[row] = static_cast<double>(first);
  }
}

std::int64_t FirstValue(const Batch& batch) {
  return batch.Data<std::int64_t>(batch.layout().frame.obs)[0];
}

TEST(RowTarget, ARedirectedBatchIsWrittenThere) {
  TestAllocator allocator;
  BatchMemory memory(Spec(), kRows, {}, allocator, 0);
  const auto target = std::make_shared<Observations>(memory.layout());
  OpenBatch* const open = memory.Take();
  open->Redirect({.memory = target, .first_row = kRows});
  WriteRows(*open, 100);
  const Batch batch = memory.Finish(open, kRows);
  EXPECT_TRUE(batch.target().memory == target);
  for (std::uint64_t i = 0; i < kTargetRows * 3; ++i) {
    const std::uint64_t begin = std::uint64_t{kRows} * 3;
    const bool inside = i >= begin && i < 2 * begin;
    EXPECT_EQ(target->values[i], inside ? static_cast<std::int64_t>(100 + i - begin) : -1);
  }
  EXPECT_EQ(FirstValue(batch), 100);
  // The other fields remain in the block.
  EXPECT_EQ(batch.Data<double>(batch.layout().reward)[kRows - 1], 100.0);
}

TEST(RowTarget, TheNextBatchInTheBlockIsNotRedirected) {
  for (const bool finishes : {true, false}) {
    TestAllocator allocator;
    BatchMemory memory(Spec(), kRows, {}, allocator, 0);
    const auto target = std::make_shared<Observations>(memory.layout());
    OpenBatch* const open = memory.Take();
    open->Redirect({.memory = target, .first_row = 0});
    if (finishes) {
      memory.Finish(open, kRows).Drop();
    } else {
      memory.Return(open);
    }
    EXPECT_EQ(target.use_count(), 1);
    OpenBatch* const next = memory.Take();
    EXPECT_TRUE(next == open);
    WriteRows(*next, 500);
    EXPECT_EQ(target->values[0], -1);
    const Batch batch = memory.Finish(next, kRows);
    EXPECT_FALSE(static_cast<bool>(batch.target()));
    EXPECT_EQ(FirstValue(batch), 500);
  }
}

TEST(RowTarget, ABatchIsMovedThere) {
  TestAllocator allocator;
  BatchMemory memory(Spec(), kRows, {}, allocator, 0);
  const auto target = std::make_shared<Observations>(memory.layout());
  OpenBatch* const open = memory.Take();
  WriteRows(*open, 40);
  Batch batch = memory.Finish(open, kRows);
  batch.MoveTo({.memory = target, .first_row = 2});
  EXPECT_EQ(target->values[5], -1);
  EXPECT_EQ(target->values[6], 40);
  EXPECT_TRUE(batch.At(batch.layout().frame.obs) ==
              reinterpret_cast<std::byte*>(target->values.data() + 6));
  // Moves the batch within the same memory, to overlapping rows.
  batch.MoveTo({.memory = target, .first_row = 0});
  for (std::size_t i = 0; i < std::size_t{kRows} * 3; ++i) {
    EXPECT_EQ(target->values[i], 40 + static_cast<int>(i));
  }
  const Batch moved = std::move(batch);
  EXPECT_TRUE(moved.target().memory == target);
}

TEST(RowTarget, FieldsThatOnlyTheFirstTargetHasReturnToTheBlock) {
  TestAllocator allocator;
  BatchMemory memory(Spec(), kRows, {}, allocator, 0);
  const BatchLayout& layout = memory.layout();
  const auto observations = std::make_shared<Observations>(layout);
  std::vector<double> values(kRows, -1.0);
  const auto rewards = std::make_shared<TargetMemory>();
  rewards->fields.assign(layout.fields.size(), nullptr);
  rewards->fields[layout.reward] = reinterpret_cast<std::byte*>(values.data());
  rewards->rows = kRows;
  OpenBatch* const open = memory.Take();
  open->Redirect({.memory = observations, .first_row = 0});
  WriteRows(*open, 60);
  Batch batch = memory.Finish(open, kRows);
  batch.MoveTo({.memory = rewards, .first_row = 0});
  std::fill(observations->values.begin(), observations->values.end(), -1);
  const auto* const obs = batch.Data<std::int64_t>(layout.frame.obs);
  for (int i = 0; i < static_cast<int>(kRows) * 3; ++i) EXPECT_EQ(obs[i], 60 + i);
  for (const double value : values) EXPECT_EQ(value, 60.0);
}

TEST(RowTarget, ABatchKeepsTheMemory) {
  TestAllocator allocator;
  std::weak_ptr<Observations> watched;
  Batch batch;
  {
    BatchMemory memory(Spec(), kRows, {}, allocator, 0);
    const auto target = std::make_shared<Observations>(memory.layout());
    watched = target;
    OpenBatch* const open = memory.Take();
    open->Redirect({.memory = target, .first_row = 0});
    WriteRows(*open, 7);
    batch = memory.Finish(open, kRows);
  }
  EXPECT_FALSE(watched.expired());
  EXPECT_EQ(FirstValue(batch), 7);
  batch = Batch();
  EXPECT_TRUE(watched.expired());
}

}  // namespace row_target_test
}  // namespace engine::testing
