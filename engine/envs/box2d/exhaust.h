// The particles that the lander's engines emit, for pictures. In Gymnasium the particles are in the
// lander's world, but they touch only the ground and have no effect on other bodies. Here they are
// in a separate world, so that drawing changes no other result. Each instance runs on one thread at
// a time.
#ifndef ENGINE_ENVS_BOX2D_EXHAUST_H_
#define ENGINE_ENVS_BOX2D_EXHAUST_H_

#include <cstdint>
#include <span>
#include <vector>

#include "engine/env/state.h"
#include "engine/physics2d/world.h"

namespace engine::box2d {

class Exhaust {
 public:
  // A step emits at most two particles. A life is at most 1 and ends after 7 steps.
  static constexpr int kMaxParticles = 16;

  explicit Exhaust(double gravity);

  void Clear(double gravity);
  // Adds a piece of the ground. `from`, `to`: its ends (m).
  void AddGround(physics2d::Vec2 from, physics2d::Vec2 to, float friction);
  // Ages all particles and removes the expired particles at the front. Gymnasium does this when it
  // draws a picture. Here each step does it, so that results do not depend on drawing. The results
  // equal those of a program that draws one picture after every step.
  void Age();
  void Emit(physics2d::Vec2 position, physics2d::Vec2 impulse, float density, double life);
  void Step();

  // Writes the number of particles, and x, y (m) and the life of each particle, from the oldest on.
  void Show(std::span<double> scene) const;

  void Save(StateWriter& state) const;
  void Load(StateReader& state);

 private:
  struct Particle {
    physics2d::BodyId body = physics2d::kNone;
    double life = 0.0;
  };
  static constexpr double kAging = 0.15;

  void DropDead();

  physics2d::World world_;
  physics2d::BodyId ground_ = physics2d::kNone;
  std::vector<Particle> particles_;
};

}  // namespace engine::box2d

#endif  // ENGINE_ENVS_BOX2D_EXHAUST_H_
