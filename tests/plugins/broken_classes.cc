// Classes that are not environments because of one mistake each, and one with members that are
// never called. It does not compile: test_compiler_messages.py reads the compiler's message for
// each.
#include <envpool.h>

#include <cstddef>
#include <cstdint>
#include <span>

// The members of all classes below, unless a class hides one of them.
struct Whole {
  static engine::EnvSpec Spec(const engine::ParamValues&) { return {}; }
  void Reset(engine::Rng&) {}
  engine::StepResult Step(engine::ActionView, engine::Rng&) { return {}; }
  void Observe(engine::ObsRow) const {}
};

struct NoSpec {
  void Reset(engine::Rng&) {}
  engine::StepResult Step(engine::ActionView, engine::Rng&) { return {}; }
  void Observe(engine::ObsRow) const {}
};
struct NoReset {
  static engine::EnvSpec Spec(const engine::ParamValues&) { return {}; }
  engine::StepResult Step(engine::ActionView, engine::Rng&) { return {}; }
  void Observe(engine::ObsRow) const {}
};
struct NoStep {
  static engine::EnvSpec Spec(const engine::ParamValues&) { return {}; }
  void Reset(engine::Rng&) {}
  void Observe(engine::ObsRow) const {}
};
struct NoObserve {
  static engine::EnvSpec Spec(const engine::ParamValues&) { return {}; }
  void Reset(engine::Rng&) {}
  engine::StepResult Step(engine::ActionView, engine::Rng&) { return {}; }
};

struct SpecWithoutOptions : Whole {
  static engine::EnvSpec Spec() { return {}; }
};
struct ResetWithoutRng : Whole {
  void Reset() {}
};
struct ResetWithoutStart : Whole {
  struct Start {
    explicit Start(const engine::ParamValues&) {}
  };
};
struct StepReturnsReward : Whole {
  double Step(engine::ActionView, engine::Rng&) { return 0.0; }
};
struct StepTakesEither : Whole {
  engine::StepResult Step(engine::ActionView, engine::Rng&) { return {}; }
  engine::StepResult Step(engine::ActionRow, engine::Rng&) { return {}; }
};
struct RowAndStepFloat64 : Whole {
  engine::StepResult Step(engine::ActionRow, engine::Rng&) { return {}; }
  engine::StepResult StepFloat64(engine::ActionView, engine::Rng&) { return {}; }
};
struct ObserveNotConst : Whole {
  void Observe(engine::ObsRow) {}
};
class PrivateObserve : public Whole {
  void Observe(engine::ObsRow) const {}
};
struct FinalObserve final {
  static engine::EnvSpec Spec(const engine::ParamValues&) { return {}; }
  void Reset(engine::Rng&) {}
  engine::StepResult Step(engine::ActionView, engine::Rng&) { return {}; }
  void Observe(engine::ObsRow) {}
};
struct InfoNotConst : Whole {
  void Info(engine::InfoRow, bool) {}
};
struct InfoWithoutAfterReset : Whole {
  void Info(engine::InfoRow) const {}
};
struct OptionsNotStatic : Whole {
  engine::ParamSchema Options() { return {}; }
};
struct OptionsWithoutConfig : Whole {
  static engine::ParamSchema Options() { return {}; }
};
struct ResetOptionsWithoutStart : Whole {
  static engine::ParamSchema ResetOptions() { return {}; }
};
struct ConfigWithoutOptions : Whole {
  struct Config {};
  explicit ConfigWithoutOptions(const Config&) {}
};
struct StartWithoutOptions : Whole {
  struct Start {};
  void Reset(const Start&, engine::Rng&) {}
};
struct NoConstructor : Whole {
  struct Config {
    explicit Config(const engine::ParamValues&) {}
  };
};
struct NoDefaultConstructor : Whole {
  explicit NoDefaultConstructor(int) {}
};
struct RenderAndScene : Whole {
  void Render(std::span<std::uint8_t>) const {}
  void Scene(std::span<double>) const {}
};
struct ReadsOptionAsInt : Whole {
  struct Config {
    explicit Config(const engine::ParamValues& options) : size(options.Get<int>("size")) {}
    int size;
  };
  static engine::ParamSchema Options() { return {}; }
  explicit ReadsOptionAsInt(const Config&) {}
};

// Mistakes of classes with players.
struct StepsItsPlayers : Whole {
  engine::StepResult Step(engine::PlayerActions, std::span<engine::PlayerResult>, engine::Rng&) {
    return {};
  }
};
struct ObserveWithoutPlayer : StepsItsPlayers {};
struct PlaysNotConst : StepsItsPlayers {
  void Observe(std::size_t, engine::ObsRow) const {}
  bool Plays(std::size_t) { return true; }
};
struct PlayerInfoWithoutPlayer : StepsItsPlayers {
  void Observe(std::size_t, engine::ObsRow) const {}
  void PlayerInfo(engine::InfoRow) const {}
};

// An environment with members that the engine never calls.
struct NearMisses : Whole {
  static const bool kNeverWaits;
  static const bool kSetsEveryInfo;
  static constexpr bool kKeepsFloat64 = true;
  void StepFloat64(engine::ActionView, engine::Rng&) {}
  void StepMany(engine::StepRange<NearMisses>) {}
  static std::uint32_t LeastTogether() { return 3; }
  void Seed(std::uint64_t) {}
  void Continue(engine::Rng&) {}
  void Render(std::span<std::uint8_t>) {}
  void Scene(std::span<float>) const {}
  float Score() const { return 0.0f; }
  void Save(engine::StateWriter&) {}

 private:
  void EnableRender() {}
};

ENVPOOL_PLUGIN(broken_classes) {
  registry.Add<NoSpec>("T-v0");
  registry.Add<NoReset>("T-v0");
  registry.Add<NoStep>("T-v0");
  registry.Add<NoObserve>("T-v0");
  registry.Add<SpecWithoutOptions>("T-v0");
  registry.Add<ResetWithoutRng>("T-v0");
  registry.Add<ResetWithoutStart>("T-v0");
  registry.Add<StepReturnsReward>("T-v0");
  registry.Add<StepTakesEither>("T-v0");
  registry.Add<RowAndStepFloat64>("T-v0");
  registry.Add<ObserveNotConst>("T-v0");
  registry.Add<PrivateObserve>("T-v0");
  registry.Add<FinalObserve>("T-v0");
  registry.Add<InfoNotConst>("T-v0");
  registry.Add<InfoWithoutAfterReset>("T-v0");
  registry.Add<OptionsNotStatic>("T-v0");
  registry.Add<OptionsWithoutConfig>("T-v0");
  registry.Add<ResetOptionsWithoutStart>("T-v0");
  registry.Add<ConfigWithoutOptions>("T-v0");
  registry.Add<StartWithoutOptions>("T-v0");
  registry.Add<NoConstructor>("T-v0");
  registry.Add<NoDefaultConstructor>("T-v0");
  registry.Add<RenderAndScene>("T-v0");
  registry.Add<ReadsOptionAsInt>("T-v0");
  registry.Add<ObserveWithoutPlayer>("T-v0");
  registry.Add<PlaysNotConst>("T-v0");
  registry.Add<PlayerInfoWithoutPlayer>("T-v0");
  registry.Add<NearMisses>("T-v0");
}
