// See placement.h.
#include "engine/topology/placement.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "engine/base/os/affinity.h"

namespace engine {
namespace {

// Adds shares of `count` in proportion to `weights`, rounded by largest remainder (ties: the lower
// index first). No share exceeds its weight if `count` does not exceed their sum.
void AddShares(std::int64_t count, const std::vector<std::int64_t>& weights,
               std::vector<std::int64_t>& shares) {
  const std::int64_t total = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
  if (count <= 0 || total <= 0) return;
  std::int64_t left = count;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const std::int64_t share = count * weights[i] / total;
    shares[i] += share;
    left -= share;
  }
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto rest = [&](std::size_t i) { return count * weights[i] % total; };
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return rest(a) != rest(b) ? rest(a) > rest(b) : a < b;
  });
  for (std::size_t i = 0; left > 0; ++i, --left) ++shares[order[i]];
}

// Workers per node.
std::vector<std::int64_t> SpreadOverNodes(const std::vector<Topology::Node>& nodes,
                                          std::int64_t num_threads) {
  std::vector<std::int64_t> cores;
  std::vector<std::int64_t> further;  // hardware threads beyond the first of a core
  std::vector<std::int64_t> cpus;
  for (const Topology::Node& node : nodes) {
    cores.push_back(node.num_cores);
    cpus.push_back(static_cast<std::int64_t>(node.cpus.size()));
    further.push_back(cpus.back() - cores.back());
  }
  const auto sum = [](const std::vector<std::int64_t>& weights) {
    return std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
  };

  std::vector<std::int64_t> shares(nodes.size(), 0);
  const std::int64_t on_cores = std::min(num_threads, sum(cores));
  const std::int64_t on_further = std::min(num_threads - on_cores, sum(further));
  AddShares(on_cores, cores, shares);
  AddShares(on_further, further, shares);
  AddShares(num_threads - on_cores - on_further, cpus, shares);
  return shares;
}

// The node that has all of `cpus`, or -1.
int NodeOf(const std::vector<Topology::Node>& nodes, const std::vector<int>& cpus) {
  for (const Topology::Node& node : nodes) {
    if (std::ranges::all_of(cpus,
                            [&](int cpu) { return std::ranges::count(node.cpus, cpu) > 0; })) {
      return node.id;
    }
  }
  return -1;
}

std::vector<WorkerPlacement> PlaceAsListed(const std::vector<Topology::Node>& nodes,
                                           std::size_t count,
                                           const std::vector<std::vector<int>>& list) {
  std::vector<WorkerPlacement> placements;
  placements.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::vector<int>& cpus = list[i % list.size()];
    placements.push_back({.node = NodeOf(nodes, cpus), .cpus = cpus});
  }
  return placements;
}

}  // namespace

std::vector<WorkerPlacement> PlaceWorkers(const Topology& topology, int num_threads,
                                          const Affinity& affinity) {
  const std::vector<Topology::Node>& nodes = topology.nodes;
  if (num_threads <= 0 || nodes.empty()) return {};
  const auto count = static_cast<std::size_t>(num_threads);
  if (affinity.kind == Affinity::Kind::kList) return PlaceAsListed(nodes, count, affinity.list);
  const bool by_default = affinity.kind == Affinity::Kind::kDefault;
  if (by_default && (nodes.size() == 1 || count < nodes.size() || !affinity.uses_nodes)) {
    const int node = nodes.size() == 1 ? nodes.front().id : -1;
    return std::vector<WorkerPlacement>(count, {.node = node, .cpus = {}});
  }

  const std::vector<std::int64_t> shares = SpreadOverNodes(nodes, num_threads);
  std::vector<WorkerPlacement> placements;
  placements.reserve(count);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Topology::Node& node = nodes[i];
    for (std::size_t k = 0; k < static_cast<std::size_t>(shares[i]); ++k) {
      placements.push_back({.node = node.id, .cpus = node.cpus});
      if (affinity.kind == Affinity::Kind::kCores) {
        placements.back().cpus = {node.by_core[k % node.by_core.size()]};
      }
    }
  }
  return placements;
}

NodePlan PlanNodes(const std::vector<WorkerPlacement>& workers, std::uint32_t num_envs) {
  NodePlan plan{.num_nodes = 1,
                .of_worker = std::vector<std::uint32_t>(workers.size(), 0),
                .of_env = std::vector<std::uint32_t>(num_envs, 0)};
  if (std::ranges::any_of(workers, [](const WorkerPlacement& one) { return one.node < 0; })) {
    return plan;
  }
  std::vector<int> nodes;
  for (std::size_t i = 0; i < workers.size(); ++i) {
    const auto at = std::ranges::find(nodes, workers[i].node);
    plan.of_worker[i] = static_cast<std::uint32_t>(at - nodes.begin());
    if (at == nodes.end()) nodes.push_back(workers[i].node);
  }
  if (nodes.size() > 1) plan.num_nodes = static_cast<std::uint32_t>(nodes.size());
  for (std::size_t part = 0; part < workers.size(); ++part) {
    const std::size_t end = num_envs * (part + 1) / workers.size();
    for (std::size_t env = num_envs * part / workers.size(); env < end; ++env) {
      plan.of_env[env] = plan.of_worker[part == 0 ? workers.size() - 1 : part - 1];
    }
  }
  return plan;
}

bool UsesNodes(const Topology& topology, std::uint32_t num_threads, const Affinity& affinity) {
  return topology.nodes.size() > 1 && num_threads > 1 &&
         (affinity.uses_nodes || affinity.kind != Affinity::Kind::kDefault);
}

int NumUsableProcessors(const Topology& topology) {
  double processors = static_cast<double>(topology.cpus.size());
  if (topology.cpu_quota) processors = std::min(processors, std::floor(*topology.cpu_quota));
  return static_cast<int>(std::max(processors, 1.0));
}

int DefaultNumThreads(const Topology& topology, std::int64_t num_envs) {
  const std::int64_t processors = NumUsableProcessors(topology);
  return static_cast<int>(std::max(std::min(processors, num_envs), std::int64_t{1}));
}

void PinCurrentThread(const WorkerPlacement& placement) {
  // Does not allocate for the usual processors, because a running pool must not.
  if (!placement.cpus.empty()) BindThisThread(placement.cpus);
}

}  // namespace engine
