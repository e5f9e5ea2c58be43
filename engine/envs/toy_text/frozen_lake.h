// FrozenLake: cross slippery ice to the goal without falling into a hole. The rules, the maps and
// the random draws are those of Gymnasium 1.4.0's FrozenLakeEnv; results are bit-equal to
// Gymnasium's. Each instance runs on one thread at a time.
//
// Unlike in Gymnasium, a generated map depends on the seed. A reset with a seed generates the map
// of Gymnasium's generate_random_map for this seed, and the environment keeps the map until the
// next seed. (Gymnasium generates one map per environment, with a seed of the operating system.)
#ifndef ENGINE_ENVS_TOY_TEXT_FROZEN_LAKE_H_
#define ENGINE_ENVS_TOY_TEXT_FROZEN_LAKE_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/base/error.h"
#include "engine/env/environment.h"
#include "engine/envs/toy_text/categorical.h"
#include "engine/envs/toy_text/frozen_lake_map.h"

namespace engine::toy_text {

class FrozenLake {
 public:
  static constexpr bool kNeverWaits = true;

  static ParamSchema Options() { return OptionsOfMap("4x4"); }
  static ParamSchema OptionsOfMap(const std::string& name) {
    ParamSchema options = FrozenLakeMap::Options(name);
    options.push_back({.name = "is_slippery",
                       .default_value = true,
                       .doc = "Whether a move may go to either side instead.",
                       .low = {},
                       .high = {}});
    options.push_back(
        {.name = "success_rate",
         .default_value = 1.0 / 3.0,
         .doc = "Probability that a move on slippery ice goes in the chosen direction.",
         .low = 0.0,
         .high = 1.0});
    options.push_back({.name = "reward_schedule",
                       .default_value = std::vector<double>{1.0, 0.0, 0.0},
                       .doc = "Rewards for reaching the goal, a hole and any other tile.",
                       .low = {},
                       .high = {}});
    return options;
  }

  static ParamSchema ResetOptions() { return {}; }

  static EnvSpec Spec(const ParamValues& options) {
    ReadRewards(options);
    EnvSpec spec;
    spec.observation = SpaceSpec::Discrete(FrozenLakeMap(options).num_tiles());  // row by row
    spec.action = SpaceSpec::Discrete(4);  // 0: left, 1: down, 2: right, 3: up
    spec.infos = {{.name = "prob", .dtype = DType::kFloat64, .shape = {}}};
    spec.scene_size = 4;
    return spec;
  }

  struct Config {
    explicit Config(const ParamValues& options) : Config(FrozenLakeMap(options), options) {}

    // Returns the move: its two low bits are the kind of the tile on which it ends, and the other
    // bits are the state.
    std::uint32_t Move(std::int32_t state, std::size_t direction) const {
      return moves[4 * static_cast<std::size_t>(state) + direction];
    }

    SlipOutcomes outcomes;  // left, ahead, right
    StartStates starts;
    std::vector<std::uint32_t> moves;  // indexed by 4 * state + direction
    std::array<double, 4> rewards;     // indexed by Tile
    bool holes_are_drawn;

   private:
    Config(const FrozenLakeMap& map, const ParamValues& options);
  };

  struct Start {
    explicit Start(const ParamValues&) {}
  };

  explicit FrozenLake(const Config& config) : config_(&config) {}

  void Seed(std::uint64_t seed, Rng&) {
    if (config_->holes_are_drawn) drawn_holes_ = DrawFrozenLakeHoles(seed);
  }

  void Reset(const Start&, Rng& rng) {
    state_ = config_->starts.Draw(rng);
    last_action_ = kNoAction;
  }

  StepResult Step(ActionView action, Rng& rng) {
    last_action_ = static_cast<std::int8_t>(action.Index());
    outcome_ = static_cast<std::uint8_t>(config_->outcomes.Draw(rng));
    const std::size_t direction = (static_cast<std::size_t>(action.Index()) + 3 + outcome_) % 4;
    const std::uint32_t move = config_->Move(state_, direction);
    state_ = static_cast<std::int32_t>(move / 4);
    // If the map is given, no bit is set, so this is also correct for maps of more than 64 tiles.
    const std::uint64_t drawn_hole = drawn_holes_ >> (static_cast<unsigned>(state_) % 64) & 1;
    tile_ = static_cast<Tile>(move % 4 | static_cast<std::uint32_t>(drawn_hole));
    return {.reward = config_->rewards[tile_], .terminated = tile_ != kFrozen};
  }

  void Observe(ObsRow row) const { *row.Data<std::int64_t>() = state_; }

  static constexpr bool kSetsEveryInfo = true;
  // Sets "prob", the probability of the transition of the latest step (1 after a reset).
  void Info(InfoRow row, bool after_reset) const {
    const bool certain = after_reset || tile_ == kOver;
    row.Set<double>(0, certain ? 1.0 : config_->outcomes.Probability(outcome_));
  }

