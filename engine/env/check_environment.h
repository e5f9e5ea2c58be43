// Compiler messages for authors of environments: errors that say why a class is not an environment,
// and warnings about members that the engine does not call. Used by Registry::Add and EnvGroupOf.
#ifndef ENGINE_ENV_CHECK_ENVIRONMENT_H_
#define ENGINE_ENV_CHECK_ENVIRONMENT_H_

#include <concepts>
#include <string>
#include <type_traits>

#include "engine/base/error.h"
#include "engine/env/environment.h"

namespace engine {
namespace member_names {

// kNames##name<E>: whether E has a member of that name, of any type, even overloaded or private.
// With##name<E> inherits from E and from Only##name, which has the member. So the name is ambiguous
// in With##name<E> exactly if E has the member too. A final class cannot be inherited from; for a
// final class, only public members that are not overloaded are found.
#define ENGINE_DETECT_MEMBER(name)                                                      \
  struct Only##name {                                                                   \
    int name;                                                                           \
  };                                                                                    \
  template <class E>                                                                    \
  struct With##name : E, Only##name {};                                                 \
  template <class E>                                                                    \
  concept Ambiguous##name = !std::is_final_v<E> && !requires { &With##name<E>::name; }; \
  template <class E>                                                                    \
  concept Final##name = std::is_final_v<E> && requires { &E::name; };                   \
  template <class E>                                                                    \
  inline constexpr bool kNames##name = Ambiguous##name<E> || Final##name<E>;

ENGINE_DETECT_MEMBER(Spec)
ENGINE_DETECT_MEMBER(Reset)
ENGINE_DETECT_MEMBER(Step)
ENGINE_DETECT_MEMBER(Observe)
ENGINE_DETECT_MEMBER(Options)
ENGINE_DETECT_MEMBER(ResetOptions)
ENGINE_DETECT_MEMBER(StepFloat64)
ENGINE_DETECT_MEMBER(StepMany)
ENGINE_DETECT_MEMBER(LeastTogether)
ENGINE_DETECT_MEMBER(Seed)
ENGINE_DETECT_MEMBER(Continue)
ENGINE_DETECT_MEMBER(Info)
ENGINE_DETECT_MEMBER(Plays)
ENGINE_DETECT_MEMBER(PlayerInfo)
ENGINE_DETECT_MEMBER(Render)
ENGINE_DETECT_MEMBER(Scene)
ENGINE_DETECT_MEMBER(Score)
ENGINE_DETECT_MEMBER(EnableRender)
ENGINE_DETECT_MEMBER(Save)
ENGINE_DETECT_MEMBER(Load)
ENGINE_DETECT_MEMBER(SetAttribute)
ENGINE_DETECT_MEMBER(kNeverWaits)
ENGINE_DETECT_MEMBER(kSetsEveryInfo)
ENGINE_DETECT_MEMBER(kKeepsFloat64)
#undef ENGINE_DETECT_MEMBER

template <class E>
inline constexpr bool kOptionsFit = requires {
  { E::Options() } -> std::same_as<ParamSchema>;
};
template <class E>
inline constexpr bool kResetOptionsFit = requires {
  { E::ResetOptions() } -> std::same_as<ParamSchema>;
};
template <class E>
inline constexpr bool kNeverWaitsFits = requires { typename std::bool_constant<E::kNeverWaits>; };
template <class E>
inline constexpr bool kSetsEveryInfoFits =
    requires { typename std::bool_constant<E::kSetsEveryInfo>; };
template <class E>
inline constexpr bool kKeepsFloat64Fits =
    (StepsRow<E> || StepsPlayers<E>) && requires { typename std::bool_constant<E::kKeepsFloat64>; };

// A compiler warns about a type only through a call of a deprecated function.
#define ENGINE_WARNING(name, text) \
  template <class E>               \
  [[deprecated(text)]] constexpr void name() {}

ENGINE_WARNING(StepFloat64IsNeverCalled,
               "StepFloat64 is never called: it is not the public member "
               "`engine::StepResult StepFloat64(engine::ActionView action, engine::Rng& rng)`")
ENGINE_WARNING(StepManyIsNeverCalled,
               "StepMany is never called: it is not the public member "
               "`static void StepMany(engine::StepRange<E> range)`, with the class as E")
ENGINE_WARNING(LeastTogetherIsNeverCalled,
               "LeastTogether is never called: expected the public members "
               "`static std::uint32_t LeastTogether()` and StepMany")
ENGINE_WARNING(SeedIsNeverCalled,
               "Seed is never called: it is not the public member "
               "`void Seed(std::uint64_t seed, engine::Rng& rng)`")
ENGINE_WARNING(ContinueIsNeverCalled,
               "Continue is never called: expected the public members "
               "`bool Continue(engine::Rng& rng)` and "
               "`void Seed(std::uint64_t seed, engine::Rng& rng)`")
ENGINE_WARNING(RenderIsNeverCalled,
               "Render is never called: it is not the public member "
               "`void Render(std::span<std::uint8_t> rgb) const`")
ENGINE_WARNING(SceneIsNeverCalled,
               "Scene is never called: it is not the public member "
               "`void Scene(std::span<double> scene) const`")
ENGINE_WARNING(ScoreIsNeverCalled,
               "Score is never called: it is not the public member `double Score() const`")
ENGINE_WARNING(EnableRenderIsNeverCalled,
               "EnableRender is never called: it is not the public member `void EnableRender()`")
ENGINE_WARNING(
    SaveIsNeverCalled,
    "Save and Load are never called: expected the public members "
    "`void Save(engine::StateWriter& state) const` and `void Load(engine::StateReader& state)`")
ENGINE_WARNING(SetAttributeIsNeverCalled,
               "Attributes and SetAttribute are never called: expected the public members "
               "`static std::vector<engine::AttributeSpec> Attributes(const Config& config)` and "
               "`void SetAttribute(std::size_t index, std::span<const double> value)`")
ENGINE_WARNING(NeverWaitsHasNoEffect,
               "kNeverWaits has no effect: it is not the public member "
               "`static constexpr bool kNeverWaits`")
ENGINE_WARNING(SetsEveryInfoHasNoEffect,
               "kSetsEveryInfo has no effect: it is not the public member "
               "`static constexpr bool kSetsEveryInfo`")
ENGINE_WARNING(KeepsFloat64HasNoEffect,
               "kKeepsFloat64 has no effect: expected the public members "
               "`static constexpr bool kKeepsFloat64` and "
               "`engine::StepResult Step(engine::ActionRow action, engine::Rng& rng)`, or the Step "
               "of a class with players")
#undef ENGINE_WARNING

}  // namespace member_names

