// A pool's life, and the arguments and results of synchronous calls. Running
// them is in pool_job.cc, the asynchronous way in pool_queue.cc and
// pool_receiver.cc.
#include "engine/runtime/pool.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "engine/base/error.h"
#include "engine/runtime/pool_scratch.h"

namespace engine {
namespace {

BatchExtras ExtrasOf(const PoolConfig& config, const EnvGroup& group) {
  return {.final_frames = config.autoreset == AutoresetMode::kSameStep,
          .dm_columns = config.dm_columns,
          .episodes = group.config().records_episodes};
}

std::uint32_t NumSlots(std::uint32_t num_envs, std::uint32_t batch_size) {
  return (num_envs + batch_size - 1) / batch_size;
}

struct NoInterrupts final : Interrupts {
  bool Pending() override { return false; }
};

std::vector<std::uint32_t> Iota(std::uint32_t n) {
  std::vector<std::uint32_t> ids(n);
  std::iota(ids.begin(), ids.end(), 0U);
  return ids;
}

}  // namespace

Pool::Pool(std::unique_ptr<EnvGroup> group, const PoolConfig& config, const Topology& topology)
    : spec_(group->spec()),
      num_envs_(group->num_envs()),
      config_(config),
      group_(std::move(group)),
      staging_(spec_, num_envs_),
      resets_(num_envs_, 0),
      telemetry_(config.num_threads + 2),
      ledger_(num_envs_),
      full_memory_(spec_, num_envs_, ExtrasOf(config, *group_), HeapAllocator::Global(),
                   config.max_blocks),
      partial_memory_(
          config.batch_size == num_envs_
              ? nullptr
              : std::make_unique<BatchMemory>(spec_, config.batch_size, ExtrasOf(config, *group_),
                                              HeapAllocator::Global(), config.max_blocks)),
      batch_memory_(partial_memory_ == nullptr ? full_memory_ : *partial_memory_),
      range_(config.num_threads),
      queue_({.num_ids = num_envs_, .num_lanes = config.num_threads + 1}),
      states_(config.batch_size, NumSlots(num_envs_, config.batch_size)),
      open_batches_(NumSlots(num_envs_, config.batch_size), nullptr),
      scratch_(config.num_threads),
      all_ids_(Iota(num_envs_)),
      crew_(*this, PlaceWorkers(topology, static_cast<int>(config.num_threads)),
            static_cast<std::uint32_t>(topology.cpus.size())) {
  // From here on the destructor does not run if something throws.
  try {
    // Environments are made where they will be stepped; with one node any
    // thread will do.
    const bool place = topology.nodes.size() > 1 && config.num_threads > 1;
    if (place) crew_.EnsureStarted(config.num_threads - 1);
    job_.id_storage.reserve(num_envs_);
    StartJob(Op::kConstruct, num_envs_, true);
    NoInterrupts never;
    RunJob(never);
    EndJob();
    if (construct_error_) std::rethrow_exception(construct_error_);
  } catch (...) {
    Close();
    throw;
  }
}

Pool::~Pool() { Close(); }

void Pool::CheckOpen() const {
  if (closed()) throw Error(ErrorKind::kClosed, "the pool is closed");
}

const std::uint32_t* Pool::ReadIds(const ArrayView* ids, std::uint32_t& n, const char* name) {
  if (ids == nullptr) {
    ledger_.CheckAllIdle(name);
    n = num_envs_;
    return nullptr;
  }
  ledger_.ReadIdle(*ids, name);
  n = static_cast<std::uint32_t>(ledger_.ids().size());
  return ledger_.ids().data();
}

void Pool::CheckSteppable(const std::uint32_t* ids, std::uint32_t n) const {
  const std::vector<std::uint8_t>& status = group_->statuses();
  // dm_env: the first step of all begins an episode, like the one after an end.
  const bool starts = config_.dm_columns && config_.autoreset == AutoresetMode::kNextStep;
  const unsigned harmless = starts ? EnvStatus::kNeverReset : EnvStatus::kReadyToStep;
  std::uint8_t any = 0;
  if (ids == nullptr) {
    for (const std::uint8_t one : status) any |= one;
  } else {
    for (std::uint32_t k = 0; k < n; ++k) any |= status[ids[k]];
  }
  if ((any & ~harmless) == 0) return;
  for (std::uint32_t k = 0; k < n; ++k) {
    const std::uint32_t env = ids == nullptr ? k : ids[k];
    if ((status[env] & ~harmless) == 0) continue;
    const std::string name = "environment " + std::to_string(env);
    std::string why = name + " has not been reset yet: call reset() first";
    if ((status[env] & EnvStatus::kFailed) != 0) {
      why = name + " failed and must be reset first (" + group_->FailureOf(env) + ")";
    } else if ((status[env] & EnvStatus::kEpisodeOver) != 0) {
      why = "the episode of " + name + " has ended and autoreset is disabled: reset it first";
    }
    throw Error(ErrorKind::kResetNeeded, why);
  }
}

void Pool::StartJob(Op op, std::uint32_t n, bool all) {
  // Others may still be working on it, also where this call's environments are idle.
  if (job_.interrupted.load(std::memory_order_relaxed)) {
    throw Error(ErrorKind::kEnvId,
                "env_id: the environments of an interrupted call are in flight: receive their "
                "results with recv() first");
  }
  // May throw: first of all.
  job_.batch = op == Op::kRender ? nullptr : full_memory_.Take();
  job_.op = op;
  job_.n = n;
  job_.ids = nullptr;
  if (all) {
    ledger_.MarkAll();
  } else {
    job_.id_storage.assign(ledger_.ids().begin(), ledger_.ids().end());
    job_.ids = job_.id_storage.data();
    ledger_.Mark(job_.ids, n);
  }
}

void Pool::BeginStep(const ArrayView& actions, const ArrayView* ids) {
  CheckOpen();
  const std::lock_guard lock(state_mutex_);
  std::uint32_t n = 0;
  const std::uint32_t* const idle = ReadIds(ids, n);
  CheckSteppable(idle, n);
  staging_.Stage(actions, idle, n);
  StartJob(Op::kStep, n, idle == nullptr);
}

void Pool::BeginReset(const ArrayView* ids, ResetRequest request) {
  CheckOpen();
  const std::lock_guard lock(state_mutex_);
  std::uint32_t n = 0;
  const std::uint32_t* const idle = ReadIds(ids, n);
  for (std::uint32_t env = 0; env < request.mask.size(); ++env) {
    if (request.mask[env] != 0) continue;
    // Its row shows what it looks like now, so there must be something to show.
    const std::uint8_t bad = EnvStatus::kNeverReset | EnvStatus::kFailed;
    if ((group_->status(env) & bad) == 0) continue;
    throw Error(ErrorKind::kResetNeeded,
                "options[\"reset_mask\"]: environment " + std::to_string(env) +
                    " has not been reset yet or failed, so the mask must include it");
  }
  StartJob(Op::kReset, n, idle == nullptr);
  job_.request = std::move(request);
  const ResetRequest& kept = job_.request;
  job_.plan = {.start = kept.start.get(),
               .seed_by_env = kept.seed_by_env,
               .first_seed = kept.first_seed,
               .seeds = kept.seeds.empty() ? nullptr : kept.seeds.data(),
               .has_seed = kept.has_seed.empty() ? nullptr : kept.has_seed.data(),
               .mask = kept.mask.empty() ? nullptr : kept.mask.data()};
}

double Pool::PredictedJobNs() const { return CostOf(job_.op).ns_per_env() * job_.n; }

Batch Pool::EndJob() {
  Batch batch;
  const std::lock_guard lock(state_mutex_);
  CheckOpen();
  if (job_.ids == nullptr) {
    ledger_.ClearAll();
  } else {
    ledger_.Clear(job_.ids, job_.n);
  }
  switch (job_.op) {
    case Op::kConstruct:
      full_memory_.Return(job_.batch);
      break;
    case Op::kRender:
      for (std::uint32_t k = 0; k < job_.n; ++k) {
        AddIfFailed(job_.ids == nullptr ? k : job_.ids[k], batch.failed);
      }
      break;
    case Op::kStep:
    case Op::kReset:
      FinishBatch(full_memory_, job_.batch, job_.n, batch);
      break;
  }
  return batch;
}

void Pool::CheckHasPicture(const std::uint32_t* ids, std::uint32_t n) const {
  if (!group_->config().renders) {
    throw Error(ErrorKind::kRenderMode,
                "render: expected a pool made with render_mode=\"rgb_array\", got one made without "
                "render_mode");
  }
  for (std::uint32_t k = 0; k < n; ++k) {
    const std::uint32_t env = ids == nullptr ? k : ids[k];
    const std::uint8_t status = group_->status(env);
    const std::string name = "render: environment " + std::to_string(env);
    if ((status & EnvStatus::kFailed) != 0) {
      throw Error(ErrorKind::kResetNeeded,
                  name + " failed and must be reset first (" + group_->FailureOf(env) + ")");
    }
    if ((status & EnvStatus::kNeverReset) != 0) {
      throw Error(ErrorKind::kResetNeeded, name + " has not been reset yet: call reset() first");
    }
  }
}

Failures Pool::Render(const ArrayView* ids, std::uint8_t* pictures) {
  CheckOpen();
  {
    const std::lock_guard lock(state_mutex_);
    std::uint32_t n = 0;
    const std::uint32_t* const idle = ReadIds(ids, n, "env_ids");
    CheckHasPicture(idle, n);
    StartJob(Op::kRender, n, idle == nullptr);
    job_.pictures = pictures;
  }
  // To the end: nobody could be given the pictures of a job that is left behind.
  NoInterrupts never;
  RunJob(never);
  return EndJob().failed;
}

void Pool::SeedAll(const ResetRequest& seeds) {
  std::random_device entropy;
  const auto word = [&] { return static_cast<std::uint64_t>(entropy()) << 32 | entropy(); };
  const bool all_given =
      seeds.seed_by_env ||
      (!seeds.seeds.empty() &&
       std::find(seeds.has_seed.begin(), seeds.has_seed.end(), 0) == seeds.has_seed.end());
  if (!all_given) {
    const std::uint64_t high = word();
    group_->SeedFromEntropy(high, word());
  }
  for (std::uint32_t env = 0; env < num_envs_; ++env) {
    if (seeds.seed_by_env) group_->Seed(env, seeds.first_seed + env);
    if (!seeds.seeds.empty() && seeds.has_seed[env] != 0) group_->Seed(env, seeds.seeds[env]);
  }
}

bool Pool::CallerMaySpin() const {
  const std::uint32_t started = crew_.started();
  const std::uint32_t sleeping = std::min(crew_.sleeping(), started);
  return started - sleeping + 1 <= crew_.cpus();
}

void Pool::Close() {
  {
    const std::lock_guard lock(state_mutex_);
    if (closing_.exchange(true, std::memory_order_acq_rel)) return;
  }
  job_done_.Notify(UINT32_MAX);
  batch_full_.Notify(UINT32_MAX);
  crew_.Stop();
  // Whoever is inside a call leaves before memory goes.
  const std::lock_guard receivers(recv_mutex_);
  const std::lock_guard callers(job_mutex_);
  const std::lock_guard state(state_mutex_);
  for (OpenBatch* const open : open_batches_) {
    if (open != nullptr) batch_memory_.Return(open);
  }
  group_.reset();
  full_memory_.Close();
  batch_memory_.Close();
}

PoolStats Pool::stats() const {
  PoolStats stats;
  telemetry_.AddTo(stats);
  stats.idle_ns = crew_.idle_ns();
  stats.threads_started = crew_.started();
  const auto add = [&stats](const BatchMemory& memory) {
    const BlockStats blocks = memory.stats();
    stats.blocks += blocks.blocks;
    stats.block_bytes += blocks.bytes;
    stats.leased_blocks += blocks.leased_blocks;
    stats.leased_bytes += blocks.leased_bytes;
  };
  add(full_memory_);
  if (partial_memory_ != nullptr) add(*partial_memory_);
  return stats;
}

void Pool::FinishBatch(BatchMemory& memory, OpenBatch* open, std::uint32_t rows,
                       Batch& batch) const {
  CompleteBatch(*open, rows);
  const bool any_failed = open->failures() > 0;
  batch = memory.Finish(open, rows);
  if (!any_failed) return;
  const auto* const ids = batch.Data<std::int32_t>(batch.layout().env_id);
  for (std::uint32_t row = 0; row < rows; ++row) {
    AddIfFailed(static_cast<std::uint32_t>(ids[row]), batch.failed);
  }
}

void Pool::AddIfFailed(std::uint32_t env, Failures& failed) const {
  if ((group_->status(env) & EnvStatus::kFailed) == 0) return;
  failed.emplace_back(env, group_->FailureOf(env));
}

}  // namespace engine
