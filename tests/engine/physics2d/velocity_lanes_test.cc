// Worlds that are solved together equal worlds that are solved alone, bit by bit.
#include "engine/physics2d/velocity_lanes.h"

#include <limits>
#include <random>
#include <string>
#include <vector>

#include "engine/env/state.h"
#include "engine/physics2d/world.h"
#include "tests/engine/harness.h"

namespace engine::physics2d::testing {
namespace velocity_lanes_test {

constexpr float kTimeStep = 0.02f;
constexpr int kVelocityIterations = 30;
constexpr int kPositionIterations = 10;

float Draw(std::mt19937& random, float low, float high) {
  return std::uniform_real_distribution<float>(low, high)(random);
}

int DrawInt(std::mt19937& random, int low, int high) {
  return std::uniform_int_distribution<int>(low, high)(random);
}

BodyId AddBox(World& world, std::mt19937& random, Vec2 position) {
  const BodyId body = world.CreateBody(
      {.type = BodyType::kDynamic, .position = position, .angle = Draw(random, -0.5f, 0.5f)});
  world.CreateFixture(
      body, {.shape = Shape::Rectangle(Draw(random, 0.1f, 0.5f), Draw(random, 0.1f, 0.5f)),
             .density = Draw(random, 0.5f, 5.0f),
             .filter = {.category = 2, .mask = 1}});
  return body;
}

// A body to which `num_joints` others are joined, directly or in chains, above the ground. `like`
// determines which are joined and which joints have motors.
World Robot(std::mt19937& random, int num_joints, int like) {
  std::mt19937 shape(static_cast<unsigned>(like));
  World world({0.0f, -10.0f});
  const BodyId ground = world.CreateBody({});
  world.CreateFixture(ground, {.shape = Shape::Edge({-30.0f, 0.0f}, {30.0f, 0.0f}),
                               .friction = 0.8f,
                               .filter = {.category = 1, .mask = 2}});
  std::vector<BodyId> bodies{AddBox(world, random, {0.0f, Draw(random, 0.5f, 3.0f)})};
  for (int i = 0; i < num_joints; ++i) {
    const BodyId parent = bodies[shape() % bodies.size()];
    const Vec2 anchor{Draw(random, -0.3f, 0.3f), Draw(random, -0.3f, 0.3f)};
    const BodyId child = AddBox(world, random, world.body(parent).position() + anchor);
    bodies.push_back(child);
    // Joints at a limit, between their limits, without freedom, and without limits.
    const float low = Draw(random, -1.0f, 0.3f);
    const float width = random() % 4 == 0 ? 0.0f : Draw(random, 0.0f, 1.0f);
    world.CreateJoint({.body_a = parent,
                       .body_b = child,
                       .anchor_a = anchor,
                       .enable_limit = random() % 4 != 0,
                       .lower_angle = low,
                       .upper_angle = low + width,
                       .enable_motor = shape() % 3 != 0,
                       .motor_speed = Draw(random, -5.0f, 5.0f),
                       .max_motor_torque = Draw(random, 0.0f, 80.0f)});
  }
  world.ApplyLinearImpulse(bodies[0], {Draw(random, -5.0f, 5.0f), Draw(random, -5.0f, 5.0f)},
                           world.body(bodies[0]).position());
  return world;
}

std::string StateOf(const World& world) {
  std::string state;
  StateWriter writer(state);
  world.Save(writer);
  return state;
}

void StepTogether(std::vector<World>& worlds) {
  std::vector<Island*> islands(worlds.size());
  for (std::size_t i = 0; i < worlds.size(); ++i) {
    islands[i] = worlds[i].BeginStep(kTimeStep, kVelocityIterations, kPositionIterations);
  }
  for (;;) {
    std::vector<Island*> found;
    for (Island* const island : islands) {
      if (island != nullptr) found.push_back(island);
    }
    if (found.empty()) return;
    SolveVelocities(found, kVelocityIterations);
    for (std::size_t i = 0; i < worlds.size(); ++i) {
      if (islands[i] != nullptr) islands[i] = worlds[i].ContinueStep();
    }
  }
}

TEST(VelocityLanes, EqualWorldsThatAreSolvedAlone) {
  std::mt19937 random(1);
  int with_contacts = 0;
  for (int turn = 0; turn < 60; ++turn) {
    // All alike, or of several kinds; with 9 joints they are solved alone.
    const int kinds = DrawInt(random, 1, 3);
    const auto count = static_cast<std::size_t>(DrawInt(random, 1, 40));
    const int num_joints = DrawInt(random, 0, 9);
    std::vector<World> alone;
    for (std::size_t i = 0; i < count; ++i)
      alone.push_back(Robot(random, num_joints, 3 * turn + DrawInt(random, 0, kinds - 1)));
    std::vector<World> together = alone;
    for (int step = 0; step < 40; ++step) {
      for (World& world : alone) world.Step(kTimeStep, kVelocityIterations, kPositionIterations);
      StepTogether(together);
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_TRUE(StateOf(alone[i]) == StateOf(together[i]))
            << "turn " << turn << ", step " << step << ", world " << i;
        alone[i].VisitContacts([&](const Contact& contact) { with_contacts += contact.touching; });
      }
    }
  }
  EXPECT_GT(with_contacts, 10'000);
}

TEST(VelocityLanes, SurviveNumbersThatAreNotFinite) {
  std::mt19937 random(2);
  std::vector<World> worlds;
  for (int i = 0; i < 20; ++i) worlds.push_back(Robot(random, 3, 7));
  for (const float wrong : {std::numeric_limits<float>::quiet_NaN(), 1e38f}) {
    for (std::size_t i = 0; i < worlds.size(); i += 3) worlds[i].SetVelocity(1, {wrong, -wrong});
    for (int step = 0; step < 5; ++step) StepTogether(worlds);
  }
  for (const World& world : worlds) EXPECT_EQ(world.num_bodies(), 5U);
}

}  // namespace velocity_lanes_test
}  // namespace engine::physics2d::testing
