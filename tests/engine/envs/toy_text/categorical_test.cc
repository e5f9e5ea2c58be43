// Drawing outcomes and start states, compared with a slow search through all classes, also if
// rounding leaves a gap at the end.
#include "engine/envs/toy_text/categorical.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/base/rng.h"
#include "tests/engine/harness.h"

namespace engine::toy_text::testing {
namespace categorical_test {

// The index of the first partial sum above one uniform number, or 0 if there is none.
std::size_t SearchSums(const std::vector<double>& probabilities, Rng& rng) {
  const double uniform = rng.Random();
  double sum = 0.0;
  for (std::size_t i = 0; i < probabilities.size(); ++i) {
    sum += probabilities[i];
    if (sum > uniform) return i;
  }
  return 0;
}

TEST(SlipOutcomes, AreThoseOfASearch) {
  Rng probabilities(1);
  for (int round = 0; round < 200; ++round) {
    const double first = probabilities.Random();
    const double second = probabilities.Random() * (1.0 - first);
    // Every second round leaves a gap that is much wider than rounding errors.
    const double third = (1.0 - first - second) * (round % 2 == 0 ? 1.0 : 0.3);
    const SlipOutcomes outcomes({first, second, third});
    Rng ours(static_cast<std::uint64_t>(round));
    Rng slow(static_cast<std::uint64_t>(round));
    for (int draw = 0; draw < 200; ++draw) {
      ASSERT_EQ(outcomes.Draw(ours), SearchSums({first, second, third}, slow));
    }
    EXPECT_EQ(outcomes.Probability(1), second);
  }
}

TEST(SlipOutcomes, WithoutProbabilityNeverHappen) {
  const SlipOutcomes outcomes({0.0, 1.0, 0.0});
  Rng rng(3);
  for (int draw = 0; draw < 10'000; ++draw) ASSERT_EQ(outcomes.Draw(rng), std::size_t{1});
}

TEST(StartStates, AreThoseOfASearchThroughAllStates) {
  constexpr std::size_t kNumStates = 64;
  for (std::size_t count = 1; count < kNumStates; ++count) {
    // Start states spread over all states except state 0.
    std::vector<std::int32_t> starts;
    std::vector<double> probabilities(kNumStates, 0.0);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t state = 1 + i * (kNumStates - 1) / count;
      starts.push_back(static_cast<std::int32_t>(state));
      probabilities[state] = 1.0 / static_cast<double>(count);
    }
    const StartStates states(starts);
    Rng ours(count);
    Rng slow(count);
    for (int draw = 0; draw < 500; ++draw) {
      ASSERT_EQ(states.Draw(ours), static_cast<std::int32_t>(SearchSums(probabilities, slow)));
    }
  }
}

}  // namespace categorical_test
}  // namespace engine::toy_text::testing
