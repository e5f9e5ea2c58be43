#include "engine/bindings/space_node.h"

#include <utility>

#include "engine/base/error.h"
#include "engine/bindings/python_values.h"

namespace py = pybind11;

namespace engine::bindings {
namespace {

SpaceNode NodeOf(const SpaceSpec& space, const std::string& name, std::uint32_t& next_leaf) {
  SpaceNode node;
  node.name = name;
  if (space.is_leaf()) {
    node.index = next_leaf++;
    return node;
  }
  const bool is_dict = space.kind == SpaceKind::kDict;
  node.kind = is_dict ? SpaceNode::Kind::kDict : SpaceNode::Kind::kTuple;
  for (std::size_t i = 0; i < space.children.size(); ++i) {
    const auto& [child_name, child] = space.children[i];
    py::object key = is_dict ? py::object(py::str(child_name)) : py::object(py::int_(i));
    SpaceNode made = NodeOf(child, node.NameOf(key), next_leaf);
    node.Add(std::move(key), std::move(made));
  }
  return node;
}

// Describes a value that lacks the expected part, for error messages.
std::string Describe(py::handle value) {
  const std::string type = "a " + TypeName(value);
  if (PyDict_Check(value.ptr())) {
    return type + " with the keys " +
           py::cast<std::string>(py::repr(py::list(py::reinterpret_borrow<py::dict>(value))));
  }
  if (PyTuple_Check(value.ptr()) || PyList_Check(value.ptr())) {
    return type + " of " + std::to_string(py::len(value)) + " items";
  }
  return type;
}

}  // namespace

SpaceNode SpaceNode::Of(const SpaceSpec& space, const std::string& name) {
  std::uint32_t next_leaf = 0;
  return NodeOf(space, name, next_leaf);
}

void SpaceNode::Add(py::object key, SpaceNode child) {
  keys.push_back(std::move(key));
  children.push_back(std::move(child));
}

std::string SpaceNode::NameOf(py::handle key) const {
  return name + "[" + py::cast<std::string>(py::repr(key)) + "]";
}

py::object SpaceNode::PartOf(py::handle value, std::size_t child) const {
  py::object part =
      py::reinterpret_steal<py::object>(PyObject_GetItem(value.ptr(), keys[child].ptr()));
  if (part) return part;
  const py::error_already_set cause;
  if (!cause.matches(PyExc_LookupError) && !cause.matches(PyExc_TypeError)) throw cause;
  const Kind wanted = children[child].kind;
  throw Error(ErrorKind::kInputType, children[child].name + ": expected " +
                                         (wanted == Kind::kDict     ? "a dict"
                                          : wanted == Kind::kTuple  ? "a tuple"
                                          : wanted == Kind::kObject ? "a value"
                                                                    : "an array") +
                                         " in " + name + ", got " + Describe(value));
}

}  // namespace engine::bindings
