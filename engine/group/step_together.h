// Steps the environments of an EnvGroupOf whose class has StepMany, many in one call. An
// environment that StepMany does not step, or that is reset, takes the path of a single
// environment. One thread.
#ifndef ENGINE_GROUP_STEP_TOGETHER_H_
#define ENGINE_GROUP_STEP_TOGETHER_H_

#include <algorithm>
#include <cstdint>
#include <exception>

#include "engine/control/episode_control.h"
#include "engine/env/environment.h"
#include "engine/env/step_range.h"
#include "engine/group/batch_view.h"
#include "engine/group/env_group.h"
#include "engine/group/stoppable_loop.h"

namespace engine {

// The environments of one call of StepMany. The index of a result is the number of environments
// that were added before.
class TogetherResults {
 public:
  // At most kMostTogether environments are added. Has no branch, because processors predict the end
  // of an episode badly.
  void AddIf(bool adds, std::uint32_t env) {
    ids_[count_] = env;
    count_ += adds ? 1U : 0U;
  }

  // `slots`: of the whole group.
  template <class E, class Slot>
  void Step(Slot* slots, Rng* rngs, const ActionSlots& actions) noexcept {
    if (count_ < LeastTogether<E>()) {
      LeaveAll();
      return;
    }
    try {
      E::StepMany(StepRange<E>({ids_, 0, count_, rewards_, ends_}, &slots->env, sizeof(Slot), rngs,
                               actions));
    } catch (...) {
      thrown_ = std::current_exception();
      LeaveAll();
    }
  }

  // Whether StepMany has stepped the environment that was added as number `index`. If StepMany
  // threw, throws that for every environment, because it is unknown which of them were stepped.
  bool Has(std::uint32_t index) const {
    if (ends_[index] != EndBits::kNotStepped) [[likely]]
      return true;
    if (thrown_ != nullptr) std::rethrow_exception(thrown_);
    return false;
  }
  // Its result.
  double reward(std::uint32_t index) const { return rewards_[index]; }
  std::uint8_t ends(std::uint32_t index) const { return ends_[index]; }
  StepResult result(std::uint32_t index) const { return ResultOf(rewards_[index], ends_[index]); }

 private:
  void LeaveAll() { std::fill_n(ends_, count_, EndBits::kNotStepped); }

  // Not initialized: only elements that were added are read. AddIf() writes an element even if it
  // does not add it.
  std::uint32_t ids_[kMostTogether + 1];
  double rewards_[kMostTogether];
  std::uint8_t ends_[kMostTogether];
  std::uint32_t count_ = 0;
  std::exception_ptr thrown_;
};

// One call of StepRows or StepWithoutRows of `Group`, an EnvGroupOf.
template <class Group>
class StepTogether {
 public:
  StepTogether(Group& group, const ActionSlots& actions, const StopCondition& stop,
               StepCounts& counts)
      : group_(group), actions_(actions), stop_(stop), counts_(counts) {}

  // StepRows. Most steps end no episode: their columns are written for a whole chunk, and the few
  // other rows are then overwritten.
  std::uint32_t Rows(const EnvRange& range, const BatchView& view) {
    return InChunks(range.begin, range.end, Group::kRowsEvery, stop_,
                    [&](std::uint32_t begin, std::uint32_t n) {
                      StepChunk(range, begin, n, view);
                      return false;
                    });
  }

