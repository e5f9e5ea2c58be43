// One caller at a time holds the lock. A waiting caller continues when it gets the lock, at its
// timeout, at an interrupt, or when the pool is closed. The tests use real threads that wait for
// each other by the lock.
#include "engine/runtime/sync_call_lock.h"

#include <atomic>
#include <thread>
#include <vector>

#include "tests/engine/harness.h"

namespace engine::testing {
namespace sync_call_lock_test {

struct LockHost final : Host {
  explicit LockHost(bool answer = false) : interrupts(answer) {}
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

WaitResult AcquireWith(SyncCallLock::Holder& holder, LockHost& host, std::int64_t timeout_ns) {
  WaitContext caller(host, timeout_ns);
  return holder.Acquire(caller, kOpen);
}

// Whether no caller holds the lock.
bool IsFree(SyncCallLock& lock) {
  LockHost host;
  SyncCallLock::Holder holder(lock);
  return AcquireWith(holder, host, 0) == WaitResult::kDone;
}

TEST(SyncCallLock, IsTakenAtOnceIfItIsFree) {
  SyncCallLock lock;
  LockHost host;
  {
    SyncCallLock::Holder holder(lock);
    EXPECT_EQ(AcquireWith(holder, host, 0), WaitResult::kDone);  // a timeout of 0 is enough
    EXPECT_EQ(host.unlocks, 0);                                  // no wait, so the lock was kept
    EXPECT_FALSE(IsFree(lock));
  }
  EXPECT_TRUE(IsFree(lock));  // the holder's destructor releases it
}

TEST(SyncCallLock, MayBeReleasedEarlyAndOnce) {
  SyncCallLock lock;
  LockHost host;
  SyncCallLock::Holder first(lock);
  ASSERT_EQ(AcquireWith(first, host, -1), WaitResult::kDone);
  first.Release();
  SyncCallLock::Holder second(lock);
  ASSERT_EQ(AcquireWith(second, host, 0), WaitResult::kDone);
  first.Release();  // no effect: `first` no longer holds the lock
  EXPECT_FALSE(IsFree(lock));
}

TEST(SyncCallLock, AHolderWithoutTheLockReleasesNothing) {
  SyncCallLock lock;
  LockHost host;
  SyncCallLock::Holder owner(lock);
  ASSERT_EQ(AcquireWith(owner, host, -1), WaitResult::kDone);
  {
    SyncCallLock::Holder late(lock);
    EXPECT_EQ(AcquireWith(late, host, 0), WaitResult::kTimedOut);
  }
  EXPECT_FALSE(IsFree(lock));
}

TEST(SyncCallLock, TimesOut) {
  SyncCallLock lock;
  LockHost host;
  SyncCallLock::Holder owner(lock);
  ASSERT_EQ(AcquireWith(owner, host, -1), WaitResult::kDone);
  for (const std::int64_t timeout_ns : {0, 1, 1'000'000}) {
    LockHost late_host;
    SyncCallLock::Holder late(lock);
    EXPECT_EQ(AcquireWith(late, late_host, timeout_ns), WaitResult::kTimedOut);
    EXPECT_EQ(late_host.unlocks, 1);  // other threads of the host may run meanwhile
    EXPECT_EQ(late_host.locks, 1);
  }
}

TEST(SyncCallLock, EndsItsWaitAtAnInterrupt) {
  SyncCallLock lock;
  LockHost host;
  SyncCallLock::Holder owner(lock);
  ASSERT_EQ(AcquireWith(owner, host, -1), WaitResult::kDone);
  LockHost interrupting(true);
  {
    SyncCallLock::Holder holder(lock);
    EXPECT_EQ(AcquireWith(holder, interrupting, -1), WaitResult::kInterrupted);
  }
  EXPECT_EQ(interrupting.asked, 1);
  EXPECT_FALSE(IsFree(lock));
  owner.Release();
  EXPECT_TRUE(IsFree(lock));
}

TEST(SyncCallLock, IsNotWaitedForOnceClosed) {
  SyncCallLock lock;
  LockHost host;
  SyncCallLock::Holder owner(lock);
  ASSERT_EQ(AcquireWith(owner, host, -1), WaitResult::kDone);
  {
    LockHost late_host;
    WaitContext caller(late_host);
    SyncCallLock::Holder late(lock);
    EXPECT_EQ(late.Acquire(caller, kClosed), WaitResult::kDone);
  }
  EXPECT_FALSE(IsFree(lock));  // `late` did not get the lock
}

TEST(SyncCallLock, WhoeverWaitsIsWokenByTheClose) {
  SyncCallLock lock;
  LockHost host;
  SyncCallLock::Holder owner(lock);
  ASSERT_EQ(AcquireWith(owner, host, -1), WaitResult::kDone);
  std::atomic<bool> closed{false};
  std::atomic<int> returned{0};
  std::vector<std::thread> waiters;
  for (int i = 0; i < 3; ++i) {
    waiters.emplace_back([&] {
      LockHost own_host;
      WaitContext caller(own_host);
      SyncCallLock::Holder holder(lock);
      const WaitResult waited =
          holder.Acquire(caller, [&] { return closed.load(std::memory_order_acquire); });
      EXPECT_EQ(waited, WaitResult::kDone);
      returned.fetch_add(1);
    });
  }
  EXPECT_EQ(returned.load(), 0);
  closed.store(true, std::memory_order_release);
  lock.WakeAll();
  for (std::thread& waiter : waiters) waiter.join();  // the owner still holds the lock
  EXPECT_EQ(returned.load(), 3);
  EXPECT_FALSE(IsFree(lock));
}

TEST(SyncCallLock, OneAtATime) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 500;
  SyncCallLock lock;
  int inside = 0, taken = 0;  // guarded by the lock only
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      LockHost host;
      for (int i = 0; i < kRounds; ++i) {
        SyncCallLock::Holder holder(lock);
        EXPECT_EQ(AcquireWith(holder, host, -1), WaitResult::kDone);
        EXPECT_EQ(++inside, 1);
        ++taken;
        --inside;
      }
      EXPECT_EQ(host.unlocks, host.locks);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(taken, kThreads * kRounds);
}

// If the lock is released to a waiter that is about to give up, another waiter gets it.
TEST(SyncCallLock, IsNotLostOnThoseWhoGiveUp) {
  constexpr int kRounds = 300;
  SyncCallLock lock;
  std::atomic<bool> over{false};
  int taken = 0;  // guarded by the lock
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&] {
      while (!over.load()) {
        LockHost host;
        SyncCallLock::Holder holder(lock);
        if (AcquireWith(holder, host, 20'000) == WaitResult::kDone) ++taken;
      }
    });
  }
  std::vector<std::thread> patient;
  for (int t = 0; t < 2; ++t) {
    patient.emplace_back([&] {
      for (int i = 0; i < kRounds; ++i) {
        LockHost host;
        SyncCallLock::Holder holder(lock);
        EXPECT_EQ(AcquireWith(holder, host, -1), WaitResult::kDone);
        ++taken;
      }
    });
  }
  for (std::thread& thread : patient) thread.join();
  over = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_GE(taken, 2 * kRounds);
}

}  // namespace sync_call_lock_test
}  // namespace engine::testing
