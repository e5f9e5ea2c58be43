// The constructor options of the environments of one pool, which may differ. Options that are equal
// are one setting (EnvSetting), also when they are given at different times.
//
// Threads: methods need the GIL, and release it while they make settings.
#ifndef ENGINE_BINDINGS_ENV_OPTIONS_H_
#define ENGINE_BINDINGS_ENV_OPTIONS_H_

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/group/env_group.h"
#include "engine/runtime/pool.h"
#include "engine/tasks/registry.h"

namespace engine::bindings {

class EnvOptions {
 public:
  EnvOptions(const TaskEntry& task, const GroupConfig& config) : task_(task), config_(config) {}

  // Makes the group of a new pool. `options`: those of all environments; `env_options`: None, or a
  // dict for each environment, which overrides them. Throws Error{kOption} if the environments
  // cannot be in one pool; the message names two of them.
  std::unique_ptr<EnvGroup> MakeGroup(const pybind11::dict& options,
                                      const pybind11::object& env_options);

  // Reads a dict for each item of `ids`, which overrides the options that the environment will have
  // after its next reset, and returns the settings; null where nothing changes. Throws
  // Error{kOption} if the environment would not fit into the pool; the message names it.
  std::vector<EnvSettingPtr> Read(const pybind11::object& dicts, const ArrayView* ids, Pool& pool);

  // Whether environments may have options of their own.
  bool may_differ() const { return may_differ_; }

  // The attributes of the environments, with the values that follow from the group's own options.
  const std::vector<AttributeSpec>& attributes() const { return own_->attributes; }
  // Call it before attributes of environments may change. From then on, options that an environment
  // has already are given to it again, because they also end its attributes.
  void NoteAttributes() { has_attributes_ = true; }

  // A dict for each item of `ids`; `next`: as in Pool::Settings.
  pybind11::list Show(const ArrayView* ids, bool next, Pool& pool) const;

  // The options of a setting as text; null: the group's own.
  const std::string& TextOf(const EnvSettingPtr& setting) const {
    return setting == nullptr ? own_->text : setting->text;
  }

 private:
  struct Made {
    std::unique_ptr<EnvGroup> group;
    std::shared_ptr<EnvSetting> setting;
  };
  // Makes a group of `num_envs` environments with its setting. Without the GIL.
  Made Make(ParamValues values, std::string text, std::uint32_t num_envs) const;
  EnvSettingPtr Known(const std::string& text);
  void Remember(const EnvSettingPtr& setting);

  const TaskEntry& task_;
  const GroupConfig config_;
  EnvSettingPtr own_;  // the group's
  // Settings in use, by OptionsText.
  std::unordered_map<std::string, std::weak_ptr<const EnvSetting>> settings_;
  bool may_differ_ = false;
  bool has_attributes_ = false;
  std::size_t prune_at_ = 64;  // size of settings_ at which those that have ended are removed
};

}  // namespace engine::bindings

#endif  // ENGINE_BINDINGS_ENV_OPTIONS_H_
