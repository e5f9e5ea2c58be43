// A pool whose environments run in forked processes, and an environment that ends its process on
// request.
#ifndef ENGINE_TESTS_ENGINE_PROCESSES_WORKER_FIXTURE_H_
#define ENGINE_TESTS_ENGINE_PROCESSES_WORKER_FIXTURE_H_

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "engine/group/env_group_of.h"
#include "engine/processes/process_executor.h"
#include "engine/processes/worker_loop.h"
#include "engine/processes/worker_process.h"
#include "engine/runtime/pool.h"
#include "tests/engine/runtime/pool_fixture.h"
#include "tests/engine/support/forking.h"

namespace engine::testing {

// Actions with special effects. Any other number is an ordinary step.
inline constexpr std::int64_t kThrow = -1, kDie = -2, kExit = -3, kHang = -4;
inline constexpr int kExitStatus = 7;

// Observes (steps since reset, a number drawn at reset, the latest action).
class Mortal {
 public:
  static ParamSchema Options() { return {}; }
  static ParamSchema ResetOptions() { return {}; }
  static EnvSpec Spec(const ParamValues&) {
    EnvSpec spec;
    spec.observation = SpaceSpec::Box<std::int64_t>({3}, INT64_MIN, INT64_MAX);
    spec.action = SpaceSpec::Discrete(1);
    return spec;
  }
  static const TreeSlotLayout& Slots() {
    static const TreeSlotLayout layout({sizeof(std::int64_t)});
    return layout;
  }
  struct Config {
    explicit Config(const ParamValues&) {}
  };
  struct Start {
    explicit Start(const ParamValues&) {}
  };

  explicit Mortal(const Config&) {}
  void Reset(const Start&, Rng& rng) {
    steps_ = 0;
    action_ = 0;
    drawn_ = rng.Integers(1000000);
  }
  StepResult Step(ActionView action, Rng&) {
    std::memcpy(&action_, Slots().Column(action.Data<std::byte>(), 0), sizeof(action_));
    if (action_ == kThrow) throw std::runtime_error("told to throw");
    if (action_ == kDie) raise(SIGKILL);
    if (action_ == kExit) _exit(kExitStatus);
    while (action_ == kHang) pause();
    ++steps_;
    return {.reward = static_cast<double>(action_)};
  }
  void Observe(ObsRow row) const {
    row.Data<std::int64_t>()[0] = steps_;
    row.Data<std::int64_t>()[1] = drawn_;
    row.Data<std::int64_t>()[2] = action_;
  }

 private:
  std::int64_t steps_ = 0;
  std::int64_t drawn_ = 0;
  std::int64_t action_ = 0;
};

struct WorkersOptions {
  std::uint32_t num_envs = 5;
  std::uint32_t batch_size = 0;  // 0: num_envs
  std::uint32_t num_workers = 3;
  std::int64_t step_timeout_ns = 0;
};

// What happens when a worker makes its environments.
enum class Birth : std::uint8_t { kNormal, kExits, kFails, kHangs };

class WorkersFixture {
 public:
  static constexpr std::uint64_t kFirstSeed = 7;

  explicit WorkersFixture(const WorkersOptions& options) : options_(options) {
    const std::uint32_t batch = options.batch_size == 0 ? options.num_envs : options.batch_size;
    executor_ = std::make_shared<ProcessExecutor>(
        Mortal::Spec(NoOptions()), GroupConfig{.num_envs = options.num_envs}, Mortal::Slots(),
        ProcessExecutor::Config{.num_workers = options.num_workers,
                                .batches = {.batch_size = batch},
                                .step_timeout_ns = options.step_timeout_ns});
    pool_ = std::make_unique<Pool>(
        executor_, PoolConfig{.batch_size = batch, .num_threads = options.num_workers});
  }
  ~WorkersFixture() {
    pool_.reset();
    for (const auto& [worker, process] : processes_) {
      kill(process, SIGKILL);
      waitpid(process, nullptr, 0);
    }
  }

  // Starts all workers, and seeds environment i with kFirstSeed + i.
  void StartAll() {
    for (std::uint32_t worker = 0; worker < options_.num_workers; ++worker) Start(worker);
    Expect(pool_->Construct(host_));
    ResetRequest seeds;
    seeds.seed_by_env = true;
    seeds.first_seed = kFirstSeed;
    pool_->SeedAll(seeds);
  }

  void Start(std::uint32_t worker, Birth birth = Birth::kNormal) {
    Add(worker, Fork([&] { Work(worker, birth); }));
  }
  // Starts a worker whose end the executor detects by a pipe, since the process need not be a child
  // of this process. The process that reaps the worker then writes its status.
  void StartUnrelated(std::uint32_t worker) {
    Add(worker, ForkWithPipe([&] { Work(worker, Birth::kNormal); }));
  }
  // Waits for the end of a worker's process. Returns its status as wait(2) defines it.
  int Reap(std::uint32_t worker) {
    int status = 0;
    waitpid(processes_.at(worker), &status, 0);
    processes_.erase(worker);
    return status;
  }
  void Restart(std::uint32_t worker, Birth birth = Birth::kNormal) {
    Reap(worker);
    executor_->ResetWorker(worker);
    Start(worker, birth);
  }
  // Kills a worker that is idle, as if it had died before it finished its latest item, whose row it
  // had committed.
  void KillBeforeFinish(std::uint32_t worker) {
    const pid_t process = processes_.at(worker);
    kill(process, SIGKILL);
    siginfo_t info{};
    waitid(P_PID, static_cast<id_t>(process), &info, WEXITED | WNOWAIT);  // Restart reaps it
    const std::unique_ptr<SharedMapping> mapping = MapWhole(dup(executor_->fd()));
    SharedState(mapping->base()).worker(worker).ring.finished.fetch_sub(1);
  }
  pid_t process(std::uint32_t worker) const { return processes_.at(worker); }
  std::string NameOf(std::uint32_t worker) const {
    return "worker " + std::to_string(worker) + " (process " + std::to_string(process(worker)) +
           ") ";
  }

