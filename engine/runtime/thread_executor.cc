#include "engine/runtime/thread_executor.h"

#include <utility>

#include "engine/base/error.h"
#include "engine/batch/row_staging.h"

namespace engine {
namespace {

std::shared_ptr<ActionSink> ActionsOf(const EnvGroup& group, const ThreadExecutor::Config& config) {
  if (config.actions != nullptr) return config.actions;
  return MakeStaging(group);
}

}  // namespace

ThreadExecutor::ThreadExecutor(std::unique_ptr<EnvGroup> group, const Config& config,
                               const Topology& topology)
    : placements_(PlaceWorkers(topology, static_cast<int>(config.num_threads), config.affinity)),
      group_(std::move(group)),
      actions_(ActionsOf(*group_, config)),
      telemetry_(config.num_threads + 3, group_->num_envs()),
      context_{.machine = {.num_threads = config.num_threads,
                           .num_cpus = static_cast<std::uint32_t>(NumUsableProcessors(topology)),
                           .never_waits = group_->never_waits(),
                           .together = group_->steps_together() ? kTuning.together : 1},
               .places_memory = UsesNodes(topology, config.num_threads, config.affinity),
               .group = *group_,
               .actions = *actions_,
               .lifetime = lifetime_,
               .telemetry = telemetry_,
               .workers = workers_},
      nodes_(context_.places_memory ? PlanNodes(placements_, group_->num_envs()) : NodePlan{}),
      jobs_(context_, job_),
      queue_(context_, config.batches, nodes_),
      worker_state_(config.num_threads),
      workers_(*this, lifetime_, placements_, topology.cpus, telemetry_) {}

WaitResult ThreadExecutor::Construct(WaitContext& caller) {
  // With one node, any thread can construct the environments.
  if (context_.places_memory) workers_.EnsureStarted(context_.machine.num_threads);
  job_.kind = JobKind::kConstruct;
  job_.n = group_->num_envs();
  const WaitResult waited = jobs_.Run(caller);
  jobs_.CheckConstructed();
  return waited;
}

void ThreadExecutor::WakeToEnd() {
  workers_.WakeAll();
  jobs_.WakeToEnd();
  queue_.WakeToEnd();
}

std::vector<ThreadStats> ThreadExecutor::thread_stats() const {
  std::vector<ThreadStats> threads;
  for (std::uint32_t writer = 0; writer < context_.batch_writer(); ++writer) {
    threads.push_back(telemetry_.OfThread(writer));
    if (writer < context_.machine.num_threads) {
      threads.back().idle_ns = workers_.idle_ns(writer);
    } else {
      threads.back().role = writer == context_.caller_writer() ? ThreadStats::Role::kCaller
                                                               : ThreadStats::Role::kReceiver;
    }
  }
  return threads;
}

std::vector<RunningPiece> ThreadExecutor::running() const {
  std::vector<RunningPiece> pieces;
  for (std::uint32_t writer = 0; writer < context_.batch_writer(); ++writer) {
    const RunningPiece piece = telemetry_.Running(writer);
    if (piece.n > 0) pieces.push_back(piece);
  }
  return pieces;
}

std::shared_ptr<void> ThreadExecutor::InitWorker(std::uint32_t worker) {
  const std::uint32_t node = nodes_.num_nodes > 1 ? nodes_.of_worker[worker] : 0;
  worker_state_[worker] = {.scratch = queue_.MakeScratch(node), .epoch = jobs_.epoch_before()};
  return shared_from_this();
}

WorkSource::Ran ThreadExecutor::RunSome(std::uint32_t worker) {
  Worker& own = worker_state_[worker];
  const bool helped = jobs_.Help(worker, own.epoch);
  return queue_.RunPiece(*own.scratch, worker) || helped ? Ran::kSome : Ran::kNothing;
}

bool ThreadExecutor::HasWork(std::uint32_t worker) const {
  return queue_.HasWork() || jobs_.HasWork(worker_state_[worker].epoch);
}

}  // namespace engine
