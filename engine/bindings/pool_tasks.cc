#include "engine/bindings/pool_tasks.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "engine/base/error.h"
#include "engine/bindings/option_arguments.h"
#include "engine/bindings/pool_arguments.h"
#include "engine/bindings/python_host.h"
#include "engine/bindings/python_values.h"
#include "engine/checks/checked_group.h"
#include "engine/env/widen_spec.h"
#include "engine/group/mixed_group.h"

namespace py = pybind11;

namespace engine::bindings {
namespace {

// Calls `body`; adds the environment to the message of an Error.
template <class Body>
auto For(std::uint32_t env, const Body& body) {
  try {
    return body();
  } catch (const Error& error) {
    throw Error(error.kind(),
                "env_options: environment " + std::to_string(env) + ": " + error.what(),
                error.hint());
  }
}

auto SettingsOf(const ArrayView* ids, bool next, Pool& pool) {
  PythonHost host;
  return pool.Settings(ids, next, host);
}

py::list ReadDicts(const py::object& dicts, std::size_t n) {
  if (!IsList(dicts)) {
    throw Error(ErrorKind::kOptionType, "env_options: expected a list of dicts, got " +
                                            TypeName(dicts) + " " + Repr(dicts));
  }
  py::list items = ItemsOf(dicts);
  if (items.size() != n) {
    throw Error(ErrorKind::kOption, "env_options: expected " + std::to_string(n) +
                                        " dicts, one for each environment, got " +
                                        std::to_string(items.size()));
  }
  for (std::size_t k = 0; k < n; ++k) {
    const py::handle item = items[k];
    if (!PyDict_Check(item.ptr())) {
      throw Error(ErrorKind::kOptionType, "env_options[" + std::to_string(k) +
                                              "]: expected a dict of options, got " +
                                              TypeName(item) + " " + Repr(item));
    }
  }
  return items;
}

// Why one pool cannot have environments with these attributes; "" if it can.
std::string DifferenceOf(const std::vector<AttributeSpec>& left,
                         const std::vector<AttributeSpec>& right) {
  return std::ranges::equal(left, right, HaveOneForm) ? "" : "their attributes differ";
}

}  // namespace

PoolTasks::PoolTasks(const py::object& tasks, const GroupConfig& config)
    : are_listed_(!PyUnicode_Check(tasks.ptr())) {
  if (!are_listed_) {
    tasks_.push_back({.entry = Registry::Global().Find(py::cast<std::string>(tasks)),
                      .config = config,
                      .end = config.num_envs});
    return;
  }
  std::uint32_t end = 0;
  for (const py::handle item : py::cast<py::list>(tasks)) {
    const auto [id, num_envs, limit] =
        py::cast<std::tuple<std::string, std::uint32_t, std::int64_t>>(item);
    GroupConfig own = config;
    own.max_episode_steps = limit == -1 ? 0 : limit;
    tasks_.push_back({.entry = Registry::Global().Find(id), .config = own, .end = end += num_envs});
  }
}

std::string PoolTasks::Names() const {
  std::string names;
  for (const Task& task : tasks_) names += (names.empty() ? "" : ", ") + task.entry.id;
  return names;
}

PoolTasks::Task& PoolTasks::TaskOf(std::uint32_t env) {
  return *std::ranges::upper_bound(tasks_, env, {}, &Task::end);
}

PoolTasks::Made PoolTasks::Make(const Task& task, ParamValues values, std::string text,
                                std::uint32_t num_envs) {
  GroupConfig config = task.config;
  config.num_envs = num_envs;
  Made made;
  made.group = task.entry.make_group(values, config);
  // Registration has checked it with default options only.
  made.group->spec().Validate(task.entry.id);
  made.setting = made.group->OwnSetting();
  made.setting->options = std::move(values);
  made.setting->text = std::move(text);
  return made;
}

EnvSettingPtr PoolTasks::Known(const Task& task, const std::string& text) {
  const ScopedLock lock(settings_mutex_);
  const auto found = task.settings.find(text);
  return found == task.settings.end() ? nullptr : found->second.lock();
}

void PoolTasks::Remember(Task& task, const EnvSettingPtr& setting) {
  const ScopedLock lock(settings_mutex_);
  if (task.settings.size() >= task.prune_at) {
    std::erase_if(task.settings, [](const auto& entry) { return entry.second.expired(); });
    task.prune_at = std::max<std::size_t>(64, 2 * task.settings.size());
  }
  task.settings[setting->text] = setting;
}

std::unique_ptr<EnvGroup> PoolTasks::MakeGroup(const py::dict& options,
                                               const py::object& env_options, bool check) {
  const std::uint32_t num_envs = tasks_.back().end;
  std::vector<ParamValues> base;
  for (const Task& task : tasks_)
    base.push_back(ReadOptions(task.entry.options, options, "option", task.entry.id));
  std::vector<std::vector<ParamValues>> each(tasks_.size());
  if (!env_options.is_none()) {
    const py::list dicts = ReadDicts(env_options, num_envs);
    std::uint32_t env = 0;
    for (std::size_t k = 0; k < tasks_.size(); ++k) {
      const TaskEntry& entry = tasks_[k].entry;
      for (; env < tasks_[k].end; ++env) {
        const auto given = py::reinterpret_borrow<py::dict>(dicts[env]);
        each[k].push_back(For(env, [&] {
          return ReadOptionsOver(base[k], entry.options, given, "option", entry.id);
        }));
      }
    }
  }
  const GilReleased released;
  std::vector<TaskShare> shares;
  std::vector<SettingOfEnv> differing;
  std::uint32_t begin = 0;
  for (std::size_t k = 0; k < tasks_.size(); ++k) {
    Task& task = tasks_[k];
    shares.push_back(
        {.group = MakeTaskGroup(task, begin, base[k], std::move(each[k]), check, differing),
         .num_envs = task.end - begin});
    // Each two, because infos of two tasks may clash that the first one does not have; and each
    // with itself, because some tasks cannot be listed at all.
    for (std::size_t other = 0; are_listed_ && other <= k; ++other) {
      const std::string why = WhyNotMixed(*shares[other].group, *shares[k].group);
      if (why.empty()) continue;
      throw Error(ErrorKind::kInput, "task_id: environments of " + tasks_[other].entry.id +
                                         " and " + task.entry.id +
                                         " cannot be in one pool: " + why);
    }
    begin = task.end;
  }
  std::unique_ptr<EnvGroup> group =
      are_listed_ ? std::make_unique<MixedGroup>(std::move(shares)) : std::move(shares[0].group);
  attributes_ = group->Attributes(nullptr);
  may_differ_ = !differing.empty();
  if (may_differ_) group->settings().Prepare(num_envs);
  for (auto& [env, setting] : differing) group->settings().SetNext(env, std::move(setting));
  return group;
}

std::function<std::unique_ptr<EnvGroup>()> PoolTasks::Maker(const EnvSpec& spec, bool check) const {
  struct Source {
    const TaskEntry* entry;
    GroupConfig config;
    ParamValues options;
    std::uint32_t num_envs;
  };
  std::vector<Source> sources;
  std::uint32_t begin = 0;
  for (const Task& task : tasks_) {
    sources.push_back({.entry = &task.entry,
                       .config = task.config,
                       .options = task.own->options,
                       .num_envs = task.end - begin});
    begin = task.end;
  }
  return [sources = std::move(sources), spec, listed = are_listed_, check] {
    std::vector<TaskShare> shares;
    for (const Source& source : sources) {
      std::unique_ptr<EnvGroup> group = source.entry->make_group(source.options, source.config);
      if (!listed) group->WidenSpec(spec);
      if (check) group = std::make_unique<CheckedGroup>(std::move(group));
      shares.push_back({.group = std::move(group), .num_envs = source.num_envs});
    }
    if (!listed) return std::move(shares[0].group);
    return std::unique_ptr<EnvGroup>(std::make_unique<MixedGroup>(std::move(shares)));
  };
}

std::unique_ptr<EnvGroup> PoolTasks::MakeTaskGroup(Task& task, std::uint32_t begin,
                                                   const ParamValues& base,
                                                   std::vector<ParamValues> each, bool check,
                                                   std::vector<SettingOfEnv>& differing) {
  const std::uint32_t room = task.config.num_envs;
  const ParamValues& first = each.empty() ? base : each[0];
  Made own = each.empty() ? Make(task, first, OptionsText(first), room)
                          : For(begin, [&] { return Make(task, first, OptionsText(first), room); });
  task.own = own.setting;
  task.state_version = own.group->state_version();
  Remember(task, task.own);
  EnvGroup& group = *own.group;
  for (std::uint32_t k = 1; k < each.size(); ++k) {
    const std::string text = OptionsText(each[k]);
    EnvSettingPtr setting = Known(task, text);
    if (setting == nullptr) {
      const Made made = For(begin + k, [&] { return Make(task, std::move(each[k]), text, 1); });
      std::string why = DifferenceOf(group.spec(), made.group->spec(), task.config.renders);
      if (why.empty()) why = task.own->WhyNot(*made.setting);
      if (why.empty()) why = DifferenceOf(task.own->attributes, made.setting->attributes);
      if (!why.empty()) {
        throw Error(ErrorKind::kOption, "env_options: environments " + std::to_string(begin) +
                                            " and " + std::to_string(begin + k) + " of " +
                                            task.entry.id + " cannot be in one pool: " + why);
      }
      group.WidenSpec(made.group->spec());
      setting = made.setting;
      Remember(task, setting);
    }
    if (setting != task.own) differing.emplace_back(begin + k, std::move(setting));
  }
  return check ? std::make_unique<CheckedGroup>(std::move(own.group)) : std::move(own.group);
}

std::vector<EnvSettingPtr> PoolTasks::Read(const py::object& dicts, const ArrayView* ids,
                                           Pool& pool) {
  const auto before = SettingsOf(ids, true, pool);
  const py::list items = ReadDicts(dicts, before.size());
  may_differ_ = true;
  std::vector<EnvSettingPtr> settings(before.size());
  for (std::size_t k = 0; k < settings.size(); ++k) {
    const auto given = py::reinterpret_borrow<py::dict>(items[k]);
    const auto& [env, setting] = before[k];
    Task& task = TaskOf(env);
    const EnvSetting& old = SettingOf(task, setting);
    ParamValues values = For(env, [&] {
      return ReadOptionsOver(old.options, task.entry.options, given, "option", task.entry.id);
    });
    std::string text = OptionsText(values);
    if (text == old.text && !have_attributes_) continue;
    settings[k] = Known(task, text);
    if (settings[k] != nullptr) continue;
    {
      const GilReleased released;
      const Made made = For(env, [&] { return Make(task, std::move(values), std::move(text), 1); });
      std::string why = FormDifference(pool.spec(), made.group->spec(), task.config.renders);
      if (why.empty()) why = task.own->WhyNot(*made.setting);
      if (why.empty()) why = DifferenceOf(task.own->attributes, made.setting->attributes);
      if (why.empty() && !Includes(pool.spec(), made.group->spec()))
        why = "the bounds of its spaces exceed those of the pool";
      if (!why.empty()) {
        throw Error(ErrorKind::kOption, "env_options: environment " + std::to_string(env) +
                                            " would not fit into the pool: " + why);
      }
      settings[k] = made.setting;
    }
    Remember(task, settings[k]);
  }
  return settings;
}

py::list PoolTasks::Show(const ArrayView* ids, bool next, Pool& pool) const {
  py::list shown;
  for (const auto& [env, setting] : SettingsOf(ids, next, pool)) {
    const Task& task = TaskOf(env);
    shown.append(ShowOptions(task.entry.options, SettingOf(task, setting).options));
  }
  return shown;
}

std::vector<ParamValues> PoolTasks::ReadResetOptions(const py::dict& options) const {
  std::vector<ParamValues> values;
  for (const Task& task : tasks_)
    values.push_back(ReadOptions(task.entry.reset_options, options, "reset option", task.entry.id));
  return values;
}

StateKey PoolTasks::KeyOf(std::uint32_t env, const EnvSettingPtr& setting) const {
  const Task& task = TaskOf(env);
  return {task.entry.id, SettingOf(task, setting).text, task.state_version};
}

}  // namespace engine::bindings
