// One caller at a time has the turn. A waiting caller continues when it gets the turn, at its
// timeout, at an interrupt, or when the pool is closed. The tests use real threads that wait for
// each other by the turn.
#include "engine/runtime/turn.h"

#include <atomic>
#include <thread>
#include <vector>

#include "tests/engine/harness.h"

namespace engine::testing {
namespace turn_test {

struct TurnHost final : Host {
  explicit TurnHost(bool answer = false) : interrupts(answer) {}
  void Unlock() override { ++unlocks; }
  void Lock() override { ++locks; }
  bool Interrupted() override {
    ++asked;
    return interrupts;
  }

  // Only the calling thread uses these members.
  bool interrupts;
  int unlocks = 0;
  int locks = 0;
  int asked = 0;
};

constexpr auto kOpen = [] { return false; };
constexpr auto kClosed = [] { return true; };

WaitResult TakeWith(Turn::Holder& holder, TurnHost& host, std::int64_t timeout_ns) {
  Caller caller(host, nullptr, timeout_ns);
  return holder.Take(caller, kOpen);
}

// Whether no caller has the turn.
bool IsFree(Turn& turn) {
  TurnHost host;
  Turn::Holder holder(turn);
  return TakeWith(holder, host, 0) == WaitResult::kDone;
}

TEST(Turn, IsTakenAtOnceIfItIsFree) {
  Turn turn;
  TurnHost host;
  {
    Turn::Holder holder(turn);
    EXPECT_EQ(TakeWith(holder, host, 0), WaitResult::kDone);  // a timeout of 0 is enough
    EXPECT_EQ(host.unlocks, 0);                               // no wait, so the lock was kept
    EXPECT_FALSE(IsFree(turn));
  }
  EXPECT_TRUE(IsFree(turn));  // the holder's destructor gives it back
}

TEST(Turn, MayBeGivenBackEarlyAndOnce) {
  Turn turn;
  TurnHost host;
  Turn::Holder first(turn);
  ASSERT_EQ(TakeWith(first, host, -1), WaitResult::kDone);
  first.Give();
  Turn::Holder second(turn);
  ASSERT_EQ(TakeWith(second, host, 0), WaitResult::kDone);
  first.Give();  // no effect: `first` no longer has the turn
  EXPECT_FALSE(IsFree(turn));
}

TEST(Turn, AHolderWithoutTheTurnGivesNothing) {
  Turn turn;
  TurnHost host;
  Turn::Holder owner(turn);
  ASSERT_EQ(TakeWith(owner, host, -1), WaitResult::kDone);
  {
    Turn::Holder late(turn);
    EXPECT_EQ(TakeWith(late, host, 0), WaitResult::kTimedOut);
  }
  EXPECT_FALSE(IsFree(turn));
}

TEST(Turn, TimesOut) {
  Turn turn;
  TurnHost host;
  Turn::Holder owner(turn);
  ASSERT_EQ(TakeWith(owner, host, -1), WaitResult::kDone);
  for (const std::int64_t timeout_ns : {0, 1, 1'000'000}) {
    TurnHost late_host;
    Turn::Holder late(turn);
    EXPECT_EQ(TakeWith(late, late_host, timeout_ns), WaitResult::kTimedOut);
    EXPECT_EQ(late_host.unlocks, 1);  // other threads of the host may run meanwhile
    EXPECT_EQ(late_host.locks, 1);
  }
}

TEST(Turn, EndsItsWaitAtAnInterrupt) {
  Turn turn;
  TurnHost host;
  Turn::Holder owner(turn);
  ASSERT_EQ(TakeWith(owner, host, -1), WaitResult::kDone);
  TurnHost interrupting(true);
  {
    Turn::Holder holder(turn);
    EXPECT_EQ(TakeWith(holder, interrupting, -1), WaitResult::kInterrupted);
  }
  EXPECT_EQ(interrupting.asked, 1);
  EXPECT_FALSE(IsFree(turn));
  owner.Give();
  EXPECT_TRUE(IsFree(turn));
}

TEST(Turn, IsNotWaitedForOnceClosed) {
  Turn turn;
  TurnHost host;
  Turn::Holder owner(turn);
  ASSERT_EQ(TakeWith(owner, host, -1), WaitResult::kDone);
  {
    TurnHost late_host;
    Caller caller(late_host, nullptr);
    Turn::Holder late(turn);
    EXPECT_EQ(late.Take(caller, kClosed), WaitResult::kDone);
  }
  EXPECT_FALSE(IsFree(turn));  // `late` did not get the turn
}

TEST(Turn, WhoeverWaitsIsWokenByTheClose) {
  Turn turn;
  TurnHost host;
  Turn::Holder owner(turn);
  ASSERT_EQ(TakeWith(owner, host, -1), WaitResult::kDone);
  std::atomic<bool> closed{false};
  std::atomic<int> returned{0};
  std::vector<std::thread> waiters;
  for (int i = 0; i < 3; ++i) {
    waiters.emplace_back([&] {
      TurnHost own_host;
      Caller caller(own_host, nullptr);
      Turn::Holder holder(turn);
      const WaitResult waited =
          holder.Take(caller, [&] { return closed.load(std::memory_order_acquire); });
      EXPECT_EQ(waited, WaitResult::kDone);
      returned.fetch_add(1);
    });
  }
  EXPECT_EQ(returned.load(), 0);
  closed.store(true, std::memory_order_release);
  turn.WakeAll();
  for (std::thread& waiter : waiters) waiter.join();  // the owner still has the turn
  EXPECT_EQ(returned.load(), 3);
  EXPECT_FALSE(IsFree(turn));
}

TEST(Turn, OneAtATime) {
  constexpr int kThreads = 4;
  constexpr int kTurns = 500;
  Turn turn;
  int inside = 0, taken = 0;  // guarded by the turn only
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      TurnHost host;
      for (int i = 0; i < kTurns; ++i) {
        Turn::Holder holder(turn);
        EXPECT_EQ(TakeWith(holder, host, -1), WaitResult::kDone);
        EXPECT_EQ(++inside, 1);
        ++taken;
        --inside;
      }
      EXPECT_EQ(host.unlocks, host.locks);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(taken, kThreads * kTurns);
}

// If a turn is given to a waiter that is about to give up, another waiter gets it.
TEST(Turn, IsNotLostOnThoseWhoGiveUp) {
  constexpr int kTurns = 300;
  Turn turn;
  std::atomic<bool> over{false};
  int taken = 0;  // guarded by the turn
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&] {
      while (!over.load()) {
        TurnHost host;
        Turn::Holder holder(turn);
        if (TakeWith(holder, host, 20'000) == WaitResult::kDone) ++taken;
      }
    });
  }
  std::vector<std::thread> patient;
  for (int t = 0; t < 2; ++t) {
    patient.emplace_back([&] {
      for (int i = 0; i < kTurns; ++i) {
        TurnHost host;
        Turn::Holder holder(turn);
        EXPECT_EQ(TakeWith(holder, host, -1), WaitResult::kDone);
        ++taken;
      }
    });
  }
  for (std::thread& thread : patient) thread.join();
  over = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_GE(taken, 2 * kTurns);
}

}  // namespace turn_test
}  // namespace engine::testing
