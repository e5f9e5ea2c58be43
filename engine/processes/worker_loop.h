// The loop of a worker process. It takes the environments of its ring one at a time, runs them, and
// writes their rows into the batches of the pool's process. Independent of Python.
#ifndef ENGINE_PROCESSES_WORKER_LOOP_H_
#define ENGINE_PROCESSES_WORKER_LOOP_H_

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/batch/batch_memory.h"
#include "engine/group/env_group.h"
#include "engine/processes/shared_state.h"
#include "engine/runtime/host.h"

namespace engine {

class WorkerLoop {
 public:
  // Makes the options of a reset from the bytes that the pool has sent.
  class Options {
   public:
    virtual std::unique_ptr<ResetStart> Read(const std::byte* bytes, std::size_t n) = 0;

   protected:
    ~Options() = default;
  };

  // `group` has already made the environments of this worker. `extras`: those of the pool's
  // batches.
  WorkerLoop(SharedState& state, std::uint32_t worker, EnvGroup& group, BatchExtras extras,
             Options& options);

  // Runs items until the pool is closed or has attached another process (returns true), or until a
  // signal handler requests the end (returns false). Requires: WaitUntilAttached() was true. Holds
  // the host's lock while it runs items. `spin_ns`: how long it spins before it sleeps.
  bool Run(Host& host, double spin_ns);
  // Whether the pool has attached no other process since.
  bool attached() const { return line_.process.load(std::memory_order_acquire) == process_; }

 private:
  void RunItem(std::uint32_t env);
  void RunKnownRow(std::uint32_t env, WorkItem& item, StepCounts& counts);
  void RunQueued(std::uint32_t env, WorkItem& item, StepCounts& counts);
  void Report(std::uint32_t env, WorkItem& item, const StepCounts& counts);
  bool Wait(Host& host, double spin_ns);
  bool closed() const;
  // The view of the batch in these blocks.
  const BatchView& ViewOf(const std::atomic<std::uint64_t>* blocks, bool is_job);

  SharedState& state_;
  const std::uint32_t worker_;
  WorkerLine& line_;
  const std::uint32_t process_;  // the id of this one
  Ring ring_;
  EnvGroup& group_;
  Options& options_;
  const std::atomic<bool> never_closed_{false};
  const ActionSlots actions_;
  const std::shared_ptr<const BatchLayout> job_layout_, queue_layout_;
  // Batches by the offset of their first block, because blocks are reused.
  std::unordered_map<std::uint64_t, std::unique_ptr<OpenBatch>> job_batches_, queue_batches_;
  std::vector<std::uint8_t> resets_;  // per environment, for StepWithoutRows
  const BatchView no_frame_;
};

}  // namespace engine

#endif  // ENGINE_PROCESSES_WORKER_LOOP_H_
