// The interface of an environment: a plain class that satisfies the concept Environment below.
// There is no base class and no virtual call per step.
//
//   class Counter {
//    public:
//     // Spaces of observations and actions, and names of infos, as data.
//     static EnvSpec Spec(const ParamValues& options);
//     void Reset(const Start& start, Rng& rng);
//     StepResult Step(ActionView action, Rng& rng);
//     // In place of this Step, if the action space is a dict or a tuple (action_row.h).
//     StepResult Step(ActionRow action, Rng& rng);
//     // Must write every element of the observation.
//     void Observe(ObsRow row) const;
//     // With several players, other members take the place of Step and Observe (players.h).
//
//     // The members below are optional. Constructor options, as data.
//     static ParamSchema Options();
//     // Data that all instances of a pool share (a model, tables), built once from the options.
//     // It outlives the instances and does not move. A class without Config has a default
//     // constructor.
//     struct Config { explicit Config(const ParamValues& options); ... };
//     explicit Counter(const Config& config);
//     // Options of one reset, as data.
//     static ParamSchema ResetOptions();
//     // The checked options of one reset, in the class's own form. Its constructor throws
//     // Error{kOption} for options that do not fit together. Without Start, the class has
//     // `void Reset(Rng& rng)`.
//     struct Start { explicit Start(const ParamValues& reset_options); ... };
//     // Only with ActionRow or players: leaves that are float32 boxes keep the values of float64
//     // and integer actions; see ActionRow::IsFloat64 and PlayerActions::IsFloat64. Otherwise they
//     // are rounded to float32.
//     static constexpr bool kKeepsFloat64 = true;
//     // Only if the action space is a float32 box. Called instead of Step if the
//     // caller gave float64 or integer actions; the elements of `action` are then
//     // double. Without it such actions are rounded to float32.
//     StepResult StepFloat64(ActionView action, Rng& rng);
//     // Only if the class needs the seed itself. Called before the first Reset, and before
//     // every Reset with a seed. The engine has just seeded `rng` with `seed`; Seed may seed
//     // it differently. If the user gives no seed, `seed` is a random number.
//     void Seed(std::uint64_t seed, Rng& rng);
//     // In place of this Seed, if the start also depends on the environment's number in the pool.
//     void Seed(std::uint64_t seed, std::uint32_t env, Rng& rng);
//     // Only if a game may continue after an episode (StepResult::game_continues),
//     // and only with Seed. Called instead of Reset after such an episode: begins
//     // the next episode of the same game. Returns false if the game has ended
//     // meanwhile; the engine then calls Reset. It calls Reset, not Continue, for a reset
//     // with a seed or options, and for a reset by the user unless autoreset is disabled
//     // and the episode has ended.
//     bool Continue(Rng& rng);
//     // Required if Spec() names infos. Called after Reset (`after_reset` is true) and after Step
//     // (false).
//     void Info(InfoRow row, bool after_reset) const;
//     // Only if every call of Info sets every field: the engine then does not
//     // clear them.
//     static constexpr bool kSetsEveryInfo = true;
//     // Only if Spec() has a `render`: draws the state after the latest Reset or
//     // Step, as rows of RGB (height * width * 3 bytes).
//     void Render(std::span<std::uint8_t> rgb) const;
//     // Instead of Render, only if Spec() has a `scene_size`: writes the scene, the
//     // scene_size numbers that determine a picture of the current state. Code
//     // outside the engine draws the picture from them.
//     void Scene(std::span<double> scene) const;
//     // Only if episode statistics should sum another value than the reward (such as the
//     // reward before clipping). Returns the value of the latest Step.
//     double Score() const;
//     // Only if Render needs data that takes time or memory to maintain. Called after
//     // the constructor, and only if Render may be called later.
//     void EnableRender();
//     // Only if states of environments can be saved and loaded (state.h). Save writes all data
//     // that Step, Observe, Info and Render use and Config does not determine. The engine saves
//     // the generator and the progress of the episode. Load may be called for an object that has
//     // never been reset. If Load throws, the engine replaces the object.
//     void Save(StateWriter& state) const;
//     void Load(StateReader& state);
//     // Only if constants of an environment may be changed at any time (attributes.h). Attributes
//     // describes them, with the values that follow from a Config; the names and types are always
//     // the same. SetAttribute gets a value that AttributeSpec accepts, between two calls of other
//     // members. The engine repeats it for an instance that replaces a failed one, and saves the
//     // values with the state.
//     static std::vector<AttributeSpec> Attributes(const Config& config);
//     void SetAttribute(std::size_t index, std::span<const double> value);
//     // Only with Save. Increment it when Save changes: other versions of states are rejected.
//     static constexpr std::uint32_t kStateVersion = 1;
//     // Only if every Step and Reset is a short computation that never blocks on a
//     // lock, a file, another thread or Python: such steps may run in the calling
//     // thread with the GIL held and in larger chunks.
//     static constexpr bool kNeverWaits = true;
//     // Only if stepping several environments together is faster than one by one, as with SIMD
//     // instructions. Called in place of Step for several environments; the results must be
//     // bitwise equal to those of Step. If it throws, all environments of the range have failed.
//     // A class with StepFloat64 asks the range for each action's dtype.
//     static void StepMany(StepRange<Counter> range);
//     // Only with StepMany: the least number of environments for which it is called, if that is
//     // not 2. It may depend on the processor.
//     static std::uint32_t LeastTogether();
//   };
//
// The engine implements the step limit, autoreset, discount and episode counting. If a member
// throws, the engine marks the environment as failed until it is reset; other environments are not
// affected. Calls for one instance never overlap, but may come from different threads.
#ifndef ENGINE_ENV_ENVIRONMENT_H_
#define ENGINE_ENV_ENVIRONMENT_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "engine/base/rng.h"
#include "engine/control/step_result.h"
#include "engine/env/action_row.h"
#include "engine/env/attributes.h"
#include "engine/env/params.h"
#include "engine/env/players.h"
#include "engine/env/rows.h"
#include "engine/env/spec.h"
#include "engine/env/state.h"
#include "engine/env/step_range.h"

