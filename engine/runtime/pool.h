// The pool, which serves callers: it checks arguments, tracks the environments in flight, and
// returns batches and errors. An Executor steps the environments. Any number of threads may call a
// pool. It does not depend on environments or Python.
//
// There are two kinds of calls. A synchronous call (Step of an ordered pool, Reset, Render:
// ordered.cc) runs one job over known rows. The asynchronous calls (first_ready.cc) are Send, which
// queues environments, and Recv, which takes the next full batch. An environment takes part in one
// call at a time: it is in flight from the call that starts it to the call that returns its row.
//
// Waiting: every wait ends at the caller's timeout and at interrupts of its host (see WaitContext),
// and no thread holds the host's lock while it waits. If an interrupt handler or an environment
// that runs inside a call makes another call of the same pool, that call throws Error{kReentry};
// only Close is allowed.
//
// Locks, in this order: sync_lock_, state_lock_. state_lock_ is held for bookkeeping only. A thread
// that holds it does not run environments, does not wait, and does not take the host's lock.
#ifndef ENGINE_RUNTIME_POOL_H_
#define ENGINE_RUNTIME_POOL_H_

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/thread_annotations.h"
#include "engine/group/env_group.h"
#include "engine/group/renewable_group.h"
#include "engine/runtime/batch_log.h"
#include "engine/runtime/batch_order.h"
#include "engine/runtime/env_health.h"
#include "engine/runtime/executor.h"
#include "engine/runtime/host.h"
#include "engine/runtime/in_flight_set.h"
#include "engine/runtime/sync_call_lock.h"
#include "engine/sync/lock.h"
#include "engine/topology/placement.h"
#include "engine/topology/topology.h"

namespace engine {

struct PoolConfig {
  std::uint32_t batch_size = 1;   // in [1, num_envs]; num_envs: ordered mode
  std::uint32_t num_threads = 1;  // threads that step environments
  AutoresetMode autoreset = AutoresetMode::kNextStep;
  bool dm_columns = false;
  // An environment that fails begins a new episode at its next step, which needs no reset by the
  // program, unless autoreset is disabled. Its row is truncated. An environment that fails more
  // than `max_failures` times in an hour must be reset by the program.
  bool resets_failed = false;
  std::uint32_t max_failures = 10;
  std::int64_t step_timeout_ns = 0;     // only with a RenewableGroup
  std::uint64_t max_blocks = 0;         // of batch memory, per region; 0: no cap
  BlockAllocator* allocator = nullptr;  // null: the heap
  Affinity affinity{};                  // of worker threads

  // `records_episodes`: as in GroupConfig.
  BatchConfig batches(bool records_episodes) const;
};

class Pool final {
 public:
  // Construct makes the environments and must be called first.
  Pool(std::unique_ptr<EnvGroup> group, const PoolConfig& config, const Topology& topology);
  // A pool that gives up environments whose steps take longer than config.step_timeout_ns.
  Pool(std::unique_ptr<RenewableGroup> group, const PoolConfig& config, const Topology& topology);
  // A pool with the given executor, which was made with the same `config`.
  Pool(std::shared_ptr<Executor> executor, const PoolConfig& config);
  // Closes the pool. Waits a few seconds at most for running steps, and not at all if an earlier
  // Close has timed out. If a step takes longer, its thread frees the environments when it ends.
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // Makes the environments. Rethrows an exception of a constructor. If the result is not kDone,
  // only Close may follow.
  WaitResult Construct(Host& host);
  // Sets the seeds at construction; environments without a seed get one from the system's entropy.
  // Requires: nothing is in flight.
  void SeedAll(const ResetRequest& seeds);
  // Parses the options of a reset, given for each task of the group. Throws if the environment
  // rejects them.
  std::unique_ptr<ResetStart> ParseStarts(const std::vector<ParamValues>& of_tasks,
                                          Host& host) const;

