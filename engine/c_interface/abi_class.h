// Implements the C interface of plug-ins (plugin_abi.h) for a C++ class: AbiClass<E> has the
// functions of envpool_task for the environment class E. It is compiled into the plug-in. The
// core's counterpart is AbiGroup.
#ifndef ENGINE_C_INTERFACE_ABI_CLASS_H_
#define ENGINE_C_INTERFACE_ABI_CLASS_H_

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/cache_line.h"
#include "engine/c_interface/abi_convert.h"
#include "engine/c_interface/abi_items.h"
#include "engine/c_interface/plugin_abi.h"
#include "engine/env/check_environment.h"
#include "engine/env/environment.h"
#include "engine/env/step_range.h"
#include "engine/group/env_group.h"

namespace engine {

// The environments of one pool.
template <Environment E>
class AbiClass {
 public:
  AbiClass(const ParamValues& options, std::uint32_t num_envs, bool draws)
      : spec_(E::Spec(options)),
        config_(options),
        default_start_(ParamValues(ResetOptionsOf<E>(), {}, "reset option", "")),
        obs_fields_(ObsFields(spec_)),
        info_fields_(InfoFields(spec_.infos, "info")),
        draws_(draws),
        envs_(static_cast<E*>(::operator new(sizeof(E) * num_envs, kAlignment))),
        constructed_(num_envs, 0) {
    CheckMembers<E>(spec_);
  }
  ~AbiClass() {
    for (std::size_t env = 0; env < constructed_.size(); ++env) {
      if (constructed_[env] != 0) Destroy(static_cast<std::uint32_t>(env));
    }
  }
  AbiClass(const AbiClass&) = delete;
  AbiClass& operator=(const AbiClass&) = delete;

  // Returns a task with all members that the class determines.
  static envpool_task Functions() {
    envpool_task task{};
    task.size = sizeof(envpool_task);
    const auto trait = [&](bool has, std::uint64_t bit) { task.traits |= has ? bit : 0U; };
    trait(NeverWaits<E>, ENVPOOL_NEVER_WAITS);
    trait(StepsFloat64<E>, ENVPOOL_STEPS_FLOAT64);
    trait(StepsRow<E>, ENVPOOL_STEPS_LEAVES);
    trait(KeepsFloat64<E>, ENVPOOL_KEEPS_FLOAT64);
    trait(ReceivesSeed<E>, ENVPOOL_RECEIVES_SEED);
    trait(ContinuesGames<E>, ENVPOOL_CONTINUES_GAMES);
    trait(SetsEveryInfo<E>, ENVPOOL_SETS_EVERY_INFO);
    trait(HasScore<E>, ENVPOOL_HAS_SCORE);
    task.state_version = StateVersionOf<E>();
    task.describe = &Describe;
    task.make = &MakeGroup;
    task.destroy = &DestroyGroup;
    task.construct = &Construct;
    task.reset = &Reset;
    task.step = &Step;
    task.observe = &Observe;
    if (kHasStart<E>) {
      task.parse_start = &ParseStart;
      task.destroy_start = &DestroyStart;
    }
    if (HasRender<E> || HasScene<E>) task.draw = &Draw;
    if (SavesState<E>) {
      task.save = &Save;
      task.load = &Load;
    }
    return task;
  }

 private:
  static constexpr std::align_val_t kAlignment{std::max(alignof(E), kCacheLineBytes)};
  struct EnvsDeleter {
    void operator()(E* envs) const { ::operator delete(envs, kAlignment); }
  };

