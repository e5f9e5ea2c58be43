#include "engine/checks/checked_group.h"

#include <cmath>
#include <cstring>
#include <optional>
#include <utility>

namespace engine {
namespace {

using Look = GuardedArray::Look;

EnvTraits TraitsOf(const EnvGroup& group) {
  // Receives seeds, so that EnvGroup keeps the seeds of Seed() for PassSeed().
  return {.receives_seed = true,
          .never_waits = group.never_waits(),
          .steps_float64 = group.steps_float64(),
          .steps_row = group.steps_row(),
          .saves_state = group.saves_state(),
          .state_version = group.state_version()};
}

EnvRange One(const std::uint32_t& env) { return {.ids = &env, .begin = 0, .end = 1}; }

}  // namespace

CheckedGroup::CheckedGroup(std::unique_ptr<EnvGroup> inner)
    : EnvGroup(inner->spec(), inner->config(), TraitsOf(*inner)),
      inner_(std::move(inner)),
      leaves_(DescribeLeaves(spec_.observation, "observation")),
      no_resets_(config_.num_envs, 0) {}

std::uint32_t CheckedGroup::StepRows(const EnvRange& range, ActionSlots actions,
                                     const BatchView& out, const StopCondition& stop,
                                     StepCounts& counts) {
  for (std::uint32_t k = range.begin; k < range.end; ++k) {
    const std::uint32_t env = range.Env(k);
    const std::uint32_t row = range.first_row + k;
    Outcome outcome;
    const std::string why =
        Advance(env, no_resets_.data(), actions, out.final_frame, row, outcome, counts);
    if (why.empty()) {
      WriteCheckedRow(env, row, outcome, out, counts);
    } else {
      FailRow(env, why, row, out, counts);
    }
    if (k + 1 < range.end && stop.ShouldStop()) return k + 1 - range.begin;
  }
  return range.end - range.begin;
}

std::uint32_t CheckedGroup::ResetRows(const EnvRange& range, const ResetPlan& plan,
                                      const BatchView& out, const StopCondition& stop,
                                      StepCounts& counts) {
  for (std::uint32_t k = range.begin; k < range.end; ++k) {
    const std::uint32_t env = range.Env(k);
    const std::uint32_t row = range.first_row + k;
    const bool resets = plan.mask == nullptr || plan.mask[k] != 0;
    ResetPlan one = plan;
    if (plan.seeds != nullptr) {
      one.seeds = plan.seeds + k;
      one.has_seed = plan.has_seed + k;
    }
    if (plan.mask != nullptr) one.mask = plan.mask + k;
    if (plan.states != nullptr) one.states = plan.states + k;
    PassSeed(env);
    Row first(spec_, leaves_);
    first.Fill(Look::kFirst);
    StepCounts local;
    inner_->ResetRows(One(env), one, first.view(out), StopCondition::Never(), local);
    local.failures = 0;  // FailRow counts them
    counts.Add(local);
    std::string why = CopyInnerStatus(env);
    if (why.empty()) {
      Row second(spec_, leaves_);
      const bool after_reset = plan.states != nullptr ? first.elapsed_step() == 0 : resets;
      why = Write(env, {.after_reset = after_reset}, out, second);
      // If the environment is not reset, the first row has its infos, but not their masks.
      if (why.empty()) why = MistakeIn(resets ? first : second, resets ? &second : nullptr);
    }
    if (why.empty()) {
      first.CopyOutcomeTo(row, out);
      first.CopyFrameTo(out.frame, row);
      if (out.final_mask != nullptr) out.final_mask[row] = false;
    } else {
      FailRow(env, why, row, out, counts);
    }
    if (k + 1 < range.end && stop.ShouldStop()) return k + 1 - range.begin;
  }
  return range.end - range.begin;
}

std::uint32_t CheckedGroup::RenderRows(const EnvRange& range, std::uint8_t* pictures,
                                       const StopCondition& stop, StepCounts& counts) {
  const std::size_t bytes = spec_.picture_bytes();
  ArrayDescription picture{.name = "picture", .dtype = DType::kUInt8, .shape = {}};
  if (spec_.render) {
    picture.shape = {spec_.render->height, spec_.render->width, 3};
  } else {
    picture = {.name = "scene", .dtype = DType::kFloat64, .shape = {spec_.scene_size}};
  }
  GuardedArray first(bytes);
  GuardedArray second(bytes);
  for (std::uint32_t k = range.begin; k < range.end; ++k) {
    const std::uint32_t env = range.Env(k);
    StepCounts local;
    for (GuardedArray* to : {&first, &second}) {
      to->Fill(to == &first ? Look::kFirst : Look::kSecond);
      inner_->RenderRows(One(env), reinterpret_cast<std::uint8_t*>(to->data()),
                         StopCondition::Never(), local);
    }
    std::string why = CopyInnerStatus(env);
    if (why.empty()) {
      const std::string mistake = engine::MistakeIn(picture, first, &second);
      if (!mistake.empty()) why = kCheckPrefix + mistake;
    }
    if (why.empty()) {
      std::memcpy(pictures + k * bytes, first.data(), bytes);
    } else {
      control_.Failed(env, why.c_str(), counts);
      std::memset(pictures + k * bytes, 0, bytes);
    }
    if (k + 1 < range.end && stop.ShouldStop()) return k + 1 - range.begin;
  }
  return range.end - range.begin;
}

std::uint32_t CheckedGroup::StepWithoutRows(const std::uint32_t* ids, std::uint32_t n,
                                            const std::uint8_t* reset_flags, ActionSlots actions,
                                            const BatchView& pending_final_frame, Outcome* outcomes,
                                            const StopCondition& stop, StepCounts& counts) {
  for (std::uint32_t k = 0; k < n; ++k) {
    outcomes[k] = Outcome{};
    const std::string why = Advance(ids[k], reset_flags, actions, pending_final_frame.final_frame,
                                    0, outcomes[k], counts);
    if (!why.empty()) {
      control_.Failed(ids[k], why.c_str(), counts);
      outcomes[k] = Outcome{.failed = true};
    }
    if (outcomes[k].pending_final_frame || (k + 1 < n && stop.ShouldStop())) return k + 1;
  }
  return n;
}

void CheckedGroup::WriteRows(const std::uint32_t* ids, std::uint32_t n, const std::uint32_t* rows,
                             std::uint32_t first_row, const Outcome* outcomes,
                             const BatchView& pending_final_frame, const BatchView& out,
                             StepCounts& counts) {
  for (std::uint32_t k = 0; k < n; ++k) {
    const std::uint32_t row = rows == nullptr ? first_row + k : rows[k];
    if (outcomes[k].failed) {
      WriteFailed(ids[k], row, out);
      continue;
    }
    WriteCheckedRow(ids[k], row, outcomes[k], out, counts);
    if (out.final_mask != nullptr && outcomes[k].pending_final_frame && !control_.failed(ids[k]))
      CopyFrame(pending_final_frame.final_frame, 0, out.final_frame, row);
  }
}

std::string CheckedGroup::Advance(std::uint32_t env, const std::uint8_t* reset_flags,
                                  ActionSlots actions, const FrameColumns& final_frame,
                                  std::uint32_t row, Outcome& outcome, StepCounts& counts) {
  PassSeed(env);
  Row last(spec_, leaves_);
  last.Fill(Look::kFirst);
  BatchView pending;
  pending.final_frame = last.frame();
  StepCounts local;
  inner_->StepWithoutRows(&env, 1, reset_flags, actions, pending, &outcome, StopCondition::Never(),
                          local);
  local.failures = 0;  // the callers count them
  counts.Add(local);
  std::string why = CopyInnerStatus(env);
  if (why.empty()) why = MistakeInRewards(env, outcome.reward);
  if (!why.empty() || !outcome.pending_final_frame) return why;
  why = MistakeIn(last, nullptr);
  if (why.empty()) last.CopyFrameTo(final_frame, row);
  return why.empty() ? why : why + " (in the last observation of an episode)";
}

std::string CheckedGroup::MistakeInRewards(std::uint32_t env, double reward) const {
  const auto mistake = [](const std::string& of, double value) {
    return std::isfinite(value) ? ""
                                : kCheckPrefix + of + "reward: expected a finite number, got " +
                                      (std::isnan(value) ? "nan" : std::to_string(value));
  };
  if (players() == nullptr) return mistake("", reward);
  const auto results = players()->Results(env);
  for (std::size_t player = 0; player < results.size(); ++player) {
    const std::string why =
        mistake("player " + std::to_string(player) + ": ", results[player].reward);
    if (!why.empty()) return why;
  }
  return "";
}

void CheckedGroup::WriteCheckedRow(std::uint32_t env, std::uint32_t row, const Outcome& outcome,
                                   const BatchView& out, StepCounts& counts) {
  Row first(spec_, leaves_);
  Row second(spec_, leaves_);
  first.Fill(Look::kFirst);
  StepCounts local;
  inner_->WriteRows(&env, 1, nullptr, 0, &outcome, {}, first.view(out), local);
  std::string why = CopyInnerStatus(env);
  if (why.empty()) why = Write(env, outcome, out, second);
  if (why.empty()) why = MistakeIn(first, &second);
  if (!why.empty()) {
    FailRow(env, why, row, out, counts);
    return;
  }
  first.CopyOutcomeTo(row, out);
  first.CopyFrameTo(out.frame, row);
  if (out.final_mask != nullptr) out.final_mask[row] = outcome.pending_final_frame;
}

std::string CheckedGroup::Write(std::uint32_t env, const Outcome& outcome, const BatchView& out,
                                Row& to) {
  to.Fill(Look::kSecond);
  StepCounts local;  // the callers count failures
  inner_->WriteRows(&env, 1, nullptr, 0, &outcome, {}, to.view(out), local);
  return CopyInnerStatus(env);
}

void CheckedGroup::PassSeed(std::uint32_t env) {
  if (pending_seeds_[env]) inner_->Seed(env, *std::exchange(pending_seeds_[env], std::nullopt));
}

std::string CheckedGroup::CopyInnerStatus(std::uint32_t env) {
  const std::uint8_t status = inner_->status(env);
  if ((status & EnvStatus::kFailed) != 0) return inner_->FailureOf(env);
  control_.SetStatus(env, status);
  return "";
}

std::string CheckedGroup::MistakeIn(const Row& first, const Row* second) {
  const std::string mistake = first.Mistake(second);
  return mistake.empty() ? "" : kCheckPrefix + mistake;
}

void CheckedGroup::FailRow(std::uint32_t env, const std::string& why, std::uint32_t row,
                           const BatchView& out, StepCounts& counts) {
  control_.Failed(env, why.c_str(), counts);
  WriteFailed(env, row, out);
}

void CheckedGroup::WriteFailed(std::uint32_t env, std::uint32_t row, const BatchView& out) {
  // Only the inner group has the number of steps since the reset.
  Row failed(spec_, leaves_);
  const Outcome outcome{.failed = true};
  StepCounts local;
  inner_->WriteRows(&env, 1, nullptr, 0, &outcome, {}, failed.view(out), local);
  WriteFailedRow(env, EpisodeProgress{.elapsed = failed.elapsed_step()}, row, out);
}

}  // namespace engine
