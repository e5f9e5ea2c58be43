// Every queued id is taken once. A thread takes from the queue of its node first, from others if
// that is empty, and leaves its own queue for ids that have waited long.
#include "engine/sync/node_queues.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "tests/engine/harness.h"
#include "tests/engine/support/expect_schedules.h"
#include "tests/engine/support/let_others_run.h"
#include "tests/engine/support/scheduled_sync.h"

namespace engine::testing {
namespace node_queues_test {

std::vector<std::uint32_t> Pop(NodeQueues<>& queues, NodeQueues<>::Taker& taker,
                               std::uint32_t max_ids) {
  std::vector<std::uint32_t> ids(max_ids);
  ids.resize(queues.Pop(taker, ids.data(), max_ids, max_ids));
  return ids;
}

void Push(NodeQueues<>& queues, const std::vector<std::uint32_t>& ids) {
  queues.Push(ids.data(), static_cast<std::uint32_t>(ids.size()));
}

using Ids = std::vector<std::uint32_t>;

TEST(NodeQueues, OneQueueKeepsTheOrderOfArrival) {
  NodeQueues<> queues(4, 1, {}, 8);
  NodeQueues<>::Taker taker(0);
  Push(queues, {2, 0});
  Push(queues, {3});
  EXPECT_EQ(queues.size(), 3U);
  EXPECT_TRUE(Pop(queues, taker, 2) == (Ids{2, 0}));
  EXPECT_TRUE(Pop(queues, taker, 2) == (Ids{3}));
  EXPECT_TRUE(Pop(queues, taker, 2).empty());
}

TEST(NodeQueues, OwnQueueFirstThenTheNextOnes) {
  NodeQueues<> queues(6, 3, {0, 0, 1, 1, 2, 2}, 8);
  NodeQueues<>::Taker first(0), second(1);
  Push(queues, {5, 3, 1, 4, 2, 0});
  EXPECT_EQ(queues.size(), 6U);
  EXPECT_TRUE(Pop(queues, second, 4) == (Ids{3, 2}));
  EXPECT_TRUE(Pop(queues, second, 1) == (Ids{5}));  // the queue after its own
  EXPECT_TRUE(Pop(queues, first, 4) == (Ids{1, 0}));
  EXPECT_TRUE(Pop(queues, first, 4) == (Ids{4}));
  EXPECT_TRUE(Pop(queues, first, 4).empty());
  EXPECT_EQ(queues.size(), 0U);
}

// One thread takes all ids, and each id is sent again at once, so its own queue is never empty.
TEST(NodeQueues, NoIdWaitsForLong) {
  constexpr std::uint32_t kEnvs = 8;
  constexpr std::uint32_t kInterval = 4;
  NodeQueues<> queues(kEnvs, 2, {0, 0, 0, 0, 0, 0, 1, 1}, kInterval);
  NodeQueues<>::Taker taker(0);
  Push(queues, {0, 1, 2, 3, 4, 5, 6, 7});
  std::array<std::uint32_t, kEnvs> taken{}, last{};
  for (std::uint32_t i = 1; i <= 1'000; ++i) {
    const Ids ids = Pop(queues, taker, 1);
    ASSERT_EQ(ids.size(), 1U);
    ++taken[ids[0]];
    // At most num_envs newer ids, those of a whole interval, and the others in its queue.
    EXPECT_LE(i - last[ids[0]], 2 * kEnvs + 2 * kInterval);
    last[ids[0]] = i;
    Push(queues, ids);
  }
  for (const std::uint32_t count : taken) EXPECT_LE(90U, count);
}

TEST(NodeQueues, ReturnsToItsOwnQueue) {
  for (const std::uint32_t interval : {0U, 1U, 8U}) {
    NodeQueues<> queues(4, 2, {0, 0, 1, 1}, interval);
    NodeQueues<>::Taker taker(1);
    Push(queues, {0, 1});
    EXPECT_TRUE(Pop(queues, taker, 1) == (Ids{0}));  // its own queue is empty
    Push(queues, {2, 3});
    EXPECT_TRUE(Pop(queues, taker, 1) == (Ids{2})) << "interval " << interval;
  }
}

// After an old queue is empty, the thread takes from its own one, not from the next one.
TEST(NodeQueues, LeavesItsOwnQueueOnlyForOldIds) {
  NodeQueues<> queues(4, 3, {0, 1, 2, 2}, 100);
  NodeQueues<>::Taker taker(0), other(0);
  Push(queues, {1});
  for (int i = 0; i < 6; ++i) {  // id 1 grows old
    Push(queues, {0});
    EXPECT_TRUE(Pop(queues, other, 1) == (Ids{0}));
  }
  Push(queues, {2, 0});
  EXPECT_TRUE(Pop(queues, taker, 1) == (Ids{1}));
  EXPECT_TRUE(Pop(queues, taker, 1) == (Ids{0}));
  EXPECT_TRUE(Pop(queues, taker, 1) == (Ids{2}));
}

TEST(NodeQueues, AThreadWithoutANodeTakesTheOldestIds) {
  NodeQueues<> queues(4, 2, {0, 0, 1, 1}, 100);
  NodeQueues<>::Taker taker(NodeQueues<>::kNoQueue);
  Push(queues, {2, 0, 3, 1});
  for (const std::uint32_t id : {2U, 0U, 3U, 1U}) EXPECT_TRUE(Pop(queues, taker, 1) == (Ids{id}));
  EXPECT_TRUE(Pop(queues, taker, 1).empty());
}

struct Shared {
  explicit Shared(std::uint32_t envs) : taken(envs, 0) {}
  NodeQueues<ScheduledSync> queues{4, 2, {0, 1, 0, 1}, 1};
  std::vector<std::uint32_t> taken;  // each written by the thread that took the id
};

TEST(NodeQueues, EachIdOnceEverySchedule) {
  ExpectEverySchedule({.preemption_bound = 2, .stale_bound = 2}, [](Scenario& scenario) {
    auto shared = std::make_shared<Shared>(4);
    scenario.Thread("producer", [shared] {
      const std::array<std::uint32_t, 4> ids = {0, 1, 2, 3};
      shared->queues.Push(ids.data(), 2);
      shared->queues.Push(ids.data() + 2, 2);
    });
    for (std::uint32_t node = 0; node < 2; ++node) {
      scenario.Thread("taker", [shared, node] {
        NodeQueues<ScheduledSync>::Taker taker(node);
        std::array<std::uint32_t, 2> ids{};
        const std::uint32_t n = shared->queues.Pop(taker, ids.data(), 1, 2);
        for (std::uint32_t k = 0; k < n; ++k) ++shared->taken[ids[k]];
      });
    }
    scenario.AtEnd([shared] {
      NodeQueues<ScheduledSync>::Taker taker(0);
      std::uint32_t id = 0;
      while (shared->queues.Pop(taker, &id, 1, 1) == 1) ++shared->taken[id];
      for (const std::uint32_t count : shared->taken) {
        Require(count == 1, "an id is lost or came twice");
      }
      Require(shared->queues.size() == 0, "a queue is not empty");
    });
  });
}

// A thread that saw size 0 although an id is queued would sleep while there is work.
TEST(NodeQueues, SizeIsZeroOnlyIfAllQueuedIdsWereTakenEverySchedule) {
  ExpectEverySchedule({.preemption_bound = 3, .stale_bound = 2}, [](Scenario& scenario) {
    auto shared = std::make_shared<Shared>(4);
    const std::array<std::uint32_t, 2> ids = {0, 1};
    shared->queues.Push(ids.data(), 2);
    auto left = std::make_shared<ScheduledSync::Atomic<std::uint32_t>>(2);
    for (std::uint32_t node = 0; node < 2; ++node) {
      scenario.Thread("taker", [shared, left, node] {
        NodeQueues<ScheduledSync>::Taker taker(node);
        std::uint32_t id = 0;
        left->fetch_sub(1, std::memory_order_seq_cst);
        Require(shared->queues.Pop(taker, &id, 1, 1) == 1, "an id was not found");
      });
    }
    scenario.Thread("idle", [shared, left] {
      const std::uint64_t size = shared->queues.size();
      Require(size > 0 || left->load(std::memory_order_seq_cst) == 0, "work was overlooked");
    });
  });
}

TEST(NodeQueues, RealThreads) {
  constexpr std::uint32_t kEnvs = 64;
  constexpr std::uint32_t kRounds = 300;
  std::vector<std::uint32_t> queue_of_env(kEnvs);
  for (std::uint32_t env = 0; env < kEnvs; ++env) queue_of_env[env] = env / 22;
  NodeQueues<> queues(kEnvs, 3, queue_of_env, 8);
  std::vector<std::atomic<std::uint32_t>> done(kEnvs);
  std::atomic<bool> closed{false};
  std::vector<std::thread> takers;
  for (std::uint32_t t = 0; t < 3; ++t) {
    takers.emplace_back([&, t] {
      NodeQueues<>::Taker taker(t);
      std::array<std::uint32_t, 8> ids{};
      for (;;) {
        const bool last = closed.load(std::memory_order_acquire);
        const std::uint32_t n = queues.Pop(taker, ids.data(), 1, 8);
        for (std::uint32_t i = 0; i < n; ++i) done[ids[i]].fetch_add(1, std::memory_order_release);
        if (n == 0 && last) return;
        if (n == 0) LetOthersRun<StdSync>();
      }
    });
  }
  std::vector<std::uint32_t> sent(kEnvs, 0), batch;
  for (std::uint32_t left = kEnvs * kRounds; left > 0;) {
    batch.clear();
    for (std::uint32_t env = 0; env < kEnvs; ++env) {
      if (sent[env] == kRounds || done[env].load(std::memory_order_acquire) != sent[env]) continue;
      ++sent[env];
      batch.push_back(env);
    }
    if (batch.empty()) LetOthersRun<StdSync>();
    queues.Push(batch.data(), static_cast<std::uint32_t>(batch.size()));
    left -= static_cast<std::uint32_t>(batch.size());
  }
  closed.store(true, std::memory_order_release);
  for (std::thread& taker : takers) taker.join();
  for (const auto& count : done) EXPECT_EQ(count.load(), kRounds);
}

}  // namespace node_queues_test
}  // namespace engine::testing
