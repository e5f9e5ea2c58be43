// See topology.h.
#include "engine/topology/topology.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <sstream>
#include <system_error>
#include <thread>
#include <utility>

#include "engine/base/os/affinity.h"
#include "engine/topology/core_order.h"
#include "engine/topology/kernel_files.h"

namespace engine {
namespace {

namespace fs = std::filesystem;

// Above any kernel's limit (8,192 processors); keeps a malformed "0-2000000000"
// from becoming a list of that length.
constexpr int kMaxCpu = 65'535;

// The value of the first "key: value" line whose key is `key`; "" if none.
std::string FindField(const std::string& text, std::string_view key) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::string_view view = line;
    if (Trim(view.substr(0, colon)) == key) return std::string(Trim(view.substr(colon + 1)));
  }
  return "";
}

// The processors that the calling process may use, without reading a file.
std::vector<int> CpusOfThisProcess() {
  // Those of the main thread, as in /proc/self/status.
  std::vector<int> cpus = AllowedProcessors();
  if (cpus.empty()) {
    const int count = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    for (int cpu = 0; cpu < count; ++cpu) cpus.push_back(cpu);
  }
  return cpus;
}

std::vector<int> ReadUsableCpus(const fs::path& root) {
  const auto online = ReadCpuList(root / "sys/devices/system/cpu/online");
  std::optional<std::vector<int>> allowed;
  if (const auto status = ReadFile(root / "proc/self/status")) {
    allowed = ParseCpuList(FindField(*status, "Cpus_allowed_list"));
  }
  if (online && allowed) {
    std::vector<int> both = Intersection(*online, *allowed);
    if (!both.empty()) return both;
  }
  if (allowed && !allowed->empty()) return *allowed;
  if (root == "/") return CpusOfThisProcess();
  if (online && !online->empty()) return *online;
  return {0};
}

// The number in a directory name such as "node12".
std::optional<int> NodeId(const std::string& name) {
  constexpr std::string_view kPrefix = "node";
  if (!name.starts_with(kPrefix)) return std::nullopt;
  const std::optional<int> id = ParseNumber<int>(std::string_view(name).substr(kPrefix.size()));
  return id && *id >= 0 ? id : std::nullopt;
}

std::vector<Topology::Node> ReadNodes(const fs::path& root, const std::vector<int>& cpus) {
  std::map<int, std::vector<int>> by_id;
  std::error_code error;
  fs::directory_iterator entry(root / "sys/devices/system/node", error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::optional<int> id = NodeId(entry->path().filename().string());
    if (!id) continue;
    const auto listed = ReadCpuList(entry->path() / "cpulist");
    if (!listed) continue;
    std::vector<int> usable = Intersection(*listed, cpus);
    if (!usable.empty()) by_id[*id] = std::move(usable);
  }

  std::vector<Topology::Node> nodes;
  std::vector<int> covered;
  for (auto& [id, node_cpus] : by_id) {
    covered.insert(covered.end(), node_cpus.begin(), node_cpus.end());
    nodes.push_back({.id = id, .cpus = std::move(node_cpus)});
  }
  // If the nodes omit a processor, bound workers would never use it.
  std::sort(covered.begin(), covered.end());
  if (covered != cpus) nodes = {{.id = 0, .cpus = cpus}};
  const CoreOrder cores(root, cpus);
  for (Topology::Node& node : nodes) {
    node.by_core = cores.Sorted(node.cpus);
    node.num_cores = cores.NumCores(node.cpus);
    node.num_fast_cores = cores.NumFastCores(node.cpus);
  }
  return nodes;
}

// Processors granted by a quota and its period, in the same unit of time.
std::optional<double> Quota(std::string_view quota, std::string_view period) {
  const auto quota_us = ParseNumber<std::int64_t>(Trim(quota));
  const auto period_us = ParseNumber<std::int64_t>(Trim(period));
  if (!quota_us || !period_us || *quota_us <= 0 || *period_us <= 0) return std::nullopt;
  return static_cast<double>(*quota_us) / static_cast<double>(*period_us);
}

// cpu.max of control groups v2: "200000 100000" or "max 100000".
std::optional<double> ReadQuotaV2(const fs::path& group) {
  const std::optional<std::string> text = ReadFile(group / "cpu.max");
  if (!text) return std::nullopt;
  const std::string_view line = Trim(*text);
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  return Quota(line.substr(0, space), line.substr(space + 1));
}

