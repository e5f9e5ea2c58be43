// See futex.h. Define ENGINE_PORTABLE_FUTEX to test the fallback on Linux.
#include "engine/sync/futex.h"

// 32-bit Linux has two futex calls with different time layouts; it uses the fallback.
#if defined(__linux__) && defined(__LP64__) && !defined(ENGINE_PORTABLE_FUTEX)
#define ENGINE_LINUX_FUTEX 1
#else
#define ENGINE_LINUX_FUTEX 0
#endif

#if ENGINE_LINUX_FUTEX
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <ctime>
#else
#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>

#include "engine/base/cache_line.h"
#endif

namespace engine {

#if ENGINE_LINUX_FUTEX

// The kernel reads the word as a plain 32-bit integer.
static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

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

#else

namespace {

// Words share buckets by address, so a wake wakes every sleeper of the bucket; the sleepers on
// other words wake spuriously. kInterrupted is never returned, because a condition variable does
// not report signals.
struct alignas(kCacheLineBytes) Bucket {
  std::mutex mutex;
  std::condition_variable changed;
};

Bucket& BucketOf(const std::atomic<std::uint32_t>& word) {
  // Never destroyed, because threads may still wait during static destruction.
  static auto& buckets = *new std::array<Bucket, 64>;
  return buckets[reinterpret_cast<std::uintptr_t>(&word) / kCacheLineBytes % buckets.size()];
}

}  // namespace

FutexResult FutexWait(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                      std::int64_t timeout_ns) {
  Bucket& bucket = BucketOf(word);
  std::unique_lock<std::mutex> lock(bucket.mutex);
  // This thread holds the lock. A thread that has changed the word either took the lock before, and
  // then the change is visible here, or takes the lock only once this thread sleeps.
  if (word.load(std::memory_order_relaxed) != expected) return FutexResult::kWoken;
  if (timeout_ns < 0) {
    bucket.changed.wait(lock);
    return FutexResult::kWoken;
  }
  // A time point far in the future would overflow. Returning early is allowed.
  constexpr std::chrono::nanoseconds kLongest = std::chrono::hours(24);
  const std::chrono::nanoseconds timeout(timeout_ns);
  const auto status = bucket.changed.wait_for(lock, std::min(timeout, kLongest));
  return status == std::cv_status::timeout && timeout <= kLongest ? FutexResult::kTimedOut
                                                                  : FutexResult::kWoken;
}

void FutexWake(std::atomic<std::uint32_t>& word, std::uint32_t /*count*/) {
  Bucket& bucket = BucketOf(word);
  // Locks and unlocks only. After that, every waiter is asleep, or compares the word later and then
  // sees the change.
  {
    const std::lock_guard<std::mutex> lock(bucket.mutex);
  }
  bucket.changed.notify_all();
}

FutexResult SharedFutexWait(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                            std::int64_t timeout_ns) {
  constexpr std::int64_t kOneMillisecond = 1'000'000;
  const bool gives_up = timeout_ns >= 0 && timeout_ns <= kOneMillisecond;
  const FutexResult result = FutexWait(word, expected, gives_up ? timeout_ns : kOneMillisecond);
  return gives_up ? result : FutexResult::kWoken;
}

void SharedFutexWake(std::atomic<std::uint32_t>& word, std::uint32_t count) {
  FutexWake(word, count);
}

#endif

}  // namespace engine
