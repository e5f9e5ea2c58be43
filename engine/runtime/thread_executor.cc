#include "engine/runtime/thread_executor.h"

#include <utility>

#include "engine/base/error.h"
#include "engine/batch/row_staging.h"

namespace engine {
namespace {

std::unique_ptr<BatchMemory> MemoryOf(const EnvGroup& group, std::uint32_t rows,
                                      const ThreadExecutor::Config& config) {
  return std::make_unique<BatchMemory>(group.spec(), rows, config.extras, *config.allocator,
                                       config.max_blocks);
}

// Whether it is known which worker steps an environment, and so on which node its memory should be.
bool PlacesMemory(const Topology& topology, const ThreadExecutor::Config& config) {
  const Affinity& affinity = config.affinity;
  return topology.nodes.size() > 1 && config.num_threads > 1 &&
         (affinity.uses_nodes || affinity.kind != Affinity::Kind::kDefault);
}

std::shared_ptr<ActionSink> ActionsOf(const EnvGroup& group, const ThreadExecutor::Config& config) {
  if (config.actions != nullptr) return config.actions;
  return MakeStaging(group);
}

}  // namespace

ThreadExecutor::ThreadExecutor(std::unique_ptr<EnvGroup> group, const Config& config,
                               const Topology& topology)
    : machine_{.num_threads = config.num_threads,
               .num_cpus = static_cast<std::uint32_t>(topology.cpus.size()),
               .never_waits = group->never_waits()},
      placements_(PlaceWorkers(topology, static_cast<int>(config.num_threads), config.affinity)),
      places_memory_(PlacesMemory(topology, config)),
      nodes_(places_memory_ ? PlanNodes(placements_, group->num_envs()) : NodePlan{}),
      group_(std::move(group)),
      actions_(ActionsOf(*group_, config)),
      job_memory_(MemoryOf(*group_, group_->num_envs(), config)),
      queue_memory_(config.batch_size == group_->num_envs()
                        ? nullptr
                        : MemoryOf(*group_, config.batch_size, config)),
      telemetry_(config.num_threads + 3),
      lifetime_([this] {
        group_.reset();
        job_memory_->Close();
        if (queue_memory_ != nullptr) queue_memory_->Close();
      }),
      jobs_(*this, config.num_threads),
      queue_(*this, group_->num_envs(), config.batch_size, nodes_),
      worker_state_(config.num_threads),
      workers_(*this, lifetime_, placements_, topology.cpus, telemetry_) {}

WaitResult ThreadExecutor::Construct(Caller& caller) {
  // With one node, any thread can construct the environments.
  if (places_memory_) StartUpTo(machine_.num_threads - 1);
  Job& job = jobs_.job();
  job.kind = JobKind::kConstruct;
  job.n = group_->num_envs();
  const WaitResult waited = jobs_.Run(caller);
  jobs_.CheckConstructed();
  return waited;
}

void ThreadExecutor::WakeToEnd() {
  workers_.WakeAll();
  jobs_.WakeToEnd();
  queue_.WakeToEnd();
}

std::unique_ptr<QueueRunner::Scratch> ThreadExecutor::MakeScratch(std::uint32_t node) const {
  return std::make_unique<QueueRunner::Scratch>(group_->spec(),
                                                job_memory_->layout().extras.final_frames, node);
}

void ThreadExecutor::StartUpTo(std::uint32_t workers) {
  if (workers > workers_.started()) workers_.EnsureStarted(workers, shared_from_this());
}

PoolStats ThreadExecutor::stats() const {
  PoolStats stats;
  telemetry_.AddTo(stats);
  stats.idle_ns = workers_.idle_ns();
  stats.threads_started = workers_.started();
  stats.Add(job_memory_->stats());
  if (queue_memory_ != nullptr) stats.Add(queue_memory_->stats());
  return stats;
}

std::vector<ThreadStats> ThreadExecutor::thread_stats() const {
  std::vector<ThreadStats> threads;
  for (std::uint32_t writer = 0; writer < batch_writer(); ++writer) {
    threads.push_back(telemetry_.OfThread(writer));
    if (writer < machine_.num_threads) {
      threads.back().idle_ns = workers_.idle_ns(writer);
    } else {
      threads.back().role =
          writer == caller_writer() ? ThreadStats::Role::kCaller : ThreadStats::Role::kReceiver;
    }
  }
  return threads;
}

void ThreadExecutor::Prepare(std::uint32_t worker) {
  const std::uint32_t node = nodes_.num_nodes > 1 ? nodes_.of_worker[worker] : 0;
  worker_state_[worker] = {.scratch = MakeScratch(node), .epoch = jobs_.epoch_before()};
}

bool ThreadExecutor::RunSome(std::uint32_t worker) {
  Worker& own = worker_state_[worker];
  const bool helped = HelpsWithJobs(worker) ? jobs_.Help(worker, own.epoch) : jobs_.Skip(own.epoch);
  return queue_.RunPiece(*own.scratch, worker) || helped;
}

bool ThreadExecutor::HasWork(std::uint32_t worker) const {
  // A job counts as work also for the worker that takes no part in jobs. If that worker were woken
  // and had no work, it would cancel the wake-ups that it should pass on (see WorkSignal).
  return queue_.HasWork() || jobs_.HasWork(worker_state_[worker].epoch);
}

}  // namespace engine