namespace engine {

// An environment whose actions have one leaf.
template <class E>
concept StepsView = requires(E env, ActionView action, Rng& rng) {
  { env.Step(action, rng) } -> std::same_as<StepResult>;
};

// An environment whose actions have any number of leaves.
template <class E>
concept StepsRow = requires(E env, ActionRow action, Rng& rng) {
  { env.Step(action, rng) } -> std::same_as<StepResult>;
};

// An environment of several players.
template <class E>
concept StepsPlayers =
    requires(E env, PlayerActions actions, std::span<PlayerResult> results, Rng& rng) {
      { env.Step(actions, results, rng) } -> std::same_as<StepResult>;
    };

// The Config or Start of a class that has none.
struct NoOptions {
  NoOptions() = default;
  explicit NoOptions(const ParamValues&) {}
};

namespace environment_internal {

template <class E>
struct ConfigOf {
  using Type = NoOptions;
};
template <class E>
  requires requires { typename E::Config; }
struct ConfigOf<E> {
  using Type = typename E::Config;
};

template <class E>
struct StartOf {
  using Type = NoOptions;
};
template <class E>
  requires requires { typename E::Start; }
struct StartOf<E> {
  using Type = typename E::Start;
};

}  // namespace environment_internal

// The Config, the Start and the options of a class, with defaults for those it does not define.
template <class E>
using ConfigOf = typename environment_internal::ConfigOf<E>::Type;
template <class E>
using StartOf = typename environment_internal::StartOf<E>::Type;
template <class E>
ParamSchema OptionsOf() {
  if constexpr (requires { E::Options(); }) {
    return E::Options();
  } else {
    return {};
  }
}
template <class E>
ParamSchema ResetOptionsOf() {
  if constexpr (requires { E::ResetOptions(); }) {
    return E::ResetOptions();
  } else {
    return {};
  }
}

template <class E>
inline constexpr bool kHasConfig = requires { typename E::Config; };
template <class E>
inline constexpr bool kHasStart = requires { typename E::Start; };

// The requirements of Steppable; check_environment.h has a message for each.
template <class E>
concept MadeFromConfig = (kHasConfig<E> && std::constructible_from<E, const ConfigOf<E>&>) ||
                         (!kHasConfig<E> && std::default_initializable<E>);
template <class E>
concept StartsFromOptions = std::constructible_from<StartOf<E>, const ParamValues&>;
template <class E>
concept Resets = requires(E env, const StartOf<E>& start, Rng& rng) {
  requires kHasStart<E>;
  { env.Reset(start, rng) } -> std::same_as<void>;
} || requires(E env, Rng& rng) {
  requires !kHasStart<E>;
  { env.Reset(rng) } -> std::same_as<void>;
};
template <class E>
concept Steps = StepsView<E> || StepsRow<E> || StepsPlayers<E>;
template <class E>
concept Observes = requires(const E& observed, ObsRow row) {
  requires !StepsPlayers<E>;
  { observed.Observe(row) } -> std::same_as<void>;
} || requires(const E& observed, std::size_t player, ObsRow row) {
  requires StepsPlayers<E>;
  { observed.Observe(player, row) } -> std::same_as<void>;
};
// A class that EnvGroupOf can step. Its Config may be made from any arguments.
template <class E>
concept Steppable =
    StartsFromOptions<E> && MadeFromConfig<E> && Resets<E> && Steps<E> && Observes<E>;

template <class E>
concept ConfiguredByOptions = std::constructible_from<ConfigOf<E>, const ParamValues&>;
template <class E>
concept DescribesSpaces = requires(const ParamValues& options) {
  { E::Spec(options) } -> std::same_as<EnvSpec>;
};

template <class E>
concept Environment = Steppable<E> && ConfiguredByOptions<E> && DescribesSpaces<E>;

// An environment that receives the seed itself, in addition to its seeded generator.
template <class E>
concept ReceivesSeedAndNumber =
    requires(E env, std::uint64_t seed, std::uint32_t number, Rng& rng) {
      { env.Seed(seed, number, rng) } -> std::same_as<void>;
    };
template <class E>
concept ReceivesSeed = requires(E env, std::uint64_t seed, Rng& rng) {
  { env.Seed(seed, rng) } -> std::same_as<void>;
} || ReceivesSeedAndNumber<E>;

// An environment whose game may continue after the end of an episode.
template <class E>
concept ContinuesGames = ReceivesSeed<E> && requires(E env, Rng& rng) {
  { env.Continue(rng) } -> std::same_as<bool>;
};

// An environment that accepts float64 actions in addition to those of its float32 action space.
template <class E>
concept StepsFloat64 = requires(E env, ActionView action, Rng& rng) {
  { env.StepFloat64(action, rng) } -> std::same_as<StepResult>;
};

// An environment that can read the float32 boxes of its ActionRow, or of its players' actions, as
// float64.
template <class E>
concept KeepsFloat64 = (StepsRow<E> || StepsPlayers<E>) && requires {
  typename std::bool_constant<E::kKeepsFloat64>;
} && E::kKeepsFloat64;

template <class E>
concept HasInfo = requires(const E& observed, InfoRow row) {
  { observed.Info(row, true) } -> std::same_as<void>;
};

template <class E>
concept SetsEveryInfo =
    HasInfo<E> && requires { typename std::bool_constant<E::kSetsEveryInfo>; } && E::kSetsEveryInfo;

// Only for environments of several players.
template <class E>
concept HasPlays = requires(const E& observed, std::size_t player) {
  { observed.Plays(player) } -> std::same_as<bool>;
};

template <class E>
concept HasPlayerInfo = requires(const E& observed, std::size_t player, InfoRow row) {
  { observed.PlayerInfo(player, row) } -> std::same_as<void>;
};

template <class E>
concept HasRender = requires(const E& observed, std::span<std::uint8_t> rgb) {
  { observed.Render(rgb) } -> std::same_as<void>;
};

template <class E>
concept HasScene = requires(const E& observed, std::span<double> scene) {
  { observed.Scene(scene) } -> std::same_as<void>;
};

template <class E>
concept HasScore = requires(const E& observed) {
  { observed.Score() } -> std::same_as<double>;
};

template <class E>
concept HasEnableRender = requires(E env) {
  { env.EnableRender() } -> std::same_as<void>;
};

template <class E>
concept SavesState = requires(E env, const E& saved, StateWriter& writer, StateReader& reader) {
  { saved.Save(writer) } -> std::same_as<void>;
  { env.Load(reader) } -> std::same_as<void>;
};
// The class's kStateVersion, or 0 if it has none.
template <class E>
constexpr std::uint32_t StateVersionOf() {
  if constexpr (requires { std::uint32_t{E::kStateVersion}; }) {
    return E::kStateVersion;
  } else {
    return 0;
  }
}

template <class E>
concept HasAttributes =
    requires(E env, const ConfigOf<E>& config, std::size_t index, std::span<const double> value) {
      { E::Attributes(config) } -> std::same_as<std::vector<AttributeSpec>>;
      { env.SetAttribute(index, value) } -> std::same_as<void>;
    };
// The attributes of environments with this Config.
template <class E>
std::vector<AttributeSpec> AttributesOf([[maybe_unused]] const ConfigOf<E>& config) {
  if constexpr (HasAttributes<E>) {
    return E::Attributes(config);
  } else {
    return {};
  }
}

// A class that steps several environments in one call.
template <class E>
concept StepsMany = requires(StepRange<E> range) {
  { E::StepMany(range) } -> std::same_as<void>;
};

template <class E>
concept HasLeastTogether = requires {
  { E::LeastTogether() } -> std::same_as<std::uint32_t>;
};
// The least number of environments for which StepMany is called.
template <StepsMany E>
std::uint32_t LeastTogether() {
  if constexpr (HasLeastTogether<E>) {
    return E::LeastTogether();
  } else {
    return 2;
  }
}

template <class E>
concept NeverWaits = requires { typename std::bool_constant<E::kNeverWaits>; } && E::kNeverWaits;

}  // namespace engine

#endif  // ENGINE_ENV_ENVIRONMENT_H_
