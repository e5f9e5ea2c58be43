// Every queued id is taken once, with the action that was written for it, in
// order of arrival within a lane, and a slot is not reused while it is unread;
// ids go to whoever took them last, and none waits for a taker that is away.
#include "engine/sync/action_queue.h"

#include <array>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "tests/engine/harness.h"
#include "tests/engine/support/expect_schedules.h"
#include "tests/engine/support/let_others_run.h"
#include "tests/engine/support/scheduled_sync.h"

namespace engine::testing {
namespace {

// Positions that run past the end of the 64-bit range within a scenario.
constexpr std::uint64_t kLastPosition = UINT64_MAX - 1;

struct Plan {
  std::uint32_t ids = 2;        // environments
  std::uint32_t rounds = 2;     // actions for each
  std::uint32_t max_chunk = 2;  // a consumer takes at most
  std::uint32_t lanes = 1;      // consumer c has lane c % lanes
  std::uint32_t lane_size = 0;  // as in ActionQueueShape
};

ActionQueueShape ShapeOf(const Plan& plan) {
  return {.num_ids = plan.ids,
          .num_lanes = plan.lanes,
          .lane_size = plan.lane_size,
          .first_position = kLastPosition};
}

// A producer that queues an action for whatever environment is idle, and
// consumers that run it and say so.
template <class Sync>
class Traffic {
 public:
  explicit Traffic(const Plan& plan)
      : plan_(plan), queue_(ShapeOf(plan)), actions_(plan.ids), done_(plan.ids) {}

  // Queues all ids once, then each again as soon as it is done.
  void Produce() {
    std::vector<std::uint32_t> batch;
    std::vector<std::uint32_t> sent(plan_.ids, 0);
    std::uint32_t left = plan_.ids * plan_.rounds;
    while (left > 0) {
      batch.clear();
      for (std::uint32_t id = 0; id < plan_.ids; ++id) {
        if (sent[id] == plan_.rounds) continue;
        if (done_[id].load(std::memory_order_acquire) != sent[id]) continue;
        actions_[id].Write(++sent[id]);
        batch.push_back(id);
      }
      if (batch.empty()) LetOthersRun<Sync>();
      queue_.Push(batch.data(), static_cast<std::uint32_t>(batch.size()));
      left -= static_cast<std::uint32_t>(batch.size());
    }
    closed_.store(true, std::memory_order_release);
  }

  // True if every id it got came with the next action in turn.
  bool Consume(std::uint32_t lane) {
    bool right = true;
    typename ActionQueue<Sync>::Taker taker(lane);
    std::vector<std::uint32_t> ids(plan_.max_chunk);
    for (;;) {
      const bool closed = closed_.load(std::memory_order_acquire);
      const bool any = queue_.HasAny(taker);
      const std::uint32_t n = queue_.Pop(taker, ids.data(), 1, plan_.max_chunk);
      // Nothing was queued any more: what either of them did not see would be lost.
      if (!any && n != 0 && closed) return false;
      if (n == 0 && closed) return right;
      if (n == 0) LetOthersRun<Sync>();
      for (std::uint32_t i = 0; i < n; ++i) {
        if (ids[i] >= plan_.ids) return false;
        const std::uint32_t action = actions_[ids[i]].Read();
        // The release below makes the action free to be written again.
        right = right && done_[ids[i]].fetch_add(1, std::memory_order_release) + 1 == action;
      }
    }
  }

  bool AllDone() const {
    for (const auto& done : done_) {
      if (done.load(std::memory_order_acquire) != plan_.rounds) return false;
    }
    return queue_.size() == 0;
  }

