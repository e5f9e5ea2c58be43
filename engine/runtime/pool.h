// One pool: its environments, worker threads and batches. Bindings call it from
// any number of Python threads; environments and Python are unknown to it.
//
// Two ways in. A synchronous call (step, reset) runs one job over known rows:
// Begin... checks and copies the arguments, RunJob works, EndJob hands out the
// batch; the caller holds job_mutex() around the three. The asynchronous way is
// Send, which queues environments for the workers, and Recv, which takes the
// next full batch. An environment takes part in one of them at a time: the
// ledger knows it as in flight from the call that starts it to the one that
// returns its row.
//
// Locks, in this order: recv_mutex_, job_mutex_, state_mutex_. The last is held
// for bookkeeping only, never while environments run or anyone waits.
#ifndef ENGINE_RUNTIME_POOL_H_
#define ENGINE_RUNTIME_POOL_H_

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "engine/batch/batch_memory.h"
#include "engine/env/env_group.h"
#include "engine/runtime/action_staging.h"
#include "engine/runtime/cost_model.h"
#include "engine/runtime/crew.h"
#include "engine/runtime/ledger.h"
#include "engine/runtime/telemetry.h"
#include "engine/runtime/topology.h"
#include "engine/sync/action_queue.h"
#include "engine/sync/parker.h"
#include "engine/sync/sharded_range.h"
#include "engine/sync/state_queue.h"

namespace engine {

struct PoolConfig {
  std::uint32_t batch_size = 1;   // in [1, num_envs]; num_envs: ordered mode
  std::uint32_t num_threads = 1;  // threads that step environments
  AutoresetMode autoreset = AutoresetMode::kNextStep;
  bool dm_columns = false;
  std::uint64_t max_blocks = 0;  // of batch memory, see BatchMemory; 0: no cap
};

// Seeds, mask and options of one reset, as the bindings have read them.
struct ResetRequest {
  bool seed_by_env = false;
  std::uint64_t first_seed = 0;
  std::vector<std::uint64_t> seeds;    // per item, or empty
  std::vector<std::uint8_t> has_seed;  // per item, with seeds
  std::vector<std::uint8_t> mask;      // per environment, or empty
  std::unique_ptr<ResetStart> start;   // null: defaults
};

// Asked now and then by a thread that waits, so that Ctrl-C works.
class Interrupts {
 public:
  virtual bool Pending() = 0;

 protected:
  ~Interrupts() = default;
};

enum class Waited : std::uint8_t { kDone, kInterrupted, kTimedOut };

class Pool final : private WorkSource {
 public:
  // Makes the environments (on the workers where memory placement matters).
  Pool(std::unique_ptr<EnvGroup> group, const PoolConfig& config, const Topology& topology);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // Held by a synchronous caller from Begin... to EndJob.
  std::mutex& job_mutex() { return job_mutex_; }
  // Held by a receiver around Recv or Drain.
  std::mutex& recv_mutex() { return recv_mutex_; }

  // Begin...: everything that can be wrong with the arguments is found here and
  // thrown as an Error; nothing has changed then. `ids` null: all environments.
  void BeginStep(const ArrayView& actions, const ArrayView* ids);
  void BeginReset(const ArrayView* ids, ResetRequest request);
  // Under job_mutex(): the options for BeginReset in the environment's type.
  // Throws what the environment finds wrong with them.
  std::unique_ptr<ResetStart> ParseStart(const ParamValues& reset_options) const {
    CheckOpen();
    return group_->ParseStart(reset_options);
  }
  // What RunJob will take if one thread does it all, ns; an estimate. 0: unknown.
  double PredictedJobNs() const;
  // kInterrupted leaves the job running; Recv returns its batch.
  Waited RunJob(Interrupts& interrupts);
  Batch EndJob();

  // Draws environments into `pictures`, one after the other, as they are now; or
  // writes their scenes there (see EnvGroup::RenderRows).
  // Works like a step (several threads, the same refusals), under job_mutex();
  // no batch comes of it, only the environments that could not be drawn: those
  // count as failed and are black. Throws like Begin..., and Error{kRenderMode}
  // if the pool was not made to render. If it throws Error{kClosed}, threads may
  // go on writing to `pictures` until Close has returned.
  Failures Render(const ArrayView* ids, std::uint8_t* pictures);

  // Queues environments; returns at once. Throws like Begin..., and with
  // `fills_batch` Error{kNothingInFlight} if a Recv after it could not complete.
  void Send(const ArrayView& actions, const ArrayView* ids, bool fills_batch = false);
  void SendReset(const ArrayView* ids, const ResetRequest& request);
  // Waits for the next full batch. `timeout_ns` < 0: forever.
  // Throws Error{kNothingInFlight} if too little is in flight ever to fill one.
  Waited Recv(Interrupts& interrupts, std::int64_t timeout_ns, Batch& batch);
  // Whether Recv would return at once; for the receiver.
  bool BatchReady() const { return states_.Ready(); }
  // Waits until nothing is in flight and drops the results.
  Waited Drain(Interrupts& interrupts);

