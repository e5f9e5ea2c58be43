// The steps of the environments: the operations of their Step in the same order, each on all lanes.
// lane_functions.cc includes this file in a namespace for each instruction set.

// State: position, angle, speed, angular speed. Input: the force.
struct CartPoleStep {
  template <class Group>
  LANES static void Step(const Group& group) {
    using C = CartPoleConstants;
    if (!group.Agree(&C::is_semi_implicit)) {
      group.Leave();
      return;
    }
    Vector x;
    Vector theta;
    Vector x_speed;
    Vector theta_speed;
    LoadRows(group.states(), x, theta, x_speed, theta_speed);
    const SinCos of_theta = SineAndCosine(theta);
    const Vector total_mass = group.Constant(&C::total_mass);
    const Vector polemass_length = group.Constant(&C::polemass_length);
    const Vector temp =
        (group.Input() + polemass_length * (theta_speed * theta_speed) * of_theta.sin) / total_mass;
    const Vector theta_acc =
        (group.Constant(&C::gravity) * of_theta.sin - of_theta.cos * temp) /
        (group.Constant(&C::length) *
         (4.0 / 3.0 - group.Constant(&C::masspole) * (of_theta.cos * of_theta.cos) / total_mass));
    const Vector x_acc = temp - polemass_length * theta_acc * of_theta.cos / total_mass;

    const Vector tau = group.Constant(&C::tau);
    const Vector new_x_speed = x_speed + tau * x_acc;
    const Vector new_theta_speed = theta_speed + tau * theta_acc;
    const bool speeds_first = group.constants(0).is_semi_implicit;
    x = x + tau * (speeds_first ? new_x_speed : x_speed);
    theta = theta + tau * (speeds_first ? new_theta_speed : theta_speed);

    const unsigned valid = BitsOf(of_theta.valid);
    const unsigned terminated = BitsOf((Abs(x) > group.Constant(&C::x_threshold)) |
                                       (Abs(theta) > group.Constant(&C::theta_threshold_radians)));
    group.Store(valid, x, theta, new_x_speed, new_theta_speed);
    group.Finish(valid, terminated);
    if (group.batch.share_constants && terminated == 0) {
      group.SetRewards(All(group.constants(0).reward[false]));
      return;
    }
    for (std::uint32_t i = 0; i < group.count; ++i) {
      group.batch.rewards[group.first + i] = group.constants(i).reward[terminated >> i & 1U];
    }
  }
};

// State: position, velocity. Input: the change of velocity by the action.
struct MountainCarStep {
  template <class Group>
  LANES static void Step(const Group& group) {
    using C = MountainCarConstants;
    Vector position = Gather(group.states(), 0);
    Vector velocity = Gather(group.states(), 1);
    const SinCos slope = SineAndCosine(3.0 * position);
    const Vector change = group.Input() + slope.cos * -group.Constant(&C::gravity);
    const Vector max_speed = group.Constant(&C::max_speed);
    const Vector min_position = group.Constant(&C::min_position);
    velocity = Clip(velocity + change, -max_speed, max_speed);
    position = Clip(position + velocity, min_position, group.Constant(&C::max_position));
    velocity = ((position == min_position) & (velocity < 0.0)) ? Vector{} : velocity;

    const unsigned valid = BitsOf(slope.valid);
    const unsigned terminated = BitsOf((position >= group.Constant(&C::goal_position)) &
                                       (velocity >= group.Constant(&C::goal_velocity)));
    for (std::uint32_t i = 0; i < group.count; ++i) {
      if ((valid >> i & 1U) == 0) continue;
      group.states()[i][0] = position[i];
      group.states()[i][1] = velocity[i];
    }
    group.Finish(valid, terminated);
    group.SetRewards(All(-1.0));
  }
};

