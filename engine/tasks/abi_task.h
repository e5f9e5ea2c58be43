// A task of a plug-in, and the memory that its C struct points to. Created when the plug-in's
// module is imported; exists until the process ends.
#ifndef ENGINE_TASKS_ABI_TASK_H_
#define ENGINE_TASKS_ABI_TASK_H_

#include <memory>
#include <string>
#include <utility>

#include "engine/c_interface/abi_class.h"
#include "engine/c_interface/abi_convert.h"
#include "engine/c_interface/plugin_abi.h"
#include "engine/tasks/registry.h"

namespace engine {

class AbiTask {
 public:
  template <Environment E>
  static std::unique_ptr<AbiTask> Of(std::string id, const TaskLimits& limits,
                                     const ParamSchema& options) {
    auto task = std::make_unique<AbiTask>();
    task->id_ = std::move(id);
    envpool_task& table = task->table_;
    table = AbiClass<E>::Functions();
    table.id = task->id_.c_str();
    table.max_episode_steps = limits.max_episode_steps;
    table.reward_threshold = limits.reward_threshold.value_or(0.0);
    table.has_reward_threshold = limits.reward_threshold.has_value() ? 1 : 0;
    table.options = task->memory_.Schema(options);
    table.num_options = options.size();
    const ParamSchema reset_options = ResetOptionsOf<E>();
    table.reset_options = task->memory_.Schema(reset_options);
    table.num_reset_options = reset_options.size();
    return task;
  }

  AbiTask() = default;
  AbiTask(const AbiTask&) = delete;
  AbiTask& operator=(const AbiTask&) = delete;
  const envpool_task* table() const { return &table_; }

 private:
  std::string id_;
  AbiMemory memory_;
  envpool_task table_ = {};
};

}  // namespace engine

#endif  // ENGINE_TASKS_ABI_TASK_H_
