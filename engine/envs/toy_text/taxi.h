// Taxi: drive to a passenger and take the passenger to a destination. This is Dietterich's domain
// (2000), with the rules and the random draws of Gymnasium 1.4.0's TaxiEnv; results are bit-equal
// to Gymnasium's. Each instance runs on one thread at a time.
#ifndef ENGINE_ENVS_TOY_TEXT_TAXI_H_
#define ENGINE_ENVS_TOY_TEXT_TAXI_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/env/environment.h"
#include "engine/envs/toy_text/categorical.h"
#include "engine/envs/toy_text/taxi_town.h"

namespace engine::toy_text {

class Taxi {
 public:
  static constexpr bool kNeverWaits = true;

  static ParamSchema Options() {
    return {
        {.name = "is_rainy",
         .default_value = false,
         .doc = "Whether a move may go to either side instead.",
         .low = {},
         .high = {}},
        {.name = "fickle_passenger",
         .default_value = false,
         .doc = "Whether the passenger may change the destination at the first move of the ride.",
         .low = {},
         .high = {}},
        {.name = "rainy_probability",
         .default_value = 0.8,
         .doc = "Probability that a move in the rain goes in the chosen direction.",
         .low = 0.0,
         .high = 1.0},
        {.name = "fickle_probability",
         .default_value = 0.3,
         .doc = "Probability that a fickle passenger changes the destination.",
         .low = 0.0,
         .high = 1.0}};
  }
  static ParamSchema ResetOptions() { return {}; }

  static EnvSpec Spec(const ParamValues&) {
    EnvSpec spec;
    spec.observation = SpaceSpec::Discrete(TaxiState::kCount);
    // 0: south, 1: north, 2: east, 3: west, 4: pick the passenger up, 5: let the passenger out
    spec.action = SpaceSpec::Discrete(kNumActions);
    spec.infos = {{.name = "prob", .dtype = DType::kFloat64, .shape = {}},
                  {.name = "action_mask", .dtype = DType::kInt8, .shape = {kNumActions}}};
    spec.scene_size = 2;
    return spec;
  }

  // Has Gymnasium's names. There, the rain is an argument of the constructor only.
  struct Constants {
    bool fickle_passenger;
    double fickle_probability;  // from the next reset on
  };
  struct Config {
    explicit Config(const ParamValues& options)
        : rain([&] {
            const double success =
                options.Get<bool>("is_rainy") ? options.Get<double>("rainy_probability") : 1.0;
            const double failure = (1.0 - success) / 2.0;
            return SlipOutcomes({success, failure, failure});
          }()),
          constants{.fickle_passenger = options.Get<bool>("fickle_passenger"),
                    .fickle_probability = options.Get<double>("fickle_probability")} {}

    SlipOutcomes rain;  // of a move: ahead, left, right
    Constants constants;
    StartStates starts{TaxiState::Starts()};
    TaxiTown town;
  };

  struct Start {
    explicit Start(const ParamValues&) {}
  };

  explicit Taxi(const Config& config) : config_(&config), constants_(config.constants) {}

  static std::vector<AttributeSpec> Attributes(const Config& config) {
    return Describe(kAttributes, config.constants);
  }
  void SetAttribute(std::size_t index, std::span<const double> value) {
    constants_.Set(kAttributes[index], value);
  }

  void Reset(const Start&, Rng& rng) {
    state_ = TaxiState(config_->starts.Draw(rng));
    will_change_ = constants_->fickle_passenger && rng.Random() < constants_->fickle_probability;
    heading_ = 0;
  }

  StepResult Step(ActionView action, Rng& rng) {
    const auto index = static_cast<std::size_t>(action.Index());
    if (index < TaxiTown::kNumHeadings) {
      heading_ = static_cast<std::uint8_t>(index);
      outcome_ = static_cast<std::uint8_t>(config_->rain.Draw(rng));
      return Drive(config_->town.Move(state_.taxi, index, outcome_), rng);
    }
    rng.Random();  // the reference also draws a number for the single outcome
    outcome_ = kCertain;
    return index == kPickUp ? PickUp() : LetOut();
  }