// State: angle, angular speed, sine and cosine of the angle, torque. Input: the action. All actions
// of the batch have the same dtype.
struct PendulumStep {
  template <class Group>
  LANES static void Step(const Group& group) {
    using C = PendulumConstants;
    const std::uint32_t narrow = group.batch.float32_inputs;
    if (!group.Agree(&C::moves_first) || (narrow != 0 && narrow != group.batch.count)) {
      group.Leave();
      return;
    }
    const Torque torque = narrow != 0 ? Limit<float>(group) : Limit<double>(group);
    Vector theta;
    Vector speed;
    Vector sine;
    Vector cosine;
    LoadRows(group.states(), theta, speed, sine, cosine);
    const Mask in_range = Abs(theta) < kReductionEnd;
    const Vector angle = WrapUp(theta + std::numbers::pi) - std::numbers::pi;
    const Vector cost = Square(angle) + 0.1 * Square(speed) + torque.cost;

    const Vector dt = group.Constant(&C::dt);
    const Vector max_speed = group.Constant(&C::max_speed);
    const Vector acceleration = group.Constant(&C::gravity_term) * sine + torque.acceleration;
    const Vector unlimited = speed + acceleration * dt;
    speed = Clip(unlimited, -max_speed, max_speed);
    theta = theta + (group.constants(0).moves_first ? unlimited : speed) * dt;
    const SinCos after = SineAndCosine(theta);

    const unsigned valid = BitsOf(in_range & after.valid);
    group.Store(valid, theta, speed, after.sin, after.cos);
    for (std::uint32_t i = 0; i < group.count; ++i)
      if ((valid >> i & 1U) != 0) group.states()[i][4] = torque.torque[i];
    group.Finish(valid, 0);
    group.SetRewards(-cost);
  }

 private:
  struct Torque {
    Vector torque, cost, acceleration;
  };
  // The torque and its effects are computed in the dtype T of the action. A product of two float32
  // is exact in float64, so rounding it to float32 gives the float32 product.
  template <class T, class Group>
  LANES static Torque Limit(const Group& group) {
    using C = PendulumConstants;
    const Vector max_torque = As<T>(group.Constant(&C::max_torque));
    const Vector torque = Clip(group.Input(), -max_torque, max_torque);
    return {torque, As<T>(static_cast<double>(static_cast<T>(0.001)) * Square<T>(torque)),
            As<T>(As<T>(group.Constant(&C::torque_term)) * torque)};
  }
  template <class T>
  LANES static Vector As(Vector x) {
    return sizeof(T) < sizeof(double) ? Narrow(x) : x;
  }

  // FloorMod(x, 2 pi) for |x| below 2^52. A remainder is a double, so one fused operation gives it.
  LANES static Vector WrapUp(Vector x) {
    const Vector turn = All(2.0 * std::numbers::pi);
    const Vector remainder = NegMulAdd(Truncate(x / turn), turn, x);
    // The quotient may have been rounded up to an integer.
    const Vector other = remainder + CopySign(turn, x);
    const Mask rounded_up = ((x < 0.0) == (remainder > 0.0)) & (remainder != 0.0);
    const Vector exact = rounded_up ? other : remainder;
    return (exact < 0.0 ? exact + turn : exact) + 0.0;  // not -0.0
  }
};

// State: both angles, their speeds, and the sine and cosine of each angle. Input: the torque.
struct AcrobotStep {
  struct State {
    Vector theta1, theta2, speed1, speed2;
  };

