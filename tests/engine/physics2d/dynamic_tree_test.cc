// The tree finds the same leaves as a search through all boxes, after any sequence of changes.
#include "engine/physics2d/dynamic_tree.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include "tests/engine/harness.h"

namespace engine::physics2d::testing {
namespace dynamic_tree_test {

class Twin {
 public:
  explicit Twin(std::uint32_t seed) : random_(seed) {}

  float Draw(float low, float high) {
    return low + (high - low) * static_cast<float>(random_()) * 0x1p-32f;
  }
  Box DrawBox() {
    const Vec2 lower{Draw(-50.0f, 50.0f), Draw(-10.0f, 10.0f)};
    return {lower, lower + Vec2{Draw(0.0f, 4.0f), Draw(0.0f, 4.0f)}};
  }

  void Change() {
    const std::uint32_t kind = random_() % 8;
    if (kind < 4 || boxes_.empty()) {
      const Box box = DrawBox();
      const std::int32_t leaf = tree_.Insert(box, next_);
      fixtures_[leaf] = next_++;
      boxes_[leaf] = box;
      return;
    }
    auto chosen = boxes_.begin();
    std::advance(chosen, random_() % boxes_.size());
    if (kind < 6) {
      tree_.Remove(chosen->first);
      fixtures_.erase(chosen->first);
      boxes_.erase(chosen);
    } else {
      const Box box = DrawBox();
      const bool inside = tree_.BoxOf(chosen->first).Contains(box);
      EXPECT_EQ(tree_.Move(chosen->first, box, {Draw(-1.0f, 1.0f), Draw(-1.0f, 1.0f)}), !inside);
      chosen->second = box;
    }
  }

  void Compare() {
    const Box asked = DrawBox();
    std::vector<std::int32_t> found;
    tree_.Query(asked, [&](std::int32_t leaf) { found.push_back(leaf); });
    std::vector<std::int32_t> expected;
    for (const auto& [leaf, box] : boxes_) {
      EXPECT_TRUE(tree_.BoxOf(leaf).Contains(box));
      EXPECT_EQ(tree_.FixtureOf(leaf), fixtures_[leaf]);
      if (Overlap(tree_.BoxOf(leaf), asked)) expected.push_back(leaf);
    }
    std::sort(found.begin(), found.end());
    EXPECT_EQ(found, expected);
  }

  std::size_t size() const { return boxes_.size(); }

 private:
  std::mt19937 random_;
  DynamicTree tree_;
  std::map<std::int32_t, Box> boxes_;
  std::map<std::int32_t, std::int32_t> fixtures_;
  std::int32_t next_ = 0;
};

TEST(DynamicTree, FindsWhatASearchThroughAllFinds) {
  for (std::uint32_t seed = 0; seed < 5; ++seed) {
    Twin twin(seed);
    for (int i = 0; i < 600; ++i) {
      twin.Change();
      if (i % 5 == 0) twin.Compare();
    }
    EXPECT_GT(twin.size(), 20U);
  }
}

// Boxes in a row give the deepest trees that occur.
TEST(DynamicTree, StaysBalancedInARow) {
  DynamicTree tree;
  for (int i = 0; i < 5000; ++i) {
    const auto x = static_cast<float>(i);
    tree.Insert({{x, 0.0f}, {x + 1.0f, 1.0f}}, i);
  }
  int found = 0;
  tree.Query({{-1.0f, -1.0f}, {5001.0f, 2.0f}}, [&](std::int32_t) { ++found; });
  EXPECT_EQ(found, 5000);
}

TEST(DynamicTree, UsesTheNodesFreedLastFirst) {
  DynamicTree tree;
  const Box box{{0.0f, 0.0f}, {1.0f, 1.0f}};
  const std::int32_t a = tree.Insert(box, 0);
  const std::int32_t b = tree.Insert(box, 1);
  EXPECT_EQ(a, 0);
  EXPECT_EQ(b, 1);
  const std::int32_t c = tree.Insert(box, 2);
  EXPECT_EQ(c, 3);  // 2 is the parent of a and b
  tree.Remove(b);
  EXPECT_EQ(tree.Insert(box, 3), b);
  tree.Clear();
  EXPECT_EQ(tree.Insert(box, 4), 0);
}

}  // namespace dynamic_tree_test
}  // namespace engine::physics2d::testing
