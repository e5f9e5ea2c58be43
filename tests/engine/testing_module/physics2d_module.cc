// Binds physics2d::World for tests/physics2d, which compare it with the reference's engine step by
// step. Callers must hold the GIL.
#include "tests/engine/testing_module/physics2d_module.h"

#include <pybind11/stl.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "engine/env/state.h"
#include "engine/physics2d/world.h"

namespace py = pybind11;

namespace {

using namespace engine::physics2d;  // NOLINT(google-build-using-namespace): binds its names
using Point = std::tuple<double, double>;
using Points = std::vector<Point>;
// Body A, body B, and whether they began (or stopped) touching.
using Event = std::tuple<int, int, bool>;
// x, y, angle, the velocities of these three, and whether the body is awake.
using BodyState = std::tuple<float, float, float, float, float, float, bool>;

Vec2 ToVec(const Point& point) {
  return {static_cast<float>(std::get<0>(point)), static_cast<float>(std::get<1>(point))};
}

Shape MakeShape(const std::string& kind, const Points& points, double radius) {
  if (kind == "circle") return Shape::Circle(ToVec(points.at(0)), static_cast<float>(radius));
  if (kind == "edge") return Shape::Edge(ToVec(points.at(0)), ToVec(points.at(1)));
  if (kind == "box") {
    const Vec2 half = ToVec(points.at(0));
    return Shape::Rectangle(half.x, half.y);
  }
  std::vector<Vec2> vertices;
  for (const Point& point : points) vertices.push_back(ToVec(point));
  return Shape::Polygon(vertices);
}

class Events final : public ContactListener {
 public:
  void BeginContact(const Contact& contact) override { Note(contact, true); }
  void EndContact(const Contact& contact) override { Note(contact, false); }
  std::vector<Event> list;

 private:
  void Note(const Contact& contact, bool begins) {
    list.emplace_back(contact.bodies[0], contact.bodies[1], begins);
  }
};

BodyId CreateBody(World& world, int type, const Point& position, double angle,
                  const Point& velocity, double angular_velocity, double linear_damping,
                  double angular_damping, double gravity_scale, bool bullet, bool fixed_rotation,
                  bool allow_sleep) {
  BodyDef def;
  def.type = static_cast<BodyType>(type);
  def.position = ToVec(position);
  def.angle = static_cast<float>(angle);
  def.velocity = ToVec(velocity);
  def.angular_velocity = static_cast<float>(angular_velocity);
  def.linear_damping = static_cast<float>(linear_damping);
  def.angular_damping = static_cast<float>(angular_damping);
  def.gravity_scale = static_cast<float>(gravity_scale);
  def.bullet = bullet;
  def.fixed_rotation = fixed_rotation;
  def.allow_sleep = allow_sleep;
  return world.CreateBody(def);
}

FixtureId CreateFixture(World& world, BodyId body, const std::string& kind, const Points& points,
                        double radius, double density, double friction, double restitution,
                        int category, int mask, int group, bool sensor) {
  FixtureDef def;
  def.shape = MakeShape(kind, points, radius);
  def.density = static_cast<float>(density);
  def.friction = static_cast<float>(friction);
  def.restitution = static_cast<float>(restitution);
  def.filter = {static_cast<std::uint16_t>(category), static_cast<std::uint16_t>(mask),
                static_cast<std::int16_t>(group)};
  def.sensor = sensor;
  return world.CreateFixture(body, def);
}

JointId CreateJoint(World& world, BodyId a, BodyId b, const Point& anchor_a, const Point& anchor_b,
                    double reference, bool limit, double lower, double upper, bool motor,
                    double speed, double torque, bool collide) {
  RevoluteJointDef def;
  def.body_a = a;
  def.body_b = b;
  def.anchor_a = ToVec(anchor_a);
  def.anchor_b = ToVec(anchor_b);
  def.reference_angle = static_cast<float>(reference);
  def.enable_limit = limit;
  def.lower_angle = static_cast<float>(lower);
  def.upper_angle = static_cast<float>(upper);
  def.enable_motor = motor;
  def.motor_speed = static_cast<float>(speed);
  def.max_motor_torque = static_cast<float>(torque);
  def.collide_connected = collide;
  return world.CreateJoint(def);
}

std::vector<Event> Step(World& world, double dt, int velocity, int position, int steps) {
  Events events;
  for (int i = 0; i < steps; ++i) world.Step(static_cast<float>(dt), velocity, position, &events);
  return events.list;
}

BodyState StateOf(const World& world, BodyId id) {
  const Body& body = world.body(id);
  return {body.position().x, body.position().y,     body.angle(), body.velocity.x,
          body.velocity.y,   body.angular_velocity, body.awake};
}

// Returns (fraction, body, normal x, normal y) of the nearest fixture on the ray, or None.
py::object Cast(const World& world, const Point& from, const Point& to) {
  float fraction = 1.0f;
  BodyId body = kNone;
  Vec2 normal;
  world.CastRay(ToVec(from), ToVec(to), [&](FixtureId id, const RayHit& hit) {
    fraction = hit.fraction;
    body = world.fixture(id).body;
    normal = hit.normal;
    return fraction;
  });
  if (body == kNone) return py::none();
  return py::make_tuple(fraction, body, normal.x, normal.y);
}

// Each contact: body A, body B, whether they touch, and (normal, tangent) impulses of each point.
std::vector<std::tuple<int, int, bool, std::vector<std::tuple<float, float>>>> Contacts(
    const World& world) {
  std::vector<std::tuple<int, int, bool, std::vector<std::tuple<float, float>>>> all;
  world.VisitContacts([&](const Contact& contact) {
    std::vector<std::tuple<float, float>> points;
    for (int i = 0; i < contact.manifold.count; ++i) {
      const ManifoldPoint& point = contact.manifold.points[i];
      points.emplace_back(point.normal_impulse, point.tangent_impulse);
    }
    all.emplace_back(contact.bodies[0], contact.bodies[1], contact.touching, points);
  });
  return all;
}

py::bytes Save(const World& world) {
  std::string bytes;
  engine::StateWriter writer(bytes);
  world.Save(writer);
  return bytes;
}

void Load(World& world, const std::string& bytes) {
  engine::StateReader reader(bytes);
  world.Load(reader);
  reader.ExpectEnd();
}

}  // namespace

