// The assignment of rows to columns with the least sum of costs, as scipy.optimize.
// linear_sum_assignment computes it: shortest augmenting paths (Crouse, "On implementing 2D
// rectangular assignment algorithms", 2016), with SciPy's choice among equal costs. Each instance
// is used by one thread at a time.
#ifndef ENGINE_ENVS_MPE_ASSIGNMENT_H_
#define ENGINE_ENVS_MPE_ASSIGNMENT_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace engine::mpe {

class Assignment {
 public:
  // For `size` rows and columns. Allocates all memory.
  explicit Assignment(std::size_t size);

  // Solves for costs of row r and column c at costs[r * size + c]. Returns the column of each row,
  // valid until the next call. Throws std::domain_error if a cost is not finite.
  std::span<const std::size_t> Solve(std::span<const double> costs);

 private:
  static constexpr std::size_t kNone = SIZE_MAX;

  // Finds the shortest path from a row that has no column to a column that has no row; returns the
  // column, and sets `length`.
  std::size_t FindPath(std::span<const double> costs, std::size_t row, double& length);
  void UpdatePrices(std::size_t row, double length);

  std::size_t size_;
  std::vector<double> row_prices_, column_prices_;
  std::vector<double> distances_;  // of the columns, along the shortest paths
  std::vector<std::size_t> column_of_row_, row_of_column_;
  std::vector<std::size_t> previous_;  // the row before each column on its path
  std::vector<std::size_t> open_;      // columns that the search has not settled
  std::vector<std::uint8_t> row_seen_, column_seen_;
};

}  // namespace engine::mpe

#endif  // ENGINE_ENVS_MPE_ASSIGNMENT_H_
