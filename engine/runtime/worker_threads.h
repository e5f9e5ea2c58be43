// The worker threads of one pool: started when first needed, placed on NUMA nodes, waiting by a
// WorkSignal when there is nothing to do. They know nothing of environments: they run a WorkSource.
#ifndef ENGINE_RUNTIME_WORKER_THREADS_H_
#define ENGINE_RUNTIME_WORKER_THREADS_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/base/cache_line.h"
#include "engine/runtime/placement.h"
#include "engine/sync/lifetime.h"
#include "engine/sync/work_signal.h"

namespace engine {

class WorkSource {
 public:
  // Comes once before worker `worker` starts, on the thread that starts it.
  virtual void Prepare(std::uint32_t worker) = 0;
  // Does a bounded piece of work as worker `worker`; false if there was none.
  virtual bool RunSome(std::uint32_t worker) = 0;
  // Whether RunSome might find something. Acquire loads only; called in spins.
  virtual bool HasWork(std::uint32_t worker) const = 0;

 protected:
  ~WorkSource() = default;
};

class WorkerThreads {
 public:
  // `cpus`: processors that the process may use, to which threads are bound that have no place of
  // their own; how many bounds how many threads spin. A thread counts as a user of `lifetime`.
  WorkerThreads(WorkSource& source, Lifetime& lifetime, std::vector<WorkerPlacement> placements,
                const std::vector<int>& cpus);
  // Threads that have not ended go on; see EnsureStarted.
  ~WorkerThreads();
  WorkerThreads(const WorkerThreads&) = delete;
  WorkerThreads& operator=(const WorkerThreads&) = delete;

  // Starts threads until `count` run; each holds `keep_alive` until it has ended, which owns all
  // that it uses, this object included. Throws Error{kResources} if the system refuses a thread.
  // Does nothing once the lifetime is closed. Any thread.
  void EnsureStarted(std::uint32_t count, const std::shared_ptr<void>& keep_alive);

  // As in WorkSignal.
  void Wake(std::uint32_t wanted) { signal_.Wake(wanted); }
  // After all threads have left the lifetime: waits for what is left of them. Idempotent.
  void Join();
  // All that sleep: for work that each must do its part of, or to end after the lifetime was
  // closed.
  void WakeAll() { signal_.WakeAll(); }

  std::uint32_t started() const { return started_.load(std::memory_order_acquire); }
  std::uint32_t sleeping() const { return signal_.sleeping(); }
  std::uint32_t spinning() const { return signal_.spinning(); }
  std::uint32_t num_cpus() const { return num_cpus_; }
  // Time that the workers spent waiting for work, summed.
  std::uint64_t idle_ns() const;

 private:
  struct alignas(kCacheLineBytes) IdleTime {
    std::atomic<std::uint64_t> ticks{0};  // written by its worker
  };

  void Main(std::uint32_t worker);
  void Idle(std::uint32_t worker);

  WorkSource& source_;
  Lifetime& lifetime_;
  std::vector<WorkerPlacement> placements_;  // const once made
  const std::uint32_t num_cpus_;
  const std::unique_ptr<IdleTime[]> idle_;
  std::mutex threads_mutex_;
  std::vector<std::thread> threads_;       // guarded by threads_mutex_
  std::atomic<std::uint32_t> started_{0};  // written under threads_mutex_
  WorkSignal<> signal_;
};

}  // namespace engine

#endif  // ENGINE_RUNTIME_WORKER_THREADS_H_