  // --- The functions of envpool_task.
  static int Describe(const envpool_task*, const envpool_options* options,
                      const envpool_spec_receiver* receiver, const envpool_errors* errors) {
    return Guarded(errors, [&] {
      const EnvSpec spec = E::Spec(ParamValuesOf(*options));
      CheckMembers<E>(spec);
      AbiMemory memory;
      const envpool_spec described = memory.Spec(spec);
      receiver->take(receiver->context, &described);
    });
  }
  static int MakeGroup(const envpool_task*, const envpool_make* call, void** group,
                       const envpool_errors* errors) {
    return Guarded(errors, [&] {
      *group = new AbiClass(ParamValuesOf(call->options), call->num_envs, call->draws != 0);
    });
  }
  static void DestroyGroup(void* group) { delete &Of(group); }
  static int Construct(void* group, std::uint32_t begin, std::uint32_t end,
                       const envpool_errors* errors) {
    return Guarded(errors, [&] { Of(group).MakeAll(begin, end); });
  }
  static int ParseStart(const envpool_task*, const envpool_options* options, void** start,
                        const envpool_errors* errors) {
    return Guarded(errors, [&] { *start = new StartOf<E>(ParamValuesOf(*options)); });
  }
  static void DestroyStart(void* start) { delete static_cast<StartOf<E>*>(start); }
  static void Reset(void* group, const envpool_reset* call) { Of(group).ResetItems(*call); }
  static void Step(void* group, const envpool_step* call) { Of(group).StepItems(*call); }
  static void Observe(void* group, const envpool_observe* call) { Of(group).ObserveItems(*call); }
  static void Draw(void* group, const envpool_draw* call) { Of(group).DrawItems(*call); }
  static int Save(void* group, std::uint32_t env, const envpool_bytes_receiver* receiver,
                  const envpool_errors* errors) {
    return Guarded(errors, [&] {
      std::string state;
      StateWriter writer(state);
      if constexpr (SavesState<E>) Of(group).envs_.get()[env].Save(writer);
      receiver->append(receiver->context, state.data(), state.size());
    });
  }
  static int Load(void* group, std::uint32_t env, const void* bytes, std::uint64_t count,
                  std::uint32_t flags, const envpool_errors* errors) {
    return Guarded(errors, [&] {
      if ((flags & ENVPOOL_REMAKE) != 0) Of(group).Remake(env);
      StateReader reader(std::string_view(static_cast<const char*>(bytes), count));
      if constexpr (SavesState<E>) Of(group).envs_.get()[env].Load(reader);
      reader.ExpectEnd();
    });
  }

  static AbiClass& Of(void* group) { return *static_cast<AbiClass*>(group); }

  // --- Making environments.
  void Make(std::uint32_t env) {
    E* const place = envs_.get() + env;
    if constexpr (kHasConfig<E>) {
      std::construct_at(place, config_);
    } else {
      std::construct_at(place);
    }
    constructed_[env] = 1;
    if constexpr (HasEnableRender<E>) {
      if (draws_) place->EnableRender();
    }
  }
  void Destroy(std::uint32_t env) {
    std::destroy_at(envs_.get() + env);
    constructed_[env] = 0;
  }
  void Remake(std::uint32_t env) {
    if (constructed_[env] != 0) Destroy(env);
    Make(env);
  }
  void MakeAll(std::uint32_t begin, std::uint32_t end) {
    std::uint32_t env = begin;
    try {
      for (; env < end; ++env) Make(env);
    } catch (...) {
      // If EnableRender threw, the environment exists.
      if (constructed_[env] != 0) Destroy(env);
      while (env > begin) Destroy(--env);
      throw;
    }
  }

  // --- Stepping.
  void StepItems(const envpool_step& call) {
    const ActionSlots actions = ActionsOf(call);
    Rng* const rngs = reinterpret_cast<Rng*>(call.rngs);
    if constexpr (StepsMany<E>) {
      if (call.items.count > 1) {
        StepTogether(call, rngs, actions);
        return;
      }
    }
    E* const envs = envs_.get();
    double* const rewards = call.rewards;
    double* const scores = call.scores;
    std::uint8_t* const ends = call.ends;
    ForEachItem(call.items, call.errors, [=](std::uint32_t k, std::uint32_t env) {
      const StepResult result = Advance(envs[env], env, actions, rngs[env]);
      rewards[k] = result.reward;
      ends[k] = EndsOf(result);
      if constexpr (HasScore<E>) {
        if (scores != nullptr) scores[k] = envs[env].Score();
      }
    });
  }

  static StepResult Advance(E& env, std::uint32_t id, const ActionSlots& actions, Rng& rng) {
    if constexpr (StepsRow<E>) {
      return env.Step(actions.RowOf(id), rng);
    } else {
      if constexpr (StepsFloat64<E>) {
        if (actions.is_float64[id] != 0) [[unlikely]]
          return env.StepFloat64(actions.Float64Of(id), rng);
      }
      return env.Step(actions.Of(id), rng);
    }
  }

