// The Python class Pool: converts arguments, decides when to release the GIL, and returns batches.
// The same class serves every environment.
#ifndef ENGINE_BINDINGS_POOL_BINDING_H_
#define ENGINE_BINDINGS_POOL_BINDING_H_

#include <pybind11/pybind11.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/bindings/action_arguments.h"
#include "engine/bindings/array_argument.h"
#include "engine/bindings/describe_task.h"
#include "engine/bindings/pool_arguments.h"
#include "engine/bindings/pool_binding_base.h"
#include "engine/bindings/pool_tasks.h"
#include "engine/group/state_bytes.h"
#include "engine/runtime/pool.h"
#include "engine/tasks/registry.h"
#include "engine/xla/shared_pool.h"

namespace engine::bindings {

class PoolBinding final : public PoolClass<PoolBinding> {
 public:
  // `tasks`: as in PoolTasks; `arguments`: as `_core.pyi` describes them.
  PoolBinding(const pybind11::object& tasks, const pybind11::dict& options,
              const pybind11::kwargs& arguments);
  ~PoolBinding() override;

  // Calls `call` with the view of the actions, and returns its result.
  template <class Call>
  auto WithActions(pybind11::handle actions, const Call& call) const {
    if (action_form_) {
      const ActionArguments values(*action_form_, actions);
      return call(values.view());
    }
    const ArrayArgument values(actions, "actions", max_actions_);
    return call(values.view());
  }
  pybind11::object Render(pybind11::object env_id);
  // The spaces, as DescribeTask describes them.
  pybind11::dict Spaces() const { return DescribeSpaces(pool_->spec()); }
  // Whether environments may have other constructor options than others.
  bool has_env_options() const { return tasks_.may_differ(); }
  // The constructor options of environments; `next`: those after their next reset.
  pybind11::list ShowEnvOptions(pybind11::object env_id, bool next);
  // `dicts`: one for each environment, of options that change at its next reset.
  void SetEnvOptions(const pybind11::object& dicts, pybind11::object env_id);
  // pool_states.cc
  // The attributes of the environments, one dict for each.
  pybind11::list Attributes() const;
  // The values of an attribute, one for each environment.
  pybind11::tuple GetAttribute(const std::string& name, pybind11::object env_id);
  void SetAttribute(const std::string& name, const pybind11::list& values, pybind11::object env_id);
  bool can_save_states() const { return pool_->saves_states(); }
  pybind11::list SaveStates(pybind11::object env_id);
  pybind11::object LoadStates(pybind11::object states, pybind11::object env_id);

  // pool_xla.cc
  // Returns the data that compiled programs need to step the pool. `reset_options` are the options
  // of their resets.
  pybind11::dict ShareWithXla(pybind11::dict reset_options);
  // The state that the next call from a compiled program expects.
  pybind11::tuple XlaState() const;
  // Lets the next call from a compiled program begin with the state "restart".
  void AllowXlaRestart();

  static void Register(pybind11::module_& module);

 private:
  PoolBinding(const pybind11::object& tasks, const pybind11::dict& options,
              const pybind11::kwargs& arguments, PoolArguments read);
  void Make(const pybind11::dict& options, const pybind11::object& env_options,
            const PoolArguments& arguments, const Topology& topology, const ResetRequest& seeds,
            bool check);
  void ReadResetOptions(const pybind11::object& options, const ArrayView* ids,
                        ResetRequest& request) override;

  PoolTasks tasks_;
  std::int64_t max_actions_ = 0;  // elements of the actions of all environments
  std::shared_ptr<xla::SharedPool> shared() const {
    const ScopedLock lock(shared_mutex_);
    return shared_;
  }
  std::shared_ptr<xla::SharedPool> shared_
      ENGINE_GUARDED_BY(shared_mutex_);  // null until ShareWithXla
  mutable GilMutex shared_mutex_;
  std::optional<ActionForm> action_form_;  // only if actions have several leaves
};

}  // namespace engine::bindings

#endif  // ENGINE_BINDINGS_POOL_BINDING_H_
