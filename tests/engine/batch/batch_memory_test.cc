// Batches taken, written, completed, finished and dropped, in both regions.
#include "engine/batch/batch_memory.h"

#include <cstring>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "tests/engine/batch/test_allocator.h"
#include "tests/engine/harness.h"

namespace engine::testing {
namespace batch_memory_test {

constexpr std::uint32_t kRows = 32;

EnvSpec LargeSpec() {
  EnvSpec spec;
  spec.observation = SpaceSpec::Box<std::uint8_t>({4096}, 0, 255);
  spec.action = SpaceSpec::Discrete(2);
  spec.infos = {{.name = "lives", .dtype = DType::kInt32, .shape = {}}};
  return spec;
}

EnvSpec SmallSpec() {
  EnvSpec spec;
  spec.observation = SpaceSpec::Box<float>({4}, -1.0F, 1.0F);
  spec.action = SpaceSpec::Discrete(2);
  return spec;
}

Batch TakeFinished(BatchMemory& memory) { return memory.Finish(memory.Take(), kRows); }

TEST(BatchMemory, TheViewLooksIntoTheFields) {
  TestAllocator allocator;
  BatchMemory memory(LargeSpec(), kRows,
                     {.final_frames = true, .dm_columns = true, .episodes = true}, allocator, 0);
  OpenBatch* const open = memory.Take();
  const BatchLayout& layout = memory.layout();
  const BatchView& view = open->view();
  const auto same = [&](const void* pointer, const char* name) {
    EXPECT_TRUE(pointer == open->At(layout.Find(name))) << name;
  };
  same(view.frame.obs[0].base, "obs");
  same(view.frame.info[0].base, "info/lives");
  same(view.frame.info_mask[0].base, "_info/lives");
  same(view.frame.elapsed_step, "info/elapsed_step");
  same(view.reward, "reward");
  same(view.terminated, "terminated");
  same(view.truncated, "truncated");
  same(view.env_id, "info/env_id");
  same(view.discount, "discount");
  same(view.final_frame.obs[0].base, "final_obs");
  same(view.final_frame.info[0].base, "final_info/lives");
  same(view.final_frame.info_mask[0].base, "_final_info/lives");
  same(view.final_frame.elapsed_step, "final_info/elapsed_step");
  same(view.final_mask, "_final_obs");
  same(view.episode.total_reward, "episode/r");
  same(view.episode.length, "episode/l");
  same(view.episode.seconds, "episode/t");
  same(view.episode.mask, "_episode");
  EXPECT_EQ(view.frame.obs[0].row_bytes, 4096U);
  EXPECT_EQ(view.frame.info_mask[0].row_bytes, 1U);
}

TEST(BatchMemory, WhatIsAbsentIsNull) {
  TestAllocator allocator;
  BatchMemory memory(SmallSpec(), kRows, {}, allocator, 0);
  const BatchView& view = memory.Take()->view();
  EXPECT_TRUE(view.discount == nullptr);
  EXPECT_TRUE(view.final_mask == nullptr);
  EXPECT_TRUE(view.final_frame.obs == nullptr);
  EXPECT_TRUE(view.episode.mask == nullptr);
  EXPECT_EQ(allocator.live_blocks(), 1U);
}

TEST(BatchMemory, ABatchIsCompletedWhereEpisodesEnded) {
  TestAllocator allocator;
  BatchMemory memory(LargeSpec(), kRows,
                     {.final_frames = true, .dm_columns = true, .episodes = true}, allocator, 0);
  for (const int kind : {0, 1, 2}) {
    const bool ends = kind < 2;    // an episode ended ...
    const bool games = kind == 0;  // ... and its game ended too
    OpenBatch* const open = memory.Take();
    EXPECT_EQ(open->episodes(), 0U);
    EXPECT_EQ(open->games(), 0U);
    const BatchView& view = open->view();
    for (std::uint32_t region = 0; region < memory.layout().num_regions; ++region) {
      const FrameFields& frame = memory.layout().frame;
      std::memset(open->At(region == 0 ? frame.obs : frame.info), 0x55, 1);
    }
    for (std::uint32_t row = 0; row < kRows; ++row) {
      const bool end = ends && row == 3;
      view.terminated[row] = end;
      view.truncated[row] = false;
      view.final_mask[row] = end;
      view.episode.mask[row] = end && games;
      view.episode.length[row] = 7;
      view.final_frame.elapsed_step[row] = 7;
      view.frame.elapsed_step[row] = row == 5 ? 0 : 1;
      *view.final_frame.obs[0].Row(row) = std::byte{9};
    }
    if (ends) open->Count({.episodes = 1, .games = games ? 1U : 0U});
    CompleteBatch(*open, kRows);
    const BatchLayout& layout = memory.layout();
    for (std::uint32_t row = 0; row < kRows; ++row) {
      EXPECT_TRUE(open->Data<bool>(layout.env_id_mask)[row]);
      EXPECT_TRUE(open->Data<bool>(layout.frame.elapsed_step_mask)[row]);
      const std::int32_t type = ends && row == 3 ? 2 : row == 5 ? 0 : 1;
      EXPECT_EQ(open->Data<std::int32_t>(layout.step_type)[row], type);
      if (!ends) continue;
      if (games) EXPECT_EQ(view.episode.length[row], row == 3 ? 7 : 0);
      EXPECT_EQ(view.final_frame.elapsed_step[row], row == 3 ? 7 : 0);
      EXPECT_EQ(static_cast<int>(*view.final_frame.obs[0].Row(row)), row == 3 ? 9 : 0);
      EXPECT_EQ(open->Data<bool>(layout.final_info_mask)[row], row == 3);
    }
    const Batch batch = memory.Finish(open, kRows);
    EXPECT_EQ(batch.has_ends(), ends);
    EXPECT_EQ(batch.has_statistics(), games);
  }
}

TEST(BatchMemory, FinalObservationsOfTerminatedEpisodesMayBeMissing) {
  TestAllocator allocator;
  EnvSpec spec = LargeSpec();
  spec.has_terminal_observation = false;
  BatchMemory memory(spec, kRows, {.final_frames = true}, allocator, 0);
  OpenBatch* const open = memory.Take();
  const BatchView& view = open->view();
  for (std::uint32_t row = 0; row < kRows; ++row) {
    // Row 3 terminates, row 4 is truncated, row 5 is both.
    view.terminated[row] = row == 3 || row == 5;
    view.truncated[row] = row == 4 || row == 5;
    view.final_mask[row] = row >= 3 && row <= 5;
    view.final_frame.elapsed_step[row] = 7;
    *view.final_frame.obs[0].Row(row) = std::byte{9};
  }
  open->Count({.episodes = 3});
  CompleteBatch(*open, kRows);
  for (std::uint32_t row = 0; row < kRows; ++row) {
    const bool ended = row >= 3 && row <= 5;
    EXPECT_EQ(view.final_mask[row], row == 4);
    EXPECT_EQ(static_cast<int>(*view.final_frame.obs[0].Row(row)), row == 4 ? 9 : 0);
    EXPECT_EQ(open->Data<bool>(memory.layout().final_info_mask)[row], ended);
    EXPECT_EQ(view.final_frame.elapsed_step[row], ended ? 7 : 0);
  }
  memory.Finish(open, kRows);
}

TEST(BatchMemory, RegionsAreLeasedOneByOne) {
  TestAllocator allocator;
  BatchMemory memory(LargeSpec(), kRows, {}, allocator, 0);
  ASSERT_EQ(memory.layout().num_regions, 2U);
  std::vector<Block*> columns;
  for (int i = 0; i < 128; ++i) {
    Batch batch = TakeFinished(memory);
    columns.push_back(batch.Release(1));
  }
  // The caller holds 128 blocks of columns. One block of observations serves all batches.
  EXPECT_EQ(memory.stats().leased_blocks, 128U);
  EXPECT_EQ(memory.stats().leased_bytes, 128 * memory.layout().region_bytes[1]);
  EXPECT_EQ(memory.stats().blocks, 129U);
  EXPECT_LT(memory.stats().leased_bytes, memory.layout().region_bytes[0] * 2);
  for (Block* const block : columns) BlockStore::EndLease(block);
  EXPECT_EQ(memory.stats().leased_blocks, 0U);
}

TEST(BatchMemory, AFinishedBatchEndsItsLeasesOnce) {
  TestAllocator allocator;
  BatchMemory memory(LargeSpec(), kRows, {}, allocator, 0);
  {
    Batch a = TakeFinished(memory);
    EXPECT_TRUE(static_cast<bool>(a));
    EXPECT_EQ(a.rows(), kRows);
    Batch b = std::move(a);
    EXPECT_EQ(memory.stats().leased_blocks, 2U);
    b = TakeFinished(memory);
    EXPECT_EQ(memory.stats().leased_blocks, 2U);
    BlockStore::EndLease(b.Release(0));
    EXPECT_EQ(memory.stats().leased_blocks, 1U);
    b.Drop();
    EXPECT_FALSE(static_cast<bool>(b));
    EXPECT_EQ(memory.stats().leased_blocks, 0U);
  }
  EXPECT_EQ(memory.stats().leased_blocks, 0U);
  EXPECT_EQ(memory.stats().blocks, 4U);
}

TEST(BatchMemory, BlocksThatAreLeasedAreNotWrittenAgain) {
  TestAllocator allocator;
  BatchMemory memory(LargeSpec(), kRows, {}, allocator, 0);
  OpenBatch* const open = memory.Take();
  open->Count({.episodes = 2, .games = 1, .failures = 1});
  std::byte* const obs = open->view().frame.obs[0].base;
  Batch kept = memory.Finish(open, kRows);
  OpenBatch* const next = memory.Take();
  EXPECT_TRUE(next->view().frame.obs[0].base != obs);
  EXPECT_TRUE(kept.At(kept.layout().frame.obs) == obs);
  memory.Return(next);
  EXPECT_EQ(memory.stats().leased_blocks, 2U);
  // The caller keeps the columns and returns the observations. The next batch combines these
  // observations with another block of columns.
  BlockStore::EndLease(kept.Release(0));
  OpenBatch* const again = memory.Take();
  EXPECT_TRUE(again == open);
  EXPECT_TRUE(again->view().frame.obs[0].base == obs);
  EXPECT_TRUE(reinterpret_cast<std::byte*>(again->view().reward) != kept.At(kept.layout().reward));
  EXPECT_TRUE(reinterpret_cast<std::byte*>(again->view().reward) ==
              again->At(again->layout().reward));
  EXPECT_EQ(again->failures(), 0U);
  EXPECT_EQ(again->episodes(), 0U);
  EXPECT_EQ(again->games(), 0U);
  memory.Return(again);
}

TEST(BatchMemory, TheCapCountsEachRegion) {
  TestAllocator allocator;
  BatchMemory memory(LargeSpec(), kRows, {}, allocator, 3);
  std::vector<Block*> columns;
  for (int i = 0; i < 3; ++i) columns.push_back(TakeFinished(memory).Release(1));
  for (int i = 0; i < 3; ++i) {  // a failure returns the block of observations
    try {
      memory.Take();
      EXPECT_TRUE(false);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kBatchMemory);
      EXPECT_TRUE(std::string(error.what()).find("columns") != std::string::npos);
    }
  }
  EXPECT_EQ(memory.stats().blocks, 3U + 1U);
  BlockStore::EndLease(columns[1]);
  memory.Return(memory.Take());
  BlockStore::EndLease(columns[0]);
  BlockStore::EndLease(columns[2]);
}

TEST(BatchMemory, AFailedAllocationChangesNothing) {
  for (std::uint64_t fail_at = 0; fail_at < 8; ++fail_at) {
    TestAllocator allocator;
    allocator.FailAt(fail_at);
    {
      BatchMemory memory(LargeSpec(), kRows, {}, allocator, 0);
      std::vector<Batch> batches;
      int failures = 0;
      while (batches.size() < 4) {
        try {
          batches.push_back(TakeFinished(memory));
        } catch (const std::bad_alloc&) {
          ++failures;
          EXPECT_EQ(memory.stats().leased_blocks, 2 * batches.size());
        }
      }
      EXPECT_EQ(failures, 1);
      EXPECT_EQ(memory.stats().blocks, 8U);
    }
    EXPECT_EQ(allocator.live_blocks(), 0U);
    EXPECT_FALSE(allocator.wrong());
  }
}

TEST(BatchMemory, BatchesOutliveIt) {
  TestAllocator allocator;
  Batch batch;
  {
    BatchMemory memory(LargeSpec(), kRows, {}, allocator, 0);
    memory.Take();  // still open at the end
    OpenBatch* const open = memory.Take();
    open->view().reward[31] = 2.5;
    batch = memory.Finish(open, kRows);
    memory.Close();
    EXPECT_EQ(memory.stats().blocks, 4U);
  }
  EXPECT_EQ(allocator.live_blocks(), 2U);
  EXPECT_EQ(batch.Data<double>(batch.layout().reward)[31], 2.5);
  BlockStore::EndLease(batch.Release(0));
  EXPECT_EQ(allocator.live_blocks(), 1U);
  EXPECT_EQ(batch.layout().rows, kRows);
  EXPECT_EQ(batch.Data<double>(batch.layout().reward)[31], 2.5);
  batch.Drop();
  EXPECT_EQ(allocator.live_blocks(), 0U);
}

TEST(BatchMemory, BatchesAreDroppedOnOtherThreads) {
  TestAllocator allocator;
  {
    BatchMemory memory(LargeSpec(), kRows, {}, allocator, 0);
    for (int round = 0; round < 200; ++round) {
      std::vector<Batch> batches;
      for (int i = 0; i < 8; ++i) batches.push_back(TakeFinished(memory));
      std::thread other([dropped = std::move(batches)]() mutable { dropped.clear(); });
      for (int i = 0; i < 50; ++i) {
        OpenBatch* const open = memory.Take();
        open->view().reward[0] = 1.0;
        open->view().frame.obs[0].base[0] = std::byte{1};
        memory.Finish(open, kRows).Drop();
        EXPECT_LE(memory.stats().leased_blocks, memory.stats().blocks);
      }
      other.join();
    }
    EXPECT_EQ(memory.stats().leased_blocks, 0U);
    EXPECT_LE(memory.stats().blocks, 2U * 9U);
  }
  EXPECT_EQ(allocator.live_blocks(), 0U);
}

}  // namespace batch_memory_test
}  // namespace engine::testing
