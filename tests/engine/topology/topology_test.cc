// Topology::Read on machines written into a temporary directory.
#include "engine/topology/topology.h"

#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/engine/harness.h"
#include "tests/engine/topology/machine_files.h"

namespace engine {
namespace topology_test {

using testing::Machine;

std::vector<int> Range(int first, int last) {
  std::vector<int> cpus;
  for (int cpu = first; cpu <= last; ++cpu) cpus.push_back(cpu);
  return cpus;
}

std::vector<int> Concatenated(std::vector<int> a, const std::vector<int>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

void ExpectOneNode(const Topology& topology, const std::vector<int>& cpus) {
  EXPECT_EQ(topology.cpus, cpus);
  ASSERT_EQ(topology.nodes.size(), 1U);
  EXPECT_EQ(topology.nodes[0].cpus, cpus);
}

TEST(ParseCpuList, ReadsTheKernelsFormat) {
  EXPECT_EQ(ParseCpuList("0-3,8-11"), Concatenated(Range(0, 3), Range(8, 11)));
  EXPECT_EQ(ParseCpuList("5"), std::vector<int>{5});
  EXPECT_EQ(ParseCpuList("0,2,4\n"), (std::vector<int>{0, 2, 4}));
  EXPECT_EQ(ParseCpuList("7,1-2,2"), (std::vector<int>{1, 2, 7}));
  EXPECT_EQ(ParseCpuList(""), std::vector<int>{});
  EXPECT_EQ(ParseCpuList("\n"), std::vector<int>{});
}

TEST(ParseCpuList, RejectsWhatIsNotAList) {
  for (const char* text : {"garbage", "0-", "-3", "3-1", "0-3,", ",0", "0,,1", "0 1", "1.5", "0x1",
                           "0-2000000000", "99999999999", "0-3-5", "(null)"}) {
    EXPECT_FALSE(ParseCpuList(text).has_value()) << text;
  }
}

TEST(Topology, Laptop) {
  Machine machine;
  machine.Online("0-7").Allowed("0-7").Node(0, "0-7");
  machine.Write("proc/cpuinfo",
                "processor\t: 0\nmodel name\t: Example CPU @ 2.50GHz\n\n"
                "processor\t: 1\nmodel name\t: Another\n");
  const Topology topology = machine.Read();
  ExpectOneNode(topology, Range(0, 7));
  EXPECT_EQ(topology.nodes[0].num_cores, 8);
  EXPECT_EQ(topology.cpu_model, "Example CPU @ 2.50GHz");
  EXPECT_FALSE(topology.cpu_quota.has_value());
}

TEST(Topology, EightNodes) {
  Machine machine;
  machine.Online("0-95").Allowed("0-95");
  for (int node = 0; node < 8; ++node) {
    machine.Node(node, std::to_string(node * 12) + "-" + std::to_string(node * 12 + 11));
  }
  // Files beside the nodes that do not describe a node.
  machine.Write("sys/devices/system/node/online", "0-7\n");
  machine.Write("sys/devices/system/node/nodes/cpulist", "0-3\n");
  const Topology topology = machine.Read();
  EXPECT_EQ(topology.cpus, Range(0, 95));
  ASSERT_EQ(topology.nodes.size(), 8U);
  for (int node = 0; node < 8; ++node) {
    const Topology::Node& read = topology.nodes[static_cast<std::size_t>(node)];
    EXPECT_EQ(read.id, node);
    EXPECT_EQ(read.cpus, Range(node * 12, node * 12 + 11));
    EXPECT_EQ(read.num_cores, 12);
  }
}

TEST(Topology, NodesAreInOrderOfTheirNumber) {
  Machine machine;
  machine.Online("0-2").Allowed("0-2").Node(10, "0").Node(9, "1").Node(2, "2");
  const Topology topology = machine.Read();
  ASSERT_EQ(topology.nodes.size(), 3U);
  EXPECT_EQ(topology.nodes[0].id, 2);
  EXPECT_EQ(topology.nodes[1].id, 9);
  EXPECT_EQ(topology.nodes[2].id, 10);
}

TEST(Topology, CpusetOfHalfOfTwoNodes) {
  Machine machine;
  machine.Online("0-31").Allowed("4-7,12-15");
  machine.Node(0, "0-7").Node(1, "8-15").Node(2, "16-23").Node(3, "24-31");
  const Topology topology = machine.Read();
  EXPECT_EQ(topology.cpus, Concatenated(Range(4, 7), Range(12, 15)));
  ASSERT_EQ(topology.nodes.size(), 2U);
  EXPECT_EQ(topology.nodes[0].id, 0);
  EXPECT_EQ(topology.nodes[0].cpus, Range(4, 7));
  EXPECT_EQ(topology.nodes[1].id, 1);
  EXPECT_EQ(topology.nodes[1].cpus, Range(12, 15));
}

TEST(Topology, OfflineProcessorsAreNotUsed) {
  Machine machine;
  machine.Online("0-2,4-5").Allowed("0-127").Node(0, "0-2").Node(1, "4-5");
  const Topology topology = machine.Read();
  EXPECT_EQ(topology.cpus, (std::vector<int>{0, 1, 2, 4, 5}));
  ASSERT_EQ(topology.nodes.size(), 2U);
  EXPECT_EQ(topology.nodes[1].cpus, (std::vector<int>{4, 5}));
}

TEST(Topology, ANodeOfMemoryOnlyIsLeftOut) {
  Machine machine;
  machine.Online("0-3").Allowed("0-3").Node(0, "0-1").Node(1, "").Node(2, "2-3");
  const Topology topology = machine.Read();
  ASSERT_EQ(topology.nodes.size(), 2U);
  EXPECT_EQ(topology.nodes[0].id, 0);
  EXPECT_EQ(topology.nodes[1].id, 2);
}

TEST(Topology, HardwareThreadsOfOneCoreCountOnce) {
  Machine machine;
  machine.Online("0-7").Allowed("0-7").Node(0, "0-1,4-5").Node(1, "2-3,6-7");
  for (int cpu = 0; cpu < 8; ++cpu) {
    machine.Siblings(cpu, std::to_string(cpu % 4) + "," + std::to_string(cpu % 4 + 4));
  }
  const Topology topology = machine.Read();
  ASSERT_EQ(topology.nodes.size(), 2U);
  EXPECT_EQ(topology.nodes[0].num_cores, 2);
  EXPECT_EQ(topology.nodes[1].num_cores, 2);
}

TEST(Topology, ACoreCountsIfOnlyItsSecondThreadIsUsable) {
  Machine machine;
  machine.Online("0-3").Allowed("1-3").Node(0, "0-3");
  machine.Siblings(0, "0-1").Siblings(1, "0-1").Siblings(2, "2-3").Siblings(3, "2-3");
  EXPECT_EQ(machine.Read().nodes[0].num_cores, 2);
}

TEST(Topology, MalformedSiblingsMakeEveryProcessorACore) {
  Machine machine;
  machine.Online("0-3").Allowed("0-3").Node(0, "0-3");
  machine.Siblings(0, "garbage").Siblings(1, "").Siblings(2, "0-1");  // 2 does not list itself
  EXPECT_EQ(machine.Read().nodes[0].num_cores, 4);
}

TEST(Topology, NothingUnderTheRoot) {
  const Topology topology = Machine().Read();
  ExpectOneNode(topology, {0});
  EXPECT_EQ(topology.nodes[0].num_cores, 1);
  EXPECT_EQ(topology.cpu_model, "unknown");
  EXPECT_FALSE(topology.cpu_quota.has_value());
}

TEST(Topology, MalformedListsFallBackOnTheOthers) {
  {
    Machine machine;
    machine.Online("garbage").Allowed("0-3").Node(0, "0-3");
    ExpectOneNode(machine.Read(), Range(0, 3));
  }
  {
    Machine machine;
    machine.Online("0-3").Allowed("garbage").Node(0, "0-3");
    ExpectOneNode(machine.Read(), Range(0, 3));
  }
  {
    Machine machine;  // no common processor: the cpuset takes precedence
    machine.Online("0-3").Allowed("8-9");
    ExpectOneNode(machine.Read(), {8, 9});
  }
  {
    Machine machine;
    machine.Online("").Allowed("");
    ExpectOneNode(machine.Read(), {0});
  }
}

TEST(Topology, NodesThatDoNotAddUpBecomeOne) {
  {
    Machine machine;  // the list of node 1 is malformed
    machine.Online("0-3").Allowed("0-3").Node(0, "0-1").Node(1, "2-");
    ExpectOneNode(machine.Read(), Range(0, 3));
  }
  {
    Machine machine;  // processor 1 is in two nodes
    machine.Online("0-3").Allowed("0-3").Node(0, "0-1").Node(1, "1-3");
    ExpectOneNode(machine.Read(), Range(0, 3));
  }
}

struct QuotaCase {
  const char* name;
  std::vector<std::pair<std::string, std::string>> files;
  std::optional<double> quota;
};

const QuotaCase kQuotaCases[] = {
    {"V2Container", {{"sys/fs/cgroup/cpu.max", "200000 100000\n"}}, 2.0},
    {"V2Fraction", {{"sys/fs/cgroup/cpu.max", "250000 100000\n"}}, 2.5},
    {"V2None", {{"sys/fs/cgroup/cpu.max", "max 100000\n"}}, std::nullopt},
    {"V2OfAParent",
     {{"proc/self/cgroup", "0::/user.slice/job.scope\n"},
      {"sys/fs/cgroup/user.slice/cpu.max", "300000 100000\n"},
      {"sys/fs/cgroup/user.slice/job.scope/cpu.max", "max 100000\n"}},
     3.0},
    {"V2SmallestOfTheChain",
     {{"proc/self/cgroup", "0::/a/b\n"},
      {"sys/fs/cgroup/a/cpu.max", "800000 100000\n"},
      {"sys/fs/cgroup/a/b/cpu.max", "400000 100000\n"}},
     4.0},
    {"V2NameOfTheHost",
     {{"proc/self/cgroup", "0::/docker/0123abcd\n"}, {"sys/fs/cgroup/cpu.max", "150000 100000\n"}},
     1.5},
    {"V2NameOutside",
     {{"proc/self/cgroup", "0::/../neighbour\n"},
      {"sys/fs/cgroup/cpu.max", "200000 100000\n"},
      {"sys/fs/neighbour/cpu.max", "100000 100000\n"}},
     2.0},
    {"V2OfANeighbourDoesNotBind",
     {{"proc/self/cgroup", "0::/a\n"},
      {"sys/fs/cgroup/a/cpu.max", "max 100000\n"},
      {"sys/fs/cgroup/b/cpu.max", "100000 100000\n"}},
     std::nullopt},
    {"V1",
     {{"proc/self/cgroup", "9:name=systemd:/x\n4:cpu,cpuacct:/box\n"},
      {"sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_quota_us", "600000\n"},
      {"sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_period_us", "100000\n"}},
     6.0},
    {"V1MountedAsCpu",
     {{"proc/self/cgroup", "1:cpu:/\n"},
      {"sys/fs/cgroup/cpu/cpu.cfs_quota_us", "50000\n"},
      {"sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"}},
     0.5},
    {"V1None",
     {{"proc/self/cgroup", "1:cpu:/\n"},
      {"sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n"},
      {"sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"}},
     std::nullopt},
    {"Malformed", {{"sys/fs/cgroup/cpu.max", "many\n"}}, std::nullopt},
    {"MalformedNumbers", {{"sys/fs/cgroup/cpu.max", "2x 1\n"}}, std::nullopt},
    {"PeriodZero", {{"sys/fs/cgroup/cpu.max", "100000 0\n"}}, std::nullopt},
    {"Empty", {{"sys/fs/cgroup/cpu.max", ""}}, std::nullopt},
    {"MalformedGroups",
     {{"proc/self/cgroup", "garbage\n::\n:\n"}, {"sys/fs/cgroup/cpu.max", "200000 100000\n"}},
     2.0},
};

TEST(Topology, TheSmallestQuotaBinds) {
  for (const QuotaCase& quota_case : kQuotaCases) {
    Machine machine;
    machine.Online("0-95").Allowed("0-95").Node(0, "0-95");
    for (const auto& [path, text] : quota_case.files) machine.Write(path, text);
    const Topology topology = machine.Read();
    EXPECT_EQ(topology.cpu_quota.value_or(-1.0), quota_case.quota.value_or(-1.0))
        << quota_case.name;
    EXPECT_EQ(topology.cpus.size(), 96);
  }
}

TEST(Topology, ThisMachineAddsUp) {
  const Topology topology = Topology::Read();
  ASSERT_FALSE(topology.cpus.empty());
  std::vector<int> covered;
  for (const Topology::Node& node : topology.nodes) {
    EXPECT_FALSE(node.cpus.empty());
    EXPECT_LE(1, node.num_cores);
    EXPECT_LE(node.num_cores, static_cast<int>(node.cpus.size()));
    covered.insert(covered.end(), node.cpus.begin(), node.cpus.end());
  }
  std::sort(covered.begin(), covered.end());
  EXPECT_EQ(covered, topology.cpus);
  EXPECT_FALSE(topology.cpu_model.empty());
}

}  // namespace topology_test
}  // namespace engine
