// The order of synchronous calls: one at a time. Unlike a mutex it may be waited for with a timeout
// and interrupts, and given up by a call that leaves its work to others.
#ifndef ENGINE_RUNTIME_TURN_H_
#define ENGINE_RUNTIME_TURN_H_

#include <atomic>

#include "engine/runtime/host.h"
#include "engine/sync/parker.h"

namespace engine {

class Turn {
 public:
  // Gives the turn back at its end, if it has got it.
  class Holder {
   public:
    explicit Holder(Turn& turn) : turn_(turn) {}
    ~Holder() { Give(); }
    Holder(const Holder&) = delete;
    Holder& operator=(const Holder&) = delete;

    // `closed`: says when to stop waiting; then kDone without the turn.
    template <class Closed>
    Waited Take(Caller& caller, Closed&& closed) {
      const auto over = [&] { return !turn_.taken_.load(std::memory_order_acquire) || closed(); };
      if ((has_ = turn_.TryTake())) return Waited::kDone;
      const std::uint64_t start = TickClock::Now();
      while (!(has_ = turn_.TryTake())) {
        Waited waited = caller.WaitUntil(turn_.given_, over, 0.0);
        if (waited == Waited::kDone) waited = caller.MayWaitAgain(start);
        if (waited != Waited::kDone || closed()) {
          // This thread may have been woken for a turn that it leaves to others.
          turn_.given_.Notify(1);
          return waited;
        }
      }
      return Waited::kDone;
    }

    void Give() {
      if (has_) turn_.Give();
      has_ = false;
    }

   private:
    Turn& turn_;
    bool has_ = false;
  };

  // For those who wait although the pool was closed.
  void WakeAll() { given_.Notify(UINT32_MAX); }

 private:
  // Memory ordering: acquire pairs with the release in Give.
  bool TryTake() { return !taken_.exchange(true, std::memory_order_acquire); }
  void Give() {
    taken_.store(false, std::memory_order_release);
    given_.Notify(1);
  }

  std::atomic<bool> taken_{false};
  Parker<> given_;
};

}  // namespace engine

#endif  // ENGINE_RUNTIME_TURN_H_
