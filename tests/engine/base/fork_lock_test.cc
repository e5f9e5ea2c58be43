// A child finds a lock free that another thread of its parent was using.
#include "engine/base/fork_lock.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "tests/engine/harness.h"

namespace engine::testing {
namespace fork_lock_test {

std::mutex& Lock() {
  static std::mutex lock;
  return lock;
}

TEST(ForkLock, IsFreeInAChildAndInTheParent) {
  HoldDuringFork<Lock>();
  HoldDuringFork<Lock>();  // no effect
  std::atomic<bool> over{false};
  std::thread user([&] {
    while (!over.load(std::memory_order_relaxed)) const std::lock_guard held(Lock());
  });
  int free = 0;
  constexpr int kForks = 20;
  for (int i = 0; i < kForks; ++i) {
    const pid_t child = fork();
    if (child == 0) _exit(Lock().try_lock() ? 0 : 1);
    int status = 1;
    waitpid(child, &status, 0);
    free += status == 0 ? 1 : 0;
  }
  over.store(true, std::memory_order_relaxed);
  user.join();
  EXPECT_EQ(free, kForks);
  EXPECT_TRUE(Lock().try_lock());
  Lock().unlock();
}

}  // namespace fork_lock_test
}  // namespace engine::testing
