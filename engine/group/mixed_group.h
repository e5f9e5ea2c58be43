// A group of environments of several tasks, each of which is in a group of its own. Each of these
// groups has room for all environments of the pool and makes only its own, so that an environment
// has one number everywhere. The environments of a call are passed on in runs of the same task.
//
// Infos are those of all tasks, and "task": the index of the environment's task. An environment
// sets the infos of its own task only.
//
// Threads: as EnvGroup.
#ifndef ENGINE_GROUP_MIXED_GROUP_H_
#define ENGINE_GROUP_MIXED_GROUP_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/group/env_group.h"

namespace engine {

// The info that has the index of an environment's task, int32.
inline constexpr char kTaskInfo[] = "task";

// One task of a mixed group: the environments from the end of the previous task's on.
struct TaskShare {
  std::unique_ptr<EnvGroup> group;  // its config has the number of all environments
  std::uint32_t num_envs = 0;
};

// Why the environments of two groups cannot be in one pool; "" if they can.
std::string WhyNotMixed(const EnvGroup& one, const EnvGroup& other);

class MixedGroup final : public EnvGroup {
 public:
  // Requires: at least one task; WhyNotMixed() is empty for each two.
  explicit MixedGroup(std::vector<TaskShare> tasks);

  // --- EnvGroup
  std::unique_ptr<ResetStart> ParseStarts(const std::vector<ParamValues>& of_tasks) const override;
  void CheckState(std::uint32_t env, std::string_view state,
                  const std::string& where) const override;
  // Those that all tasks have in one form, with the values of the first task. `setting` is null.
  const std::vector<AttributeSpec>& Attributes(const EnvSetting* setting) const override;
  std::vector<double> GetAttribute(std::uint32_t env, std::size_t index) const override;
  void SetAttribute(std::uint32_t env, std::size_t index, std::span<const double> value) override;
  void Seed(std::uint32_t env, std::uint64_t seed) override;
  void MakeResetDue(std::uint32_t env) override {
    tasks_[task_of_env_[env]].group->MakeResetDue(env);
  }
  void Discard(std::uint32_t env) override { tasks_[task_of_env_[env]].group->Discard(env); }
  void SeedFromEntropy(std::uint64_t high, std::uint64_t low) override;
  void Construct(std::uint32_t begin, std::uint32_t end) override;
  std::string SaveState(std::uint32_t env) const override;
  std::uint32_t StepRows(const EnvRange& range, ActionSlots actions, const BatchView& out,
                         const StopCondition& stop, StepCounts& counts) override;
  std::uint32_t ResetRows(const EnvRange& range, const ResetPlan& plan, const BatchView& out,
                          const StopCondition& stop, StepCounts& counts) override;
  std::uint32_t RenderRows(const EnvRange& range, std::uint8_t* pictures, const StopCondition& stop,
                           StepCounts& counts) override;
  std::uint32_t StepWithoutRows(const std::uint32_t* ids, std::uint32_t n,
                                const std::uint8_t* reset_flags, ActionSlots actions,
                                const BatchView& pending_final_frame, Outcome* outcomes,
                                const StopCondition& stop, StepCounts& counts) override;
  void WriteRows(const std::uint32_t* ids, std::uint32_t n, const std::uint32_t* rows,
                 std::uint32_t first_row, const Outcome* outcomes,
                 const BatchView& pending_final_frame, const BatchView& out,
                 StepCounts& counts) override;

 private:
  struct Task {
    std::unique_ptr<EnvGroup> group;
    std::uint32_t end = 0;  // of its environments
    // By info of the task: its index among those of all tasks. Empty if the indices are equal.
    std::vector<std::uint32_t> infos = {};
    std::vector<std::uint32_t> other_infos = {};  // those of other tasks
    std::vector<std::size_t> attributes = {};  // by attribute of all tasks: its index in this one
  };
  class TaskColumns;
  // The options of one reset, for each task.
  struct Starts final : ResetStart {
    std::vector<std::unique_ptr<ResetStart>> of_task;
  };

  static std::vector<Task> TasksOf(std::vector<TaskShare> shares, const EnvSpec& spec);
  // Calls body(task, begin, end) for runs of items [begin, end) of the same task. `body` returns
  // the number of items that it has completed. The loop ends when that is not all of them, or when
  // stops(k) for the next item k. Returns the number of all completed items.
  template <class Stops, class Body>
  std::uint32_t ForRuns(const EnvRange& range, const Stops& stops, const Body& body);
  // Finds the attributes that all tasks have.
  void CollectAttributes();
  // Takes over what the task's group has recorded of an environment that was stepped or reset.
  void TakeStatus(const Task& task, std::uint32_t env);
  // Sets the infos of row `row` that the task's group does not know. `set`: whether the row has
  // infos.
  void CompleteInfos(const Task& task, std::uint32_t env, const FrameColumns& frame,
                     std::uint32_t row, bool set) const;

  std::vector<Task> tasks_;
  const std::uint32_t task_info_;  // index of the info "task"
  std::vector<std::uint32_t> task_of_env_;
  std::vector<AttributeSpec> attributes_;
};

}  // namespace engine

#endif  // ENGINE_GROUP_MIXED_GROUP_H_
