// Predicts step rates of pools on machines of other sizes; see ../README.md.
//
//   simulate CASE [NAME=VALUE]...
//
// prints one JSON object. CASE is "scaling", with one row per number of threads, workload, mode and
// design, or "one", with one row. NAMEs are costs of the machine ("wake_latency=5000", in ns),
// "sockets", "nodes" (per socket), "cores" (per node), "threads" (per core), and "ms" (simulated
// time); for "scaling" also "max_threads" and "per_thread" (rows of a batch for each thread); for
// "one" also "num_threads", "num_envs", "batch_size", and "step_ns", "spread", "row_bytes",
// "state_bytes" and "consumer_ns" of the workload, and "design", an index of kDesigns. One thread.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "benchmarks/simulate/pool_model.h"

namespace engine::simulate {
namespace {

using Values = std::map<std::string, double>;

struct NamedCost {
  const char* name;
  double Costs::* cost;
};
constexpr NamedCost kCosts[] = {
    {"own_rmw", &Costs::own_rmw},
    {"own_read", &Costs::own_read},
    {"same_core", &Costs::same_core},
    {"same_complex", &Costs::same_complex},
    {"same_node", &Costs::same_node},
    {"other_node", &Costs::other_node},
    {"other_socket", &Costs::other_socket},
    {"read_occupancy", &Costs::read_occupancy},
    {"futex_wake", &Costs::futex_wake},
    {"wake_latency", &Costs::wake_latency},
    {"spin_notice", &Costs::spin_notice},
    {"claim", &Costs::claim},
    {"clock_read", &Costs::clock_read},
    {"hardware_thread", &Costs::hardware_thread},
    {"node_bytes_per_ns", &Costs::node_bytes_per_ns},
    {"call", &Costs::call},
    {"sent_row", &Costs::sent_row},
    {"received_row", &Costs::received_row},
};

struct NamedWorkload {
  const char* name;
  Workload workload;
};
const NamedWorkload kWorkloads[] = {
    {"50 ns", {.step_ns = 50.0, .row_bytes = 16.0, .state_bytes = 64.0}},
    {"20 us", {.step_ns = 20'000.0, .row_bytes = 216.0, .state_bytes = 4'096.0}},
    {"300 us", {.step_ns = 300'000.0, .row_bytes = 28'224.0, .state_bytes = 16'384.0}},
    {"20 us, 1 in 32 50 times slower",
     {.step_ns = 20'000.0, .slow_every = 32, .row_bytes = 216.0, .state_bytes = 4'096.0}},
};

struct NamedDesign {
  const char* name;
  Design design;
};
constexpr std::size_t kEngine = 2;  // the design that the engine has
constexpr Design Groups(bool queue_per_node, bool batch_per_node) {
  return {.workers_per_signal = 16,
          .permit_stripes = 16,
          .shards_per_count = 16,
          .limits_fruitless_spins = true,
          .longer_pieces = true,
          .queue_per_node = queue_per_node,
          .batch_per_node = batch_per_node};
}
const NamedDesign kDesigns[] = {
    {"one signal and one count for all workers", {}},
    {"signals and counts for groups of 16", Groups(false, false)},
    {"groups of 16, and a queue per node", Groups(true, false)},
    {"groups of 16, and a queue and batches per node", Groups(true, true)},
};

double Get(const Values& values, const char* name, double otherwise) {
  const auto found = values.find(name);
  return found == values.end() ? otherwise : found->second;
}

// A machine of equal nodes whose second hardware threads have the upper numbers.
Topology MachineOf(const Values& values) {
  const int nodes = static_cast<int>(Get(values, "sockets", 2) * Get(values, "nodes", 4));
  const int cores = static_cast<int>(Get(values, "cores", 16));
  const int threads = static_cast<int>(Get(values, "threads", 2));
  Topology topology;
  for (int id = 0; id < nodes; ++id) {
    Topology::Node node;
    node.id = id;
    node.num_cores = node.num_fast_cores = cores;
    for (int thread = 0; thread < threads; ++thread) {
      for (int core = 0; core < cores; ++core) {
        node.by_core.push_back((thread * nodes + id) * cores + core);
      }
    }
    node.cpus = node.by_core;
    std::ranges::sort(node.cpus);
    topology.cpus.insert(topology.cpus.end(), node.cpus.begin(), node.cpus.end());
    topology.nodes.push_back(std::move(node));
  }
  std::ranges::sort(topology.cpus);
  return topology;
}

void PrintRow(bool first, const char* workload, const char* design, const Shape& shape,
              const Outcome& outcome) {
  std::printf(
      "%s\n  {\"workload\": \"%s\", \"design\": \"%s\", \"mode\": \"%s\", \"threads\": %u, "
      "\"num_envs\": %u, \"batch_size\": %u, \"steps_per_s\": %.6g, \"step_share\": %.4f, "
      "\"shared_writes_per_step\": %.4f, \"moves_per_step\": %.4f}",
      first ? "" : ",", workload, design, shape.ordered() ? "ordered" : "first-ready",
      shape.num_threads, shape.num_envs, shape.batch_size, outcome.steps_per_s, outcome.step_share,
      outcome.shared_writes_per_step, outcome.moves_per_step);
  std::fflush(stdout);
}

Costs CostsOf(const Values& values) {
  Costs costs;
  costs.nodes_per_socket = static_cast<int>(Get(values, "nodes", 4));
  for (const NamedCost& one : kCosts) costs.*one.cost = Get(values, one.name, costs.*one.cost);
  return costs;
}

void PredictOne(const Values& values) {
  Workload workload;
  workload.step_ns = Get(values, "step_ns", workload.step_ns);
  workload.spread = Get(values, "spread", workload.spread);
  workload.row_bytes = Get(values, "row_bytes", workload.row_bytes);
  workload.state_bytes = Get(values, "state_bytes", workload.state_bytes);
  workload.consumer_ns = Get(values, "consumer_ns", workload.consumer_ns);
  const auto count = [&](const char* name, double otherwise) {
    return static_cast<std::uint32_t>(Get(values, name, otherwise));
  };
  const std::uint32_t envs = count("num_envs", 8);
  const Shape shape{count("num_threads", 1), envs, count("batch_size", envs)};
  const double ns = 1e6 * Get(values, "ms", 1000.0);
  const NamedDesign& design = kDesigns[count("design", kEngine) % std::size(kDesigns)];
  PoolModel model(MachineOf(values), CostsOf(values), workload, shape, design.design, 1);
  std::printf("{\"rows\": [");
  PrintRow(true, "one", design.name, shape, model.Run(ns / 2, ns));
  std::printf("\n]}\n");
}

void PredictScaling(const Values& values) {
  const Topology topology = MachineOf(values);
  const Costs costs = CostsOf(values);
  const auto max_threads = static_cast<std::uint32_t>(
      Get(values, "max_threads", static_cast<double>(topology.cpus.size())));
  const auto per_thread = static_cast<std::uint32_t>(Get(values, "per_thread", 4));
  const double ns = 1e6 * Get(values, "ms", 10.0);
  std::printf("{\"processors\": %zu, \"nodes\": %zu, \"rows\": [", topology.cpus.size(),
              topology.nodes.size());
  bool first = true;
  for (const NamedWorkload& workload : kWorkloads) {
    for (const NamedDesign& design : kDesigns) {
      for (std::uint32_t threads = 1; threads <= max_threads; threads *= 2) {
        for (const std::uint32_t batches : {1U, 2U}) {
          const std::uint32_t batch = per_thread * threads;
          const Shape shape{threads, batches * batch, batch};
          if (shape.ordered() && design.design.queue_per_node) continue;  // no queue is used
          PoolModel model(topology, costs, workload.workload, shape, design.design, 1);
          // Long enough for several batches; for light ones, also for the trials of sharing.
          const double least = shape.ordered() && workload.workload.step_ns < 1000.0
                                   ? 150e6
                                   : 20.0 * per_thread * workload.workload.step_ns;
          const double length = std::max(ns, least);
          PrintRow(first, workload.name, design.name, shape, model.Run(length / 2, length));
          first = false;
        }
      }
    }
  }
  std::printf("\n]}\n");
}

int Main(int argc, char** argv) {
  Values values;
  for (int i = 2; i < argc; ++i) {
    const std::string text = argv[i];
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) {
      std::fprintf(stderr, "expected NAME=VALUE, got %s\n", argv[i]);
      return 2;
    }
    values[text.substr(0, equals)] = std::atof(text.c_str() + equals + 1);
  }
  const std::string what = argc < 2 ? "" : argv[1];
  if (what == "scaling") {
    PredictScaling(values);
  } else if (what == "one") {
    PredictOne(values);
  } else {
    std::fprintf(stderr, "usage: %s scaling|one [NAME=VALUE]...\n", argv[0]);
    return 2;
  }
  return 0;
}

}  // namespace
}  // namespace engine::simulate

int main(int argc, char** argv) { return engine::simulate::Main(argc, argv); }
