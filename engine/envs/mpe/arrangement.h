// What the scenarios in which agents take places have in common: the assignment of agents to places
// and the reward for their distances, as in simple_formation_v1 and simple_line_v1 of MPE2 1.1.1.
// Each instance is used by one thread at a time.
#ifndef ENGINE_ENVS_MPE_ARRANGEMENT_H_
#define ENGINE_ENVS_MPE_ARRANGEMENT_H_

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "engine/base/numpy_arrays.h"
#include "engine/envs/mpe/assignment.h"
#include "engine/envs/mpe/world.h"

namespace engine::mpe {

class Arrangement {
 public:
  // For `count` agents and places.
  explicit Arrangement(std::size_t count)
      : costs_(count * count), distances_(count), assignment_(count) {}

  // Assigns agents to `places`, one for each. Returns the reward: minus the mean of the distances,
  // each at most 2. Throws std::domain_error if a position is not finite.
  double Assign(const World& world, std::span<const Vec> places) {
    const std::size_t count = places.size();
    for (std::size_t agent = 0; agent < count; ++agent) {
      for (std::size_t place = 0; place < count; ++place)
        costs_[agent * count + place] = Norm(world.position(agent) - places[place]);
    }
    const std::span<const std::size_t> taken = assignment_.Solve(costs_);
    for (std::size_t agent = 0; agent < count; ++agent)
      distances_[agent] = costs_[agent * count + taken[agent]];
    const double sum = PairwiseSum<double>(
        [this](std::size_t i) { return std::min(distances_[i], 2.0); }, 0, count);
    return -(sum / static_cast<double>(count));
  }

  // Whether all agents are in their places, by the latest assignment.
  bool IsComplete() const {
    return std::ranges::all_of(distances_, [](double distance) { return distance < kInPlace; });
  }

 private:
  static constexpr double kInPlace = 0.05;

  std::vector<double> costs_;      // distances of agents to places
  std::vector<double> distances_;  // of agents to their own places
  Assignment assignment_;
};

}  // namespace engine::mpe

#endif  // ENGINE_ENVS_MPE_ARRANGEMENT_H_
