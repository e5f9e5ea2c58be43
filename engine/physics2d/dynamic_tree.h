// A balanced binary tree of boxes, for overlap queries. A leaf is the enlarged box of a fixture; an
// inner node has the union of its children. A new leaf is inserted where it adds the least
// perimeter. Rotations keep the heights of siblings within one.
//
// Node numbers affect the results: they determine the order of fixture pairs, and so the order of
// contacts and of the solver. So the tree is kept when its bodies are destroyed, and freed nodes
// are reused, the latest first.
#ifndef ENGINE_PHYSICS2D_DYNAMIC_TREE_H_
#define ENGINE_PHYSICS2D_DYNAMIC_TREE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/check.h"
#include "engine/physics2d/constants.h"
#include "engine/physics2d/geometry.h"
#include "engine/physics2d/numbered.h"
#include "engine/physics2d/shape.h"

namespace engine::physics2d {

class DynamicTree {
 public:
  // Adds a leaf for the box, enlarged by kBoxMargin, and returns its number.
  std::int32_t Insert(const Box& box, std::int32_t fixture);
  void Remove(std::int32_t leaf);
  // If the box is no longer inside the leaf's box, sets a new leaf box, also extended in the
  // direction of the motion, and returns true.
  bool Move(std::int32_t leaf, const Box& box, Vec2 displacement);
  // Resets the tree to its initial state; keeps the memory.
  void Clear();
  void Reserve(std::size_t nodes) { nodes_.reserve(nodes); }

  const Box& BoxOf(std::int32_t leaf) const { return nodes_[leaf].box; }
  std::int32_t FixtureOf(std::int32_t leaf) const { return nodes_[leaf].fixture; }

  // Calls visit(leaf) for the leaves whose boxes overlap `box`.
  template <class Visit>
  void Query(const Box& box, Visit&& visit) const {
    Stack stack(root_);
    while (!stack.empty()) {
      const std::int32_t at = stack.Pop();
      const Node& node = nodes_[at];
      if (!Overlap(node.box, box)) continue;
      if (node.IsLeaf()) {
        visit(at);
      } else {
        stack.Push(node.child1);
        stack.Push(node.child2);
      }
    }
  }

  // Calls visit(ray, leaf) for leaves that the ray may hit. The result replaces the ray's
  // max_fraction if it is positive, and ends the query if it is 0.
  template <class Visit>
  void Cast(Ray ray, Visit&& visit) const;

  bool Has(std::int32_t node) const { return static_cast<std::size_t>(node) < nodes_.size(); }
  // For a loaded state: whether the nodes are one tree with `leaves` leaves and a list of the
  // remaining nodes. owns(fixture, leaf): whether the fixture exists and has this leaf.
  template <class Owns>
  bool IsTree(std::size_t leaves, const Owns& owns) const;

  template <class Writer>
  void Save(Writer& state) const {
    state.PutAll(std::span(nodes_));
    state.Put(root_);
    state.Put(free_);
  }
  template <class Reader>
  void Load(Reader& state) {
    nodes_ = state.template GetVector<Node>();
    state.Get(root_);
    state.Get(free_);
  }

 private:
  struct Node {
    Box box;
    std::int32_t parent = kNone;  // for a free node: the next free node
    std::int32_t child1 = kNone;
    std::int32_t child2 = kNone;
    std::int32_t height = 0;  // 0: a leaf
    std::int32_t fixture = kNone;

    bool IsLeaf() const { return child1 == kNone; }
  };

  // Nodes that are not visited yet: at most one for each level above the current node, and one
  // more.
  class Stack {
   public:
    explicit Stack(std::int32_t root) {
      if (root != kNone) Push(root);
    }
    bool empty() const { return size_ == 0; }
    void Push(std::int32_t node) {
      ENGINE_CHECK(size_ < kCapacity);
      nodes_[size_++] = node;
    }
    std::int32_t Pop() { return nodes_[--size_]; }

   private:
    static constexpr int kCapacity = 256;
    std::int32_t nodes_[kCapacity];
    int size_ = 0;
  };

  std::int32_t NewNode();
  void FreeNode(std::int32_t node);
  void Attach(std::int32_t leaf);
  void Detach(std::int32_t leaf);
  std::int32_t SiblingFor(const Box& box) const;
  float DescentCost(std::int32_t child, const Box& box, float inherited) const;
  void Refit(std::int32_t from);
  std::int32_t Balance(std::int32_t node);
  std::int32_t RotateUp(std::int32_t node, std::int32_t high, std::int32_t low);
  void ReplaceChild(std::int32_t parent, std::int32_t old_child, std::int32_t new_child);

  NumberedVector<Node> nodes_;
  std::int32_t root_ = kNone;
  std::int32_t free_ = kNone;
};

// A node whose parent is the node from which it is reached is reached once, so the visits end.
template <class Owns>
bool DynamicTree::IsTree(std::size_t leaves, const Owns& owns) const {
  std::vector<std::int32_t> open;
  const auto add = [&](std::int32_t node, std::int32_t parent) {
    if (!Has(node) || nodes_[node].parent != parent) return false;
    open.push_back(node);
    return true;
  };
  if (root_ != kNone && !add(root_, kNone)) return false;
  std::size_t reached = 0;
  std::size_t reached_leaves = 0;
  while (!open.empty()) {
    const std::int32_t at = open.back();
    const Node& node = nodes_[at];
    open.pop_back();
    if (++reached > nodes_.size()) return false;
    if (node.IsLeaf()) {
      ++reached_leaves;
      if (node.height != 0 || !owns(node.fixture, at)) return false;
      continue;
    }
    if (node.child1 == node.child2 || !add(node.child1, at) || !add(node.child2, at)) return false;
    if (node.height < 1 ||
        node.height - 1 != std::max(nodes_[node.child1].height, nodes_[node.child2].height)) {
      return false;
    }
  }
  std::size_t free = 0;
  for (std::int32_t node = free_; node != kNone; node = nodes_[node].parent) {
    if (!Has(node) || !nodes_[node].IsLeaf() || nodes_[node].fixture != kNone ||
        ++free > nodes_.size()) {
      return false;
    }
  }
  return reached_leaves == leaves && reached + free == nodes_.size();
}

template <class Visit>
void DynamicTree::Cast(Ray ray, Visit&& visit) const {
  const Vec2 p1 = ray.p1;
  Vec2 r = ray.p2 - ray.p1;
  Normalize(r);
  const Vec2 across = Cross(1.0f, r);
  const Vec2 abs_across = Abs(across);
  const auto bounds = [&] {
    const Vec2 end = p1 + ray.max_fraction * (ray.p2 - p1);
    return Box{Min(p1, end), Max(p1, end)};
  };
  Box segment = bounds();
  Stack stack(root_);
  while (!stack.empty()) {
    const std::int32_t at = stack.Pop();
    const Node& node = nodes_[at];
    if (!Overlap(node.box, segment)) continue;
    // The box is on one side of the line through the segment.
    if (Abs(Dot(across, p1 - node.box.Center())) - Dot(abs_across, node.box.Extents()) > 0.0f) {
      continue;
    }
    if (!node.IsLeaf()) {
      stack.Push(node.child1);
      stack.Push(node.child2);
      continue;
    }
    const float value = visit(ray, at);
    if (value == 0.0f) return;
    if (value > 0.0f) {
      ray.max_fraction = value;
      segment = bounds();
    }
  }
}

}  // namespace engine::physics2d

#endif  // ENGINE_PHYSICS2D_DYNAMIC_TREE_H_
