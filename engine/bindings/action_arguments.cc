#include "engine/bindings/action_arguments.h"

namespace py = pybind11;

namespace engine::bindings {

ActionForm::ActionForm(const SpaceSpec& space, std::int64_t num_envs)
    : root_(SpaceNode::Of(space, "actions")) {
  for (const SpaceSpec* leaf : space.Leaves()) {
    most_.push_back(NumElements(leaf->shape) * num_envs);
  }
}

ActionArguments::ActionArguments(const ActionForm& form, py::handle actions) {
  arguments_.reserve(form.most_.size());
  views_.reserve(form.most_.size());
  VisitLeaves(form.root_, actions, [&](const SpaceNode& leaf, py::handle value) {
    arguments_.emplace_back(value, leaf.name.c_str(), form.most_[leaf.index]);
    views_.push_back(arguments_.back().view());
  });
}

}  // namespace engine::bindings
