// The environments of one type, side by side in memory, and the loops that run
// a range of them with everything inlined.
#ifndef ENGINE_ENV_ENV_GROUP_OF_H_
#define ENGINE_ENV_ENV_GROUP_OF_H_

#include <algorithm>
#include <exception>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <utility>

#include "engine/base/cache_line.h"
#include "engine/base/error.h"
#include "engine/env/env_group.h"
#include "engine/env/environment.h"

namespace engine {

template <Environment E>
class EnvGroupOf final : public EnvGroup {
 public:
  EnvGroupOf(const ParamValues& options, const GroupConfig& config)
      : EnvGroup(E::Spec(options), config, HasSeed<E>),
        env_config_(options),
        default_start_(ParamValues(E::ResetOptions(), {}, "reset option", "")),
        step_limit_(config.max_episode_steps > 0 ? config.max_episode_steps
                                                 : std::numeric_limits<std::int64_t>::max()),
        slots_(static_cast<Slot*>(
            ::operator new(sizeof(Slot) * config.num_envs, std::align_val_t(kCacheLineBytes)))),
        constructed_(config.num_envs, 0) {
    CheckRenders();
  }

  ~EnvGroupOf() override {
    for (std::uint32_t env = 0; env < num_envs(); ++env) {
      if (constructed_[env] != 0) std::destroy_at(&slots_.get()[env]);
    }
  }

  void Construct(std::uint32_t begin, std::uint32_t end) override {
    for (std::uint32_t env = begin; env < end; ++env) {
      std::construct_at(&slots_.get()[env], env_config_);
      constructed_[env] = 1;
      EnableRender(slots_.get()[env]);
    }
  }

  std::unique_ptr<ResetStart> ParseStart(const ParamValues& reset_options) const override {
    return std::make_unique<StartHolder>(reset_options);
  }

  void StepRows(const Items& items, ActionSlots actions, const BatchView& view,
                Tally& tally) override {
    // Copies whose address stays here: stores into the batch cannot alias them.
    const BatchView out = view;
    const Items range = items;
    Tally local;
    ForEach(
        range.begin, range.end,
        [&](std::uint32_t k) { StepRow(range.Env(k), range.first_row + k, actions, out, local); },
        [&](std::uint32_t k, const char* what) {
          Fail(range.Env(k), range.first_row + k, what, out, local);
        });
    Add(tally, local);
  }

  void ResetRows(const Items& items, const ResetPlan& plan, const BatchView& view,
                 Tally& tally) override {
    const BatchView out = view;
    const auto& start =
        plan.start == nullptr ? default_start_ : static_cast<const StartHolder*>(plan.start)->value;
    Tally local;
    ForEach(
        items.begin, items.end,
        [&](std::uint32_t k) {
          const std::uint32_t env = items.Env(k);
          const bool resets = plan.mask == nullptr || plan.mask[k] != 0;
          if (resets) {
            if (plan.seed_by_env) Seed(env, plan.first_seed + env);
            if (plan.seeds != nullptr && plan.has_seed[k] != 0) Seed(env, plan.seeds[k]);
            Restart(env, start, local);
          }
          WriteRow(env, k, {.after_reset = resets}, out);
          // As in Gymnasium: infos are of those that this call has reset.
          if (!resets) UnmarkInfos(out.frame, k);
          if (out.final_mask != nullptr) out.final_mask[k] = false;
        },
        [&](std::uint32_t k, const char* what) { Fail(items.Env(k), k, what, out, local); });
    Add(tally, local);
  }

  void RenderRows(const Items& items, std::uint8_t* pictures, Tally& tally) override {
    if constexpr (HasRender<E> || HasScene<E>) {
      const std::size_t bytes = spec_.picture_bytes();
      Tally local;
      ForEach(
          items.begin, items.end,
          [&](std::uint32_t k) { Draw(slots_.get()[items.Env(k)].env, pictures + k * bytes); },
          [&](std::uint32_t k, const char* what) {
            MarkFailed(items.Env(k), what);
            ++local.failures;
            std::fill_n(pictures + k * bytes, bytes, std::uint8_t{0});
          });
      Add(tally, local);
    }
  }

  std::uint32_t Advance(const std::uint32_t* ids, std::uint32_t n, const std::uint8_t* reset_flags,
                        ActionSlots actions, const BatchView& stash, Outcome* outcomes,
                        Tally& tally) override {
    Tally local;
    std::uint32_t done = n;
    ForEach(
        0, n,
        [&](std::uint32_t k) {
          if (k >= done) return;
          outcomes[k] = Outcome{};
          if (reset_flags[ids[k]] != 0) {
            Restart(ids[k], default_start_, local);
            outcomes[k].after_reset = true;
            return;
          }
          StepEnv(ids[k], actions, stash, 0, outcomes[k], local);
          if (outcomes[k].stashed) done = k + 1;
        },
        [&](std::uint32_t k, const char* what) {
          MarkFailed(ids[k], what);
          ++local.failures;
          outcomes[k] = Outcome{.failed = true};
        });
    Add(tally, local);
    return done;
  }

