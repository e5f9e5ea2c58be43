// The WorkSignals of a pool with many workers: each signal serves a group of workers with
// consecutive numbers, which usually run on the same NUMA node. Every worker that starts or stops
// waiting writes the cache lines of its signal. With one signal for all workers, these writes would
// take longer than a short batch. In each group, the workers that are woken first wake the others.
// The groups do this at the same time.
//
// benchmarks/README.md has simulated rates with one signal and with groups.
#ifndef ENGINE_SYNC_GROUPED_SIGNAL_H_
#define ENGINE_SYNC_GROUPED_SIGNAL_H_

#include <cstdint>
#include <memory>

#include "engine/sync/std_sync.h"
#include "engine/sync/work_signal.h"

namespace engine {

template <class Sync = StdSync>
class GroupedSignal {
 public:
  // Requires: both arguments are at least 1.
  GroupedSignal(std::uint32_t num_workers, std::uint32_t workers_per_group)
      : workers_per_group_(workers_per_group),
        num_groups_((num_workers + workers_per_group - 1) / workers_per_group),
        groups_(new WorkSignal<Sync>[num_groups_]) {}

  // Makes about `wanted` workers look for the published work, beginning with the workers of the
  // first groups.
  // Requires and memory ordering: as in WorkSignal::Wake.
  // Guarantees: if a worker is idle when the call begins, an idle worker looks for work after that.
  //   Two concurrent calls may count the same sleeper and wake only that one, although workers of a
  //   later group sleep. So a worker that takes only part of the work, and may be busy for long,
  //   calls Wake.
  void Wake(std::uint32_t wanted) {
    for (std::uint32_t g = 0; g < num_groups_ && wanted > 0; ++g) wanted -= groups_[g].Wake(wanted);
  }
  // As in WorkSignal.
  void WakeAll() {
    for (std::uint32_t g = 0; g < num_groups_; ++g) groups_[g].WakeAll();
  }

  // The signal on which a worker waits.
  WorkSignal<Sync>& Of(std::uint32_t worker) { return groups_[worker / workers_per_group_]; }

  // For heuristics; the numbers may be outdated when the calls return.
  std::uint32_t spinning() const {
    std::uint32_t sum = 0;
    for (std::uint32_t g = 0; g < num_groups_; ++g) sum += groups_[g].spinning();
    return sum;
  }
  std::uint32_t sleeping() const {
    std::uint32_t sum = 0;
    for (std::uint32_t g = 0; g < num_groups_; ++g) sum += groups_[g].sleeping();
    return sum;
  }

 private:
  const std::uint32_t workers_per_group_;
  const std::uint32_t num_groups_;
  const std::unique_ptr<WorkSignal<Sync>[]> groups_;
};

}  // namespace engine

#endif  // ENGINE_SYNC_GROUPED_SIGNAL_H_
