// Whole machines, as the kernel describes them. The plan for every number of workers is balanced
// and local.
//
// Balanced: no node, core or processor has two more workers per unit of its capacity than another.
// Local: a worker is bound to processors of one node, the workers of a node have contiguous indices
// (so their shards of the environments are contiguous, too), and only usable processors occur.
#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/topology/placement.h"
#include "engine/topology/topology.h"
#include "tests/engine/harness.h"
#include "tests/engine/topology/machine_files.h"

namespace engine::testing {
namespace golden_machines_test {

std::string Text(int number) { return std::to_string(number); }

std::string RangeText(int first, int count) { return Text(first) + "-" + Text(first + count - 1); }

// Six fast cores with two hardware threads each (0-11), and eight efficient cores with one thread
// each (12-19).
void UnequalCores(Machine& machine) {
  machine.Online("0-19").Allowed("0-19").Node(0, "0-19");
  machine.Write("sys/devices/cpu_core/cpus", "0-11\n")
      .Write("sys/devices/cpu_atom/cpus", "12-19\n");
  for (int cpu = 0; cpu < 12; ++cpu) machine.Siblings(cpu, RangeText(cpu / 2 * 2, 2));
  for (int cpu = 12; cpu < 20; ++cpu) machine.Siblings(cpu, Text(cpu));
}

void TwoNodesOf48(Machine& machine) {
  machine.Online("0-95").Allowed("0-95").Node(0, "0-47").Node(1, "48-95");
  for (int cpu = 0; cpu < 96; ++cpu) machine.Siblings(cpu, Text(cpu));
}

// Eight nodes of 16 cores. The second threads of all cores have the upper numbers, as on EPYC.
void EightNodesOf32(Machine& machine) {
  machine.Online("0-255").Allowed("0-255");
  for (int node = 0; node < 8; ++node) {
    machine.Node(node, RangeText(16 * node, 16) + "," + RangeText(128 + 16 * node, 16));
  }
  for (int cpu = 0; cpu < 256; ++cpu) {
    machine.Siblings(cpu, Text(cpu % 128) + "," + Text(cpu % 128 + 128));
  }
}

void QuotaOfThreeAndAHalf(Machine& machine) {
  TwoNodesOf48(machine);
  machine.Write("proc/self/cgroup", "0::/\n").Write("sys/fs/cgroup/cpu.max", "350000 100000\n");
}

// Every fifth processor of the large machine.
void ScatteredCpuset(Machine& machine) {
  EightNodesOf32(machine);
  std::string list;
  for (int cpu = 3; cpu < 256; cpu += 5) list += (list.empty() ? "" : ",") + Text(cpu);
  machine.Allowed(list);
}

// Half of one node and two processors of the other node are offline.
void OfflineProcessors(Machine& machine) {
  TwoNodesOf48(machine);
  machine.Online("0-23,48-80,83-95").Node(0, "0-23").Node(1, "48-80,83-95");
}

// Nodes 2 and 3 have memory but no processors (CXL).
void NodesWithoutProcessors(Machine& machine) {
  TwoNodesOf48(machine);
  machine.Node(2, "").Node(3, "");
}

struct Golden {
  const char* name;
  std::function<void(Machine&)> write;
  std::size_t num_cpus;
  std::size_t num_nodes;
  int num_cores;
  int num_fast_cores;
  int default_threads;
};

const Golden kGolden[] = {
    {"laptop with unequal cores", UnequalCores, 20, 1, 14, 6, 20},
    {"2 nodes of 48", TwoNodesOf48, 96, 2, 96, 96, 96},
    {"8 nodes of 32 with SMT", EightNodesOf32, 256, 8, 128, 128, 256},
    {"quota of 3.5 processors", QuotaOfThreeAndAHalf, 96, 2, 96, 96, 3},
    {"scattered cpuset", ScatteredCpuset, 51, 8, 51, 51, 51},
    {"offline processors", OfflineProcessors, 70, 2, 70, 70, 70},
    {"nodes without processors", NodesWithoutProcessors, 96, 2, 96, 96, 96},
};

// Each machine is written and read only once, because it has hundreds of files.
const Topology& ReadOf(const Golden& golden) {
  static std::map<std::string, Topology> read;
  auto found = read.find(golden.name);
  if (found == read.end()) {
    Machine machine;
    golden.write(machine);
    found = read.emplace(golden.name, machine.Read()).first;
  }
  return found->second;
}

const Topology::Node& NodeOf(const Topology& topology, int id) {
  return *std::ranges::find(topology.nodes, id, &Topology::Node::id);
}

void ExpectLocal(const Topology& topology, const std::vector<WorkerPlacement>& placements,
                 const std::string& what) {
  std::set<int> left;
  for (std::size_t i = 0; i < placements.size(); ++i) {
    const WorkerPlacement& placement = placements[i];
    ASSERT_FALSE(placement.cpus.empty()) << what;
    const Topology::Node& node = NodeOf(topology, placement.node);
    for (const int cpu : placement.cpus) {
      EXPECT_TRUE(std::ranges::binary_search(node.cpus, cpu)) << what << ", processor " << cpu;
    }
    if (i > 0 && placements[i - 1].node != placement.node) left.insert(placements[i - 1].node);
    EXPECT_FALSE(left.contains(placement.node)) << what << ", node " << placement.node;
  }
}

// The number of workers per unit of capacity differs by at most one worker.
void ExpectBalanced(const std::map<int, int>& workers, const std::map<int, int>& capacity,
                    const std::string& what) {
  double least = 1e9;
  double most = 0.0;
  for (const auto& [id, room] : capacity) {
    const auto found = workers.find(id);
    const double count = found == workers.end() ? 0.0 : found->second;
    least = std::min(least, (count + 1.0) / room);
    most = std::max(most, (count - 1.0) / room);
  }
  EXPECT_LE(most, least) << what;
}

void ExpectGoodPlan(const Topology& topology, int threads, const std::string& name) {
  const std::string what = name + ", " + Text(threads) + " threads";
  const std::vector<WorkerPlacement> placements =
      PlaceWorkers(topology, threads, {.kind = Affinity::Kind::kCores});
  ExpectLocal(topology, placements, what);
  ExpectLocal(topology, PlaceWorkers(topology, threads, {.kind = Affinity::Kind::kNodes}), what);
  const bool on_cores_only = [&] {
    int cores = 0;
    for (const Topology::Node& node : topology.nodes) cores += node.num_cores;
    return threads <= cores;
  }();
  std::map<int, int> on_node;
  std::map<int, int> on_cpu;
  std::map<int, int> node_room;
  std::map<int, int> cpu_room;
  for (const WorkerPlacement& placement : placements) {
    ++on_node[placement.node];
    ASSERT_EQ(placement.cpus.size(), 1U) << what;
    ++on_cpu[placement.cpus[0]];
  }
  for (const Topology::Node& node : topology.nodes) {
    node_room[node.id] = on_cores_only ? node.num_cores : static_cast<int>(node.cpus.size());
    for (const int cpu : node.cpus) cpu_room[cpu] = 1;
  }
  // With more workers than cores but fewer than processors, nodes are filled core by core.
  if (on_cores_only || threads >= static_cast<int>(topology.cpus.size())) {
    ExpectBalanced(on_node, node_room, what);
  }
  for (const auto& [cpu, count] : on_cpu) {
    const int fair = threads / static_cast<int>(topology.cpus.size()) + 1;
    EXPECT_LE(count, fair) << what << ", processor " << cpu;
  }
}

TEST(GoldenMachines, AreRead) {
  for (const Golden& golden : kGolden) {
    const Topology& topology = ReadOf(golden);
    EXPECT_EQ(topology.cpus.size(), golden.num_cpus) << golden.name;
    ASSERT_EQ(topology.nodes.size(), golden.num_nodes) << golden.name;
    int cores = 0;
    int fast_cores = 0;
    for (const Topology::Node& node : topology.nodes) {
      cores += node.num_cores;
      fast_cores += node.num_fast_cores;
      std::vector<int> sorted = node.by_core;
      std::ranges::sort(sorted);
      EXPECT_EQ(sorted, node.cpus) << golden.name;
    }
    EXPECT_EQ(cores, golden.num_cores) << golden.name;
    EXPECT_EQ(fast_cores, golden.num_fast_cores) << golden.name;
    EXPECT_EQ(DefaultNumThreads(topology, 1'000'000), golden.default_threads) << golden.name;
  }
}

TEST(GoldenMachines, PlansAreBalancedAndLocal) {
  for (const Golden& golden : kGolden) {
    const Topology& topology = ReadOf(golden);
    for (const int threads : {1, 2, 3, 7, 8, 14, 16, 20, 31, 48, 64, 96, 128, 200, 256, 300}) {
      ExpectGoodPlan(topology, threads, golden.name);
    }
  }
}

TEST(GoldenMachines, FastCoresComeFirstThenEfficientOnesThenSecondThreads) {
  Machine machine;
  UnequalCores(machine);
  const std::vector<int> expected = {0,  2,  4,  6,  8, 10, 12, 13, 14, 15,
                                     16, 17, 18, 19, 1, 3,  5,  7,  9,  11};
  EXPECT_EQ(machine.Read().nodes[0].by_core, expected);
}

TEST(GoldenMachines, ArmStatesTheCapacityOfEachCore) {
  Machine machine;
  machine.Online("0-5").Allowed("0-5").Node(0, "0-5");
  for (int cpu = 0; cpu < 6; ++cpu) {
    // On many such systems, the four small cores have the lowest numbers.
    machine.Write("sys/devices/system/cpu/cpu" + Text(cpu) + "/cpu_capacity",
                  cpu < 4 ? "406\n" : "1024\n");
  }
  const Topology topology = machine.Read();
  EXPECT_EQ(topology.nodes[0].by_core, (std::vector<int>{4, 5, 0, 1, 2, 3}));
  EXPECT_EQ(topology.nodes[0].num_cores, 6);
  EXPECT_EQ(topology.nodes[0].num_fast_cores, 2);
}

}  // namespace golden_machines_test
}  // namespace engine::testing