  void Deliver(const std::uint32_t* ids, std::uint32_t n, const std::uint32_t* rows,
               std::uint32_t first_row, const Outcome* outcomes, const BatchView& stash,
               const BatchView& view, Tally& tally) override {
    const BatchView out = view;
    Tally local;
    const auto row_of = [&](std::uint32_t k) { return rows == nullptr ? first_row + k : rows[k]; };
    ForEach(
        0, n,
        [&](std::uint32_t k) {
          const std::uint32_t row = row_of(k);
          if (outcomes[k].failed) {
            ZeroRow(out, ids[k], row, ElapsedInfo(slots_.get()[ids[k]]));
            return;
          }
          WriteRow(ids[k], row, outcomes[k], out);
          if (out.final_mask == nullptr) return;
          out.final_mask[row] = outcomes[k].stashed;
          if (outcomes[k].stashed) CopyFrame(stash.final_frame, 0, out.final_frame, row);
        },
        [&](std::uint32_t k, const char* what) { Fail(ids[k], row_of(k), what, out, local); });
    Add(tally, local);
  }

 private:
  struct Slot {
    explicit Slot(const typename E::Config& config) : env(config) {}

    E env;
    std::int64_t elapsed = 0;
    // NextStep: the next step resets. From the start: where a step may come before
    // the first reset at all (see Pool::CheckSteppable), it begins an episode.
    bool autoreset_pending = true;
  };
  struct StartHolder final : ResetStart {
    explicit StartHolder(const ParamValues& reset_options) : value(reset_options) {}
    typename E::Start value;
  };
  struct SlotsDeleter {
    void operator()(Slot* slots) const {
      ::operator delete(slots, std::align_val_t(kCacheLineBytes));
    }
  };

  void Draw(const E& env, std::uint8_t* picture) const {
    static_assert(!HasRender<E> || !HasScene<E>, "an environment has Render or Scene, not both");
    if constexpr (HasRender<E>) {
      env.Render(std::span(picture, spec_.render->bytes()));
    } else if constexpr (HasScene<E>) {
      env.Scene(std::span(reinterpret_cast<double*>(picture),
                          static_cast<std::size_t>(spec_.scene_size)));
    }
  }

  void CheckRenders() const {
    if (!HasRender<E> && spec_.render) {
      throw Error(ErrorKind::kInternal,
                  "an environment without Render() has a picture in its spec");
    }
    if (!HasScene<E> && spec_.scene_size > 0) {
      throw Error(ErrorKind::kInternal, "an environment without Scene() has a scene in its spec");
    }
    if (config_.renders && spec_.picture_bytes() == 0) {
      throw Error(ErrorKind::kRenderMode, "the environment does not render");
    }
  }

  void EnableRender(Slot& slot) const {
    if constexpr (HasEnableRender<E>) {
      if (config_.renders) slot.env.EnableRender();
    }
  }

  // Runs body(k) for all k; one that throws is reported and skipped. The try
  // block is outside the loop so that it does not stand in the way of inlining.
  template <class Body, class OnFailure>
  static void ForEach(std::uint32_t begin, std::uint32_t end, Body&& body, OnFailure&& on_failure) {
    std::uint32_t k = begin;
    while (k < end) {
      try {
        for (; k < end; ++k) body(k);
      } catch (const std::exception& error) {
        on_failure(k++, error.what());
      } catch (...) {
        on_failure(k++, "an exception that is not a std::exception");
      }
    }
  }

  static void Add(Tally& total, const Tally& local) {
    total.steps += local.steps;
    total.episodes += local.episodes;
    total.resets += local.resets;
    total.failures += local.failures;
  }

  static double ScoreOf(const E& env, const StepResult& result) {
    if constexpr (HasScore<E>) {
      return env.Score();
    } else {
      return result.reward;
    }
  }

  static std::int32_t ElapsedInfo(const Slot& slot) {
    return static_cast<std::int32_t>(
        std::min<std::int64_t>(slot.elapsed, std::numeric_limits<std::int32_t>::max()));
  }

  void StepRow(std::uint32_t env, std::uint32_t row, const ActionSlots& actions,
               const BatchView& out, Tally& tally) {
    Outcome outcome;
    StepEnv(env, actions, out, row, outcome, tally);
    WriteRow(env, row, outcome, out);
    if (out.final_mask != nullptr) out.final_mask[row] = outcome.stashed;
  }

