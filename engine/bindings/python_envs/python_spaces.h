// Spaces of environments written in Python, as trees whose leaves are arrays. Writes observations
// into the columns of a batch and assembles them again; splits actions into leaves and assembles
// them again. Values that are not arrays (text, graphs, sequences, spaces of the user) are object
// leaves, which are not stored in columns. All functions need the GIL.
//
// envpool_py.python_envs.space_trees makes the description of a tree:
//   ("leaf", dtype, shape)   dtype: a numpy.dtype; shape: of one environment's array
//   ("object",)
//   ("dict", [(key, child), ...]), ("tuple", [child, ...])
#ifndef ENGINE_BINDINGS_PYTHON_ENVS_PYTHON_SPACES_H_
#define ENGINE_BINDINGS_PYTHON_ENVS_PYTHON_SPACES_H_

#include <pybind11/pybind11.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/batch/tree_staging.h"
#include "engine/bindings/numpy_api.h"
#include "engine/bindings/space_node.h"
#include "engine/env/rows.h"
#include "engine/env/spec.h"

namespace engine::bindings {

class SpaceTree {
 public:
  // `name` is the name of its values in messages.
  SpaceTree(const pybind11::tuple& description, const char* name);

  std::uint32_t num_objects() const { return num_objects_; }

  // --- Observations
  // The columns: one leaf, or a tuple of leaves. Elements of dtypes that the engine lacks are
  // stored as bytes.
  SpaceSpec Columns() const;
  // Writes one observation. `store(value, out)` is called for values that are not arrays of the
  // leaf's type, and must raise if the value does not fit. Returns the object leaves, in order, as
  // a tuple; None if there are none. Throws Error{kInputType} if a part is missing or does not fit.
  pybind11::object Write(pybind11::handle value, const ObsRow& row, pybind11::handle store) const;
  // Makes the batch's observation from the arrays that BatchOutput has made for Columns().
  // `objects`: for each object leaf, a list with the values of all rows, which becomes a tuple, as
  // in Gymnasium.
  pybind11::object Assemble(const pybind11::object& columns,
                            const std::vector<pybind11::list>& objects) const;
  // Whether the observation is a single array, which Assemble returns unchanged.
  bool is_plain() const { return root_.kind == Kind::kLeaf && leaves_[0].plain; }

  // --- Actions (a tree without object leaves)
  TreeSlotLayout SlotLayout() const;
  // Splits the actions of some environments into leaves. `kept` holds the arrays that `tree` points
  // to. Throws Error{kInput} or Error{kInputType}.
  void TakeApart(pybind11::handle actions, ActionTree& tree,
                 std::vector<pybind11::object>& kept) const;
  // A new object with the action of one environment: NumPy scalars and arrays, dicts, tuples.
  pybind11::object MakeAction(const TreeSlotLayout& layout, const std::byte* slot) const;

 private:
  using Node = SpaceNode;
  using Kind = SpaceNode::Kind;
  struct Leaf {
    pybind11::object descr;  // a numpy.dtype
    Shape shape;
    std::size_t elements = 1;
    std::size_t item_bytes = 1;
    bool plain = true;  // whether the engine has its dtype
    DType dtype = DType::kUInt8;

    std::size_t bytes() const { return elements * item_bytes; }
    PyArray_Descr* Descr() const { return reinterpret_cast<PyArray_Descr*>(descr.ptr()); }
    // What an environment's array of this leaf is, for messages.
    std::string Text() const;
    // Makes an array of this leaf that does not own `memory`; `rows` < 0: without a first
    // dimension.
    pybind11::object ArrayAt(std::byte* memory, std::int64_t rows) const;
  };

  Node Read(const pybind11::tuple& description, std::string name);
  void WriteNode(const Node& node, pybind11::handle value, const ObsRow& row,
                 pybind11::handle store, const pybind11::tuple& objects) const;
  void WriteLeaf(const Node& node, pybind11::handle value, std::byte* to,
                 pybind11::handle store) const;
  void TakeLeaf(const Node& node, pybind11::handle value, ActionTree& tree,
                std::vector<pybind11::object>& kept) const;

  std::vector<Leaf> leaves_;
  std::uint32_t num_objects_ = 0;
  Node root_;
};

}  // namespace engine::bindings

#endif  // ENGINE_BINDINGS_PYTHON_ENVS_PYTHON_SPACES_H_
