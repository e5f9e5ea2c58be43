#include "engine/envs/mpe/assignment.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace engine::mpe {

Assignment::Assignment(std::size_t size)
    : size_(size),
      row_prices_(size),
      column_prices_(size),
      distances_(size),
      column_of_row_(size),
      row_of_column_(size),
      previous_(size),
      open_(size),
      row_seen_(size),
      column_seen_(size) {}

std::span<const std::size_t> Assignment::Solve(std::span<const double> costs) {
  for (const double cost : costs) {
    if (!std::isfinite(cost)) throw std::domain_error("a position of an agent is not finite");
  }
  std::ranges::fill(row_prices_, 0.0);
  std::ranges::fill(column_prices_, 0.0);
  std::ranges::fill(column_of_row_, kNone);
  std::ranges::fill(row_of_column_, kNone);
  for (std::size_t row = 0; row < size_; ++row) {
    double length = 0.0;
    std::size_t column = FindPath(costs, row, length);
    UpdatePrices(row, length);
    // Along the path, each row takes the column that follows it.
    for (std::size_t at = kNone; at != row;) {
      at = previous_[column];
      row_of_column_[column] = at;
      std::swap(column_of_row_[at], column);
    }
  }
  return column_of_row_;
}

std::size_t Assignment::FindPath(std::span<const double> costs, std::size_t row, double& length) {
  // In descending order, so that equal costs give each row the column of its own number.
  std::size_t num_open = size_;
  for (std::size_t i = 0; i < size_; ++i) open_[i] = size_ - i - 1;
  std::ranges::fill(row_seen_, std::uint8_t{0});
  std::ranges::fill(column_seen_, std::uint8_t{0});
  std::ranges::fill(distances_, std::numeric_limits<double>::infinity());
  length = 0.0;
  while (num_open > 0) {
    row_seen_[row] = 1;
    std::size_t nearest = 0;
    double shortest = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < num_open; ++i) {
      const std::size_t column = open_[i];
      const double through =
          length + costs[row * size_ + column] - row_prices_[row] - column_prices_[column];
      if (through < distances_[column]) {
        previous_[column] = row;
        distances_[column] = through;
      }
      // Among equals, a column without a row ends the search earlier.
      if (distances_[column] < shortest ||
          (distances_[column] == shortest && row_of_column_[column] == kNone)) {
        shortest = distances_[column];
        nearest = i;
      }
    }
    length = shortest;
    const std::size_t column = open_[nearest];
    if (row_of_column_[column] == kNone) return column;
    row = row_of_column_[column];
    column_seen_[column] = 1;
    open_[nearest] = open_[--num_open];
  }
  throw std::domain_error("the costs of the assignment are too large");
}

void Assignment::UpdatePrices(std::size_t row, double length) {
  row_prices_[row] += length;
  for (std::size_t other = 0; other < size_; ++other) {
    if (row_seen_[other] != 0 && other != row)
      row_prices_[other] += length - distances_[column_of_row_[other]];
  }
  for (std::size_t column = 0; column < size_; ++column) {
    if (column_seen_[column] != 0) column_prices_[column] -= length - distances_[column];
  }
}

}  // namespace engine::mpe