  // One step or, in NextStep after an episode's end, one reset. In SameStep the
  // final frame of an ended episode goes to row `final_row` of `final_out`.
  // `outcome` is a new one. Returned, it would be packed into registers and, light
  // environments show it, read from the stack as one word right after its bytes.
  void StepEnv(std::uint32_t env, const ActionSlots& actions, const BatchView& final_out,
               std::uint32_t final_row, Outcome& outcome, Tally& tally) {
    Slot& slot = slots_.get()[env];
    if (slot.autoreset_pending) [[unlikely]] {
      Restart(env, default_start_, tally);
      outcome.after_reset = true;
      return;
    }
    const StepResult result = slot.env.Step(actions.Of(env), rngs_[env]);
    ++tally.steps;
    ++slot.elapsed;
    if (records_episodes()) returns_[env] += ScoreOf(slot.env, result);
    outcome.reward = result.reward;
    outcome.terminated = result.terminated;
    outcome.truncated = result.truncated || slot.elapsed >= step_limit_;
    outcome.reports_end = result.reports_end;
    outcome.zero_discount = result.zero_discount;
    if (outcome.terminated || outcome.truncated) [[unlikely]] {
      ++tally.episodes;
      if (records_episodes()) EndEpisode(env, slot.elapsed);
      switch (config_.autoreset) {
        case AutoresetMode::kNextStep:
          slot.autoreset_pending = true;
          break;
        case AutoresetMode::kDisabled:
          status_[env] |= EnvStatus::kEpisodeOver;
          break;
        case AutoresetMode::kSameStep:
          WriteFrame(slot, final_row, false, final_out.final_frame);
          Restart(env, default_start_, tally);
          outcome.stashed = true;
          outcome.after_reset = true;
          break;
      }
    }
  }

  void Restart(std::uint32_t env, const typename E::Start& start, Tally& tally) {
    Slot& slot = slots_.get()[env];
    if ((status_[env] & EnvStatus::kFailed) != 0) {
      // What an exception left behind is not trusted: start from a new instance.
      if (constructed_[env] != 0) std::destroy_at(&slot.env);
      constructed_[env] = 0;
      std::construct_at(&slot.env, env_config_);
      constructed_[env] = 1;
      EnableRender(slot);
      if (!seeds_.empty() && !seeds_[env]) seeds_[env] = rngs_[env].NextUint64();
    }
    if constexpr (HasSeed<E>) {
      if (seeds_[env]) slot.env.Seed(*std::exchange(seeds_[env], std::nullopt), rngs_[env]);
    }
    slot.env.Reset(start, rngs_[env]);
    slot.elapsed = 0;
    slot.autoreset_pending = false;
    if (records_episodes()) BeginEpisode(env);
    // Written only if it changes: other threads read the neighbours.
    if (status_[env] != EnvStatus::kReadyToStep) status_[env] = EnvStatus::kReadyToStep;
    ++tally.resets;
  }

  void WriteRow(std::uint32_t env, std::uint32_t row, const Outcome& outcome,
                const BatchView& out) {
    WriteFrame(slots_.get()[env], row, outcome.after_reset, out.frame);
    out.reward[row] = outcome.reward;
    out.terminated[row] = outcome.terminated;
    out.truncated[row] = outcome.truncated;
    out.env_id[row] = static_cast<std::int32_t>(env);
    if (out.episode.mask != nullptr) {
      const bool ended = outcome.terminated || outcome.truncated;
      out.episode.mask[row] = ended;
      if (ended) [[unlikely]]
        WriteEpisode(out.episode, env, row);
    }
    if (out.discount != nullptr) {
      // A step that is none of an episode's last says so by its discount alone.
      out.discount[row] =
          outcome.terminated || outcome.reports_end || outcome.zero_discount ? 0.0 : 1.0;
    } else if (outcome.reports_end) {
      out.terminated[row] = true;
    }
  }

  void WriteFrame(const Slot& slot, std::uint32_t row, bool after_reset,
                  const FrameColumns& frame) {
    slot.env.Observe(ObsRow(frame.obs, row));
    frame.elapsed_step[row] = ElapsedInfo(slot);
    if constexpr (HasInfo<E>) {
      if constexpr (!SetsEveryInfo<E>) ClearInfos(frame, row);
      slot.env.Info(InfoRow(frame.info, frame.info_mask, row), after_reset);
    }
  }

  void Fail(std::uint32_t env, std::uint32_t row, const char* what, const BatchView& out,
            Tally& tally) {
    MarkFailed(env, what);
    ++tally.failures;
    ZeroRow(out, env, row, ElapsedInfo(slots_.get()[env]));
  }

  const typename E::Config env_config_;
  const typename E::Start default_start_;
  const std::int64_t step_limit_;
  const std::unique_ptr<Slot, SlotsDeleter> slots_;
  std::vector<std::uint8_t> constructed_;  // per environment; its holder
};

}  // namespace engine

#endif  // ENGINE_ENV_ENV_GROUP_OF_H_
