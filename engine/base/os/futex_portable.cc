// futex.h with condition variables.
#include <pthread.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <new>

#include "engine/base/cache_line.h"
#include "engine/base/os/futex.h"

namespace engine {
namespace {

// Words share buckets by address, so a wake wakes every sleeper of the bucket; the sleepers on
// other words wake spuriously. kInterrupted is never returned, because a condition variable does
// not report signals.
struct alignas(kCacheLineBytes) Bucket {
  std::mutex mutex;
  std::condition_variable changed;
};
using Buckets = std::array<Bucket, 64>;

Buckets& AllBuckets() {
  // Never destroyed, because threads may still wait during static destruction.
  static auto& buckets = *new Buckets;
  return buckets;
}

// In a forked child: threads that it does not have may hold the locks, and sleep.
void RenewBuckets() { new (&AllBuckets()) Buckets; }

Bucket& BucketOf(const std::atomic<std::uint32_t>& word) {
  static const int registered = pthread_atfork(nullptr, nullptr, &RenewBuckets);
  (void)registered;
  Buckets& buckets = AllBuckets();
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

}  // namespace engine
