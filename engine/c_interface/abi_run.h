// Processes environments of an AbiGroup, at most kMax at a time, on the thread that holds them.
// Each phase processes all of them: step or reset, apply the rules of an episode, write the
// columns, observe. Because of the limit, their results stay in the L1 cache between the phases.
// The structs that are passed to the plug-in are members, because most of their fields are the same
// in every call.
#ifndef ENGINE_C_INTERFACE_ABI_RUN_H_
#define ENGINE_C_INTERFACE_ABI_RUN_H_

#include <array>
#include <cstdint>

#include "engine/c_interface/abi_group.h"
#include "engine/c_interface/plugin_abi.h"

namespace engine {

class AbiRun {
 public:
  static constexpr std::uint32_t kMax = 64;

  AbiRun(AbiGroup& group, const ActionSlots& actions, StepCounts& counts);
  AbiRun(const AbiRun&) = delete;
  AbiRun& operator=(const AbiRun&) = delete;

  // Sets the items of the calls below, which read and write the results of the items in `outcomes`.
  void Begin(const envpool_items& items, Outcome* outcomes) {
    items_ = items;
    outcomes_ = outcomes;
    any_failed_ = false;
  }
  // Steps the items, or resets items whose reset is due, and writes item k to row first_row + k.
  // Requires: `outcomes` are new objects.
  void StepInto(std::uint32_t first_row, const BatchView& out);
  // Steps the items, or resets items whose reset is due or whose reset_flags[env] is set. In
  // SameStep there must be one item; its final frame is written to row 0 of `final_frame`.
  // Requires: `outcomes` are new objects.
  void Advance(const std::uint8_t* reset_flags, const FrameColumns& final_frame);
  // Resets the items or loads their states. Item k is item first_item + k of the plan.
  void Reset(const ResetPlan& plan, const void* start, std::uint32_t first_item);
  // Writes the rows of the items: row rows[k], or first_row + k if rows is null.
  void WriteRows(const std::uint32_t* rows, std::uint32_t first_row, const BatchView& out);
  void Draw(unsigned char* pictures);

 private:
  class Subset;

  // Adds the items that are neither due for a reset nor flagged for one.
  void ListSteps(const std::uint8_t* reset_flags, Subset& steps) const;
  // Calls the plug-in to step the items.
  void CallStep(const Subset& steps);
  double ScoreOf(std::uint32_t k) const { return scored_ ? scores_[k] : rewards_[k]; }
  // Ends episodes in SameStep: writes the final frames and resets the environments.
  void FinishEpisodes(const Subset& ended, std::uint32_t first_row, const FrameColumns& frame);
  // Resets the items that are not in `steps`, and adds them to `done`.
  void ResetOthers(const Subset& steps, const std::uint8_t* reset_flags, Subset& done);
  // Only a reset with the default start may continue a game. A reset by the user may do so only
  // after the end of an episode.
  void ResetItems(const Subset& items, const void* start, bool by_user, bool default_start);
  // Calls the plug-in to write observations and infos.
  void WriteFrames(const Subset& items, const std::uint32_t* rows, std::uint32_t first_row,
                   const FrameColumns& frame, bool final);
  void CheckInfos(const Subset& items, const FrameColumns& frame);
  // Calls WriteFrames for all items. Also writes the rows of failed items.
  void WriteAllFrames(const std::uint32_t* rows, std::uint32_t first_row, const BatchView& out);
  void WriteRow(std::uint32_t k, std::uint32_t row, const BatchView& out);

  // Records that item k of the current call failed. Only the first failure of an item counts.
  void Fail(std::uint32_t k, const char* what) noexcept;
  static void Report(void* context, std::uint32_t item, std::uint32_t kind,
                     envpool_text message) noexcept;

  AbiGroup& group_;
  StepCounts& counts_;
  const bool scored_;
  const bool has_infos_;
  const bool checks_infos_;
  bool any_failed_ = false;  // whether any item has failed
  envpool_items items_{};
  Outcome* outcomes_ = nullptr;
  const Subset* called_ = nullptr;  // the items of the current call
  // Not initialized. Each call uses only the elements of its items.
  std::array<double, kMax> rewards_;
  std::array<double, kMax> scores_;
  std::array<std::uint8_t, kMax> ends_;
  std::array<std::uint8_t, kMax> after_reset_;
  const envpool_errors errors_;
  envpool_step step_;
  envpool_observe observe_;
};

}  // namespace engine

#endif  // ENGINE_C_INTERFACE_ABI_RUN_H_
