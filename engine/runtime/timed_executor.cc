#include "engine/runtime/timed_executor.h"

#include <numeric>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/tick_clock.h"
#include "engine/batch/row_staging.h"

namespace engine {
namespace {

// So short that a string of it allocates nothing.
constexpr char kNoMemory[] = "out of memory";

}  // namespace

TimedExecutor::TimedExecutor(std::unique_ptr<RenewableGroup> group, const Config& config,
                             const Topology& topology)
    : num_envs_(group->num_envs()),
      num_threads_(config.num_threads),
      num_cpus_(static_cast<std::uint32_t>(NumUsableProcessors(topology))),
      batch_size_(config.batches.batch_size),
      step_timeout_ns_(config.step_timeout_ns),
      extras_(config.batches.extras),
      placements_(PlaceWorkers(topology, static_cast<int>(num_threads_), config.affinity)),
      nodes_(UsesNodes(topology, num_threads_, config.affinity) ? PlanNodes(placements_, num_envs_)
                                                                : NodePlan{}),
      all_ids_(num_envs_),
      group_(std::move(group)),
      actions_(MakeStaging(*group_)),
      telemetry_(num_threads_ + 1, num_envs_),
      items_(num_envs_),
      queue_(num_envs_, nodes_.num_nodes, nodes_.of_env,
             num_envs_ / kTuning.queue_checks_per_round),
      batches_(group_->spec(), num_envs_, config.batches, signal_, 1, batch_size_,
               (num_envs_ + batch_size_ - 1) / batch_size_),
      missing_(num_threads_, 0),
      slots_(num_threads_),
      workers_(*this, lifetime_, placements_, topology.cpus, telemetry_) {
  std::iota(all_ids_.begin(), all_ids_.end(), 0U);
  late_.reserve(num_threads_);
}

// --- The pool's side -----------------------------------------------------------------------------

WaitResult TimedExecutor::Construct(WaitContext& caller) {
  placing_.store(nodes_.num_nodes > 1, std::memory_order_relaxed);  // before the threads
  workers_.EnsureStarted(num_threads_);
  job_.kind = JobKind::kConstruct;
  job_.n = num_envs_;
  const WaitResult waited = Run(caller);
  if (waited == WaitResult::kDone) placing_.store(false, std::memory_order_relaxed);
  const ScopedLock lock(error_mutex_);
  if (error_) std::rethrow_exception(error_);
  return waited;
}

void TimedExecutor::Enqueue(const std::uint32_t* ids, std::uint32_t n) {
  {
    const ScopedLock lock(push_mutex_);
    queue_.Push(ids, n);
  }
  // While environments are placed, each worker must take those of its node.
  if (placing_.load(std::memory_order_relaxed)) return workers_.WakeAll();
  workers_.Wake(n);
}

WaitResult TimedExecutor::Run(WaitContext& caller) {
  caller.Unlock();
  const std::uint32_t* const ids = job_.ids.empty() ? all_ids_.data() : job_.ids.data();
  for (std::uint32_t k = 0; k < job_.n; ++k) {
    items_[ids[k]] = {.kind = job_.kind, .of_job = true, .index = k};
  }
  left_.store(job_.n, std::memory_order_relaxed);  // the push releases it
  Enqueue(ids, job_.n);
  return Finish(caller);
}

WaitResult TimedExecutor::Finish(WaitContext& caller) {
  // Pairs with FinishItem.
  return WaitUntil(done_, [&] { return left_.load(std::memory_order_acquire) == 0; }, caller);
}

void TimedExecutor::Push(const std::uint32_t* ids, std::uint32_t n, bool resets) {
  for (std::uint32_t k = 0; k < n; ++k) {
    items_[ids[k]] = {.kind = resets ? JobKind::kReset : JobKind::kStep};
  }
  Enqueue(ids, n);
}

WaitResult TimedExecutor::WaitForBatch(std::uint64_t epoch, WaitContext& caller) {
  return batches_.WaitForBatch(
      epoch, [&](auto&& over) { return WaitUntil(signal_.parker, over, caller); });
}

WaitResult TimedExecutor::WaitForRows(std::uint32_t rows, std::uint64_t taken,
                                      WaitContext& caller) {
  return batches_.WaitForRows(rows, taken,
                              [&](auto&& over) { return WaitUntil(signal_.parker, over, caller); });
}

template <class Over>
WaitResult TimedExecutor::WaitUntil(Parker<>& parker, Over&& over, WaitContext& caller) {
  // Also if there is nothing to wait for: results of other environments may always be ready.
  GiveUpLateSteps();
  const auto ready = [&] {
    if (over() || lifetime_.closed()) return true;
    GiveUpLateSteps();
    return false;
  };
  // A spinning caller would take a processor from a worker.
  const double spin_ns = num_threads_ < num_cpus_ ? kTuning.caller_spin_ns : 0.0;
  const std::uint64_t start = TickClock::Now();
  const WaitResult waited = caller.WaitUntil(parker, ready, spin_ns);
  telemetry_.Waited(num_threads_, start, TickClock::Now());
  return waited;
}

void TimedExecutor::WakeToEnd() {
  workers_.WakeAll();
  done_.Notify(UINT32_MAX);
  signal_.parker.Notify(UINT32_MAX);
}

// Those that were given up end on their threads.
void TimedExecutor::FreeEnvs() {
  std::vector<std::shared_ptr<Worker>> workers(num_threads_);
  {
    const ScopedLock lock(watch_mutex_);
    for (std::uint32_t worker = 0; worker < num_threads_; ++worker)
      workers[worker] = std::move(slots_[worker].worker);
  }
  // These workers have ended their last call.
  for (const std::shared_ptr<Worker>& worker : workers) {
    if (worker != nullptr) worker->known.Clear();
  }
  group_.reset();
}

// --- A worker ------------------------------------------------------------------------------------

std::shared_ptr<void> TimedExecutor::InitWorker(std::uint32_t worker) {
  const auto own = std::make_shared<Worker>(nodes_.num_nodes > 1 ? nodes_.of_worker[worker] : 0);
  own->action.Allocate(actions_->slots(), num_envs_);
  own->row_memory =
      std::make_unique<BatchMemory>(group_->spec(), 1, extras_, HeapAllocator::Global(), 0);
  own->row = own->row_memory->Take();
  {
    const ScopedLock lock(watch_mutex_);
    slots_[worker].worker = own;
  }
  slots_[worker].for_thread.store(own.get(), std::memory_order_relaxed);  // before the thread
  return std::make_shared<std::pair<std::shared_ptr<TimedExecutor>, std::shared_ptr<Worker>>>(
      shared_from_this(), own);
}

bool TimedExecutor::HasWork(std::uint32_t worker) const {
  if (!placing_.load(std::memory_order_relaxed)) return queue_.size() != 0;
  return queue_.own_size(slots_[worker].for_thread.load(std::memory_order_relaxed)->taker) != 0;
}

WorkSource::Ran TimedExecutor::RunSome(std::uint32_t worker) {
  Worker& own = *slots_[worker].for_thread.load(std::memory_order_relaxed);
  const bool placing = placing_.load(std::memory_order_relaxed);
  const std::uint32_t taken =
      placing ? queue_.PopOwn(own.taker, &own.env, 1, 1) : queue_.Pop(own.taker, &own.env, 1, 1);
  if (taken == 0) return Ran::kNothing;
  if (!placing && queue_.size() != 0) workers_.Wake(1);  // this call may take long
  own.item = items_[own.env];
  if (own.item.kind == JobKind::kStep || own.item.kind == JobKind::kReset) {
    return RunTimed(own, worker);
  }
  RunUntimed(own);
  return Ran::kSome;
}

WorkSource::Ran TimedExecutor::RunTimed(Worker& own, std::uint32_t writer) {
  RenewableGroup::Hold hold;
  try {
    CopyArguments(own);
    hold = group_->HoldOf(own.env, own.known);
  } catch (const std::exception& error) {
    FailItem(own.env, own.item, error.what());
    return Ran::kSome;
  } catch (...) {
    FailItem(own.env, own.item, "a new environment could not be prepared");
    return Ran::kSome;
  }
  const std::uint64_t start = TickClock::Now();
  telemetry_.Begins(writer, start, own.env, 1, true);
  own.watch.Begin();
  StepCounts counts;
  std::string failure;
  try {
    failure = CallInto(own, hold, counts);
  } catch (...) {
    failure = kNoMemory;
  }
  if (!own.watch.End()) {
    hold.Discard();
    return Ran::kReplaced;
  }
  // From here on, this thread holds the environment again.
  const std::uint64_t ticks = TickClock::Now() - start;
  telemetry_.Ends(writer);
  const bool steps = own.item.kind == JobKind::kStep;
  if (steps) telemetry_.Stepped(own.env, TickClock::Nanoseconds(ticks));
  telemetry_.Worked(writer, counts, steps ? ticks : 0);
  if (!failure.empty()) {
    FailItem(own.env, own.item, failure.c_str());
    return Ran::kSome;
  }
  const BatchView& from = own.row->view();
  try {
    group_->Take(hold, from.frame.elapsed_step[0], own.loads);
  } catch (...) {
    FailItem(own.env, own.item, kNoMemory);
    return Ran::kSome;
  }
  WriteRow(own.env, own.item, counts,
           [&](const BatchView& to, std::uint32_t row) { group_->CopyRow(from, to, row); });
  return Ran::kSome;
}

// Copies what the call reads, because the caller may change it once the call was given up.
void TimedExecutor::CopyArguments(Worker& own) {
  own.loads = false;
  if (own.item.kind == JobKind::kStep) {
    own.action.Take(own.env);
    return;
  }
  own.start.reset();
  own.has_seed = 0;
  own.resets = 1;
  if (!own.item.of_job) return;
  const ResetPlan& plan = job_.plan;
  const std::uint32_t k = own.item.index;
  own.loads = plan.states != nullptr;
  if (own.loads) {
    own.state = plan.states[k];
    return;
  }
  own.start = job_.request.start;
  if (plan.mask != nullptr) own.resets = plan.mask[k] != 0 ? 1 : 0;
  if (own.resets == 0) return;
  if (plan.seed_by_env) own.seed = plan.first_seed + own.env;
  if (plan.seeds != nullptr) own.seed = plan.seeds[k];
  own.has_seed = plan.seed_by_env || (plan.seeds != nullptr && plan.has_seed[k] != 0) ? 1 : 0;
  if (own.has_seed != 0) group_->NoteSeed(own.env, own.seed);
}

// Steps or resets the environment. Uses only `own` and `hold`. Returns why the environment could
// not be made, or "".
std::string TimedExecutor::CallInto(Worker& own, RenewableGroup::Hold& hold, StepCounts& counts) {
  try {
    hold.Construct();
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "an exception that is not a std::exception";
  }
  const std::uint32_t env = own.env;
  const EnvRange one{.ids = &env, .begin = 0, .end = 1};
  const BatchView& view = own.row->view();
  const StopCondition& never = StopCondition::Never();
  if (own.item.kind == JobKind::kStep) {
    hold.group().StepRows(one, own.action.slots(), view, never, counts);
    return {};
  }
  const ResetPlan plan{.start = own.start.get(),
                       .seeds = &own.seed,
                       .has_seed = &own.has_seed,
                       .mask = &own.resets,
                       .states = own.loads ? &own.state : nullptr};
  hold.group().ResetRows(one, plan, view, never, counts);
  return {};
}

// Makes or draws an environment, which may take any time.
void TimedExecutor::RunUntimed(Worker& own) {
  const bool constructs = own.item.kind == JobKind::kConstruct;
  try {
    RenewableGroup::Hold hold = group_->HoldOf(own.env, own.known);
    hold.Construct();
    StepCounts counts;
    if (!constructs) {
      job_.RunItems(hold.group(), own.action.slots(), own.item.index, own.item.index + 1,
                    StopCondition::Never(), counts);
    }
    group_->Take(hold, group_->elapsed_step(own.env), false);
  } catch (...) {
    if (constructs) {
      const ScopedLock lock(error_mutex_);
      if (!error_) error_ = std::current_exception();
    } else {
      StepCounts counts;
      group_->Fail(own.env, kNoMemory, counts);
    }
  }
  FinishItem();
}

// --- Rows ----------------------------------------------------------------------------------------

// Calls write(view, row) for the row of an item, and delivers it.
template <class Write>
void TimedExecutor::WriteRow(std::uint32_t env, const Item& item, const StepCounts& counts,
                             Write&& write) {
  if (item.of_job) {
    write(job_.batch->view(), item.index);
    job_.batch->Count(counts);
    FinishItem();
    return;
  }
  RowTickets<>& rows = batches_.tickets();
  const RowTickets<>::Position position = num_envs_ == batch_size_
                                              ? RowTickets<>::Position{.slot = 0, .row = env}
                                              : rows.PositionOf(rows.Reserve(1));
  OpenBatch* const batch = batches_.at(position.slot);
  write(batch->view(), position.row);
  batch->Count(counts);
  signal_.Notify(rows.Commit(position.slot, 1), 1);
}

void TimedExecutor::FinishItem() {
  if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) done_.Notify(UINT32_MAX);
}

