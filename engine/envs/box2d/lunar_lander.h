// LunarLander: land a rocket with a main engine and two side engines on a pad. The random draws and
// the float64 arithmetic are those of Gymnasium 1.4.0's LunarLander, and the physics is physics2d.
// Trajectories are bit-equal to Gymnasium's. Each instance runs on one thread at a time.
#ifndef ENGINE_ENVS_BOX2D_LUNAR_LANDER_H_
#define ENGINE_ENVS_BOX2D_LUNAR_LANDER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/env/environment.h"
#include "engine/envs/box2d/exhaust.h"
#include "engine/envs/box2d/worlds_together.h"
#include "engine/physics2d/world.h"

namespace engine::box2d {

class LunarLander {
 public:
  static constexpr bool kNeverWaits = true;

  static ParamSchema Options() { return OptionsOf(false); }
  static ParamSchema OptionsOf(bool continuous);
  static EnvSpec Spec(const ParamValues& options);

  // Has Gymnasium's names.
  struct Constants {
    bool enable_wind;
    double gravity;           // m/s^2, from the next reset on
    double wind_power;        // N
    double turbulence_power;  // N m
  };

  struct Config {
    explicit Config(const ParamValues& options);

    Constants constants;
  };

  explicit LunarLander(const Config& config);

  static std::vector<AttributeSpec> Attributes(const Config& config);
  void SetAttribute(std::size_t index, std::span<const double> value);

  void Reset(Rng& rng);
  void Observe(ObsRow row) const;

  // Adds the exhaust, which only pictures show: particles in a separate world.
  void EnableRender() { exhaust_ = std::make_unique<Exhaust>(constants_->gravity); }
  // The heights of the 11 points of the ground (m); x, y (m) and the angle (rad) of the lander and
  // of each leg; the number of particles; x, y (m) and the remaining life of each particle.
  void Scene(std::span<double> scene) const;

  void Save(StateWriter& state) const;
  void Load(StateReader& state);

 protected:
  struct Engines {
    double main = 0.0;       // power, 0 or in [0.5, 1]
    double side = 0.0;       // power, 0 or in [0.5, 1]
    double direction = 0.0;  // direction of the side engines, -1 or 1
  };
  static Engines Choice(std::int64_t choice);
  static Engines Powers(double main, double lateral);

  StepResult Move(const Engines& engines, Rng& rng);
  // As Move for each item of the range, with the engines engines_of(k).
  template <class E, class EnginesOf>
  static void MoveTogether(const StepRange<E>& range, EnginesOf&& engines_of) {
    std::array<Engines, kMostTogether> engines;
    StepWorldsTogether(
        range.size(),
        [&](std::uint32_t k) {
          engines[k] = engines_of(k);
          return range.env(k).BeginMove(engines[k], range.rng(k));
        },
        [&](std::uint32_t k) { return range.env(k).ContinueMove(); });
    for (std::uint32_t k = 0; k < range.size(); ++k) range.Set(k, range.env(k).EndMove(engines[k]));
  }

 private:
  static constexpr int kGroundPoints = 11;
  static constexpr std::int64_t kMaxWindIndex = std::int64_t{1} << 62;
  static constexpr std::int64_t kSceneSize = kGroundPoints + 9 + 1 + 3 * Exhaust::kMaxParticles;

  // Records contacts of the lander and of the legs with the ground.
  class ContactRecorder final : public physics2d::ContactListener {
   public:
    explicit ContactRecorder(LunarLander& lander) : lander_(lander) {}
    void BeginContact(const physics2d::Contact& contact) override;
    void EndContact(const physics2d::Contact& contact) override;

   private:
    LunarLander& lander_;
  };

  void MakeGround(Rng& rng);
  void MakeLander(Rng& rng);
  void MakeLeg(int side);
  void ApplyWind();
  void Fire(const Engines& engines, Rng& rng);
  template <class Visit>
  void VisitGround(Visit&& visit) const;
  void LoadExhaust(StateReader& state);
  void Push(double ox, double oy, double x, double y, double power, double force, float density);
  // The parts of Move; see World::BeginStep.
  physics2d::Island* BeginMove(const Engines& engines, Rng& rng);
  physics2d::Island* ContinueMove();
  StepResult EndMove(const Engines& engines);

  SharedAttributes<Constants> constants_;
  physics2d::World world_;
  physics2d::BodyId moon_ = physics2d::kNone;
  physics2d::BodyId lander_ = physics2d::kNone;
  std::array<physics2d::BodyId, 2> legs_{physics2d::kNone, physics2d::kNone};
  std::array<bool, 2> on_ground_{};
  bool lander_touched_ = false;
  bool has_shaping_ = false;
  double shaping_ = 0.0;
  bool has_wind_ = false;          // whether a reset has drawn the numbers below
  std::int64_t wind_index_ = 0;    // steps
  std::int64_t torque_index_ = 0;  // steps
  std::array<double, kGroundPoints> ground_{};
  std::array<double, 8> state_{};
  std::unique_ptr<Exhaust> exhaust_;  // null unless pictures may be drawn
};

// The option `continuous` selects one of these classes (register.cc), because the engine has
// different steps for boxes and for discrete spaces.
class DiscreteLander final : public LunarLander {
 public:
  using LunarLander::LunarLander;

  StepResult Step(ActionView action, Rng& rng) { return Move(Choice(action.Index()), rng); }
  static void StepMany(StepRange<DiscreteLander> range) {
    MoveTogether(range, [&](std::uint32_t k) { return Choice(range.action(k).Index()); });
  }
};

class ContinuousLander final : public LunarLander {
 public:
  using LunarLander::LunarLander;

  StepResult Step(ActionView action, Rng& rng) { return Move(PowersOf<float>(action), rng); }
  StepResult StepFloat64(ActionView action, Rng& rng) {
    return Move(PowersOf<double>(action), rng);
  }
  static void StepMany(StepRange<ContinuousLander> range) {
    MoveTogether(range, [&](std::uint32_t k) {
      return range.is_float64(k) ? PowersOf<double>(range.float64_action(k))
                                 : PowersOf<float>(range.action(k));
    });
  }

 private:
  template <class T>
  static Engines PowersOf(ActionView action) {
    const T* const values = action.Data<T>();
    return Powers(values[0], values[1]);
  }
};

struct Landers {
  using Discrete = DiscreteLander;
  using Continuous = ContinuousLander;
};

}  // namespace engine::box2d

#endif  // ENGINE_ENVS_BOX2D_LUNAR_LANDER_H_
