// The costs of a machine: transfers of cache lines between processors, waking threads, memory.
#ifndef ENGINE_BENCHMARKS_SIMULATE_MACHINE_MODEL_H_
#define ENGINE_BENCHMARKS_SIMULATE_MACHINE_MODEL_H_

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "benchmarks/simulate/event_loop.h"
#include "engine/topology/topology.h"

namespace engine::simulate {

// All in ns unless stated. The defaults are for a server with several nodes and complexes of cores
// that share a cache. Arguments of the program replace them.
struct Costs {
  double own_rmw = 8.0;           // a read-modify-write of a line that is in this cache
  double own_read = 1.0;          // a load of it
  double same_core = 12.0;        // transfer between two hardware threads of a core, ...
  double same_complex = 35.0;     // ... cores that share a cache, ...
  double same_node = 90.0;        // ... a node, ...
  double other_node = 140.0;      // ... a socket, ...
  double other_socket = 240.0;    // ... and a machine
  double read_occupancy = 10.0;   // the owner of a line is busy this long for each reader
  double futex_wake = 1'500.0;    // for the thread that wakes another one
  double wake_latency = 6'000.0;  // from there to the first instruction of the woken thread
  double spin_notice = 20.0;      // from a line's arrival to the end of a spin
  double claim = 25.0;            // instructions of taking a piece and of its bookkeeping
  double clock_read = 9.0;
  double hardware_thread = 0.62;    // speed of each of two busy threads of a core
  double node_bytes_per_ns = 30.0;  // memory bandwidth of a node, for writes
  // The calling thread: Python, checks and arrays for each call, and for each row.
  double call = 700.0;
  double sent_row = 3.0;
  double received_row = 1.0;
  int cores_per_complex = 4;
  int nodes_per_socket = 4;
};

struct Processor {
  int number = 0;
  int core = 0;
  int complex = 0;
  int node = 0;
  int socket = 0;
  double speed = 1.0;
};

inline double TransferNs(const Costs& costs, const Processor& from, const Processor& to) {
  if (from.number == to.number) return costs.own_read;
  if (from.socket != to.socket) return costs.other_socket;
  if (from.node != to.node) return costs.other_node;
  if (from.complex != to.complex) return costs.same_node;
  return from.core != to.core ? costs.same_complex : costs.same_core;
}

// A cache line with an atomic word. Operations take their turns in the order in which they begin;
// the word itself is a variable of the simulated program, which changes it when the operation ends.
class Line {
 public:
  Line(Loop& loop, const Costs& costs) : loop_(&loop), costs_(&costs) {}

  // A store or a read-modify-write.
  auto Own(const Processor& cpu) {
    const double cost =
        owner_ == nullptr ? costs_->own_rmw : costs_->own_rmw + TransferNs(*costs_, *owner_, cpu);
    free_at_ = std::max(free_at_, loop_->now()) + cost;
    owner_ = &cpu;
    readers_.clear();
    ++writes_;
    if (cost > costs_->own_rmw + costs_->own_read) ++moves_;
    return loop_->Until(free_at_);
  }
  auto Read(const Processor& cpu) {
    if (owner_ == nullptr || owner_ == &cpu || std::ranges::count(readers_, cpu.number) > 0) {
      return loop_->For(costs_->own_read);
    }
    readers_.push_back(cpu.number);
    const double begin = std::max(free_at_, loop_->now());
    free_at_ = begin + costs_->read_occupancy;
    ++moves_;
    return loop_->Until(begin + TransferNs(*costs_, *owner_, cpu));
  }

  std::uint64_t writes() const { return writes_; }
  std::uint64_t moves() const { return moves_; }

 private:
  Loop* loop_;
  const Costs* costs_;
  const Processor* owner_ = nullptr;
  std::vector<int> readers_;
  double free_at_ = 0.0;
  std::uint64_t writes_ = 0, moves_ = 0;
};

// The memory of a node: writes of all threads share its bandwidth.
class Memory {
 public:
  Memory(Loop& loop, const Costs& costs) : loop_(&loop), costs_(&costs) {}
  auto Write(double bytes) {
    free_at_ = std::max(free_at_, loop_->now()) + bytes / costs_->node_bytes_per_ns;
    return loop_->Until(free_at_);
  }

 private:
  Loop* loop_;
  const Costs* costs_;
  double free_at_ = 0.0;
};

// All processors of a machine in the order of their numbers, with speeds for the case that the
// processors in `busy` have threads. Complexes are consecutive cores of a node.
inline std::vector<Processor> ProcessorsOf(const Topology& topology, const Costs& costs,
                                           const std::vector<int>& busy) {
  std::vector<Processor> all;
  int core = 0;
  int complex = 0;
  for (const Topology::Node& node : topology.nodes) {
    for (int k = 0; k < static_cast<int>(node.by_core.size()); ++k) {
      const int within = k % node.num_cores;  // equal cores: the second threads repeat the order
      all.push_back({.number = node.by_core[static_cast<std::size_t>(k)],
                     .core = core + within,
                     .complex = complex + within / costs.cores_per_complex,
                     .node = node.id,
                     .socket = node.id / costs.nodes_per_socket});
    }
    core += node.num_cores;
    complex += (node.num_cores + costs.cores_per_complex - 1) / costs.cores_per_complex;
  }
  std::ranges::sort(all, {}, &Processor::number);
  const std::set<int> distinct(busy.begin(), busy.end());
  std::vector<int> threads(static_cast<std::size_t>(core), 0);
  for (const int cpu : distinct)
    ++threads[static_cast<std::size_t>(all[static_cast<std::size_t>(cpu)].core)];
  for (Processor& cpu : all) {
    if (threads[static_cast<std::size_t>(cpu.core)] > 1) cpu.speed = costs.hardware_thread;
  }
  return all;
}

}  // namespace engine::simulate

#endif  // ENGINE_BENCHMARKS_SIMULATE_MACHINE_MODEL_H_
