// The EnvGroup of one environment class: loops that step, reset and write a range of environments.
// All calls in the loops are inlined.
#ifndef ENGINE_GROUP_ENV_GROUP_OF_H_
#define ENGINE_GROUP_ENV_GROUP_OF_H_

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/env/check_environment.h"
#include "engine/env/environment.h"
#include "engine/group/env_group.h"
#include "engine/group/env_slots.h"
#include "engine/group/group_players.h"
#include "engine/group/step_together.h"
#include "engine/group/stoppable_loop.h"

namespace engine {

template <Steppable E>
class EnvGroupOf final : public EnvGroup {
 public:
  using Env = E;

  EnvGroupOf(const ParamValues& options, const GroupConfig& config)
    requires Environment<E>
      : EnvGroupOf(E::Spec(options), config, options) {}

  // For a type whose spec depends on more than the options: the caller passes the spec, and the
  // Config is made from `env_config`.
  template <class... Args>
    requires std::constructible_from<ConfigOf<E>, Args...>
  EnvGroupOf(const EnvSpec& spec, const GroupConfig& config, Args&&... env_config)
      : EnvGroup(spec, config,
                 {.receives_seed = ReceivesSeed<E>,
                  .never_waits = NeverWaits<E>,
                  .steps_together = kStepsTogether,
                  .steps_float64 = StepsFloat64<E> || KeepsFloat64<E>,
                  .steps_row = StepsRow<E> || (StepsPlayers<E> && !spec.action.is_leaf()),
                  .saves_state = SavesState<E>,
                  .has_attributes = HasAttributes<E>,
                  .state_version = StateVersionOf<E>()}),
        own_setting_(std::make_shared<Setting>(std::forward<Args>(env_config)...)),
        default_start_(ParamValues(ResetOptionsOf<E>(), {}, "reset option", "")),
        slots_(config.num_envs, config.renders),
        group_players_(players_.get()) {
    CheckMembers<E>(spec);
    if (config.renders && spec.picture_bytes() == 0) {
      throw Error(ErrorKind::kRenderMode, "the environment does not render");
    }
  }

  void Construct(std::uint32_t begin, std::uint32_t end) override {
    for (std::uint32_t env = begin; env < end; ++env) TakeOverSetting(env);
    slots_.Construct(begin, end,
                     [this](std::uint32_t env) -> const ConfigOf<E>& { return ConfigFor(env); });
  }

  std::shared_ptr<EnvSetting> OwnSetting() const override { return own_setting_; }

  const std::vector<AttributeSpec>& Attributes(const EnvSetting* setting) const override {
    return (setting == nullptr ? *own_setting_ : *setting).attributes;
  }
  void SetAttribute(std::uint32_t env, std::size_t index, std::span<const double> value) override {
    if constexpr (HasAttributes<E>) {
      if (slots_.Has(env)) slots_[env].env.SetAttribute(index, value);
    }
    EnvGroup::SetAttribute(env, index, value);
  }

  std::unique_ptr<ResetStart> ParseStart(const ParamValues& reset_options) const override {
    return std::make_unique<StartHolder>(reset_options);
  }
  void MakeResetDue(std::uint32_t env) override { slots_[env].progress.reset_due = true; }

  void Discard(std::uint32_t env) override {
    slots_.Destroy(env);
    EnvGroup::Discard(env);
  }