  // --- Synchronous calls. If an argument is invalid, they throw an Error and change nothing. `ids`
  // null: all environments. kInterrupted: the started work continues; Recv returns its batch, or
  // the next synchronous call waits for it and drops it.
  // `target`, if there is one, receives fields of the batch, provided that the executor can write
  // there (see Executor::writes_targets). A first-ready Step does not use it. Batch::target()
  // returns the target that was used.
  WaitResult Step(const ArrayView& actions, const ArrayView* ids, Host& host, Batch& batch,
                  const RowTarget& target = {});
  WaitResult Reset(const ArrayView* ids, ResetRequest request, Host& host, Batch& batch,
                   const RowTarget& target = {});
  // Draws the current state of each environment, or writes its scene, into `pictures`, one after
  // the other (see EnvGroup::RenderRows). Environments that could not be drawn are reported in
  // `failed`, and their pictures are black. `owner` keeps the memory alive while any thread may
  // write there. Throws Error{kRenderMode} if the pool was not made to render.
  WaitResult Render(const ArrayView* ids, std::uint8_t* pictures, std::shared_ptr<void> owner,
                    Host& host, Failures& failed);
  // SaveStates copies the states of environments (EnvGroup::SaveState) on the calling thread.
  // LoadStates loads such states and returns the rows of the environments; an environment that
  // throws in Load has failed. Both throw Error{kState} and change nothing if the environments save
  // no states or a state cannot be loaded.
  // `settings` receives the environments' settings, as Settings returns them.
  WaitResult SaveStates(const ArrayView* ids, Host& host, std::vector<std::string>& states,
                        std::vector<SettingOfEnv>& settings);
  WaitResult LoadStates(const ArrayView* ids, std::vector<std::string> states, Host& host,
                        Batch& batch);
  // Read and change attribute `index` of environments (GroupState::Attributes). `values`: one per
  // item. Throw Error{kInternal} if the class of an environment throws; nothing has changed then.
  // Requires: the attribute accepts the values.
  WaitResult GetAttribute(std::size_t index, const ArrayView* ids, Host& host,
                          std::vector<std::vector<double>>& values);
  WaitResult SetAttribute(std::size_t index, const ArrayView* ids,
                          const std::vector<std::vector<double>>& values, Host& host);
  // Calls a method of the environments (see EnvGroup::CallMethodRows), whatever their state. The
  // results become the objects of rows 0, 1, ... in the order of the ids.
  WaitResult CallMethod(const ArrayView* ids, std::shared_ptr<const void> method, Host& host,
                        std::vector<RowObject>& results);

  // --- Asynchronous calls.
  // Queue environments to be stepped or reset, and return at once. Throw as Step does.
  void Send(const ArrayView& actions, const ArrayView* ids, Host& host);
  void SendReset(const ArrayView* ids, const ResetRequest& request, Host& host);
  // Waits for the next full batch. `timeout_ns` < 0: no limit. Throws Error{kNothingInFlight} if
  // too few environments are in flight to fill a batch.
  WaitResult Recv(Host& host, std::int64_t timeout_ns, Batch& batch);
  // Assigns consecutive rows of `target` to the next `batches` batches for which Send and SendReset
  // need memory, after the batches of earlier calls. Later batches lie in the pool's own blocks.
  // Throws Error{kInput} if the target has too few rows.
  void AddTargets(const RowTarget& target, std::uint64_t batches, Host& host);
  // Removes the targets of batches that have no memory yet.
  void ClearTargets(Host& host);
  // The number of batches that have memory or a target, counted from the next one that Recv
  // returns.
  std::uint64_t NumOpened(Host& host);
  // The batches that Recv and Step have returned from the queue, counted from 0: their number, and
  // whether a log records or determines which environments come in which batch. Only a first-ready
  // pool has such batches: to record or repeat throws Error{kInput} if this pool is ordered or the
  // log is of other numbers of environments, and Error{kEnvId} if environments are in flight.
  std::uint64_t NumReceived(Host& host);
  void SetNumReceived(std::uint64_t n, Host& host);
  // Only checks. `header`: of a log to repeat, or null.
  void CheckRecordsBatches(const char* call, const BatchLogHeader* header, Host& host);
  // Null: batches are not recorded any more.
  void RecordBatches(std::unique_ptr<BatchLogWriter> writer, Host& host);
  // Repeats a log from batch NumReceived() on: Recv returns the same environments in the same rows.
  // It throws Error{kReplay} if they have not been sent, if their results are not those whose
  // digests the log has, and at the end of the log, unless `then` records what follows.
  void ReplayBatches(std::unique_ptr<BatchLogReader> reader, std::unique_ptr<BatchLogWriter> then,
                     Host& host);
  // Writes what is recorded to the disk. Returns an error number, or 0.
  int FlushBatches(Host& host);

  // Waits until nothing is in flight, and drops the results. Includes the environments that other
  // threads send meanwhile.
  WaitResult Drain(Host& host);

  // Gives environments other constructor options from their next reset on; `settings`: one per
  // item. The environments may be in flight.
  // Null: no change.
  // Requires: the environments can have the settings (EnvSetting::WhyNot).
  void SetSettings(const ArrayView* ids, const std::vector<EnvSettingPtr>& settings, Host& host);
  // The environments of `ids` with their settings or, if `next`, with those after their next reset;
  // null: the group's own. With `next` they may be in flight.
  std::vector<SettingOfEnv> Settings(const ArrayView* ids, bool next, Host& host);

