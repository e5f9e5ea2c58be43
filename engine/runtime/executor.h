// Runs the environments of a pool: on threads (thread_executor.h), in the calling thread
// (inline_executor.h) or in worker processes (engine/processes). The pool passes it jobs, and ids
// of environments whose actions are staged; the executor steps them and commits rows of batches. It
// does not check arguments and does not track which ids are in flight.
//
// There are two kinds of work. A job has rows that are known in advance: the caller takes part and
// gets the batch at the end. Queued environments get the next free rows of the open batches
// (open_batches.h), in the order in which they finish. A batch is ready when its last row is
// written.
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
#include "engine/runtime/open_batches.h"
#include "engine/sync/lifetime.h"
#include "engine/telemetry/counters.h"

namespace engine {

// Seeds, mask and options of one reset.
struct ResetRequest {
  bool seed_by_env = false;
  std::uint64_t first_seed = 0;
  std::vector<std::uint64_t> seeds;    // per item, or empty
  std::vector<std::uint8_t> has_seed;  // per item, with seeds
  std::vector<std::uint8_t> mask;      // per item: whether to reset it, not only observe; or empty
  std::shared_ptr<ResetStart> start;   // null: defaults
  // Per item, other constructor options of the environment; or empty. Not for items that the mask
  // excludes.
  std::vector<EnvSettingPtr> settings;
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
  std::shared_ptr<const void> method;  // kCallMethod; see EnvGroup::CallMethodRows

  // Runs items [begin, end), which are not constructions. Returns the number of items that were
  // run, which is smaller if `stop` ended the loop.
  std::uint32_t RunItems(EnvGroup& group, const ActionSlots& actions, std::uint32_t begin,
                         std::uint32_t end, const StopCondition& stop, StepCounts& counts) const {
    const EnvRange range{.ids = ids.empty() ? nullptr : ids.data(), .begin = begin, .end = end};
    switch (kind) {
      case JobKind::kStep:
        return group.StepRows(range, actions, batch->view(), stop, counts);
      case JobKind::kReset:
        return group.ResetRows(range, plan, batch->view(), stop, counts);
      case JobKind::kRender:
        return group.RenderRows(range, pictures, stop, counts);
      default:
        return group.CallMethodRows(range, method.get(), stop, counts);
    }
  }
};

class Executor {
 public:
  virtual ~Executor() = default;
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // The memory into which actions are staged before a job or a Push that steps environments.
  virtual ActionSink& actions() = 0;
  virtual GroupState& group() = 0;
  virtual OpenBatches& batches() = 0;
  // Counts calls inside the pool as users. When it ends, the environments are freed.
  Lifetime& lifetime() { return lifetime_; }
  // Whether environments are stepped in this process, so that they can write into any of its
  // memory.
  virtual bool writes_targets() const { return true; }
  // Called after lifetime().Close(): wakes all waiting threads, so that they leave.
  virtual void WakeToEnd() = 0;
  // Called while the pool waits for running steps after lifetime().Close(); gives up steps that
  // take too long.
  virtual void GiveUpLateSteps() {}
  // Joins the remaining threads, all of which have called Lifetime::Leave.
  virtual void Join() {}

  // Makes the environments on the threads that will step them. Rethrows an exception of a
  // constructor.
  virtual WaitResult Construct(WaitContext& caller) = 0;

  // --- Jobs: one at a time; the pool serialises the callers.
  // The current job, or the next one. Changed by the caller only, between jobs.
  Job& job() { return job_; }
  // Runs the job on the calling thread and others. If the result is not kDone, Finish must complete
  // the job.
  virtual WaitResult Run(WaitContext& caller) = 0;
  // Continues a job that Run or Finish has not completed. Also returns kDone if the pool is closed.
  virtual WaitResult Finish(WaitContext& caller) = 0;

  // --- Queued environments, whose rows go into the open batches.
  // Does the parts of Push that may fail: throws Error{kResources} or std::bad_alloc.
  // Requires: the pool's state lock is held, as for Push.
  virtual void EnsureCanPush() {}
  // Queues environments to be reset, or to be stepped with their staged actions.
  // Requires: EnsureCanPush has succeeded; enough batches are open for all rows in flight.
  virtual void Push(const std::uint32_t* ids, std::uint32_t n, bool resets) = 0;
  // Waits until the next batch is full. Meanwhile steps queued environments if that costs less than
  // handing them to another thread. Also returns kDone if the pool is closed, the epoch is not
  // `epoch` (see OpenBatches::underfull_epoch), or another thread has taken the batch. Any number
  // of threads, which hold no lock.
  virtual WaitResult WaitForBatch(std::uint64_t epoch, WaitContext& caller) = 0;
  // Waits until `rows` rows of the next batch are written or num_taken() differs from `taken`.
  // Otherwise as WaitForBatch.
  virtual WaitResult WaitForRows(std::uint32_t rows, std::uint64_t taken, WaitContext& caller) = 0;

  // --- Telemetry: any thread, without a lock, also after the end of the lifetime.
  // Without the memory of batches.
  PoolStats stats() const {
    PoolStats stats;
    for (const ThreadStats& thread : thread_stats()) stats.Add(thread);
    AddTo(stats);
    return stats;
  }
  virtual std::vector<ThreadStats> thread_stats() const = 0;
  // Environments that wait in the queue now.
  virtual std::uint64_t num_queued() const = 0;
  // What the threads step at the moment, and how long the latest step of an environment took (0:
  // unknown). Empty and 0 for executors that do not know.
  virtual std::vector<RunningPiece> running() const { return {}; }
  virtual float LatestStepNs(std::uint32_t /*env*/) const { return 0.0F; }
  // As in Telemetry. StartRecording returns false if this executor cannot record.
  virtual bool StartRecording(std::uint32_t /*events_per_thread*/) { return false; }
  virtual void StopRecording() {}
  virtual const Recorder* recorded() const { return nullptr; }

 protected:
  Executor() = default;

  // Adds what thread_stats() lacks.
  virtual void AddTo(PoolStats& /*stats*/) const {}
  // Frees the environments at the end of the lifetime, if they are in this process.
  virtual void FreeEnvs() {}

  Lifetime lifetime_{[this] {
    FreeEnvs();
    batches().CloseMemory();
  }};
  Job job_;
};

}  // namespace engine

#endif  // ENGINE_RUNTIME_EXECUTOR_H_