// Control groups v1 write -1 for no quota.
std::optional<double> ReadQuotaV1(const fs::path& group) {
  const std::optional<std::string> quota = ReadFile(group / "cpu.cfs_quota_us");
  const std::optional<std::string> period = ReadFile(group / "cpu.cfs_period_us");
  return quota && period ? Quota(*quota, *period) : std::nullopt;
}

// The smallest quota of the group `name` (such as "/a/b") and of its ancestors; all these quotas
// apply. Inside a container, `name` may be the host's name of the group, while the container's
// files are mounted as the root. Names that do not exist there are skipped.
template <class ReadGroup>
std::optional<double> SmallestQuota(const fs::path& mount, const std::string& name,
                                    ReadGroup read_group) {
  std::optional<double> smallest;
  fs::path group = fs::path(name).relative_path().lexically_normal();
  // "/../x" is a group that this container cannot see.
  if (!group.empty() && *group.begin() == "..") group.clear();
  while (true) {
    const std::optional<double> quota = read_group(group.empty() ? mount : mount / group);
    if (quota && (!smallest || *quota < *smallest)) smallest = quota;
    if (group.empty()) return smallest;
    group = group.parent_path();
  }
}

bool HasController(std::string_view controllers, std::string_view wanted) {
  while (!controllers.empty()) {
    const std::size_t comma = std::min(controllers.find(','), controllers.size());
    if (controllers.substr(0, comma) == wanted) return true;
    controllers.remove_prefix(std::min(comma + 1, controllers.size()));
  }
  return false;
}

std::optional<double> ReadCpuQuota(const fs::path& root) {
  // Lines "hierarchy:controllers:name"; for v2 the hierarchy is 0 without controllers.
  std::string name_v2;
  std::string name_v1;
  std::string controllers_v1;
  std::istringstream lines(ReadFile(root / "proc/self/cgroup").value_or(""));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string name = line.substr(second + 1);
    if (controllers.empty()) name_v2 = name;
    if (HasController(controllers, "cpu")) {
      name_v1 = name;
      controllers_v1 = controllers;
    }
  }

  const fs::path mount = root / "sys/fs/cgroup";
  std::optional<double> quota = SmallestQuota(mount, name_v2, ReadQuotaV2);
  // Control groups v1 mount the controller under its own name, or under the names of all
  // controllers of its hierarchy.
  std::set<std::string> mounts_v1 = {"cpu", "cpu,cpuacct"};
  if (!controllers_v1.empty()) mounts_v1.insert(controllers_v1);
  for (const std::string& controller : mounts_v1) {
    const std::optional<double> v1 = SmallestQuota(mount / controller, name_v1, ReadQuotaV1);
    if (v1 && (!quota || *v1 < *quota)) quota = v1;
  }
  return quota;
}

std::string ReadCpuModel(const fs::path& root) {
  const std::string info = ReadFile(root / "proc/cpuinfo").value_or("");
  // In this order: x86, LoongArch, MIPS, POWER, older Arm. Arm64 has no name.
  for (const char* key : {"model name", "Model Name", "cpu model", "cpu", "Hardware"}) {
    std::string model = FindField(info, key);
    if (!model.empty()) return model;
  }
  const std::string model = root == "/" ? ProcessorModel() : "";
  return model.empty() ? "unknown" : model;
}

}  // namespace

std::optional<std::vector<int>> ParseCpuList(std::string_view text) {
  std::vector<int> cpus;
  text = Trim(text);
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::string_view range = text.substr(0, comma);
    const std::size_t dash = range.find('-');
    const std::optional<int> first = ParseNumber<int>(range.substr(0, dash));
    const std::optional<int> last =
        dash == std::string_view::npos ? first : ParseNumber<int>(range.substr(dash + 1));
    if (!first || !last || *first < 0 || *first > *last || *last > kMaxCpu) return std::nullopt;
    for (int cpu = *first; cpu <= *last; ++cpu) cpus.push_back(cpu);
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
    if (text.empty()) return std::nullopt;  // "0-3," was cut short
  }
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

Topology Topology::Read(const std::filesystem::path& root) {
  Topology topology;
  topology.cpu_model = ReadCpuModel(root);
  topology.cpus = ReadUsableCpus(root);
  topology.nodes = ReadNodes(root, topology.cpus);
  topology.cpu_quota = ReadCpuQuota(root);
  return topology;
}

}  // namespace engine