  // For construction and seeds at construction; nothing may be in flight.
  void SeedAll(const ResetRequest& seeds);

  // Waits for the pieces of work that run now, drops what is queued, wakes all
  // who wait (they throw Error{kClosed}), frees the environments. Idempotent.
  void Close();
  // In the child of a fork: forgets threads that do not exist here.
  void Abandon() { crew_.Abandon(); }

  bool closed() const { return closing_.load(std::memory_order_acquire); }
  std::uint32_t num_envs() const { return num_envs_; }
  std::uint32_t batch_size() const { return config_.batch_size; }
  std::uint32_t num_threads() const { return config_.num_threads; }
  bool ordered() const { return config_.batch_size == num_envs_; }
  const EnvSpec& spec() const { return spec_; }
  PoolStats stats() const;

 private:
  enum class Op : std::uint8_t { kConstruct, kStep, kReset, kRender };
  static constexpr std::size_t kNumOps = 4;
  static constexpr std::uint32_t kMaxChunk = 256;

  // The synchronous call in progress. Written by the caller before Publish;
  // read by those who claimed a part of it.
  struct Job {
    Op op = Op::kConstruct;
    std::vector<std::uint32_t> id_storage;  // capacity kept
    const std::uint32_t* ids = nullptr;     // null: item k is environment k
    std::uint32_t n = 0;
    std::uint32_t first = 0;           // item of index 0 of range_
    OpenBatch* batch = nullptr;        // null: kRender
    std::uint8_t* pictures = nullptr;  // kRender
    ResetRequest request;
    ResetPlan plan;
    // The caller went away before the end; Recv returns the batch. Written by
    // holders of job_mutex_, read by Recv before it takes that.
    std::atomic<bool> interrupted{false};
  };

  // What a worker needs to step environments whose rows are not known yet.
  struct Scratch;

  // WorkSource, for the crew.
  void Prepare(std::uint32_t worker) override;
  bool RunSome(std::uint32_t worker) override;
  bool HasWork(std::uint32_t worker) const override;

  void CheckOpen() const;
  void CheckSteppable(const std::uint32_t* ids, std::uint32_t n) const;
  void CheckHasPicture(const std::uint32_t* ids, std::uint32_t n) const;
  void StartJob(Op op, std::uint32_t n, bool all);
  const std::uint32_t* ReadIds(const ArrayView* ids, std::uint32_t& n, const char* name = "env_id");

  CostModel& CostOf(Op op) { return costs_[static_cast<std::size_t>(op)]; }
  const CostModel& CostOf(Op op) const { return costs_[static_cast<std::size_t>(op)]; }
  void RunItems(std::uint32_t begin, std::uint32_t end, std::uint32_t writer);
  std::uint32_t RunInline(double limit_ns, Interrupts& interrupts, bool& interrupted);
  double InlineLimitNs();
  void ShareJob(std::uint32_t first, bool steal);
  Waited HelpJob(std::uint32_t shard, std::uint32_t writer, Interrupts* interrupts, bool& worked);
  Waited FinishSharedJob(Interrupts& interrupts, std::int64_t timeout_ns);
  Waited WaitForJob(Interrupts& interrupts, std::int64_t timeout_ns);

  void Enqueue(const std::uint32_t* ids, std::uint32_t n, bool is_reset);
  void MarkResets(const std::uint32_t* ids, std::uint32_t n, bool is_reset);
  std::unique_ptr<Scratch> MakeScratch(std::uint32_t lane) const;
  bool ReceiverSteps() const;
  bool ReceiverSits(std::int64_t timeout_ns) const;
  void SetSeated(bool seated);
  std::uint32_t FreeSeats();
  void NoteRecv(std::int64_t timeout_ns);
  void StepWhileReceiving();
  void NoteReceiverStep(double ns, double expected_ns, bool seated);
  bool RunQueued(Scratch& scratch, std::uint32_t worker);
  bool RunQueuedIn(Scratch& scratch, std::uint32_t worker, bool seated);
  void ProcessDirect(const std::uint32_t* ids, std::uint32_t n, std::uint32_t writer);
  void ProcessChunk(Scratch& scratch, std::uint32_t n, std::uint32_t worker);
  void DeliverTickets(Scratch& scratch, const std::uint32_t* ids, std::uint32_t n,
                      std::uint32_t worker);
  void DeliverRows(Scratch& scratch, std::uint32_t first, std::uint32_t n,
                   StateQueue<>::Place place, const std::uint32_t* ids, std::uint32_t worker);
  template <class Ready>
  Waited WaitUntil(Parker<>& parker, Ready&& ready, Interrupts& interrupts,
                   std::int64_t timeout_ns);
  template <class Ready>
  void WakeIfStuck(Ready&& ready);
  Waited RecvJob(Interrupts& interrupts, std::int64_t timeout_ns, Batch& batch);
  void CheckFillsBatch(std::uint64_t rows, const char* call) const;
  void FinishBatch(BatchMemory& memory, OpenBatch* open, std::uint32_t rows, Batch& batch) const;
  void AddIfFailed(std::uint32_t env, Failures& failed) const;
  bool CallerMaySpin() const;

