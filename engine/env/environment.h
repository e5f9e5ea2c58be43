// What an environment author writes: one plain class that satisfies the concept below. There is no
// base class and no virtual call per step.
//
//   class Counter {
//    public:
//     // Constructor options, reset options and spaces, as data.
//     static ParamSchema Options();
//     static ParamSchema ResetOptions();
//     static EnvSpec Spec(const ParamValues& options);
//
//     // What all instances of a pool share, built once from the options (a
//     // model, tables). Outlives the instances and never moves.
//     struct Config { explicit Config(const ParamValues& options); ... };
//     // The options of one reset, checked: throw Error{kOption} here.
//     struct Start { explicit Start(const ParamValues& reset_options); ... };
//
//     explicit Counter(const Config& config);
//     void Reset(const Start& start, Rng& rng);
//     StepResult Step(ActionView action, Rng& rng);
//     // Instead, if the action space is a dict or a tuple (action_row.h).
//     StepResult Step(ActionRow action, Rng& rng);
//     // Only with ActionRow: leaves that are float32 boxes keep the values of float64
//     // and integer actions; see ActionRow::IsFloat64. Otherwise these are rounded to
//     // float32.
//     static constexpr bool kKeepsFloat64 = true;
//     // Only if its action space is a float32 box. Called instead of Step if the
//     // caller gave float64 or integer actions; the elements of `action` are then
//     // double. Without it such actions are rounded to float32.
//     StepResult StepFloat64(ActionView action, Rng& rng);
//     void Observe(ObsRow row) const;
//     // Only if it needs the seed itself: called before the first Reset, and before
//     // every Reset with a seed. `rng` has just been seeded with it, and may be
//     // reseeded here. If the user gives no seed, it is a random number.
//     void Seed(std::uint64_t seed, Rng& rng);
//     // Only if a game may continue after an episode (StepResult::game_continues),
//     // and only with Seed. Called instead of Reset after such an episode: begins
//     // the next episode of the same game. Returns false if the game ended
//     // meanwhile; a Reset follows. Reset is called for a reset with a seed or
//     // options, and for a reset that the user makes before the episode has ended.
//     bool Continue(Rng& rng);
//     // Only if Spec() names infos. Called after Reset and after Step;
//     // `after_reset` tells which.
//     void Info(InfoRow row, bool after_reset) const;
//     // Only if every call of Info sets every field: the engine then need not
//     // clear them.
//     static constexpr bool kSetsEveryInfo = true;
//     // Only if Spec() has a `render`: draws the state after the latest Reset or
//     // Step, as rows of RGB (height * width * 3 bytes).
//     void Render(std::span<std::uint8_t> rgb) const;
//     // Instead of Render, only if Spec() has a `scene_size`: writes the scene, the
//     // scene_size numbers that determine a picture of the present state. Code
//     // outside the engine draws the picture from them.
//     void Scene(std::span<double> scene) const;
//     // Only if statistics of episodes should add up other numbers than the rewards
//     // (such as the rewards before clipping): the number for the latest Step.
//     double Score() const;
//     // Only if Render needs data whose upkeep costs time or memory. Called after
//     // the constructor, and only if Render may be called later.
//     void EnableRender();
//     // Only if every Step and Reset is a short computation that never blocks on a
//     // lock, a file, another thread or Python: such steps may run in the calling
//     // thread with the GIL held and in larger chunks.
//     static constexpr bool kNeverWaits = true;
//   };
//
// The step limit, autoreset, discount and episode counting belong to the engine.
// An exception from any of these marks that one environment as failed until it
// is reset; instances never see one another. Calls for one instance never
// overlap, but may come from different threads.
#ifndef ENGINE_ENV_ENVIRONMENT_H_
#define ENGINE_ENV_ENVIRONMENT_H_

#include <concepts>
#include <cstdint>
#include <span>

#include "engine/base/rng.h"
#include "engine/control/step_result.h"
#include "engine/env/action_row.h"
#include "engine/env/params.h"
#include "engine/env/rows.h"
#include "engine/env/spec.h"

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

// What is stepped. Its Config may be made from anything.
template <class E>
concept Steppable =
    std::constructible_from<typename E::Start, const ParamValues&> &&
    std::constructible_from<E, const typename E::Config&> && (StepsView<E> || StepsRow<E>) &&
    requires(E env, const E& observed, const typename E::Start& start, Rng& rng, ObsRow row) {
      { E::ResetOptions() } -> std::same_as<ParamSchema>;
      { env.Reset(start, rng) } -> std::same_as<void>;
      { observed.Observe(row) } -> std::same_as<void>;
    };

template <class E>
concept Environment =
    Steppable<E> && std::constructible_from<typename E::Config, const ParamValues&> &&
    requires(const ParamValues& options) {
      { E::Options() } -> std::same_as<ParamSchema>;
      { E::Spec(options) } -> std::same_as<EnvSpec>;
    };

// An environment that receives the seed itself, in addition to its seeded generator.
template <class E>
concept ReceivesSeed = requires(E env, std::uint64_t seed, Rng& rng) {
  { env.Seed(seed, rng) } -> std::same_as<void>;
};

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

// An environment that reads the float32 boxes of its ActionRow in float64 too.
template <class E>
concept KeepsFloat64 = StepsRow<E> && E::kKeepsFloat64;

template <class E>
concept HasInfo = requires(const E& observed, InfoRow row) {
  { observed.Info(row, true) } -> std::same_as<void>;
};

template <class E>
concept SetsEveryInfo = HasInfo<E> && E::kSetsEveryInfo;

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
concept NeverWaits = E::kNeverWaits;

}  // namespace engine

#endif  // ENGINE_ENV_ENVIRONMENT_H_
