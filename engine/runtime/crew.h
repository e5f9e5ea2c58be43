// The worker threads of one pool: started when first needed, placed on NUMA
// nodes, spinning for a bounded time and then asleep when there is nothing to
// do. Knows nothing of environments: it runs a WorkSource.
#ifndef ENGINE_RUNTIME_CREW_H_
#define ENGINE_RUNTIME_CREW_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/base/cache_line.h"
#include "engine/runtime/placement.h"
#include "engine/sync/parker.h"

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

class Crew {
 public:
  // `cpus`: processors that the process may use; bounds how many threads spin.
  Crew(WorkSource& source, std::vector<WorkerPlacement> placements, std::uint32_t cpus);
  ~Crew() { Stop(); }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  // Starts threads until `count` run. Throws Error{kInternal} if the system
  // refuses one. Does nothing once Stop has begun. Any thread.
  void EnsureStarted(std::uint32_t count);

  // Sees to it that about `wanted` workers look for work.
  // Requires: the work was published (release) before the call.
  // Guarantees: if a worker is started and wanted > 0, at least one that is not
  //   busy looks at the source after this call began.
  // Memory ordering: the read-modify-writes of spinning_ here and in Idle are
  //   totally ordered: a worker counted as spinning here acquires the work when
  //   it stops spinning, and looks once more before it sleeps.
  void Wake(std::uint32_t wanted);

  // As Wake(1), but content with a worker that is busy now and will look when it
  // has finished its piece: for work so light that another thread would cost
  // more than it does. Memory ordering as in Wake, through awake_.
  void WakeUnlessAwake();

  // Lets every worker finish its piece of work and joins it. Idempotent.
  void Stop();
  // After fork() the child has none of the threads: forgets them.
  void Abandon();

  std::uint32_t started() const { return started_.load(std::memory_order_acquire); }
  std::uint32_t sleeping() const { return parker_.sleepers(); }
  std::uint32_t spinning() const { return spinning_.load(std::memory_order_relaxed); }
  std::uint32_t cpus() const { return cpus_; }
  // Time that the workers spent waiting for work, summed.
  std::uint64_t idle_ns() const;

 private:
  struct alignas(kCacheLineBytes) IdleTime {
    std::atomic<std::uint64_t> ticks{0};  // written by its worker
  };

  void Main(std::uint32_t worker);
  void Idle(std::uint32_t worker);
  void PassOnWake();

  WorkSource& source_;
  const std::vector<WorkerPlacement> placements_;
  const std::uint32_t cpus_;
  const std::unique_ptr<IdleTime[]> idle_;
  std::mutex threads_mutex_;
  std::vector<std::thread> threads_;       // guarded by threads_mutex_
  std::atomic<std::uint32_t> started_{0};  // written under threads_mutex_
  std::atomic<bool> stopping_{false};      // Stop; release pairs with acquire in Main and Idle
  Parker<> parker_;
  alignas(kCacheLineBytes) std::atomic<std::uint32_t> spinning_{0};
  // Workers that are not asleep and will look at the source before they are.
  std::atomic<std::uint32_t> awake_{0};
  // Sleepers still to be woken by those that were: a wake-up costs the waker
  // about a microsecond each, so many are spread over a tree.
  std::atomic<std::uint32_t> wake_debt_{0};
};

}  // namespace engine

#endif  // ENGINE_RUNTIME_CREW_H_
