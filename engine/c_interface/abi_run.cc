#include "engine/c_interface/abi_run.h"

#include <algorithm>
#include <exception>
#include <new>

#include "engine/c_interface/abi_convert.h"
#include "engine/env/step_range.h"

namespace engine {
namespace {

const envpool_column* AbiColumns(const Column* columns) {
  return reinterpret_cast<const envpool_column*>(columns);
}

}  // namespace

// A subset of the items. If it has all items, their indices and ids are not stored.
class AbiRun::Subset {
 public:
  enum Initially : bool { kNone, kAll };
  explicit Subset(const envpool_items& all, Initially which = kNone)
      : all_(all), count_(which == kNone ? 0 : all.count) {}

  // Appends the item at index `item` among all items.
  void Add(std::uint32_t item) { AddIf(true, item, envpool_env(&all_, item)); }
  // Has no branch, because processors predict the end of an episode badly.
  void AddIf(bool adds, std::uint32_t item, std::uint32_t env) {
    indices_[count_] = static_cast<std::uint8_t>(item);
    ids_[count_] = env;
    count_ += adds ? 1U : 0U;
  }
  std::uint32_t size() const { return count_; }
  bool is_all() const { return count_ == all_.count; }
  // The index of element k among all items, and its environment.
  std::uint32_t IndexOf(std::uint32_t k) const { return is_all() ? k : indices_[k]; }
  std::uint32_t env(std::uint32_t k) const { return is_all() ? envpool_env(&all_, k) : ids_[k]; }
  envpool_items items() const {
    return is_all() ? all_ : envpool_items{.ids = ids_.data(), .first = 0, .count = count_};
  }

 private:
  const envpool_items all_;
  std::uint32_t count_;
  // Not initialized: only added elements are read. The arrays have one element more than kMax,
  // because AddIf() writes an element even if it does not add it.
  std::array<std::uint32_t, kMax + 1> ids_;
  std::array<std::uint8_t, kMax + 1> indices_;
  static_assert(kMax <= 256);
};

AbiRun::AbiRun(AbiGroup& group, const ActionSlots& actions, StepCounts& counts)
    : group_(group),
      counts_(counts),
      scored_(group.has(ENVPOOL_HAS_SCORE) && group.control_.records_episodes()),
      has_infos_(!group.spec_.infos.empty()),
      checks_infos_(has_infos_ && group.has(ENVPOOL_SETS_EVERY_INFO)),
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
               .after_reset = nullptr,
               .errors = &errors_} {}

void AbiRun::Fail(std::uint32_t k, const char* what) noexcept {
  if (k >= called_->size()) return;
  Outcome& outcome = outcomes_[called_->IndexOf(k)];
  any_failed_ = true;
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
  } catch (const std::exception&) {
    run.Fail(item, "the plug-in has reported a message that is not valid");
  }
}

void AbiRun::ListSteps(const std::uint8_t* reset_flags, Subset& steps) const {
  const EpisodeProgress* const progress = group_.progress_.data();
  for (std::uint32_t k = 0; k < items_.count; ++k) {
    const std::uint32_t env = envpool_env(&items_, k);
    const bool resets =
        progress[env].reset_due || (reset_flags != nullptr && reset_flags[env] != 0);
    steps.AddIf(!resets, k, env);
  }
}

void AbiRun::CallStep(const Subset& steps) {
  if (steps.size() == 0) return;
  called_ = &steps;
  step_.items = steps.items();
  group_.task_.step(group_.group_, &step_);
}

