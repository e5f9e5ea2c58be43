// The map of a FrozenLake: given row by row, given by name, or generated. The thread that makes the
// pool reads the map from the options; the map is immutable afterwards.
#ifndef ENGINE_ENVS_TOY_TEXT_FROZEN_LAKE_MAP_H_
#define ENGINE_ENVS_TOY_TEXT_FROZEN_LAKE_MAP_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/rng.h"
#include "engine/env/params.h"

namespace engine::toy_text {

class FrozenLakeMap {
 public:
  // The largest number of tiles of a map: 1024 by 1024.
  static constexpr std::size_t kMaxTiles = std::size_t{1} << 20;

  // The options "desc" and "map_name". `name`: the default value of "map_name".
  static ParamSchema Options(const std::string& name);
  // Throws Error{kOption} if "desc" is not a valid map.
  explicit FrozenLakeMap(const ParamValues& options);

  std::int32_t num_rows() const { return static_cast<std::int32_t>(rows_.size()); }
  std::int32_t num_columns() const { return static_cast<std::int32_t>(rows_[0].size()); }
  std::int32_t num_tiles() const { return num_rows() * num_columns(); }
  // Returns 'S' (start), 'F' (frozen), 'H' (hole) or 'G' (goal).
  char Letter(std::int32_t row, std::int32_t column) const {
    return rows_[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
  }
  // Whether each environment generates its own holes, because neither "desc" nor "map_name" is
  // given. The map is then 8 by 8, with the start and the goal in opposite corners and frozen tiles
  // between them.
  bool holes_are_drawn() const { return holes_are_drawn_; }

 private:
  void Check() const;

  std::vector<std::string> rows_;
  bool holes_are_drawn_ = false;
};

// Returns the holes of a random 8 by 8 map: bit 8 * row + column is set for a hole. The map is that
// of Gymnasium's generate_random_map(seed=seed). Its goal can be reached from the start.
std::uint64_t DrawFrozenLakeHoles(std::uint64_t seed);

}  // namespace engine::toy_text

#endif  // ENGINE_ENVS_TOY_TEXT_FROZEN_LAKE_MAP_H_