  std::uint32_t StepRows(const EnvRange& range, ActionSlots actions, const BatchView& view,
                         const StopCondition& stop, StepCounts& counts) override {
    if constexpr (kStepsTogether) {
      const std::uint32_t n = range.end - range.begin;
      if (n > 1 && n >= LeastTogether<E>())
        return StepTogether(*this, actions, stop, counts).Rows(range, view);
    }
    // Local copies. Their address is not taken, so stores into the batch cannot alias them.
    const BatchView out = view;
    const EnvRange envs = range;
    StepCounts local;
    const auto step_all = [&](auto env_of) __attribute__((always_inline)) {
      return StoppableLoop<kRowsEvery>(
          envs.begin, envs.end, stop,
          [&](std::uint32_t k) { StepRow(env_of(k), envs.first_row + k, actions, out, local); },
          [&](std::uint32_t k, const char* what) {
            Fail(env_of(k), envs.first_row + k, what, out, local);
          });
    };
    std::uint32_t done = 0;
    if (NeverWaits<E> && envs.ids == nullptr) {
      // This loop reads no ids, because the time of the reads is measurable in light environments.
      done = step_all([](std::uint32_t k) { return k; });
    } else {
      done = step_all([&](std::uint32_t k) { return envs.Env(k); });
    }
    counts.Add(local);
    return done;
  }

  std::uint32_t ResetRows(const EnvRange& range, const ResetPlan& plan, const BatchView& view,
                          const StopCondition& stop, StepCounts& counts) override {
    const BatchView out = view;
    const auto& start =
        plan.start == nullptr ? default_start_ : static_cast<const StartHolder*>(plan.start)->value;
    StepCounts local;
    const std::uint32_t done = StoppableLoop<kRowsEvery>(
        range.begin, range.end, stop,
        [&](std::uint32_t k) {
          const std::uint32_t env = range.Env(k);
          const std::uint32_t row = range.first_row + k;
          const bool resets = plan.mask == nullptr || plan.mask[k] != 0;
          Outcome outcome;
          if (plan.states != nullptr) {
            LoadState(env, plan.states[k]);
            // The same value as in the row that was written when the state was saved.
            outcome.after_reset = slots_[env].progress.elapsed_step() == 0;
          } else if (resets) {
            if (plan.seed_by_env) Seed(env, plan.first_seed + env);
            if (plan.seeds != nullptr && plan.has_seed[k] != 0) Seed(env, plan.seeds[k]);
            group_players_.ClearResults(env);
            Restart(env, start, continues_when_reset(env), outcome, local);
          }
          WriteRow(env, row, outcome, out);
          group_players_.ClearRewards(row, out);
          // As in Gymnasium, only environments that this call resets have infos.
          if (!resets && plan.states == nullptr) UnmarkInfos(out.frame, row);
        },
        [&](std::uint32_t k, const char* what) {
          Fail(range.Env(k), range.first_row + k, what, out, local);
        });
    counts.Add(local);
    return done;
  }

  std::uint32_t RenderRows(const EnvRange& range, std::uint8_t* pictures, const StopCondition& stop,
                           StepCounts& counts) override {
    if constexpr (HasRender<E> || HasScene<E>) {
      const std::size_t bytes = spec_.picture_bytes();
      return StoppableLoop<kRowsEvery>(
          range.begin, range.end, stop,
          [&](std::uint32_t k) { DrawOne(slots_[range.Env(k)].env, pictures + k * bytes, bytes); },
          [&](std::uint32_t k, const char* what) {
            control_.Failed(range.Env(k), what, counts);
            std::fill_n(pictures + k * bytes, bytes, std::uint8_t{0});
          });
    } else {
      return range.end - range.begin;
    }
  }

  std::string SaveState(std::uint32_t env) const override {
    if constexpr (SavesState<E>) {
      const Slot& slot = slots_[env];
      std::string state;
      StateWriter writer(state);
      SaveEpisode(env, slot.progress, writer);
      slot.env.Save(writer);
      return state;
    } else {
      return EnvGroup::SaveState(env);
    }
  }