void AbiRun::StepInto(std::uint32_t first_row, const BatchView& out) {
  Subset steps(items_);
  ListSteps(nullptr, steps);
  CallStep(steps);
  // Most steps end no episode. The columns of the whole chunk are written at once; the few other
  // rows are then overwritten.
  EpisodeControl::WriteContinuing(
      items_.count, [&](std::uint32_t k) { return envpool_env(&items_, k); }, first_row, out);
  double* const reward = out.reward;
  std::int32_t* const elapsed_step = out.frame.elapsed_step;
  EpisodeControl& control = group_.control_;
  EpisodeProgress* const progress = group_.progress_.data();
  StepCounts counts;
  Subset rare(items_);
  for (std::uint32_t k = 0; k < steps.size(); ++k) {
    const std::uint32_t item = steps.IndexOf(k);
    const std::uint32_t row = first_row + item;
    const std::uint32_t env = steps.env(k);
    if (ends_[k] == 0 && !any_failed_ &&
        control.CountIfContinues(env, progress[env], ScoreOf(k), counts)) [[likely]] {
      reward[row] = rewards_[k];
      elapsed_step[row] = progress[env].elapsed_step();
      continue;
    }
    if (outcomes_[item].failed) continue;
    const AfterStep next = control.Stepped(env, progress[env], ResultOf(rewards_[k], ends_[k]),
                                           ScoreOf(k), outcomes_[item], counts);
    if (next == AfterStep::kRestart) {
      rare.Add(item);
    } else {
      WriteRow(item, row, out);
    }
  }
  counts_.Add(counts);
  if (rare.size() != 0) [[unlikely]]
    FinishEpisodes(rare, first_row, out.final_frame);
  if (!steps.is_all()) ResetOthers(steps, nullptr, rare);
  for (std::uint32_t k = 0; k < rare.size(); ++k) {
    const std::uint32_t item = rare.IndexOf(k);
    if (!outcomes_[item].failed) WriteRow(item, first_row + item, out);
  }
  WriteAllFrames(nullptr, first_row, out);
}

void AbiRun::Advance(const std::uint8_t* reset_flags, const FrameColumns& final_frame) {
  Subset steps(items_);
  ListSteps(reset_flags, steps);
  CallStep(steps);
  EpisodeControl& control = group_.control_;
  EpisodeProgress* const progress = group_.progress_.data();
  StepCounts counts;
  Subset rare(items_);
  for (std::uint32_t k = 0; k < steps.size(); ++k) {
    const std::uint32_t env = steps.env(k);
    Outcome& outcome = outcomes_[steps.IndexOf(k)];
    if (outcome.failed) [[unlikely]]
      continue;
    const AfterStep next = control.Stepped(env, progress[env], ResultOf(rewards_[k], ends_[k]),
                                           ScoreOf(k), outcome, counts);
    if (next == AfterStep::kRestart) [[unlikely]]
      rare.Add(steps.IndexOf(k));
  }
  counts_.Add(counts);
  if (rare.size() != 0) [[unlikely]]
    FinishEpisodes(rare, 0, final_frame);
  if (!steps.is_all()) ResetOthers(steps, reset_flags, rare);
}

void AbiRun::ResetOthers(const Subset& steps, const std::uint8_t* reset_flags, Subset& done) {
  Subset automatic(items_);
  Subset by_user(items_);
  std::uint32_t stepped = 0;
  for (std::uint32_t k = 0; k < items_.count; ++k) {
    if (stepped < steps.size() && steps.IndexOf(stepped) == k) {
      ++stepped;
      continue;
    }
    const std::uint32_t env = envpool_env(&items_, k);
    (reset_flags != nullptr && reset_flags[env] != 0 ? by_user : automatic).Add(k);
    done.Add(k);
  }
  ResetItems(automatic, nullptr, false, true);
  ResetItems(by_user, nullptr, true, true);
}

