// A pool that compiled programs step, and a call of a step. Not thread-safe.
#ifndef ENGINE_TESTS_ENGINE_XLA_SHARED_FIXTURE_H_
#define ENGINE_TESTS_ENGINE_XLA_SHARED_FIXTURE_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/xla/handlers.h"
#include "engine/xla/shared_pool.h"
#include "tests/engine/harness.h"
#include "tests/engine/runtime/pool_fixture.h"
#include "tests/engine/xla/fake_call.h"

namespace engine::testing {

// A shared pool, and calls of its handlers with all environments.
class Shared {
 public:
  explicit Shared(const ProbeOptions& options = {})
      : pool_(options), shared_(xla::SharedPool::Share(pool_.shared(), "Probe")) {
    const BatchLayout& layout = pool_->layout();
    fields_ = {static_cast<std::int64_t>(shared_->layout_stamp()), 0, layout.Find("obs"),
               layout.reward, layout.terminated};
  }

  PoolFixture& pool() { return pool_; }
  std::shared_ptr<xla::SharedPool>& shared() { return shared_; }
  xla::State state() const { return shared_->state(); }
  std::int64_t envs() { return pool_->num_envs(); }
  const std::vector<std::int64_t>& fields() const { return fields_; }

  std::string Reset() {
    FakeCall call;
    FillReset(call, shared_->restart_state());
    return call.Run(xla::ResetHandler);
  }
  void FillReset(FakeCall& call, const xla::State& state) {
    call.SetState(state);
    call.Arg<std::uint32_t>({0, 2});
    call.Arg<bool>({0});
    call.SetFields({fields_[0], 0});
  }

 private:
  PoolFixture pool_;
  std::shared_ptr<xla::SharedPool> shared_;
  std::vector<std::int64_t> fields_;
};

// A call of the handler Step with the results that Shared::fields lists.
struct StepCall : FakeCall {
  StepCall(Shared& shared, std::int64_t action, std::size_t shift = 0) {
    const std::int64_t n = shared.envs();
    SetState(shared.state());
    actions = Arg<std::int32_t>({n});
    std::fill_n(actions, n, static_cast<std::int32_t>(action));
    Arg<std::int32_t>({0});
    obs = Result<std::int64_t>({n, 2}, shift);
    reward = Result<float>({n});
    terminated = Result<bool>({n});
    SetFields(shared.fields());
  }

  std::int32_t* actions;
  std::int64_t* obs;
  float* reward;
  bool* terminated;
};

inline void ExpectLike(const StepCall& call, const Batch& batch) {
  const BatchLayout& layout = batch.layout();
  const auto* const obs = batch.Data<std::int64_t>(layout.frame.obs);
  const auto* const reward = batch.Data<double>(layout.reward);
  const auto* const terminated = batch.Data<bool>(layout.terminated);
  for (std::uint32_t row = 0; row < batch.rows(); ++row) {
    EXPECT_EQ(call.obs[2 * row], obs[2 * row]);
    EXPECT_EQ(call.obs[2 * row + 1], obs[2 * row + 1]);
    EXPECT_EQ(call.reward[row], static_cast<float>(reward[row]));
    EXPECT_EQ(call.terminated[row], terminated[row]);
  }
}

}  // namespace engine::testing

#endif  // ENGINE_TESTS_ENGINE_XLA_SHARED_FIXTURE_H_
