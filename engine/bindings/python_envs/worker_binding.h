// The Python class Worker, which runs in a worker process. See envpool_py.python_envs.worker.
#ifndef ENGINE_BINDINGS_PYTHON_ENVS_WORKER_BINDING_H_
#define ENGINE_BINDINGS_PYTHON_ENVS_WORKER_BINDING_H_

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>

#include "engine/bindings/pool_arguments.h"
#include "engine/bindings/python_envs/python_group.h"
#include "engine/processes/shared_arena.h"
#include "engine/processes/worker_loop.h"

namespace engine::bindings {

class WorkerBinding final : private WorkerLoop::Options {
 public:
  // Maps the memory of `fd`, and closes `fd`. The other arguments are those of the pool
  // (PythonPoolBinding); `functions` also has dump(object) -> bytes.
  WorkerBinding(int fd, std::uint32_t worker, pybind11::tuple observation_tree,
                pybind11::object action_tree, pybind11::object functions,
                const pybind11::dict& settings);
  ~WorkerBinding() = default;
  WorkerBinding(const WorkerBinding&) = delete;
  WorkerBinding& operator=(const WorkerBinding&) = delete;

  // Makes the worker's environments, and reports to the pool whether this succeeded. Throws the
  // exceptions of the environments' functions. Returns false, and reports nothing, if the pool has
  // attached another process or was closed.
  bool Construct();
  // Runs the environments until the pool is closed. Raises the exceptions of signal handlers.
  void Run(double spin_ns);

  static void Register(pybind11::module_& module);

 private:
  class Group;

  std::unique_ptr<ResetStart> Read(const std::byte* bytes, std::size_t n) override;
  void ReportState(WorkerState state);

  const std::shared_ptr<PythonHosting> hosting_;
  const PoolArguments arguments_;
  const std::uint32_t worker_;
  const std::unique_ptr<SharedMapping> mapping_;
  SharedState state_;
  std::unique_ptr<Group> group_;
};

}  // namespace engine::bindings

#endif  // ENGINE_BINDINGS_PYTHON_ENVS_WORKER_BINDING_H_
