// Drawn maps of FrozenLake: every map has a path to the goal, and maps without a path are
// discarded. The Python tests compare the maps with Gymnasium's.
#include "engine/envs/toy_text/frozen_lake_map.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "tests/engine/harness.h"

namespace engine::toy_text::testing {
namespace frozen_lake_map_test {

constexpr int kSide = 8;

bool IsHole(std::uint64_t holes, int row, int column) {
  return (holes >> (kSide * row + column) & 1) != 0;
}

// Depth-first search over the tiles.
bool WalkerFindsGoal(std::uint64_t holes) {
  std::vector<int> frontier = {0};
  std::set<int> seen;
  while (!frontier.empty()) {
    const int tile = frontier.back();
    frontier.pop_back();
    if (tile == kSide * kSide - 1) return true;
    if (!seen.insert(tile).second) continue;
    const int row = tile / kSide;
    const int column = tile % kSide;
    for (const auto& [down, right] : {std::pair{1, 0}, {-1, 0}, {0, 1}, {0, -1}}) {
      const int to_row = row + down;
      const int to_column = column + right;
      const bool inside = to_row >= 0 && to_row < kSide && to_column >= 0 && to_column < kSide;
      if (inside && !IsHole(holes, to_row, to_column)) {
        frontier.push_back(kSide * to_row + to_column);
      }
    }
  }
  return false;
}

TEST(DrawFrozenLakeHoles, LeavesAWay) {
  std::set<std::uint64_t> maps;
  int holes = 0;
  constexpr int kMaps = 2'000;
  for (std::uint64_t seed = 0; seed < kMaps; ++seed) {
    const std::uint64_t map = DrawFrozenLakeHoles(seed);
    EXPECT_TRUE(WalkerFindsGoal(map)) << "seed " << seed;
    EXPECT_FALSE(IsHole(map, 0, 0));
    EXPECT_FALSE(IsHole(map, kSide - 1, kSide - 1));
    EXPECT_EQ(map, DrawFrozenLakeHoles(seed));
    maps.insert(map);
    holes += std::popcount(map);
  }
  EXPECT_EQ(maps.size(), std::size_t{kMaps});
  // A fifth of 62 tiles, and somewhat less because discarded maps have more holes.
  const double mean = static_cast<double>(holes) / kMaps;
  EXPECT_TRUE(mean > 11.0 && mean < 12.4) << mean;
}

}  // namespace frozen_lake_map_test
}  // namespace engine::toy_text::testing
