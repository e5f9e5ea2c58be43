// The tasks of one pool, and the constructor options of its environments, which may differ. Options
// of a task that are equal are one setting (EnvSetting), also when they are given at different
// times.
//
// Threads: methods need the GIL, and release it while they make settings. Without a GIL, several
// threads may call them at the same time.
#ifndef ENGINE_BINDINGS_POOL_TASKS_H_
#define ENGINE_BINDINGS_POOL_TASKS_H_

#include <pybind11/pybind11.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/bindings/gil_mutex.h"
#include "engine/group/env_group.h"
#include "engine/group/state_bytes.h"
#include "engine/runtime/pool.h"
#include "engine/tasks/registry.h"

namespace engine::bindings {

class PoolTasks {
 public:
  // `tasks`: an id; or, for environments of several tasks, a list of tuples (id, number of
  // environments, largest number of steps of an episode or -1). `config`: of all environments.
  PoolTasks(const pybind11::object& tasks, const GroupConfig& config);

  // The ids, for messages.
  std::string Names() const;

  // Makes the group of a new pool. `options`: those of all environments; `env_options`: None, or a
  // dict for each environment, which overrides them; `check`: whether their results are checked.
  // Throws Error{kOption} if the environments cannot be in one pool; the message names two of them.
  std::unique_ptr<EnvGroup> MakeGroup(const pybind11::dict& options,
                                      const pybind11::object& env_options, bool check);

  // Makes another group like the one that MakeGroup has made for a pool with the spec `spec`,
  // without environments. Holds what it needs, so it may be called on any thread, without the GIL.
  std::function<std::unique_ptr<EnvGroup>()> Maker(const EnvSpec& spec, bool check) const;

  // Reads a dict for each item of `ids`, which overrides the options that the environment will have
  // after its next reset, and returns the settings; null where nothing changes. Throws
  // Error{kOption} if the environment would not fit into the pool; the message names it.
  std::vector<EnvSettingPtr> Read(const pybind11::object& dicts, const ArrayView* ids, Pool& pool);

  // A dict for each item of `ids`; `next`: as in Pool::Settings.
  pybind11::list Show(const ArrayView* ids, bool next, Pool& pool) const;

  // The attributes that environments of all tasks have. Also valid when the pool is closed.
  const std::vector<AttributeSpec>& attributes() const { return attributes_; }
  // Call it before attributes of environments may change. From then on, options that an environment
  // has already are given to it again, because they also end its attributes.
  void NoteAttributes() { have_attributes_ = true; }
  // Whether environments may have other constructor options than others.
  bool may_differ() const { return are_listed_ || may_differ_; }

  // Reads the options of a reset, which all tasks must have; returns them for each task.
  std::vector<ParamValues> ReadResetOptions(const pybind11::dict& options) const;

  // The key of states of an environment with this setting; null: the group's own.
  StateKey KeyOf(std::uint32_t env, const EnvSettingPtr& setting) const;

 private:
  struct Task {
    const TaskEntry& entry;
    GroupConfig config;
    std::uint32_t end = 0;        // of its environments
    EnvSettingPtr own = nullptr;  // the group's
    std::uint32_t state_version = 0;
    // Settings in use, by OptionsText. These two are guarded by settings_mutex_.
    std::unordered_map<std::string, std::weak_ptr<const EnvSetting>> settings = {};
    std::size_t prune_at = 64;  // size of `settings` at which those that have ended are removed
  };
  struct Made {
    std::unique_ptr<EnvGroup> group;
    std::shared_ptr<EnvSetting> setting;
  };
  // Makes a group of `num_envs` environments with its setting. Without the GIL.
  static Made Make(const Task& task, ParamValues values, std::string text, std::uint32_t num_envs);
  EnvSettingPtr Known(const Task& task, const std::string& text);
  void Remember(Task& task, const EnvSettingPtr& setting);
  static const EnvSetting& SettingOf(const Task& task, const EnvSettingPtr& setting) {
    return setting == nullptr ? *task.own : *setting;
  }

  Task& TaskOf(std::uint32_t env);
  const Task& TaskOf(std::uint32_t env) const { return const_cast<PoolTasks*>(this)->TaskOf(env); }
  // Makes the group of one task, whose environments begin at `begin`. `each`: the options of each
  // of them, or none. Appends the settings of those that differ from the group's own.
  std::unique_ptr<EnvGroup> MakeTaskGroup(Task& task, std::uint32_t begin, const ParamValues& base,
                                          std::vector<ParamValues> each, bool check,
                                          std::vector<SettingOfEnv>& differing);

  const bool are_listed_;  // given as a list, so that batches have the info "task"
  std::vector<Task> tasks_;
  std::vector<AttributeSpec> attributes_;
  std::atomic<bool> have_attributes_{false};
  std::atomic<bool> may_differ_{false};
  GilMutex settings_mutex_;
};

}  // namespace engine::bindings

#endif  // ENGINE_BINDINGS_POOL_TASKS_H_
