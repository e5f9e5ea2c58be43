// Under every schedule, an index has one owner at a time, and the next owner sees all effects of
// the previous one.
#include "engine/sync/free_stack.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "tests/engine/harness.h"
#include "tests/engine/support/expect_schedules.h"
#include "tests/engine/support/scheduled_sync.h"

namespace engine::testing {
namespace free_stack_test {

constexpr std::uint32_t kLastTag = UINT32_MAX;

// A stack and a variable for each of its indices. Only the stack orders the uses of an index, so
// Var reports a race if it does not.
template <class Sync>
struct Blocks {
  using Stack = FreeStack<Sync>;

  Blocks(std::uint32_t count, std::uint32_t first_tag) : stack(first_tag), uses(count) {
    for (std::uint32_t i = 0; i < count; ++i) stack.Push(stack.AddIndex());
  }

  // Takes a block and uses it. Returns kNone if there is none.
  std::uint32_t Take() {
    const std::uint32_t index = stack.Pop();
    if (index != Stack::kNone) Use(index);
    return index;
  }
  void Use(std::uint32_t index) { uses[index].Write(uses[index].Read() + 1); }
  void Give(std::uint32_t index) {
    if (index == Stack::kNone) return;
    Use(index);
    stack.Push(index);
  }

  Stack stack;
  std::vector<typename Sync::template Var<std::uint32_t>> uses;
};

using ScheduledBlocks = Blocks<ScheduledSync>;

void RequireAllBack(ScheduledBlocks& blocks, std::uint32_t uses) {
  std::uint32_t seen = 0;
  for (std::size_t i = 0; i < blocks.uses.size(); ++i) {
    Require(blocks.stack.Pop() != ScheduledBlocks::Stack::kNone, "an index is lost");
    seen += blocks.uses[i].Read();
  }
  Require(blocks.stack.Pop() == ScheduledBlocks::Stack::kNone, "an index is there twice");
  Require(seen == uses, "a use is lost");
}

// Each thread takes two blocks and gives them back in the order in which it took them. Without a
// tag, a pop of another thread could then succeed on an outdated head.
SetUp TakeTwo(std::uint32_t threads, std::uint32_t count, std::uint32_t rounds) {
  return [=](Scenario& scenario) {
    auto blocks = std::make_shared<ScheduledBlocks>(count, kLastTag - 2);
    auto uses = std::make_shared<std::uint32_t>(0);
    for (std::uint32_t t = 0; t < threads; ++t) {
      scenario.Thread("user", [=] {
        for (std::uint32_t round = 0; round < rounds; ++round) {
          const std::uint32_t first = blocks->Take();
          const std::uint32_t second = blocks->Take();
          blocks->Give(first);
          blocks->Give(second);
          *uses += first == ScheduledBlocks::Stack::kNone ? 0 : 2;
          *uses += second == ScheduledBlocks::Stack::kNone ? 0 : 2;
        }
      });
    }
    scenario.AtEnd([=] { RequireAllBack(*blocks, *uses); });
  };
}

TEST(FreeStack, TwoThreadsEverySchedule) {
  ExpectEverySchedule({.preemption_bound = 4}, TakeTwo(2, 2, 1));
  ExpectEverySchedule({.preemption_bound = 3}, TakeTwo(2, 3, 2));
}

TEST(FreeStack, ThreeThreadsEverySchedule) {
  ExpectEverySchedule({.preemption_bound = 3}, TakeTwo(3, 2, 1));
}

TEST(FreeStack, ManyThreadsRandomSchedules) {
  ExpectRandomSchedules({.schedules = 3000, .weak_failures = true}, TakeTwo(4, 3, 3));
}

// One thread takes blocks and another returns them, like the owner of batches and their readers.
TEST(FreeStack, HandedOverAndReturnedEverySchedule) {
  ExpectEverySchedule({.preemption_bound = 3}, [](Scenario& scenario) {
    struct State {
      ScheduledBlocks blocks{1, kLastTag};
      ScheduledSync::Atomic<std::uint32_t> lent{ScheduledBlocks::Stack::kNone};
    };
    auto state = std::make_shared<State>();
    scenario.Thread("taker", [state] {
      for (int i = 0; i < 2; ++i) {
        std::uint32_t index = state->blocks.Take();
        while (index == ScheduledBlocks::Stack::kNone) {
          ScheduledSync::Pause();
          index = state->blocks.Take();
        }
        state->lent.store(index, std::memory_order_release);
      }
    });
    scenario.Thread("dropper", [state] {
      for (int i = 0; i < 2; ++i) {
        std::uint32_t index = ScheduledBlocks::Stack::kNone;
        for (;;) {
          index = state->lent.exchange(ScheduledBlocks::Stack::kNone, std::memory_order_acquire);
          if (index != ScheduledBlocks::Stack::kNone) break;
          ScheduledSync::Pause();
        }
        state->blocks.Give(index);
      }
    });
    scenario.AtEnd([state] { RequireAllBack(state->blocks, 4); });
  });
}

// A thread that finds no index adds one and is its first user.
TEST(FreeStack, GrowsWhileOthersPopEverySchedule) {
  ExpectEverySchedule({.preemption_bound = 4}, [](Scenario& scenario) {
    struct State {
      ScheduledBlocks blocks{1, 0};
      State() { blocks.uses.resize(3); }
    };
    auto state = std::make_shared<State>();
    scenario.Thread("grower", [state] {
      for (int i = 0; i < 2; ++i) {
        const std::uint32_t index = state->blocks.stack.AddIndex();
        state->blocks.Use(index);
        state->blocks.Give(index);
      }
    });
    scenario.Thread("user", [state] {
      for (int i = 0; i < 2; ++i) state->blocks.Give(state->blocks.Take());
    });
    scenario.AtEnd([state] {
      for (int i = 0; i < 3; ++i) {
        Require(state->blocks.stack.Pop() != ScheduledBlocks::Stack::kNone, "an index is lost");
      }
    });
  });
}

TEST(FreeStack, LastInFirstOut) {
  FreeStack<StdSync> stack;
  EXPECT_EQ(stack.Pop(), FreeStack<StdSync>::kNone);
  for (std::uint32_t i = 0; i < 100; ++i) EXPECT_EQ(stack.AddIndex(), i);
  for (std::uint32_t i = 0; i < 100; ++i) stack.Push(i);
  for (std::uint32_t i = 100; i-- > 0;) EXPECT_EQ(stack.Pop(), i);
  EXPECT_EQ(stack.Pop(), FreeStack<StdSync>::kNone);
}

TEST(FreeStack, RealThreads) {
  constexpr std::uint32_t kThreads = 4;
  constexpr std::uint32_t kRounds = 20'000;
  Blocks<StdSync> blocks(3, kLastTag - kRounds);
  std::vector<std::uint32_t> uses(kThreads, 0);
  std::vector<std::thread> threads;
  for (std::uint32_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (std::uint32_t i = 0; i < kRounds; ++i) {
        const std::uint32_t first = blocks.Take();
        const std::uint32_t second = i % 2 == 0 ? blocks.Take() : FreeStack<StdSync>::kNone;
        for (const std::uint32_t index : {first, second}) {
          uses[t] += index == FreeStack<StdSync>::kNone ? 0 : 2;
          blocks.Give(index);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::uint32_t expected = 0;
  std::uint32_t seen = 0;
  for (const std::uint32_t count : uses) expected += count;
  for (int i = 0; i < 3; ++i) seen += blocks.uses[blocks.stack.Pop()].Read();
  EXPECT_EQ(seen, expected);
  EXPECT_EQ(blocks.stack.Pop(), FreeStack<StdSync>::kNone);
}

TEST(FreeStack, RealThreadsGrow) {
  constexpr int kThreads = 3;
  constexpr int kRounds = 3000;
  FreeStack<StdSync> stack;
  std::mutex grow_mutex;
  std::vector<std::thread> threads;
  std::vector<std::vector<std::uint32_t>> held(kThreads);
  for (std::size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kRounds; ++i) {
        std::uint32_t index = stack.Pop();
        if (index == FreeStack<StdSync>::kNone) {
          const std::lock_guard<std::mutex> lock(grow_mutex);
          index = stack.AddIndex();
        }
        held[t].push_back(index);
        if (i % 3 == 2) {
          stack.Push(held[t].back());
          held[t].pop_back();
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<bool> seen(static_cast<std::size_t>(kThreads) * kRounds, false);
  std::size_t count = 0;
  const auto see = [&](std::uint32_t index) {
    EXPECT_FALSE(seen[index]) << "held twice";
    seen[index] = true;
    ++count;
  };
  for (const auto& list : held) {
    for (const std::uint32_t index : list) see(index);
  }
  for (std::uint32_t i = stack.Pop(); i != FreeStack<StdSync>::kNone; i = stack.Pop()) see(i);
  EXPECT_EQ(count, stack.AddIndex());
}

}  // namespace free_stack_test
}  // namespace engine::testing