  // StepWithoutRows.
  std::uint32_t WithoutRows(const std::uint32_t* ids, std::uint32_t n,
                            const std::uint8_t* reset_flags, const BatchView& pending_final_frame,
                            Outcome* outcomes) {
    const auto resets = [&](std::uint32_t env) { return reset_flags[env] != 0; };
    const auto step_chunk = [&](std::uint32_t begin, std::uint32_t count) {
      TogetherResults results;
      std::uint32_t index = 0;
      CallStepMany(results, {.ids = ids, .begin = begin, .end = begin + count}, resets);
      StoppableLoop<kMostTogether>(
          begin, begin + count, NeverStop{},
          [&](std::uint32_t k) {
            const std::uint32_t env = ids[k];
            auto& slot = group_.slots_[env];
            if (resets(env) || slot.progress.reset_due || !results.Has(index++)) [[unlikely]] {
              group_.StepWithoutRows(ids + k, 1, reset_flags, actions_, pending_final_frame,
                                     outcomes + k, StopCondition::Never(), counts_);
              return;
            }
            outcomes[k] = Outcome{};
            group_.EndStep(env, slot, results.result(index - 1), pending_final_frame, 0,
                           outcomes[k], counts_);
          },
          [&](std::uint32_t k, const char* what) {
            group_.control_.Failed(ids[k], what, counts_);
            outcomes[k] = Outcome{.failed = true};
          });
      return false;
    };
    return InChunks(0, n, Group::kUnplacedEvery, stop_, step_chunk);
  }

 private:
  // Calls StepMany for the environments of the range of which no reset is due or asked for by
  // resets(env).
  template <class Resets>
  [[gnu::always_inline]] void CallStepMany(TogetherResults& results, const EnvRange& range,
                                           const Resets& resets) {
    for (std::uint32_t k = range.begin; k < range.end; ++k) {
      const std::uint32_t env = range.Env(k);
      results.AddIf(!resets(env) && !group_.slots_[env].progress.reset_due, env);
    }
    results.template Step<typename Group::Env>(&group_.slots_[0], group_.rngs_.data(), actions_);
  }

  void StepChunk(const EnvRange& range, std::uint32_t begin, std::uint32_t n,
                 const BatchView& view) {
    TogetherResults results;
    CallStepMany(results, {.ids = range.ids, .begin = begin, .end = begin + n},
                 [](std::uint32_t) { return false; });
    // Local copies, as in StepRows.
    const BatchView out = view;
    const EnvRange envs = range;
    Group& group = group_;
    StepCounts local;
    EpisodeControl::WriteContinuing(
        n, [&](std::uint32_t k) { return envs.Env(begin + k); }, envs.first_row + begin, out);
    std::uint32_t next = 0;
    StoppableLoop<kMostTogether>(
        begin, begin + n, NeverStop{},
        [&](std::uint32_t k) {
          const std::uint32_t env = envs.Env(k);
          const std::uint32_t row = envs.first_row + k;
          auto& slot = group.slots_[env];
          const std::uint32_t index = next;
          if (!slot.progress.reset_due) [[likely]] {
            ++next;
            const double reward = results.reward(index);
            if (results.ends(index) == 0 &&
                group.control_.CountIfContinues(env, slot.progress,
                                                group.ScoreOf(slot.env, {.reward = reward}), local))
                [[likely]] {
              out.reward[row] = reward;
              group.WriteFrame(env, slot, row, false, out.frame);
              return;
            }
          }
          WriteOtherRow(results, index, envs, k, view);
        },
        [&](std::uint32_t k, const char* what) {
          group.Fail(envs.Env(k), envs.first_row + k, what, out, local);
        });
    counts_.Add(local);
  }

  // Writes the row of an environment that is reset, that StepMany has not stepped, or whose step
  // ends an episode. Not inlined, because the loop would keep its variables in memory for this.
  [[gnu::noinline]] void WriteOtherRow(const TogetherResults& results, std::uint32_t index,
                                       const EnvRange& envs, std::uint32_t k,
                                       const BatchView& out) {
    const std::uint32_t env = envs.Env(k);
    const std::uint32_t row = envs.first_row + k;
    auto& slot = group_.slots_[env];
    if (slot.progress.reset_due || !results.Has(index)) {
      group_.StepRows({envs.ids, k, k + 1, envs.first_row}, actions_, out, StopCondition::Never(),
                      counts_);
      return;
    }
    Outcome outcome;
    group_.EndStep(env, slot, results.result(index), out, row, outcome, counts_);
    group_.WriteRow(env, row, outcome, out);
  }

  Group& group_;
  const ActionSlots& actions_;
  const StopCondition& stop_;
  StepCounts& counts_;
};

}  // namespace engine

#endif  // ENGINE_GROUP_STEP_TOGETHER_H_
