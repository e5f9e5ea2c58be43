// The state that a pool's process shares with its worker processes, in addition to the batches: the
// request and report of each environment, each worker's ring, the rows of open batches, and the
// parkers (futexes on which the other side sleeps). Each environment has two buffers for bytes: its
// inbox holds a pickled action, its outbox the objects of a result or an error message. Both sides
// compute the same offsets from the Geometry, which is at offset 0. Contains no pointers.
// Comments of fields say which process writes them.
//
// Environment e belongs to worker e % num_workers.
#ifndef ENGINE_PROCESSES_SHARED_STATE_H_
#define ENGINE_PROCESSES_SHARED_STATE_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/base/cache_line.h"
#include "engine/sync/parker.h"
#include "engine/sync/process_sync.h"
#include "engine/sync/receiver_signal.h"
#include "engine/sync/shared_row_tickets.h"
#include "engine/sync/worker_ring.h"

namespace engine {

struct Geometry {
  std::uint32_t num_envs = 0;
  std::uint32_t num_workers = 0;
  std::uint32_t batch_size = 0;
  std::uint64_t action_bytes = 0;  // of a slot
  std::uint64_t buffer_bytes = 0;  // of an environment's inbox, and of its outbox
  std::uint64_t end_of_blocks = 0;
  std::uint64_t total_bytes = 0;

  std::uint32_t num_slots() const { return (num_envs + batch_size - 1) / batch_size; }
  std::uint32_t worker_of(std::uint32_t env) const { return env % num_workers; }
  std::uint32_t envs_per_worker() const { return (num_envs + num_workers - 1) / num_workers; }
  bool ordered() const { return num_envs == batch_size; }
};

using ProcessParker = Parker<ProcessSync>;
using Tickets = SharedRowTickets<ProcessSync>;
using Ring = WorkerRing<ProcessSync>;

struct SharedHeader {
  Geometry geometry;
  ReceiverSignal<ProcessSync> done;  // threads of the pool's process wait here for results
  alignas(kCacheLineBytes) std::atomic<std::uint32_t> closed{0};  // written by the pool
  // Number of workers that have not finished their part of the job. Only a hint for waking the
  // caller; the rings decide whether the job is done.
  alignas(kCacheLineBytes) std::atomic<std::int32_t> job_left{0};
  // The memory of the job's batch. Written by the pool, before it publishes the job's items.
  std::atomic<std::uint64_t> job_blocks[2];
  // The size of the data that all items of the job share: options of a reset, or a method and its
  // arguments.
  std::atomic<std::uint64_t> job_bytes{0};
  Tickets::Counters rows;
};

enum class WorkerState : std::uint32_t { kStarting, kReady, kFailed, kEnded };

// The part of the state that belongs to one worker. The counters are written by the worker only.
struct WorkerLine {
  ProcessParker parker;
  WorkerRingState<ProcessSync> ring;
  // The position after the worker's last item of the job. Written by the pool.
  alignas(kCacheLineBytes) std::atomic<std::uint64_t> job_end{0};
  // The id of the process that the pool has attached; 0: none. Another process that was started for
  // this worker, and that the pool has lost or given up, must not use the line. Written by the
  // pool.
  std::atomic<std::uint32_t> process{0};
  // How a process has ended: its id in the upper half; in the lower half its status as wait(2)
  // gives it, with kStatusKnown. 0: none has. Written by who reaps the worker, if that is not the
  // pool's process.
  static constexpr std::uint32_t kStatusKnown = 1U << 16;
  std::atomic<std::uint64_t> exit_status{0};
  alignas(kCacheLineBytes) std::atomic<std::uint32_t> state{0};  // by the worker: a WorkerState
  std::atomic<std::uint64_t> steps{0}, episodes{0}, resets{0}, failures{0};
  std::atomic<std::uint64_t> step_ticks{0}, idle_ticks{0};
};

// kStep, kReset and kCallMethod are items of a job. kObserve, too: the reset's mask leaves this
// environment out, and only its current row is written. kQueuedStep and kQueuedReset are queued
// environments.
enum class ItemKind : std::uint8_t {
  kStep,
  kReset,
  kObserve,
  kCallMethod,
  kQueuedStep,
  kQueuedReset
};

// A flag in shared memory. A broken worker may have written any byte; as a bool, one that is
// neither 0 nor 1 would be undefined.
class SharedFlag {
 public:
  SharedFlag(bool value = false) : byte_(value) {}  // NOLINT: it is used like a bool
  operator bool() const { return byte_ != 0; }      // NOLINT

