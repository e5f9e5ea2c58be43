// Draws states and outcomes as Gymnasium's toy_text environments do: from one uniform number in [0,
// 1), even if there is only one outcome. The result is the first class whose cumulative probability
// exceeds this number. If rounding leaves no such class, the result is class 0. An environment's
// Config owns these objects; any thread reads them, and they are immutable after construction.
#ifndef ENGINE_ENVS_TOY_TEXT_CATEGORICAL_H_
#define ENGINE_ENVS_TOY_TEXT_CATEGORICAL_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/base/rng.h"

namespace engine::toy_text {

// The three outcomes of an action: the intended direction and the two directions to which the agent
// may slip.
class SlipOutcomes {
 public:
  static constexpr std::uint8_t kCount = 3;

  explicit SlipOutcomes(const std::array<double, 3>& probabilities)
      : probabilities_(probabilities) {
    double sum = 0.0;
    for (std::size_t i = 0; i < 3; ++i) cumulated_[i] = sum += probabilities[i];
  }

  // Counts the classes instead of searching, because the branches of a search would be
  // mispredicted.
  std::size_t Draw(Rng& rng) const {
    const double uniform = rng.Random();
    const auto passed = [&](std::size_t i) {
      return static_cast<std::size_t>(!(cumulated_[i] > uniform));
    };
    const std::size_t outcome = passed(0) + passed(1) + passed(2);
    return outcome == 3 ? 0 : outcome;
  }
  double Probability(std::size_t outcome) const { return probabilities_[outcome]; }

 private:
  std::array<double, 3> probabilities_;
  std::array<double, 3> cumulated_;
};

// Initial states with equal probability, in ascending order. All other states are classes of
// probability 0. State 0 is the result if rounding leaves no class.
class StartStates {
 public:
  // Requires: states is not empty.
  explicit StartStates(std::vector<std::int32_t> states) : states_(std::move(states)) {
    const double each = 1.0 / static_cast<double>(states_.size());
    double sum = 0.0;
    for (std::size_t i = 0; i < states_.size(); ++i) cumulated_.push_back(sum += each);
  }

  std::int32_t Draw(Rng& rng) const {
    const auto found = std::upper_bound(cumulated_.begin(), cumulated_.end(), rng.Random());
    return found == cumulated_.end()
               ? 0
               : states_[static_cast<std::size_t>(found - cumulated_.begin())];
  }

 private:
  std::vector<std::int32_t> states_;
  std::vector<double> cumulated_;
};

}  // namespace engine::toy_text

#endif  // ENGINE_ENVS_TOY_TEXT_CATEGORICAL_H_
