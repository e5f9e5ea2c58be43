// The worker threads of one pool. They are started when first needed, are placed on NUMA nodes, and
// wait on a WorkSignal while there is no work. They run a WorkSource and do not depend on
// environments.
#ifndef ENGINE_RUNTIME_WORKER_THREADS_H_
#define ENGINE_RUNTIME_WORKER_THREADS_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "engine/base/cache_line.h"
#include "engine/base/mutex.h"
#include "engine/sync/grouped_signal.h"
#include "engine/sync/lifetime.h"
#include "engine/telemetry/counters.h"
#include "engine/topology/placement.h"

namespace engine {

class WorkSource {
 public:
  enum class Ran : std::uint8_t {
    kNothing,
    kSome,
    kReplaced,  // the thread must end, because another one has become this worker
  };

  // Called once before worker `worker` starts, on the thread that starts it. Returns what owns
  // everything that the worker uses, including the WorkerThreads. The worker holds it until it
  // ends.
  virtual std::shared_ptr<void> InitWorker(std::uint32_t worker) = 0;
  // Does a bounded piece of work as worker `worker`.
  virtual Ran RunSome(std::uint32_t worker) = 0;
  // Whether RunSome might find work. Uses acquire loads only; called in spin loops.
  virtual bool HasWork(std::uint32_t worker) const = 0;

 protected:
  ~WorkSource() = default;
};

class WorkerThreads {
 public:
  // `cpus`: processors that the process may use. Threads without a placement are bound to all of
  // them, and their number limits how many threads spin. Each thread counts as a user of
  // `lifetime`. Worker i is writer i of `telemetry`.
  WorkerThreads(WorkSource& source, Lifetime& lifetime, std::vector<WorkerPlacement> placements,
                const std::vector<int>& cpus, const Telemetry& telemetry);
  // Does not stop threads that are still running; see EnsureStarted.
  ~WorkerThreads();
  WorkerThreads(const WorkerThreads&) = delete;
  WorkerThreads& operator=(const WorkerThreads&) = delete;

  // Starts threads until there are `count`. Throws Error{kResources} if the system refuses a
  // thread. Does nothing once the lifetime is closed. Any thread.
  void EnsureStarted(std::uint32_t count);

  // Starts another thread as worker `worker`, whose thread RunSome will end with kReplaced. That
  // thread is not joined and counts no longer as a user of the lifetime. Throws Error{kResources}
  // if the system refuses the thread; call it again then. Does nothing once the lifetime is closed.
  void Replace(std::uint32_t worker);

  // As in GroupedSignal.
  void Wake(std::uint32_t wanted) { signal_.Wake(wanted); }
  // Joins the remaining threads, after all of them have called Lifetime::Leave. Idempotent.
  void Join();
  // Wakes all sleepers: for work of which each worker must do its part, or to let the workers end
  // after the lifetime was closed.
  void WakeAll() { signal_.WakeAll(); }

  std::uint32_t started() const { return started_.load(std::memory_order_acquire); }
  std::uint32_t sleeping() const { return signal_.sleeping(); }
  std::uint32_t spinning() const { return signal_.spinning(); }
  std::uint32_t num_cpus() const { return num_cpus_; }
  // The number of workers of all pools of the process that spin now. The number of processors
  // limits it.
  static std::uint32_t process_spinners();
  // The time for which a worker waited for work.
  std::uint64_t idle_ns(std::uint32_t worker) const;

 private:
  struct alignas(kCacheLineBytes) IdleTime {
    std::atomic<std::uint64_t> ticks{0};  // written by its worker
  };

  // Requires: the lifetime was entered for the thread.
  void StartThread(std::uint32_t worker) ENGINE_REQUIRES(threads_mutex_);
  // Returns false if the thread was replaced.
  bool Main(std::uint32_t worker);
  // Waits for work. `fruitless_ns`: as in WorkerSpinNs; updated.
  void Idle(std::uint32_t worker, double& fruitless_ns);

  WorkSource& source_;
  Lifetime& lifetime_;
  const Telemetry& telemetry_;
  std::vector<WorkerPlacement> placements_;  // constant after construction
  const std::uint32_t num_cpus_;
  const std::unique_ptr<IdleTime[]> idle_;
  Mutex threads_mutex_;
  std::vector<std::thread> threads_ ENGINE_GUARDED_BY(threads_mutex_);
  std::atomic<std::uint32_t> started_{0};  // written under threads_mutex_
  GroupedSignal<> signal_;
};

}  // namespace engine

#endif  // ENGINE_RUNTIME_WORKER_THREADS_H_
