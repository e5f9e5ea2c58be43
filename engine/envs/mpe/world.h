// The particle world of the MPE2 scenarios: discs in the plane that move, collide and send
// messages. The arithmetic is that of MPE2 1.1.1 (its World, Agent and Landmark), operation by
// operation, so results are equal to the bit. Lengths have no unit; a step takes 0.1 s. Each
// instance is used by one thread at a time.
#ifndef ENGINE_ENVS_MPE_WORLD_H_
#define ENGINE_ENVS_MPE_WORLD_H_

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "engine/base/numpy_kernels.h"
#include "engine/base/rng.h"
#include "engine/env/state.h"

namespace engine::mpe {

struct Vec {
  double x = 0.0;
  double y = 0.0;

  friend Vec operator+(Vec a, Vec b) { return {a.x + b.x, a.y + b.y}; }
  friend Vec operator-(Vec a, Vec b) { return {a.x - b.x, a.y - b.y}; }
  friend Vec operator*(double factor, Vec v) { return {factor * v.x, factor * v.y}; }
};

// np.sum(np.square(v)) and its square root.
inline double SquaredLength(Vec v) { return v.x * v.x + v.y * v.y; }
inline double Length(Vec v) { return std::sqrt(SquaredLength(v)); }
// np.linalg.norm(v), whose dot product is that of NumPy's library of linear algebra.
inline double Norm(Vec v) {
  const double values[] = {v.x, v.y};
  return std::sqrt(NumpyDot(values, values));
}

// What is fixed about an agent or a landmark.
struct Body {
  double size = 0.05;  // radius
  bool movable = false;
  bool collides = false;
  bool silent = true;  // agents: sends no messages
  double mass = 1.0;
  double accel = 5.0;  // force of a full control
  double max_speed = std::numeric_limits<double>::infinity();
};

// The entities of a world, the agents first.
class Layout {
 public:
  // `message_size`: numbers in a message.
  explicit Layout(std::size_t message_size = 0) : message_size_(message_size) {}

  // Agents are added before landmarks.
  void AddAgent(std::string name, const Body& body) {
    names_.push_back(std::move(name));
    Add(body);
  }
  void AddLandmark(const Body& body) { Add(body); }

  std::size_t num_agents() const { return names_.size(); }
  std::size_t size() const { return bodies_.size(); }
  std::size_t message_size() const { return message_size_; }
  const Body& body(std::size_t entity) const { return bodies_[entity]; }
  const std::string& name(std::size_t agent) const { return names_[agent]; }
  // The entities that collide, in ascending order.
  std::span<const std::size_t> colliders() const { return colliders_; }

 private:
  void Add(const Body& body) {
    if (body.collides) colliders_.push_back(bodies_.size());
    bodies_.push_back(body);
  }

  std::size_t message_size_;
  std::vector<Body> bodies_;
  std::vector<std::string> names_;  // of the agents
  std::vector<std::size_t> colliders_;
};

class World {
 public:
  // `layout` outlives the world.
  explicit World(const Layout& layout)
      : layout_(&layout),
        positions_(layout.size()),
        velocities_(layout.num_agents()),
        controls_(layout.num_agents()),
        messages_(layout.num_agents() * layout.message_size()) {}

  const Layout& layout() const { return *layout_; }
  std::size_t num_agents() const { return layout_->num_agents(); }
  std::size_t size() const { return layout_->size(); }

  Vec position(std::size_t entity) const { return positions_[entity]; }
  Vec velocity(std::size_t agent) const { return velocities_[agent]; }
  // The latest message of an agent; zeros if it is silent, or before its first step.
  std::span<const double> message(std::size_t agent) const {
    return {messages_.data() + agent * layout_->message_size(), layout_->message_size()};
  }

  void Place(std::size_t entity, Vec position) { positions_[entity] = position; }
  // Places an entity in the square [-bound, bound]^2, as Generator.uniform(-bound, bound, 2).
  void PlaceAnywhere(std::size_t entity, double bound, Rng& rng) {
    const double x = rng.Uniform(-bound, bound);
    positions_[entity] = {x, rng.Uniform(-bound, bound)};
  }
  // Places all agents in [-1, 1]^2, at rest and without messages.
  void PlaceAgents(Rng& rng);
  void PlaceLandmarks(double bound, Rng& rng) {
    for (std::size_t e = num_agents(); e < size(); ++e) PlaceAnywhere(e, bound, rng);
  }

  // The control of a movable agent in the next step, and where a speaking agent's message of the
  // next step is written. Both are set before each step.
  void Control(std::size_t agent, Vec control) { controls_[agent] = control; }
  std::span<double> NextMessage(std::size_t agent) {
    return {messages_.data() + agent * layout_->message_size(), layout_->message_size()};
  }
  void Step();

  double Distance(std::size_t a, std::size_t b) const {
    return Length(positions_[a] - positions_[b]);
  }
  bool Touch(std::size_t a, std::size_t b) const {
    return Distance(a, b) < layout_->body(a).size + layout_->body(b).size;
  }
  // The largest coordinate of any entity, positive: half the width of a picture.
  double Extent() const;

  void Save(StateWriter& state) const;
  void Load(StateReader& state);

 private:
  void AddCollisionForces();
  void Integrate(std::size_t agent);

  const Layout* layout_;
  std::vector<Vec> positions_;
  std::vector<Vec> velocities_;
  std::vector<Vec> controls_;     // during a step: forces
  std::vector<double> messages_;  // of all agents, one after the other
};

}  // namespace engine::mpe

#endif  // ENGINE_ENVS_MPE_WORLD_H_
