#include "engine/tasks/registry.h"

#include "engine/base/error.h"
#include "engine/base/fork_lock.h"
#include "engine/tasks/check_task.h"

namespace engine {

Registry& Registry::Global() {
  static Registry* const registry = new Registry;
  HoldDuringFork<[]() -> Mutex& { return Global().mutex_; }>();
  return *registry;
}

void Registry::Add(TaskEntry entry) {
  std::vector<TaskEntry> entries;
  entries.push_back(std::move(entry));
  AddAll(std::move(entries));
}

void Registry::AddAll(std::vector<TaskEntry> entries) {
  for (const TaskEntry& entry : entries) CheckTask(entry);
  std::map<std::string, std::unique_ptr<TaskEntry>> added;
  const ScopedLock lock(mutex_);
  for (TaskEntry& entry : entries) {
    const std::string id = entry.id;
    if (entries_.contains(id) ||
        !added.emplace(id, std::make_unique<TaskEntry>(std::move(entry))).second) {
      throw Error(ErrorKind::kPlugin, id + ": a task of this id is registered already");
    }
  }
  entries_.merge(added);
}

bool Registry::Has(const std::string& id) const {
  const ScopedLock lock(mutex_);
  return entries_.contains(id);
}

const TaskEntry& Registry::Find(const std::string& id) const {
  {
    const ScopedLock lock(mutex_);
    const auto found = entries_.find(id);
    if (found != entries_.end()) return *found->second;
  }
  const std::string nearest = NearestName(id, Ids());
  throw Error(ErrorKind::kUnknownTask,
              "unknown task_id \"" + id + "\"" +
                  (nearest.empty() ? "; envpool_py.list_all_envs() gives all"
                                   : "; did you mean \"" + nearest + "\"?"));
}

std::vector<std::string> Registry::Ids() const {
  const ScopedLock lock(mutex_);
  std::vector<std::string> ids;
  for (const auto& entry : entries_) ids.push_back(entry.first);
  return ids;
}

}  // namespace engine
