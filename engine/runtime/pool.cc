// Construction and closing of a pool, and the checks that all calls share. Synchronous calls are in
// ordered.cc, asynchronous ones in first_ready.cc.
#include "engine/runtime/pool.h"

#include <algorithm>
#include <exception>
#include <new>
#include <numeric>
#include <utility>

#include "engine/base/entropy.h"
#include "engine/base/error.h"
#include "engine/runtime/call_scope.h"
#include "engine/runtime/freed_memory.h"
#include "engine/runtime/thread_executor.h"
#include "engine/runtime/timed_executor.h"

namespace engine {
namespace {

// How long the destructor waits for running steps.
constexpr std::int64_t kDropWaitNs = 5'000'000'000;

std::shared_ptr<Executor> MakeExecutor(std::unique_ptr<EnvGroup> group, const PoolConfig& config,
                                       const Topology& topology) {
  const ThreadExecutor::Config threads{.batches = config.batches(group->config().records_episodes),
                                       .num_threads = config.num_threads,
                                       .affinity = config.affinity};
  return std::make_shared<ThreadExecutor>(std::move(group), threads, topology);
}

std::shared_ptr<Executor> MakeExecutor(std::unique_ptr<RenewableGroup> group,
                                       const PoolConfig& config, const Topology& topology) {
  const TimedExecutor::Config timed{.batches = config.batches(group->config().records_episodes),
                                    .num_threads = config.num_threads,
                                    .affinity = config.affinity,
                                    .step_timeout_ns = config.step_timeout_ns};
  return std::make_shared<TimedExecutor>(std::move(group), timed, topology);
}

std::vector<std::uint32_t> Iota(std::uint32_t n) {
  std::vector<std::uint32_t> ids(n);
  std::iota(ids.begin(), ids.end(), 0U);
  return ids;
}

}  // namespace

BatchConfig PoolConfig::batches(bool records_episodes) const {
  return {.batch_size = batch_size,
          .extras = {.final_frames = autoreset == AutoresetMode::kSameStep,
                     .dm_columns = dm_columns,
                     .episodes = records_episodes},
          .max_blocks = max_blocks,
          .allocator = allocator != nullptr ? allocator : &HeapAllocator::Global()};
}

Pool::Pool(std::unique_ptr<EnvGroup> group, const PoolConfig& config, const Topology& topology)
    : Pool(MakeExecutor(std::move(group), config, topology), config) {}

Pool::Pool(std::unique_ptr<RenewableGroup> group, const PoolConfig& config,
           const Topology& topology)
    : Pool(MakeExecutor(std::move(group), config, topology), config) {}

Pool::Pool(std::shared_ptr<Executor> executor, const PoolConfig& config)
    : spec_(executor->group().spec()),
      saves_states_(executor->group().saves_state()),
      state_version_(executor->group().state_version()),
      num_envs_(executor->group().num_envs()),
      config_(config),
      executor_(std::move(executor)),
      batches_(executor_->batches()),
      all_ids_(Iota(num_envs_)),
      in_flight_(num_envs_),
      taken_ids_(config.batch_size),
      order_(num_envs_),
      results_(num_envs_, config.max_failures),
      given_up_(config.resets_failed ? num_envs_ : 0, 0) {}

Pool::~Pool() {
  NoHost nobody;
  Close(nobody, close_timed_out_.load(std::memory_order_relaxed) ? 0 : kDropWaitNs);
}

WaitResult Pool::Construct(Host& host) {
  CallScope caller(*this, host);
  return executor_->Construct(caller);
}

void Pool::SeedAll(const ResetRequest& seeds) {
  GroupState& group = executor_->group();
  const bool all_given =
      seeds.seed_by_env ||
      (!seeds.seeds.empty() &&
       std::find(seeds.has_seed.begin(), seeds.has_seed.end(), 0) == seeds.has_seed.end());
  if (!all_given) {
    const std::uint64_t high = EntropyWord();
    group.SeedFromEntropy(high, EntropyWord());
  }
  for (std::uint32_t env = 0; env < num_envs_; ++env) {
    if (seeds.seed_by_env) group.Seed(env, seeds.first_seed + env);
    if (!seeds.seeds.empty() && seeds.has_seed[env] != 0) group.Seed(env, seeds.seeds[env]);
  }
}

std::unique_ptr<ResetStart> Pool::ParseStarts(const std::vector<ParamValues>& of_tasks,
                                              Host& host) const {
  CallScope caller(*this, host);
  return executor_->group().ParseStarts(of_tasks);
}

WaitResult Pool::Close(Host& host, std::int64_t timeout_ns) {
  WaitContext caller(host, timeout_ns);
  caller.Unlock();  // freeing the environments may take long
  Lifetime& lifetime = executor_->lifetime();
  lifetime.Close();
  executor_->WakeToEnd();
  sync_lock_.WakeAll();
  const std::uint32_t own_calls = InsidePool::Count(&lifetime);
  // If several threads close the pool from within calls, none of them waits for the others' calls.
  closing_calls_.fetch_add(own_calls, std::memory_order_relaxed);
  const auto over = [&] {
    executor_->GiveUpLateSteps();
    return own_calls == 0 ? lifetime.ended()
                          : lifetime.users() <= closing_calls_.load(std::memory_order_relaxed);
  };
  const WaitResult waited = caller.WaitUntil(lifetime.left(), over, 0.0);
  closing_calls_.fetch_sub(own_calls, std::memory_order_relaxed);
  // Otherwise this may be one of the threads to join.
  if (lifetime.ended()) {
    {
      const StateLock lock(*this, caller);
      order_.Record(nullptr);  // writes what is buffered
    }
    executor_->Join();
    ReturnFreedMemory();
  }
  if (waited == WaitResult::kTimedOut) close_timed_out_.store(true, std::memory_order_relaxed);
  return waited;
}

void Pool::ThrowClosed() { throw Error(ErrorKind::kClosed, "the pool is closed"); }

// Checks that the environments are idle, sets `n` to their number and returns their ids. `ids`
// null: all environments; the result is then null, too.
const std::uint32_t* Pool::ReadIds(const ArrayView* ids, std::uint32_t& n, const char* name) {
  if (ids == nullptr) {
    in_flight_.CheckAllIdle(name);
    n = num_envs_;
    return nullptr;
  }
  in_flight_.ReadIdle(*ids, name);
  n = static_cast<std::uint32_t>(in_flight_.ids().size());
  return in_flight_.ids().data();
}

void Pool::CheckSteppable(const std::uint32_t* ids, std::uint32_t n) const {
  const GroupState& group = executor_->group();
  const std::vector<std::uint8_t>& status = group.statuses();
  // dm_env: the very first step begins an episode, as does a step after an episode's end.
  const bool starts = config_.dm_columns && config_.autoreset == AutoresetMode::kNextStep;
  unsigned blocking = EnvStatus::kFailed | EnvStatus::kEpisodeOver;
  if (!starts) blocking |= EnvStatus::kNeverReset;
  std::uint8_t any = 0;
  if (ids == nullptr) {
    for (const std::uint8_t one : status) any |= one;
  } else {
    for (std::uint32_t k = 0; k < n; ++k) any |= status[ids[k]];
  }
  if ((any & blocking) == 0) return;
  for (std::uint32_t k = 0; k < n; ++k) {
    const std::uint32_t env = ids == nullptr ? k : ids[k];
    if ((status[env] & blocking) == 0 || StepResets(env)) continue;
    const std::string name = "environment " + std::to_string(env);
    std::string why = name + " has not been reset yet: call reset() first";
    ErrorHint hint = ErrorHint::kNone;
    if ((status[env] & EnvStatus::kFailed) != 0) {
      why = name + " failed and must be reset first (" + group.FailureOf(env) + ")";
    } else if ((status[env] & EnvStatus::kEpisodeOver) != 0) {
      why = "the episode of " + name + " has ended and autoreset is disabled: reset it first";
    } else {
      hint = ErrorHint::kEnvPoolProgram;
    }
    throw Error(ErrorKind::kResetNeeded, why, hint);
  }
}

// Whether the environment has failed and its next step begins a new episode.
bool Pool::StepResets(std::uint32_t env) const {
  if (!config_.resets_failed || config_.autoreset == AutoresetMode::kDisabled) return false;
  if ((executor_->group().status(env) & EnvStatus::kFailed) == 0 || given_up_[env] != 0) {
    return false;
  }
  executor_->group().MakeResetDue(env);
  return true;
}

void Pool::CheckMask(const std::vector<std::uint8_t>& mask, const std::uint32_t* ids) const {
  for (std::uint32_t k = 0; k < mask.size(); ++k) {
    if (mask[k] != 0) continue;
    const std::uint32_t env = ids == nullptr ? k : ids[k];
    // The row will show the environment's current state, so there must be one.
    const std::uint8_t bad = EnvStatus::kNeverReset | EnvStatus::kFailed;
    if ((executor_->group().status(env) & bad) == 0) continue;
    throw Error(ErrorKind::kResetNeeded,
                "options[\"reset_mask\"]: environment " + std::to_string(env) +
                    " has not been reset yet or failed, so the mask must include it");
  }
}

void Pool::CheckHasPicture(const std::uint32_t* ids, std::uint32_t n) const {
  const GroupState& group = executor_->group();
  if (!group.config().renders) {
    throw Error(ErrorKind::kRenderMode,
                "render: expected a pool made with render_mode=\"rgb_array\", got one made without "
                "render_mode");
  }
  CheckWasReset("render", ids, n);
}

void Pool::CheckWasReset(const char* call, const std::uint32_t* ids, std::uint32_t n) const {
  const GroupState& group = executor_->group();
  for (std::uint32_t k = 0; k < n; ++k) {
    const std::uint32_t env = ids == nullptr ? k : ids[k];
    const std::uint8_t status = group.status(env);
    const std::string name = std::string(call) + ": environment " + std::to_string(env);
    if ((status & EnvStatus::kFailed) != 0) {
      throw Error(ErrorKind::kResetNeeded,
                  name + " failed and must be reset first (" + group.FailureOf(env) + ")");
    }
    if ((status & EnvStatus::kNeverReset) != 0) {
      throw Error(ErrorKind::kResetNeeded, name + " has not been reset yet: call reset() first");
    }
  }
}

void Pool::CheckSavesStates(const char* call) const {
  if (saves_states_) return;
  throw Error(ErrorKind::kState, std::string(call) +
                                     ": the environments of this task save no states: their class "
                                     "has no Save and Load");
}

void Pool::AddIfFailed(std::uint32_t env, Failures& failed) const {
  if ((executor_->group().status(env) & EnvStatus::kFailed) == 0) return;
  failed.emplace_back(env, executor_->group().FailureOf(env));
}

// Requires: the group's settings are prepared, if there are any here.
void Pool::SetNextSettings(const std::uint32_t* ids, const std::vector<EnvSettingPtr>& settings,
                           const std::vector<std::uint8_t>& mask) {
  for (std::uint32_t k = 0; k < settings.size(); ++k) {
    if (settings[k] == nullptr || (!mask.empty() && mask[k] == 0)) continue;
    executor_->group().settings().SetNext(ids == nullptr ? k : ids[k], settings[k]);
  }
}

void Pool::SetSettings(const ArrayView* ids, const std::vector<EnvSettingPtr>& settings,
                       Host& host) {
  CallScope caller(*this, host);
  const StateLock lock(*this, caller);
  if (ids != nullptr) in_flight_.ReadAny(*ids);
  executor_->group().settings().Prepare(num_envs_);
  SetNextSettings(ids == nullptr ? nullptr : in_flight_.ids().data(), settings, {});
}

std::vector<SettingOfEnv> Pool::Settings(const ArrayView* ids, bool next, Host& host) {
  CallScope caller(*this, host);
  const StateLock lock(*this, caller);
  std::uint32_t n = num_envs_;
  const std::uint32_t* read = nullptr;
  if (!next) {
    read = ReadIds(ids, n);
  } else if (ids != nullptr) {
    in_flight_.ReadAny(*ids);
    read = in_flight_.ids().data();
    n = static_cast<std::uint32_t>(in_flight_.ids().size());
  }
  std::vector<SettingOfEnv> settings(n);
  const EnvSettings& of = executor_->group().settings();
  for (std::uint32_t k = 0; k < n; ++k) {
    const std::uint32_t env = read == nullptr ? k : read[k];
    settings[k] = {env, next ? of.Next(env) : of.Current(env)};
  }
  return settings;
}

// Collects the failures of a batch, and truncates the episodes of environments that are reset. If
// one of them fails too often, the call throws, and names only such environments.
void Pool::CollectFailed(OpenBatch& open, const std::uint32_t* ids, std::uint32_t rows,
                         Batch& batch) {
  const BatchView& view = open.view();
  const std::uint64_t now = TickClock::Now();
  Failures too_often;
  for (std::uint32_t row = 0; row < rows; ++row) {
    const std::uint32_t env = ids == nullptr ? row : ids[row];
    if ((executor_->group().status(env) & EnvStatus::kFailed) == 0) continue;
    batch.failed.emplace_back(env, executor_->group().FailureOf(env));
    const bool often = results_.Failed(env, now);
    if (!config_.resets_failed) continue;
    view.truncated[row] = true;
    given_up_[env] = often ? 1 : 0;
    if (often) too_often.push_back(batch.failed.back());
  }
  batch.raises = !config_.resets_failed || !too_often.empty();
  if (!too_often.empty()) batch.failed = std::move(too_often);
}

// Completes a batch that leaves the pool, as `batch`. If it throws, because there is no memory for
// the messages, `batch` has the leases. Requires: the state lock is held.
void Pool::Finish(BatchMemory& memory, OpenBatch* open, const std::uint32_t* ids,
                  std::uint32_t rows, Batch& batch) {
  Batch failures;
  std::exception_ptr no_memory;
  if (open->failures() > 0) [[unlikely]] {
    try {
      CollectFailed(*open, ids, rows, failures);
    } catch (const std::bad_alloc&) {
      no_memory = std::current_exception();
    }
  }
  CompleteBatch(*open, rows);
  batch = memory.Finish(open, rows);
  batch.raises = failures.raises;
  batch.failed = std::move(failures.failed);
  if (no_memory) std::rethrow_exception(no_memory);
  executor_->group().TakeObjects(ids, rows, batch.objects);
}

}  // namespace engine
