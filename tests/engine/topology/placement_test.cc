// Placement of workers on machines given as data, and pinning on the real machine.
#include "engine/topology/placement.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <optional>
#include <thread>
#include <vector>

#include "tests/engine/harness.h"
#include "tests/engine/os_layer.h"

#if ENGINE_OS_IS_LINUX
#include <sched.h>
#endif

namespace engine {
namespace placement_test {

struct NodeSize {
  int id;
  int num_cpus;
  int num_cores;
};

Topology MachineOf(const std::vector<NodeSize>& sizes) {
  Topology topology;
  int next = 0;
  for (const NodeSize& size : sizes) {
    std::vector<int> cpus(static_cast<std::size_t>(size.num_cpus));
    std::iota(cpus.begin(), cpus.end(), next);
    next += size.num_cpus;
    topology.cpus.insert(topology.cpus.end(), cpus.begin(), cpus.end());
    topology.nodes.push_back({.id = size.id, .cpus = cpus, .num_cores = size.num_cores});
  }
  return topology;
}

Topology EightNodes() {
  std::vector<NodeSize> sizes;
  for (int id = 0; id < 8; ++id) sizes.push_back({.id = id, .num_cpus = 12, .num_cores = 12});
  return MachineOf(sizes);
}

// The number of workers by node id. Expects that the indices of a node are contiguous and that
// every worker is pinned to all processors of its node.
std::map<int, int> WorkersPerNode(const Topology& topology, int num_threads) {
  const std::vector<WorkerPlacement> placements = PlaceWorkers(topology, num_threads);
  EXPECT_EQ(placements.size(), static_cast<std::size_t>(num_threads));
  std::map<int, int> workers;
  for (std::size_t i = 0; i < placements.size(); ++i) {
    const WorkerPlacement& placement = placements[i];
    const bool starts_a_node = i == 0 || placements[i - 1].node != placement.node;
    EXPECT_EQ(starts_a_node, workers[placement.node] == 0) << "worker " << i;
    ++workers[placement.node];
    const auto node =
        std::find_if(topology.nodes.begin(), topology.nodes.end(),
                     [&](const Topology::Node& other) { return other.id == placement.node; });
    ASSERT_TRUE(node != topology.nodes.end()) << "worker " << i;
    EXPECT_EQ(placement.cpus, node->cpus) << "worker " << i;
  }
  return workers;
}

TEST(PlaceWorkers, OneNodeIsNotPinned) {
  const Topology laptop = MachineOf({{.id = 3, .num_cpus = 8, .num_cores = 4}});
  for (const int num_threads : {1, 4, 8, 100}) {
    const std::vector<WorkerPlacement> placements = PlaceWorkers(laptop, num_threads);
    ASSERT_EQ(placements.size(), static_cast<std::size_t>(num_threads));
    for (const WorkerPlacement& placement : placements) {
      EXPECT_EQ(placement.node, 3);
      EXPECT_TRUE(placement.cpus.empty());
    }
  }
}

TEST(PlaceWorkers, NoThreadsNoPlacements) {
  EXPECT_TRUE(PlaceWorkers(EightNodes(), 0).empty());
  EXPECT_TRUE(PlaceWorkers(EightNodes(), -1).empty());
}

TEST(PlaceWorkers, FillsEightNodesEvenly) {
  const Topology machine = EightNodes();
  for (const int per_node : {1, 2, 12, 50}) {
    const std::map<int, int> workers = WorkersPerNode(machine, 8 * per_node);
    ASSERT_EQ(workers.size(), 8U);
    for (const auto& [node, count] : workers) EXPECT_EQ(count, per_node) << "node " << node;
  }
}

TEST(PlaceWorkers, UnevenCountsDifferByOne) {
  const Topology machine = EightNodes();
  for (int num_threads = 8; num_threads <= 200; ++num_threads) {
    const std::map<int, int> workers = WorkersPerNode(machine, num_threads);
    ASSERT_EQ(workers.size(), 8U);
    for (const auto& [node, count] : workers) {
      EXPECT_LE(num_threads / 8, count) << num_threads << " threads, node " << node;
      EXPECT_LE(count, num_threads / 8 + 1) << num_threads << " threads, node " << node;
    }
  }
}

TEST(PlaceWorkers, FewerWorkersThanNodesAreNotPinned) {
  for (int num_threads = 1; num_threads < 8; ++num_threads) {
    for (const WorkerPlacement& placement : PlaceWorkers(EightNodes(), num_threads)) {
      EXPECT_EQ(placement.node, -1);
      EXPECT_TRUE(placement.cpus.empty());
    }
  }
}

TEST(PlaceWorkers, InProportionToUnequalNodes) {
  const Topology machine = MachineOf(
      {{.id = 0, .num_cpus = 4, .num_cores = 4}, {.id = 5, .num_cpus = 12, .num_cores = 12}});
  EXPECT_EQ(WorkersPerNode(machine, 4), (std::map<int, int>{{0, 1}, {5, 3}}));
  EXPECT_EQ(WorkersPerNode(machine, 16), (std::map<int, int>{{0, 4}, {5, 12}}));
  EXPECT_EQ(WorkersPerNode(machine, 32), (std::map<int, int>{{0, 8}, {5, 24}}));
}

TEST(PlaceWorkers, ATinyShareOfANodeMayGetNoWorker) {
  const Topology machine = MachineOf(
      {{.id = 0, .num_cpus = 1, .num_cores = 1}, {.id = 1, .num_cpus = 63, .num_cores = 63}});
  EXPECT_EQ(WorkersPerNode(machine, 2), (std::map<int, int>{{1, 2}}));
  EXPECT_EQ(WorkersPerNode(machine, 64), (std::map<int, int>{{0, 1}, {1, 63}}));
}

TEST(PlaceWorkers, PhysicalCoresFirst) {
  // Node 0 has four cores with one thread, node 1 has four cores with two threads.
  const Topology machine = MachineOf(
      {{.id = 0, .num_cpus = 4, .num_cores = 4}, {.id = 1, .num_cpus = 8, .num_cores = 4}});
  EXPECT_EQ(WorkersPerNode(machine, 4), (std::map<int, int>{{0, 2}, {1, 2}}));
  EXPECT_EQ(WorkersPerNode(machine, 8), (std::map<int, int>{{0, 4}, {1, 4}}));
  EXPECT_EQ(WorkersPerNode(machine, 10), (std::map<int, int>{{0, 4}, {1, 6}}));
  EXPECT_EQ(WorkersPerNode(machine, 12), (std::map<int, int>{{0, 4}, {1, 8}}));
  EXPECT_EQ(WorkersPerNode(machine, 24), (std::map<int, int>{{0, 8}, {1, 16}}));
}

TEST(PlaceWorkers, NoNodeIsOverfullWhileAnotherHasRoom) {
  const Topology machine = MachineOf({{.id = 0, .num_cpus = 3, .num_cores = 2},
                                      {.id = 1, .num_cpus = 7, .num_cores = 4},
                                      {.id = 2, .num_cpus = 6, .num_cores = 6}});
  for (int num_threads = 3; num_threads <= 16; ++num_threads) {
    std::map<int, int> workers = WorkersPerNode(machine, num_threads);
    for (const Topology::Node& node : machine.nodes) {
      const int room = num_threads <= 12 ? node.num_cores : static_cast<int>(node.cpus.size());
      EXPECT_LE(workers[node.id], room) << num_threads << " threads, node " << node.id;
    }
  }
}

TEST(PlaceWorkers, WithoutNodesNoneIsBound) {
  for (const WorkerPlacement& placement : PlaceWorkers(EightNodes(), 96, {.uses_nodes = false})) {
    EXPECT_EQ(placement.node, -1);
    EXPECT_TRUE(placement.cpus.empty());
  }
}

TEST(PlaceWorkers, NodesIfAskedForEvenOnOneNode) {
  const Topology laptop = MachineOf({{.id = 3, .num_cpus = 8, .num_cores = 4}});
  for (const WorkerPlacement& placement :
       PlaceWorkers(laptop, 2, {.kind = Affinity::Kind::kNodes, .list = {}, .uses_nodes = false})) {
    EXPECT_EQ(placement.node, 3);
    EXPECT_EQ(placement.cpus, laptop.cpus);
  }
  // Fewer workers than nodes.
  for (const WorkerPlacement& placement :
       PlaceWorkers(EightNodes(), 3, {.kind = Affinity::Kind::kNodes})) {
    EXPECT_EQ(placement.cpus.size(), 12U);
  }
}

TEST(PlaceWorkers, AListIsRepeatedAndItsNodesAreFound) {
  const Affinity affinity{.kind = Affinity::Kind::kList, .list = {{13}, {0, 1}, {11, 12}}};
  const std::vector<WorkerPlacement> placements = PlaceWorkers(EightNodes(), 4, affinity);
  ASSERT_EQ(placements.size(), 4U);
  EXPECT_EQ(placements[0].cpus, std::vector<int>{13});
  EXPECT_EQ(placements[0].node, 1);
  EXPECT_EQ(placements[1].cpus, (std::vector<int>{0, 1}));
  EXPECT_EQ(placements[1].node, 0);
  EXPECT_EQ(placements[2].node, -1);  // processors of two nodes
  EXPECT_EQ(placements[3].cpus, std::vector<int>{13});
}

TEST(DefaultNumThreads, UsableProcessors) {
  EXPECT_EQ(DefaultNumThreads(EightNodes(), 10'000), 96);
  EXPECT_EQ(DefaultNumThreads(MachineOf({{.id = 0, .num_cpus = 8, .num_cores = 4}}), 64), 8);
}

TEST(DefaultNumThreads, AtMostOnePerEnvironmentAndAtLeastOne) {
  EXPECT_EQ(DefaultNumThreads(EightNodes(), 95), 95);
  EXPECT_EQ(DefaultNumThreads(EightNodes(), 1), 1);
  EXPECT_EQ(DefaultNumThreads(EightNodes(), 0), 1);
}

TEST(DefaultNumThreads, RespectsTheQuota) {
  Topology machine = EightNodes();
  const auto with_quota = [&](std::optional<double> quota) {
    machine.cpu_quota = quota;
    return DefaultNumThreads(machine, 1'000'000'000'000);
  };
  EXPECT_EQ(with_quota(2.0), 2);
  EXPECT_EQ(with_quota(2.9), 2);  // a third thread would be throttled
  EXPECT_EQ(with_quota(0.5), 1);
  EXPECT_EQ(with_quota(500.0), 96);
  EXPECT_EQ(with_quota(std::nullopt), 96);
}

TEST(PlanNodes, EnvironmentsBelongToTheNodeOfTheirWorker) {
  const Topology machine = MachineOf(
      {{.id = 0, .num_cpus = 4, .num_cores = 4}, {.id = 5, .num_cpus = 2, .num_cores = 2}});
  const NodePlan plan = PlanNodes(PlaceWorkers(machine, 6), 12);
  EXPECT_EQ(plan.num_nodes, 2U);
  EXPECT_EQ(plan.of_worker, (std::vector<std::uint32_t>{0, 0, 0, 0, 1, 1}));
  // Two environments in each of six parts; the last worker owns the first part.
  EXPECT_EQ(plan.of_env, (std::vector<std::uint32_t>{1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1}));
}

TEST(PlanNodes, NodesWithEqualNumbersOfWorkersHaveEqualShares) {
  for (const int per_node : {1, 2, 12}) {
    const NodePlan plan = PlanNodes(PlaceWorkers(EightNodes(), 8 * per_node), 8 * 12 * 3);
    ASSERT_EQ(plan.num_nodes, 8U);
    for (std::uint32_t node = 0; node < 8; ++node) {
      EXPECT_EQ(std::ranges::count(plan.of_env, node), 12 * 3)
          << per_node << " workers per node, node " << node;
    }
  }
}

TEST(PlanNodes, CountsTheNodesThatHaveWorkers) {
  Affinity two_nodes{.kind = Affinity::Kind::kList, .list = {{12, 13}, {36}}};
  const NodePlan plan = PlanNodes(PlaceWorkers(EightNodes(), 3, two_nodes), 7);
  EXPECT_EQ(plan.num_nodes, 2U);
  EXPECT_EQ(plan.of_worker, (std::vector<std::uint32_t>{0, 1, 0}));
  EXPECT_EQ(plan.of_env, (std::vector<std::uint32_t>{0, 0, 0, 0, 1, 1, 1}));
}

TEST(PlanNodes, OneNodeIfAWorkerHasNone) {
  Affinity across{.kind = Affinity::Kind::kList, .list = {{0}, {0, 12}}};
  const NodePlan plan = PlanNodes(PlaceWorkers(EightNodes(), 2, across), 4);
  EXPECT_EQ(plan.num_nodes, 1U);
  EXPECT_EQ(plan.of_env, (std::vector<std::uint32_t>{0, 0, 0, 0}));
  EXPECT_EQ(PlanNodes(PlaceWorkers(EightNodes(), 3), 4).num_nodes, 1U);  // fewer than nodes
}

#if ENGINE_OS_IS_LINUX
std::vector<int> CpusOfThisThread() {
  cpu_set_t set;
  CPU_ZERO(&set);
  EXPECT_EQ(sched_getaffinity(0, sizeof(set), &set), 0);
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) cpus.push_back(cpu);
  }
  return cpus;
}

TEST(PinCurrentThread, RestrictsTheThreadToTheSet) {
  const std::vector<int> before = CpusOfThisThread();
  ASSERT_FALSE(before.empty());
  std::vector<int> after;
  std::thread([&] {
    PinCurrentThread({.node = 0, .cpus = {before.back()}});
    after = CpusOfThisThread();
  }).join();
  EXPECT_EQ(after, std::vector<int>{before.back()});
  EXPECT_EQ(CpusOfThisThread(), before);
}

TEST(PinCurrentThread, LeavesTheThreadAloneWhereItCannotPin) {
  const std::vector<int> before = CpusOfThisThread();
  PinCurrentThread({.node = 0, .cpus = {}});
  EXPECT_EQ(CpusOfThisThread(), before);
  PinCurrentThread({.node = 0, .cpus = {60'000}});  // no such processor
  EXPECT_EQ(CpusOfThisThread(), before);
}
#endif

}  // namespace placement_test
}  // namespace engine