  // If StepMany throws, all its environments fail, because it is unknown which of them were
  // stepped.
  void StepTogether(const envpool_step& call, Rng* rngs, const ActionSlots& actions) noexcept {
    if constexpr (StepsMany<E>) {
      try {
        const envpool_items& items = call.items;
        E::StepMany(StepRange<E>({items.ids, items.first, items.count, call.rewards, call.ends},
                                 envs_.get(), rngs, actions));
      } catch (...) {
        for (std::uint32_t k = 0; k < call.items.count; ++k) ReportException(*call.errors, k);
        return;
      }
      if constexpr (HasScore<E>) {
        if (call.scores == nullptr) return;
        ForEachItem(call.items, call.errors, [&](std::uint32_t k, std::uint32_t env) {
          call.scores[k] = envs_.get()[env].Score();
        });
      }
    }
  }

  // --- Resets.
  void ResetItems(const envpool_reset& call) {
    const auto* const given = static_cast<const StartOf<E>*>(call.start);
    const StartOf<E>& start = given == nullptr ? default_start_ : *given;
    ForEachItem(call.items, call.errors, [&](std::uint32_t k, std::uint32_t env) {
      Rng& rng = reinterpret_cast<Rng*>(call.rngs)[env];
      if constexpr (ContinuesGames<E>) {
        if ((call.flags[k] & ENVPOOL_CONTINUE) != 0) {
          call.results[k] = ENVPOOL_CONTINUED;
          if (envs_.get()[env].Continue(rng)) return;
          call.results[k] = ENVPOOL_GAME_ENDED;
        }
      }
      if ((call.flags[k] & ENVPOOL_REMAKE) != 0) Remake(env);
      E& instance = envs_.get()[env];
      if constexpr (ReceivesSeed<E>) {
        if ((call.flags[k] & ENVPOOL_SEED) != 0) instance.Seed(call.seeds[k], rng);
      }
      if constexpr (kHasStart<E>) {
        instance.Reset(start, rng);
      } else {
        instance.Reset(rng);
      }
    });
  }

  // --- Rows.
  [[gnu::always_inline]] void ObserveItem(const envpool_observe& call, std::uint32_t k,
                                          std::uint32_t env) const {
    const E& instance = envs_.get()[env];
    const std::uint32_t row = envpool_row(&call, k);
    instance.Observe(ObsRow(reinterpret_cast<const Column*>(call.observation), row, &obs_fields_));
    if constexpr (HasInfo<E>) {
      if (call.infos == nullptr) return;
      instance.Info(InfoRow(reinterpret_cast<const Column*>(call.infos),
                            reinterpret_cast<const Column*>(call.info_masks), row, &info_fields_),
                    call.after_reset[k] != 0);
    }
  }
  void ObserveItems(const envpool_observe& observe) {
    const envpool_observe call = observe;
    ForEachItem(call.items, call.errors,
                [&](std::uint32_t k, std::uint32_t env) { ObserveItem(call, k, env); });
  }

  void DrawItems(const envpool_draw& call) {
    ForEachItem(call.items, call.errors, [&](std::uint32_t k, std::uint32_t env) {
      unsigned char* const picture = call.pictures + k * call.picture_bytes;
      if constexpr (HasRender<E>) {
        envs_.get()[env].Render(std::span<std::uint8_t>(picture, call.picture_bytes));
      } else if constexpr (HasScene<E>) {
        envs_.get()[env].Scene(std::span<double>(reinterpret_cast<double*>(picture),
                                                 call.picture_bytes / sizeof(double)));
      }
    });
  }

  const EnvSpec spec_;
  const ConfigOf<E> config_;
  const StartOf<E> default_start_;
  const RowFields obs_fields_;
  const RowFields info_fields_;
  const bool draws_;
  const std::unique_ptr<E, EnvsDeleter> envs_;
  // Per environment: 1 if it exists. Written by the thread that holds the environment.
  std::vector<std::uint8_t> constructed_;
};

}  // namespace engine

#endif  // ENGINE_C_INTERFACE_ABI_CLASS_H_