  Batch Reset(std::vector<std::int32_t> ids = {}) {
    Batch batch;
    const std::int64_t shape[] = {static_cast<std::int64_t>(ids.size())};
    const ArrayView view = IdView(ids, shape);
    Expect(pool_->Reset(ids.empty() ? nullptr : &view, {}, host_, batch));
    return batch;
  }
  // Steps the environments in `actions`, a map from environment to action.
  Batch Step(const std::map<std::int32_t, std::int64_t>& actions) {
    const Call call(actions);
    const ArrayView view = IdView(call.ids, call.shape);
    Batch batch;
    Expect(pool_->Step({.tree = &call.tree}, &view, host_, batch));
    return batch;
  }
  void Send(const std::map<std::int32_t, std::int64_t>& actions) {
    const Call call(actions);
    const ArrayView view = IdView(call.ids, call.shape);
    pool_->Send({.tree = &call.tree}, &view, host_);
  }
  void SendReset() { pool_->SendReset(nullptr, {}, host_); }
  Batch Recv() {
    Batch batch;
    Expect(pool_->Recv(host_, -1, batch));
    return batch;
  }
  WaitResult Construct() { return pool_->Construct(host_); }
  void Close() { Expect(pool_->Close(host_, -1)); }

  ProcessExecutor& executor() { return *executor_; }
  std::uint32_t num_envs() const { return options_.num_envs; }

 private:
  struct NoBytes final : WorkerLoop::Options {
    std::unique_ptr<ResetStart> Read(const std::byte*, std::size_t) override { return nullptr; }
  };
  struct Call {
    explicit Call(const std::map<std::int32_t, std::int64_t>& by_id) {
      for (const auto& [id, action] : by_id) {
        ids.push_back(id);
        actions.push_back(action);
      }
      shape[0] = static_cast<std::int64_t>(ids.size());
      tree.rows = static_cast<std::uint32_t>(ids.size());
      tree.columns.push_back({.data = reinterpret_cast<const std::byte*>(actions.data()),
                              .row_bytes = sizeof(std::int64_t)});
    }
    std::vector<std::int32_t> ids;
    std::vector<std::int64_t> actions;
    std::int64_t shape[1];
    ActionTree tree;
  };

  static ParamValues NoOptions() { return ParamValues(Mortal::Options(), {}, "option", "Mortal"); }
  static void Expect(WaitResult waited) {
    if (waited != WaitResult::kDone) throw std::logic_error("a call was interrupted or timed out");
  }
  static ArrayView IdView(const std::vector<std::int32_t>& ids, const std::int64_t* shape) {
    return {.data = reinterpret_cast<const std::byte*>(ids.data()),
            .dtype = DType::kInt32,
            .shape = shape,
            .num_dims = 1};
  }

  void Add(std::uint32_t worker, const ProcessHandle& process) {
    processes_[worker] = process.id;
    executor_->Attach(worker, process);
  }
  [[noreturn]] void Work(std::uint32_t worker, Birth birth) {
    if (birth == Birth::kExits) _exit(kExitStatus);
    while (birth == Birth::kHangs) pause();
    const std::unique_ptr<SharedMapping> mapping = MapWhole(dup(executor_->fd()));
    SharedState state(mapping->base());
    if (!WaitUntilAttached(state, worker)) _exit(0);
    const auto tell = [&](WorkerState value) {
      state.worker(worker).state.store(static_cast<std::uint32_t>(value),
                                       std::memory_order_release);
      state.header().done.parker.Notify(UINT32_MAX);
    };
    if (birth == Birth::kFails) {
      constexpr char kWhy[] = "no such model";
      std::memcpy(state.outbox(worker), kWhy, sizeof(kWhy) - 1);
      state.item(worker).out_bytes = sizeof(kWhy) - 1;
      tell(WorkerState::kFailed);
      _exit(1);
    }
    EnvGroupOf<Mortal> group(NoOptions(), GroupConfig{.num_envs = options_.num_envs});
    for (std::uint32_t env = worker; env < options_.num_envs; env += options_.num_workers) {
      group.Construct(env, env + 1);
    }
    tell(WorkerState::kReady);
    NoBytes no_bytes;
    WorkerLoop loop(state, worker, group, {}, no_bytes);
    TestHost host;
    loop.Run(host, 0.0);
    _exit(0);
  }

  const WorkersOptions options_;
  TestHost host_;
  std::shared_ptr<ProcessExecutor> executor_;
  std::unique_ptr<Pool> pool_;
  std::map<std::uint32_t, pid_t> processes_;  // by worker
};

// Element `which` of the observation in each row, by environment.
inline std::map<std::int32_t, std::int64_t> Observed(const Batch& batch, std::size_t which) {
  std::map<std::int32_t, std::int64_t> observed;
  const auto* const rows = batch.Data<std::int64_t>(batch.layout().frame.obs);
  for (std::uint32_t row = 0; row < batch.rows(); ++row) {
    observed[EnvIds(batch)[row]] = rows[row * 3 + which];
  }
  return observed;
}

// The messages of the failed environments.
inline std::map<std::uint32_t, std::string> FailedOf(const Batch& batch) {
  return {batch.failed.begin(), batch.failed.end()};
}

}  // namespace engine::testing

#endif  // ENGINE_TESTS_ENGINE_PROCESSES_WORKER_FIXTURE_H_
