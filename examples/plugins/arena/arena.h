// Robots in an arena: an environment whose players join and leave during an episode.
#pragma once
#include <envpool.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

// Observation of a robot, a dict: "energy", float32 () in [0, 1]; "view", uint8 (5, 5), the cells
// around the robot: 0 empty, 1 food, 2 a robot, 3 outside. Actions: 0 stay, 1 up, 2 right, 3 down,
// 4 left. Every step costs energy. Food gives energy and a reward of 1. When robots meet in a cell,
// each robot with less energy than another is knocked out, and the strongest gets a reward of 1 for
// each. A robot that is knocked out or has no energy left ends with a reward of -1. Absent robots
// join at random. The episode ends when no robot is left.
class Arena {
 public:
  static constexpr bool kNeverWaits = true;

  static engine::ParamSchema Options() {
    return {{.name = "size",
             .default_value = std::int64_t{8},
             .doc = "rows and columns of the arena",
             .low = 5.0,
             .high = 64.0},
            {.name = "most",
             .default_value = std::int64_t{6},
             .doc = "most robots at a time",
             .low = 1.0,
             .high = 12.0},
            {.name = "start",
             .default_value = std::int64_t{3},
             .doc = "robots at the beginning, at most `most`",
             .low = 1.0,
             .high = 12.0},
            {.name = "food",
             .default_value = std::int64_t{5},
             .doc = "cells with food",
             .low = 0.0,
             .high = 12.0},
            {.name = "joins",
             .default_value = 0.02,
             .doc = "probability that an absent robot joins in a step",
             .low = 0.0,
             .high = 1.0}};
  }

  static engine::EnvSpec Spec(const engine::ParamValues& options) {
    engine::EnvSpec spec;
    spec.observation = engine::SpaceSpec::Dict(
        {{"energy", engine::SpaceSpec::Box<float>({}, 0.0F, 1.0F)},
         {"view", engine::SpaceSpec::Box<std::uint8_t>({kView, kView}, 0, kOutside)}});
    spec.action = engine::SpaceSpec::Discrete(kActions);
    spec.infos = {{.name = "robots", .dtype = engine::DType::kInt64}};
    spec.players = engine::PlayersSpec{
        .max_players = options.Get<std::int64_t>("most"),
        .vary = true,
        .infos = {{.name = "action_mask", .dtype = engine::DType::kInt8, .shape = {kActions}}}};
    return spec;
  }

  struct Config {
    explicit Config(const engine::ParamValues& options)
        : size(options.Get<std::int64_t>("size")),
          most(static_cast<std::size_t>(options.Get<std::int64_t>("most"))),
          start(static_cast<std::size_t>(options.Get<std::int64_t>("start"))),
          food(options.Get<std::int64_t>("food")),
          joins(options.Get<double>("joins")) {
      if (start > most) {
        throw engine::Error(engine::ErrorKind::kOption, "start: expected at most `most` robots");
      }
    }
    std::int64_t size;
    std::size_t most, start;
    std::int64_t food;
    double joins;
  };

  explicit Arena(const Config& config)
      : config_(&config),
        food_(static_cast<std::size_t>(config.size * config.size)),
        robots_(config.most) {}

  void Reset(engine::Rng& rng) {
    std::ranges::fill(food_, std::uint8_t{0});
    std::ranges::fill(robots_, Robot{});
    for (std::int64_t i = 0; i < config_->food; ++i) food_[FreeCell(rng)] = 1;
    for (std::size_t i = 0; i < config_->start; ++i) Join(robots_[i], rng);
  }

  engine::StepResult Step(engine::PlayerActions actions, std::span<engine::PlayerResult> results,
                          engine::Rng& rng) {
    for (std::size_t i = 0; i < robots_.size(); ++i) {
      if (!actions.Has(i)) continue;
      Robot& robot = robots_[i];
      Move(robot, actions.Of(i).Index());
      --robot.energy;
      if (food_[Cell(robot.row, robot.column)] == 0) continue;
      food_[Cell(robot.row, robot.column)] = 0;
      food_[FreeCell(rng)] = 1;
      robot.energy = std::min(robot.energy + kMeal, kMaxEnergy);
      results[i].reward += 1.0;
    }
    const std::vector<std::uint8_t> out = Fight(results);
    for (std::size_t i = 0; i < robots_.size(); ++i) {
      if (actions.Has(i) && (out[i] != 0 || robots_[i].energy <= 0)) {
        results[i].reward -= 1.0;
        results[i].terminated = true;
        robots_[i].plays = 0;
      } else if (!actions.Has(i) && rng.Random() < config_->joins) {
        Join(robots_[i], rng);
      }
    }
    return {.terminated = Count() == 0};
  }

  bool Plays(std::size_t player) const { return robots_[player].plays != 0; }

