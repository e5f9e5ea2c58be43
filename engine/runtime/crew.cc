#include "engine/runtime/crew.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <string>
#include <system_error>

#include "engine/base/error.h"
#include "engine/base/tick_clock.h"

namespace engine {
namespace {

// Long enough to bridge the caller's own work between two steps of a light
// environment, short enough not to matter when it thinks for a millisecond.
constexpr double kSpinNs = 50'000.0;
// Sleepers that one thread wakes itself before the woken ones take over.
constexpr std::uint32_t kWakesPerThread = 2;

// Threads of all pools that spin now. More spinners than idle processors only
// take time from threads that work.
std::atomic<std::uint32_t> process_spinners{0};

bool MaySpin(std::uint32_t cpus) {
  // One processor is left to the caller.
  if (process_spinners.fetch_add(1, std::memory_order_relaxed) + 1 < cpus) return true;
  process_spinners.fetch_sub(1, std::memory_order_relaxed);
  return false;
}

// Signals are for the threads that Python knows of.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
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

Crew::Crew(WorkSource& source, std::vector<WorkerPlacement> placements, std::uint32_t cpus)
    : source_(source),
      placements_(std::move(placements)),
      cpus_(cpus),
      idle_(new IdleTime[placements_.size()]) {
  threads_.reserve(placements_.size());
}

void Crew::EnsureStarted(std::uint32_t count) {
  count = std::min(count, static_cast<std::uint32_t>(placements_.size()));
  if (started() >= count) return;
  const std::lock_guard lock(threads_mutex_);
  const BlockedSignals blocked;  // inherited by the new threads
  while (threads_.size() < count && !stopping_.load(std::memory_order_relaxed)) {
    const auto worker = static_cast<std::uint32_t>(threads_.size());
    source_.Prepare(worker);
    awake_.fetch_add(1, std::memory_order_acq_rel);
    try {
      threads_.emplace_back([this, worker] { Main(worker); });
    } catch (const std::system_error& error) {
      awake_.fetch_sub(1, std::memory_order_acq_rel);
      throw Error(ErrorKind::kInternal,
                  "num_threads: the system refused worker thread " + std::to_string(worker + 1) +
                      " of " + std::to_string(placements_.size()) + ": " + error.what());
    }
    started_.store(worker + 1, std::memory_order_release);
  }
}

void Crew::Wake(std::uint32_t wanted) {
  const std::uint32_t spinning = spinning_.fetch_add(0, std::memory_order_acq_rel);
  if (wanted <= spinning) return;
  const std::uint32_t missing = wanted - spinning;
  if (missing > kWakesPerThread) {
    wake_debt_.store(missing - kWakesPerThread, std::memory_order_relaxed);
  }
  parker_.Notify(std::min(missing, kWakesPerThread));
}

void Crew::WakeUnlessAwake() {
  if (awake_.fetch_add(0, std::memory_order_acq_rel) == 0) Wake(1);
}

void Crew::PassOnWake() {
  std::uint32_t debt = wake_debt_.load(std::memory_order_relaxed);
  while (debt > 0) {
    const std::uint32_t share = std::min(debt, kWakesPerThread);
    if (wake_debt_.compare_exchange_weak(debt, debt - share, std::memory_order_relaxed)) {
      parker_.Notify(share);
      return;
    }
  }
}

void Crew::Stop() {
  const std::lock_guard lock(threads_mutex_);
  stopping_.store(true, std::memory_order_release);
  parker_.Notify(static_cast<std::uint32_t>(placements_.size()));
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
  threads_.clear();
}

void Crew::Abandon() {
  for (std::thread& thread : threads_) thread.detach();
  threads_.clear();
}

std::uint64_t Crew::idle_ns() const {
  std::uint64_t ticks = 0;
  for (std::size_t i = 0; i < placements_.size(); ++i) {
    ticks += idle_[i].ticks.load(std::memory_order_relaxed);
  }
  return static_cast<std::uint64_t>(static_cast<double>(ticks) * TickClock::NanosecondsPerTick());
}

void Crew::Main(std::uint32_t worker) {
  NameThread(worker);
  PinCurrentThread(placements_[worker]);
  while (!stopping_.load(std::memory_order_acquire)) {
    if (!source_.RunSome(worker)) Idle(worker);
  }
}

void Crew::Idle(std::uint32_t worker) {
  const std::uint64_t start = TickClock::Now();
  const auto ready = [&] {
    return source_.HasWork(worker) || stopping_.load(std::memory_order_acquire);
  };
  bool found = false;
  if (MaySpin(cpus_)) {
    spinning_.fetch_add(1, std::memory_order_acq_rel);
    found = Parker<>::Spin(ready, kSpinNs);
    spinning_.fetch_sub(1, std::memory_order_acq_rel);  // pairs with Wake
    process_spinners.fetch_sub(1, std::memory_order_relaxed);
  }
  if (!found && !ready()) {
    awake_.fetch_sub(1, std::memory_order_acq_rel);  // pairs with WakeUnlessAwake
    while (!ready()) parker_.SleepUnless(ready, -1);
    awake_.fetch_add(1, std::memory_order_acq_rel);
    PassOnWake();
  }
  // One writer: no read-modify-write needed.
  std::atomic<std::uint64_t>& ticks = idle_[worker].ticks;
  ticks.store(ticks.load(std::memory_order_relaxed) + (TickClock::Now() - start),
              std::memory_order_relaxed);
}

}  // namespace engine
