#include "engine/envs/box2d/exhaust.h"

#include <cstddef>

#include "engine/envs/box2d/viewport.h"

namespace engine::box2d {

using physics2d::BodyType;
using physics2d::Shape;
using physics2d::Vec2;

Exhaust::Exhaust(double gravity) : world_(ToVec(0.0, gravity)) { Clear(gravity); }

void Exhaust::Clear(double gravity) {
  world_.Clear();
  world_.SetGravity(ToVec(0.0, gravity));
  particles_.clear();
  ground_ = world_.CreateBody({});
}

void Exhaust::AddGround(Vec2 from, Vec2 to, float friction) {
  world_.CreateFixture(ground_, {.shape = Shape::Edge(from, to), .friction = friction});
}

void Exhaust::Emit(Vec2 position, Vec2 impulse, float density, double life) {
  const physics2d::BodyId body =
      world_.CreateBody({.type = BodyType::kDynamic, .position = position});
  world_.CreateFixture(body, {.shape = Shape::Circle({}, static_cast<float>(2.0 / kScale)),
                              .density = density,
                              .friction = 0.1f,
                              .restitution = 0.3f,
                              .filter = {.category = 0x0100, .mask = 0x0001}});
  particles_.push_back({body, life});
  DropDead();
  world_.ApplyLinearImpulse(body, impulse, position);
}

void Exhaust::Step() { world_.Step(kTimeStep, kVelocityIterations, kPositionIterations); }

void Exhaust::DropDead() {
  std::size_t dead = 0;
  while (dead < particles_.size() && particles_[dead].life < 0.0) {
    world_.DestroyBody(particles_[dead].body);
    ++dead;
  }
  particles_.erase(particles_.begin(), particles_.begin() + static_cast<std::ptrdiff_t>(dead));
}

void Exhaust::Age() {
  for (Particle& particle : particles_) particle.life -= kAging;
  DropDead();
}

void Exhaust::Show(std::span<double> scene) const {
  scene[0] = static_cast<double>(particles_.size());
  for (std::size_t i = 0; i < particles_.size(); ++i) {
    const Vec2 position = world_.body(particles_[i].body).position();
    scene[1 + 3 * i] = position.x;
    scene[2 + 3 * i] = position.y;
    scene[3 + 3 * i] = particles_[i].life;
  }
}

void Exhaust::Save(StateWriter& state) const {
  world_.Save(state);
  state.Put(ground_);
  state.PutAll(std::span(particles_));
}

void Exhaust::Load(StateReader& state) {
  world_.Load(state);
  state.Get(ground_);
  particles_ = state.GetVector<Particle>();
  ExpectState(world_.Has(ground_) && particles_.size() <= kMaxParticles, "exhaust");
  // A particle whose life does not end would stay for ever.
  for (const Particle& particle : particles_) {
    ExpectState(world_.Has(particle.body) && particle.body != ground_ && particle.life <= 1.0,
                "a particle of the exhaust");
  }
}

}  // namespace engine::box2d
