// Blocks: Take, leases, Return, the cap, trimming and freeing.
#include "engine/batch/block_store.h"

#include <atomic>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "tests/engine/batch/test_allocator.h"
#include "tests/engine/harness.h"

namespace engine::testing {
namespace block_store_test {

constexpr std::size_t kRows = 16;

std::shared_ptr<const BatchLayout> Layout() {
  EnvSpec spec;
  spec.observation = SpaceSpec::Box<std::uint8_t>({4096}, 0, 255);
  spec.action = SpaceSpec::Discrete(2);
  return std::make_shared<const BatchLayout>(spec, kRows, BatchExtras{});
}

struct EndStore {
  void operator()(BlockStore* store) const {
    store->Close();
    store->Unref();
  }
};
using StorePointer = std::unique_ptr<BlockStore, EndStore>;

StorePointer MakeStore(BlockAllocator& allocator, std::uint64_t max_blocks = 0) {
  return StorePointer(new BlockStore(Layout(), Region::kObservations, allocator, max_blocks));
}

Block* TakeLease(BlockStore& store) {
  Block* const block = store.Take();
  store.Lease();
  return block;
}

void EndAll(std::vector<Block*>& leases) {
  for (Block* const block : leases) BlockStore::EndLease(block);
  leases.clear();
}

TEST(BlockStore, ABlockComesBackAndIsUsedAgain) {
  TestAllocator allocator;
  StorePointer store = MakeStore(allocator);
  Block* const first = store->Take();
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first->memory) % 64, 0U);
  store->Return(first);
  EXPECT_TRUE(TakeLease(*store) == first);
  EXPECT_EQ(store->stats().leased_blocks, 1U);
  EXPECT_EQ(store->stats().leased_bytes, store->stats().bytes);
  Block* const second = TakeLease(*store);
  EXPECT_TRUE(second != first);
  BlockStore::EndLease(first);
  EXPECT_TRUE(store->Take() == first);
  BlockStore::EndLease(second);
  EXPECT_EQ(store->stats().leased_blocks, 0U);
  EXPECT_EQ(store->stats().blocks, 2U);
  EXPECT_EQ(allocator.calls(), 2U);
  store.reset();  // `first` was never returned
  EXPECT_EQ(allocator.live_blocks(), 0U);
  EXPECT_FALSE(allocator.wrong());
}

TEST(BlockStore, TheCapNamesWhoHoldsTheBlocks) {
  TestAllocator allocator;
  StorePointer store = MakeStore(allocator, 4);
  std::vector<Block*> leases = {TakeLease(*store), TakeLease(*store), TakeLease(*store)};
  Block* const in_use = store->Take();
  try {
    store->Take();
    EXPECT_TRUE(false);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBatchMemory);
    EXPECT_EQ(
        std::string(error.what()),
        std::string("max_live_batches = 4: all blocks of observations are taken, 3 by arrays of "
                    "earlier results that are still referenced and 1 by batches in "
                    "progress: drop those arrays, or keep copies of them instead, or make "
                    "the pool with a larger max_live_batches"));
  }
  EXPECT_EQ(allocator.calls(), 4U);
  BlockStore::EndLease(leases.back());
  leases.back() = TakeLease(*store);
  EXPECT_THROW(store->Take(), Error);
  store->Return(in_use);
  EndAll(leases);
  EXPECT_EQ(store->stats().blocks, 4U);
}

TEST(BlockStore, AFailedAllocationChangesNothing) {
  for (std::uint64_t fail_at = 0; fail_at < 9; ++fail_at) {
    TestAllocator allocator;
    allocator.FailAt(fail_at);
    {
      StorePointer store = MakeStore(allocator, 9);
      std::vector<Block*> leases;
      int failures = 0;
      while (leases.size() < 9) {
        try {
          leases.push_back(TakeLease(*store));
        } catch (const std::bad_alloc&) {
          ++failures;
          EXPECT_EQ(store->stats().blocks, leases.size());
          EXPECT_EQ(store->stats().leased_blocks, leases.size());
        }
      }
      EXPECT_EQ(failures, 1);
      EXPECT_THROW(store->Take(), Error);
      EndAll(leases);
    }
    EXPECT_EQ(allocator.live_blocks(), 0U);
    EXPECT_FALSE(allocator.wrong());
  }
}

// Takes `takes` blocks and holds one lease at a time between two calls of Take.
void RunSteadily(BlockStore& store, std::uint32_t takes) {
  Block* held = nullptr;
  for (std::uint32_t i = 0; i < takes; ++i) {
    Block* const block = TakeLease(store);
    if (held != nullptr) BlockStore::EndLease(held);
    held = block;
  }
  if (held != nullptr) BlockStore::EndLease(held);
}

TEST(BlockStore, WhatTwoWindowsDidNotNeedIsFreed) {
  TestAllocator allocator;
  StorePointer store = MakeStore(allocator);
  std::vector<Block*> leases;
  for (int i = 0; i < 100; ++i) leases.push_back(TakeLease(*store));
  EndAll(leases);
  // The rest of the first window, and all but one Take of the second.
  RunSteadily(*store, 2 * BlockStore::kWindowTakes - 100 - 1);
  EXPECT_EQ(store->stats().blocks, 100U);
  // The first window needed the 100 blocks. At the end of the third window, two windows have not
  // needed them. From then on, each Take frees one.
  RunSteadily(*store, BlockStore::kWindowTakes);
  EXPECT_EQ(store->stats().blocks, 100U);
  RunSteadily(*store, 200);
  EXPECT_EQ(store->stats().blocks, 2U);
  EXPECT_EQ(allocator.live_blocks(), 2U);
  // Later leases allocate the blocks again, under their old indices.
  for (int i = 0; i < 100; ++i) leases.push_back(TakeLease(*store));
  EXPECT_EQ(store->stats().blocks, 100U);
  EndAll(leases);
}