  std::uint32_t StepWithoutRows(const std::uint32_t* ids, std::uint32_t n,
                                const std::uint8_t* reset_flags, ActionSlots actions,
                                const BatchView& pending_final_frame, Outcome* outcomes,
                                const StopCondition& stop, StepCounts& counts) override {
    if constexpr (kStepsTogether) {
      // `pending_final_frame` has one row, and a step cannot be undone. So in SameStep environments
      // are stepped one at a time.
      if (n > 1 && n >= LeastTogether<E>() && config_.autoreset != AutoresetMode::kSameStep) {
        return StepTogether(*this, actions, stop, counts)
            .WithoutRows(ids, n, reset_flags, pending_final_frame, outcomes);
      }
    }
    StepCounts local;
    std::uint32_t up_to = n;
    const std::uint32_t done = StoppableLoop<kUnplacedEvery>(
        0, n, stop,
        [&](std::uint32_t k) {
          if (k >= up_to) return;
          outcomes[k] = Outcome{};
          if (reset_flags[ids[k]] != 0) {
            group_players_.ClearResults(ids[k]);
            Restart(ids[k], default_start_, continues_when_reset(ids[k]), outcomes[k], local);
            return;
          }
          StepEnv(ids[k], actions, pending_final_frame, 0, outcomes[k], local);
          if (outcomes[k].pending_final_frame) up_to = k + 1;
        },
        [&](std::uint32_t k, const char* what) {
          control_.Failed(ids[k], what, local);
          outcomes[k] = Outcome{.failed = true};
        });
    counts.Add(local);
    return std::min(done, up_to);
  }

  void WriteRows(const std::uint32_t* ids, std::uint32_t n, const std::uint32_t* rows,
                 std::uint32_t first_row, const Outcome* outcomes,
                 const BatchView& pending_final_frame, const BatchView& view,
                 StepCounts& counts) override {
    const BatchView out = view;
    const auto row_of = [&](std::uint32_t k) { return rows == nullptr ? first_row + k : rows[k]; };
    StoppableLoop<kRowsEvery>(
        0, n, NeverStop{},
        [&](std::uint32_t k) {
          const std::uint32_t row = row_of(k);
          if (outcomes[k].failed) {
            WriteFailedRow(ids[k], slots_[ids[k]].progress, row, out);
            return;
          }
          WriteRow(ids[k], row, outcomes[k], out);
          if (out.final_mask != nullptr && outcomes[k].pending_final_frame) {
            CopyFrame(pending_final_frame.final_frame, 0, out.final_frame, row);
          }
        },
        [&](std::uint32_t k, const char* what) { Fail(ids[k], row_of(k), what, out, counts); });
  }

 private:
  friend class StepTogether<EnvGroupOf>;

  struct StartHolder final : ResetStart {
    explicit StartHolder(const ParamValues& reset_options) : value(reset_options) {}
    StartOf<E> value;
  };
  using Slot = EpisodeSlot<E>;
  struct Setting final : EnvSetting {
    template <class... Args>
    explicit Setting(Args&&... args) : config(std::forward<Args>(args)...) {
      attributes = AttributesOf<E>(config);
    }
    std::string WhyNot(const EnvSetting& other) const override {
      const bool is_own_kind = dynamic_cast<const Setting*>(&other) != nullptr;
      return is_own_kind ? "" : "their options select different classes of environments";
    }
    const ConfigOf<E> config;
  };

  // Number of items between two checks of `stop`. It is smaller in StepWithoutRows, because other
  // threads may take the rest of its items.
  static constexpr std::uint32_t kRowsEvery = NeverWaits<E> ? 64 : 1;
  static constexpr std::uint32_t kUnplacedEvery = NeverWaits<E> ? 16 : 1;

  // Whether StepMany steps environments. Classes that may wait are stepped one by one.
  static constexpr bool kStepsTogether = StepsMany<E> && NeverWaits<E>;

  // Calls Score() only if statistics are recorded.
  double ScoreOf(const E& env, const StepResult& result) const {
    if constexpr (HasScore<E>) {
      return control_.records_episodes() ? env.Score() : 0.0;
    } else {
      return result.reward;
    }
  }