// Warns about each optional member that has the wrong type, because the engine never calls it.
template <class E>
constexpr void WarnOfUnusedMembers() {
  using namespace member_names;
  if constexpr (kNamesStepFloat64<E> && !StepsFloat64<E>) StepFloat64IsNeverCalled<E>();
  if constexpr (kNamesStepMany<E> && !StepsMany<E>) StepManyIsNeverCalled<E>();
  if constexpr (kNamesLeastTogether<E> && !(StepsMany<E> && HasLeastTogether<E>))
    LeastTogetherIsNeverCalled<E>();
  if constexpr (kNamesSeed<E> && !ReceivesSeed<E>) SeedIsNeverCalled<E>();
  if constexpr (kNamesContinue<E> && !ContinuesGames<E>) ContinueIsNeverCalled<E>();
  if constexpr (kNamesRender<E> && !HasRender<E>) RenderIsNeverCalled<E>();
  if constexpr (kNamesScene<E> && !HasScene<E>) SceneIsNeverCalled<E>();
  if constexpr (kNamesScore<E> && !HasScore<E>) ScoreIsNeverCalled<E>();
  if constexpr (kNamesEnableRender<E> && !HasEnableRender<E>) EnableRenderIsNeverCalled<E>();
  if constexpr ((kNamesSave<E> || kNamesLoad<E>) && !SavesState<E>) SaveIsNeverCalled<E>();
  if constexpr (kNamesSetAttribute<E> && !HasAttributes<E>) SetAttributeIsNeverCalled<E>();
  if constexpr (kNameskNeverWaits<E> && !kNeverWaitsFits<E>) NeverWaitsHasNoEffect<E>();
  if constexpr (kNameskSetsEveryInfo<E> && !kSetsEveryInfoFits<E>) SetsEveryInfoHasNoEffect<E>();
  if constexpr (kNameskKeepsFloat64<E> && !kKeepsFloat64Fits<E>) KeepsFloat64HasNoEffect<E>();
}

