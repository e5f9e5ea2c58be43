// A nested space as a tree of nodes, and the walk from a nested action to its leaves, which is the
// same for every kind of environment. All functions need the GIL.
#ifndef ENGINE_BINDINGS_SPACE_NODE_H_
#define ENGINE_BINDINGS_SPACE_NODE_H_

#include <pybind11/pybind11.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/env/spec.h"

namespace engine::bindings {

struct SpaceNode {
  // An object is a value that is not an array.
  enum class Kind : std::uint8_t { kLeaf, kObject, kDict, kTuple };

  // The nodes of a space of the engine, whose leaves are numbered in depth-first order.
  static SpaceNode Of(const SpaceSpec& space, const std::string& name);
  // Adds a child with this key; kDict and kTuple only.
  void Add(pybind11::object key, SpaceNode child);
  // The name of a child in messages: name["key"] as Python prints it.
  std::string NameOf(pybind11::handle key) const;
  // The part of `value` for child `child`. Throws Error{kInputType} if there is none.
  pybind11::object PartOf(pybind11::handle value, std::size_t child) const;

  Kind kind = Kind::kLeaf;
  std::string name;                    // in messages
  std::uint32_t index = 0;             // of the leaf, or of the object
  std::vector<pybind11::object> keys;  // of the children: strings, or integers of a tuple
  std::vector<SpaceNode> children;
};

// Calls visit(node, value) for each leaf of `root`, in depth-first order, with its part of `value`.
// A part for which the space has no key is ignored, as in Gymnasium. Throws Error{kInputType} if a
// part is missing.
template <class Visit>
void VisitLeaves(const SpaceNode& root, pybind11::handle value, const Visit& visit) {
  if (root.kind == SpaceNode::Kind::kLeaf) {
    visit(root, value);
    return;
  }
  for (std::size_t i = 0; i < root.children.size(); ++i) {
    const pybind11::object part = root.PartOf(value, i);
    VisitLeaves(root.children[i], part, visit);
  }
}

// Makes a nested value: dicts and tuples as in the space, and make(node) for each leaf and object.
template <class Make>
pybind11::object MakeNested(const SpaceNode& node, const Make& make) {
  namespace py = pybind11;
  if (node.kind == SpaceNode::Kind::kDict) {
    py::dict dict;
    for (std::size_t i = 0; i < node.children.size(); ++i)
      dict[node.keys[i]] = MakeNested(node.children[i], make);
    return dict;
  }
  if (node.kind == SpaceNode::Kind::kTuple) {
    py::tuple tuple(node.children.size());
    for (std::size_t i = 0; i < node.children.size(); ++i)
      tuple[i] = MakeNested(node.children[i], make);
    return tuple;
  }
  return make(node);
}

}  // namespace engine::bindings

#endif  // ENGINE_BINDINGS_SPACE_NODE_H_
