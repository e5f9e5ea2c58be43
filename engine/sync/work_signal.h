// How the workers of one pool wait for work and are woken: they spin for a bounded time, then
// sleep. The thread that publishes work passes the number of workers that should look for it. Each
// worker provides its own condition, so WorkSignal does not depend on where work is stored. Any
// number of workers and of waking threads.
//
// Contains only counters. Wake uses them in this order, which holds for all threads, because every
// change of a counter is a read-modify-write:
// - spinners_: Wake gives signals to spinning workers, which then look for work.
// - parker_: Wake counts the sleepers. A worker that is not counted yet looks for work once more
//   before it sleeps.
// - pending_wakes_: Wake wakes at most kWakesPerThread sleepers itself. It counts the others here,
//   and the woken workers wake them.
#ifndef ENGINE_SYNC_WORK_SIGNAL_H_
#define ENGINE_SYNC_WORK_SIGNAL_H_

#include <algorithm>
#include <cstdint>

#include "engine/base/cache_line.h"
#include "engine/sync/parker.h"
#include "engine/sync/std_sync.h"

namespace engine {

template <class Sync = StdSync>
class WorkSignal {
 public:
  // The number of sleepers that one thread wakes itself. A wake-up takes the waking thread about a
  // microsecond, so woken workers wake further ones.
  static constexpr std::uint32_t kWakesPerThread = 2;

  WorkSignal() = default;
  // For tests, which start the sleepers' sequence close to wrap-around.
  explicit WorkSignal(std::uint32_t first_sequence) : parker_(first_sequence) {}
  WorkSignal(const WorkSignal&) = delete;
  WorkSignal& operator=(const WorkSignal&) = delete;

  // Makes about `wanted` workers look for the published work.
  // Returns the number of signalled workers: `wanted`, or fewer if fewer are idle.
  // Requires: the work was published (release) before the call.
  // Guarantees: if a worker is idle, each call with wanted > 0 makes at least one idle worker look
  //   for work after the call began. Two calls do not count the same spinner.
  // Memory ordering: see Signal, AddPendingWakes and Parker::CountSleepers. A worker that this call
  //   neither sees spinning nor counts as a sleeper counts itself as a sleeper later, and looks for
  //   work after that.
  std::uint32_t Wake(std::uint32_t wanted) {
    const std::uint32_t signalled = Signal(wanted);
    if (signalled == wanted) return signalled;
    const std::uint32_t wakes = std::min(wanted - signalled, parker_.CountSleepers());
    if (wakes > kWakesPerThread) AddPendingWakes(wakes - kWakesPerThread);
    if (wakes > 0) parker_.Notify(std::min(wakes, kWakesPerThread));
    return signalled + wakes;
  }

  // Wakes every sleeper.
  // Requires: the change that makes ready() true for all of them, such as a stop flag, was
  //   published before.
  void WakeAll() { parker_.Notify(UINT32_MAX); }

  // A worker that found no work calls SpinForWork if it may spin, and then SleepForWork if
  // SpinForWork returned false or was not called. It passes the same `ready` to both.
  // Requires: ready() reads shared state with acquire loads and is cheap. It is true for all
  //   workers or for none: a woken worker that is not ready assumes that the work is gone, and
  //   wakes no other worker.

  // Spins for up to `spin_ns`. If there was a signal, but other workers have taken the work, the
  // time restarts. Returns true once ready(); false if the time ran out and there is no signal for
  // this worker.
  template <class Ready>
  bool SpinForWork(Ready&& ready, double spin_ns) {
    for (;;) {
      spinners_.fetch_add(1, std::memory_order_relaxed);
      bool is_ready = false;
      const bool ended_early = Parker<Sync>::Spin(
          [&] {
            is_ready = ready();
            return is_ready || Signals(spinners_.load(std::memory_order_relaxed)) > 0;
          },
          spin_ns);
      const bool signalled = StopSpinning();
      if (is_ready || ready()) return true;
      if (!ended_early && !signalled) return false;
    }
  }

  // Sleeps until ready().
  template <class Ready>
  void SleepForWork(Ready&& ready) {
    while (!ready()) {
      parker_.SleepUnless(ready, -1);
      const std::uint64_t word = pending_wakes_.load(std::memory_order_acquire);
      if (ready()) {
        WakeNext();
        return;
      }
      CancelPendingWakes(word);
    }
  }