  void Observe(std::size_t player, engine::ObsRow row) const {
    const Robot& own = robots_[player];
    const auto energy = static_cast<float>(std::max<std::int64_t>(own.energy, 0));
    *row.Data<float>(0) = energy / static_cast<float>(kMaxEnergy);
    std::uint8_t* const view = row.Data<std::uint8_t>(1);
    const std::int64_t half = kView / 2;
    for (std::int64_t i = 0; i < kView * kView; ++i)
      view[i] = Seen(own.row + i / kView - half, own.column + i % kView - half);
  }

  void PlayerInfo(std::size_t player, engine::InfoRow row) const {
    const Robot& own = robots_[player];
    const std::int64_t last = config_->size - 1;
    std::int8_t* const mask = row.Data<std::int8_t>(0);
    mask[0] = 1;
    mask[1] = own.row > 0 ? 1 : 0;
    mask[2] = own.column < last ? 1 : 0;
    mask[3] = own.row < last ? 1 : 0;
    mask[4] = own.column > 0 ? 1 : 0;
  }

  void Info(engine::InfoRow row, bool /*after_reset*/) const { row.Set<std::int64_t>(0, Count()); }

  void Save(engine::StateWriter& state) const {
    state.PutAll(std::span(food_));
    state.PutAll(std::span(robots_));
  }
  void Load(engine::StateReader& state) {
    state.GetAll(std::span(food_));
    state.GetAll(std::span(robots_));
  }

 private:
  static constexpr std::int64_t kView = 5;
  static constexpr std::int64_t kActions = 5;
  static constexpr std::int64_t kMeal = 8;
  static constexpr std::int64_t kFirstEnergy = 12;
  static constexpr std::int64_t kMaxEnergy = 24;
  static constexpr std::uint8_t kFood = 1, kRobot = 2, kOutside = 3;

  // Four numbers of the same size: the struct has no padding, so it can be saved byte by byte.
  struct Robot {
    std::int64_t plays = 0;
    std::int64_t row = 0, column = 0;
    std::int64_t energy = 0;
  };

  std::size_t Cell(std::int64_t row, std::int64_t column) const {
    return static_cast<std::size_t>(row * config_->size + column);
  }

  bool IsRobotAt(std::int64_t row, std::int64_t column) const {
    return std::ranges::any_of(robots_, [&](const Robot& robot) {
      return robot.plays != 0 && robot.row == row && robot.column == column;
    });
  }

  std::size_t FreeCell(engine::Rng& rng) const {
    const std::int64_t size = config_->size;
    for (;;) {
      const std::int64_t cell = rng.Integers(0, size * size);
      if (food_[static_cast<std::size_t>(cell)] == 0 && !IsRobotAt(cell / size, cell % size))
        return static_cast<std::size_t>(cell);
    }
  }

  void Join(Robot& robot, engine::Rng& rng) const {
    const auto cell = static_cast<std::int64_t>(FreeCell(rng));
    robot = {.plays = 1,
             .row = cell / config_->size,
             .column = cell % config_->size,
             .energy = kFirstEnergy};
  }

  void Move(Robot& robot, std::int64_t action) const {
    static constexpr std::array<std::array<std::int64_t, 2>, kActions> kMoves = {
        {{0, 0}, {-1, 0}, {0, 1}, {1, 0}, {0, -1}}};
    const auto& move = kMoves[static_cast<std::size_t>(action)];
    robot.row = std::clamp<std::int64_t>(robot.row + move[0], 0, config_->size - 1);
    robot.column = std::clamp<std::int64_t>(robot.column + move[1], 0, config_->size - 1);
  }

  // Returns 1 for each robot that is knocked out, and rewards the robots that did it.
  std::vector<std::uint8_t> Fight(std::span<engine::PlayerResult> results) const {
    std::vector<std::uint8_t> out(robots_.size(), 0);
    for (std::size_t i = 0; i < robots_.size(); ++i) {
      // The strongest in its cell, by energy and then by its number.
      std::size_t strongest = i;
      for (std::size_t j = 0; j < robots_.size(); ++j) {
        if (Meet(i, j) && robots_[j].energy > robots_[strongest].energy) strongest = j;
      }
      if (strongest == i) continue;
      out[i] = 1;
      results[strongest].reward += 1.0;
    }
    return out;
  }

  bool Meet(std::size_t i, std::size_t j) const {
    const Robot& a = robots_[i];
    const Robot& b = robots_[j];
    return i != j && a.plays != 0 && b.plays != 0 && a.row == b.row && a.column == b.column;
  }

  std::uint8_t Seen(std::int64_t row, std::int64_t column) const {
    const std::int64_t last = config_->size - 1;
    if (row < 0 || row > last || column < 0 || column > last) return kOutside;
    if (IsRobotAt(row, column)) return kRobot;
    return food_[Cell(row, column)] != 0 ? kFood : std::uint8_t{0};
  }

  std::int64_t Count() const {
    return std::ranges::count_if(robots_, [](const Robot& robot) { return robot.plays != 0; });
  }

  const Config* config_;
  std::vector<std::uint8_t> food_;  // by cell; 1: food
  std::vector<Robot> robots_;
};