// Fails to compile, with one line for each reason why the class is not an environment.
template <class E>
constexpr void ExplainEnvironment() {
  using namespace member_names;
  static_assert(std::is_class_v<E>, "an environment is a class");
  static_assert(
      kNamesSpec<E>,
      "the class lacks `static engine::EnvSpec Spec(const engine::ParamValues& options)`");
  static_assert(kNamesReset<E>,
                "the class lacks `void Reset(const Start& start, engine::Rng& rng)` or, without a "
                "type Start, `void Reset(engine::Rng& rng)`");
  static_assert(kNamesStep<E>,
                "the class lacks "
                "`engine::StepResult Step(engine::ActionView action, engine::Rng& rng)`");
  static_assert(kNamesObserve<E>, "the class lacks `void Observe(engine::ObsRow row) const`");
  // The member exists, but has the wrong type.
  static_assert(!kNamesSpec<E> || DescribesSpaces<E>,
                "Spec is not the public member "
                "`static engine::EnvSpec Spec(const engine::ParamValues& options)`");
  static_assert(!kNamesReset<E> || !kHasStart<E> || Resets<E>,
                "Reset is not the public member "
                "`void Reset(const Start& start, engine::Rng& rng)`");
  static_assert(!kNamesReset<E> || kHasStart<E> || Resets<E>,
                "Reset of a class without a public type Start is not the public member "
                "`void Reset(engine::Rng& rng)`");
  static_assert(!kNamesStep<E> || Steps<E>,
                "Step is not the public member "
                "`engine::StepResult Step(engine::ActionView action, engine::Rng& rng)`, or the "
                "same with engine::ActionRow for actions of several leaves; with players: "
                "`engine::StepResult Step(engine::PlayerActions actions, "
                "std::span<engine::PlayerResult> results, engine::Rng& rng)`");
  static_assert(!(StepsView<E> && StepsRow<E>),
                "Step takes an engine::ActionView or an engine::ActionRow, not both");
  static_assert(!(StepsPlayers<E> && (StepsView<E> || StepsRow<E> || StepsFloat64<E>)),
                "a class with players has no other Step and no StepFloat64");
  static_assert(!StepsRow<E> || !StepsFloat64<E>,
                "a class whose Step takes an engine::ActionRow has kKeepsFloat64 in place of "
                "StepFloat64");
  static_assert(!kNamesObserve<E> || StepsPlayers<E> || Observes<E>,
                "Observe is not the public member `void Observe(engine::ObsRow row) const`");
  static_assert(!kNamesObserve<E> || !StepsPlayers<E> || Observes<E>,
                "Observe of a class with players is not the public member "
                "`void Observe(std::size_t player, engine::ObsRow row) const`");
  static_assert(!kNamesPlays<E> || !StepsPlayers<E> || HasPlays<E>,
                "Plays is not the public member `bool Plays(std::size_t player) const`");
  static_assert(!kNamesPlayerInfo<E> || !StepsPlayers<E> || HasPlayerInfo<E>,
                "PlayerInfo is not the public member "
                "`void PlayerInfo(std::size_t player, engine::InfoRow row) const`");
  static_assert(!kNamesOptions<E> || kOptionsFit<E>,
                "Options is not the public member `static engine::ParamSchema Options()`");
  static_assert(!kNamesResetOptions<E> || kResetOptionsFit<E>,
                "ResetOptions is not the public member "
                "`static engine::ParamSchema ResetOptions()`");
  static_assert(!kNamesResetOptions<E> || kHasStart<E>,
                "the class has ResetOptions and no public type Start that reads them: "
                "`struct Start { explicit Start(const engine::ParamValues& options); }`");
  static_assert(!kNamesOptions<E> || !kOptionsFit<E> || kHasConfig<E>,
                "the class has Options and no public type Config that reads them: "
                "`struct Config { explicit Config(const engine::ParamValues& options); }`");
  static_assert(
      ConfiguredByOptions<E>,
      "Config lacks the constructor `explicit Config(const engine::ParamValues& options)`");
  static_assert(bool{StartsFromOptions<E>},
                "Start lacks the constructor `explicit Start(const engine::ParamValues& options)`");
  static_assert(!kHasConfig<E> || MadeFromConfig<E>,
                "the class lacks a public constructor from `const Config& config`");
  static_assert(
      kHasConfig<E> || MadeFromConfig<E>,
      "a class without a public type Config lacks a public constructor without arguments");
  // Otherwise nothing would write the columns of the infos.
  static_assert(!kNamesInfo<E> || HasInfo<E>,
                "Info is not the public member "
                "`void Info(engine::InfoRow row, bool after_reset) const`");
  static_assert(!HasRender<E> || !HasScene<E>, "an environment has Render or Scene, not both");
}