  void Observe(ObsRow row) const { *row.Data<std::int64_t>() = state_.Index(); }

  static constexpr bool kSetsEveryInfo = true;
  // Sets "prob", the probability of the transition of the latest step (1 after a reset), and
  // "action_mask", which is 1 for each action that would change the state.
  void Info(InfoRow row, bool after_reset) const {
    const bool certain = after_reset || outcome_ == kCertain;
    row.Set<double>(0, certain ? 1.0 : config_->rain.Probability(outcome_));
    std::int8_t* mask = row.Data<std::int8_t>(1);
    const auto& open = config_->town.OpenHeadings(state_.taxi);
    std::copy(open.begin(), open.end(), mask);
    mask[kPickUp] = PassengerWaitsHere() ? 1 : 0;
    mask[kLetOut] = state_.InTaxi() && StandHere() != TaxiTown::kNoStand ? 1 : 0;
  }

  // The observation; the heading of the taxi (the latest move of the episode, or 0).
  void Scene(std::span<double> scene) const {
    scene[0] = state_.Index();
    scene[1] = heading_;
  }

  void Save(StateWriter& writer) const {
    writer.Put(state_);
    writer.Put(outcome_);
    writer.Put(will_change_);
    writer.Put(heading_);
  }
  void Load(StateReader& reader) {
    reader.GetWithin("the place of the taxi", state_.taxi, 0, TaxiTown::kNumPlaces - 1);
    reader.GetWithin("the place of the passenger", state_.passenger, 0, TaxiState::kInTaxi);
    reader.GetWithin("the destination", state_.destination, 0, TaxiTown::kNumStands - 1);
    reader.GetWithin("the outcome", outcome_, 0, kCertain);
    reader.Get(will_change_);
    reader.GetWithin("the heading", heading_, 0, TaxiTown::kNumHeadings - 1);
  }

 private:
  static constexpr Attribute<Constants> kAttributes[] = {
      AttributeOf<&Constants::fickle_passenger>("fickle_passenger"),
      AttributeOf<&Constants::fickle_probability>("fickle_probability")};

  static constexpr std::size_t kPickUp = 4;
  static constexpr std::size_t kLetOut = 5;
  static constexpr std::int64_t kNumActions = 6;
  static constexpr std::uint8_t kCertain = 3;  // outcome_ of an action with a single outcome

  StepResult Drive(std::int32_t to, Rng& rng) {
    const bool moved = to != state_.taxi;
    state_.taxi = to;
    if (constants_->fickle_passenger && will_change_ && state_.InTaxi() && moved) {
      will_change_ = false;
      const auto other = static_cast<std::int32_t>(rng.Choice(TaxiTown::kNumStands - 1));
      state_.destination = other < state_.destination ? other : other + 1;
    }
    return {.reward = -1.0};
  }

  bool PassengerWaitsHere() const {
    return StandHere() == state_.passenger;  // kInTaxi is not the index of a stand
  }
  std::int32_t StandHere() const { return config_->town.StandAt(state_.taxi); }

  StepResult PickUp() {
    if (!PassengerWaitsHere()) return {.reward = kIllegal};
    state_.passenger = TaxiState::kInTaxi;
    return {.reward = -1.0};
  }

  StepResult LetOut() {
    const std::int32_t stand = StandHere();
    if (!state_.InTaxi() || stand == TaxiTown::kNoStand) return {.reward = kIllegal};
    state_.passenger = stand;
    if (stand == state_.destination) return {.reward = 20.0, .terminated = true};
    return {.reward = -1.0};
  }

  static constexpr double kIllegal = -10.0;

  TaxiState state_;
  std::uint8_t outcome_ = kCertain;  // of the latest step
  bool will_change_ = false;  // the destination may change at the next move with the passenger
  std::uint8_t heading_ = 0;  // of the latest move; for pictures
  const Config* config_;
  SharedAttributes<Constants> constants_;
};

}  // namespace engine::toy_text

#endif  // ENGINE_ENVS_TOY_TEXT_TAXI_H_
