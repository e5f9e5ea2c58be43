#include "engine/runtime/worker_threads.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/tick_clock.h"
#include "engine/runtime/policy.h"

namespace engine {
namespace {

// The number of workers of all pools that spin now. Spinning threads in excess of idle processors
// take time from working threads. A child of fork has none of them.
std::atomic<std::uint32_t>& ProcessSpinners() {
  static std::atomic<std::uint32_t> spinners{0};
  static const int registered =
      pthread_atfork(nullptr, nullptr, [] { spinners.store(0, std::memory_order_relaxed); });
  (void)registered;
  return spinners;
}

// Counts a worker as spinning, if it may spin, until the end of its life. It must not live while
// the worker sleeps: the sleeping workers of idle pools would keep those of others from spinning.
class SpinPermit {
 public:
  explicit SpinPermit(std::uint32_t cpus)
      // One processor is left for the caller.
      : granted_(ProcessSpinners().fetch_add(1, std::memory_order_relaxed) + 1 < cpus) {
    if (!granted_) Release();
  }
  ~SpinPermit() {
    if (granted_) Release();
  }
  SpinPermit(const SpinPermit&) = delete;
  SpinPermit& operator=(const SpinPermit&) = delete;

  bool granted() const { return granted_; }

 private:
  static void Release() { ProcessSpinners().fetch_sub(1, std::memory_order_relaxed); }

  const bool granted_;
};

// Workers block signals, because Python's own threads handle them. The exceptions are signals of a
// fault in the worker itself, which only it can report (faulthandler).
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t blocked;
    sigfillset(&blocked);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS}) {
      sigdelset(&blocked, fault);
    }
    pthread_sigmask(SIG_SETMASK, &blocked, &before_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_;
};

void NameThread(std::uint32_t worker) {
#if defined(__linux__)
  const std::string name = "envpool-" + std::to_string(worker);
  pthread_setname_np(pthread_self(), name.c_str());
#else
  (void)worker;
#endif
}

}  // namespace

WorkerThreads::WorkerThreads(WorkSource& source, Lifetime& lifetime,
                             std::vector<WorkerPlacement> placements, const std::vector<int>& cpus)
    : source_(source),
      lifetime_(lifetime),
      placements_(std::move(placements)),
      num_cpus_(static_cast<std::uint32_t>(cpus.size())),
      idle_(new IdleTime[placements_.size()]) {
  threads_.reserve(placements_.size());
  // Explicit, because a new thread otherwise inherits the processors of the thread that starts it.
  for (WorkerPlacement& placement : placements_) {
    if (placement.cpus.empty()) placement.cpus = cpus;
  }
}

WorkerThreads::~WorkerThreads() {
  // If a worker thread destroys this object, it is the last one, and the others have ended.
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.detach();
  }
}

void WorkerThreads::EnsureStarted(std::uint32_t count, const std::shared_ptr<void>& keep_alive) {
  count = std::min(count, static_cast<std::uint32_t>(placements_.size()));
  if (started() >= count) return;
  const std::lock_guard lock(threads_mutex_);
  const BlockedSignals blocked;  // inherited by the new threads
  while (threads_.size() < count && lifetime_.Enter()) {
    const auto worker = static_cast<std::uint32_t>(threads_.size());
    try {
      source_.Prepare(worker);
      threads_.emplace_back([this, worker, kept = std::shared_ptr<void>(keep_alive)]() mutable {
        Main(worker);
        lifetime_.Leave();
        kept.reset();  // may destroy this object
      });
    } catch (const std::system_error& error) {
      lifetime_.Leave();
      throw Error(ErrorKind::kResources,
                  "num_threads: the system refused worker thread " + std::to_string(worker + 1) +
                      " of " + std::to_string(placements_.size()) + ": " + error.what());
    } catch (...) {
      lifetime_.Leave();
      throw;
    }
    started_.store(worker + 1, std::memory_order_release);
  }
}

void WorkerThreads::Join() {
  const std::lock_guard lock(threads_mutex_);
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

std::uint32_t WorkerThreads::process_spinners() {
  return ProcessSpinners().load(std::memory_order_relaxed);
}

std::uint64_t WorkerThreads::idle_ns() const {
  std::uint64_t ticks = 0;
  for (std::size_t i = 0; i < placements_.size(); ++i) {
    ticks += idle_[i].ticks.load(std::memory_order_relaxed);
  }
  return static_cast<std::uint64_t>(TickClock::Nanoseconds(ticks));
}

void WorkerThreads::Main(std::uint32_t worker) {
  NameThread(worker);
  PinCurrentThread(placements_[worker]);
  while (!lifetime_.closed()) {
    if (!source_.RunSome(worker)) Idle(worker);
  }
}

void WorkerThreads::Idle(std::uint32_t worker) {
  const std::uint64_t start = TickClock::Now();
  const auto ready = [&] { return source_.HasWork(worker) || lifetime_.closed(); };
  const auto spin = [&] {
    const SpinPermit permit(num_cpus());
    return permit.granted() && signal_.SpinForWork(ready, kTuning.worker_spin_ns);
  };
  if (!spin()) signal_.SleepForWork(ready);
  // Single writer, so no read-modify-write is needed.
  std::atomic<std::uint64_t>& ticks = idle_[worker].ticks;
  ticks.store(ticks.load(std::memory_order_relaxed) + (TickClock::Now() - start),
              std::memory_order_relaxed);
}

}  // namespace engine
