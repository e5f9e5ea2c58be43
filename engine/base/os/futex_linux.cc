// futex.h with the kernel's futex.
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <ctime>

#include "engine/base/os/futex.h"

namespace engine {

// The kernel reads the word as a plain 32-bit integer.
static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);
// 32-bit Linux has two futex calls with different time layouts; the build uses futex_portable.cc.
static_assert(sizeof(void*) == 8);

namespace {

FutexResult Wait(int operation, std::atomic<std::uint32_t>& word, std::uint32_t expected,
                 std::int64_t timeout_ns) {
  constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;
  timespec timeout{};
  timeout.tv_sec = static_cast<std::time_t>(timeout_ns / kNanosecondsPerSecond);
  timeout.tv_nsec = static_cast<long>(timeout_ns % kNanosecondsPerSecond);
  // FUTEX_WAIT takes its timeout relative to now, on the monotonic clock.
  const long rc = syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), operation, expected,
                          timeout_ns < 0 ? nullptr : &timeout, nullptr, 0);
  if (rc == 0) return FutexResult::kWoken;
  if (errno == ETIMEDOUT) return FutexResult::kTimedOut;
  if (errno == EINTR) return FutexResult::kInterrupted;
  return FutexResult::kWoken;  // EAGAIN: the word differs
}

void Wake(int operation, std::atomic<std::uint32_t>& word, std::uint32_t count) {
  // The kernel counts in a signed integer.
  const int max_woken = static_cast<int>(std::min<std::uint32_t>(count, INT_MAX));
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), operation, max_woken, nullptr,
          nullptr, 0);
}

}  // namespace

FutexResult FutexWait(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                      std::int64_t timeout_ns) {
  return Wait(FUTEX_WAIT_PRIVATE, word, expected, timeout_ns);
}

void FutexWake(std::atomic<std::uint32_t>& word, std::uint32_t count) {
  Wake(FUTEX_WAKE_PRIVATE, word, count);
}

FutexResult SharedFutexWait(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                            std::int64_t timeout_ns) {
  return Wait(FUTEX_WAIT, word, expected, timeout_ns);
}

void SharedFutexWake(std::atomic<std::uint32_t>& word, std::uint32_t count) {
  Wake(FUTEX_WAKE, word, count);
}

}  // namespace engine