  // For heuristics; the numbers may be outdated when the calls return.
  std::uint32_t spinning() const { return Spinners(spinners_.load(std::memory_order_relaxed)); }
  std::uint32_t sleeping() const { return parker_.sleepers(); }

 private:
  // spinners_ and pending_wakes_ have two counters each, of 32 bits. Adding kHigh adds 1 to the
  // counter in the high half.
  static constexpr std::uint64_t kHigh = std::uint64_t{1} << 32;
  static constexpr std::uint32_t Spinners(std::uint64_t word) {
    return static_cast<std::uint32_t>(word);
  }
  static constexpr std::uint32_t Signals(std::uint64_t word) {
    return static_cast<std::uint32_t>(word >> 32);
  }
  static constexpr std::uint32_t Pending(std::uint64_t word) {
    return static_cast<std::uint32_t>(word);
  }

  // Gives one signal each to at most `wanted` spinners that have none; returns their number.
  // Memory ordering: release pairs with the acquire of the spinner that takes the signal, which
  //   then sees the work. If the word that was read is outdated, the exchange fails. A spinner that
  //   is not yet in the word looks for work once more after Wake has counted the sleepers.
  std::uint32_t Signal(std::uint32_t wanted) {
    std::uint64_t word = spinners_.load(std::memory_order_relaxed);
    for (;;) {
      const std::uint32_t n = std::min(wanted, Spinners(word) - Signals(word));
      if (n == 0) return 0;
      if (spinners_.compare_exchange_weak(word, word + n * kHigh, std::memory_order_release,
                                          std::memory_order_relaxed)) {
        return n;
      }
    }
  }

  // Removes this worker from the spinners, and takes a signal if there is one; returns whether it
  // took one. Both happen in one step, so there are never more signals than spinners.
  bool StopSpinning() {
    std::uint64_t word = spinners_.load(std::memory_order_relaxed);
    for (;;) {
      const bool signalled = Signals(word) > 0;
      // Acquire pairs with the release in Signal.
      if (spinners_.compare_exchange_weak(word, word - 1 - (signalled ? kHigh : 0),
                                          std::memory_order_acquire, std::memory_order_relaxed)) {
        return signalled;
      }
    }
  }

  // Leaves `n` wake-ups to the workers that Notify wakes next.
  // Memory ordering: the woken workers see the count, because Notify and the end of SleepUnless are
  //   ordered. Release pairs with the acquire load in SleepForWork: a worker that sees the pending
  //   wake-ups and is not ready has seen that the work was taken.
  void AddPendingWakes(std::uint32_t n) {
    pending_wakes_.fetch_add(kHigh + n, std::memory_order_release);
  }

  // Wakes up to kWakesPerThread of the workers that are still to be woken. Relaxed: the caller has
  // read the word with acquire, and Notify releases what the caller has seen.
  void WakeNext() {
    std::uint64_t word = pending_wakes_.load(std::memory_order_relaxed);
    while (Pending(word) > 0) {
      const std::uint32_t share = std::min(Pending(word), kWakesPerThread);
      if (pending_wakes_.compare_exchange_weak(word, word - share, std::memory_order_relaxed,
                                               std::memory_order_relaxed)) {
        parker_.Notify(share);
        return;
      }
    }
  }

  // Cancels the wake-ups in `word`, whose work is gone. Does nothing if Wake has added more since
  // `word` was read, because the high half has then changed.
  void CancelPendingWakes(std::uint64_t word) {
    if (Pending(word) == 0) return;
    pending_wakes_.compare_exchange_strong(word, word - Pending(word), std::memory_order_relaxed,
                                           std::memory_order_relaxed);
  }

  Parker<Sync> parker_;
  // Low half: number of spinning workers, written by them. High half: signals for them, written by
  // Wake and taken by spinners.
  alignas(kCacheLineBytes) typename Sync::template Atomic<std::uint64_t> spinners_{0};
  // Low half: wake-ups still to be made by woken workers. High half: how often Wake has added some.
  // Written by Wake and by woken workers.
  alignas(kCacheLineBytes) typename Sync::template Atomic<std::uint64_t> pending_wakes_{0};
};

static_assert(kFillsCacheLines<WorkSignal<StdSync>, 4>);

}  // namespace engine

#endif  // ENGINE_SYNC_WORK_SIGNAL_H_
