// A robot in a warehouse brings parcels to a door: a grid world whose observation is a dict.
#pragma once
#include <envpool.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

// Observation: "grid", uint8 (size, size), with 1 for a shelf; "robot" and "target", int32 (2), row
// and column; "carries", 1 if the robot carries a parcel, else 0. Actions: 0 up, 1 right, 2 down, 3
// left. The target is first a parcel, then the door. The reward is 1 for a parcel at the door, and
// -0.01 for every other step.
class Warehouse {
 public:
  static constexpr bool kNeverWaits = true;

  static engine::ParamSchema Options() {
    return {{.name = "size",
             .default_value = std::int64_t{7},
             .doc = "rows and columns of the grid",
             .low = 3.0,
             .high = 64.0},
            {.name = "shelves",
             .default_value = 0.15,
             .doc = "probability that a cell has a shelf",
             .low = 0.0,
             .high = 0.5}};
  }

  static engine::EnvSpec Spec(const engine::ParamValues& options) {
    const auto size = options.Get<std::int64_t>("size");
    const auto last = static_cast<std::int32_t>(size - 1);
    const auto place = engine::SpaceSpec::Box<std::int32_t>({2}, 0, last);
    engine::EnvSpec spec;
    spec.observation =
        engine::SpaceSpec::Dict({{"carries", engine::SpaceSpec::Discrete(2)},
                                 {"grid", engine::SpaceSpec::Box<std::uint8_t>({size, size}, 0, 1)},
                                 {"robot", place},
                                 {"target", place}});
    spec.action = engine::SpaceSpec::Discrete(4);
    spec.infos = {{.name = "delivered", .dtype = engine::DType::kInt64}};
    spec.render = engine::RenderSpec{.height = size * kTile, .width = size * kTile, .fps = 8};
    return spec;
  }

  struct Config {
    explicit Config(const engine::ParamValues& options)
        : size(options.Get<std::int64_t>("size")), shelves(options.Get<double>("shelves")) {}
    std::int64_t size;
    double shelves;
  };

  explicit Warehouse(const Config& config)
      : config_(&config), grid_(static_cast<std::size_t>(config.size * config.size)) {}

  void Reset(engine::Rng& rng) {
    for (std::uint8_t& cell : grid_) cell = rng.Random() < config_->shelves ? 1 : 0;
    robot_ = FreeCell(rng);
    target_ = FreeCell(rng);
    carries_ = false;
    delivered_ = 0;
  }

  engine::StepResult Step(engine::ActionView action, engine::Rng& rng) {
    static constexpr std::array<std::array<std::int32_t, 2>, 4> kMoves = {
        {{-1, 0}, {0, 1}, {1, 0}, {0, -1}}};
    const auto& move = kMoves[static_cast<std::size_t>(action.Index())];
    const Place to = {robot_.row + move[0], robot_.column + move[1]};
    if (Inside(to) && At(to) == 0) robot_ = to;
    if (!(robot_ == target_)) return {.reward = -0.01};
    carries_ = !carries_;
    target_ = FreeCell(rng);
    if (carries_) return {.reward = -0.01};
    ++delivered_;
    return {.reward = 1.0};
  }

  void Observe(engine::ObsRow row) const {
    // Access to leaves by name. Access by index (in the order of the dict) is faster.
    *row.Data<std::int64_t>("carries") = carries_ ? 1 : 0;
    std::ranges::copy(grid_, row.Data<std::uint8_t>("grid"));
    robot_.WriteTo(row.Data<std::int32_t>("robot"));
    target_.WriteTo(row.Data<std::int32_t>("target"));
  }

  void Info(engine::InfoRow row, bool /*after_reset*/) const { row.Set("delivered", delivered_); }

  void Render(std::span<std::uint8_t> rgb) const {
    const std::int64_t side = config_->size * kTile;
    engine::Canvas canvas(rgb, {.height = side, .width = side});
    canvas.Clear({245, 245, 240});
    for (std::int32_t r = 0; r < config_->size; ++r) {
      for (std::int32_t c = 0; c < config_->size; ++c) {
        if (At({r, c}) == 0) continue;
        canvas.FillRect(c * kTile + 1, r * kTile + 1, (c + 1) * kTile - 1, (r + 1) * kTile - 1,
                        {120, 90, 60});
      }
    }
    const auto middle = [](std::int32_t cell) { return (cell + 0.5) * kTile; };
    canvas.Circle(middle(target_.column), middle(target_.row), kTile / 3.0, {200, 30, 30}, 2.0);
    canvas.FillCircle(middle(robot_.column), middle(robot_.row), kTile / 3.0, {40, 90, 200});
    canvas.Text(2, 2, std::to_string(delivered_), {0, 0, 0});
  }

  // With Save and Load, pools can save and load states.
  void Save(engine::StateWriter& state) const {
    state.PutAll(std::span(grid_));
    state.Put(robot_);
    state.Put(target_);
    state.Put(carries_);
    state.Put(delivered_);
  }
  void Load(engine::StateReader& state) {
    state.GetAll(std::span(grid_));
    state.Get(robot_);
    state.Get(target_);
    state.Get(carries_);
    state.Get(delivered_);
  }

 private:
  static constexpr std::int64_t kTile = 16;  // pixels

  struct Place {
    std::int32_t row = 0;
    std::int32_t column = 0;

    void WriteTo(std::int32_t* pair) const {
      pair[0] = row;
      pair[1] = column;
    }
    friend bool operator==(const Place&, const Place&) = default;
  };

  bool Inside(Place place) const {
    return place.row >= 0 && place.row < config_->size && place.column >= 0 &&
           place.column < config_->size;
  }
  std::uint8_t At(Place place) const {
    return grid_[static_cast<std::size_t>(place.row * config_->size + place.column)];
  }
  // Removes a shelf instead of searching for a cell without one.
  Place FreeCell(engine::Rng& rng) {
    const auto cell = rng.Integers(config_->size * config_->size);
    grid_[static_cast<std::size_t>(cell)] = 0;
    return {static_cast<std::int32_t>(cell / config_->size),
            static_cast<std::int32_t>(cell % config_->size)};
  }

  const Config* config_;
  std::vector<std::uint8_t> grid_;  // 1: a shelf
  Place robot_;
  Place target_;
  bool carries_ = false;
  std::int64_t delivered_ = 0;  // parcels of this episode
};
