#include "engine/physics2d/dynamic_tree.h"

#include <algorithm>

namespace engine::physics2d {
namespace {

constexpr Vec2 kMargin{kBoxMargin, kBoxMargin};

}  // namespace

std::int32_t DynamicTree::Insert(const Box& box, std::int32_t fixture) {
  const std::int32_t leaf = NewNode();
  nodes_[leaf].box = {box.lower - kMargin, box.upper + kMargin};
  nodes_[leaf].fixture = fixture;
  Attach(leaf);
  return leaf;
}

void DynamicTree::Remove(std::int32_t leaf) {
  Detach(leaf);
  FreeNode(leaf);
}

bool DynamicTree::Move(std::int32_t leaf, const Box& box, Vec2 displacement) {
  if (nodes_[leaf].box.Contains(box)) return false;
  Detach(leaf);
  Box enlarged{box.lower - kMargin, box.upper + kMargin};
  const Vec2 d = kBoxPrediction * displacement;
  (d.x < 0.0f ? enlarged.lower.x : enlarged.upper.x) += d.x;
  (d.y < 0.0f ? enlarged.lower.y : enlarged.upper.y) += d.y;
  nodes_[leaf].box = enlarged;
  Attach(leaf);
  return true;
}

void DynamicTree::Clear() {
  nodes_.clear();
  root_ = kNone;
  free_ = kNone;
}

std::int32_t DynamicTree::NewNode() {
  if (free_ == kNone) {
    nodes_.emplace_back();
    return static_cast<std::int32_t>(nodes_.size()) - 1;
  }
  const std::int32_t node = free_;
  free_ = nodes_[node].parent;
  nodes_[node] = Node{};
  return node;
}

void DynamicTree::FreeNode(std::int32_t node) {
  nodes_[node] = Node{};
  nodes_[node].parent = free_;
  free_ = node;
}

// The increase of the perimeters if the box is inserted below `child`; `inherited` is the increase
// in the nodes above.
float DynamicTree::DescentCost(std::int32_t child, const Box& box, float inherited) const {
  const Node& node = nodes_[child];
  const float enlarged = Union(box, node.box).Perimeter();
  return (node.IsLeaf() ? enlarged : enlarged - node.box.Perimeter()) + inherited;
}

// Finds the node whose new sibling, a leaf with this box, adds the least perimeter.
std::int32_t DynamicTree::SiblingFor(const Box& box) const {
  std::int32_t at = root_;
  while (!nodes_[at].IsLeaf()) {
    const Node& node = nodes_[at];
    const float combined = Union(node.box, box).Perimeter();
    const float cost_here = 2.0f * combined;
    const float inherited = 2.0f * (combined - node.box.Perimeter());
    const float cost1 = DescentCost(node.child1, box, inherited);
    const float cost2 = DescentCost(node.child2, box, inherited);
    if (cost_here < cost1 && cost_here < cost2) break;
    at = cost1 < cost2 ? node.child1 : node.child2;
  }
  return at;
}

void DynamicTree::Attach(std::int32_t leaf) {
  if (root_ == kNone) {
    root_ = leaf;
    nodes_[leaf].parent = kNone;
    return;
  }
  const Box box = nodes_[leaf].box;
  const std::int32_t sibling = SiblingFor(box);
  const std::int32_t old_parent = nodes_[sibling].parent;
  const std::int32_t parent = NewNode();
  nodes_[parent].parent = old_parent;
  nodes_[parent].child1 = sibling;
  nodes_[parent].child2 = leaf;
  nodes_[parent].box = Union(box, nodes_[sibling].box);
  nodes_[parent].height = nodes_[sibling].height + 1;
  ReplaceChild(old_parent, sibling, parent);
  nodes_[sibling].parent = parent;
  nodes_[leaf].parent = parent;
  Refit(parent);
}

void DynamicTree::Detach(std::int32_t leaf) {
  if (leaf == root_) {
    root_ = kNone;
    return;
  }
  const std::int32_t parent = nodes_[leaf].parent;
  const std::int32_t grandparent = nodes_[parent].parent;
  const std::int32_t sibling =
      nodes_[parent].child1 == leaf ? nodes_[parent].child2 : nodes_[parent].child1;
  ReplaceChild(grandparent, parent, sibling);
  nodes_[sibling].parent = grandparent;
  FreeNode(parent);
  Refit(grandparent);
}

// If there is no parent, the new child becomes the root.
void DynamicTree::ReplaceChild(std::int32_t parent, std::int32_t old_child,
                               std::int32_t new_child) {
  if (parent == kNone) {
    root_ = new_child;
  } else if (nodes_[parent].child1 == old_child) {
    nodes_[parent].child1 = new_child;
  } else {
    nodes_[parent].child2 = new_child;
  }
}

// Balances the nodes from `from` up to the root, and updates their boxes and heights.
void DynamicTree::Refit(std::int32_t from) {
  std::int32_t at = from;
  while (at != kNone) {
    at = Balance(at);
    Node& node = nodes_[at];
    const Node& child1 = nodes_[node.child1];
    const Node& child2 = nodes_[node.child2];
    node.height = 1 + std::max(child1.height, child2.height);
    node.box = Union(child1.box, child2.box);
    at = node.parent;
  }
}

// If the heights of the children differ by more than one, the higher child takes the node's place.
// Returns the node that is in this place now.
std::int32_t DynamicTree::Balance(std::int32_t node) {
  const Node& top = nodes_[node];
  if (top.IsLeaf() || top.height < 2) return node;
  const int difference = nodes_[top.child2].height - nodes_[top.child1].height;
  if (difference > 1) return RotateUp(node, top.child2, top.child1);
  if (difference < -1) return RotateUp(node, top.child1, top.child2);
  return node;
}

// `high` takes the place of its parent `node`, which becomes its first child and keeps `low`. The
// higher child of `high` stays; the other child moves to `node`.
std::int32_t DynamicTree::RotateUp(std::int32_t node, std::int32_t high, std::int32_t low) {
  Node& a = nodes_[node];
  Node& b = nodes_[high];
  const bool first_stays = nodes_[b.child1].height > nodes_[b.child2].height;
  const std::int32_t stays = first_stays ? b.child1 : b.child2;
  const std::int32_t moves = first_stays ? b.child2 : b.child1;

  b.parent = a.parent;
  a.parent = high;
  ReplaceChild(b.parent, node, high);
  (a.child1 == high ? a.child1 : a.child2) = moves;
  nodes_[moves].parent = node;
  b.child1 = node;
  b.child2 = stays;

  a.box = Union(nodes_[low].box, nodes_[moves].box);
  b.box = Union(a.box, nodes_[stays].box);
  a.height = 1 + std::max(nodes_[low].height, nodes_[moves].height);
  b.height = 1 + std::max(a.height, nodes_[stays].height);
  return high;
}

}  // namespace engine::physics2d