  // The observation; the action of the latest step, or -1 after a reset; the bits of
  // DrawFrozenLakeHoles of the upper four rows and of the lower four rows (0 if the holes are not
  // generated).
  void Scene(std::span<double> scene) const {
    scene[0] = state_;
    scene[1] = last_action_;
    scene[2] = static_cast<double>(static_cast<std::uint32_t>(drawn_holes_));
    scene[3] = static_cast<double>(drawn_holes_ >> 32U);
  }

  void Save(StateWriter& writer) const {
    writer.Put(state_);
    writer.Put(outcome_);
    writer.Put(tile_);
    writer.Put(last_action_);
    writer.Put(drawn_holes_);
  }
  void Load(StateReader& reader) {
    reader.GetWithin("the tile", state_, 0,
                     static_cast<std::int32_t>(config_->moves.size() / 4) - 1);
    reader.GetWithin("the outcome", outcome_, 0, SlipOutcomes::kCount - 1);
    std::uint8_t tile = kFrozen;
    reader.GetWithin("the kind of the tile", tile, kFrozen, kOver);
    tile_ = static_cast<Tile>(tile);
    reader.GetWithin("the latest action", last_action_, kNoAction, 3);
    reader.GetWithin("the holes", drawn_holes_, 0,
                     config_->holes_are_drawn ? ~std::uint64_t{0} : 0);
  }

 private:
  // A frozen tile whose hole bit is set is a hole. kOver means that the previous state was a hole
  // or the goal.
  enum Tile : std::uint8_t { kFrozen = 0, kHole = 1, kGoal = 2, kOver = 3 };

  static constexpr std::int8_t kNoAction = -1;

  // Returns the rewards, indexed by Tile. Throws Error{kOption} unless the schedule has three
  // numbers.
  static std::array<double, 4> ReadRewards(const ParamValues& options) {
    const auto& schedule = options.Get<std::vector<double>>("reward_schedule");
    if (schedule.size() != 3) {
      throw Error(ErrorKind::kOption,
                  "option \"reward_schedule\": expected three numbers (for the goal, a hole, any "
                  "other tile), got " +
                      std::to_string(schedule.size()));
    }
    return {schedule[2], schedule[1], schedule[0], 0.0};
  }

  static Tile TileOf(char letter) {
    return letter == 'G' ? kGoal : letter == 'H' ? kHole : kFrozen;
  }

  std::int32_t state_ = 0;
  std::uint8_t outcome_ = 0;             // of the latest step
  Tile tile_ = kFrozen;                  // on which the latest step ended
  std::int8_t last_action_ = kNoAction;  // for pictures
  std::uint64_t drawn_holes_ = 0;
  const Config* config_;
};

inline FrozenLake::Config::Config(const FrozenLakeMap& map, const ParamValues& options)
    : outcomes([&] {
        const bool slippery = options.Get<bool>("is_slippery");
        const double success = slippery ? options.Get<double>("success_rate") : 1.0;
        const double failure = (1.0 - success) / 2.0;
        return std::array{failure, success, failure};
      }()),
      starts([&] {
        std::vector<std::int32_t> states;
        for (std::int32_t state = 0; state < map.num_tiles(); ++state) {
          if (map.Letter(state / map.num_columns(), state % map.num_columns()) == 'S') {
            states.push_back(state);
          }
        }
        return states;
      }()),
      rewards(ReadRewards(options)),
      holes_are_drawn(map.holes_are_drawn()) {
  const std::int32_t last_row = map.num_rows() - 1;
  const std::int32_t last_column = map.num_columns() - 1;
  for (std::int32_t row = 0; row <= last_row; ++row) {
    for (std::int32_t column = 0; column <= last_column; ++column) {
      const bool over = TileOf(map.Letter(row, column)) != kFrozen;
      for (int direction = 0; direction < 4; ++direction) {
        static constexpr std::int32_t kDown[] = {0, 1, 0, -1};
        static constexpr std::int32_t kRight[] = {-1, 0, 1, 0};
        const std::int32_t to_row =
            over ? row : std::clamp(row + kDown[direction], std::int32_t{0}, last_row);
        const std::int32_t to_column =
            over ? column : std::clamp(column + kRight[direction], std::int32_t{0}, last_column);
        const Tile tile = over ? kOver : TileOf(map.Letter(to_row, to_column));
        moves.push_back(4 * static_cast<std::uint32_t>(to_row * map.num_columns() + to_column) +
                        tile);
      }
    }
  }
}

static_assert(std::is_trivially_copyable_v<FrozenLake>);

}  // namespace engine::toy_text

#endif  // ENGINE_ENVS_TOY_TEXT_FROZEN_LAKE_H_