  const EnvSpec spec_;
  const std::uint32_t num_envs_;
  const PoolConfig config_;
  std::unique_ptr<EnvGroup> group_;
  ActionStaging staging_;             // slots of an environment: whoever holds it
  std::vector<std::uint8_t> resets_;  // per environment: queued for reset; as above
  // How many of those are set. Written under state_mutex_; whoever has taken an
  // environment from the queue that is to be reset finds it counted, for the queue's
  // release and acquire come between, and its flag stays until it is sent again.
  std::atomic<std::uint32_t> num_resets_{0};
  Telemetry telemetry_;  // writers: worker i, then one for job callers, one for receivers
  CostModel costs_[kNumOps];

  std::mutex recv_mutex_;
  std::mutex job_mutex_;
  mutable std::mutex state_mutex_;
  Ledger ledger_;                        // guarded by state_mutex_
  std::uint64_t queued_rows_ = 0;        // sent and not received; guarded by state_mutex_
  std::uint64_t sent_rows_ = 0;          // rows ever sent; guarded by state_mutex_
  std::uint64_t installed_batches_ = 0;  // that have had a block; guarded by state_mutex_
  Job job_;                              // guarded by job_mutex_
  std::uint64_t last_job_end_ = 0;       // ticks; guarded by job_mutex_
  std::uint32_t quick_jobs_ = 0;         // in a row; guarded by job_mutex_
  SharingGain sharing_;                  // guarded by job_mutex_
  std::mutex construct_error_mutex_;
  std::exception_ptr construct_error_;

  // Calls are guarded by state_mutex_.
  BatchMemory full_memory_;                      // num_envs rows: synchronous calls
  std::unique_ptr<BatchMemory> partial_memory_;  // batch_size rows; null in ordered mode
  BatchMemory& batch_memory_;                    // of asynchronous calls: one of the two
  ShardedRange<> range_;
  // Bounds of the pieces to claim. A worker may read those of the job before:
  // any value is right, a fitting one is fast.
  std::atomic<std::uint32_t> min_piece_{1}, max_piece_{1};
  Parker<> job_done_;
  ActionQueue<> queue_;  // a lane per worker, and the receiver's
  StateQueue<> states_;
  // The open batch of each slot; written under state_mutex_ before the actions
  // that end up there are queued, cleared by the receiver.
  std::vector<OpenBatch*> open_batches_;
  Parker<> batch_full_;
  std::atomic<bool> draining_{false};
  std::uint64_t sent_at_ = 0;  // ticks of the last send; guarded by state_mutex_
  // Receives in a row that came right after a send; written by the receiver, and
  // set back by whoever meets a slow environment.
  std::atomic<std::int32_t> quick_recvs_{0};
  // Queued work is the receiver's: workers leave it alone until a Recv that does
  // not step it, or a Send that wants them, clears this and wakes them. Release
  // pairs with the acquire in HasWork.
  std::atomic<bool> left_to_receiver_{false};
  CostModel receiver_cost_;  // of a step in Recv; written by the receiver
  // Receives that came soon after the one before, less those that did not; written
  // by the receiver.
  std::atomic<std::int32_t> tight_recvs_{0};
  std::uint64_t received_at_ = 0;  // ticks, the end of the last Recv; guarded by state_mutex_
  // The receiver steps heavy environments too, in the seat of a worker: stepping_
  // counts those of the workers that step meanwhile. Read-modify-writes of it are
  // totally ordered: a Send that finds all seats taken is seen by the next worker
  // that leaves one, which looks at the queue once more before it sleeps.
  std::atomic<bool> receiver_seated_{false};
  std::atomic<std::uint32_t> stepping_{0};
  // Made under state_mutex_ at the first send, used by the receiver after that.
  std::unique_ptr<Scratch> receiver_scratch_;
  std::atomic<bool> closing_{false};

  std::vector<std::unique_ptr<Scratch>> scratch_;  // per worker, made before it starts
  const std::vector<std::uint32_t> all_ids_;       // 0, 1, ..., num_envs - 1
  Crew crew_;                                      // last: its threads use everything above
};

}  // namespace engine

#endif  // ENGINE_RUNTIME_POOL_H_
