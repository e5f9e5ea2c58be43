#include "engine/envs/mpe/world.h"

#include <algorithm>

namespace engine::mpe {
namespace {

constexpr double kTimeStep = 0.1;  // s
constexpr double kDamping = 0.25;
constexpr double kContactForce = 100.0;
constexpr double kContactMargin = 1e-3;
// At this distance between two discs the penetration, log(1 + exp(-750)), is exactly 0.
constexpr double kNoContact = 750 * kContactMargin;

}  // namespace

void World::PlaceAgents(Rng& rng) {
  for (std::size_t agent = 0; agent < num_agents(); ++agent) PlaceAnywhere(agent, 1.0, rng);
  std::ranges::fill(velocities_, Vec{});
  std::ranges::fill(messages_, 0.0);
}

void World::Step() {
  // The reference adds noise to the controls, here 0.0: a control of -0.0 becomes 0.0.
  for (Vec& control : controls_) control = control + Vec{};
  AddCollisionForces();
  for (std::size_t agent = 0; agent < num_agents(); ++agent) {
    if (layout_->body(agent).movable) Integrate(agent);
  }
}

// The order of the pairs is that of the reference, because sums depend on it.
void World::AddCollisionForces() {
  const std::span<const std::size_t> colliders = layout_->colliders();
  for (std::size_t i = 0; i < colliders.size(); ++i) {
    const std::size_t a = colliders[i];
    const Body& body_a = layout_->body(a);
    for (const std::size_t b : colliders.subspan(i + 1)) {
      const Body& body_b = layout_->body(b);
      if (!body_a.movable && !body_b.movable) continue;
      const Vec delta = positions_[a] - positions_[b];
      const double distance = Length(delta);
      const double gap = distance - (body_a.size + body_b.size);
      if (gap > kNoContact) continue;
      const double penetration = NumpyLogAddExp(0.0, -gap / kContactMargin) * kContactMargin;
      const Vec force = {kContactForce * delta.x / distance * penetration,
                         kContactForce * delta.y / distance * penetration};
      if (body_a.movable) controls_[a] = force + controls_[a];
      if (body_b.movable) controls_[b] = controls_[b] - force;
    }
  }
}

void World::Integrate(std::size_t agent) {
  const Body& body = layout_->body(agent);
  const Vec force = controls_[agent];
  Vec velocity = velocities_[agent];
  positions_[agent] = positions_[agent] + kTimeStep * velocity;
  velocity = (1.0 - kDamping) * velocity;
  velocity = velocity + kTimeStep * Vec{force.x / body.mass, force.y / body.mass};
  const double speed = Length(velocity);
  if (speed > body.max_speed) {
    velocity = {velocity.x / speed * body.max_speed, velocity.y / speed * body.max_speed};
  }
  velocities_[agent] = velocity;
}

double World::Extent() const {
  double extent = 0.0;
  for (const Vec position : positions_)
    extent = std::max({extent, std::abs(position.x), std::abs(position.y)});
  return extent;
}

void World::Save(StateWriter& state) const {
  state.PutAll(std::span(positions_));
  state.PutAll(std::span(velocities_));
  state.PutAll(std::span(messages_));
}

void World::Load(StateReader& state) {
  state.GetAll(std::span(positions_));
  state.GetAll(std::span(velocities_));
  state.GetAll(std::span(messages_));
}

}  // namespace engine::mpe
