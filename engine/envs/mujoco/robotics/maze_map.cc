// See the header.
#include "engine/envs/mujoco/robotics/maze_map.h"

#include "engine/base/error.h"

namespace engine::mujoco::robotics {
namespace {

constexpr std::size_t kMostCells = 10'000;

[[noreturn]] void ThrowUnfit(const std::string& problem) {
  throw Error(ErrorKind::kOption, "maze_map: expected " + problem);
}

std::string Text(Cell cell) {
  return "(" + std::to_string(cell.row) + ", " + std::to_string(cell.column) + ")";
}

}  // namespace

void MazeMap::CheckForm(const std::vector<std::string>& rows) {
  if (rows.empty() || rows.front().empty()) ThrowUnfit("at least one cell, got none");
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (rows[row].size() != rows.front().size()) {
      ThrowUnfit("rows of equal length, got " + std::to_string(rows.front().size()) +
                 " cells in row 0 and " + std::to_string(rows[row].size()) + " in row " +
                 std::to_string(row));
    }
    const std::size_t column = rows[row].find_first_not_of("01rgc");
    if (column == std::string::npos) continue;
    const Cell cell{static_cast<std::int64_t>(row), static_cast<std::int64_t>(column)};
    ThrowUnfit("rows of the letters 0, 1, r, g and c, got \"" + rows[row] + "\" as row " +
               std::to_string(row) + ", with another letter in cell " + Text(cell));
  }
  if (rows.size() * rows.front().size() > kMostCells) {
    ThrowUnfit("at most " + std::to_string(kMostCells) + " cells, got " +
               std::to_string(rows.size() * rows.front().size()));
  }
}

MazeMap::MazeMap(const std::vector<std::string>& rows, double size, bool only_without_letters)
    : rows_(rows), size_(size) {
  CheckForm(rows_);
  std::vector<Point> free;
  std::vector<Point> both;
  for (Cell cell{0, 0}; cell.row < num_rows(); ++cell.row) {
    const std::string& row = rows_[static_cast<std::size_t>(cell.row)];
    for (cell.column = 0; cell.column < num_columns(); ++cell.column) {
      switch (row[static_cast<std::size_t>(cell.column)]) {
        case '0':
          free.push_back(Center(cell));
          break;
        case 'r':
          starts_.push_back(Center(cell));
          break;
        case 'g':
          goals_.push_back(Center(cell));
          break;
        case 'c':
          both.push_back(Center(cell));
          break;
        default:
          break;
      }
    }
  }
  if (both.empty()) {
    if (goals_.empty() && starts_.empty()) {
      both = free;
    } else if (!only_without_letters && starts_.empty()) {
      starts_ = free;
    } else if (!only_without_letters && goals_.empty()) {
      goals_ = free;
    }
  }
  goals_.insert(goals_.end(), both.begin(), both.end());
  starts_.insert(starts_.end(), both.begin(), both.end());
  if (goals_.empty()) ThrowUnfit("a cell for goals (g or c, or in most tasks 0), got none");
  if (starts_.empty()) ThrowUnfit("a cell for the agent (r or c, or in most tasks 0), got none");
}

Point MazeMap::Center(Cell cell) const {
  const double x_center = static_cast<double>(num_columns()) / 2 * size_;
  const double y_center = static_cast<double>(num_rows()) / 2 * size_;
  return {(static_cast<double>(cell.column) + 0.5) * size_ - x_center,
          y_center - (static_cast<double>(cell.row) + 0.5) * size_};
}

Point MazeMap::Named(const char* option, Cell cell) const {
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorKind::kOption, std::string(option) + ": expected a free cell of the maze of " +
                                        std::to_string(num_rows()) + " rows and " +
                                        std::to_string(num_columns()) + " columns, got " +
                                        Text(cell) + why);
  };
  if (cell.row < 0 || cell.row >= num_rows() || cell.column < 0 || cell.column >= num_columns()) {
    refuse("");
  }
  const std::string& row = rows_[static_cast<std::size_t>(cell.row)];
  if (row[static_cast<std::size_t>(cell.column)] == '1') refuse(", which is a wall");
  return Center(cell);
}

}  // namespace engine::mujoco::robotics
