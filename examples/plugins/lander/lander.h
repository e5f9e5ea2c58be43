// A rocket lands on a pad: continuous actions, options of a reset, float64 actions, an array info.
#pragma once
#include <envpool.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

// Observation: float64 (6): x, y (m), their velocities (m/s), angle (rad, 0: upright) and its
// velocity (rad/s). Action: float32 (2) in [-1, 1]: the main engine (below 0: off) and the torque.
// The reward is the gain in a potential (near the pad, slow, upright), minus the fuel; a soft
// landing adds 10, a crash subtracts 10.
class Lander {
 public:
  static constexpr bool kNeverWaits = true;
  static constexpr std::uint32_t kStateVersion = 1;

  static engine::ParamSchema Options() {
    return {{.name = "gravity",
             .default_value = 1.6,
             .doc = "acceleration of gravity, m/s^2",
             .low = 0.0,
             .high = 20.0},
            {.name = "wind",
             .default_value = 0.2,
             .doc = "standard deviation of the wind's acceleration, m/s^2",
             .low = 0.0,
             .high = 5.0}};
  }
  static engine::ParamSchema ResetOptions() {
    return {{.name = "height",
             .default_value = 10.0,
             .doc = "height at the start, m",
             .low = 1.0,
             .high = 50.0}};
  }
  static engine::EnvSpec Spec(const engine::ParamValues&) {
    constexpr double kAny = std::numeric_limits<double>::infinity();
    engine::EnvSpec spec;
    spec.observation = engine::SpaceSpec::Box<double>({6}, -kAny, kAny);
    spec.action = engine::SpaceSpec::Box<float>({2}, -1.0F, 1.0F);
    spec.infos = {{.name = "thrust", .dtype = engine::DType::kFloat64, .shape = {2}}};
    spec.render = engine::RenderSpec{.height = kSide, .width = kSide, .fps = 20};
    return spec;
  }

  struct Config {
    explicit Config(const engine::ParamValues& options)
        : gravity(options.Get<double>("gravity")), wind(options.Get<double>("wind")) {}
    double gravity;  // m/s^2
    double wind;     // m/s^2
  };
  struct Start {
    explicit Start(const engine::ParamValues& options) : height(options.Get<double>("height")) {}
    double height;  // m
  };

  explicit Lander(const Config& config) : config_(&config) {}

  void Reset(const Start& start, engine::Rng& rng) {
    body_ = {.x = rng.Uniform(-3.0, 3.0),
             .y = start.height,
             .vx = rng.Uniform(-1.0, 1.0),
             .vy = rng.Uniform(-1.0, 0.0),
             .angle = rng.Uniform(-0.2, 0.2),
             .turn = 0.0};
    thrust_[0] = thrust_[1] = 0.0;
  }

  engine::StepResult Step(engine::ActionView action, engine::Rng& rng) {
    return Fly(action.Data<float>(), rng);
  }
  // For callers with float64 actions, which would be rounded to float32 otherwise.
  engine::StepResult StepFloat64(engine::ActionView action, engine::Rng& rng) {
    return Fly(action.Data<double>(), rng);
  }

  void Observe(engine::ObsRow row) const {
    auto* const values = row.Data<double>();
    values[0] = body_.x;
    values[1] = body_.y;
    values[2] = body_.vx;
    values[3] = body_.vy;
    values[4] = body_.angle;
    values[5] = body_.turn;
  }

  // "thrust": of both engines in the latest step. An array is written through Data.
  void Info(engine::InfoRow row, bool /*after_reset*/) const {
    std::ranges::copy(thrust_, row.Data<double>("thrust"));
  }

  void Render(std::span<std::uint8_t> rgb) const {
    engine::Canvas canvas(rgb, {.height = kSide, .width = kSide});
    canvas.Clear({15, 15, 40});
    canvas.FillRect(0, kSide - 8, kSide, kSide, {110, 110, 110});
    canvas.FillRect(kSide / 2 - 8, kSide - 8, kSide / 2 + 8, kSide - 6, {230, 200, 60});
    const auto at = [this](double right, double up) -> engine::Point {
      const double x = body_.x + right * std::cos(body_.angle) + up * std::sin(body_.angle);
      const double y = body_.y - right * std::sin(body_.angle) + up * std::cos(body_.angle);
      return {kSide / 2 + x * kPixels, kSide - 8 - y * kPixels};
    };
    if (thrust_[0] > 0.0) canvas.Line(at(0.0, 0.0), at(0.0, -thrust_[0]), {255, 140, 0}, 3.0);
    const engine::Point hull[] = {at(-0.5, 0.0), at(0.5, 0.0), at(0.3, 1.4), at(-0.3, 1.4)};
    canvas.FillPolygon(hull, {230, 230, 230});
  }

  void Save(engine::StateWriter& state) const {
    state.Put(body_);
    state.Put(thrust_);
  }
  void Load(engine::StateReader& state) {
    state.Get(body_);
    state.Get(thrust_);
  }

 private:
  static constexpr std::int64_t kSide = 128;  // pixels
  static constexpr double kPixels = 6.0;      // per metre
  static constexpr double kSeconds = 0.05;    // of a step
  static constexpr double kMaxThrust = 6.0;   // m/s^2
  static constexpr double kMaxTorque = 2.0;   // rad/s^2

  struct Body {
    double x = 0.0;
    double y = 0.0;
    double vx = 0.0;
    double vy = 0.0;
    double angle = 0.0;
    double turn = 0.0;

    double Potential() const {
      return -std::hypot(x, y) - std::hypot(vx, vy) - 2.0 * std::abs(angle);
    }
  };

  template <class T>
  engine::StepResult Fly(const T* action, engine::Rng& rng) {
    thrust_[0] = std::clamp(static_cast<double>(action[0]), 0.0, 1.0);
    thrust_[1] = std::clamp(static_cast<double>(action[1]), -1.0, 1.0);
    const double before = body_.Potential();
    const double push = kMaxThrust * thrust_[0];
    body_.vx += kSeconds * (push * std::sin(body_.angle) + config_->wind * rng.Normal(0.0, 1.0));
    body_.vy += kSeconds * (push * std::cos(body_.angle) - config_->gravity);
    body_.turn += kSeconds * kMaxTorque * thrust_[1];
    body_.x += kSeconds * body_.vx;
    body_.y += kSeconds * body_.vy;
    body_.angle += kSeconds * body_.turn;
    double reward = body_.Potential() - before - 0.02 * thrust_[0];
    if (body_.y > 0.0) return {.reward = reward, .terminated = std::abs(body_.x) > 20.0};
    const bool soft = std::abs(body_.x) < 1.5 && std::hypot(body_.vx, body_.vy) < 1.0 &&
                      std::abs(body_.angle) < 0.3;
    return {.reward = reward + (soft ? 10.0 : -10.0), .terminated = true};
  }

  const Config* config_;
  Body body_;
  double thrust_[2] = {0.0, 0.0};
};