 private:
  const Plan plan_;
  ActionQueue<Sync> queue_;
  std::vector<typename Sync::template Var<std::uint32_t>> actions_;
  std::vector<typename Sync::template Atomic<std::uint32_t>> done_;  // actions run
  typename Sync::template Atomic<bool> closed_{false};
};

SetUp ProduceAndConsume(const Plan& plan, int consumers) {
  return [plan, consumers](Scenario& scenario) {
    auto traffic = std::make_shared<Traffic<ScheduledSync>>(plan);
    scenario.Thread("producer", [traffic] { traffic->Produce(); });
    for (int c = 0; c < consumers; ++c) {
      const std::uint32_t lane = static_cast<std::uint32_t>(c) % plan.lanes;
      scenario.Thread("consumer", [traffic, lane] {
        Require(traffic->Consume(lane), "an id came twice or with the wrong action");
      });
    }
    scenario.AtEnd([traffic] { Require(traffic->AllDone(), "an id is lost"); });
  };
}

TEST(ActionQueue, OneConsumerEverySchedule) {
  ExpectEverySchedule({.preemption_bound = 2}, ProduceAndConsume({}, 1));
}

TEST(ActionQueue, TwoConsumersEverySchedule) {
  for (const std::uint32_t chunk : {1U, 2U}) {
    ExpectEverySchedule({.preemption_bound = 2, .max_executions = 5'000'000},
                        ProduceAndConsume({.ids = 2, .rounds = 1, .max_chunk = chunk}, 2));
  }
}

// Both take from both lanes, the other's after their own, and ids change lanes.
TEST(ActionQueue, TwoLanesEverySchedule) {
  for (const std::uint32_t lane_size : {1U, 2U}) {
    const Plan plan = {.rounds = 1, .max_chunk = 1, .lanes = 2, .lane_size = lane_size};
    ExpectEverySchedule({.preemption_bound = 2, .stale_bound = 1}, ProduceAndConsume(plan, 2));
  }
}

// Slots are written again while slow consumers look at them: the producer
// queues again whatever it takes itself.
TEST(ActionQueue, ReusedSlotEverySchedule) {
  struct State {
    ActionQueue<ScheduledSync> queue{{.num_ids = 2, .first_position = kLastPosition}};
    std::array<int, 2> queued{1, 1};
    std::array<int, 2> taken{};
    std::uint32_t Take() {
      std::uint32_t id = UINT32_MAX;
      ActionQueue<ScheduledSync>::Taker taker(0);
      if (queue.Pop(taker, &id, 1, 1) == 0) return UINT32_MAX;
      Require(id < 2, "not an id that was queued");
      ++taken[id];
      return id;
    }
  };
  ExpectEverySchedule({.preemption_bound = 4, .stale_bound = 2}, [](Scenario& scenario) {
    auto state = std::make_shared<State>();
    scenario.Thread("producer", [state] {
      const std::array<std::uint32_t, 2> ids = {0, 1};
      state->queue.Push(ids.data(), 2);
      for (int i = 0; i < 2; ++i) {
        const std::uint32_t id = state->Take();
        if (id == UINT32_MAX) continue;
        ++state->queued[id];
        state->queue.Push(&id, 1);
      }
    });
    scenario.Thread("consumer", [state] {
      for (int i = 0; i < 2; ++i) state->Take();
    });
    scenario.AtEnd([state] {
      while (state->Take() != UINT32_MAX) {
      }
      Require(state->taken == state->queued, "an id is lost or came twice");
    });
  });
}

TEST(ActionQueue, ManyConsumersRandomSchedules) {
  for (const std::uint32_t lanes : {1U, 2U, 3U}) {
    for (const std::uint32_t chunk : {1U, 2U, 5U}) {
      const Plan plan = {.ids = 3,
                         .rounds = 3,
                         .max_chunk = chunk,
                         .lanes = lanes,
                         .lane_size = chunk == 1 ? 1U : 0U};
      ExpectRandomSchedules({.schedules = 1500, .weak_failures = true}, ProduceAndConsume(plan, 3));
    }
  }
}

// A consumer takes the ids of a lane in the order in which they were queued.
TEST(ActionQueue, OrderOfArrivalEverySchedule) {
  ExpectEverySchedule({.preemption_bound = 3}, [](Scenario& scenario) {
    struct State {
      ActionQueue<ScheduledSync> queue{{.num_ids = 3, .first_position = kLastPosition}};
      std::array<std::vector<std::uint32_t>, 2> taken;
    };
    auto state = std::make_shared<State>();
    scenario.Thread("producer", [state] {
      const std::array<std::uint32_t, 3> ids = {0, 1, 2};
      state->queue.Push(ids.data(), 1);
      state->queue.Push(ids.data() + 1, 2);
    });
    for (std::size_t c = 0; c < 2; ++c) {
      scenario.Thread("consumer", [state, c] {
        ActionQueue<ScheduledSync>::Taker taker(0);
        for (int i = 0; i < 2; ++i) {
          std::array<std::uint32_t, 2> ids{};
          const std::uint32_t n = state->queue.Pop(taker, ids.data(), 2, 2);
          state->taken[c].insert(state->taken[c].end(), ids.begin(), ids.begin() + n);
        }
      });
    }
    scenario.AtEnd([state] {
      std::uint32_t rest = 0;
      std::array<bool, 3> seen{};
      for (auto& list : state->taken) {
        for (std::size_t i = 0; i < list.size(); ++i) {
          Require(i == 0 || list[i - 1] < list[i], "out of order");
          Require(!seen[list[i]], "taken twice");
          seen[list[i]] = true;
        }
      }
      ActionQueue<ScheduledSync>::Taker taker(0);
      while (state->queue.Pop(taker, &rest, 1, 1) == 1) {
        Require(!seen[rest], "taken twice");
        seen[rest] = true;
      }
      Require(seen[0] && seen[1] && seen[2], "an id is lost");
    });
  });
}

// The size may be outdated but is never nonsense.
TEST(ActionQueue, SizeIsASnapshotEverySchedule) {
  ExpectEverySchedule({.preemption_bound = 3, .stale_bound = 2}, [](Scenario& scenario) {
    auto queue = std::make_shared<ActionQueue<ScheduledSync>>(
        ActionQueueShape{.num_ids = 2, .num_lanes = 2, .first_position = kLastPosition});
    queue->SetHome(1, 1);
    scenario.Thread("producer", [queue] {
      const std::array<std::uint32_t, 2> ids = {0, 1};
      queue->Push(ids.data(), 2);
    });
    scenario.Thread("consumer", [queue] {
      ActionQueue<ScheduledSync>::Taker taker(0);
      std::uint32_t id = 0;
      queue->Pop(taker, &id, 1, 1);
    });
    scenario.Thread("looker", [queue] { Require(queue->size() <= 2, "impossible size"); });
  });
}

// Whoever sleeps because there is nothing would sleep for ever if there were.
TEST(ActionQueue, HasAnySeesWhatWasQueuedEverySchedule) {
  struct State {
    ActionQueue<ScheduledSync> queue{
        {.num_ids = 2, .num_lanes = 2, .first_position = kLastPosition}};
    ScheduledSync::Atomic<std::uint32_t> queued{0};
  };
  ExpectEverySchedule({.preemption_bound = 3, .stale_bound = 2}, [](Scenario& scenario) {
    auto state = std::make_shared<State>();
    state->queue.SetHome(1, 1);
    scenario.Thread("producer", [state] {
      for (const std::uint32_t id : {0U, 1U}) {
        state->queue.Push(&id, 1);
        state->queued.store(id + 1, std::memory_order_release);
      }
    });
    scenario.Thread("taker", [state] {
      ActionQueue<ScheduledSync>::Taker taker(0);
      std::uint32_t taken = 0;
      for (int i = 0; i < 4; ++i) {
        const std::uint32_t queued = state->queued.load(std::memory_order_acquire);
        const bool any = state->queue.HasAny(taker);
        Require(any || taken >= queued, "something waits unseen");
        std::uint32_t id = 0;
        const std::uint32_t n = state->queue.Pop(taker, &id, 1, 1);
        Require(n == 1 || taken >= queued, "something is there and not taken");
        taken += n;
      }
    });
  });
}

TEST(ActionQueue, PopTakesHalfWithinItsBounds) {
  ActionQueue<StdSync> queue({.num_ids = 10});
  ActionQueue<StdSync>::Taker taker(0);
  const std::array<std::uint32_t, 8> ids = {7, 3, 9, 4, 1, 0, 2, 5};
  std::array<std::uint32_t, 8> taken{};
  EXPECT_FALSE(queue.HasAny(taker));
  EXPECT_EQ(queue.Pop(taker, taken.data(), 1, 8), 0);
  queue.Push(ids.data(), 8);
  EXPECT_TRUE(queue.HasAny(taker));
  EXPECT_EQ(queue.size(), 8);
  EXPECT_EQ(queue.Pop(taker, taken.data(), 1, 2), 2);      // at most
  EXPECT_EQ(queue.Pop(taker, taken.data() + 2, 1, 8), 3);  // half of 6
  EXPECT_EQ(queue.Pop(taker, taken.data() + 5, 1, 8), 2);  // half of 3, rounded up
  EXPECT_EQ(queue.Pop(taker, taken.data() + 7, 4, 8), 1);  // at least, of what there is
  EXPECT_TRUE(taken == ids);
  EXPECT_EQ(queue.size(), 0);
  EXPECT_FALSE(queue.HasAny(taker));
}

TEST(ActionQueue, IdsStayWithTheirTaker) {
  ActionQueue<StdSync> queue({.num_ids = 4, .num_lanes = 2});
  ActionQueue<StdSync>::Taker first(0);
  ActionQueue<StdSync>::Taker second(1);
  const std::array<std::uint32_t, 4> ids = {0, 1, 2, 3};
  std::array<std::uint32_t, 4> taken{};
  for (const std::uint32_t id : ids) queue.SetHome(id, id % 2);
  for (int round = 0; round < 5; ++round) {
    queue.Push(ids.data(), 4);
    EXPECT_EQ(queue.Pop(first, taken.data(), 2, 2), 2);
    EXPECT_EQ(queue.Pop(second, taken.data() + 2, 2, 2), 2);
    EXPECT_TRUE((taken == std::array<std::uint32_t, 4>{0, 2, 1, 3}));
  }
  // The second takes what is not its own where it has nothing, and keeps that.
  queue.Push(ids.data(), 1);
  EXPECT_EQ(queue.Pop(second, taken.data(), 1, 1), 1);
  EXPECT_EQ(taken[0], 0);
  queue.Push(ids.data(), 4);
  EXPECT_EQ(queue.Pop(second, taken.data(), 3, 3), 3);
  EXPECT_EQ(queue.Pop(first, taken.data() + 3, 1, 1), 1);
  EXPECT_TRUE((taken == std::array<std::uint32_t, 4>{0, 1, 3, 2}));
  // Sent to the first, they are at home with the second all the same.
  queue.PushTo(0, ids.data(), 4);
  EXPECT_EQ(queue.Pop(first, taken.data(), 4, 4), 4);
  EXPECT_TRUE(taken == ids);
  queue.Push(ids.data(), 4);
  EXPECT_EQ(queue.Pop(first, taken.data(), 4, 4), 1);
  EXPECT_EQ(taken[0], 2);
}

// More ids than a lane has room for, all at home there.
TEST(ActionQueue, FullLanesRunOver) {
  constexpr std::uint32_t kIds = 16;
  ActionQueue<StdSync> queue({.num_ids = kIds, .num_lanes = 4, .lane_size = 4});
  ActionQueue<StdSync>::Taker taker(2);
  std::array<std::uint32_t, kIds> ids{};
  for (std::uint32_t id = 0; id < kIds; ++id) {
    ids[id] = id;
    queue.SetHome(id, 2);
  }
  for (std::uint32_t round = 0; round < 5; ++round) {
    queue.Push(ids.data(), kIds);
    std::array<bool, kIds> seen{};
    for (std::uint32_t left = kIds; left > 0; --left) {
      EXPECT_EQ(queue.size(), left);
      std::uint32_t id = kIds;
      EXPECT_EQ(queue.Pop(taker, &id, 1, 1), 1);
      EXPECT_FALSE(id >= kIds || seen[id]);
      seen[id] = true;
    }
  }
}

// One taker whose own lane is never empty, and ids in lanes whose takers are away.
TEST(ActionQueue, NoIdWaitsForATakerThatIsAway) {
  for (const std::uint32_t lanes : {2U, 3U, 9U}) {
    constexpr std::uint32_t kIds = 24;
    ActionQueue<StdSync> queue(
        {.num_ids = kIds, .num_lanes = lanes, .first_position = UINT32_MAX - 100U});
    ActionQueue<StdSync>::Taker taker(0);
    std::array<std::uint32_t, kIds> ids{};
    for (std::uint32_t id = 0; id < kIds; ++id) {
      ids[id] = id;
      queue.SetHome(id, id < 12 ? 0 : id % lanes);
    }
    queue.Push(ids.data(), kIds);
    std::array<bool, kIds> taken{};
    // As many pushes as an id may be passed over for, those until each lane has been
    // looked at, and those in which the rest of the lanes are emptied.
    for (std::uint32_t pops = 0; pops < kIds + lanes + 12 * lanes; ++pops) {
      std::uint32_t id = 0;
      EXPECT_EQ(queue.Pop(taker, &id, 1, 1), 1);
      taken[id] = true;
      queue.Push(&id, 1);
    }
    for (std::uint32_t id = 0; id < kIds; ++id) EXPECT_TRUE(taken[id]);
  }
}

TEST(ActionQueue, RealThreads) {
  for (const std::uint32_t lanes : {1U, 3U}) {
    for (const std::uint32_t ids : {1U, 5U, 64U}) {
      Traffic<StdSync> traffic(
          {.ids = ids, .rounds = 20'000 / ids, .max_chunk = 8, .lanes = lanes, .lane_size = 2});
      std::vector<std::thread> consumers;
      std::array<bool, 3> right{};
      for (std::size_t c = 0; c < right.size(); ++c) {
        consumers.emplace_back(
            [&, c] { right[c] = traffic.Consume(static_cast<std::uint32_t>(c) % lanes); });
      }
      traffic.Produce();
      for (std::thread& consumer : consumers) consumer.join();
      EXPECT_TRUE(right[0] && right[1] && right[2]);
      EXPECT_TRUE(traffic.AllDone());
    }
  }
}

}  // namespace
}  // namespace engine::testing
