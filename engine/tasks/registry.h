// The table of tasks by id. Families register at start-up, plug-ins when their module is imported;
// pools look up by id. Any thread (a mutex guards the table). Entries are never removed, so a
// TaskEntry pointer stays valid.
#ifndef ENGINE_TASKS_REGISTRY_H_
#define ENGINE_TASKS_REGISTRY_H_

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/mutex.h"
#include "engine/env/check_environment.h"
#include "engine/group/env_group_of.h"

namespace engine {

struct TaskEntry {
  std::string id;                      // "CartPole-v1"
  std::int64_t max_episode_steps = 0;  // steps; 0: no limit
  std::optional<double> reward_threshold;
  ParamSchema options;
  ParamSchema reset_options;
  std::function<EnvSpec(const ParamValues& options)> spec;
  std::function<std::unique_ptr<EnvGroup>(const ParamValues& options, const GroupConfig& config)>
      make_group;
};

// The limits of a task.
struct TaskLimits {
  std::int64_t max_episode_steps = 0;
  std::optional<double> reward_threshold = std::nullopt;
};

class Registry {
 public:
  using Limits = TaskLimits;

  // The process's registry. Never destroyed: worker threads may outlive main.
  static Registry& Global();

  Registry() = default;
  virtual ~Registry() = default;
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  // Throws Error{kPlugin} if the id is malformed or taken, or if the options or the spec with
  // default options are inconsistent (check_task.h); the message names the task.
  // Virtual, so that a call from a plug-in runs the core's code.
  virtual void Add(TaskEntry entry);
  // Adds all of them, or, if one cannot be added, none.
  void AddAll(std::vector<TaskEntry> entries);
  // Whether an id is registered.
  bool Has(const std::string& id) const;
  // Throws Error{kUnknownTask}, whose message names the nearest id, if there is no such task.
  const TaskEntry& Find(const std::string& id) const;
  // All ids, sorted.
  std::vector<std::string> Ids() const;

  // Adds an environment in one line:
  //   registry.Add<CartPole>("CartPole-v1", {.max_episode_steps = 500, .reward_threshold = 475.0});
  // `options`: those of E::Options(), with other defaults or determined by the id.
  template <class E>
  void Add(std::string id, Limits limits = {}, std::optional<ParamSchema> options = {}) {
    if constexpr (kIsEnvironment<E>) {
      WarnOfUnusedMembers<E>();
      Add(EntryOf<E>(std::move(id), limits, options ? *std::move(options) : OptionsOf<E>()));
    } else {
      ExplainEnvironment<E>();
    }
  }

  template <class E>
  static TaskEntry EntryOf(std::string id, Limits limits, ParamSchema options) {
    TaskEntry entry;
    entry.id = std::move(id);
    entry.max_episode_steps = limits.max_episode_steps;
    entry.reward_threshold = limits.reward_threshold;
    entry.options = std::move(options);
    entry.reset_options = ResetOptionsOf<E>();
    entry.spec = [](const ParamValues& values) {
      EnvSpec spec = E::Spec(values);
      CheckMembers<E>(spec);
      return spec;
    };
    entry.make_group = [](const ParamValues& values,
                          const GroupConfig& config) -> std::unique_ptr<EnvGroup> {
      return std::make_unique<EnvGroupOf<E>>(values, config);
    };
    return entry;
  }

 private:
  mutable Mutex mutex_;
  std::map<std::string, std::unique_ptr<TaskEntry>> entries_ ENGINE_GUARDED_BY(mutex_);
};

}  // namespace engine

#endif  // ENGINE_TASKS_REGISTRY_H_