  // Closes the pool: waiting and later calls throw Error{kClosed}, and queued environments are
  // dropped. Then waits until the running steps have ended, and frees the environments. If the wait
  // ends early, the pool is closed nevertheless, and the last step to end frees the environments.
  // May be called even from a signal handler or an environment inside a call on this thread; that
  // call then frees the environments. `timeout_ns` < 0: no limit.
  WaitResult Close(Host& host, std::int64_t timeout_ns);

  // What each environment does.
  std::vector<EnvHealth> Health(Host& host) const;
  // For a thread that waits in a call of this pool: the environments that are being stepped, or all
  // in flight if it is not known which, and the longest of their EnvHealth::seconds.
  struct Awaited {
    std::vector<std::uint32_t> envs;
    double longest_seconds = 0.0;
  };
  Awaited AwaitedEnvs() const;

  bool closed() const { return executor_->lifetime().closed(); }
  // Throws Error{kClosed} if the pool is closed. The calls above do so themselves.
  void CheckOpen() const {
    if (closed()) ThrowClosed();
  }
  std::uint32_t num_envs() const { return num_envs_; }
  std::uint32_t batch_size() const { return config_.batch_size; }
  std::uint32_t num_threads() const { return config_.num_threads; }
  bool ordered() const { return config_.batch_size == num_envs_; }
  bool resets_failed() const { return config_.resets_failed; }
  const EnvSpec& spec() const { return spec_; }
  // The layout that all batches share, except for the number of rows. Fields have the same indices
  // in all batches.
  const BatchLayout& layout() const { return batches_.job_memory().layout(); }
  // The layout of the batches of queued environments.
  const BatchLayout& queue_layout() const { return batches_.queue_memory().layout(); }
  bool saves_states() const { return saves_states_; }
  std::uint32_t state_version() const { return state_version_; }
  // Takes no lock, and works in a forked child and after Close.
  PoolStats stats() const {
    PoolStats stats = executor_->stats();
    batches_.AddTo(stats);
    return stats;
  }
  // The executor, for its telemetry. The telemetry methods take no lock of the pool.
  Executor& executor() const { return *executor_; }

 private:
  class CallScope;
  // Holds state_lock_, for bookkeeping. The holder of state_lock_ never waits for the host's lock,
  // but may copy actions for a while. So a thread that must wait for it first releases the host's
  // lock.
  class ENGINE_SCOPED_LOCK_TYPE StateLock {
   public:
    StateLock(const Pool& pool, WaitContext& caller) ENGINE_ACQUIRES(pool.state_lock_)
        : lock_(pool.state_lock_) {
      if (lock_.try_lock()) return;
      caller.Unlock();
      lock_.lock();
    }
    ~StateLock() ENGINE_RELEASES() { lock_.unlock(); }
    StateLock(const StateLock&) = delete;
    StateLock& operator=(const StateLock&) = delete;

   private:
    Lock& lock_;
  };

  [[noreturn]] static void ThrowClosed();
  const std::uint32_t* ReadIds(const ArrayView* ids, std::uint32_t& n, const char* name = "env_id")
      ENGINE_REQUIRES(state_lock_);
  void CheckSteppable(const std::uint32_t* ids, std::uint32_t n) const ENGINE_REQUIRES(state_lock_);
  bool StepResets(std::uint32_t env) const ENGINE_REQUIRES(state_lock_);
  void CheckMask(const std::vector<std::uint8_t>& mask, const std::uint32_t* ids) const;
  void CheckHasPicture(const std::uint32_t* ids, std::uint32_t n) const;
  void CheckWasReset(const char* call, const std::uint32_t* ids, std::uint32_t n) const;
  void CheckSavesStates(const char* call) const;
  void CheckStates(const std::vector<std::string>& states, const std::uint32_t* ids,
                   std::uint32_t n) const;
  void AddIfFailed(std::uint32_t env, Failures& failed) const;
  void CollectFailed(OpenBatch& open, const std::uint32_t* ids, std::uint32_t rows, Batch& batch)
      ENGINE_REQUIRES(state_lock_);
  void Finish(BatchMemory& memory, OpenBatch* open, const std::uint32_t* ids, std::uint32_t rows,
              Batch& batch) ENGINE_REQUIRES(state_lock_);

  void SetNextSettings(const std::uint32_t* ids, const std::vector<EnvSettingPtr>& settings,
                       const std::vector<std::uint8_t>& mask) ENGINE_REQUIRES(state_lock_);

  std::vector<EnvHealth> HealthNow() const ENGINE_REQUIRES(state_lock_);

  // states.cc
  template <class Check, class Body>
  WaitResult ForIdle(const char* call, const ArrayView* ids, Host& host, const Check& check,
                     const Body& body);