  // Always inlined, with WriteRow: otherwise light environments in plug-ins, which are
  // compiled by themselves, run a fifth more instructions than the built-in ones.
  [[gnu::always_inline]] void StepRow(std::uint32_t env, std::uint32_t row,
                                      const ActionSlots& actions, const BatchView& out,
                                      StepCounts& counts) {
    Outcome outcome;
    StepEnv(env, actions, out, row, outcome, counts);
    WriteRow(env, row, outcome, out);
  }

  [[gnu::always_inline]] StepResult Advance(E& instance, std::uint32_t env,
                                            const ActionSlots& actions) {
    if constexpr (StepsPlayers<E>) {
      return group_players_.Step(instance, env, actions, rngs_[env]);
    } else {
      return StepOne(instance, env, actions, rngs_[env]);
    }
  }

  // Steps the environment, or resets it if a reset is due. In SameStep, writes the final frame of
  // an ended episode to row `final_row` of `final_out`. `outcome` must be a new object. It is not a
  // return value, because compilers would write its bytes to the stack and then load them as one
  // word. The processor cannot forward these stores, and the delay is measurable in light
  // environments. Always inlined for the same reason as EpisodeControl::Stepped().
  [[gnu::always_inline]] void StepEnv(std::uint32_t env, const ActionSlots& actions,
                                      const BatchView& final_out, std::uint32_t final_row,
                                      Outcome& outcome, StepCounts& counts) {
    Slot& slot = slots_[env];
    if (slot.progress.reset_due) [[unlikely]] {
      group_players_.ClearResults(env);
      Restart(env, default_start_, true, outcome, counts);
      return;
    }
    EndStep(env, slot, Advance(slot.env, env, actions), final_out, final_row, outcome, counts);
  }

  // The part of StepEnv that follows a step.
  [[gnu::always_inline]] void EndStep(std::uint32_t env, Slot& slot, const StepResult& result,
                                      const BatchView& final_out, std::uint32_t final_row,
                                      Outcome& outcome, StepCounts& counts) {
    const AfterStep next =
        control_.Stepped(env, slot.progress, result, ScoreOf(slot.env, result), outcome, counts);
    group_players_.EndStep(env, outcome, slot.env);
    if (next == AfterStep::kRestart) [[unlikely]] {
      WriteFrame(env, slot, final_row, false, final_out.final_frame);
      Restart(env, default_start_, true, outcome, counts);
    }
  }

  // Loads a state that CheckState() has accepted. Throws the exceptions of Load.
  void LoadState(std::uint32_t env, const std::string& bytes) {
    if constexpr (SavesState<E>) {
      const bool takes_over = TakeOverSetting(env);
      if (control_.failed(env) || takes_over) slots_.Renew(env, ConfigFor(env));
      Slot& slot = slots_[env];
      StateReader state(bytes);
      LoadEpisode(env, slot.progress, state);
      SetAttributes(env);
      slot.env.Load(state);
      state.ExpectEnd();
    }
  }

  // Whether a reset by the user may continue the game: autoreset is disabled, and the episode has
  // ended.
  bool continues_when_reset(std::uint32_t env) const {
    return (control_.status(env) & EnvStatus::kEpisodeOver) != 0;
  }

