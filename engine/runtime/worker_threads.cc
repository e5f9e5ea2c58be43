#include "engine/runtime/worker_threads.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/os/thread_name.h"
#include "engine/base/tick_clock.h"
#include "engine/runtime/host.h"
#include "engine/runtime/policy.h"
#include "engine/sync/spin_permits.h"

namespace engine {
namespace {

// Workers block signals, because Python's own threads handle them. The exceptions are signals of a
// fault in the worker itself, because only the worker can report its fault (faulthandler).
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

}  // namespace

WorkerThreads::WorkerThreads(WorkSource& source, Lifetime& lifetime,
                             std::vector<WorkerPlacement> placements, const std::vector<int>& cpus,
                             const Telemetry& telemetry)
    : source_(source),
      lifetime_(lifetime),
      telemetry_(telemetry),
      placements_(std::move(placements)),
      num_cpus_(static_cast<std::uint32_t>(cpus.size())),
      idle_(new IdleTime[placements_.size()]),
      signal_(static_cast<std::uint32_t>(std::max<std::size_t>(placements_.size(), 1)),
              kTuning.workers_per_signal) {
  threads_.reserve(placements_.size());
  // Set explicitly, because a new thread otherwise inherits the processors of the thread that
  // starts it.
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

void WorkerThreads::EnsureStarted(std::uint32_t count) {
  count = std::min(count, static_cast<std::uint32_t>(placements_.size()));
  if (started() >= count) return;
  const ScopedLock lock(threads_mutex_);
  const BlockedSignals blocked;  // inherited by the new threads
  while (threads_.size() < count && lifetime_.Enter()) {
    const auto worker = static_cast<std::uint32_t>(threads_.size());
    try {
      threads_.emplace_back();
      StartThread(worker);
    } catch (...) {
      threads_.pop_back();
      lifetime_.Leave();
      throw;
    }
    started_.store(worker + 1, std::memory_order_release);
  }
}

void WorkerThreads::StartThread(std::uint32_t worker) {
  try {
    threads_[worker] = std::thread([this, worker, kept = source_.InitWorker(worker)]() mutable {
      {
        const InsidePool inside(&lifetime_);
        if (Main(worker)) lifetime_.Leave();
      }
      kept.reset();  // may destroy this object
    });
  } catch (const std::system_error& error) {
    throw Error(ErrorKind::kResources,
                "num_threads: the system refused worker thread " + std::to_string(worker + 1) +
                    " of " + std::to_string(placements_.size()) + ": " + error.what());
  }
}

void WorkerThreads::Replace(std::uint32_t worker) {
  const ScopedLock lock(threads_mutex_);
  const BlockedSignals blocked;
  if (threads_[worker].joinable()) {
    threads_[worker].detach();  // its use of the lifetime passes to the new thread
  } else if (!lifetime_.Enter()) {
    return;
  }
  if (lifetime_.closed()) return lifetime_.Leave();
  try {
    StartThread(worker);
  } catch (...) {
    lifetime_.Leave();
    throw;
  }
}

void WorkerThreads::Join() {
  const ScopedLock lock(threads_mutex_);
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

std::uint32_t WorkerThreads::process_spinners() { return SpinPermit::num_granted(); }

std::uint64_t WorkerThreads::idle_ns(std::uint32_t worker) const {
  return static_cast<std::uint64_t>(
      TickClock::Nanoseconds(idle_[worker].ticks.load(std::memory_order_relaxed)));
}

bool WorkerThreads::Main(std::uint32_t worker) {
  PinCurrentThread(placements_[worker]);
  const std::string name = "envpool-" + std::to_string(worker);
  NameThisThread(name.c_str());  // last: a program that sees the name also sees the processors
  double fruitless_ns = 0.0;
  while (!lifetime_.closed()) {
    switch (source_.RunSome(worker)) {
      case WorkSource::Ran::kSome:
        fruitless_ns = 0.0;
        break;
      case WorkSource::Ran::kNothing:
        Idle(worker, fruitless_ns);
        break;
      case WorkSource::Ran::kReplaced:
        return false;
    }
  }
  return true;
}

void WorkerThreads::Idle(std::uint32_t worker, double& fruitless_ns) {
  const std::uint64_t start = TickClock::Now();
  const auto ready = [&] { return source_.HasWork(worker) || lifetime_.closed(); };
  WorkSignal<>& signal = signal_.Of(worker);
  const auto spin = [&] {
    const SpinPermit permit(worker / kTuning.workers_per_signal, num_cpus());
    const auto workers = static_cast<std::uint32_t>(placements_.size());
    return permit.granted() && signal.SpinForWork(ready, WorkerSpinNs(workers, fruitless_ns));
  };
  const bool found = spin();
  const std::uint64_t spun = TickClock::Now();
  if (!found) signal.SleepForWork(ready);
  const std::uint64_t end = found ? spun : TickClock::Now();
  fruitless_ns = found ? fruitless_ns + TickClock::Nanoseconds(spun - start) : 0.0;
  // Single writer, so no read-modify-write is needed.
  std::atomic<std::uint64_t>& ticks = idle_[worker].ticks;
  ticks.store(ticks.load(std::memory_order_relaxed) + (end - start), std::memory_order_relaxed);
  if (Recorder* const recorder = telemetry_.recorder()) {
    recorder->Add(worker, Activity::kSpin, start, spun);
    if (!found) recorder->Add(worker, Activity::kSleep, spun, end);
  }
}

}  // namespace engine