  // ordered.cc
  // Receives the results of a job. The member for the job's kind must not be null, except `failed`,
  // which may be. A caller that drops the results passes an object too, which it frees after EndJob
  // has released the state lock.
  struct Results {
    Batch* batch = nullptr;                     // of a step or a reset
    Failures* failed = nullptr;                 // of a rendering
    std::vector<RowObject>* objects = nullptr;  // of a call
  };
  template <class Start>
  WaitResult RunSync(const ArrayView* ids, Host& host, const Results& results, Start&& start,
                     const char* name = "env_id");
  WaitResult BeginSync(const ArrayView* ids, WaitContext& caller, SyncCallLock::Holder& holder);
  WaitResult AcquireSync(WaitContext& caller, SyncCallLock::Holder& holder, Batch* batch);
  WaitResult FinishInterruptedJob(WaitContext& caller, Batch* batch);
  void StartJob(JobKind kind, const std::uint32_t* ids, std::uint32_t n,
                const RowTarget& target = {}) ENGINE_REQUIRES(state_lock_);
  WaitResult RunJob(WaitContext& caller, const Results& results);
  void EndJob(WaitContext& caller, const Results& results);

  // first_ready.cc
  void CheckFillsBatch(std::uint64_t rows, const char* call) const;
  void CheckTarget(const RowTarget& target, std::uint64_t rows) const;
  void OpenMemory(std::uint32_t n) ENGINE_REQUIRES(state_lock_);
  OpenBatch* TakeQueueMemory() ENGINE_REQUIRES(state_lock_);
  void Enqueue(const std::uint32_t* ids, std::uint32_t n, bool resets) ENGINE_REQUIRES(state_lock_);
  WaitResult SendAndRecv(const ArrayView& actions, const ArrayView* ids, Host& host, Batch& batch);
  WaitResult RecvNext(WaitContext& caller, std::uint64_t epoch, bool by_recv, Batch& batch);
  OpenBatch* TakeNext() ENGINE_REQUIRES(state_lock_);
  void CopyIds(const OpenBatch& open) ENGINE_REQUIRES(state_lock_);
  WaitResult DrainQueue(WaitContext& caller);
  void CheckLog(const char* call, const BatchLogHeader* header) const ENGINE_REQUIRES(state_lock_);
  void PushReleased(const BatchOrder::Released& released) ENGINE_REQUIRES(state_lock_);
  void NoteReceived(OpenBatch* open) ENGINE_REQUIRES(state_lock_);
  bool NeedsInterruptedEnvs(const ArrayView* ids, WaitContext& caller);

  const EnvSpec spec_;
  const bool saves_states_;
  const std::uint32_t state_version_;
  const std::uint32_t num_envs_;
  const PoolConfig config_;
  const std::shared_ptr<Executor> executor_;
  OpenBatches& batches_;                      // of executor_
  const std::vector<std::uint32_t> all_ids_;  // 0, 1, ..., num_envs - 1

  SyncCallLock sync_lock_;
  // Whether an interrupted call left the executor's job unfinished. Written by holders of
  // sync_lock_.
  std::atomic<bool> has_unfinished_job_{false};

  // The number of calls, and of workers, that are in Close. Written by these threads.
  std::atomic<std::uint32_t> closing_calls_{0};
  std::atomic<bool> close_timed_out_{false};  // a Close has timed out

  mutable Lock state_lock_;
  InFlightSet in_flight_ ENGINE_GUARDED_BY(state_lock_);
  // Sent and not received.
  std::uint64_t queued_rows_ ENGINE_GUARDED_BY(state_lock_) = 0;
  // Targets of the batches that are opened next.
  struct TargetRun {
    RowTarget next;
    std::uint64_t batches = 0;
  };
  std::deque<TargetRun> targets_ ENGINE_GUARDED_BY(state_lock_);
  // Of the batch that was taken last.
  std::vector<std::uint32_t> taken_ids_ ENGINE_GUARDED_BY(state_lock_);
  BatchOrder order_ ENGINE_GUARDED_BY(state_lock_);
  ResultCounts results_ ENGINE_GUARDED_BY(state_lock_);
  // By environment: whether it failed too often, so that only the program resets it. Empty if
  // failed environments are not reset at all.
  std::vector<std::uint8_t> given_up_ ENGINE_GUARDED_BY(state_lock_);
  std::atomic<bool> replays_{false};  // order_.replays(); written under state_lock_
  // Whether a first-ready step was interrupted after it had sent.
  bool has_interrupted_step_ ENGINE_GUARDED_BY(state_lock_) = false;
};

}  // namespace engine

#endif  // ENGINE_RUNTIME_POOL_H_
