// A pool of small environments for tests, with calls that take plain vectors. Not thread-safe, like
// the callers of a pool.
#ifndef ENGINE_TESTS_ENGINE_RUNTIME_POOL_FIXTURE_H_
#define ENGINE_TESTS_ENGINE_RUNTIME_POOL_FIXTURE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "engine/group/env_group_of.h"
#include "engine/runtime/pool.h"

namespace engine::testing {

// Observes (steps since reset, a number drawn at reset). Its episode ends after `episode_length`
// steps. Throws for action 2, and does `work` rounds of arithmetic per step. `kShort` is its
// kNeverWaits.
template <bool kShort>
class Probe {
 public:
  static constexpr bool kNeverWaits = kShort;
  static ParamSchema Options() {
    const auto number = [](const char* name, std::int64_t value, const char* doc) {
      return ParamSpec{.name = name, .default_value = value, .doc = doc, .low = {}, .high = {}};
    };
    return {number("episode_length", 5, "steps"), number("work", 0, "rounds of arithmetic")};
  }
  static ParamSchema ResetOptions() { return {}; }
  static EnvSpec Spec(const ParamValues&) {
    EnvSpec spec;
    spec.observation = SpaceSpec::Box<std::int64_t>({2}, INT64_MIN, INT64_MAX);
    spec.action = SpaceSpec::Discrete(3);
    spec.infos = {{.name = "sum", .dtype = DType::kFloat64, .shape = {}}};
    return spec;
  }
  struct Config {
    explicit Config(const ParamValues& options)
        : episode_length(options.Get<std::int64_t>("episode_length")),
          work(options.Get<std::int64_t>("work")) {}
    std::int64_t episode_length;
    std::int64_t work;
  };
  struct Start {
    explicit Start(const ParamValues&) {}
  };

  explicit Probe(const Config& config) : config_(config) {}
  void Reset(const Start&, Rng& rng) {
    steps_ = 0;
    drawn_ = rng.Integers(1000000);
  }
  StepResult Step(ActionView action, Rng&) {
    if (action.Index() == 2) throw std::runtime_error("action 2");
    for (std::int64_t i = 0; i < config_.work; ++i) sum_ = sum_ * 0.5 + 1.0;
    ++steps_;
    return {.reward = static_cast<double>(steps_), .terminated = steps_ >= config_.episode_length};
  }
  void Observe(ObsRow row) const {
    row.Data<std::int64_t>()[0] = steps_;
    row.Data<std::int64_t>()[1] = drawn_;
  }
  void Info(InfoRow row, bool after_reset) const {
    if (!after_reset) row.Set<double>(0, sum_);
  }

 private:
  const Config& config_;
  std::int64_t steps_ = 0;
  std::int64_t drawn_ = 0;
  double sum_ = 0.0;
};

struct ProbeOptions {
  std::uint32_t num_envs = 4;
  std::uint32_t batch_size = 0;  // 0: num_envs
  std::uint32_t num_threads = 2;
  AutoresetMode autoreset = AutoresetMode::kNextStep;
  std::int64_t episode_length = 5;
  std::int64_t work = 0;
  bool never_waits = true;
  bool two_nodes = false;  // of one processor each, as the pool is told
  BlockAllocator* allocator = nullptr;
};

// A host without a lock. `interrupts` is the result of Interrupted().
struct TestHost final : Host {
  explicit TestHost(bool answer = false) : interrupts(answer) {}
  void Unlock() override {}
  void Lock() override {}
  bool Interrupted() override { return interrupts; }

  bool interrupts;
};

inline const std::int32_t* EnvIds(const Batch& batch) {
  return batch.Data<std::int32_t>(batch.layout().env_id);
}
inline const std::int32_t* ElapsedSteps(const Batch& batch) {
  return batch.Data<std::int32_t>(batch.layout().frame.elapsed_step);
}

class PoolFixture {
 public:
  explicit PoolFixture(const ProbeOptions& options) {
    Topology topology;
    topology.cpus = {0, 1};
    topology.nodes = {{.id = 0, .cpus = {0, 1}, .num_cores = 2}};
    if (options.two_nodes) {
      topology.nodes = {{.id = 0, .cpus = {0}, .num_cores = 1},
                        {.id = 1, .cpus = {1}, .num_cores = 1}};
    }
    pool_ = std::make_shared<Pool>(
        options.never_waits ? Group<true>(options) : Group<false>(options),
        PoolConfig{.batch_size = options.batch_size == 0 ? options.num_envs : options.batch_size,
                   .num_threads = options.num_threads,
                   .autoreset = options.autoreset,
                   .allocator = options.allocator},
        topology);
    TestHost host;
    pool_->Construct(host);
    ResetRequest seeds;
    seeds.seed_by_env = true;
    seeds.first_seed = 7;
    pool_->SeedAll(seeds);
    actions_.resize(options.num_envs);
  }

