// The cost per operation of the primitives of engine/sync, on one thread and on as many as the
// machine has processors. Prints nanoseconds of wall time per operation; with several threads, per
// operation of any of them.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "benchmarks/engine/measure.h"
#include "engine/sync/action_queue.h"
#include "engine/sync/free_stack.h"
#include "engine/sync/parker.h"
#include "engine/sync/row_tickets.h"
#include "engine/sync/sharded_range.h"
#include "engine/sync/work_signal.h"

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
             range->Finish(claimed.begin, claimed.size());
           }
         });
}

// One range per operation, as a step of the pool: published, its items claimed by
// the owners of their shards, finished, and found to be used up. With two threads
// the second is every participant but the publisher. `items` per range.
void PublishAndClaim(const char* name, std::uint32_t threads, std::uint32_t shards,
                     std::uint32_t items) {
  const std::uint32_t ranges = kOperations / 16 / shards + 1024;
  std::unique_ptr<ShardedRange<>> range;
  const auto work = [&](std::uint32_t first, std::uint32_t end) {
    std::uint32_t finished = 0;
    for (std::uint32_t p = first; p < end; ++p) finished += range->Claim(p, items, items).size();
    if (finished > 0) range->Finish(0, finished);  // of all shards: there is one group
    Keep(range->Claim(first, items, items).empty());
  };
  Report(
      name, threads, ranges, [&] { range = std::make_unique<ShardedRange<>>(shards); },
      [&](std::uint32_t t) {
        for (std::uint32_t i = 0; i < ranges; ++i) {
          if (t == 0) {
            range->Publish(items, true);
            work(0, threads == 1 ? shards : 1);
            while (!range->Done()) StdSync::Pause();
          } else {
            while (range->epoch() == i) StdSync::Pause();
            work(1, shards);
          }
        }
      });
}

// Threads empty a full queue.
void PopAll(std::uint32_t threads, std::uint32_t chunk) {
  std::vector<std::uint32_t> ids(kOperations);
  std::iota(ids.begin(), ids.end(), 0U);
  ActionQueue<> queue(kOperations);
  Report(
      chunk == 1 ? "ActionQueue: pop 1, per id" : "ActionQueue: pop 16, per id", threads,
      kOperations, [&] { queue.Push(ids.data(), kOperations); },
      [&](std::uint32_t) {
        std::uint32_t taken[16];
        while (queue.Pop(taken, chunk, chunk) > 0) Keep(taken);
      });
}

void PushAll() {
  std::vector<std::uint32_t> ids(kOperations);
  std::iota(ids.begin(), ids.end(), 0U);
  std::vector<std::uint32_t> taken(kOperations);
  ActionQueue<> queue(kOperations);
  const auto take_all = [&] {
    while (queue.Pop(taken.data(), kOperations, kOperations) > 0) {
    }
  };
  Report("ActionQueue: push 256, per id", 1, kOperations, take_all, [&](std::uint32_t) {
    for (std::uint32_t i = 0; i < kOperations; i += 256) queue.Push(ids.data() + i, 256);
  });
}

// Workers fill batches of 256 rows, four rows at a time; nobody receives.
void ReserveAndCommit(std::uint32_t threads) {
  constexpr std::uint32_t kRowsPerBatch = 256;
  constexpr std::uint32_t kRows = 4;
  std::unique_ptr<RowTickets<>> queue;
  const auto prepare = [&] {
    queue = std::make_unique<RowTickets<>>(kRowsPerBatch, kOperations * kRows / kRowsPerBatch + 1);
  };
  Report("RowTickets: reserve and commit 4 rows", threads, kOperations / threads * threads, prepare,
         [&](std::uint32_t) {
           for (std::uint32_t i = 0; i < kOperations / threads; ++i) {
             const auto position = queue->PositionOf(queue->Reserve(kRows));
             Keep(queue->Commit(position.slot, kRows));
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

void WakeNobody() {
  WorkSignal<> signal;
  Report(
      "WorkSignal: wake, nobody idle", 1, kOperations, [] {},
      [&](std::uint32_t) {
        for (std::uint32_t i = 0; i < kOperations; ++i) signal.Wake(2);
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
  const std::uint32_t max_threads = std::max(2U, std::thread::hardware_concurrency());
  for (const std::uint32_t threads : {1U, max_threads}) {
    ClaimAll(threads, 1);
    ClaimAll(threads, 16);
    PopAll(threads, 1);
    PopAll(threads, 16);
    ReserveAndCommit(threads);
    PopAndPush(threads);
  }
  PushAll();
  for (const std::uint32_t threads : {1U, 2U}) {
    for (const std::uint32_t shards : {2U, 16U, 256U}) {
      const std::string suffix = std::to_string(shards) + " shards";
      PublishAndClaim(("ShardedRange: publish, 1 item, " + suffix).c_str(), threads, shards, 1);
      PublishAndClaim(("ShardedRange: publish, 1 item each, " + suffix).c_str(), threads, shards,
                      shards);
    }
  }
  NotifyNobody();
  WakeNobody();
  HandOver("Parker: hand over, spinning", 1e6);
  HandOver("Parker: hand over, asleep", 0.0);
}

}  // namespace
}  // namespace engine::benchmarks

int main() { engine::benchmarks::RunAll(); }
