// NChain: move along a chain for a large reward at its end, or back to its start for a small one.
// The task is from Strens (2000), with the rules of gym 0.20's NChainEnv as in EnvPool's NChain.
// Each instance runs on one thread at a time.
#ifndef ENGINE_ENVS_TOY_TEXT_NCHAIN_H_
#define ENGINE_ENVS_TOY_TEXT_NCHAIN_H_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

#include "engine/env/environment.h"
#include "engine/envs/toy_text/board_picture.h"

namespace engine::toy_text {

class NChain {
 public:
  static constexpr bool kNeverWaits = true;

  static ParamSchema Options() {
    return {{.name = "n",
             .default_value = std::int64_t{5},
             .doc = "Number of states of the chain.",
             .low = 1.0,
             .high = static_cast<double>(std::numeric_limits<std::int32_t>::max())},
            {.name = "slip",
             .default_value = 0.2,
             .doc = "Probability that the other action is taken.",
             .low = 0.0,
             .high = 1.0},
            {.name = "small",
             .default_value = 2.0,
             .doc = "Reward for going back to the first state.",
             .low = {},
             .high = {}},
            {.name = "large",
             .default_value = 10.0,
             .doc = "Reward for going forward in the last state.",
             .low = {},
             .high = {}}};
  }
  static ParamSchema ResetOptions() { return {}; }

  static EnvSpec Spec(const ParamValues& options) {
    EnvSpec spec;
    spec.observation = SpaceSpec::Discrete(options.Get<std::int64_t>("n"));
    spec.action = SpaceSpec::Discrete(2);  // 0: to the next state, 1: back to the first state
    // The picture has no space for a longer chain.
    if (options.Get<std::int64_t>("n") <= kLongestDrawn) {
      spec.render = Config(options).picture.spec();
    }
    return spec;
  }

  struct Config {
    explicit Config(const ParamValues& options)
        : last_state(options.Get<std::int64_t>("n") - 1),
          slip(options.Get<double>("slip")),
          small_reward(options.Get<double>("small")),
          large_reward(options.Get<double>("large")),
          picture(last_state / kRow + 1, std::min(last_state + 1, kRow)) {}
    std::int64_t last_state;
    double slip;
    double small_reward;
    double large_reward;
    BoardPicture picture;  // shows the states row by row
  };

  struct Start {
    explicit Start(const ParamValues&) {}
  };

  explicit NChain(const Config& config) : config_(&config) {}

  void Reset(const Start&, Rng&) { state_ = 0; }

  StepResult Step(ActionView action, Rng& rng) {
    const bool slips = rng.Random() < config_->slip;
    const bool back = (action.Index() == 1) != slips;
    if (back) {
      state_ = 0;
      return {.reward = config_->small_reward};
    }
    if (state_ == config_->last_state) return {.reward = config_->large_reward};
    ++state_;
    return {};
  }

  void Observe(ObsRow row) const { *row.Data<std::int64_t>() = state_; }

  void Render(std::span<std::uint8_t> rgb) const {
    const BoardPicture& picture = config_->picture;
    picture.Clear(rgb);
    for (std::int64_t state = 0; state <= config_->last_state; ++state) {
      const bool last = state == config_->last_state;
      picture.Tile(rgb, state / kRow, state % kRow, last ? kRewardColour : BoardPicture::kTile);
    }
    picture.Piece(rgb, state_ / kRow, state_ % kRow, kAgentColour);
  }

  void Save(StateWriter& writer) const { writer.Put(state_); }
  void Load(StateReader& reader) {
    reader.GetWithin("the place in the chain", state_, 0, config_->last_state);
  }

 private:
  static constexpr std::int64_t kRow = 32;  // states per row of the picture
  static constexpr std::int64_t kLongestDrawn = 4096;
  static constexpr Rgb kRewardColour{245, 205, 90};
  static constexpr Rgb kAgentColour{60, 90, 160};

  std::int64_t state_ = 0;
  const Config* config_;
};

static_assert(std::is_trivially_copyable_v<NChain>);

}  // namespace engine::toy_text

#endif  // ENGINE_ENVS_TOY_TEXT_NCHAIN_H_