TEST(BlockStore, LeasedBlocksAreNeverFreed) {
  TestAllocator allocator;
  StorePointer store = MakeStore(allocator);
  std::vector<Block*> leases;
  for (int i = 0; i < 10; ++i) {
    leases.push_back(TakeLease(*store));
    std::memset(leases.back()->memory, i, 64);
  }
  RunSteadily(*store, 5 * BlockStore::kWindowTakes);
  EXPECT_EQ(store->stats().blocks, 12U);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(static_cast<int>(leases[static_cast<std::size_t>(i)]->memory[63]), i);
  }
  EndAll(leases);
}

TEST(BlockStore, SteadyUseNeitherAllocatesNorFrees) {
  for (const std::size_t kept : {1U, 2U, 128U, 1000U, 2048U}) {
    TestAllocator allocator;
    StorePointer store = MakeStore(allocator);
    std::vector<Block*> leases;
    const auto rollouts = [&](int count) {
      for (int i = 0; i < count; ++i) {
        while (leases.size() < kept) leases.push_back(TakeLease(*store));
        EndAll(leases);
      }
    };
    const int warm_up = static_cast<int>(3 * BlockStore::kWindowTakes / kept) + 3;
    rollouts(warm_up);
    const std::uint64_t calls = allocator.calls();
    rollouts(4 * warm_up);
    EXPECT_EQ(allocator.calls(), calls) << kept;
    EXPECT_EQ(allocator.frees(), 0U) << kept;
    EXPECT_EQ(calls, kept) << kept;
  }
}

TEST(BlockStore, CloseFreesFreeBlocksAtOnceAndOthersAsTheyComeBack) {
  TestAllocator allocator;
  StorePointer store = MakeStore(allocator);
  std::vector<Block*> leases = {TakeLease(*store), TakeLease(*store), TakeLease(*store)};
  Block* const in_use = store->Take();
  store->Return(store->Take());
  EXPECT_EQ(allocator.live_blocks(), 5U);
  store->Close();
  EXPECT_EQ(allocator.live_blocks(), 4U);
  store->Return(in_use);
  EXPECT_EQ(allocator.live_blocks(), 3U);
  BlockStore::EndLease(leases[1]);
  EXPECT_EQ(allocator.live_blocks(), 2U);
  EXPECT_EQ(store->stats().blocks, 2U);
  EXPECT_EQ(store->stats().leased_blocks, 2U);
  store->Close();
  store.reset();
  std::memset(leases[0]->memory, 1, 64);
  EXPECT_EQ(allocator.live_blocks(), 2U);
  BlockStore::EndLease(leases[0]);
  EXPECT_EQ(allocator.live_blocks(), 1U);
  BlockStore::EndLease(leases[2]);
  EXPECT_EQ(allocator.live_blocks(), 0U);
  EXPECT_FALSE(allocator.wrong());
}

// Other threads end leases while the owner takes blocks, and while it destroys the store.
TEST(BlockStore, LeasesEndOnAnyThread) {
  constexpr int kThreads = 3;
  for (int round = 0; round < 40; ++round) {
    TestAllocator allocator;
    StorePointer store = MakeStore(allocator);
    std::atomic<Block*> slots[kThreads] = {};
    std::atomic<bool> done{false};
    std::vector<std::thread> threads;
    for (std::atomic<Block*>& slot : slots) {
      threads.emplace_back([&] {
        while (true) {
          const bool last = done.load(std::memory_order_acquire);
          Block* const block = slot.exchange(nullptr, std::memory_order_acq_rel);
          if (block != nullptr) {
            block->memory[0] = std::byte{1};  // TSan reports a block that is reused too early
            BlockStore::EndLease(block);
          } else if (last) {
            return;
          }
        }
      });
    }
    for (std::uint32_t i = 0; i < 3 * BlockStore::kWindowTakes; ++i) {
      Block* const block = TakeLease(*store);
      block->memory[0] = std::byte{2};
      Block* const before = slots[i % kThreads].exchange(block, std::memory_order_acq_rel);
      if (before != nullptr) BlockStore::EndLease(before);
    }
    if (round % 2 == 0) store.reset();
    done.store(true, std::memory_order_release);
    if (round % 2 == 1) store.reset();
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(allocator.live_blocks(), 0U);
    EXPECT_FALSE(allocator.wrong());
  }
}

TEST(BlockStore, CloseAndTheLastLeasesMeet) {
  for (int round = 0; round < 500; ++round) {
    TestAllocator allocator;
    StorePointer store = MakeStore(allocator);
    Block* const blocks[] = {TakeLease(*store), TakeLease(*store)};
    store->Return(store->Take());
    std::atomic<int> ready{0};
    const auto meet = [&] {
      ready.fetch_add(1, std::memory_order_acq_rel);
      while (ready.load(std::memory_order_acquire) < 3) std::this_thread::yield();
    };
    std::thread others[] = {std::thread([&] {
                              meet();
                              BlockStore::EndLease(blocks[0]);
                            }),
                            std::thread([&] {
                              meet();
                              BlockStore::EndLease(blocks[1]);
                            })};
    meet();
    store.reset();
    for (std::thread& other : others) other.join();
    ASSERT_EQ(allocator.live_blocks(), 0U);
    ASSERT_FALSE(allocator.wrong());
  }
}

}  // namespace block_store_test
}  // namespace engine::testing
