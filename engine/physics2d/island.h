// Bodies that are connected by contacts and joints. They are solved and put to sleep together.
#ifndef ENGINE_PHYSICS2D_ISLAND_H_
#define ENGINE_PHYSICS2D_ISLAND_H_

#include <vector>

#include "engine/physics2d/body.h"
#include "engine/physics2d/contact.h"
#include "engine/physics2d/contact_solver.h"
#include "engine/physics2d/fixture.h"
#include "engine/physics2d/joint_solver.h"
#include "engine/physics2d/numbered.h"
#include "engine/physics2d/revolute_joint.h"
#include "engine/physics2d/solver_state.h"

namespace engine::physics2d {

// All parts of the world. An island uses some of them.
struct WorldParts {
  NumberedSpan<Body> bodies;
  NumberedSpan<const Fixture> fixtures;
  NumberedSpan<Contact> contacts;
  NumberedSpan<RevoluteJoint> joints;
};

class Island {
 public:
  void Clear() {
    bodies.clear();
    contacts.clear();
    joints.clear();
  }
  void Add(BodyId id, Body& body) {
    body.island_index = static_cast<std::int32_t>(bodies.size());
    bodies.push_back(id);
  }

  void Reserve(std::size_t num_bodies, std::size_t num_contacts) {
    bodies.reserve(num_bodies);
    contacts.reserve(num_contacts);
    positions_.reserve(num_bodies);
    velocities_.reserve(num_bodies);
    contact_solver_.Reserve(num_contacts);
  }

  // The parts of a step of all bodies: the velocities before the constraints, the velocities, the
  // rest. With `skips_settled`, SolveVelocities stops when an iteration changes no number.
  void Begin(const WorldParts& parts, Vec2 gravity, const StepSize& step);
  void SolveVelocities(int iterations, bool skips_settled);
  void End(const WorldParts& parts, const StepSize& step);
  // Runs the rest of a step after an impact of the bodies whose indices in the island are a and b.
  void SolveImpact(const WorldParts& parts, const StepSize& step, int a, int b);

  // Between Begin and End, for velocity_lanes.h.
  NumberedSpan<Velocity> velocities() { return velocities_; }
  JointSolver& joint_solver() { return joint_solver_; }
  ContactSolver& contact_solver() { return contact_solver_; }

  // In the order in which they are solved.
  NumberedVector<BodyId> bodies;
  NumberedVector<ContactId> contacts;
  NumberedVector<JointId> joints;

 private:
  void ApplyForces(const WorldParts& parts, Vec2 gravity, float dt);
  bool IsSettled();
  void MoveBodies(float dt);
  bool SolvePositions(int iterations);
  void WriteBack(const WorldParts& parts) const;
  void UpdateSleep(const WorldParts& parts, float dt, bool positions_solved) const;

  NumberedVector<Position> positions_;
  NumberedVector<Velocity> velocities_;
  std::vector<float> settled_;  // all numbers of the latest iteration
  ContactSolver contact_solver_;
  JointSolver joint_solver_;
};

}  // namespace engine::physics2d

#endif  // ENGINE_PHYSICS2D_ISLAND_H_