// Whether ExplainEnvironment() compiles.
template <class E>
inline constexpr bool kIsEnvironment = [] {
  using namespace member_names;
  if constexpr (!Environment<E>) {
    return false;
  } else {
    return (!kNamesInfo<E> || HasInfo<E>) && !(HasRender<E> && HasScene<E>) &&
           !(StepsView<E> && StepsRow<E>) && !(StepsRow<E> && StepsFloat64<E>) &&
           !(StepsPlayers<E> && (StepsView<E> || StepsRow<E> || StepsFloat64<E> || StepsMany<E>)) &&
           (!StepsPlayers<E> ||
            ((!kNamesPlays<E> || HasPlays<E>) && (!kNamesPlayerInfo<E> || HasPlayerInfo<E>))) &&
           (!kNamesOptions<E> || (kOptionsFit<E> && kHasConfig<E>)) &&
           (!kNamesResetOptions<E> || (kResetOptionsFit<E> && kHasStart<E>));
  }
}();

// Throws Error{kInternal} if the spec names data that no member of the class writes.
template <class E>
void CheckMembers(const EnvSpec& spec) {
  const auto lacks = [](const std::string& member, const std::string& what) {
    throw Error(ErrorKind::kInternal,
                "the spec has " + what + ", and the class no `" + member + "`");
  };
  if (!HasInfo<E> && !spec.infos.empty()) {
    lacks("void Info(engine::InfoRow row, bool after_reset) const",
          "the info \"" + spec.infos[0].name + "\"");
  }
  if (!HasRender<E> && spec.render)
    lacks("void Render(std::span<std::uint8_t> rgb) const", "a picture");
  if (!HasScene<E> && spec.scene_size > 0)
    lacks("void Scene(std::span<double> scene) const", "a scene");
  const auto is_float32_box = [](const SpaceSpec& space) {
    return space.kind == SpaceKind::kBox && space.dtype == DType::kFloat32;
  };
  const auto does_not_fit = [](const std::string& what) {
    throw Error(ErrorKind::kInternal, what);
  };
  if (StepsPlayers<E> != spec.players.has_value()) {
    does_not_fit(spec.players
                     ? "the spec has players: expected the class to have "
                       "`engine::StepResult Step(engine::PlayerActions actions, "
                       "std::span<engine::PlayerResult> results, engine::Rng& rng)`"
                     : "the class has a Step for players: expected the spec to have players");
  }
  if (spec.players && spec.players->vary && !HasPlays<E>)
    lacks("bool Plays(std::size_t player) const", "players that vary");
  if (spec.players && !spec.players->infos.empty() && !HasPlayerInfo<E>) {
    lacks("void PlayerInfo(std::size_t player, engine::InfoRow row) const",
          "the info \"" + spec.players->infos[0].name + "\" of players");
  }
  if (!StepsRow<E> && !StepsPlayers<E> && !spec.action.is_leaf()) {
    does_not_fit(
        "the action space has children: expected the class to have "
        "`engine::StepResult Step(engine::ActionRow action, engine::Rng& rng)`");
  }
  if (StepsFloat64<E> && !is_float32_box(spec.action)) {
    does_not_fit("the class has StepFloat64, and the action space is not a float32 box");
  }
  if (KeepsFloat64<E>) {
    bool any = false;
    for (const SpaceSpec* leaf : spec.action.Leaves()) any = any || is_float32_box(*leaf);
    if (!any) does_not_fit("the class has kKeepsFloat64, and the action space no float32 box");
  }
}

}  // namespace engine

#endif  // ENGINE_ENV_CHECK_ENVIRONMENT_H_
