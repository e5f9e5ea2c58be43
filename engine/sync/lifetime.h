// Counts the users of a pool's environments: calls inside the pool, and worker threads. After Close
// no further user is admitted, and the last user to leave frees the environments. So a pool can be
// closed while a step is stuck, from any thread and from a signal handler inside a call.
#ifndef ENGINE_SYNC_LIFETIME_H_
#define ENGINE_SYNC_LIFETIME_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <utility>

#include "engine/base/cache_line.h"
#include "engine/sync/parker.h"
#include "engine/sync/std_sync.h"

namespace engine {

template <class Sync>
class BasicLifetime {
  template <class T>
  using Atomic = typename Sync::template Atomic<T>;

 public:
  // Calls `at_end` once, on the last thread to leave, or in Close if there are no users.
  explicit BasicLifetime(std::function<void()> at_end) : at_end_(std::move(at_end)) {}

  // Counts the caller as a user. Returns false if the lifetime is closed. Any thread.
  // Memory ordering: acquire pairs with the release in Leave, so that a call sees the effects of
  //   earlier calls.
  bool Enter() {
    std::uint32_t users = users_.load(std::memory_order_relaxed);
    do {
      if ((users & kClosed) != 0) return false;
    } while (!users_.compare_exchange_weak(users, users + 1, std::memory_order_acquire,
                                           std::memory_order_relaxed));
    return true;
  }

  // Ends a use that Enter began. Calls before_end() first if this ends the lifetime.
  // Memory ordering: the read-modify-writes form one release sequence, so the thread that frees the
  //   environments sees the effects of all other users.
  template <class BeforeEnd>
  void Leave(BeforeEnd&& before_end) {
    const std::uint32_t users = users_.fetch_sub(1, std::memory_order_acq_rel) - 1;
    if ((users & kClosed) == 0) [[likely]]
      return;
    if (users == kClosed) {
      before_end();
      End();
    }
    left_.Notify(UINT32_MAX);
  }
  void Leave() {
    Leave([] {});
  }

  // Admits no further users, and ends the lifetime if there are none. Returns true for the first
  // call.
  bool Close() {
    const std::uint32_t users = users_.fetch_or(kClosed, std::memory_order_acq_rel);
    if ((users & kClosed) != 0) return false;
    closed_.store(true, std::memory_order_release);  // pairs with closed()
    if (users == 0) {
      End();
      left_.Notify(UINT32_MAX);  // another thread may wait after its own Close
    }
    return true;
  }

  bool closed() const { return closed_.load(std::memory_order_acquire); }
  // The flag that closed() reads. Loops over environments read it often, which is cheap, because
  // its cache line is written only once.
  const Atomic<bool>& closed_flag() const { return closed_; }
  // Whether at_end has returned.
  bool ended() const { return ended_.load(std::memory_order_acquire); }
  std::uint32_t users() const { return users_.load(std::memory_order_acquire) & ~kClosed; }
  // Notified when a user leaves after Close, and when the lifetime has ended.
  Parker<Sync>& left() { return left_; }

 private:
  static constexpr std::uint32_t kClosed = std::uint32_t{1} << 31;

  void End() {
    at_end_();
    ended_.store(true, std::memory_order_release);  // pairs with ended()
  }

  const std::function<void()> at_end_;
  Parker<Sync> left_;
  Atomic<bool> ended_{false};
  // kClosed or 0, and the number of users. Written by all users that enter and leave.
  alignas(kCacheLineBytes) Atomic<std::uint32_t> users_{0};
  alignas(kCacheLineBytes) Atomic<bool> closed_{false};
};

using Lifetime = BasicLifetime<StdSync>;

}  // namespace engine

#endif  // ENGINE_SYNC_LIFETIME_H_
