// A simulated pool: the caller and the workers of ThreadExecutor as processes, with the engine's
// own policy (policy.h) and placement (placement.h). The queues are those of engine/sync with their
// words as simulated cache lines: what each operation reads and writes, and in which order, follows
// their code.
//
// Simplified: a compare-exchange succeeds at its turn; spinning threads do not slow the thread that
// changes the line they watch, except for the time that it takes to serve each reader; the caller
// has a processor of its own unless there are as many threads as processors.
#ifndef ENGINE_BENCHMARKS_SIMULATE_POOL_MODEL_H_
#define ENGINE_BENCHMARKS_SIMULATE_POOL_MODEL_H_

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <random>
#include <vector>

#include "benchmarks/simulate/event_loop.h"
#include "benchmarks/simulate/machine_model.h"
#include "engine/runtime/policy.h"
#include "engine/topology/topology.h"

namespace engine::simulate {

struct Workload {
  double step_ns = 20'000.0;
  double spread = 0.1;           // of the logarithm of a step's duration
  std::uint32_t slow_every = 0;  // every n-th environment is slow; 0: none
  double slow_factor = 50.0;
  double row_bytes = 64.0;     // of an observation
  double state_bytes = 128.0;  // that a step touches
  double consumer_ns = 0.0;    // between the results of a batch and its actions
};

struct Shape {
  std::uint32_t num_threads = 1;
  std::uint32_t num_envs = 1;
  std::uint32_t batch_size = 1;
  bool ordered() const { return num_envs == batch_size; }
};

// Alternatives of the engine's design, to be compared.
struct Design {
  // Workers that wait on one WorkSignal; 0: all of the pool.
  std::uint32_t workers_per_signal = 0;
  // Counters in which workers take permission to spin.
  std::uint32_t permit_stripes = 1;
  // Threads count finished items, and used-up shards, per group of so many shards first; 0: all in
  // one counter.
  std::uint32_t shards_per_count = 0;
  // Workers that keep losing the race for work go to sleep.
  bool limits_fruitless_spins = false;
  // Pieces from the queue are longer with more threads.
  bool longer_pieces = false;
  // Environments wait in the queue of their node, from which the workers of the node take first.
  bool queue_per_node = false;
  // A batch has rows of one node's environments only; it has batch_size / nodes rows.
  bool batch_per_node = false;
};

struct Outcome {
  double steps_per_s = 0.0;
  double step_share = 0.0;              // part of the threads' time that is spent in environments
  double shared_writes_per_step = 0.0;  // of lines that more than one thread writes
  double moves_per_step = 0.0;          // of such lines between processors
};

class PoolModel {
 public:
  PoolModel(const Topology& topology, const Costs& costs, const Workload& workload,
            const Shape& shape, const Design& design, std::uint64_t seed);
  // Runs for `warm_up_ns` and then measures for `ns`.
  Outcome Run(double warm_up_ns, double ns);

 private:
  // A thread that waits until it is resumed by another one or at a deadline.
  struct Waiter {
    std::coroutine_handle<> handle;
    std::uint64_t number = 0;  // of the wait; a later deadline of an earlier wait does nothing
    bool waiting = false;
  };
  struct Group;
  // Environments that have an action: ActionQueue.
  struct Queue {
    Line tail_line, head_line;
    std::vector<std::uint32_t> ids;  // a ring
    std::uint64_t tail = 0, head = 0;
    std::uint64_t waiting() const { return tail - head; }
  };
  // The open batches that share rows: RowTickets.
  struct Batches {
    Line ticket_line;
    std::vector<Line> written_lines;
    std::uint64_t ticket = 0, taken = 0;
    std::vector<std::uint32_t> written;            // by slot
    std::vector<std::vector<std::uint32_t>> rows;  // ids, by slot
    std::uint64_t head_slot() const { return taken % written.size(); }
  };
  struct Thread {
    const Processor* cpu = nullptr;
    Group* group = nullptr;
    std::uint32_t index = 0;
    std::uint32_t queue = 0;                                           // of its node
    std::uint32_t first_queue = 0, second_queue = 0, until_check = 0;  // see NodeQueues::Taker
    std::uint32_t epoch = 0;  // the latest job that it has seen
    Waiter waiter;
    std::vector<std::uint32_t> taken;
    bool spinning = false, sleeping = false;
    double fruitless_ns = 0.0;  // see WorkerSpinNs
  };
  // The workers that wait on one WorkSignal.
  struct Group {
    Group(Loop& loop, const Costs& costs)
        : spinners(loop, costs), sleepers(loop, costs), pending_wakes(loop, costs) {}
    Line spinners, sleepers, pending_wakes;
    std::uint32_t num_spinning = 0;
    std::uint32_t num_pending = 0;
    std::deque<Thread*> asleep;
  };

