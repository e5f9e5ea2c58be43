// Every way in which a wait can end, with the kernel's futex or with condition variables.
#include "engine/base/os/futex.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <limits>
#include <new>
#include <thread>
#include <vector>

#include "tests/engine/harness.h"
#include "tests/engine/os_layer.h"

namespace engine::testing {
namespace futex_test {

TEST(Futex, ReturnsAtOnceIfTheWordDiffers) {
  std::atomic<std::uint32_t> word{UINT32_MAX};
  EXPECT_TRUE(FutexWait(word, 0, -1) == FutexResult::kWoken);
  EXPECT_TRUE(FutexWait(word, 0, 0) == FutexResult::kWoken);
}

TEST(Futex, TimesOut) {
  std::atomic<std::uint32_t> word{5};
  // A wait may end early without a reason, so repeat it until it times out.
  for (const std::int64_t timeout_ns : {std::int64_t{0}, std::int64_t{1}, std::int64_t{100'000}}) {
    FutexResult result = FutexResult::kWoken;
    while (result != FutexResult::kTimedOut) result = FutexWait(word, 5, timeout_ns);
    EXPECT_TRUE(result == FutexResult::kTimedOut);
  }
}

TEST(Futex, WakesOneSleeperAfterAnother) {
  constexpr int kThreads = 3;
  std::atomic<std::uint32_t> word{0};
  std::atomic<int> woken{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      while (word.load(std::memory_order_acquire) == 0) FutexWait(word, 0, -1);
      woken.fetch_add(1, std::memory_order_relaxed);
    });
  }
  word.store(1, std::memory_order_release);
  for (int t = 0; t < kThreads; ++t) FutexWake(word, 1);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(woken.load(), kThreads);
}

TEST(Futex, WakesAllAndLongTimeOutsDoNotOverflow) {
  std::atomic<std::uint32_t> word{0};
  std::vector<std::thread> threads;
  std::atomic<int> timed_out{0};
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      while (word.load(std::memory_order_acquire) == 0) {
        if (FutexWait(word, 0, std::numeric_limits<std::int64_t>::max()) ==
            FutexResult::kTimedOut) {
          timed_out.fetch_add(1, std::memory_order_relaxed);
        }
      }
    });
  }
  word.store(1, std::memory_order_release);
  FutexWake(word, UINT32_MAX);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(timed_out.load(), 0);
}

// Runs a function in a forked process, whose end the test sees if it returns.
template <class Function>
bool EndsInChild(Function&& function) {
  const pid_t process = fork();
  if (process == 0) {
    function();
    _exit(0);
  }
  int status = 0;
  waitpid(process, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(SharedFutex, AnotherProcessWakes) {
  void* const memory = mmap(nullptr, sizeof(std::atomic<std::uint32_t>), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_TRUE(memory != MAP_FAILED);
  auto& word = *new (memory) std::atomic<std::uint32_t>(0);
  const pid_t process = fork();
  if (process == 0) {
    word.store(1, std::memory_order_release);
    SharedFutexWake(word, UINT32_MAX);
    _exit(0);
  }
  while (word.load(std::memory_order_acquire) == 0) SharedFutexWait(word, 0, -1);
  EXPECT_EQ(word.load(), 1U);
  waitpid(process, nullptr, 0);
  munmap(memory, sizeof(std::atomic<std::uint32_t>));
}

TEST(SharedFutex, TimesOut) {
  std::atomic<std::uint32_t> word{5};
  while (SharedFutexWait(word, 5, 100'000) != FutexResult::kTimedOut) {
  }
  EXPECT_TRUE(SharedFutexWait(word, 0, -1) == FutexResult::kWoken);
}

#if !defined(__SANITIZE_THREAD__)  // it ends a child of a process with threads that starts some
TEST(Futex, WorksInAForkedChildOfAProcessWhoseThreadsWait) {
  std::atomic<std::uint32_t> word{0};
  std::atomic<std::uint32_t> waits{0};
  std::thread waiting([&] {  // takes and releases whatever lock there is all the time
    while (word.load(std::memory_order_acquire) == 0) {
      FutexWait(word, 0, 1);
      waits.fetch_add(1, std::memory_order_relaxed);
    }
  });
  for (std::uint32_t round = 0; round < 20; ++round) {
    while (waits.load(std::memory_order_relaxed) < round) std::this_thread::yield();
    EXPECT_TRUE(EndsInChild([&] {
      FutexWake(word, 1);
      while (FutexWait(word, 0, 1) != FutexResult::kTimedOut) {
      }
      std::thread waker([&] {
        word.store(1, std::memory_order_release);
        FutexWake(word, 1);
      });
      while (word.load(std::memory_order_acquire) == 0) FutexWait(word, 0, -1);
      waker.join();
    }));
  }
  word.store(1, std::memory_order_release);
  waiting.join();
}
#endif

#if ENGINE_OS_IS_LINUX

void Ignore(int /*signal*/) {}

TEST(Futex, SignalInterrupts) {
  struct sigaction action{};
  struct sigaction before{};
  action.sa_handler = &Ignore;  // without SA_RESTART
  ASSERT_EQ(sigaction(SIGUSR1, &action, &before), 0);
  std::atomic<std::uint32_t> word{0};
  std::atomic<bool> interrupted{false};
  std::thread sleeper([&] {
    while (FutexWait(word, 0, -1) != FutexResult::kInterrupted) {
    }
    interrupted.store(true, std::memory_order_release);
  });
  // A signal before the sleep interrupts nothing, so send more than one.
  while (!interrupted.load(std::memory_order_acquire)) {
    pthread_kill(sleeper.native_handle(), SIGUSR1);
    std::this_thread::yield();
  }
  sleeper.join();
  EXPECT_TRUE(interrupted.load());
  ASSERT_EQ(sigaction(SIGUSR1, &before, nullptr), 0);
}

#endif

}  // namespace futex_test
}  // namespace engine::testing
