// The Python class PythonPool: a pool of environments written in Python. It has the calls of Pool,
// and calls of the environments' own methods. See envpool_py.python_envs.
#ifndef ENGINE_BINDINGS_PYTHON_ENVS_PYTHON_POOL_BINDING_H_
#define ENGINE_BINDINGS_PYTHON_ENVS_PYTHON_POOL_BINDING_H_

#include <pybind11/pybind11.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/bindings/batch_output.h"
#include "engine/bindings/pool_calls.h"
#include "engine/bindings/python_envs/python_group.h"
#include "engine/bindings/python_envs/python_pool_config.h"
#include "engine/processes/process_executor.h"

namespace engine::bindings {

class PythonPoolBinding final : public PoolCalls {
 public:
  // `functions`: those of PythonHosting, and
  //   pack(actions) -> list of bytes, one per row, if the action space is not a tree of arrays
  //   add_info(infos, info, row, rows): adds the infos of one environment to those of a batch
  //   dump(object) -> bytes, for workers
  //   judge_overlap(inside, cpu, elapsed) -> whether measuring can stop; see OverlapMeter. Or None:
  //     nothing is measured.
  // `workers`: starts worker processes (python_envs.workers.Workers); or a number of threads of
  // this process; or None: the caller steps. `settings`: PoolSettings.core_arguments.
  PythonPoolBinding(pybind11::tuple observation_tree, pybind11::object action_tree,
                    pybind11::object functions, pybind11::object workers,
                    const pybind11::dict& settings);

  pybind11::object Step(pybind11::object actions, pybind11::object env_id);
  pybind11::object Reset(pybind11::object env_id, pybind11::object seed, pybind11::object mask,
                         pybind11::object options);
  // As Step and Reset, but write the fields of the target into its rows from `first_row` on.
  pybind11::object StepInto(pybind11::object actions, pybind11::object env_id,
                            const PythonTargetPtr& target, pybind11::int_ first_row);
  pybind11::object ResetInto(pybind11::object env_id, pybind11::object seed, pybind11::object mask,
                             pybind11::object options, const PythonTargetPtr& target,
                             pybind11::int_ first_row);
  void Send(pybind11::object actions, pybind11::object env_id);
  // The results of a call of the environments' methods, in the order of the ids.
  pybind11::list CallEnvs(pybind11::object call, pybind11::object env_ids);

  static void Register(pybind11::module_& module);

 private:
  // The actions of one call, split into the leaves of the action space.
  struct Actions {
    ActionTree tree;
    std::vector<pybind11::object> kept;
    ArrayView view() const { return {.tree = &tree}; }
  };

  void ReadActions(pybind11::handle given, Actions& actions) const;
  pybind11::object StepTo(const RowTarget& target, pybind11::handle actions,
                          pybind11::handle env_id);
  pybind11::object ResetTo(const RowTarget& target, pybind11::handle env_id, pybind11::handle seed,
                           pybind11::handle mask, const pybind11::object& options);
  void MakeInCaller(const PythonPoolConfig& config);
  void MakeWithThreads(PythonPoolConfig config);
  void MakeWithWorkers(const PythonPoolConfig& config);
  void Start(std::uint32_t worker);
  // Restarts dead workers.
  void Prepare() override;
  std::string Dump(pybind11::handle object) const;
  pybind11::object OutputOf(Batch& batch, bool start) override;
  void JudgeOverlap();
  pybind11::object ObjectOf(const RowObject& object) const;

  const std::shared_ptr<PythonHosting> hosting_;
  const pybind11::object functions_;
  const pybind11::object workers_;
  std::shared_ptr<ProcessExecutor> processes_;  // null: threads of this process step
  std::optional<BatchOutput> output_;
  // The group that the threads step, while their overlap is measured; owned by the pool. Null when
  // nothing is measured.
  PythonGroup* measured_ = nullptr;
  const std::shared_ptr<OverlapMeter> meter_ = std::make_shared<OverlapMeter>();
  bool is_dm_ = false;
  bool restarting_ = false;  // with the GIL
};

}  // namespace engine::bindings

#endif  // ENGINE_BINDINGS_PYTHON_ENVS_PYTHON_POOL_BINDING_H_
