#include "engine/env/abi_run.h"

#include <algorithm>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "engine/env/abi_convert.h"

namespace engine {
namespace {

const envpool_column* AbiColumns(const Column* columns) {
  return reinterpret_cast<const envpool_column*>(columns);
}

StepResult ResultOf(double reward, std::uint8_t ends) {
  return {.reward = reward,
          .terminated = (ends & ENVPOOL_TERMINATED) != 0,
          .game_continues = (ends & ENVPOOL_GAME_CONTINUES) != 0,
          .truncated = (ends & ENVPOOL_TRUNCATED) != 0,
          .report_as_terminated = (ends & ENVPOOL_REPORT_TERMINATED) != 0,
          .zero_discount = (ends & ENVPOOL_ZERO_DISCOUNT) != 0};
}

}  // namespace

// Some of the items: all of them without a list, or a list of them.
class AbiRun::Subset {
 public:
  enum Initially : bool { kNone, kAll };
  // With kNone, Add() adds items of `all`.
  explicit Subset(const envpool_items& all, Initially which = kNone)
      : all_(all), listed_(which == kNone), count_(which == kNone ? 0 : all.count) {}

  void Add(std::uint32_t place) {
    places_[count_] = static_cast<std::uint8_t>(place);
    ids_[count_++] = envpool_env(&all_, place);
  }
  std::uint32_t size() const { return count_; }
  // The item among all items, and its environment.
  std::uint32_t place(std::uint32_t k) const { return listed_ ? places_[k] : k; }
  std::uint32_t env(std::uint32_t k) const { return listed_ ? ids_[k] : envpool_env(&all_, k); }
  envpool_items items() const {
    return listed_ ? envpool_items{.ids = ids_.data(), .first = 0, .count = count_} : all_;
  }