void AbiRun::FinishEpisodes(const Subset& ended, std::uint32_t first_row,
                            const FrameColumns& frame) {
  std::array<std::uint32_t, kMax> rows;
  for (std::uint32_t k = 0; k < ended.size(); ++k) {
    rows[k] = first_row + ended.IndexOf(k);
    frame.elapsed_step[rows[k]] = group_.progress_[ended.env(k)].elapsed_step();
  }
  WriteFrames(ended, rows.data(), 0, frame, true);
  Subset resets(items_);
  for (std::uint32_t k = 0; k < ended.size(); ++k) {
    if (!outcomes_[ended.IndexOf(k)].failed) resets.Add(ended.IndexOf(k));
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
        // The same value as in the row that was written when the state was saved.
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
  std::array<std::uint8_t, kMax> flags;
  std::array<std::uint64_t, kMax> seeds;
  std::array<std::uint8_t, kMax> results;
  for (std::uint32_t k = 0; k < items.size(); ++k) {
    const std::uint32_t env = items.env(k);
    outcomes_[items.IndexOf(k)].after_reset = true;
    // kEpisodeOver is set only if autoreset is disabled. With autoreset, a reset by the user always
    // begins a new game.
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
    Outcome& outcome = outcomes_[items.IndexOf(k)];
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
  if (has_infos_) {
    observe_.infos = AbiColumns(frame.info);
    observe_.info_masks = AbiColumns(frame.info_mask);
    observe_.after_reset = after_reset_.data();
    for (std::uint32_t k = 0; k < items.size(); ++k) {
      after_reset_[k] = !final && outcomes_[items.IndexOf(k)].after_reset ? 1 : 0;
      if (checks_infos_) {
        group_.UnmarkInfos(frame, envpool_row(&observe_, k));
      } else {
        group_.ClearInfos(frame, envpool_row(&observe_, k));
      }
    }
  }
  called_ = &items;
  group_.task_.observe(group_.group_, &observe_);
  if (checks_infos_) CheckInfos(items, frame);
}

void AbiRun::CheckInfos(const Subset& items, const FrameColumns& frame) {
  for (std::uint32_t k = 0; k < items.size(); ++k) {
    if (outcomes_[items.IndexOf(k)].failed) continue;
    try {
      group_.CheckEveryInfoIsSet(frame, envpool_row(&observe_, k));
    } catch (const std::exception& error) {
      Fail(k, error.what());
    }
  }
}

void AbiRun::WriteAllFrames(const std::uint32_t* rows, std::uint32_t first_row,
                            const BatchView& out) {
  const auto row_of = [&](std::uint32_t k) { return rows == nullptr ? first_row + k : rows[k]; };
  if (!any_failed_) [[likely]] {
    WriteFrames(Subset(items_, Subset::kAll), rows, first_row, out.frame, false);
    if (!any_failed_) [[likely]]
      return;
  } else {
    Subset alive(items_);
    std::array<std::uint32_t, kMax> alive_rows;
    for (std::uint32_t k = 0; k < items_.count; ++k) {
      if (outcomes_[k].failed) continue;
      alive_rows[alive.size()] = row_of(k);
      alive.Add(k);
    }
    WriteFrames(alive, alive_rows.data(), 0, out.frame, false);
  }
  for (std::uint32_t k = 0; k < items_.count; ++k) {
    if (!outcomes_[k].failed) continue;
    const std::uint32_t env = envpool_env(&items_, k);
    group_.WriteFailedRow(env, group_.progress_[env], row_of(k), out);
  }
}

void AbiRun::WriteRow(std::uint32_t k, std::uint32_t row, const BatchView& out) {
  const std::uint32_t env = envpool_env(&items_, k);
  out.frame.elapsed_step[row] = group_.progress_[env].elapsed_step();
  group_.control_.WriteOutcome(env, row, outcomes_[k], out);
}

void AbiRun::WriteRows(const std::uint32_t* rows, std::uint32_t first_row, const BatchView& out) {
  const StepColumns columns = out;
  std::int32_t* const elapsed_step = out.frame.elapsed_step;
  const EpisodeProgress* const progress = group_.progress_.data();
  for (std::uint32_t k = 0; k < items_.count; ++k) {
    any_failed_ = any_failed_ || outcomes_[k].failed;
    const std::uint32_t env = envpool_env(&items_, k);
    const std::uint32_t row = rows == nullptr ? first_row + k : rows[k];
    elapsed_step[row] = progress[env].elapsed_step();
    group_.control_.WriteOutcome(env, row, outcomes_[k], columns);
  }
  WriteAllFrames(rows, first_row, out);
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
