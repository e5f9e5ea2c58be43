// One pool as its callers see it: it checks what they pass, knows which environments are in flight,
// and hands out batches and errors. What steps the environments is an Executor, below it. Called
// from any number of threads; environments and Python are unknown here.
//
// Two ways in. A synchronous call (Step of an ordered pool, Reset, Render: ordered.cc) runs one job
// over known rows. The asynchronous way (first_ready.cc) is Send, which queues environments, and
// Recv, which takes the next full batch. An environment takes part in one of them at a time: it is
// in flight from the call that starts it to the one that returns its row.
//
// Waiting: every wait ends at the caller's timeout and at interrupts of its host (see Caller), and
// none holds the host's lock. A call from an interrupt's handler inside another call of the same
// pool on the same thread throws Error{kReentry}, but for Close.
//
// Locks, in this order: turn_, state_mutex_. The latter is held for bookkeeping only, never while
// environments run or anyone waits, nor while the host's lock is taken.
#ifndef ENGINE_RUNTIME_POOL_H_
#define ENGINE_RUNTIME_POOL_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/env/env_group.h"
#include "engine/runtime/executor.h"
#include "engine/runtime/host.h"
#include "engine/runtime/in_flight_set.h"
#include "engine/runtime/topology.h"
#include "engine/runtime/turn.h"

namespace engine {

struct PoolConfig {
  std::uint32_t batch_size = 1;   // in [1, num_envs]; num_envs: ordered mode
  std::uint32_t num_threads = 1;  // threads that step environments
  AutoresetMode autoreset = AutoresetMode::kNextStep;
  bool dm_columns = false;
  std::uint64_t max_blocks = 0;         // of batch memory, per region; 0: no cap
  BlockAllocator* allocator = nullptr;  // null: the heap
};

class Pool final {
 public:
  // The environments are made by Construct, which comes first.
  Pool(std::unique_ptr<EnvGroup> group, const PoolConfig& config, const Topology& topology);
  // Waits for steps that run as Close does, for a few seconds at most; what is stuck longer frees
  // itself when it ends.
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // Throws what a constructor of an environment throws. Not kDone: only Close is left.
  Waited Construct(Host& host);
  // Seeds at construction; nothing may be in flight.
  void SeedAll(const ResetRequest& seeds);
  // The options of a reset in the environment's type. Throws what the environment finds wrong.
  std::unique_ptr<ResetStart> ParseStart(const ParamValues& reset_options) const;

  // --- Synchronous calls. Everything that can be wrong with the arguments is thrown as an Error;
  // nothing has changed then. `ids` null: all environments. kInterrupted: what was begun goes on;
  // Recv returns its batch, and the next synchronous call waits for it and drops it.
  Waited Step(const ArrayView& actions, const ArrayView* ids, Host& host, Batch& batch);
  Waited Reset(const ArrayView* ids, ResetRequest request, Host& host, Batch& batch);
  // Draws environments into `pictures`, one after the other, as they are now; or writes their
  // scenes there (see EnvGroup::RenderRows). Those that could not be drawn count as failed and are
  // black. `owner` keeps the memory as long as anybody may write there. Throws Error{kRenderMode}
  // if the pool was not made to render.
  Waited Render(const ArrayView* ids, std::uint8_t* pictures, std::shared_ptr<void> owner,
                Host& host, Failures& failed);

  // --- Asynchronous calls.
  // Queue environments; return at once. Throw as Step does.
  void Send(const ArrayView& actions, const ArrayView* ids, Host& host);
  void SendReset(const ArrayView* ids, const ResetRequest& request, Host& host);
  // Waits for the next full batch. `timeout_ns` < 0: forever. Throws Error{kNothingInFlight} if too
  // little is in flight ever to fill one.
  Waited Recv(Host& host, std::int64_t timeout_ns, Batch& batch);
  // Waits until nothing is in flight, what other threads send meanwhile included, and drops it.
  Waited Drain(Host& host);

  // Closes the pool: whoever waits throws Error{kClosed}, as does every later call; what is queued
  // is dropped. Then waits until the steps that run have ended and frees the environments. Where
  // the wait ends early the pool is closed all the same, and the last step to end frees them. May
  // be called from anywhere, also within a call on this thread: then that call frees them.
  // `timeout_ns` < 0: forever.
  Waited Close(Host& host, std::int64_t timeout_ns);

  bool closed() const { return executor_->lifetime().closed(); }
  std::uint32_t num_envs() const { return num_envs_; }
  std::uint32_t batch_size() const { return config_.batch_size; }
  std::uint32_t num_threads() const { return config_.num_threads; }
  bool ordered() const { return config_.batch_size == num_envs_; }
  const EnvSpec& spec() const { return spec_; }
  // Takes no lock, and works in a forked child and after Close.
  PoolStats stats() const { return executor_->stats(); }

 private:
  class Call;
  using StateLock = std::unique_lock<std::mutex>;

  StateLock Lock(Caller& caller) const;
  void CheckOpen() const;
  const std::uint32_t* ReadIds(const ArrayView* ids, std::uint32_t& n, const char* name = "env_id");
  void CheckSteppable(const std::uint32_t* ids, std::uint32_t n) const;
  void CheckMask(const std::vector<std::uint8_t>& mask) const;
  void CheckHasPicture(const std::uint32_t* ids, std::uint32_t n) const;
  void AddIfFailed(std::uint32_t env, Failures& failed) const;
  Batch Finish(BatchMemory& memory, OpenBatch* open, std::uint32_t rows) const;

  // ordered.cc
  Waited BeginSync(const ArrayView* ids, Caller& caller, Turn::Holder& turn);
  Waited FinishLeftJob(Caller& caller, Batch* batch);
  void StartJob(JobKind kind, const std::uint32_t* ids, std::uint32_t n);
  Waited RunJob(Caller& caller, Batch* batch, Failures* failed);
  void EndJob(Caller& caller, Batch* batch, Failures* failed);

  // first_ready.cc
  void CheckFillsBatch(std::uint64_t rows, const char* call) const;
  void OpenMemory(std::uint32_t n);
  void Enqueue(const std::uint32_t* ids, std::uint32_t n, bool resets);
  Waited SendAndRecv(const ArrayView& actions, const ArrayView* ids, Caller& caller, Batch& batch);
  Waited RecvNext(Caller& caller, std::uint64_t shortages, bool by_recv, Batch& batch);
  OpenBatch* TakeNext();
  Waited DrainQueue(Caller& caller);
  bool LeftByInterrupt(const ArrayView* ids, Caller& caller);

  const EnvSpec spec_;
  const std::uint32_t num_envs_;
  const PoolConfig config_;
  const std::shared_ptr<Executor> executor_;
  const std::vector<std::uint32_t> all_ids_;  // 0, 1, ..., num_envs - 1

  Turn turn_;
  // The executor's job was left unfinished by an interrupted call. Written by holders of turn_.
  std::atomic<bool> job_left_{false};

  // Calls whose interrupts' handlers are in Close. Written by those.
  std::atomic<std::uint32_t> closing_calls_{0};

  mutable std::mutex state_mutex_;
  InFlightSet in_flight_;          // guarded by state_mutex_
  std::uint64_t queued_rows_ = 0;  // sent and not received; guarded by state_mutex_
  // A first-ready step was interrupted after it had sent. Guarded by state_mutex_.
  bool step_left_ = false;
};

}  // namespace engine

#endif  // ENGINE_RUNTIME_POOL_H_
