// Runs the environments of a pool: on threads (thread_executor.h), in the calling thread
// (caller_executor.h) or in worker processes (engine/processes). The pool passes it jobs, and ids
// of environments whose actions are staged; the executor steps them and commits rows of batches. It
// does not check arguments and does not track which ids are in flight.
//
// There are two kinds of work. A job has rows that are known in advance: the caller takes part and
// gets the batch at the end. Queued environments get the next free rows of the open batches (those
// that have memory and are not taken yet), in the order in which they finish. A batch is ready when
// its last row is written.
#ifndef ENGINE_RUNTIME_EXECUTOR_H_
#define ENGINE_RUNTIME_EXECUTOR_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/batch/action_staging.h"
#include "engine/batch/batch_memory.h"
#include "engine/group/env_group.h"
#include "engine/runtime/host.h"
#include "engine/sync/lifetime.h"
#include "engine/telemetry/counters.h"

namespace engine {

// Seeds, mask and options of one reset.
struct ResetRequest {
  bool seed_by_env = false;
  std::uint64_t first_seed = 0;
  std::vector<std::uint64_t> seeds;    // per item, or empty
  std::vector<std::uint8_t> has_seed;  // per item, with seeds
  std::vector<std::uint8_t> mask;      // per environment, or empty; only without ids
  std::unique_ptr<ResetStart> start;   // null: defaults
  // Per item, states to load (ResetPlan::states), in place of all other fields.
  std::optional<std::vector<std::string>> states;

  ResetPlan Plan() const {
    return {.start = start.get(),
            .seed_by_env = seed_by_env,
            .first_seed = first_seed,
            .seeds = seeds.empty() ? nullptr : seeds.data(),
            .has_seed = has_seed.empty() ? nullptr : has_seed.data(),
            .mask = mask.empty() ? nullptr : mask.data(),
            .states = states ? states->data() : nullptr};
  }
};

struct Job {
  JobKind kind = JobKind::kStep;
  std::uint32_t n = 0;
  std::vector<std::uint32_t> ids;    // of the n environments; empty: item k is environment k
  OpenBatch* batch = nullptr;        // kStep, kReset
  std::uint8_t* pictures = nullptr;  // kRender
  std::shared_ptr<void> pictures_owner;
  ResetRequest request;  // kReset
  ResetPlan plan;
  std::shared_ptr<const void> call;  // kCall; see EnvGroup::CallRows

  EnvRange Envs(std::uint32_t begin, std::uint32_t end) const {
    return {.ids = ids.empty() ? nullptr : ids.data(), .begin = begin, .end = end};
  }
};

class Executor {
 public:
  virtual ~Executor() = default;

  // The memory into which actions are staged before a job or a Push that steps environments.
  virtual ActionSink& actions() = 0;
  virtual EnvGroup& group() = 0;
  // Memory of batches, with num_envs rows for jobs and batch_size rows for queued environments;
  // both may be the same object.
  virtual BatchMemory& job_memory() = 0;
  virtual BatchMemory& queue_memory() = 0;
  // Counts calls inside the pool as users. When the lifetime ends, the environments are freed.
  virtual Lifetime& lifetime() = 0;
  // Whether environments are stepped in this process, so that they can write into any of its
  // memory.
  virtual bool writes_targets() const { return true; }
  // Called after lifetime().Close(): wakes all waiting threads, so that they leave.
  virtual void WakeToEnd() = 0;
  // Joins the remaining threads, all of which have called Lifetime::Leave.
  virtual void Join() = 0;

  // Makes the environments on the threads that will step them. Rethrows an exception of a
  // constructor.
  virtual WaitResult Construct(Caller& caller) = 0;

  // --- Jobs: one at a time; the pool serialises the callers.
  // The current job, or the next one. Changed by the caller only, between jobs.
  virtual Job& job() = 0;
  // Runs the job on the calling thread and others. If the result is not kDone, Finish must complete
  // the job.
  virtual WaitResult Run(Caller& caller) = 0;
  // Continues a job that Run or Finish has not completed. Also returns kDone if the pool is closed.
  virtual WaitResult Finish(Caller& caller) = 0;

  // --- Queued environments. Batches have an order; a later one is not taken before an earlier one,
  // even if it is full first. "The next batch" is the next one to be taken.
  // Assigns memory to the first batch that has none.
  // Requires: the pool's state lock is held, as for all methods of this section except Ready and
  //   the waits.
  virtual void OpenNext(OpenBatch* batch) = 0;
  // The number of batches that have memory, counted from the next one to be taken.
  virtual std::uint32_t num_open() const = 0;
  // Does the parts of Push that may fail: throws Error{kResources} or std::bad_alloc.
  virtual void PreparePush() = 0;
  // Queues environments to be reset, or to be stepped with their staged actions.
  // Requires: PreparePush has succeeded; enough batches are open for all rows in flight.
  virtual void Push(const std::uint32_t* ids, std::uint32_t n, bool resets) = 0;
  // Whether the next batch is full. Any thread.
  virtual bool Ready() const = 0;
  // Waits until the next batch is full. Meanwhile steps queued environments if that costs less than
  // handing them to another thread. Also returns kDone if the pool is closed,
  // num_shortfalls() differs from `shortfalls_seen`, or another thread has taken the batch. Any
  // number of threads, which hold no lock.
  virtual WaitResult WaitForBatch(std::uint64_t shortfalls_seen, Caller& caller) = 0;
  // Waits until `rows` rows of the next batch are written or num_taken() differs from `taken`.
  // Otherwise as WaitForBatch.
  virtual WaitResult WaitForRows(std::uint32_t rows, std::uint64_t taken, Caller& caller) = 0;
  // The number of batches taken so far.
  virtual std::uint64_t num_taken() const = 0;
  // The number of rows written into the next batch.
  virtual std::uint32_t RowsWritten() const = 0;
  // Takes the next batch.
  // Requires: Ready().
  virtual OpenBatch* Take() = 0;
  // Drops the rows of a partly written batch, if there is one, and calls NotifyTooFewInFlight().
  // Requires: everything in flight has been written.
  virtual void DropPartial() = 0;
  // Wakes the threads that wait for a batch, because fewer environments than a batch has rows are
  // left in flight. They check the number again, and throw if it is still too small.
  virtual void NotifyTooFewInFlight() = 0;
  // The number of calls of NotifyTooFewInFlight(). A waiting thread compares it with an earlier
  // value.
  virtual std::uint64_t num_shortfalls() const = 0;

  // --- Telemetry: any thread, without a lock, also after the end of the lifetime.
  virtual PoolStats stats() const = 0;
  virtual std::vector<ThreadStats> thread_stats() const = 0;
  // Environments that wait in the queue now.
  virtual std::uint64_t num_queued() const = 0;
  // As in Telemetry. StartRecording returns false if this executor cannot record.
  virtual bool StartRecording(std::uint32_t /*events_per_thread*/) { return false; }
  virtual void StopRecording() {}
  virtual const Recorder* recorded() const { return nullptr; }
};

}  // namespace engine

#endif  // ENGINE_RUNTIME_EXECUTOR_H_
