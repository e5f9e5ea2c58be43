// The executor, except for the recovery of dead workers, which is in recovery.cc.
#include "engine/processes/process_executor.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/tick_clock.h"
#include "engine/processes/shared_batches.h"

namespace engine {

// Writes pickled actions into the inboxes of environments.
class ProcessExecutor::SharedBuffers final : public ByteBuffers {
 public:
  explicit SharedBuffers(const SharedState& state)
      : state_(state), pages_(state.geometry().num_envs) {}
  std::byte* Reserve(std::uint32_t env, std::size_t bytes) override {
    if (bytes > state_.geometry().buffer_bytes) {
      throw Error(ErrorKind::kInput, "actions: expected at most " +
                                         std::to_string(state_.geometry().buffer_bytes) +
                                         " bytes for environment " + std::to_string(env) +
                                         " in pickled form, got " + std::to_string(bytes));
    }
    pages_[env].Use(state_.inbox(env), bytes);
    return state_.inbox(env);
  }
  const std::byte* origin() const override { return state_.base(); }

 private:
  const SharedState& state_;
  std::vector<BufferPages> pages_;  // of the inboxes
};

Geometry ProcessExecutor::GeometryOf(std::uint32_t num_envs, const TreeSlotLayout& slots,
                                     const Config& config) {
  const Geometry geometry{.num_envs = num_envs,
                          .num_workers = config.num_workers,
                          .batch_size = config.batches.batch_size,
                          .action_bytes = slots.slot_bytes()};
  return SharedState::Plan(geometry, SharedArena::MaxBytes());
}

SharedArena* ProcessExecutor::MakeArena(const Geometry& geometry) {
  SharedArena* const arena = SharedArena::Create({.reserved = SharedState::Bytes(geometry),
                                                  .end_of_blocks = geometry.end_of_blocks,
                                                  .bytes = geometry.total_bytes});
  SharedState::Make(arena->base(), geometry);
  return arena;
}

ProcessExecutor::ProcessExecutor(const EnvSpec& spec, const GroupConfig& group_config,
                                 const TreeSlotLayout& slots, const Config& config)
    : config_(config),
      geometry_(GeometryOf(group_config.num_envs, slots, config)),
      arena_(MakeArena(geometry_)),
      state_(arena_->base(), arena_->fd()),
      group_(std::make_unique<RemoteGroup>(spec, group_config, state_)),
      buffers_(std::make_unique<SharedBuffers>(state_)),
      actions_(std::make_unique<TreeStaging>(slots, state_.action_slots(), *buffers_)),
      batches_(std::make_unique<SharedBatches>(*this, spec)),
      worker_status_(config.num_workers),
      alive_(config.num_workers),
      unpublished_ends_(config.num_workers),
      sent_(config.num_workers),
      requests_(geometry_.num_envs),
      lost_(geometry_.num_envs, 0),
      queued_(geometry_.num_envs, 0),
      job_ends_(config.num_workers, 0) {
  for (Sent& sent : sent_) {
    sent.ids = std::vector<std::atomic<std::uint32_t>>(Ring::Capacity(geometry_.envs_per_worker()));
  }
}

ProcessExecutor::~ProcessExecutor() {
  for (const WorkerStatus& status : worker_status_) {
    if (status.process.fd >= 0) close(status.process.fd);
  }
  batches_.reset();
  // A worker that was in a step when the pool was closed may have written into its outbox since.
  state_.FreeBuffers();
  arena_->Release();
}

void ProcessExecutor::WakeToEnd() {
  state_.header().closed.store(1, std::memory_order_release);
  for (std::uint32_t worker = 0; worker < geometry_.num_workers; ++worker) {
    state_.worker(worker).parker.Notify(UINT32_MAX);
  }
  state_.header().done.parker.Notify(UINT32_MAX);
}

// --- Waiting -------------------------------------------------------------------------------------

// 0 if spinning would take a processor from a worker.
double ProcessExecutor::SpinNs() const {
  return geometry_.num_workers < config_.num_cpus ? kTuning.caller_spin_ns : 0.0;
}

void ProcessExecutor::CheckAtIntervals() {
  const double ns =
      TickClock::Nanoseconds(TickClock::Now() - checked_.load(std::memory_order_relaxed));
  // Somewhat shorter than the intervals at which a sleeping caller wakes.
  if (ns >= 0.9 * static_cast<double>(kTuning.interrupt_ns)) CheckWorkers();
}

// Throws Error{kWorker} if the wait has ended because a worker has damaged the shared memory.
WaitResult ProcessExecutor::Checked(WaitResult waited) const {
  if (damaged_.load(std::memory_order_relaxed) && !lifetime_.closed()) {
    ThrowDamaged("results are missing that it has finished");
  }
  return waited;
}

// Whether all workers have finished their items for a while, although the caller still waits for
// results. `all_finished_at`: ticks since when, or 0; updated.
bool ProcessExecutor::LooksDamaged(std::uint64_t& all_finished_at) {
  constexpr double kCertainNs = 1e9;
  for (std::uint32_t worker = 0; worker < geometry_.num_workers; ++worker) {
    if (FinishedBy(worker) == sent_[worker].end.load(std::memory_order_acquire)) continue;
    all_finished_at = 0;
    return false;
  }
  const std::uint64_t now = TickClock::Now();
  if (all_finished_at == 0) all_finished_at = now;
  if (TickClock::Nanoseconds(now - all_finished_at) < kCertainNs) return false;
  damaged_.store(true, std::memory_order_relaxed);
  return true;
}

template <class Over>
WaitResult ProcessExecutor::WaitUntil(Over&& over, bool for_results, WaitContext& caller) {
  const auto over_or_closed = [&] { return over() || lifetime_.closed(); };
  // Also checks if there is nothing to wait for: while batches of other workers are always ready, a
  // dead worker would otherwise not be noticed.
  CheckAtIntervals();
  if (over_or_closed()) return WaitResult::kDone;
  const std::uint64_t start = TickClock::Now();
  std::uint64_t all_finished_at = 0;
  const auto over_or_failed = [&] {
    if (over_or_closed()) return true;
    CheckAtIntervals();
    return over_or_closed() || (for_results && LooksDamaged(all_finished_at));
  };
  const WaitResult waited = caller.WaitUntil(state_.header().done.parker, over_or_failed, SpinNs());
  wait_ticks_.fetch_add(TickClock::Now() - start, std::memory_order_relaxed);
  return waited;
}

WaitResult ProcessExecutor::Construct(WaitContext& caller) {
  const auto over = [this] {
    for (std::uint32_t worker = 0; worker < geometry_.num_workers; ++worker) {
      const std::uint32_t state = state_.worker(worker).state.load(std::memory_order_acquire);
      if (!alive_[worker].load(std::memory_order_acquire) ||
          state == static_cast<std::uint32_t>(WorkerState::kFailed)) {
        return true;
      }
      if (state == static_cast<std::uint32_t>(WorkerState::kStarting)) return false;
    }
    return true;
  };
  const WaitResult waited = WaitUntil(over, false, caller);
  if (waited != WaitResult::kDone) return waited;
  for (std::uint32_t worker = 0; worker < geometry_.num_workers; ++worker) {
    const WorkerLine& line = state_.worker(worker);
    if (line.state.load(std::memory_order_acquire) ==
        static_cast<std::uint32_t>(WorkerState::kFailed)) {
      // The worker has written the reason into the outbox that has its own number.
      throw Error(ErrorKind::kWorker,
                  "worker " + std::to_string(worker) +
                      " could not make its environments: " + std::string(state_.Outgoing(worker)));
    }
    if (!alive_[worker].load(std::memory_order_acquire)) {
      const ScopedLock lock(mutex_);
      throw Error(ErrorKind::kWorker, "worker " + std::to_string(worker) +
                                          " did not start: " + worker_status_[worker].error);
    }
  }
  const ScopedLock lock(mutex_);
  first_start_ns_ = static_cast<std::int64_t>(TickClock::SteadyNanoseconds() - made_at_ns_);
  return WaitResult::kDone;
}

// --- Jobs ----------------------------------------------------------------------------------------

WaitResult ProcessExecutor::Run(WaitContext& caller) {
  WriteJobBuffer();
  {
    const ScopedLock lock(mutex_);
    PublishJob();
  }
  return Finish(caller);
}

WaitResult ProcessExecutor::Finish(WaitContext& caller) {
  const WaitResult waited = Checked(WaitUntil([this] { return JobDone(); }, true, caller));
  if (waited != WaitResult::kDone || lifetime_.closed()) return waited;
  const auto env_of = [this](std::uint32_t k) { return job_.ids.empty() ? k : job_.ids[k]; };
  if (job_.kind == JobKind::kCallMethod) {
    for (std::uint32_t k = 0; k < job_.n; ++k) group_->ReadCall(env_of(k));
  }
  if (job_.batch == nullptr) return waited;
  StepCounts counts;
  for (std::uint32_t k = 0; k < job_.n; ++k) group_->ReadReport(env_of(k), counts);
  job_.batch->Count(counts);
  return waited;
}

void ProcessExecutor::WriteJobBuffer() {
  const JobBytes* bytes = nullptr;
  if (job_.kind == JobKind::kReset) bytes = static_cast<const JobBytes*>(job_.request.start.get());
  if (job_.kind == JobKind::kCallMethod) bytes = static_cast<const JobBytes*>(job_.method.get());
  const std::size_t size = bytes == nullptr ? 0 : bytes->bytes.size();
  job_pages_.Use(state_.job_buffer(), size);
  if (size > 0) std::memcpy(state_.job_buffer(), bytes->bytes.data(), size);
  state_.header().job_bytes.store(size, std::memory_order_relaxed);
}

// Relaxed: the publication of the items releases it.
void ProcessExecutor::ShareBlocks(const OpenBatch& batch,
                                  std::atomic<std::uint64_t>* blocks) const {
  for (std::size_t region = 0; region < kMaxRegions; ++region) {
    std::byte* const block = batch.memory()[region];
    blocks[region].store(block == nullptr ? 0 : arena_->OffsetOf(block), std::memory_order_relaxed);
  }
}

void ProcessExecutor::PublishJob() {
  SharedHeader& header = state_.header();
  if (job_.batch != nullptr) ShareBlocks(*job_.batch, header.job_blocks);
  for (std::uint32_t k = 0; k < job_.n; ++k) {
    const std::uint32_t env = job_.ids.empty() ? k : job_.ids[k];
    FillJobItem(k, env);
    PushItem(env);
  }
  std::int32_t busy = 0;
  for (const std::optional<std::uint64_t>& end : unpublished_ends_) busy += end ? 1 : 0;
  header.job_left.store(busy, std::memory_order_relaxed);
  for (std::uint32_t worker = 0; worker < geometry_.num_workers; ++worker) {
    job_ends_[worker] = unpublished_ends_[worker].value_or(0);
    // Relaxed: the publication of the items releases it.
    state_.worker(worker).job_end.store(job_ends_[worker], std::memory_order_relaxed);
    PublishAndWake(worker);
  }
}

void ProcessExecutor::FillJobItem(std::uint32_t k, std::uint32_t env) {
  WorkItem& item = state_.item(env);
  item.has_seed = item.has_options = false;
  switch (job_.kind) {
    case JobKind::kStep:
      return SetRequest(env, group_->TakeResetDue(env) ? ItemKind::kReset : ItemKind::kStep, k);
    case JobKind::kCallMethod:
      return SetRequest(env, ItemKind::kCallMethod, k);
    default:
      break;
  }
  const ResetPlan& plan = job_.plan;
  if (plan.mask != nullptr && plan.mask[k] == 0) return SetRequest(env, ItemKind::kObserve, k);
  SetRequest(env, ItemKind::kReset, k);
  group_->TakeResetDue(env);
  item.has_options = plan.start != nullptr;
  if (plan.seed_by_env) group_->Seed(env, plan.first_seed + env);
  if (plan.seeds != nullptr && plan.has_seed[k] != 0) group_->Seed(env, plan.seeds[k]);
  if (const auto seed = group_->TakeSeed(env)) {
    item.has_seed = true;
    item.seed = *seed;
  }
}

void ProcessExecutor::SetRequest(std::uint32_t env, ItemKind kind, std::uint32_t row) {
  WorkItem& item = state_.item(env);
  item.kind = kind;
  item.row = row;
  requests_[env] = {.kind = kind, .row = row};
}

// Puts an item into its worker's ring, or completes it as failed if its worker is
// dead. PublishAndWake() publishes the items.
void ProcessExecutor::PushItem(std::uint32_t env) {
  const std::uint32_t worker = geometry_.worker_of(env);
  const ItemKind kind = requests_[env].kind;
  const std::string& error = worker_status_[worker].error;
  if (!alive_[worker].load(std::memory_order_relaxed)) return FailItem(env, error);
  if (kind == ItemKind::kReset || kind == ItemKind::kQueuedReset) lost_[env] = 0;
  if (lost_[env] != 0 && kind != ItemKind::kCallMethod) {
    return FailItem(
        env, "it was replaced by a new environment because its worker had died (" + error + ")");
  }
  std::optional<std::uint64_t>& end = unpublished_ends_[worker];
  Sent& sent = sent_[worker];
  if (!end) end = sent.end.load(std::memory_order_relaxed);
  sent.IdAt(*end).store(env, std::memory_order_relaxed);
  state_.ring(worker).Put((*end)++, env);
}

void ProcessExecutor::PublishAndWake(std::uint32_t worker) {
  const std::optional<std::uint64_t> end = std::exchange(unpublished_ends_[worker], std::nullopt);
  if (!end) return;
  sent_[worker].end.store(*end, std::memory_order_release);  // pairs with running()
  state_.ring(worker).Publish(*end);
  state_.worker(worker).parker.Notify(1);
}

// The number of items that a worker has finished. Believed only if it can be right.
std::uint64_t ProcessExecutor::FinishedBy(std::uint32_t worker) const {
  const Sent& sent = sent_[worker];
  const std::uint64_t finished = state_.ring(worker).finished();
  const std::uint64_t end = sent.end.load(std::memory_order_acquire);
  const std::uint64_t most = std::min<std::uint64_t>(end, sent.ids.size());
  return end - finished <= most ? finished : end - most;
}

bool ProcessExecutor::JobDone() const {
  for (std::uint32_t worker = 0; worker < geometry_.num_workers; ++worker) {
    if (job_ends_[worker] == 0) continue;
    if (FinishedBy(worker) < job_ends_[worker]) return false;
  }
  return true;
}

// --- Queued environments -------------------------------------------------------------------------

void ProcessExecutor::Push(const std::uint32_t* ids, std::uint32_t n, bool resets) {
  const ScopedLock lock(mutex_);
  for (std::uint32_t k = 0; k < n; ++k) {
    WorkItem& item = state_.item(ids[k]);
    const bool due = group_->TakeResetDue(ids[k]);
    SetRequest(ids[k], resets || due ? ItemKind::kQueuedReset : ItemKind::kQueuedStep, 0);
    item.has_seed = item.has_options = false;
    if (resets) {
      if (const auto seed = group_->TakeSeed(ids[k])) {
        item.has_seed = true;
        item.seed = *seed;
      }
    }
    queued_[ids[k]] = 1;
    PushItem(ids[k]);
  }
  for (std::uint32_t worker = 0; worker < geometry_.num_workers; ++worker) PublishAndWake(worker);
}

WaitResult ProcessExecutor::WaitForBatch(std::uint64_t epoch, WaitContext& caller) {
  return Checked(
      batches_->WaitForBatch(epoch, [&](auto&& over) { return WaitUntil(over, true, caller); }));
}

WaitResult ProcessExecutor::WaitForRows(std::uint32_t rows, std::uint64_t taken,
                                        WaitContext& caller) {
  return Checked(batches_->WaitForRows(rows, taken,
                                       [&](auto&& over) { return WaitUntil(over, true, caller); }));
}

void ProcessExecutor::AddTo(PoolStats& stats) const {
  stats.recv_wait_ns = static_cast<std::uint64_t>(
      TickClock::Nanoseconds(wait_ticks_.load(std::memory_order_relaxed)));
}

std::vector<ThreadStats> ProcessExecutor::thread_stats() const {
  const auto in_ns = [](const std::atomic<std::uint64_t>& ticks) {
    return static_cast<std::uint64_t>(
        TickClock::Nanoseconds(ticks.load(std::memory_order_relaxed)));
  };
  std::vector<ThreadStats> workers;
  for (std::uint32_t worker = 0; worker < geometry_.num_workers; ++worker) {
    const WorkerLine& line = state_.worker(worker);
    workers.push_back({.steps = line.steps.load(std::memory_order_relaxed),
                       .episodes = line.episodes.load(std::memory_order_relaxed),
                       .resets = line.resets.load(std::memory_order_relaxed),
                       .failures = line.failures.load(std::memory_order_relaxed),
                       .step_ns = in_ns(line.step_ticks),
                       .idle_ns = in_ns(line.idle_ticks)});
  }
  return workers;
}

std::uint64_t ProcessExecutor::num_queued() const {
  std::uint64_t queued = 0;
  for (std::uint32_t worker = 0; worker < geometry_.num_workers; ++worker) {
    const std::uint64_t finished = FinishedBy(worker);
    queued += sent_[worker].end.load(std::memory_order_acquire) - finished;
  }
  return queued;
}

// The first unfinished item of each worker.
std::vector<RunningPiece> ProcessExecutor::running() const {
  std::vector<RunningPiece> pieces;
  for (std::uint32_t worker = 0; worker < geometry_.num_workers; ++worker) {
    Sent& sent = sent_[worker];
    const std::uint64_t finished = FinishedBy(worker);
    if (sent.end.load(std::memory_order_acquire) > finished) {
      pieces.push_back(
          {.first = sent.IdAt(finished).load(std::memory_order_relaxed), .n = 1, .of_queue = true});
    }
  }
  return pieces;
}

}  // namespace engine
