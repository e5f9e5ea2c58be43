// A pass over environments of an AbiGroup, by the thread that holds them. The pass takes up to
// kMost environments at a time through the phases: step, rules, observe, write. Their results stay
// in the first-level cache in between. It keeps the structs of the calls, of which little changes.
#ifndef ENGINE_ENV_ABI_RUN_H_
#define ENGINE_ENV_ABI_RUN_H_

#include <array>
#include <cstdint>

#include "engine/env/abi.h"
#include "engine/env/abi_group.h"

namespace engine {

class AbiRun {
 public:
  static constexpr std::uint32_t kMost = 64;

  AbiRun(AbiGroup& group, const ActionSlots& actions, StepCounts& counts);
  AbiRun(const AbiRun&) = delete;
  AbiRun& operator=(const AbiRun&) = delete;

  // Begins with these items. Their results are read from and written to `outcomes`.
  void Begin(const envpool_items& items, Outcome* outcomes) {
    items_ = items;
    outcomes_ = outcomes;
    any_failed_ = false;
  }
  // Steps the items, or resets those whose reset is due, and writes them into rows first_row + k.
  // Requires: `outcomes` are new objects.
  void StepInto(std::uint32_t first_row, const BatchView& out);
  // Steps the items, or resets those whose reset is due or whose reset_flags[env] is set. In
  // SameStep there is one item, and its last frame goes to row 0 of `final_frame`.
  // Requires: `outcomes` are new objects.
  void Advance(const std::uint8_t* reset_flags, const FrameColumns& final_frame);
  // Resets the items or loads their states, as items [first_item, ...) of the plan say.
  void Reset(const ResetPlan& plan, const void* start, std::uint32_t first_item);
  // Writes the rows of the items: row rows[k], or first_row + k if rows is null.
  void Place(const std::uint32_t* rows, std::uint32_t first_row, const BatchView& out);
  void Draw(unsigned char* pictures);

 private:
  class Subset;

  // Adds the items that no reset awaits.
  void ListSteps(const std::uint8_t* reset_flags, Subset& steps) const;
  // Has the plug-in step them.
  void CallStep(const Subset& steps);
  double ScoreOf(std::uint32_t k) const { return scored_ ? scores_[k] : rewards_[k]; }
  // The end of episodes in SameStep: writes their last frames, and resets.
  void FinishEpisodes(const Subset& ended, std::uint32_t first_row, const FrameColumns& frame);
  // Resets the items that are not in `steps`, and adds them to `done`.
  void ResetOthers(const Subset& steps, const std::uint8_t* reset_flags, Subset& done);
  // Only a reset with the default start may continue a game, and one by the user only after an end.
  void ResetItems(const Subset& items, const void* start, bool by_user, bool default_start);
  // Has the plug-in write observations and infos.
  void WriteFrames(const Subset& items, const std::uint32_t* rows, std::uint32_t first_row,
                   const FrameColumns& frame, bool final);
  void CheckInfos(const Subset& items, const FrameColumns& frame);
  // As above for all items; also writes the rows of the failed ones.
  void WriteAllFrames(const std::uint32_t* rows, std::uint32_t first_row, const BatchView& out);
  void WriteRow(std::uint32_t k, std::uint32_t row, const BatchView& out);

  // Item k of the call that is running has failed; only its first failure counts.
  void Fail(std::uint32_t k, const char* what) noexcept;
  static void Report(void* context, std::uint32_t item, std::uint32_t kind,
                     envpool_text message) noexcept;

  AbiGroup& group_;
  StepCounts& counts_;
  const bool scored_;
  const bool has_infos_;
  const bool checks_infos_;
  bool any_failed_ = false;  // of the items
  envpool_items items_{};
  Outcome* outcomes_ = nullptr;
  const Subset* called_ = nullptr;  // the items of the call that is running
  // Not initialized: of the items of one call only.
  std::array<double, kMost> rewards_;
  std::array<double, kMost> scores_;
  std::array<std::uint8_t, kMost> ends_;
  std::array<std::uint8_t, kMost> after_reset_;
  const envpool_errors errors_;
  envpool_step step_;
  envpool_observe observe_;
};

}  // namespace engine

#endif  // ENGINE_ENV_ABI_RUN_H_