  // Begins a new game. If `continues`, continues the environment's game instead, unless it is over.
  void Restart(std::uint32_t env, const StartOf<E>& start, bool continues, Outcome& outcome,
               StepCounts& counts) {
    Slot& slot = slots_[env];
    outcome.after_reset = true;
    const bool takes_over = TakeOverSetting(env);
    if constexpr (ContinuesGames<E>) {
      if (continues && !takes_over && !slot.progress.game_over && !control_.failed(env) &&
          !pending_seeds_[env] && &start == &default_start_) {
        if (slot.env.Continue(rngs_[env])) {
          control_.Continued(env, slot.progress, counts);
          group_players_.Restarted(env, false);
          return;
        }
        control_.GameEnded(env, slot.progress, outcome, counts);
        group_players_.EndGame(env);
      }
    }
    if (control_.failed(env) || takes_over) {
      // After an exception the state of the instance is undefined, so a new instance replaces it.
      // If its constructor throws, the slot is empty, and the next restart tries again.
      slots_.Renew(env, ConfigFor(env));
      SetAttributes(env);
      if (!pending_seeds_.empty() && !pending_seeds_[env])
        pending_seeds_[env] = rngs_[env].NextUint64();
    }
    if constexpr (ReceivesSeed<E>) {
      if (pending_seeds_[env])
        SeedOne(slot.env, env, *std::exchange(pending_seeds_[env], std::nullopt), rngs_[env]);
    }
    ResetOne(slot.env, start, rngs_[env]);
    control_.Restarted(env, slot.progress, counts);
    group_players_.Restarted(env, true);
  }

  [[gnu::always_inline]] void WriteRow(std::uint32_t env, std::uint32_t row, const Outcome& outcome,
                                       const BatchView& out) {
    WriteFrame(env, slots_[env], row, outcome.after_reset, out.frame);
    control_.WriteOutcome(env, row, outcome, out);
    group_players_.WriteEpisode(env, row, outcome, out);
  }

  void WriteFrame([[maybe_unused]] std::uint32_t env, const Slot& slot, std::uint32_t row,
                  bool after_reset, const FrameColumns& frame) {
    if constexpr (StepsPlayers<E>) {
      group_players_.Observe(
          slot.env, env, row, frame, obs_fields_, player_info_fields_,
          [&](std::size_t player_row) { ClearPlayerInfos(*frame.players, player_row); });
    } else {
      slot.env.Observe(ObsRow(frame.obs, row, &obs_fields_));
    }
    frame.elapsed_step[row] = ContinuesGames<E> ? slot.progress.elapsed_step()
                                                : EpisodeProgress::Saturated(slot.progress.elapsed);
    if constexpr (HasInfo<E>) {
      if constexpr (!SetsEveryInfo<E>) {
        ClearInfos(frame, row);
      } else if constexpr (kCheckedRows) {
        UnmarkInfos(frame, row);
      }
      slot.env.Info(InfoRow(frame.info, frame.info_mask, row, &info_fields_), after_reset);
      if constexpr (SetsEveryInfo<E> && kCheckedRows) CheckEveryInfoIsSet(frame, row);
    }
  }

  void Fail(std::uint32_t env, std::uint32_t row, const char* what, const BatchView& out,
            StepCounts& counts) {
    control_.Failed(env, what, counts);
    WriteFailedRow(env, slots_[env].progress, row, out);
  }

  // Gives the environment the attributes that the group has recorded.
  void SetAttributes([[maybe_unused]] std::uint32_t env) {
    if constexpr (HasAttributes<E>) {
      for (std::size_t index = 0; index < own_setting_->attributes.size(); ++index)
        slots_[env].env.SetAttribute(index, GetAttribute(env, index));
    }
  }

  const ConfigOf<E>& ConfigFor(std::uint32_t env) const {
    const EnvSetting* const setting = settings_->Current(env).get();
    return (setting == nullptr ? *own_setting_ : static_cast<const Setting&>(*setting)).config;
  }

  // Takes over the setting that was set since the latest reset. Returns whether there was one: the
  // slot is then empty.
  bool TakeOverSetting(std::uint32_t env) {
    EnvSettingPtr replaced;
    if (!settings_->TakeOver(env, replaced)) [[likely]]
      return false;
    slots_.Destroy(env);  // it uses the replaced setting, which ends after it
    given_attributes_.Clear(env);
    return true;
  }

  const std::shared_ptr<Setting> own_setting_;
  const StartOf<E> default_start_;
  EnvSlots<E> slots_;
  const GroupPlayers<E> group_players_;
};

}  // namespace engine

#endif  // ENGINE_GROUP_ENV_GROUP_OF_H_
