// The Python class Pool: converts arguments, decides when to release the GIL, and returns batches.
// The same class serves every environment.
#ifndef ENGINE_BINDINGS_POOL_BINDING_H_
#define ENGINE_BINDINGS_POOL_BINDING_H_

#include <pybind11/pybind11.h>

#include <memory>
#include <optional>
#include <string>

#include "engine/bindings/action_arguments.h"
#include "engine/bindings/array_argument.h"
#include "engine/bindings/batch_output.h"
#include "engine/bindings/pool_calls.h"
#include "engine/group/state_bytes.h"
#include "engine/runtime/pool.h"
#include "engine/tasks/registry.h"
#include "engine/xla/shared_pool.h"

namespace engine::bindings {

class PoolBinding final : public PoolCalls {
 public:
  PoolBinding(const std::string& task_id, const pybind11::dict& options, pybind11::int_ num_envs,
              pybind11::int_ batch_size, pybind11::int_ num_threads, pybind11::object seed,
              const std::string& autoreset_mode, pybind11::int_ max_episode_steps,
              const std::string& env_type, bool renders, bool records_episodes,
              pybind11::int_ max_blocks, bool own_infos, bool check,
              const pybind11::object& thread_affinity, const std::string& numa);

  ~PoolBinding() override;

  // Handles, because the caller of a Python function holds references to its arguments.
  pybind11::object Step(pybind11::handle actions, pybind11::handle env_id);
  pybind11::object Reset(pybind11::object env_id, pybind11::object seed, pybind11::object mask,
                         pybind11::object options);
  // As Step and Reset, but write the fields of the target into its rows from `first_row` on.
  pybind11::object StepInto(pybind11::object actions, pybind11::object env_id,
                            const PythonTargetPtr& target, pybind11::int_ first_row);
  pybind11::object ResetInto(pybind11::object env_id, pybind11::object seed, pybind11::object mask,
                             pybind11::object options, const PythonTargetPtr& target,
                             pybind11::int_ first_row);
  void Send(pybind11::object actions, pybind11::object env_id);
  pybind11::object Render(pybind11::object env_ids);
  // pool_states.cc
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
  void Make(const ParamValues& values, const GroupConfig& group_config, const PoolConfig& config,
            const Topology& topology, const ResetRequest& seeds, bool check);
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
  pybind11::object StepTo(const RowTarget& target, pybind11::handle actions,
                          pybind11::handle env_id);
  pybind11::object ResetTo(const RowTarget& target, pybind11::handle env_id, pybind11::handle seed,
                           pybind11::handle mask, const pybind11::object& options);
  pybind11::object OutputOf(Batch& batch, bool start) override;

  const TaskEntry& task_;
  std::optional<BatchOutput> output_;
  std::optional<StateKey> state_key_;
  std::int64_t max_actions_ = 0;             // elements of the actions of all environments
  std::shared_ptr<xla::SharedPool> shared_;  // null until ShareWithXla
  std::optional<ActionForm> action_form_;    // only if actions have several leaves
};

}  // namespace engine::bindings

#endif  // ENGINE_BINDINGS_POOL_BINDING_H_
