// The Python class PythonPool: a pool of environments written in Python. It has the calls of Pool,
// and calls of the environments' own methods. See envpool_py.python_envs, which also starts and
// ends the worker processes.
#ifndef ENGINE_BINDINGS_PYTHON_ENVS_PYTHON_POOL_BINDING_H_
#define ENGINE_BINDINGS_PYTHON_ENVS_PYTHON_POOL_BINDING_H_

#include <pybind11/pybind11.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "engine/bindings/pool_arguments.h"
#include "engine/bindings/pool_binding_base.h"
#include "engine/bindings/python_envs/python_group.h"
#include "engine/processes/process_executor.h"

namespace engine::bindings {

class PythonPoolBinding final : public PoolClass<PythonPoolBinding> {
 public:
  // `functions`: those of PythonHosting, and
  //   pack(actions) -> list of bytes, one per row, if the action space is not a tree of arrays
  //   add_info(infos, info, row, rows): adds the infos of one environment to those of a batch
  //   dump(object) -> bytes, for workers
  //   judge_overlap(inside, cpu, elapsed) -> whether measuring can stop; see OverlapMeter. Or None:
  //     nothing is measured.
  // `arguments`: as for Pool, and
  //   num_workers: threads, or processes, that step the environments; 0: the caller does
  //   processes=False: whether they are processes; Python then attaches one for each worker
  //   on_dead_workers=None: called with the pool at the beginning of a call if a process has died,
  //     to attach new ones; None: the environments of dead processes stay lost
  PythonPoolBinding(const pybind11::tuple& observation_tree, const pybind11::object& action_tree,
                    pybind11::object functions, const pybind11::kwargs& arguments);

  // --- Worker processes
  // The file with the memory that the pool and its workers share, and the offset in it at which the
  // exit status of a worker's process is written.
  int memory_fd() const { return processes_->fd(); }
  std::size_t StatusOffset(std::uint32_t worker) const { return processes_->status_offset(worker); }
  // The workers that have no process yet, or whose process has died. Prepares their memory for the
  // next process.
  std::vector<std::uint32_t> DeadWorkers();
  // As ProcessExecutor::Attach.
  void Attach(std::uint32_t worker, std::int32_t process_id, int fd);
  // As ProcessExecutor::KillHanging, in seconds.
  void KillHanging(double limit);

  // Makes the environments; call it once, before all other calls and after Attach.
  void Construct(pybind11::handle seed);

  // Calls `call` with the view of the actions, and returns its result.
  template <class Call>
  auto WithActions(pybind11::handle actions, const Call& call) const {
    Actions read;
    ReadActions(actions, read);
    return call(ArrayView{.tree = &read.tree});
  }
  // The latest observations of environments, in the form of a reset's result.
  pybind11::object Observe(pybind11::object env_id);
  // The results of a call of the environments' methods, in the order of the ids.
  pybind11::list CallMethod(pybind11::object call, pybind11::object env_id);

  static void Register(pybind11::module_& module);

 private:
  // The actions of one call, split into the leaves of the action space.
  struct Actions {
    ActionTree tree;
    std::vector<pybind11::object> kept;
  };

  void ReadActions(pybind11::handle given, Actions& actions) const;
  std::shared_ptr<Executor> StepInThisProcess(const PoolArguments& arguments);
  std::shared_ptr<Executor> StepInWorkers(const PoolArguments& arguments);
  void BeforeCall() override;
  void RestartDeadWorkers();
  void ReadResetOptions(const pybind11::object& options, const ArrayView* ids,
                        ResetRequest& request) override;
  std::string Dump(pybind11::handle object) const;
  pybind11::object OutputOf(Batch& batch, bool start) override;
  void JudgeOverlap();
  pybind11::object ObjectOf(const RowObject& object) const;

  const std::shared_ptr<PythonHosting> hosting_;
  const pybind11::object functions_;
  const pybind11::object on_dead_workers_;
  const std::uint32_t num_workers_;
  std::shared_ptr<ProcessExecutor> processes_;  // null: threads of this process step
  // The group that the threads step, while their overlap is measured; owned by the pool. Null when
  // nothing is measured. A thread that judges takes it out.
  std::atomic<PythonGroup*> measured_{nullptr};
  // Whether the next call begins with JudgeOverlap. Its warning may be an exception, which must not
  // take the place of a batch.
  std::atomic<bool> judges_{false};
  const std::shared_ptr<OverlapMeter> meter_ = std::make_shared<OverlapMeter>();
  bool is_dm_ = false;
};

}  // namespace engine::bindings

#endif  // ENGINE_BINDINGS_PYTHON_ENVS_PYTHON_POOL_BINDING_H_
