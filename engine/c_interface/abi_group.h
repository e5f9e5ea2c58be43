// The EnvGroup of a plug-in that uses the C interface (plugin_abi.h). This is the core's side: it
// applies the rules of an episode, owns the generators, and calls the plug-in to step and observe
// several environments at a time. AbiClass is the plug-in's side for a C++ class.
//
// Threads: as for EnvGroup.
#ifndef ENGINE_C_INTERFACE_ABI_GROUP_H_
#define ENGINE_C_INTERFACE_ABI_GROUP_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/c_interface/plugin_abi.h"
#include "engine/env/params.h"
#include "engine/env/spec.h"
#include "engine/group/env_group.h"

namespace engine {

// Returns the task's spec for these options. Throws the error that the plug-in reports.
EnvSpec DescribeAbiTask(const envpool_task& task, const ParamValues& options);

class AbiGroup final : public EnvGroup {
 public:
  // `task` must outlive the group. Throws the error that the plug-in reports.
  AbiGroup(const envpool_task& task, const EnvSpec& spec, const ParamValues& options,
           const GroupConfig& config);
  ~AbiGroup() override = default;

  // --- EnvGroup
  void Construct(std::uint32_t begin, std::uint32_t end) override;
  std::shared_ptr<EnvSetting> OwnSetting() const override;
  const std::vector<AttributeSpec>& Attributes(const EnvSetting* setting) const override;
  void SetAttribute(std::uint32_t env, std::size_t index, std::span<const double> value) override;
  std::unique_ptr<ResetStart> ParseStart(const ParamValues& reset_options) const override;
  std::uint32_t StepRows(const EnvRange& range, ActionSlots actions, const BatchView& out,
                         const StopCondition& stop, StepCounts& counts) override;
  std::uint32_t ResetRows(const EnvRange& range, const ResetPlan& plan, const BatchView& out,
                          const StopCondition& stop, StepCounts& counts) override;
  std::uint32_t RenderRows(const EnvRange& range, std::uint8_t* pictures, const StopCondition& stop,
                           StepCounts& counts) override;
  std::string SaveState(std::uint32_t env) const override;
  void MakeResetDue(std::uint32_t env) override { progress_[env].reset_due = true; }
  std::uint32_t StepWithoutRows(const std::uint32_t* ids, std::uint32_t n,
                                const std::uint8_t* reset_flags, ActionSlots actions,
                                const BatchView& pending_final_frame, Outcome* outcomes,
                                const StopCondition& stop, StepCounts& counts) override;
  void WriteRows(const std::uint32_t* ids, std::uint32_t n, const std::uint32_t* rows,
                 std::uint32_t first_row, const Outcome* outcomes,
                 const BatchView& pending_final_frame, const BatchView& out,
                 StepCounts& counts) override;

 private:
  friend class AbiRun;

  bool has(std::uint64_t trait) const { return (task_.traits & trait) != 0; }
  // Returns the flags of an environment's reset (ENVPOOL_REMAKE, ...). With ENVPOOL_SEED, moves the
  // environment's pending seed to `seed`.
  std::uint8_t PlanReset(std::uint32_t env, bool may_continue, std::uint64_t& seed);
  void LoadState(std::uint32_t env, const std::string& bytes);

  // A group of the plug-in, which has the options that it was made with.
  struct PluginGroup;
  // Takes over the setting that was set since the latest reset. Returns whether there was one: the
  // environment must then be made again.
  bool TakeOverSetting(std::uint32_t env);
  // Makes the plug-in change the value.
  void PassAttribute(std::uint32_t env, std::size_t index, std::span<const double> value);

  const envpool_task& task_;
  const std::shared_ptr<PluginGroup> own_setting_;
  void* const group_;                      // of own_setting_
  std::vector<EpisodeProgress> progress_;  // per environment; written by the thread that holds it
};

}  // namespace engine

#endif  // ENGINE_C_INTERFACE_ABI_GROUP_H_
