// Where the environments of a pool are made if its machine has several NUMA nodes. The pool is told
// that each of two processors is a node.
#include <sched.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <vector>

#include "engine/group/env_group_of.h"
#include "engine/group/renewable_group.h"
#include "engine/runtime/pool.h"
#include "engine/topology/placement.h"
#include "engine/topology/topology.h"
#include "tests/engine/harness.h"
#include "tests/engine/runtime/pool_fixture.h"

namespace engine::testing {
namespace placing_test {

// Observes the processor to which the thread that made it was bound; -1 if there were several.
class BoundTo {
 public:
  static constexpr bool kNeverWaits = true;
  static ParamSchema Options() { return {}; }
  static ParamSchema ResetOptions() { return {}; }
  static EnvSpec Spec(const ParamValues&) {
    EnvSpec spec;
    spec.observation = SpaceSpec::Box<std::int64_t>({1}, INT64_MIN, INT64_MAX);
    spec.action = SpaceSpec::Discrete(2);
    return spec;
  }
  struct Config {
    explicit Config(const ParamValues&) {}
  };
  struct Start {
    explicit Start(const ParamValues&) {}
  };

  explicit BoundTo(const Config&) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof(set), &set) != 0 || CPU_COUNT(&set) != 1) return;
    while (!CPU_ISSET(static_cast<std::size_t>(++cpu_), &set)) {
    }
  }
  void Reset(const Start&, Rng&) {}
  StepResult Step(ActionView, Rng&) { return {.reward = 0.0}; }
  void Observe(ObsRow row) const { row.Data<std::int64_t>()[0] = cpu_; }

 private:
  std::int64_t cpu_ = -1;
};

constexpr std::uint32_t kEnvs = 13;

std::unique_ptr<EnvGroup> MakeGroup() {
  const ParamValues values(BoundTo::Options(), {}, "option", "BoundTo");
  return std::make_unique<EnvGroupOf<BoundTo>>(values, GroupConfig{.num_envs = kEnvs});
}

// Two processors that this process may use; empty if there are none.
std::vector<int> TwoProcessors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return {};
  for (int cpu = 0; cpu < CPU_SETSIZE && cpus.size() < 2; ++cpu) {
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) cpus.push_back(cpu);
  }
  return cpus.size() == 2 ? cpus : std::vector<int>{};
}

Topology TwoNodes(const std::vector<int>& cpus) {
  Topology topology;
  topology.cpus = cpus;
  topology.nodes = {{.id = 0, .cpus = {cpus[0]}, .num_cores = 1},
                    {.id = 1, .cpus = {cpus[1]}, .num_cores = 1}};
  return topology;
}

// The processor to which each environment's maker was bound.
std::vector<std::int64_t> Makers(const Topology& topology, const PoolConfig& config) {
  const bool timed = config.step_timeout_ns > 0;
  std::shared_ptr<Pool> pool =
      timed ? std::make_shared<Pool>(std::make_unique<RenewableGroup>(MakeGroup(), MakeGroup),
                                     config, topology)
            : std::make_shared<Pool>(MakeGroup(), config, topology);
  TestHost host;
  EXPECT_TRUE(pool->Construct(host) == WaitResult::kDone);
  ResetRequest seeds;
  seeds.seed_by_env = true;
  pool->SeedAll(seeds);
  Batch batch;
  EXPECT_TRUE(pool->Reset(nullptr, {}, host, batch) == WaitResult::kDone);
  const auto* const rows = batch.Data<std::int64_t>(batch.layout().frame.obs);
  return {rows, rows + kEnvs};
}

TEST(Placing, EachEnvironmentIsMadeOnItsNode) {
  const std::vector<int> cpus = TwoProcessors();
  if (cpus.empty()) return;  // nothing to bind to
  const Topology topology = TwoNodes(cpus);
  for (const std::uint32_t num_threads : {2U, 3U, 4U, 8U, 13U, 20U}) {
    const NodePlan plan = PlanNodes(PlaceWorkers(topology, static_cast<int>(num_threads)), kEnvs);
    std::vector<std::int64_t> expected;
    for (const std::uint32_t node : plan.of_env) expected.push_back(cpus[node]);
    for (const std::uint32_t batch_size : {kEnvs, 5U}) {
      for (const std::int64_t step_timeout_ns : {std::int64_t{0}, std::int64_t{60'000'000'000}}) {
        EXPECT_EQ(Makers(topology, {.batch_size = batch_size,
                                    .num_threads = num_threads,
                                    .step_timeout_ns = step_timeout_ns}),
                  expected)
            << num_threads << " threads, batches of " << batch_size << ", step_timeout "
            << step_timeout_ns;
      }
    }
  }
}

}  // namespace placing_test
}  // namespace engine::testing