  template <class Group>
  LANES static void Step(const Group& group) {
    using C = AcrobotConstants;
    if (!group.Agree(&C::nips)) {
      group.Leave();
      return;
    }
    State start;
    LoadRows(group.states(), start.theta1, start.theta2, start.speed1, start.speed2);
    SinCos first;
    SinCos second;
    LoadRows(group.states(), first.sin, first.cos, second.sin, second.cos, 4);

    // The classic fourth-order Runge-Kutta step.
    const Vector dt = group.Constant(&C::dt);
    const Vector half = dt / 2.0;
    State sum;
    State at = start;
    Mask in_range = ~Mask{};
    for (int stage = 0; stage < 4; ++stage) {
      if (stage > 0) second = SineAndCosine(at.theta2);
      const State slope = Derivative(group, at, second, in_range);
      if (stage > 0) in_range &= second.valid;
      const double weight = stage == 0 || stage == 3 ? 1.0 : 2.0;
      sum = stage == 0 ? slope : Along(sum, All(weight), slope);
      if (stage < 3) at = Along(start, stage == 2 ? dt : half, slope);
    }
    State next = Along(start, dt / 6.0, sum);
    const Vector max_speed1 = group.Constant(&C::max_vel_1);
    const Vector max_speed2 = group.Constant(&C::max_vel_2);
    next.theta1 = Wrap(next.theta1, in_range);
    next.theta2 = Wrap(next.theta2, in_range);
    next.speed1 = Bound(next.speed1, max_speed1);
    next.speed2 = Bound(next.speed2, max_speed2);

    first = SineAndCosine(next.theta1);
    second = SineAndCosine(next.theta2);
    const SinCos both = SineAndCosine(next.theta2 + next.theta1);
    const Mask above = -first.cos - both.cos > All(AcrobotConstants::kGoalHeight);
    const unsigned valid = BitsOf(in_range & first.valid & second.valid & both.valid);
    group.Store(valid, next.theta1, next.theta2, next.speed1, next.speed2);
    group.Store(valid, first.sin, first.cos, second.sin, second.cos, 4);
    group.Finish(valid, BitsOf(above));
    group.SetRewards(above ? Vector{} : All(-1.0));
  }

 private:
  LANES static State Along(const State& from, Vector time, const State& slope) {
    return {from.theta1 + time * slope.theta1, from.theta2 + time * slope.theta2,
            from.speed1 + time * slope.speed1, from.speed2 + time * slope.speed2};
  }

  // `second`: sine and cosine of theta2. Removes lanes from `in_range`.
  template <class Group>
  LANES static State Derivative(const Group& group, const State& s, const SinCos& second,
                                Mask& in_range) {
    using C = AcrobotConstants;
    constexpr double kHalfPi = std::numbers::pi / 2.0;
    const SinCos of_both = SineAndCosine(s.theta1 + s.theta2 - kHalfPi);
    const SinCos of_first = SineAndCosine(s.theta1 - kHalfPi);
    in_range &= of_both.valid & of_first.valid;

    const Vector moi = group.Constant(&C::link_moi);
    const Vector mass2 = group.Constant(&C::link_mass_2);
    const Vector d1 =
        group.Constant(&C::m1_c1_c1) +
        mass2 * (group.Constant(&C::l1_l1_c2_c2) + group.Constant(&C::two_l1_c2) * second.cos) +
        moi + moi;
    const Vector d2 =
        mass2 * (group.Constant(&C::c2_c2) + group.Constant(&C::l1_c2) * second.cos) + moi;
    const Vector phi2 = group.Constant(&C::m2_c2_g) * of_both.cos;
    const Vector phi1 = group.Constant(&C::minus_m2_l1_c2) * Square(s.speed2) * second.sin -
                        group.Constant(&C::two_m2_l1_c2) * s.speed2 * s.speed1 * second.sin +
                        group.Constant(&C::weight) * of_first.cos + phi2;
    Vector moment = group.Input() + d2 / d1 * phi1;
    if (!group.constants(0).nips)
      moment -= group.Constant(&C::m2_l1_c2) * Square(s.speed1) * second.sin;
    const Vector acc2 = (moment - phi2) / (group.Constant(&C::inertia) - Square(d2) / d1);
    const Vector acc1 = -(d2 * acc2 + phi1) / d1;
    return {s.speed1, s.speed2, acc1, acc2};
  }

  // Wraps the angle into [-pi, pi], one turn at a time. Removes lanes with larger angles from
  // `in_range`: Step wraps them, or throws.
  LANES static Vector Wrap(Vector angle, Mask& in_range) {
    constexpr double kTurn = std::numbers::pi + std::numbers::pi;
    constexpr double kMost = 64.0;
    in_range &= Abs(angle) < kMost;
    while (IsAny((angle > std::numbers::pi) & in_range))
      angle = angle > std::numbers::pi ? angle - kTurn : angle;
    while (IsAny((angle < -std::numbers::pi) & in_range))
      angle = angle < -std::numbers::pi ? angle + kTurn : angle;
    return angle;
  }

  LANES static Vector Bound(Vector value, Vector limit) {
    return value < -limit ? -limit : value > limit ? limit : value;
  }
};