void TimedExecutor::WriteFailedRow(std::uint32_t env, const Item& item, const StepCounts& counts) {
  WriteRow(env, item, counts,
           [&](const BatchView& to, std::uint32_t row) { group_->WriteFailed(env, to, row); });
}

// Delivers the row of an environment that could not be called.
void TimedExecutor::FailItem(std::uint32_t env, const Item& item, const char* what) {
  StepCounts counts;
  group_->Fail(env, what, counts);
  WriteFailedRow(env, item, counts);
}

// --- Telemetry -----------------------------------------------------------------------------------

std::vector<ThreadStats> TimedExecutor::thread_stats() const {
  std::vector<ThreadStats> threads;
  for (std::uint32_t writer = 0; writer <= num_threads_; ++writer) {
    threads.push_back(telemetry_.OfThread(writer));
    if (writer < num_threads_) {
      threads.back().idle_ns = workers_.idle_ns(writer);
    } else {
      threads.back().role = ThreadStats::Role::kReceiver;
    }
  }
  return threads;
}

std::vector<RunningPiece> TimedExecutor::running() const {
  std::vector<RunningPiece> pieces;
  for (std::uint32_t writer = 0; writer < num_threads_; ++writer) {
    const RunningPiece piece = telemetry_.Running(writer);
    if (piece.n > 0) pieces.push_back(piece);
  }
  return pieces;
}

}  // namespace engine
