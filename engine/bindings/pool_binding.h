// The Python class Pool: converts arguments, decides when to release the GIL, and returns batches.
// The same class serves every environment.
#ifndef ENGINE_BINDINGS_POOL_BINDING_H_
#define ENGINE_BINDINGS_POOL_BINDING_H_

#include <pybind11/pybind11.h>

#include <memory>
#include <optional>
#include <string>

#include "engine/base/fork_guard.h"
#include "engine/bindings/batch_output.h"
#include "engine/bindings/convert.h"
#include "engine/env/registry.h"
#include "engine/runtime/pool.h"

namespace engine::bindings {

class PoolBinding {
 public:
  PoolBinding(const std::string& task_id, const pybind11::dict& options, pybind11::int_ num_envs,
              pybind11::int_ batch_size, pybind11::int_ num_threads, pybind11::object seed,
              const std::string& autoreset_mode, pybind11::int_ max_episode_steps,
              const std::string& env_type, bool renders, bool records_episodes,
              pybind11::int_ max_blocks, bool own_infos);
  ~PoolBinding();
  PoolBinding(const PoolBinding&) = delete;
  PoolBinding& operator=(const PoolBinding&) = delete;

  pybind11::object Step(pybind11::object actions, pybind11::object env_id);
  pybind11::object Reset(pybind11::object env_id, pybind11::object seed, pybind11::object mask,
                         pybind11::object options);
  void Send(pybind11::object actions, pybind11::object env_id);
  void AsyncReset(pybind11::object env_id, pybind11::object seed);
  pybind11::object Recv(pybind11::object timeout);
  void Drain();
  pybind11::object Render(pybind11::object env_ids);
  pybind11::dict Stats() const;
  void Close(pybind11::object timeout);

  std::uint32_t num_envs() const { return pool_->num_envs(); }
  std::uint32_t batch_size() const { return pool_->batch_size(); }
  std::uint32_t num_threads() const { return pool_->num_threads(); }
  bool closed() const { return pool_->closed(); }

  static void Register(pybind11::module_& module);

 private:
  Pool& Usable() const;
  ResetRequest ReadReset(const std::optional<ArrayArgument>& ids, pybind11::handle seed) const;
  void Make(const ParamValues& values, const GroupConfig& group_config, const PoolConfig& config,
            const Topology& topology, const ResetRequest& seeds);
  void Discard();
  pybind11::object ResultOf(Batch& batch, bool start);

  const TaskEntry& task_;
  ForkGuard fork_guard_;
  std::unique_ptr<Pool> pool_;
  std::optional<BatchOutput> output_;
  std::int64_t most_actions_ = 0;  // elements of the actions of all environments
};

}  // namespace engine::bindings

#endif  // ENGINE_BINDINGS_POOL_BINDING_H_
