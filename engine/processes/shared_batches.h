// The open batches of a ProcessExecutor. Part of its implementation: it reads what workers have
// written, and does not believe it.
#ifndef ENGINE_PROCESSES_SHARED_BATCHES_H_
#define ENGINE_PROCESSES_SHARED_BATCHES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/processes/process_executor.h"

namespace engine {

[[noreturn]] inline void ThrowDamaged(const std::string& what) {
  throw Error(ErrorKind::kWorker,
              "a worker process has damaged the memory that it shares with the pool (" + what +
                  "): close the pool");
}

// The ledger of the rows that workers write. Recovery reads the open batches and queued_, with
// mutex_ held.
class ProcessExecutor::SharedBatches final : public BatchLedger<Tickets, ProcessSync> {
 public:
  SharedBatches(ProcessExecutor& executor, const EnvSpec& spec)
      : BatchLedger(spec, executor.geometry_.num_envs,
                    {.batch_size = executor.geometry_.batch_size,
                     .extras = executor.config_.batches.extras,
                     .max_blocks = executor.config_.batches.max_blocks,
                     .allocator = executor.arena_},
                    executor.state_.header().done, UINT32_MAX, executor.state_.rows()),
        executor_(executor),
        ids_(executor.geometry_.batch_size),
        row_of_(executor.geometry_.num_envs, 0) {}

  void Open(OpenBatch* batch) override {
    executor_.ShareBlocks(*batch, tickets().slot(next_slot()).blocks);
    BatchLedger::Open(batch);
  }

  OpenBatch* Take() override {
    OpenBatch* batch = nullptr;
    {
      const ScopedLock lock(executor_.mutex_);
      CopyIds();
      for (const std::uint32_t env : ids_) executor_.queued_[env] = 0;
      batch = TakeHead();
      if (batch == nullptr) ThrowDamaged("the number of the next batch has changed");
    }
    StepCounts counts;
    for (const std::uint32_t env : ids_) executor_.group_->ReadReport(env, counts);
    batch->Count(counts);
    Taken();
    return batch;
  }

  void DropPartial() override {
    {
      const ScopedLock lock(executor_.mutex_);
      const OpenBatch* const batch = at(tickets().head_slot());
      StepCounts counts;
      for (std::uint32_t row = 0; batch != nullptr && row < tickets().rows_per_batch(); ++row) {
        if (!tickets().IsCommitted(tickets().head_batch(), row)) continue;
        const auto env = static_cast<std::uint32_t>(batch->view().env_id[row]);
        if (env >= executor_.queued_.size()) continue;
        executor_.queued_[env] = 0;
        executor_.group_->ReadReport(env, counts);
      }
      DropHead();
    }
    WakeReceivers();
  }

 private:
  // Copies the ids of the next batch to ids_. Throws Error{kWorker} and changes nothing if they are
  // not those of environments that were queued, because then a worker has damaged the memory.
  void CopyIds() ENGINE_REQUIRES(executor_.mutex_) {
    const OpenBatch* const batch = at(tickets().head_slot());
    if (batch == nullptr) ThrowDamaged("it has filled a batch that was not opened");
    const std::int32_t* const ids = batch->view().env_id;
    for (std::uint32_t row = 0; row < ids_.size(); ++row) {
      const auto env = static_cast<std::uint32_t>(ids[row]);
      const bool sent = env < executor_.queued_.size() && executor_.queued_[env] != 0;
      if (!sent || (row_of_[env] < row && ids_[row_of_[env]] == env)) {
        ThrowDamaged("row " + std::to_string(row) + " is of environment " +
                     std::to_string(static_cast<std::int32_t>(env)) + ", which was not sent");
      }
      ids_[row] = env;
      row_of_[env] = row;
    }
  }
  ProcessExecutor& executor_;
  std::vector<std::uint32_t> ids_;     // of the batch that is taken
  std::vector<std::uint32_t> row_of_;  // by environment: its latest row in ids_
};

}  // namespace engine

#endif  // ENGINE_PROCESSES_SHARED_BATCHES_H_
