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
//     // Only if its action space is a float32 box and it computes with a float64
//     // action as it is: like Step, where the caller gave float64 or integers,
//     // and the elements of `action` are double. Without it such an action is
//     // rounded to float32.
//     StepResult StepFloat64(ActionView action, Rng& rng);
//     void Observe(ObsRow row) const;
//     // Only if it has to know the seed: called before the first Reset, and before
//     // the Reset of a seeded reset. `rng` has just been seeded with it, and may be
//     // seeded otherwise here. Where no user gives one, the seed is a random number.
//     void Seed(std::uint64_t seed, Rng& rng);
//     // Only if a game may go on after an episode (StepResult::game_continues), and
//     // only with Seed. Called in the place of Reset after such an episode: begins
//     // the next episode of the game. False: the game ended meanwhile; a Reset
//     // follows. A reset with a seed or options is a Reset, and so is one by the
//     // user that no end of an episode called for.
//     bool Continue(Rng& rng);
//     // Only if Spec() names infos; after Reset and after Step, `after_reset`
//     // says which.
//     void Info(InfoRow row, bool after_reset) const;
//     // Only if Info sets every field each time: spares the engine clearing them.
//     static constexpr bool kSetsEveryInfo = true;
//     // Only if Spec() has a picture (`render`): draws it as it is now, after a
//     // Reset or a Step: rows of RGB, height * width * 3 bytes.
//     void Render(std::span<std::uint8_t> rgb) const;
//     // Or, only if Spec() has a `scene_size`: what a picture of it as it is now
//     // shows, in as many numbers. It is drawn from them outside of the engine.
//     void Scene(std::span<double> scene) const;
//     // Only if the reward is not what statistics of episodes should add up (it is
//     // clipped, say): that of the latest Step.
//     double Score() const;
//     // Only if Render needs something kept that costs time or memory. Called
//     // after the constructor, and only where Render may be called later.
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
#include "engine/env/params.h"
#include "engine/env/rows.h"
#include "engine/env/spec.h"

namespace engine {

// What is stepped. Its Config may be made from anything.
template <class E>
concept Steppable = std::constructible_from<typename E::Start, const ParamValues&> &&
                    std::constructible_from<E, const typename E::Config&> &&
                    requires(E env, const E& observed, const typename E::Start& start, Rng& rng,
                             ActionView action, ObsRow row) {
                      { E::ResetOptions() } -> std::same_as<ParamSchema>;
                      { env.Reset(start, rng) } -> std::same_as<void>;
                      { env.Step(action, rng) } -> std::same_as<StepResult>;
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

// An environment whose game may go on after the end of an episode.
template <class E>
concept ContinuesGames = ReceivesSeed<E> && requires(E env, Rng& rng) {
  { env.Continue(rng) } -> std::same_as<bool>;
};

// An environment that takes float64 actions beside those of its float32 action space.
template <class E>
concept StepsFloat64 = requires(E env, ActionView action, Rng& rng) {
  { env.StepFloat64(action, rng) } -> std::same_as<StepResult>;
};

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