void BindPhysics2d(py::module_& m) {
  using namespace py::literals;
  py::class_<World>(m, "World")
      .def(py::init([](const Point& gravity) { return World(ToVec(gravity)); }))
      .def("copy", [](const World& world) { return World(world); })
      .def("clear", &World::Clear)
      .def("save", &Save)
      .def("load", &Load)
      .def("set_skips_settled", &World::set_skips_settled)
      .def("create_body", &CreateBody, "type"_a, "position"_a, "angle"_a = 0.0,
           "velocity"_a = Point(0.0, 0.0), "angular_velocity"_a = 0.0, "linear_damping"_a = 0.0,
           "angular_damping"_a = 0.0, "gravity_scale"_a = 1.0, "bullet"_a = false,
           "fixed_rotation"_a = false, "allow_sleep"_a = true)
      .def("destroy_body", [](World& world, BodyId id) { world.DestroyBody(id); })
      .def("create_fixture", &CreateFixture, "body"_a, "kind"_a, "points"_a, "radius"_a = 0.0,
           "density"_a = 0.0, "friction"_a = 0.2, "restitution"_a = 0.0, "category"_a = 1,
           "mask"_a = 0xffff, "group"_a = 0, "sensor"_a = false)
      .def("destroy_fixture", [](World& world, FixtureId id) { world.DestroyFixture(id); })
      .def("create_joint", &CreateJoint, "a"_a, "b"_a, "anchor_a"_a, "anchor_b"_a,
           "reference"_a = 0.0, "limit"_a = false, "lower"_a = 0.0, "upper"_a = 0.0,
           "motor"_a = false, "speed"_a = 0.0, "torque"_a = 0.0, "collide"_a = false)
      .def("destroy_joint", &World::DestroyJoint)
      .def("step", &Step, "dt"_a, "velocity"_a, "position"_a, "steps"_a = 1)
      .def("state", &StateOf)
      .def("mass", [](const World& world, BodyId id) { return world.body(id).mass; })
      .def("inertia", [](const World& world, BodyId id) { return world.body(id).inertia; })
      .def("contacts", &Contacts)
      .def("cast", &Cast)
      .def("apply_force", [](World& world, BodyId id, const Point& force, const Point& at,
                             bool wake) { world.ApplyForce(id, ToVec(force), ToVec(at), wake); })
      .def("apply_torque",
           [](World& world, BodyId id, double torque, bool wake) {
             world.ApplyTorque(id, static_cast<float>(torque), wake);
           })
      .def("apply_linear_impulse",
           [](World& world, BodyId id, const Point& impulse, const Point& at, bool wake) {
             world.ApplyLinearImpulse(id, ToVec(impulse), ToVec(at), wake);
           })
      .def("apply_angular_impulse",
           [](World& world, BodyId id, double impulse, bool wake) {
             world.ApplyAngularImpulse(id, static_cast<float>(impulse), wake);
           })
      .def("set_transform",
           [](World& world, BodyId id, const Point& position, double angle) {
             world.SetTransform(id, ToVec(position), static_cast<float>(angle));
           })
      .def("set_velocity", [](World& world, BodyId id,
                              const Point& velocity) { world.SetVelocity(id, ToVec(velocity)); })
      .def("set_awake", &World::SetAwake)
      .def("set_sensor", &World::SetSensor)
      .def("set_motor",
           [](World& world, JointId id, double speed, double torque) {
             world.SetMotorSpeed(id, static_cast<float>(speed));
             world.SetMaxMotorTorque(id, static_cast<float>(torque));
           })
      .def("joint_angle", &World::JointAngle)
      .def("joint_speed", &World::JointSpeed);
}
