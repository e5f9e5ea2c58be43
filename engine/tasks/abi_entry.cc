#include "engine/tasks/abi_entry.h"

#include <algorithm>
#include <cstddef>
#include <memory>

#include "engine/base/error.h"
#include "engine/c_interface/abi_convert.h"
#include "engine/c_interface/abi_group.h"
#include "engine/c_interface/build_stamp.h"

namespace engine {
namespace {

// Sizes at the first revision. The structs of every plug-in are at least as large.
constexpr std::size_t kPluginBytes = offsetof(envpool_plugin, needs_exact) + sizeof(std::uint64_t);
constexpr std::size_t kTaskBytes = offsetof(envpool_task, load) + sizeof(&envpool_init);

[[noreturn]] void Refuse(const envpool_task& task, const std::string& what) {
  throw Error(ErrorKind::kPlugin,
              (task.id == nullptr ? "a task without an id" : std::string(task.id)) + ": " + what);
}

void CheckTable(const envpool_task& task) {
  if (task.size < kTaskBytes) {
    Refuse(task, "expected at least " + std::to_string(kTaskBytes) +
                     " bytes of envpool_task, got " + std::to_string(task.size));
  }
  if (task.id == nullptr) Refuse(task, "expected an id");
  const auto needs = [&](bool has, const char* function) {
    if (!has) Refuse(task, std::string("expected the function ") + function + ", got null");
  };
  needs(task.describe != nullptr, "describe");
  needs(task.make != nullptr, "make");
  needs(task.destroy != nullptr, "destroy");
  needs(task.construct != nullptr, "construct");
  needs(task.reset != nullptr, "reset");
  needs(task.step != nullptr, "step");
  needs(task.observe != nullptr, "observe");
  if ((task.save == nullptr) != (task.load == nullptr)) {
    Refuse(task, "expected both of save and load, or neither");
  }
  if ((task.traits & ENVPOOL_CONTINUES_GAMES) != 0 && (task.traits & ENVPOOL_RECEIVES_SEED) == 0) {
    Refuse(task, "expected ENVPOOL_RECEIVES_SEED with ENVPOOL_CONTINUES_GAMES");
  }
}

// Checks the requirements of the pool, as CheckMembers() does for a class.
void CheckSpec(const envpool_task& task, const EnvSpec& spec) {
  const auto has = [&](std::uint64_t trait) { return (task.traits & trait) != 0; };
  if (spec.picture_bytes() != 0 && task.draw == nullptr) {
    Refuse(task, "expected the function draw for a spec with pictures, got null");
  }
  if (!has(ENVPOOL_STEPS_LEAVES) && !spec.action.is_leaf()) {
    Refuse(task, "expected ENVPOOL_STEPS_LEAVES for an action space with children");
  }
  const auto is_float32_box = [](const SpaceSpec* space) {
    return space->kind == SpaceKind::kBox && space->dtype == DType::kFloat32;
  };
  if (has(ENVPOOL_STEPS_FLOAT64) && !is_float32_box(&spec.action)) {
    Refuse(task, "expected an action space that is a float32 box for ENVPOOL_STEPS_FLOAT64");
  }
  if (has(ENVPOOL_KEEPS_FLOAT64) &&
      (!has(ENVPOOL_STEPS_LEAVES) || std::ranges::none_of(spec.action.Leaves(), is_float32_box))) {
    Refuse(task,
           "expected ENVPOOL_STEPS_LEAVES and a leaf that is a float32 box for "
           "ENVPOOL_KEEPS_FLOAT64");
  }
}

}  // namespace

std::string AbiMismatchOf(const envpool_plugin& plugin) {
  const auto version = [](std::uint32_t abi, std::uint32_t revision) {
    return "version " + std::to_string(abi) + "." + std::to_string(revision);
  };
  if (plugin.abi != ENVPOOL_ABI || plugin.revision > ENVPOOL_ABI_REVISION) {
    const char* const release = plugin.release == nullptr ? "?" : plugin.release;
    return "built for envpool_py " + std::string(release) + ", which has " +
           version(plugin.abi, plugin.revision) + " of the interface of plug-ins; envpool_py " +
           ENVPOOL_VERSION + " with " + version(ENVPOOL_ABI, ENVPOOL_ABI_REVISION) +
           " is installed: build it again";
  }
  if (plugin.size < kPluginBytes) {
    return "expected at least " + std::to_string(kPluginBytes) + " bytes of envpool_plugin, got " +
           std::to_string(plugin.size);
  }
  return "";
}

TaskEntry EntryOfAbiTask(const envpool_task& task) {
  CheckTable(task);
  TaskEntry entry;
  entry.id = task.id;
  entry.max_episode_steps = task.max_episode_steps;
  if (task.has_reward_threshold != 0) entry.reward_threshold = task.reward_threshold;
  entry.options = ParamSchemaOf(task.options, task.num_options);
  entry.reset_options = ParamSchemaOf(task.reset_options, task.num_reset_options);
  const envpool_task* const table = &task;
  entry.spec = [table](const ParamValues& options) {
    EnvSpec spec = DescribeAbiTask(*table, options);
    CheckSpec(*table, spec);
    return spec;
  };
  entry.make_group = [table](const ParamValues& options,
                             const GroupConfig& config) -> std::unique_ptr<EnvGroup> {
    const EnvSpec spec = DescribeAbiTask(*table, options);
    CheckSpec(*table, spec);
    return std::make_unique<AbiGroup>(*table, spec, options, config);
  };
  return entry;
}

}  // namespace engine