 private:
  std::uint8_t byte_;
};

// The request to an environment, and the report of its result. The pool writes the request while
// the environment is idle, until it publishes the item. The worker then writes the report, until it
// commits the row or finishes the item.
struct alignas(kCacheLineBytes) WorkItem {
  // Request.
  ItemKind kind = ItemKind::kStep;
  SharedFlag has_seed;
  SharedFlag has_options;  // at job_bytes
  std::uint32_t row = 0;
  std::uint64_t seed = 0;
  // Report.
  std::uint8_t status = 0;  // EnvStatus
  SharedFlag failed;        // the outbox has the message
  SharedFlag ended;         // an episode
  SharedFlag game_over;
  SharedFlag has_object;  // the outbox has it
  SharedFlag restored;    // a call has set `status`; the pool clears it
  std::uint64_t out_bytes = 0;
};

// The pool and its workers run the same build; a size that changes by accident would still cost
// cache lines that processes write in turns.
static_assert(sizeof(Geometry) == 48 && alignof(Geometry) == 8);
static_assert(sizeof(Ring::Id) == 4 && alignof(Ring::Id) == 4);
static_assert(kFillsCacheLines<SharedHeader, 8>);
static_assert(kFillsCacheLines<WorkerLine, 6>);
static_assert(kFillsCacheLines<WorkItem, 1>);
static_assert(sizeof(WorkerLine::exit_status) == 8);  // the reaper writes it as bytes

// A process's view of the state.
class SharedState {
 public:
  // The size of the state in bytes, without the buffers.
  static std::size_t Bytes(const Geometry& geometry);
  // Sets the end of the blocks and the size of the buffers, for a mapping of `total_bytes` bytes.
  // Throws Error{kMemory} if these are too few for the state and a page for each buffer.
  static Geometry Plan(Geometry geometry, std::size_t total_bytes);
  // Makes the state in zeroed memory.
  static void Make(std::byte* base, const Geometry& geometry);

  // Requires: Make was called, perhaps by another process. `fd` is the file of the memory; only the
  // pool, which reads outboxes, needs it.
  explicit SharedState(std::byte* base, int fd = -1);

  // A copy of the header's: a broken worker may have changed that one.
  const Geometry& geometry() const { return geometry_; }
  std::byte* base() const { return base_; }
  SharedHeader& header() const { return *reinterpret_cast<SharedHeader*>(base_); }
  WorkerLine& worker(std::uint32_t worker) const { return workers_[worker]; }
  WorkItem& item(std::uint32_t env) const { return items_[env]; }
  Ring ring(std::uint32_t worker) const;
  // Its writers: one for each worker, and the last one for the pool itself.
  Tickets& rows() { return rows_; }
  const Tickets& rows() const { return rows_; }
  std::byte* action_slots() const { return actions_; }
  std::byte* inbox(std::uint32_t env) const;
  std::byte* outbox(std::uint32_t env) const;
  // What the worker has written there. The pool does not believe numbers that a broken worker may
  // have changed: it reads no page that no process has written, because reading it takes memory.
  std::string_view Outgoing(std::uint32_t env) const;
  // The data that all items of a job share.
  std::byte* job_buffer() const;
  // Returns the pages of all buffers to the system. Requires: nothing in them is needed.
  void FreeBuffers() const;

 private:
  struct Offsets;

  std::byte* const base_;
  const int fd_;
  const Geometry geometry_;
  WorkerLine* workers_;
  WorkItem* items_;
  Ring::Id* ids_;
  std::byte* actions_;
  Tickets rows_;
};

}  // namespace engine

#endif  // ENGINE_PROCESSES_SHARED_STATE_H_
