// Runs environments in worker processes. The pool's process puts requests into shared memory and
// wakes the workers, which write the rows of batches in place. In steady state the only system
// calls are those that sleep and wake.
//
// The executor does not start worker processes: the code that starts them attaches each one to the
// executor. If a worker dies, its environments are lost: their unfinished rows are completed as
// failed, and everything else continues. A new process can replace the worker.
//
// Locks: mutex_ is the innermost lock. It serialises the threads that push items and the recovery
// of dead workers.
#ifndef ENGINE_PROCESSES_PROCESS_EXECUTOR_H_
#define ENGINE_PROCESSES_PROCESS_EXECUTOR_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/mutex.h"
#include "engine/base/os/process_handle.h"
#include "engine/base/tick_clock.h"
#include "engine/batch/tree_staging.h"
#include "engine/processes/buffer_pages.h"
#include "engine/processes/hang_watch.h"
#include "engine/processes/remote_group.h"
#include "engine/processes/shared_arena.h"
#include "engine/processes/shared_state.h"
#include "engine/runtime/executor.h"

namespace engine {

class ProcessExecutor final : public Executor {
 public:
  struct Config {
    std::uint32_t num_workers = 1;
    BatchConfig batches;  // whose allocator is not used
    std::uint32_t num_cpus = 1;
    // For one item; 0: no limit. A restarted worker may take this time, and kStartsAllowed times as
    // long as the first ones took, to make its environments.
    std::int64_t step_timeout_ns = 0;
  };
  // Makes the shared memory; no worker is attached yet. Throws Error{kMemory}.
  ProcessExecutor(const EnvSpec& spec, const GroupConfig& group_config, const TreeSlotLayout& slots,
                  const Config& config);
  ~ProcessExecutor() override;

  // --- Worker processes. Called by the code that starts them, one thread at a time.
  // The file with the shared memory.
  int fd() const { return arena_->fd(); }
  // The offset in the file at which the exit status of a worker is written: see
  // WorkerLine::exit_status.
  std::size_t status_offset(std::uint32_t worker) const;
  // Attaches the process that runs as worker `worker`. The executor takes ownership of the
  // descriptor.
  // Requires: the worker was never attached, or ResetWorker was called for it.
  void Attach(std::uint32_t worker, const ProcessHandle& process);
  // Resets the shared state of a dead worker for the next process.
  // Requires: it is one of DeadWorkers().
  void ResetWorker(std::uint32_t worker);
  // Whether a worker has died and has not been replaced yet. Any thread, cheap.
  bool any_dead() const { return num_dead_.load(std::memory_order_acquire) > 0; }
  // The dead workers whose items are all completed, so that they can be replaced.
  std::vector<std::uint32_t> DeadWorkers() const;
  // The maximum size of JobBytes.
  std::size_t max_job_bytes() const { return geometry_.buffer_bytes; }
  // Detects workers that have ended or hang. Any thread.
  void CheckWorkers();
  // After the pool was closed: kills workers whose step takes longer than step_timeout_ns or
  // `limit_ns` (0: no limit). Their environments' own close is not limited. Call it at intervals,
  // as long as workers have not ended. Any thread.
  void KillHanging(std::int64_t limit_ns);

  // --- Executor
  ActionSink& actions() override { return *actions_; }
  GroupState& group() override { return *group_; }
  OpenBatches& batches() override { return *batches_; }
  bool writes_targets() const override { return false; }
  void WakeToEnd() override;
  WaitResult Construct(WaitContext& caller) override;
  WaitResult Run(WaitContext& caller) override;
  WaitResult Finish(WaitContext& caller) override;
  void Push(const std::uint32_t* ids, std::uint32_t n, bool resets) override;
  WaitResult WaitForBatch(std::uint64_t epoch, WaitContext& caller) override;
  WaitResult WaitForRows(std::uint32_t rows, std::uint64_t taken, WaitContext& caller) override;
  std::vector<ThreadStats> thread_stats() const override;
  std::uint64_t num_queued() const override;
  std::vector<RunningPiece> running() const override;

 private:
  // The state of a worker, as the pool's process sees it.
  struct WorkerStatus {
    ProcessHandle process;
    bool recovered = true;  // its unfinished items are completed, or it is not attached yet
    HangWatch watch;
    std::string killed;        // why the executor has killed it; empty: it has not
    std::uint64_t ended = 0;   // ticks, when its end was first seen; 0: not yet
    std::string how_it_ended;  // such as "was killed by SIGKILL"; empty: unknown
    std::string error;         // the error message for its items
  };
  // What the ring and the items of a worker contain, and are not read from there, because a broken
  // worker may have changed them. Written with mutex_ held.
  struct Sent {
    std::atomic<std::uint64_t> end{0};            // the position after the latest published item
    std::vector<std::atomic<std::uint32_t>> ids;  // by position, modulo the size

