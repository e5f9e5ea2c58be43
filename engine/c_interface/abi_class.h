// Implements the C interface of plug-ins (plugin_abi.h) for a C++ class: AbiClass<E> has the
// functions of envpool_task for the environment class E. It is compiled into the plug-in. The
// core's counterpart is AbiGroup.
#ifndef ENGINE_C_INTERFACE_ABI_CLASS_H_
#define ENGINE_C_INTERFACE_ABI_CLASS_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/c_interface/abi_convert.h"
#include "engine/c_interface/abi_items.h"
#include "engine/c_interface/plugin_abi.h"
#include "engine/env/check_environment.h"
#include "engine/env/environment.h"
#include "engine/env/step_range.h"
#include "engine/group/env_group.h"
#include "engine/group/env_slots.h"
#include "engine/group/given_attributes.h"

namespace engine {

// The environments of one pool.
template <Environment E>
class AbiClass {
 public:
  AbiClass(const ParamValues& options, std::uint32_t num_envs, bool draws)
      : spec_(E::Spec(options)),
        config_(std::make_shared<const ConfigOf<E>>(options)),
        configs_(num_envs),
        default_start_(ParamValues(ResetOptionsOf<E>(), {}, "reset option", "")),
        obs_fields_(ObsFields(spec_)),
        info_fields_(InfoFields(spec_.infos, "info")),
        attributes_(AttributesOf<E>(*config_)),
        given_attributes_(HasAttributes<E> ? num_envs : 0),
        slots_(num_envs, draws) {
    CheckMembers<E>(spec_);
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
    task.adopt = &Adopt;
    if (kHasStart<E>) {
      task.parse_start = &ParseStart;
      task.destroy_start = &DestroyStart;
    }
    if (HasRender<E> || HasScene<E>) task.draw = &Draw;
    if (HasAttributes<E>) {
      task.attributes = &Attributes;
      task.set_attribute = &SetAttribute;
    }
    if (SavesState<E>) {
      task.save = &Save;
      task.load = &Load;
    }
    return task;
  }

