// Every queued id is taken once, with its latest action, in order of arrival, and a slot is not
// reused before it has been read.
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
namespace action_queue_test {

// With this first position, positions exceed the 64-bit range within a scenario.
constexpr std::uint64_t kLastPosition = UINT64_MAX - 1;

struct Plan {
  std::uint32_t ids = 2;        // environments
  std::uint32_t rounds = 2;     // actions per environment
  std::uint32_t max_chunk = 2;  // maximum that a consumer takes
};

// A producer that queues actions for idle environments, and consumers that run them and report.
template <class Sync>
class Traffic {
 public:
  explicit Traffic(const Plan& plan)
      : plan_(plan), queue_(plan.ids, kLastPosition), actions_(plan.ids), done_(plan.ids) {}

  // Queues all ids once, and then each id again when its action is done.
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

  // Returns whether every id came with its next action.
  bool Consume() {
    bool right = true;
    std::vector<std::uint32_t> ids(plan_.max_chunk);
    for (;;) {
      const bool closed = closed_.load(std::memory_order_acquire);
      const std::uint32_t n = queue_.Pop(ids.data(), 1, plan_.max_chunk);
      if (n == 0 && closed) return right;
      if (n == 0) LetOthersRun<Sync>();
      for (std::uint32_t i = 0; i < n; ++i) {
        if (ids[i] >= plan_.ids) return false;
        const std::uint32_t action = actions_[ids[i]].Read();
        // After this release, the producer may write the action again.
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
  std::vector<typename Sync::template Atomic<std::uint32_t>> done_;  // number of actions run
  typename Sync::template Atomic<bool> closed_{false};
};

SetUp ProduceAndConsume(const Plan& plan, int consumers) {
  return [plan, consumers](Scenario& scenario) {
    auto traffic = std::make_shared<Traffic<ScheduledSync>>(plan);
    scenario.Thread("producer", [traffic] { traffic->Produce(); });
    for (int c = 0; c < consumers; ++c) {
      scenario.Thread("consumer", [traffic] {
        Require(traffic->Consume(), "an id came twice or with the wrong action");
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

// The producer reuses slots while slow consumers read them: it queues the ids again that it takes
// itself.
TEST(ActionQueue, ReusedSlotEverySchedule) {
  struct State {
    ActionQueue<ScheduledSync> queue{2, kLastPosition};
    std::array<int, 2> queued{1, 1};
    std::array<int, 2> taken{};
    std::uint32_t Take() {
      std::uint32_t id = UINT32_MAX;
      if (queue.Pop(&id, 1, 1) == 0) return UINT32_MAX;
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
  for (const std::uint32_t chunk : {1U, 2U, 5U}) {
    ExpectRandomSchedules({.schedules = 1500, .weak_failures = true},
                          ProduceAndConsume({.ids = 3, .rounds = 3, .max_chunk = chunk}, 3));
  }
}

// Each consumer takes ids in the order in which they were queued.
TEST(ActionQueue, OrderOfArrivalEverySchedule) {
  ExpectEverySchedule({.preemption_bound = 3}, [](Scenario& scenario) {
    struct State {
      ActionQueue<ScheduledSync> queue{3, kLastPosition};
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
        for (int i = 0; i < 2; ++i) {
          std::array<std::uint32_t, 2> ids{};
          const std::uint32_t n = state->queue.Pop(ids.data(), 1, 2);
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
      while (state->queue.Pop(&rest, 1, 1) == 1) {
        Require(!seen[rest], "taken twice");
        seen[rest] = true;
      }
      Require(seen[0] && seen[1] && seen[2], "an id is lost");
    });
  });
}

// size() may be outdated, but is always in range.
TEST(ActionQueue, SizeIsASnapshotEverySchedule) {
  ExpectEverySchedule({.preemption_bound = 3, .stale_bound = 2}, [](Scenario& scenario) {
    auto queue = std::make_shared<ActionQueue<ScheduledSync>>(2, kLastPosition);
    scenario.Thread("producer", [queue] {
      const std::array<std::uint32_t, 2> ids = {0, 1};
      queue->Push(ids.data(), 2);
    });
    scenario.Thread("consumer", [queue] {
      std::uint32_t id = 0;
      queue->Pop(&id, 1, 1);
    });
    scenario.Thread("looker", [queue] { Require(queue->size() <= 2, "impossible size"); });
  });
}

TEST(ActionQueue, PopTakesNoMoreThanAskedFor) {
  ActionQueue<StdSync> queue(5);
  const std::array<std::uint32_t, 5> ids = {7, 3, 9, 3, 1};
  std::array<std::uint32_t, 8> taken{};
  EXPECT_EQ(queue.Pop(taken.data(), 8, 8), 0);
  queue.Push(ids.data(), 5);
  EXPECT_EQ(queue.size(), 5);
  EXPECT_EQ(queue.Pop(taken.data(), 1, 2), 2);
  EXPECT_EQ(queue.Pop(taken.data() + 2, 8, 8), 3);
  EXPECT_TRUE((taken == std::array<std::uint32_t, 8>{7, 3, 9, 3, 1, 0, 0, 0}));
  EXPECT_EQ(queue.size(), 0);
}

TEST(ActionQueue, RealThreads) {
  for (const std::uint32_t ids : {1U, 5U, 64U}) {
    Traffic<StdSync> traffic({.ids = ids, .rounds = 20'000 / ids, .max_chunk = 8});
    std::vector<std::thread> consumers;
    std::array<bool, 3> right{};
    for (std::size_t c = 0; c < right.size(); ++c) {
      consumers.emplace_back([&, c] { right[c] = traffic.Consume(); });
    }
    traffic.Produce();
    for (std::thread& consumer : consumers) consumer.join();
    EXPECT_TRUE(right[0] && right[1] && right[2]);
    EXPECT_TRUE(traffic.AllDone());
  }
}

}  // namespace action_queue_test
}  // namespace engine::testing
