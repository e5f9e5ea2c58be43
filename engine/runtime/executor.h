// What runs the environments of a pool: threads (thread_executor.h), other processes one day. The
// pool hands it jobs and ids whose actions are staged; it steps the environments and commits rows
// of batches. It knows nothing of callers' rights or of which ids are in flight.
//
// Two ways to run. A job has all its rows known beforehand: the caller works along and gets the
// batch at the end. Environments that are queued write the next free rows of the open batches,
// whichever is ready first; a batch whose last row is written is ready.
#ifndef ENGINE_RUNTIME_EXECUTOR_H_
#define ENGINE_RUNTIME_EXECUTOR_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/batch/action_staging.h"
#include "engine/batch/batch_memory.h"
#include "engine/env/env_group.h"
#include "engine/runtime/host.h"
#include "engine/runtime/telemetry.h"
#include "engine/sync/lifetime.h"

namespace engine {

// Seeds, mask and options of one reset.
struct ResetRequest {
  bool seed_by_env = false;
  std::uint64_t first_seed = 0;
  std::vector<std::uint64_t> seeds;    // per item, or empty
  std::vector<std::uint8_t> has_seed;  // per item, with seeds
  std::vector<std::uint8_t> mask;      // per environment, or empty
  std::unique_ptr<ResetStart> start;   // null: defaults

  ResetPlan Plan() const {
    return {.start = start.get(),
            .seed_by_env = seed_by_env,
            .first_seed = first_seed,
            .seeds = seeds.empty() ? nullptr : seeds.data(),
            .has_seed = has_seed.empty() ? nullptr : has_seed.data(),
            .mask = mask.empty() ? nullptr : mask.data()};
  }
};

struct Job {
  JobKind kind = JobKind::kStep;
  std::uint32_t n = 0;
  std::vector<std::uint32_t> ids;    // of the n environments, or empty: item k is environment k
  OpenBatch* batch = nullptr;        // kStep, kReset
  std::uint8_t* pictures = nullptr;  // kRender
  std::shared_ptr<void> pictures_owner;
  ResetRequest request;  // kReset
  ResetPlan plan;

  EnvRange Envs(std::uint32_t begin, std::uint32_t end) const {
    return {.ids = ids.empty() ? nullptr : ids.data(), .begin = begin, .end = end};
  }
};

class Executor {
 public:
  virtual ~Executor() = default;

  // Where actions are staged before a job or Push that steps.
  virtual ActionStaging& actions() = 0;
  virtual EnvGroup& group() = 0;
  // Memory of batches: num_envs rows for jobs, batch_size rows for queued environments; may be one.
  virtual BatchMemory& job_memory() = 0;
  virtual BatchMemory& queue_memory() = 0;
  // Calls inside the pool are users; at its end the environments are freed.
  virtual Lifetime& lifetime() = 0;
  // After lifetime().Close(): wakes all who wait, so that they leave.
  virtual void WakeToEnd() = 0;
  // Ends what is left of threads, all of which have left the lifetime.
  virtual void Join() = 0;

  // Makes the environments, where they will be stepped. Throws what their constructors throw.
  virtual Waited Construct(Caller& caller) = 0;

  // --- Jobs: one at a time; the pool orders the callers.
  // The job that runs, or the next to be run. Changed by the caller between jobs only.
  virtual Job& job() = 0;
  // Runs it, the calling thread among others. Not kDone: it is left unfinished, for Finish.
  virtual Waited Run(Caller& caller) = 0;
  // Goes on with a job that Run or Finish left. Closed meanwhile: kDone as well.
  virtual Waited Finish(Caller& caller) = 0;

  // --- Queued environments. Batches are numbered in the order in which they become ready to take.
  // Gives memory to the next batch that has none.
  // Requires: under the pool's state lock, as all of these but Ready and the waits.
  virtual void OpenNext(OpenBatch* batch) = 0;
  // How many batches, from the next to be taken on, have memory.
  virtual std::uint32_t num_open() const = 0;
  // Everything about Push that may fail: throws Error{kResources} or std::bad_alloc.
  virtual void PreparePush() = 0;
  // Queues environments: to be reset, or stepped with their staged actions.
  // Requires: PreparePush came before; enough batches are open for all rows that are in flight.
  virtual void Push(const std::uint32_t* ids, std::uint32_t n, bool resets) = 0;
  // Whether the next batch is full. Any thread.
  virtual bool Ready() const = 0;
  // Waits until the next batch is full, stepping queued environments meanwhile where that is
  // lighter than handing them on. Any number of threads; not under any lock. kDone also where the
  // pool is closed, num_shortages() is not `shortages` any more, or another thread has taken the
  // batch.
  virtual Waited WaitForBatch(std::uint64_t shortages, Caller& caller) = 0;
  // The same, until `rows` rows of the next batch are written or num_taken() is not `taken` any
  // more.
  virtual Waited WaitForRows(std::uint32_t rows, std::uint64_t taken, Caller& caller) = 0;
  // Batches ever taken.
  virtual std::uint64_t num_taken() const = 0;
  // Of the next batch.
  virtual std::uint32_t RowsWritten() const = 0;
  // Takes the next batch, which is Ready().
  virtual OpenBatch* Take() = 0;
  // Forgets the rows of a batch that is partly written, if there are any, and tells of a shortage.
  // Requires: all that is in flight is written.
  virtual void DropPartial() = 0;
  // Tells whoever waits for a batch that less is in flight than fills one.
  virtual void TellShortage() = 0;
  // How often that was told.
  virtual std::uint64_t num_shortages() const = 0;

  virtual PoolStats stats() const = 0;
};

}  // namespace engine

#endif  // ENGINE_RUNTIME_EXECUTOR_H_
