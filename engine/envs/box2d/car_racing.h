// CarRacing: drive a car on a random road that is seen from above; observations are pictures. The
// random draws and the arithmetic are those of Gymnasium 1.4.0's CarRacing, the physics is
// physics2d, and the pictures equal pygame's. Trajectories and observations are bit-equal to
// Gymnasium's. Each instance runs on one thread at a time.
//
// As in Gymnasium, the world is kept from episode to episode.
#ifndef ENGINE_ENVS_BOX2D_CAR_RACING_H_
#define ENGINE_ENVS_BOX2D_CAR_RACING_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/env/environment.h"
#include "engine/envs/box2d/race_car.h"
#include "engine/envs/box2d/race_picture.h"
#include "engine/envs/box2d/race_track.h"
#include "engine/envs/box2d/skid_marks.h"
#include "engine/physics2d/world.h"

namespace engine::box2d {

class CarRacing {
 public:
  static constexpr bool kNeverWaits = true;

  static ParamSchema Options();
  static ParamSchema ResetOptions();
  static EnvSpec Spec(const ParamValues& options);

  // Has Gymnasium's names. A change takes effect at the next reset.
  struct Constants {
    double lap_complete_percent;  // fraction of the tiles
    bool domain_randomize;
  };

  struct Config {
    explicit Config(const ParamValues& options);

    Constants constants;
    // Whether the solver skips iterations that change nothing. A test sets this to false.
    bool skips_settled = true;
  };

  struct Start {
    explicit Start(const ParamValues& options) : randomize(options.Get<bool>("randomize")) {}
    bool randomize;
  };

  explicit CarRacing(const Config& config);

  static std::vector<AttributeSpec> Attributes(const Config& config);
  void SetAttribute(std::size_t index, std::span<const double> value);

  void Reset(const Start& start, Rng& rng);
  void Observe(ObsRow row) const;
  void Info(InfoRow row, bool after_reset) const;

  void EnableRender() { marks_ = std::make_unique<SkidMarks>(); }
  void Render(std::span<std::uint8_t> rgb) const;

  void Save(StateWriter& state) const;
  void Load(StateReader& state);

 protected:
  StepResult StepChoice(std::int64_t choice);
  // `steering` is in [-1, 1], where 1 is right. `gas` is in [0, 1]. `brake` blocks the wheels from
  // 0.9.
  StepResult StepPedals(double steering, double gas, double brake);

 private:
  // Records which tiles of the road the car touches.
  class ContactRecorder final : public physics2d::ContactListener {
   public:
    explicit ContactRecorder(CarRacing& race) : race_(race) {}
    void BeginContact(const physics2d::Contact& contact) override {
      race_.OnContact(contact, true);
    }
    void EndContact(const physics2d::Contact& contact) override { race_.OnContact(contact, false); }

   private:
    CarRacing& race_;
  };

  // Larger than any score or time of a game, and small enough for the digits of the picture.
  static constexpr double kGreatestScore = 1e15;

  void CheckRoadAndCar() const;
  void DestroyAll();
  void DrawColors(Rng& rng);
  void MakeRoad();
  void OnContact(const physics2d::Contact& contact, bool begins);
  void Visit(std::size_t tile);
  void Move();
  RaceScene SceneOf(double score, const SkidMarks* marks) const;

  SharedAttributes<Constants> constants_;
  physics2d::World world_;
  RaceTrack track_;
  std::vector<physics2d::BodyId> road_;  // bodies of the tiles
  std::vector<std::uint8_t> touched_;    // by tile: whether any part of the car touched it
  std::vector<std::uint8_t> visited_;    // by tile: whether a wheel touched it
  std::int64_t visited_count_ = 0;
  RaceCar car_;
  RaceColors colors_;
  bool has_colors_;  // whether the constructor of the reference has drawn no colors, or a reset has
  bool lap_is_complete_ = false;
  double lap_share_ = 0.0;  // lap_complete_percent at the latest reset
  double time_ = 0.0;       // since the reset, s
  double score_ = 0.0;      // return of the episode, without the reward for leaving the playfield
  double score_before_ = 0.0;
  double shown_score_ = 0.0;          // in the observation, without the cost of the latest step
  std::optional<bool> lap_finished_;  // info of the latest step
  std::unique_ptr<SkidMarks> marks_;  // null unless pictures may be drawn
};

// The option `continuous` selects one of these classes (register.cc), because the engine has
// different steps for discrete and for continuous actions.
class DiscreteRace final : public CarRacing {
 public:
  using CarRacing::CarRacing;

  StepResult Step(ActionView action, Rng&) { return StepChoice(action.Index()); }
};

class ContinuousRace final : public CarRacing {
 public:
  using CarRacing::CarRacing;

  StepResult Step(ActionView action, Rng&) {
    const float* values = action.Data<float>();
    return StepPedals(values[0], values[1], values[2]);
  }
  StepResult StepFloat64(ActionView action, Rng&) {
    const double* values = action.Data<double>();
    return StepPedals(values[0], values[1], values[2]);
  }
};

struct Races {
  using Discrete = DiscreteRace;
  using Continuous = ContinuousRace;
};

}  // namespace engine::box2d

#endif  // ENGINE_ENVS_BOX2D_CAR_RACING_H_
