// Arguments that a world rejects, and unphysical input. tests/physics2d tests that the results are
// right.
#include "engine/physics2d/world.h"

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "engine/base/error.h"
#include "engine/physics2d/shape.h"
#include "tests/engine/harness.h"

namespace engine::physics2d::testing {
namespace world_test {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(Shape, RefusesPolygonsWithoutArea) {
  const std::array<Vec2, 2> two{{{0.0f, 0.0f}, {1.0f, 0.0f}}};
  EXPECT_THROW_MESSAGE(Shape::Polygon(two), Error, "3 to 8 points, not 2");
  const std::array<Vec2, 3> line{{{0.0f, 0.0f}, {1.0f, 1.0f}, {2.0f, 2.0f}}};
  EXPECT_THROW(Shape::Polygon(line), Error);
  const std::array<Vec2, 4> point{};
  EXPECT_THROW(Shape::Polygon(point), Error);
  const std::array<Vec2, 3> wide{{{0.0f, 0.0f}, {kInfinity, 0.0f}, {0.0f, std::nanf("")}}};
  EXPECT_THROW(Shape::Polygon(wide), Error);
  const std::vector<Vec2> many(9, Vec2{1.0f, 2.0f});
  EXPECT_THROW_MESSAGE(Shape::Polygon(many), Error, "not 9");
}

TEST(Shape, PolygonIsTheHullOfItsPoints) {
  const std::array<Vec2, 6> points{
      {{0.0f, 0.0f}, {1.0f, 0.0f}, {0.5f, 0.5f}, {1.0f, 1.0f}, {0.0f, 1.0f}, {0.5f, 0.0f}}};
  const Shape shape = Shape::Polygon(points);
  EXPECT_EQ(shape.count, 4);
  EXPECT_TRUE(shape.vertices[0] == (Vec2{1.0f, 0.0f}));
  EXPECT_NEAR(shape.centroid.x, 0.5f, 1e-6f);
  EXPECT_NEAR(shape.MassOf(2.0f).mass, 2.0f, 1e-6f);
}

World WithGround() {
  World world({0.0f, -10.0f});
  const BodyId ground = world.CreateBody({});
  world.CreateFixture(ground, {.shape = Shape::Edge({-10.0f, 0.0f}, {10.0f, 0.0f})});
  return world;
}

BodyId AddBall(World& world, Vec2 position) {
  const BodyId ball = world.CreateBody({.type = BodyType::kDynamic, .position = position});
  world.CreateFixture(ball, {.shape = Shape::Circle({}, 0.5f), .density = 1.0f});
  return ball;
}

TEST(World, RefusesNumbersOfNothing) {
  World world = WithGround();
  EXPECT_THROW(world.body(7), Error);
  EXPECT_THROW(world.body(kNone), Error);
  EXPECT_THROW(world.fixture(5), Error);
  EXPECT_THROW(world.joint(0), Error);
  EXPECT_THROW(world.DestroyJoint(0), Error);
  EXPECT_THROW(world.CreateFixture(3, {.shape = Shape::Circle({}, 1.0f)}), Error);
  const BodyId ball = AddBall(world, {0.0f, 3.0f});
  EXPECT_THROW(world.CreateJoint({.body_a = ball, .body_b = ball}), Error);
  world.DestroyBody(ball);
  EXPECT_THROW(world.body(ball), Error);
  EXPECT_THROW(world.ApplyTorque(ball, 1.0f), Error);
  EXPECT_THROW(world.DestroyBody(ball), Error);
  EXPECT_EQ(AddBall(world, {0.0f, 3.0f}), ball);
}

TEST(World, SurvivesNumbersThatAreNotFinite) {
  for (const float wrong : {std::nanf(""), kInfinity, -kInfinity, 1e38f}) {
    World world = WithGround();
    const BodyId ball = AddBall(world, {0.0f, 0.6f});
    const BodyId other = AddBall(world, {0.3f, 1.2f});
    world.CreateJoint({.body_a = ball,
                       .body_b = other,
                       .enable_motor = true,
                       .motor_speed = wrong,
                       .max_motor_torque = wrong});
    world.ApplyForceToCenter(ball, {wrong, wrong});
    world.ApplyLinearImpulse(other, {wrong, 0.0f}, {wrong, 0.0f});
    for (int i = 0; i < 20; ++i) world.Step(0.02f, 20, 10);
    AddBall(world, {wrong, wrong});
    for (int i = 0; i < 20; ++i) world.Step(0.02f, 20, 10);
    world.CastRay({0.0f, 5.0f}, {0.0f, -5.0f},
                  [](FixtureId, const RayHit& hit) { return hit.fraction; });
    world.DestroyBody(ball);
    world.Step(0.02f, 8, 3);
    EXPECT_THROW(world.body(ball), Error);
  }
}

TEST(World, RaysFindTheNearestFixture) {
  World world = WithGround();
  const BodyId ball = AddBall(world, {0.0f, 2.0f});
  float fraction = 1.0f;
  BodyId hit_body = kNone;
  world.CastRay({0.0f, 4.0f}, {0.0f, -4.0f}, [&](FixtureId id, const RayHit& hit) {
    fraction = hit.fraction;
    hit_body = world.fixture(id).body;
    return fraction;
  });
  EXPECT_EQ(hit_body, ball);
  EXPECT_NEAR(fraction, 1.5f / 8.0f, 1e-6f);
}

TEST(World, SensorsReportAndDoNotPush) {
  class Count final : public ContactListener {
   public:
    void BeginContact(const Contact&) override { ++begun; }
    void EndContact(const Contact&) override { ++ended; }
    int begun = 0;
    int ended = 0;
  };
  World world({0.0f, -10.0f});
  const BodyId gate = world.CreateBody({});
  world.CreateFixture(gate, {.shape = Shape::Rectangle(1.0f, 0.2f), .sensor = true});
  const BodyId ball = AddBall(world, {0.0f, 2.0f});
  Count count;
  for (int i = 0; i < 60; ++i) world.Step(0.02f, 8, 3, &count);
  EXPECT_EQ(count.begun, 1);
  EXPECT_EQ(count.ended, 1);
  EXPECT_LT(world.body(ball).position().y, -2.0f);
}

}  // namespace world_test
}  // namespace engine::physics2d::testing