  Pool* operator->() { return pool_.get(); }
  Pool& operator*() { return *pool_; }
  const std::shared_ptr<Pool>& shared() { return pool_; }

  // Reset(), StepAll() and Step() end the lease of the batch at once.
  void Reset() { RunReset(nullptr).Drop(); }
  void StepAll(std::int64_t action) { TakeStepAll(action).Drop(); }
  void Step(std::int64_t action, std::initializer_list<std::int32_t> ids) {
    std::copy(ids.begin(), ids.end(), ids_);
    const std::int64_t shape[] = {static_cast<std::int64_t>(ids.size())};
    const ArrayView view = IdView(ids_, shape);
    RunStep(action, &view).Drop();
  }

  Batch TakeStepAll(std::int64_t action) { return RunStep(action, nullptr); }
  Batch TakeStepInto(const RowTarget& target, std::int64_t action) {
    return RunStep(action, nullptr, target);
  }

  void AsyncReset() { pool_->SendReset(nullptr, {}, host_); }
  void Send(std::int64_t action, const std::vector<std::int32_t>& ids) {
    const std::int64_t shape[] = {static_cast<std::int64_t>(ids.size())};
    const ArrayView view = IdView(ids.data(), shape);
    pool_->Send(Actions(action, shape), &view, host_);
  }
  Batch Recv() {
    Batch batch;
    Expect(pool_->Recv(host_, -1, batch), WaitResult::kDone);
    return batch;
  }
  void Drain() { Expect(pool_->Drain(host_), WaitResult::kDone); }
  // A step of these environments (of all if `ids` is empty) that the host interrupts.
  WaitResult InterruptedStep(std::int64_t action, const std::vector<std::int32_t>& ids = {},
                             const RowTarget& target = {}) {
    TestHost host(true);
    Batch batch;
    const std::int64_t n = ids.empty() ? pool_->num_envs() : static_cast<std::int64_t>(ids.size());
    const std::int64_t shape[] = {n};
    const ArrayView view = IdView(ids.data(), shape);
    return pool_->Step(Actions(action, shape), ids.empty() ? nullptr : &view, host, batch, target);
  }
  void Close() { Expect(pool_->Close(host_, -1), WaitResult::kDone); }

 private:
  template <bool kShort>
  static std::unique_ptr<EnvGroup> Group(const ProbeOptions& options) {
    const ParamValues values(Probe<kShort>::Options(),
                             {{"episode_length", options.episode_length}, {"work", options.work}},
                             "option", "Probe");
    return std::make_unique<EnvGroupOf<Probe<kShort>>>(
        values, GroupConfig{.num_envs = options.num_envs, .autoreset = options.autoreset});
  }
  static void Expect(WaitResult waited, WaitResult expected) {
    if (waited != expected) throw std::logic_error("a call was interrupted or timed out");
  }

  static ArrayView IdView(const std::int32_t* ids, const std::int64_t* shape) {
    return {.data = reinterpret_cast<const std::byte*>(ids),
            .dtype = DType::kInt32,
            .shape = shape,
            .num_dims = 1};
  }
  ArrayView Actions(std::int64_t action, const std::int64_t* shape) {
    std::fill_n(actions_.begin(), shape[0], action);
    return {.data = reinterpret_cast<const std::byte*>(actions_.data()),
            .dtype = DType::kInt64,
            .shape = shape,
            .num_dims = 1};
  }
  Batch RunReset(const ArrayView* ids) {
    Batch batch;
    Expect(pool_->Reset(ids, {}, host_, batch), WaitResult::kDone);
    return batch;
  }
  Batch RunStep(std::int64_t action, const ArrayView* ids, const RowTarget& target = {}) {
    const std::int64_t all[] = {static_cast<std::int64_t>(pool_->num_envs())};
    Batch batch;
    Expect(
        pool_->Step(Actions(action, ids == nullptr ? all : ids->shape), ids, host_, batch, target),
        WaitResult::kDone);
    return batch;
  }

  TestHost host_;
  std::vector<std::int64_t> actions_;
  std::int32_t ids_[16] = {};
  std::shared_ptr<Pool> pool_;
};

}  // namespace engine::testing

#endif  // ENGINE_TESTS_ENGINE_RUNTIME_POOL_FIXTURE_H_
