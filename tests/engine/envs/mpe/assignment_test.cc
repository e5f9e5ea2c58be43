// The least assignment, beside a search through all permutations. tests/parity/test_mpe.py compares
// it with SciPy's.
#include "engine/envs/mpe/assignment.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>

#include "tests/engine/harness.h"

namespace engine::mpe::testing {
namespace assignment_test {

double LeastSum(const std::vector<double>& costs, std::size_t size) {
  std::vector<std::size_t> columns(size);
  std::iota(columns.begin(), columns.end(), 0U);
  double least = std::numeric_limits<double>::infinity();
  do {
    double sum = 0.0;
    for (std::size_t row = 0; row < size; ++row) sum += costs[row * size + columns[row]];
    least = std::min(least, sum);
  } while (std::ranges::next_permutation(columns).found);
  return least;
}

TEST(Assignment, HasTheLeastSum) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> cost(-1.0, 3.0);
  for (std::size_t size = 1; size <= 6; ++size) {
    Assignment assignment(size);
    for (int i = 0; i < 50; ++i) {
      std::vector<double> costs(size * size);
      std::ranges::generate(costs, [&] { return cost(random); });
      const std::span<const std::size_t> columns = assignment.Solve(costs);
      double sum = 0.0;
      std::vector<bool> used(size);
      for (std::size_t row = 0; row < size; ++row) {
        EXPECT_FALSE(used[columns[row]]);
        used[columns[row]] = true;
        sum += costs[row * size + columns[row]];
      }
      EXPECT_NEAR(sum, LeastSum(costs, size), 1e-12);
    }
  }
}

TEST(Assignment, EqualCostsGiveEachRowItsOwnColumn) {
  Assignment assignment(4);
  const std::span<const std::size_t> columns = assignment.Solve(std::vector<double>(16, 0.5));
  for (std::size_t row = 0; row < 4; ++row) EXPECT_EQ(columns[row], row);
}

TEST(Assignment, CostsThatAreNotFiniteThrow) {
  Assignment assignment(2);
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    const std::vector<double> costs = {0.0, 1.0, bad, 1.0};
    EXPECT_THROW_MESSAGE(assignment.Solve(costs), std::domain_error, "not finite");
  }
  const double huge = std::numeric_limits<double>::max();
  // Sums of such costs are infinite or not a number: it throws or returns, but ends.
  try {
    assignment.Solve(std::vector<double>{-huge, huge, huge, -huge});
  } catch (const std::domain_error&) {
  }
}

}  // namespace assignment_test
}  // namespace engine::mpe::testing