 private:
  const envpool_items all_;
  const bool listed_;
  std::uint32_t count_;
  // Not initialized: only what Add() has written is read.
  std::array<std::uint32_t, kMost> ids_;
  std::array<std::uint8_t, kMost> places_;
  static_assert(kMost <= 256);
};

AbiRun::AbiRun(AbiGroup& group, const ActionSlots& actions, StepCounts& counts)
    : group_(group),
      counts_(counts),
      scored_(group.has(ENVPOOL_HAS_SCORE) && group.control_.records_episodes()),
      has_infos_(!group.spec_.infos.empty()),
      errors_{.context = this, .report = &Report},
      step_{.size = sizeof(envpool_step),
            .items = {},
            .rngs = reinterpret_cast<envpool_rng*>(group.rngs_.data()),
            .actions = reinterpret_cast<const unsigned char*>(actions.base),
            .action_bytes = actions.bytes,
            .float64_actions = reinterpret_cast<const unsigned char*>(actions.float64_base),
            .is_float64 = actions.is_float64,
            .leaves = reinterpret_cast<const envpool_action_leaf*>(actions.columns.leaves),
            .num_leaves = actions.columns.count,
            .rewards = rewards_.data(),
            .ends = ends_.data(),
            .scores = scored_ ? scores_.data() : nullptr,
            .errors = &errors_},
      observe_{.size = sizeof(envpool_observe),
               .items = {},
               .rows = nullptr,
               .first_row = 0,
               .reserved = 0,
               .observation = nullptr,
               .infos = nullptr,
               .info_masks = nullptr,
               .after_reset = after_reset_.data(),
               .errors = &errors_} {}

void AbiRun::Fail(std::uint32_t k, const char* what) noexcept {
  if (k >= called_->size()) return;
  Outcome& outcome = outcomes_[called_->place(k)];
  if (!outcome.failed) group_.control_.Failed(called_->env(k), what, counts_);
  outcome = Outcome{.failed = true};
}

void AbiRun::Report(void* context, std::uint32_t item, std::uint32_t /*kind*/,
                    envpool_text message) noexcept {
  auto& run = *static_cast<AbiRun*>(context);
  try {
    run.Fail(item, TextOf(message).c_str());
  } catch (const std::bad_alloc&) {
    run.Fail(item, "out of memory");
  }
}

void AbiRun::Advance(const std::uint8_t* reset_flags, const FinalRows& final_rows) {
  const std::vector<EpisodeProgress>& progress = group_.progress_;
  const auto asked = [&](std::uint32_t env) {
    return reset_flags != nullptr && reset_flags[env] != 0;
  };
  bool any = false;
  for (std::uint32_t k = 0; k < items_.count; ++k) {
    const std::uint32_t env = envpool_env(&items_, k);
    any = any || progress[env].reset_due || asked(env);
  }
  if (!any) {
    StepItems(Subset(items_, Subset::kAll), final_rows);
    return;
  }
  Subset steps(items_);
  Subset due(items_);
  Subset by_user(items_);
  for (std::uint32_t k = 0; k < items_.count; ++k) {
    const std::uint32_t env = envpool_env(&items_, k);
    (asked(env) ? by_user : progress[env].reset_due ? due : steps).Add(k);
  }
  StepItems(steps, final_rows);
  ResetItems(due, nullptr, false, true);
  ResetItems(by_user, nullptr, true, true);
}

void AbiRun::StepItems(const Subset& items, const FinalRows& final_rows) {
  if (items.size() == 0) return;
  called_ = &items;
  step_.items = items.items();
  group_.task_.step(group_.group_, &step_);
  Subset ended(items_);
  EpisodeControl& control = group_.control_;
  for (std::uint32_t k = 0; k < items.size(); ++k) {
    Outcome& outcome = outcomes_[items.place(k)];
    if (outcome.failed) [[unlikely]]
      continue;
    const std::uint32_t env = items.env(k);
    const AfterStep next =
        control.Stepped(env, group_.progress_[env], ResultOf(rewards_[k], ends_[k]),
                        scored_ ? scores_[k] : rewards_[k], outcome, counts_);
    if (next == AfterStep::kRestart) [[unlikely]]
      ended.Add(items.place(k));
  }
  if (ended.size() != 0) [[unlikely]]
    FinishEpisodes(ended, final_rows);
}

void AbiRun::FinishEpisodes(const Subset& ended, const FinalRows& final_rows) {
  std::array<std::uint32_t, kMost> rows;
  for (std::uint32_t k = 0; k < ended.size(); ++k) {
    rows[k] = final_rows.first_row + ended.place(k);
  }
  WriteFrames(ended, rows.data(), 0, final_rows.frame, true);
  Subset resets(items_);
  for (std::uint32_t k = 0; k < ended.size(); ++k) {
    if (!outcomes_[ended.place(k)].failed) resets.Add(ended.place(k));
  }
  ResetItems(resets, nullptr, false, true);
}

void AbiRun::Reset(const ResetPlan& plan, const void* start, std::uint32_t first_item) {
  const Subset all(items_, Subset::kAll);
  Subset resets(items_);
  for (std::uint32_t i = 0; i < items_.count; ++i) {
    const std::uint32_t env = all.env(i);
    const std::uint32_t k = first_item + i;
    if (plan.states != nullptr) {
      called_ = &all;
      try {
        group_.LoadState(env, plan.states[k]);
        // As in the row that was written when the state was saved.
        outcomes_[i].after_reset = group_.progress_[env].elapsed_step() == 0;
      } catch (const std::exception& error) {
        Fail(i, error.what());
      }
    } else if (plan.mask == nullptr || plan.mask[k] != 0) {
      if (plan.seed_by_env) group_.Seed(env, plan.first_seed + env);
      if (plan.seeds != nullptr && plan.has_seed[k] != 0) group_.Seed(env, plan.seeds[k]);
      resets.Add(i);
    }
  }
  ResetItems(resets, start, true, plan.start == nullptr);
}

void AbiRun::ResetItems(const Subset& items, const void* start, bool by_user, bool default_start) {
  if (items.size() == 0) return;
  EpisodeControl& control = group_.control_;
  std::array<std::uint8_t, kMost> flags;
  std::array<std::uint64_t, kMost> seeds;
  std::array<std::uint8_t, kMost> results;
  for (std::uint32_t k = 0; k < items.size(); ++k) {
    const std::uint32_t env = items.env(k);
    outcomes_[items.place(k)].after_reset = true;
    // A reset by the user follows the end of an episode only if autoreset is disabled.
    const bool after_end = !by_user || (control.status(env) & EnvStatus::kEpisodeOver) != 0;
    seeds[k] = 0;
    flags[k] = group_.PlanReset(env, default_start && after_end, seeds[k]);
    results[k] = ENVPOOL_WAS_RESET;
  }
  called_ = &items;
  const envpool_reset call{.size = sizeof(envpool_reset),
                           .items = items.items(),
                           .rngs = step_.rngs,
                           .start = start,
                           .flags = flags.data(),
                           .seeds = seeds.data(),
                           .results = results.data(),
                           .errors = &errors_};
  group_.task_.reset(group_.group_, &call);
  for (std::uint32_t k = 0; k < items.size(); ++k) {
    const std::uint32_t env = items.env(k);
    EpisodeProgress& progress = group_.progress_[env];
    Outcome& outcome = outcomes_[items.place(k)];
    const bool continues = (flags[k] & ENVPOOL_CONTINUE) != 0;
    if (continues && results[k] == ENVPOOL_GAME_ENDED) {
      Outcome unused;
      control.GameEnded(env, progress, outcome.failed ? unused : outcome, counts_);
    }
    if (outcome.failed) continue;
    if (continues && results[k] == ENVPOOL_CONTINUED) {
      control.Continued(env, progress, counts_);
    } else {
      control.Restarted(env, progress, counts_);
    }
  }
}

void AbiRun::WriteFrames(const Subset& items, const std::uint32_t* rows, std::uint32_t first_row,
                         const FrameColumns& frame, bool final) {
  if (items.size() == 0) return;
  observe_.items = items.items();
  observe_.rows = rows;
  observe_.first_row = first_row;
  observe_.observation = AbiColumns(frame.obs);
  observe_.infos = AbiColumns(frame.info);
  observe_.info_masks = AbiColumns(frame.info_mask);
  const bool every_info = group_.has(ENVPOOL_SETS_EVERY_INFO);
  for (std::uint32_t k = 0; k < items.size(); ++k) {
    after_reset_[k] = !final && outcomes_[items.place(k)].after_reset ? 1 : 0;
    if (!has_infos_) continue;
    if (every_info) {
      group_.UnmarkInfos(frame, envpool_row(&observe_, k));
    } else {
      group_.ClearInfos(frame, envpool_row(&observe_, k));
    }
  }
  called_ = &items;
  group_.task_.observe(group_.group_, &observe_);
  std::int32_t* const elapsed_step = frame.elapsed_step;
  for (std::uint32_t k = 0; k < items.size(); ++k) {
    elapsed_step[envpool_row(&observe_, k)] = group_.progress_[items.env(k)].elapsed_step();
  }
  if (every_info && has_infos_) CheckInfos(items, observe_, frame);
}

void AbiRun::CheckInfos(const Subset& items, const envpool_observe& call,
                        const FrameColumns& frame) {
  for (std::uint32_t k = 0; k < items.size(); ++k) {
    if (outcomes_[items.place(k)].failed) continue;
    try {
      group_.CheckEveryInfoIsSet(frame, envpool_row(&call, k));
    } catch (const std::exception& error) {
      Fail(k, error.what());
    }
  }
}

void AbiRun::Place(const std::uint32_t* rows, std::uint32_t first_row, const BatchView& out) {
  const auto row_of = [&](std::uint32_t k) { return rows == nullptr ? first_row + k : rows[k]; };
  bool any_failed = false;
  for (std::uint32_t k = 0; k < items_.count; ++k) any_failed = any_failed || outcomes_[k].failed;
  if (!any_failed) [[likely]] {
    WriteFrames(Subset(items_, Subset::kAll), rows, first_row, out.frame, false);
  } else {
    Subset alive(items_);
    std::array<std::uint32_t, kMost> alive_rows;
    for (std::uint32_t k = 0; k < items_.count; ++k) {
      if (outcomes_[k].failed) continue;
      alive_rows[alive.size()] = row_of(k);
      alive.Add(k);
    }
    WriteFrames(alive, alive_rows.data(), 0, out.frame, false);
  }
  for (std::uint32_t k = 0; k < items_.count; ++k) {
    const std::uint32_t env = envpool_env(&items_, k);
    if (outcomes_[k].failed) [[unlikely]] {
      group_.WriteFailedRow(env, group_.progress_[env], row_of(k), out);
    } else {
      group_.control_.WriteOutcome(env, row_of(k), outcomes_[k], out);
    }
  }
}

void AbiRun::Draw(unsigned char* pictures) {
  const Subset all(items_, Subset::kAll);
  called_ = &all;
  const std::size_t bytes = group_.spec_.picture_bytes();
  const envpool_draw call{.size = sizeof(envpool_draw),
                          .items = items_,
                          .pictures = pictures,
                          .picture_bytes = bytes,
                          .errors = &errors_};
  group_.task_.draw(group_.group_, &call);
  for (std::uint32_t k = 0; k < items_.count; ++k) {
    if (outcomes_[k].failed) std::fill_n(pictures + k * bytes, bytes, std::uint8_t{0});
  }
}

}  // namespace engine
