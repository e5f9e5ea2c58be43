// Joints of kLanes islands, solved together. Included by velocity_lanes.cc for each vector size,
// with LANES: the attributes of a function.

using Floats [[gnu::vector_size(4 * kLanes)]] = float;
using Masks [[gnu::vector_size(4 * kLanes)]] = std::int32_t;  // of each lane, -1 or 0

// One joint of each island. As JointConstraint; a and b are numbers of bodies in LaneBodies.
struct LaneJoint {
  int a, b;
  bool motor;
  bool any_limited;
  Floats mass_a, mass_b, inertia_a, inertia_b;
  Floats ra_x, ra_y, rb_x, rb_y;
  Floats motor_speed, motor_mass, max_motor_impulse, motor_impulse;
  Floats k11, k12, k22, k13, k23, k33, inverse_determinant2, inverse_determinant3;
  Floats cofactor1, cofactor2, cofactor3;
  Floats impulse_x, impulse_y, limit_impulse;
  Masks limited, at_lower, at_upper;
};

struct LaneVelocity {
  Floats x, y, w;
};

LANES Floats Choose(Masks mask, Floats yes, Floats no) { return mask ? yes : no; }
LANES bool Any(Masks mask) {
  std::int32_t any = 0;
  for (int lane = 0; lane < kLanes; ++lane) any |= mask[lane];
  return any != 0;
}

LANES void LoadLane(LaneJoint& to, const JointConstraint& c, int lane) {
  to.mass_a[lane] = c.mass_a;
  to.mass_b[lane] = c.mass_b;
  to.inertia_a[lane] = c.inertia_a;
  to.inertia_b[lane] = c.inertia_b;
  to.ra_x[lane] = c.ra.x;
  to.ra_y[lane] = c.ra.y;
  to.rb_x[lane] = c.rb.x;
  to.rb_y[lane] = c.rb.y;
  to.motor_speed[lane] = c.motor_speed;
  to.motor_mass[lane] = c.motor_mass;
  to.max_motor_impulse[lane] = c.max_motor_impulse;
  to.motor_impulse[lane] = c.motor_impulse;
  to.k11[lane] = c.k11;
  to.k12[lane] = c.k12;
  to.k22[lane] = c.k22;
  to.k13[lane] = c.k13;
  to.k23[lane] = c.k23;
  to.k33[lane] = c.k33;
  to.inverse_determinant2[lane] = c.inverse_determinant2;
  to.inverse_determinant3[lane] = c.inverse_determinant3;
  to.cofactor1[lane] = c.cofactor1;
  to.cofactor2[lane] = c.cofactor2;
  to.cofactor3[lane] = c.cofactor3;
  to.impulse_x[lane] = c.impulse.x;
  to.impulse_y[lane] = c.impulse.y;
  to.limit_impulse[lane] = c.limit_impulse;
  to.limited[lane] = c.limit != LimitState::kInactive ? -1 : 0;
  to.at_lower[lane] = c.limit == LimitState::kAtLower ? -1 : 0;
  to.at_upper[lane] = c.limit == LimitState::kAtUpper ? -1 : 0;
}

// As SolveMotor, SolvePoint and SolvePointAndLimit of joint_solver.cc.
LANES void SolveJoint(LaneJoint& c, LaneVelocity& a, LaneVelocity& b) {
  LaneVelocity va = a;
  LaneVelocity vb = b;
  if (c.motor) {
    const Floats wanted = -c.motor_mass * (vb.w - va.w - c.motor_speed);
    const Floats old = c.motor_impulse;
    const Floats value = old + wanted;
    const Floats low = -c.max_motor_impulse;
    const Floats high = c.max_motor_impulse;
    Floats clamped = Choose(low > value, low, value);
    clamped = Choose(value < high, clamped, Choose(low > high, low, high));
    c.motor_impulse = clamped;
    const Floats change = clamped - old;
    va.w -= c.inertia_a * change;
    vb.w += c.inertia_b * change;
  }
  const Floats speed_x = vb.x + -vb.w * c.rb_y - va.x - -va.w * c.ra_y;
  const Floats speed_y = vb.y + vb.w * c.rb_x - va.y - va.w * c.ra_x;
  Floats wanted_x = -speed_x;
  Floats wanted_y = -speed_y;
  Floats solved_x{}, solved_y{}, limit_impulse{};
  Masks pulls{};
  if (c.any_limited) {
    const Floats turn = vb.w - va.w;
    solved_x = -(c.inverse_determinant3 *
                 (speed_x * c.cofactor1 + speed_y * c.cofactor2 + turn * c.cofactor3));
    solved_y = -(c.inverse_determinant3 * (c.k11 * (speed_y * c.k33 - turn * c.k23) +
                                           c.k12 * (turn * c.k13 - speed_x * c.k33) +
                                           c.k13 * (speed_x * c.k23 - speed_y * c.k13)));
    limit_impulse = -(c.inverse_determinant3 * (c.k11 * (c.k22 * turn - c.k23 * speed_y) +
                                                c.k12 * (c.k23 * speed_x - c.k12 * turn) +
                                                c.k13 * (c.k12 * speed_y - c.k22 * speed_x)));
    const Floats total = c.limit_impulse + limit_impulse;
    pulls = (c.at_lower & (total < Floats{})) | (c.at_upper & (total > Floats{}));
    wanted_x = Choose(c.limited, wanted_x + c.limit_impulse * c.k13, wanted_x);
    wanted_y = Choose(c.limited, wanted_y + c.limit_impulse * c.k23, wanted_y);
    limit_impulse = Choose(pulls, -c.limit_impulse, limit_impulse);
    c.limit_impulse = Choose(c.limited, Choose(pulls, Floats{}, total), c.limit_impulse);
  }
  Floats impulse_x = c.inverse_determinant2 * (c.k22 * wanted_x - c.k12 * wanted_y);
  Floats impulse_y = c.inverse_determinant2 * (c.k11 * wanted_y - c.k12 * wanted_x);
  if (c.any_limited) {
    impulse_x = Choose(c.limited & ~pulls, solved_x, impulse_x);
    impulse_y = Choose(c.limited & ~pulls, solved_y, impulse_y);
  }
  c.impulse_x += impulse_x;
  c.impulse_y += impulse_y;
  Floats torque_a = c.ra_x * impulse_y - c.ra_y * impulse_x;
  Floats torque_b = c.rb_x * impulse_y - c.rb_y * impulse_x;
  if (c.any_limited) {
    torque_a = Choose(c.limited, torque_a + limit_impulse, torque_a);
    torque_b = Choose(c.limited, torque_b + limit_impulse, torque_b);
  }
  va.x -= c.mass_a * impulse_x;
  va.y -= c.mass_a * impulse_y;
  va.w -= c.inertia_a * torque_a;
  vb.x += c.mass_b * impulse_x;
  vb.y += c.mass_b * impulse_y;
  vb.w += c.inertia_b * torque_b;
  a = va;
  b = vb;
}

