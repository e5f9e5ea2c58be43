// A group that checks what the environments of another group write (`make(...,
// check_outputs=True)`):
// - every element of the observation, and of each info that is set, is written, in its own dtype
//   and within its bounds;
// - rewards are finite;
// - pictures are complete.
// An environment that writes a wrong row fails, with a message that begins with kCheckPrefix.
//
// The other group, `inner`, writes each row twice, into two buffers that are filled with different
// byte patterns and have guard bytes around them. A byte that has its pattern in both buffers was
// not written. Any EnvGroup can be the inner group, so the checks cost nothing in pools without
// them, and they work with environments that were compiled without them.
//
// Threads: as EnvGroup.
#ifndef ENGINE_CHECKS_CHECKED_GROUP_H_
#define ENGINE_CHECKS_CHECKED_GROUP_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/checks/checked_row.h"
#include "engine/checks/row_checks.h"
#include "engine/group/env_group.h"

namespace engine {

// How messages about mistakes begin.
inline constexpr char kCheckPrefix[] = "check: ";

class CheckedGroup final : public EnvGroup {
 public:
  explicit CheckedGroup(std::unique_ptr<EnvGroup> inner);

  // --- EnvGroup
  void SeedFromEntropy(std::uint64_t high, std::uint64_t low) override {
    inner_->SeedFromEntropy(high, low);
  }
  void Construct(std::uint32_t begin, std::uint32_t end) override { inner_->Construct(begin, end); }
  std::shared_ptr<EnvSetting> OwnSetting() const override { return inner_->OwnSetting(); }
  EnvSettings& settings() override { return inner_->settings(); }
  void ShareSettings(std::shared_ptr<EnvSettings> settings) override {
    inner_->ShareSettings(std::move(settings));
  }
  const std::vector<AttributeSpec>& Attributes(const EnvSetting* setting) const override {
    return inner_->Attributes(setting);
  }
  std::vector<double> GetAttribute(std::uint32_t env, std::size_t index) const override {
    return inner_->GetAttribute(env, index);
  }
  void SetAttribute(std::uint32_t env, std::size_t index, std::span<const double> value) override {
    inner_->SetAttribute(env, index, value);
  }
  void MakeResetDue(std::uint32_t env) override { inner_->MakeResetDue(env); }
  void Discard(std::uint32_t env) override { inner_->Discard(env); }
  std::unique_ptr<ResetStart> ParseStart(const ParamValues& reset_options) const override {
    return inner_->ParseStart(reset_options);
  }
  std::uint32_t StepRows(const EnvRange& range, ActionSlots actions, const BatchView& out,
                         const StopCondition& stop, StepCounts& counts) override;
  std::uint32_t ResetRows(const EnvRange& range, const ResetPlan& plan, const BatchView& out,
                          const StopCondition& stop, StepCounts& counts) override;
  std::uint32_t RenderRows(const EnvRange& range, std::uint8_t* pictures, const StopCondition& stop,
                           StepCounts& counts) override;
  const PlayerTable* players() const override { return inner_->players(); }
  std::string SaveState(std::uint32_t env) const override { return inner_->SaveState(env); }
  std::uint32_t CallMethodRows(const EnvRange& range, const void* method, const StopCondition& stop,
                               StepCounts& counts) override {
    return inner_->CallMethodRows(range, method, stop, counts);
  }
  void TakeObjects(const std::uint32_t* ids, std::uint32_t n,
                   std::vector<RowObject>& objects) override {
    inner_->TakeObjects(ids, n, objects);
  }
  std::uint32_t StepWithoutRows(const std::uint32_t* ids, std::uint32_t n,
                                const std::uint8_t* reset_flags, ActionSlots actions,
                                const BatchView& pending_final_frame, Outcome* outcomes,
                                const StopCondition& stop, StepCounts& counts) override;
  void WriteRows(const std::uint32_t* ids, std::uint32_t n, const std::uint32_t* rows,
                 std::uint32_t first_row, const Outcome* outcomes,
                 const BatchView& pending_final_frame, const BatchView& out,
                 StepCounts& counts) override;

 private:
  using Row = CheckedRow;

  // Steps or resets one environment of the inner group. Returns a message if the environment
  // failed, or if the last frame of its episode has a mistake; otherwise "". That frame goes to row
  // `row` of `final_frame`.
  std::string Advance(std::uint32_t env, const std::uint8_t* reset_flags, ActionSlots actions,
                      const FrameColumns& final_frame, std::uint32_t row, Outcome& outcome,
                      StepCounts& counts);
  // Writes row `row` of an environment that has advanced.
  void WriteCheckedRow(std::uint32_t env, std::uint32_t row, const Outcome& outcome,
                       const BatchView& out, StepCounts& counts);
  // Makes the inner group write the environment's row into `to`, for the second time. Returns the
  // environment's message if it failed, otherwise "".
  std::string Write(std::uint32_t env, const Outcome& outcome, const BatchView& out, Row& to);
  // Passes a seed that was given since the latest call on to the inner group.
  void PassSeed(std::uint32_t env);
  // Takes over the environment's status from the inner group. Returns the environment's message if
  // it has failed, otherwise "".
  std::string CopyInnerStatus(std::uint32_t env);
  static std::string MistakeIn(const Row& first, const Row* second);
  std::string MistakeInRewards(std::uint32_t env, double reward) const;
  // Marks the environment as failed and writes its row as that of a failed environment.
  void FailRow(std::uint32_t env, const std::string& why, std::uint32_t row, const BatchView& out,
               StepCounts& counts);
  void WriteFailed(std::uint32_t env, std::uint32_t row, const BatchView& out);

  const std::unique_ptr<EnvGroup> inner_;
  const std::vector<ArrayDescription> leaves_;
  const std::vector<std::uint8_t> no_resets_;  // flags of StepWithoutRows: all environments step
};

}  // namespace engine

#endif  // ENGINE_CHECKS_CHECKED_GROUP_H_
