// Finds the pairs of fixtures whose boxes overlap. It records which leaves have moved, and reports
// the pairs that include a moved leaf.
#ifndef ENGINE_PHYSICS2D_BROAD_PHASE_H_
#define ENGINE_PHYSICS2D_BROAD_PHASE_H_

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/physics2d/constants.h"
#include "engine/physics2d/dynamic_tree.h"

namespace engine::physics2d {

class BroadPhase {
 public:
  std::int32_t Insert(const Box& box, std::int32_t fixture) {
    const std::int32_t leaf = tree_.Insert(box, fixture);
    moved_.push_back(leaf);
    return leaf;
  }
  void Remove(std::int32_t leaf) {
    std::replace(moved_.begin(), moved_.end(), leaf, kNone);
    tree_.Remove(leaf);
  }
  void Move(std::int32_t leaf, const Box& box, Vec2 displacement) {
    if (tree_.Move(leaf, box, displacement)) moved_.push_back(leaf);
  }
  void Clear() {
    tree_.Clear();
    moved_.clear();
  }

  void Reserve(std::size_t leaves, std::size_t pairs) {
    tree_.Reserve(2 * leaves);
    moved_.reserve(2 * leaves);  // includes removed leaves
    // A pair may be found from both sides, and neighbors that do not collide are found too.
    pairs_.reserve(8 * leaves + 2 * pairs);
  }

  const DynamicTree& tree() const { return tree_; }
  bool MayTouch(std::int32_t leaf_a, std::int32_t leaf_b) const {
    return Overlap(tree_.BoxOf(leaf_a), tree_.BoxOf(leaf_b));
  }

  // Calls visit(fixture_a, fixture_b) once for each pair that includes a leaf moved since the last
  // call, in the order of the leaf numbers. A pair may have a contact already.
  template <class Visit>
  void VisitNewPairs(Visit&& visit) {
    pairs_.clear();
    for (const std::int32_t leaf : moved_) {
      if (leaf == kNone) continue;
      tree_.Query(tree_.BoxOf(leaf), [&](std::int32_t other) {
        if (other != leaf) pairs_.push_back({std::min(leaf, other), std::max(leaf, other)});
      });
    }
    moved_.clear();
    std::sort(pairs_.begin(), pairs_.end());
    const auto end = std::unique(pairs_.begin(), pairs_.end());
    for (auto pair = pairs_.begin(); pair != end; ++pair) {
      visit(tree_.FixtureOf(pair->first), tree_.FixtureOf(pair->second));
    }
  }

  // For a loaded state: whether the tree is one (see DynamicTree::IsTree), and each leaf that has
  // moved is a leaf.
  template <class Owns>
  bool IsConsistent(std::size_t leaves, const Owns& owns) const {
    return tree_.IsTree(leaves, owns) &&
           std::all_of(moved_.begin(), moved_.end(), [&](std::int32_t leaf) {
             return leaf == kNone || (tree_.Has(leaf) && owns(tree_.FixtureOf(leaf), leaf));
           });
  }

  template <class Writer>
  void Save(Writer& state) const {
    tree_.Save(state);
    state.PutAll(std::span(moved_));
  }
  template <class Reader>
  void Load(Reader& state) {
    tree_.Load(state);
    moved_ = state.template GetVector<std::int32_t>();
  }

 private:
  struct Pair {
    std::int32_t first;
    std::int32_t second;
    friend auto operator<=>(const Pair&, const Pair&) = default;
  };

  DynamicTree tree_;
  std::vector<std::int32_t> moved_;  // leaves; kNone: removed since
  std::vector<Pair> pairs_;          // only used during a call
};

}  // namespace engine::physics2d

#endif  // ENGINE_PHYSICS2D_BROAD_PHASE_H_