 private:
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
    return Guarded(errors, [&] {
      AbiClass& envs = Of(group);
      envs.slots_.Construct(
          begin, end, [&](std::uint32_t env) -> const ConfigOf<E>& { return envs.ConfigFor(env); });
    });
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
      if constexpr (SavesState<E>) Of(group).env(env).Save(writer);
      receiver->append(receiver->context, state.data(), state.size());
    });
  }
  static int Load(void* group, std::uint32_t env, const void* bytes, std::uint64_t count,
                  std::uint32_t flags, const envpool_errors* errors) {
    return Guarded(errors, [&] {
      AbiClass& envs = Of(group);
      if ((flags & ENVPOOL_REMAKE) != 0) envs.Remake(env);
      StateReader reader(std::string_view(static_cast<const char*>(bytes), count));
      if constexpr (SavesState<E>) envs.env(env).Load(reader);
      reader.ExpectEnd();
    });
  }

  static void Adopt(void* group, std::uint32_t env, void* other) {
    AbiClass& envs = Of(group);
    envs.slots_.Destroy(env);  // it uses the options that are replaced
    envs.configs_[env] = Of(other).config_;
    envs.given_attributes_.Clear(env);
  }

  static int Attributes(void* group, const envpool_attributes_receiver* receiver,
                        const envpool_errors* errors) {
    return Guarded(errors, [&] {
      AbiMemory memory;
      const std::vector<AttributeSpec>& attributes = Of(group).attributes_;
      receiver->take(receiver->context, memory.Attributes(attributes), attributes.size());
    });
  }
  static int SetAttribute(void* group, std::uint32_t env, std::uint64_t index, const double* value,
                          std::uint64_t count, const envpool_errors* errors) {
    return Guarded(errors, [&] {
      AbiClass& envs = Of(group);
      const std::span<const double> numbers(value, count);
      if constexpr (HasAttributes<E>) {
        if (envs.slots_.Has(env)) envs.env(env).SetAttribute(index, numbers);
      }
      envs.given_attributes_.Set(env, envs.attributes_, index, numbers);
    });
  }

  static AbiClass& Of(void* group) { return *static_cast<AbiClass*>(group); }

  const ConfigOf<E>& ConfigFor(std::uint32_t env) const {
    return configs_[env] == nullptr ? *config_ : *configs_[env];
  }
  E& env(std::uint32_t id) const { return slots_[id].env; }

  // Makes an environment again, with the attributes that it was given.
  void Remake(std::uint32_t id) {
    slots_.Renew(id, ConfigFor(id));
    if constexpr (HasAttributes<E>) {
      for (std::size_t index = 0; index < attributes_.size(); ++index) {
        const auto value = given_attributes_.Find(id, attributes_, index);
        if (!value.empty()) env(id).SetAttribute(index, value);
      }
    }
  }

  // --- Stepping.
  void StepItems(const envpool_step& call) {
    const ActionSlots actions = ActionsOf(call, spec_.action.dtype);
    Rng* const rngs = reinterpret_cast<Rng*>(call.rngs);
    bool leaves_items = false;  // whether StepMany has stepped the items, but those it left
    if constexpr (StepsMany<E>) {
      if (call.items.count >= LeastTogether<E>()) {
        if (!CallStepMany(call, rngs, actions)) return;
        leaves_items = true;
      }
    }
    E* const envs = &env(0);
    double* const rewards = call.rewards;
    double* const scores = call.scores;
    std::uint8_t* const ends = call.ends;
    ForEachItem(call.items, call.errors, [=](std::uint32_t k, std::uint32_t env) {
      if (!leaves_items || ends[k] == EndBits::kNotStepped) {
        const StepResult result = StepOne(envs[env], env, actions, rngs[env]);
        rewards[k] = result.reward;
        ends[k] = EndsOf(result);
      }
      if constexpr (HasScore<E>) {
        if (scores != nullptr) scores[k] = envs[env].Score();
      }
    });
  }

  // If StepMany throws, all its environments fail, because it is unknown which of them were
  // stepped. Returns whether it did not throw.
  bool CallStepMany(const envpool_step& call, Rng* rngs, const ActionSlots& actions) noexcept
    requires StepsMany<E>
  {
    try {
      const envpool_items& items = call.items;
      E::StepMany(StepRange<E>({items.ids, items.first, items.count, call.rewards, call.ends},
                               &env(0), sizeof(E), rngs, actions));
      return true;
    } catch (...) {
      for (std::uint32_t k = 0; k < call.items.count; ++k) ReportException(*call.errors, k);
      return false;
    }
  }

  // --- Resets.
  void ResetItems(const envpool_reset& call) {
    const auto* const given = static_cast<const StartOf<E>*>(call.start);
    const StartOf<E>& start = given == nullptr ? default_start_ : *given;
    ForEachItem(call.items, call.errors, [&](std::uint32_t k, std::uint32_t id) {
      Rng& rng = reinterpret_cast<Rng*>(call.rngs)[id];
      if constexpr (ContinuesGames<E>) {
        if ((call.flags[k] & ENVPOOL_CONTINUE) != 0) {
          call.results[k] = ENVPOOL_CONTINUED;
          if (env(id).Continue(rng)) return;
          call.results[k] = ENVPOOL_GAME_ENDED;
        }
      }
      if ((call.flags[k] & ENVPOOL_REMAKE) != 0) Remake(id);
      if constexpr (ReceivesSeed<E>) {
        if ((call.flags[k] & ENVPOOL_SEED) != 0) SeedOne(env(id), id, call.seeds[k], rng);
      }
      ResetOne(env(id), start, rng);
    });
  }

  // --- Rows.
  [[gnu::always_inline]] void ObserveItem(const envpool_observe& call, std::uint32_t k,
                                          std::uint32_t id) const {
    const E& instance = env(id);
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
                [&](std::uint32_t k, std::uint32_t id) { ObserveItem(call, k, id); });
  }

  void DrawItems(const envpool_draw& call) {
    ForEachItem(call.items, call.errors, [&](std::uint32_t k, std::uint32_t id) {
      DrawOne(env(id), call.pictures + k * call.picture_bytes, call.picture_bytes);
    });
  }

  const EnvSpec spec_;
  const std::shared_ptr<const ConfigOf<E>> config_;
  // By environment; null: config_. Written by the thread that holds the environment.
  std::vector<std::shared_ptr<const ConfigOf<E>>> configs_;
  const StartOf<E> default_start_;
  const RowFields obs_fields_;
  const RowFields info_fields_;
  const std::vector<AttributeSpec> attributes_;
  GivenAttributes given_attributes_;
  EnvSlots<E, EnvSlot<E>> slots_;
  static_assert(sizeof(EnvSlot<E>) == sizeof(E), "the slots are used as an array of E");
};

}  // namespace engine

#endif  // ENGINE_C_INTERFACE_ABI_CLASS_H_