  // pool_model.cc
  Task CallOrdered();
  Task CallFirstReady();
  Task Work(Thread& thread, std::uint32_t shard, bool& worked);
  Task Report(Thread& thread, std::uint32_t shard, std::uint32_t& finished);
  Task Claim(Thread& thread, std::uint32_t shard, std::uint32_t& begin, std::uint32_t& end);
  void MakeQueues();
  Task RunPiece(Thread& thread, bool& found);
  Task CompareQueues(Thread& thread);
  Task RunPieceOf(Thread& thread, std::uint32_t queue, bool& found);
  Task Push(const std::vector<std::uint32_t>& ids);
  Task Commit(Thread& thread, Batches& batches, std::uint32_t slot, std::uint32_t n);
  // The first batches, from next_batches_ on, whose next batch is full; null: none.
  Batches* Full();
  double StepNs(Thread& thread, std::uint32_t env);
  double RowsNs(const Thread& thread, std::uint32_t rows) const;
  std::uint32_t GroupOf(std::uint32_t shard) const {
    return design_.shards_per_count == 0 ? 0 : shard / design_.shards_per_count;
  }
  bool QueueHasWork() const {
    return std::ranges::any_of(queues_, [](const Queue& queue) { return queue.waiting() > 0; });
  }
  bool HasWork(const Thread& thread) const { return thread.epoch != epoch_ || QueueHasWork(); }
  // waiting_model.cc
  Task RunWorker(Thread& thread);
  Task Idle(Thread& thread);
  Task Sleep(Thread& thread);
  Task Wake(Thread& by, std::uint32_t wanted);
  Task WakeSleepers(Thread& by, Group& group, std::uint32_t wanted);
  void NoticeAll(const Processor& from);
  Task CallerWaits(bool& ready);
  Task NotifyCaller(Thread& by);
  void Resume(Thread& thread, double time);
  Task Deadline(Thread& thread, std::uint64_t number, double time);
  auto WaitFor(Thread& thread) {
    struct Awaiter {
      Thread& thread;
      bool await_ready() const { return false; }
      void await_suspend(std::coroutine_handle<> handle) const {
        thread.waiter = {handle, thread.waiter.number + 1, true};
      }
      void await_resume() const {}
    };
    return Awaiter{thread};
  }
  Workers Counts() const;
  Line MakeLine() { return Line(loop_, costs_); }
  void Finished(double ns, std::uint32_t steps);
  std::uint64_t SharedWrites(bool moves) const;

  const Costs costs_;
  const Workload workload_;
  const Shape shape_;
  const Design design_;
  Machine machine_;
  Loop loop_;
  std::mt19937_64 random_;
  std::vector<Processor> cpus_;
  std::vector<Thread> threads_;  // workers, and last the caller
  std::vector<std::unique_ptr<Group>> groups_;
  std::vector<Line> permits_;
  std::vector<std::uint32_t> permits_taken_;
  std::vector<Memory> memories_;
  std::vector<const Processor*> env_at_;  // which processor's cache has the environment
  CostEstimate cost_;

  // Jobs.
  Line published_, remaining_line_, open_shards_line_;
  std::vector<Line> cursors_;
  std::vector<Line> remaining_in_lines_, open_in_lines_;  // by group of shards
  std::vector<std::uint32_t> remaining_in_, open_in_;
  std::vector<std::uint32_t> next_, end_;  // by shard
  std::uint32_t epoch_ = 0, remaining_ = 0, open_shards_ = 0;
  SharePlan share_;
  SharingGain gain_;
  TightLoop tight_;

  // The queues, and the batches of their environments: those of queue q are batches_[q], or the
  // only ones.
  Line receivers_line_;
  std::vector<Queue> queues_;
  std::vector<Batches> batches_;
  std::uint32_t batch_rows_ = 1;
  std::uint32_t next_batches_ = 0;
  std::vector<std::uint32_t> queue_of_;  // by environment
  std::vector<std::uint64_t> sent_;      // by environment; see NodeQueues
  std::uint64_t num_sent_ = 0;

  // The caller, waiting for results.
  Line full_sleepers_;
  bool caller_sleeps_ = false, caller_spins_ = false;
  bool* caller_ready_ = nullptr;

  double measured_from_ = 0.0, in_steps_ns_ = 0.0;
  std::uint64_t steps_ = 0;
};

}  // namespace engine::simulate

#endif  // ENGINE_BENCHMARKS_SIMULATE_POOL_MODEL_H_
