// The map of a maze of Gymnasium-Robotics: where its walls are, and in which cells goals and the
// agent may be. Immutable; any thread.
#ifndef ENGINE_ENVS_MUJOCO_ROBOTICS_MAZE_MAP_H_
#define ENGINE_ENVS_MUJOCO_ROBOTICS_MAZE_MAP_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace engine::mujoco::robotics {

using Point = std::array<double, 2>;  // x and y, m

// A cell by its row from the top and its column from the left.
struct Cell {
  std::int64_t row;
  std::int64_t column;
};

class MazeMap {
 public:
  // Throws Error{kOption} unless there is a text for each row, with a letter for each cell: '1' a
  // wall, '0' free, 'r' a cell where the agent may start, 'g' one for goals, 'c' one for both.
  static void CheckForm(const std::vector<std::string>& rows);

  // `size` is the side of a cell (m). If the map has no cell for the agent or none for goals, all
  // free cells are; with `only_without_letters`, only if it has neither. Throws Error{kOption} for
  // another form, or if there is no goal or no start.
  MazeMap(const std::vector<std::string>& rows, double size, bool only_without_letters);

  // The centres of the cells for goals and for starts, in the reference's order.
  const std::vector<Point>& goals() const { return goals_; }
  const std::vector<Point>& starts() const { return starts_; }
  std::int64_t num_rows() const { return static_cast<std::int64_t>(rows_.size()); }
  std::int64_t num_columns() const { return static_cast<std::int64_t>(rows_.front().size()); }
  double size() const { return size_; }

  // Returns the centre of a cell that a user has named by the option `option`. Throws
  // Error{kOption} if the map has no such cell or the cell is a wall.
  Point Named(const char* option, Cell cell) const;

 private:
  Point Center(Cell cell) const;

  const std::vector<std::string> rows_;
  const double size_;
  std::vector<Point> goals_;
  std::vector<Point> starts_;
};

}  // namespace engine::mujoco::robotics

#endif  // ENGINE_ENVS_MUJOCO_ROBOTICS_MAZE_MAP_H_
