// What the primitives of engine/sync cost per operation, alone and with as many
// threads as the machine has processors. Prints nanoseconds per operation of
// wall time; with several threads, of all their operations together.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

#include "benchmarks/engine/measure.h"
#include "engine/sync/action_queue.h"
#include "engine/sync/free_stack.h"
#include "engine/sync/parker.h"
#include "engine/sync/sharded_range.h"
#include "engine/sync/state_queue.h"

namespace engine::benchmarks {
namespace {

constexpr std::uint32_t kOperations = 1 << 18;

// Claims until the range is used up.
void ClaimAll(std::uint32_t threads, std::uint32_t chunk) {
  std::unique_ptr<ShardedRange<>> range;
  const auto prepare = [&] {
    range = std::make_unique<ShardedRange<>>(threads);
    range->Publish(kOperations * chunk, true);
  };
  Report(chunk == 1 ? "ShardedRange: claim and finish 1" : "ShardedRange: claim and finish 16",
         threads, kOperations, prepare, [&](std::uint32_t t) {
           for (;;) {
             const IndexRange claimed = range->Claim(t, chunk, chunk);
             if (claimed.empty()) return;
             range->Finish(claimed.size());
           }
         });
}

// Takers empty full queues: each its own lane, then what the others have left.
void PopAll(std::uint32_t threads, std::uint32_t chunk) {
  std::vector<std::uint32_t> ids(kOperations);
  std::iota(ids.begin(), ids.end(), 0U);
  ActionQueue<> queue({.num_ids = kOperations, .num_lanes = threads});
  for (const std::uint32_t id : ids) queue.SetHome(id, id % threads);
  Report(
      chunk == 1 ? "ActionQueue: pop 1, per id" : "ActionQueue: pop 16, per id", threads,
      kOperations, [&] { queue.Push(ids.data(), kOperations); },
      [&](std::uint32_t t) {
        std::uint32_t taken[16];
        ActionQueue<>::Taker taker(t);
        while (queue.Pop(taker, taken, chunk, chunk) > 0) Keep(taken);
      });
}

// Ids that all belong to one lane, and to each lane in turn.
void PushAll(std::uint32_t lanes) {
  std::vector<std::uint32_t> ids(kOperations);
  std::iota(ids.begin(), ids.end(), 0U);
  std::vector<std::uint32_t> taken(kOperations);
  ActionQueue<> queue({.num_ids = kOperations, .num_lanes = lanes, .lane_size = kOperations});
  const auto take_all = [&] {
    for (std::uint32_t l = 0; l < lanes; ++l) {
      ActionQueue<>::Taker taker(l);
      while (queue.Pop(taker, taken.data(), 1, kOperations) > 0) {
      }
    }
    for (const std::uint32_t id : ids) queue.SetHome(id, id % lanes);
  };
  Report(lanes == 1 ? "ActionQueue: push 256, per id" : "ActionQueue: push 256 to 16 lanes, per id",
         1, kOperations, take_all, [&](std::uint32_t) {
           for (std::uint32_t i = 0; i < kOperations; i += 256) queue.Push(ids.data() + i, 256);
         });
}

// Workers fill batches of 256 rows, four rows at a time; nobody receives.
void ReserveAndCommit(std::uint32_t threads) {
  constexpr std::uint32_t kRowsPerBatch = 256;
  constexpr std::uint32_t kRows = 4;
  std::unique_ptr<StateQueue<>> queue;
  const auto prepare = [&] {
    queue = std::make_unique<StateQueue<>>(kRowsPerBatch, kOperations * kRows / kRowsPerBatch + 1);
  };
  Report("StateQueue: reserve and commit 4 rows", threads, kOperations / threads * threads, prepare,
         [&](std::uint32_t) {
           for (std::uint32_t i = 0; i < kOperations / threads; ++i) {
             const auto place = queue->PlaceOf(queue->Reserve(kRows));
             Keep(queue->Commit(place.slot, kRows));
           }
         });
}

void PopAndPush(std::uint32_t threads) {
  FreeStack<> stack;
  for (std::uint32_t i = 0; i < 2 * threads; ++i) stack.Push(stack.AddIndex());
  Report(
      "FreeStack: pop and push", threads, kOperations / threads * threads, [] {},
      [&](std::uint32_t) {
        for (std::uint32_t i = 0; i < kOperations / threads; ++i) stack.Push(stack.Pop());
      });
}

void NotifyNobody() {
  Parker<> parker;
  Report(
      "Parker: notify, nobody sleeps", 1, kOperations, [] {},
      [&](std::uint32_t) {
        for (std::uint32_t i = 0; i < kOperations; ++i) parker.Notify(1);
      });
}

// Two threads in turn; an operation is one hand-over.
void HandOver(const char* name, double spin_ns) {
  constexpr std::uint32_t kHandOvers = 1 << 12;
  Parker<> parkers[2];
  std::atomic<std::uint32_t> turn{0};
  Report(
      name, 2, kHandOvers, [&] { turn.store(0, std::memory_order_relaxed); },
      [&](std::uint32_t t) {
        for (std::uint32_t i = t; i < kHandOvers; i += 2) {
          parkers[t].Wait([&] { return turn.load(std::memory_order_acquire) == i; }, spin_ns);
          turn.store(i + 1, std::memory_order_release);
          parkers[1 - t].Notify(1);
        }
      });
}

void RunAll() {
  const std::uint32_t most = std::max(2U, std::thread::hardware_concurrency());
  for (const std::uint32_t threads : {1U, most}) {
    ClaimAll(threads, 1);
    ClaimAll(threads, 16);
    PopAll(threads, 1);
    PopAll(threads, 16);
    ReserveAndCommit(threads);
    PopAndPush(threads);
  }
  PushAll(1);
  PushAll(16);
  NotifyNobody();
  HandOver("Parker: hand over, spinning", 1e6);
  HandOver("Parker: hand over, asleep", 0.0);
}

}  // namespace
}  // namespace engine::benchmarks

int main() { engine::benchmarks::RunAll(); }