// Two vectors of islands take turns: while one waits for a result, the other computes.
constexpr int kVectors = 2;
constexpr int kMostIslands = kVectors * kLanes;

// `count` islands whose joints form the same pattern, at most kMostIslands. Lanes without an island
// repeat the first one; nothing of them is stored.
LANES_TARGET void Solve(const LaneIsland* const* islands, int count, int iterations) {
  LaneJoint joints[kVectors][kMostJoints];
  LaneVelocity velocities[kVectors][kMostBodies];
  const int num_vectors = count > kLanes ? 2 : 1;
  const Pattern& pattern = islands[0]->pattern;
  const auto load = [&](const LaneIsland& from, int at) __attribute__((always_inline)) {
    for (int body = 0; body < pattern.num_bodies; ++body) {
      const Velocity& velocity = from.island->velocities()[from.bodies[body]];
      LaneVelocity& to = velocities[at / kLanes][body];
      to.x[at % kLanes] = velocity.v.x;
      to.y[at % kLanes] = velocity.v.y;
      to.w[at % kLanes] = velocity.w;
    }
  };
  const auto store = [&](const LaneIsland& to, int at) __attribute__((always_inline)) {
    for (int body = 0; body < pattern.num_bodies; ++body) {
      const LaneVelocity& from = velocities[at / kLanes][body];
      to.island->velocities()[to.bodies[body]] = {{from.x[at % kLanes], from.y[at % kLanes]},
                                                  from.w[at % kLanes]};
    }
  };
  for (int at = 0; at < num_vectors * kLanes; ++at) {
    const LaneIsland& island = *islands[at < count ? at : 0];
    load(island, at);
    for (int j = 0; j < pattern.num_joints; ++j) {
      LoadLane(joints[at / kLanes][j], island.island->joint_solver().constraints()[j], at % kLanes);
    }
  }
  for (int v = 0; v < num_vectors; ++v) {
    for (int j = 0; j < pattern.num_joints; ++j) {
      LaneJoint& joint = joints[v][j];
      joint.a = pattern.joints[j].a;
      joint.b = pattern.joints[j].b;
      joint.motor = pattern.joints[j].motor;
      joint.any_limited = Any(joint.limited);
    }
  }
  int with_contacts[kMostIslands];
  int num_with_contacts = 0;
  for (int at = 0; at < count; ++at) {
    if (!islands[at]->island->contacts.empty()) with_contacts[num_with_contacts++] = at;
  }
  for (int i = 0; i < iterations; ++i) {
    for (int j = 0; j < pattern.num_joints; ++j) {
      for (int v = 0; v < num_vectors; ++v) {
        LaneJoint& joint = joints[v][j];
        SolveJoint(joint, velocities[v][joint.a], velocities[v][joint.b]);
      }
    }
    for (int k = 0; k < num_with_contacts; ++k) {
      const int at = with_contacts[k];
      Island& island = *islands[at]->island;
      store(*islands[at], at);
      island.contact_solver().SolveVelocities(island.velocities());
      load(*islands[at], at);
    }
  }
  for (int at = 0; at < count; ++at) {
    store(*islands[at], at);
    for (int j = 0; j < pattern.num_joints; ++j) {
      const LaneJoint& joint = joints[at / kLanes][j];
      JointConstraint& c = islands[at]->island->joint_solver().constraints()[j];
      c.motor_impulse = joint.motor_impulse[at % kLanes];
      c.impulse = {joint.impulse_x[at % kLanes], joint.impulse_y[at % kLanes]};
      c.limit_impulse = joint.limit_impulse[at % kLanes];
    }
  }
}
