// CliffWalking: walk along a cliff to the goal; a fall leads back to the start. This is Example 6.6
// of Sutton and Barto's book, with the rules and the random draws of Gymnasium 1.4.0's
// CliffWalkingEnv; results are bit-equal to Gymnasium's. Each instance runs on one thread at a
// time.
#ifndef ENGINE_ENVS_TOY_TEXT_CLIFF_WALKING_H_
#define ENGINE_ENVS_TOY_TEXT_CLIFF_WALKING_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "engine/env/environment.h"
#include "engine/envs/toy_text/categorical.h"

namespace engine::toy_text {

class CliffWalking {
 public:
  static constexpr bool kNeverWaits = true;

  static ParamSchema Options() { return OptionsOf(false); }
  // `slippery`: the default value of the option.
  static ParamSchema OptionsOf(bool slippery) {
    return {{.name = "is_slippery",
             .default_value = slippery,
             .doc = "Whether a move goes to either side instead, with probability 1/3 each.",
             .low = {},
             .high = {}}};
  }
  static ParamSchema ResetOptions() { return {}; }

  static EnvSpec Spec(const ParamValues&) {
    EnvSpec spec;
    spec.observation = SpaceSpec::Discrete(kNumRows * kNumColumns);  // tile index, row by row
    spec.action = SpaceSpec::Discrete(4);  // 0: up, 1: right, 2: down, 3: left
    spec.infos = {{.name = "prob", .dtype = DType::kFloat64, .shape = {}}};
    spec.scene_size = 2;
    return spec;
  }

  struct Config {
    explicit Config(const ParamValues& options)
        : outcomes(options.Get<bool>("is_slippery") ? std::array{1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0}
                                                    : std::array{0.0, 1.0, 0.0}) {}
    SlipOutcomes outcomes;  // left, ahead, right
  };

  struct Start {
    explicit Start(const ParamValues&) {}
  };

  explicit CliffWalking(const Config& config) : config_(&config) {}

  void Reset(const Start&, Rng& rng) {
    rng.Random();  // the reference also draws a number for the single start
    row_ = kStartRow;
    column_ = 0;
    last_action_ = kNoAction;
  }

  StepResult Step(ActionView action, Rng& rng) {
    static constexpr int kDown[] = {-1, 0, 1, 0};
    static constexpr int kRight[] = {0, 1, 0, -1};
    last_action_ = static_cast<std::int8_t>(action.Index());
    outcome_ = static_cast<std::uint8_t>(config_->outcomes.Draw(rng));
    const std::size_t direction = (static_cast<std::size_t>(action.Index()) + 3 + outcome_) % 4;
    row_ = std::clamp(row_ + kDown[direction], 0, kNumRows - 1);
    column_ = std::clamp(column_ + kRight[direction], 0, kNumColumns - 1);
    if (row_ < kStartRow || column_ == 0) return {.reward = -1.0};
    if (column_ == kNumColumns - 1) return {.reward = -1.0, .terminated = true};
    column_ = 0;  // a fall; the start is in the same row
    return {.reward = -100.0};
  }

  void Observe(ObsRow row) const { *row.Data<std::int64_t>() = row_ * kNumColumns + column_; }

  static constexpr bool kSetsEveryInfo = true;
  // Sets "prob", the probability of the transition of the latest step (1 after a reset).
  void Info(InfoRow row, bool after_reset) const {
    row.Set<double>(0, after_reset ? 1.0 : config_->outcomes.Probability(outcome_));
  }

  // The observation; the action of the latest step, or -1 after a reset.
  void Scene(std::span<double> scene) const {
    scene[0] = row_ * kNumColumns + column_;
    scene[1] = last_action_;
  }

  void Save(StateWriter& state) const {
    state.Put(row_);
    state.Put(column_);
    state.Put(outcome_);
    state.Put(last_action_);
  }
  void Load(StateReader& state) {
    state.GetWithin("the row", row_, 0, kNumRows - 1);
    state.GetWithin("the column", column_, 0, kNumColumns - 1);
    state.GetWithin("the outcome", outcome_, 0, SlipOutcomes::kCount - 1);
    state.GetWithin("the latest action", last_action_, kNoAction, 3);
  }

 private:
  static constexpr int kNumRows = 4;
  static constexpr int kNumColumns = 12;
  static constexpr int kStartRow = kNumRows - 1;  // the row of the start, the cliff and the goal
  static constexpr std::int8_t kNoAction = -1;

  int row_ = kStartRow;
  int column_ = 0;
  std::uint8_t outcome_ = 0;             // of the latest step
  std::int8_t last_action_ = kNoAction;  // for pictures
  const Config* config_;
};

static_assert(std::is_trivially_copyable_v<CliffWalking>);

}  // namespace engine::toy_text

#endif  // ENGINE_ENVS_TOY_TEXT_CLIFF_WALKING_H_