    std::atomic<std::uint32_t>& IdAt(std::uint64_t position) { return ids[position % ids.size()]; }
  };
  struct Request {
    ItemKind kind = ItemKind::kStep;
    std::uint32_t row = 0;
  };
  class SharedBuffers;
  class SharedBatches;

  void AddTo(PoolStats& stats) const override;
  // Arrays of batches may keep the arena alive, but nothing in the buffers is needed any more.
  void FreeEnvs() override { state_.FreeBuffers(); }
  void FillJobItem(std::uint32_t k, std::uint32_t env);
  // Copies the data that all items of the job share: options of a reset, or a method and its
  // arguments.
  void WriteJobBuffer();
  // The addresses of a batch's blocks, for the workers.
  void ShareBlocks(const OpenBatch& batch, std::atomic<std::uint64_t>* blocks) const;
  void PublishJob() ENGINE_REQUIRES(mutex_);
  bool JobDone() const;
  void SetRequest(std::uint32_t env, ItemKind kind, std::uint32_t row);
  std::uint64_t FinishedBy(std::uint32_t worker) const;
  void PushItem(std::uint32_t env) ENGINE_REQUIRES(mutex_);
  void PublishAndWake(std::uint32_t worker) ENGINE_REQUIRES(mutex_);
  double SpinNs() const;
  // `for_results`: over() becomes true when all workers have finished their items, at the latest.
  template <class Over>
  WaitResult WaitUntil(Over&& over, bool for_results, WaitContext& caller);
  void CheckAtIntervals();
  WaitResult Checked(WaitResult waited) const;
  bool LooksDamaged(std::uint64_t& all_finished_at);

  // In recovery.cc.
  bool ReadExitStatus(std::uint32_t worker) ENGINE_REQUIRES(mutex_);
  void NoteEnd(std::uint32_t worker) ENGINE_REQUIRES(mutex_);
  void KillIfHanging(std::uint32_t worker, std::uint64_t now_ns, std::int64_t limit_ns)
      ENGINE_REQUIRES(mutex_);
  bool Recover(std::uint32_t worker) ENGINE_REQUIRES(mutex_);
  void FailItem(std::uint32_t env, const std::string& why) ENGINE_REQUIRES(mutex_);
  void FailQueued(std::uint32_t env, const std::string& why) ENGINE_REQUIRES(mutex_);

  static Geometry GeometryOf(std::uint32_t num_envs, const TreeSlotLayout& slots,
                             const Config& config);
  static SharedArena* MakeArena(const Geometry& geometry);

  const Config config_;
  const std::uint64_t made_at_ns_ = TickClock::SteadyNanoseconds();
  const Geometry geometry_;
  SharedArena* const arena_;
  mutable SharedState state_;
  std::unique_ptr<RemoteGroup> group_;
  std::unique_ptr<ByteBuffers> buffers_;
  std::unique_ptr<TreeStaging> actions_;
  std::unique_ptr<BatchLedger<Tickets, ProcessSync>> batches_;

  mutable Mutex mutex_;
  std::vector<WorkerStatus> worker_status_ ENGINE_GUARDED_BY(mutex_);
  // Per worker, whether it is attached and has not ended. Written with mutex_ held.
  std::vector<std::atomic<bool>> alive_;
  // Per worker, the end of the items that are in its ring and not published yet.
  std::vector<std::optional<std::uint64_t>> unpublished_ends_ ENGINE_GUARDED_BY(mutex_);
  mutable std::vector<Sent> sent_;  // per worker
  std::vector<Request> requests_;   // per environment; as WorkItem
  // Per environment, whether its process has died and it has not been reset since.
  std::vector<std::uint8_t> lost_ ENGINE_GUARDED_BY(mutex_);
  // Per environment, whether it was queued and its row has not been taken since.
  std::vector<std::uint8_t> queued_ ENGINE_GUARDED_BY(mutex_);
  // How long the first workers took to make their environments.
  std::int64_t first_start_ns_ ENGINE_GUARDED_BY(mutex_) = 0;
  std::atomic<std::uint32_t> num_dead_{0};
  std::atomic<std::uint64_t> checked_{0};  // ticks, of the latest CheckWorkers

  BufferPages job_pages_;  // of the job's buffer
  // Per worker, the position after its last item of the job. Written by the caller.
  std::vector<std::uint64_t> job_ends_;
  std::atomic<std::uint64_t> wait_ticks_{0};
  std::atomic<bool> damaged_{false};  // a worker has damaged the shared memory
};

// Bytes that all items of a job share, with which the caller passes options and calls to workers;
// at most max_job_bytes().
struct JobBytes final : ResetStart {
  explicit JobBytes(std::string given) : bytes(std::move(given)) {}
  std::string bytes;
};

}  // namespace engine

#endif  // ENGINE_PROCESSES_PROCESS_EXECUTOR_H_
