#include "engine/bindings/env_options.h"

#include <algorithm>
#include <utility>

#include "engine/base/error.h"
#include "engine/bindings/option_arguments.h"
#include "engine/bindings/python_host.h"
#include "engine/bindings/python_values.h"
#include "engine/env/widen_spec.h"
#include "engine/group/state_bytes.h"

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

// Why a pool cannot have environments with these attributes; "" if it can.
std::string DifferenceOf(const std::vector<AttributeSpec>& left,
                         const std::vector<AttributeSpec>& right) {
  const auto alike = [](const AttributeSpec& a, const AttributeSpec& b) {
    return a.name == b.name && a.type == b.type && a.elements == b.elements && a.low == b.low &&
           a.high == b.high && a.choices == b.choices;
  };
  return std::ranges::equal(left, right, alike) ? "" : "their attributes differ";
}

}  // namespace

EnvOptions::Made EnvOptions::Make(ParamValues values, std::string text,
                                  std::uint32_t num_envs) const {
  GroupConfig config = config_;
  config.num_envs = num_envs;
  Made made;
  made.group = task_.make_group(values, config);
  made.group->spec().Validate(task_.id);  // registration has checked it with default options only
  made.setting = made.group->OwnSetting();
  made.setting->options = std::move(values);
  made.setting->text = std::move(text);
  return made;
}

EnvSettingPtr EnvOptions::Known(const std::string& text) {
  const auto found = settings_.find(text);
  return found == settings_.end() ? nullptr : found->second.lock();
}

void EnvOptions::Remember(const EnvSettingPtr& setting) {
  if (settings_.size() >= prune_at_) {
    std::erase_if(settings_, [](const auto& entry) { return entry.second.expired(); });
    prune_at_ = std::max<std::size_t>(64, 2 * settings_.size());
  }
  settings_[setting->text] = setting;
}

std::unique_ptr<EnvGroup> EnvOptions::MakeGroup(const py::dict& options,
                                                const py::object& env_options) {
  const ParamValues base = ReadOptions(task_.options, options, "option", task_.id);
  std::vector<ParamValues> each;
  if (!env_options.is_none()) {
    const py::list dicts = ReadDicts(env_options, config_.num_envs);
    for (std::uint32_t env = 0; env < config_.num_envs; ++env) {
      const auto given = py::reinterpret_borrow<py::dict>(dicts[env]);
      each.push_back(For(
          env, [&] { return ReadOptionsOver(base, task_.options, given, "option", task_.id); }));
    }
  }
  const GilReleased released;
  const ParamValues& first = each.empty() ? base : each[0];
  Made own = each.empty()
                 ? Make(first, OptionsText(first), config_.num_envs)
                 : For(0, [&] { return Make(first, OptionsText(first), config_.num_envs); });
  own_ = own.setting;
  Remember(own_);
  EnvGroup& group = *own.group;
  for (std::uint32_t env = 1; env < each.size(); ++env) {
    const std::string text = OptionsText(each[env]);
    EnvSettingPtr setting = Known(text);
    if (setting == nullptr) {
      const Made made = For(env, [&] { return Make(std::move(each[env]), text, 1); });
      std::string why = DifferenceOf(group.spec(), made.group->spec());
      if (why.empty()) why = group.WhyNot(*made.setting);
      if (why.empty()) why = DifferenceOf(own_->attributes, made.setting->attributes);
      if (!why.empty()) {
        throw Error(ErrorKind::kOption, "env_options: environments 0 and " + std::to_string(env) +
                                            " of " + task_.id + " cannot be in one pool: " + why);
      }
      group.WidenSpec(made.group->spec());
      setting = made.setting;
      Remember(setting);
    }
    if (setting != own_) {
      group.settings().Prepare(config_.num_envs);
      group.settings().SetNext(env, std::move(setting));
      may_differ_ = true;
    }
  }
  return std::move(own.group);
}

std::vector<EnvSettingPtr> EnvOptions::Read(const py::object& dicts, const ArrayView* ids,
                                            Pool& pool) {
  const auto before = SettingsOf(ids, true, pool);
  const py::list items = ReadDicts(dicts, before.size());
  std::vector<EnvSettingPtr> settings(before.size());
  may_differ_ = true;
  for (std::size_t k = 0; k < settings.size(); ++k) {
    const auto given = py::reinterpret_borrow<py::dict>(items[k]);
    const auto& [env, setting] = before[k];
    ParamValues values = For(env, [&, of = setting.get()] {
      const ParamValues& base = of == nullptr ? own_->options : of->options;
      return ReadOptionsOver(base, task_.options, given, "option", task_.id);
    });
    std::string text = OptionsText(values);
    if (text == TextOf(setting) && !has_attributes_) continue;
    settings[k] = Known(text);
    if (settings[k] != nullptr) continue;
    {
      const GilReleased released;
      const Made made = For(env, [&] { return Make(std::move(values), std::move(text), 1); });
      std::string why = DifferenceOf(pool.spec(), made.group->spec());
      if (why.empty()) why = pool.executor().group().WhyNot(*made.setting);
      if (why.empty()) why = DifferenceOf(own_->attributes, made.setting->attributes);
      if (why.empty() && !Includes(pool.spec(), made.group->spec()))
        why = "the bounds of its spaces exceed those of the pool";
      if (!why.empty()) {
        throw Error(ErrorKind::kOption, "env_options: environment " + std::to_string(env) +
                                            " would not fit into the pool: " + why);
      }
      settings[k] = made.setting;
    }
    Remember(settings[k]);
  }
  return settings;
}

py::list EnvOptions::Show(const ArrayView* ids, bool next, Pool& pool) const {
  py::list shown;
  for (const auto& [env, setting] : SettingsOf(ids, next, pool)) {
    shown.append(ShowOptions(task_.options, setting == nullptr ? own_->options : setting->options));
  }
  return shown;
}

}  // namespace engine::bindings
