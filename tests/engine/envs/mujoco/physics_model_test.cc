// PhysicsModel: results are bit-equal to those of mj_step with the original model, contact by
// contact, for all solvers, integrators and shapes, and the expected stages are skipped.
#include "engine/envs/mujoco/physics_model.h"

#include <mujoco/mujoco.h>

#include <cstdint>
#include <string>

#include "tests/engine/envs/mujoco/both_ways.h"
#include "tests/engine/harness.h"

namespace engine::mujoco::testing {
namespace {

Owned<mjModel> LoadGymnasiums(const std::string& name) {
  return Load(std::string(MUJOCO_MODELS) + "/" + name + ".xml");
}

bool LeavesOut(const PhysicsModel& physics, int flag) {
  return (physics.get()->opt.disableflags & flag) != 0;
}

struct Expected {
  const char* name;
  bool islands;   // whether PhysicsModel skips islands
  bool contacts;  // whether PhysicsModel skips contacts
  int pairs;      // pairs that PhysicsModel lists
};

// The stages that PhysicsModel skips for each of Gymnasium's models.
constexpr Expected kGymnasiums[] = {
    {"ant", true, false, 13},
    {"half_cheetah", true, false, 6},  // its torso has two geoms
    {"hopper", true, false, 0},        // any two of its parts can collide
    {"humanoid", true, false, 0},
    {"humanoidstandup", true, false, 0},
    {"inverted_double_pendulum", true, true, 0},
    {"inverted_pendulum", true, true, 0},
    {"pusher_v5", false, false, 0},
    {"reacher", false, true, 0},
    {"swimmer", true, true, 0},
    {"walker2d", true, false, 7},
    {"walker2d_v5", true, false, 7},
};

TEST(PhysicsModel, LeavesOutWhatIsMeant) {
  for (const Expected& expected : kGymnasiums) {
    const Owned<mjModel> model = LoadGymnasiums(expected.name);
    const PhysicsModel physics(*model);
    EXPECT_EQ(LeavesOut(physics, mjDSBL_ISLAND), expected.islands) << expected.name;
    EXPECT_EQ(LeavesOut(physics, mjDSBL_CONTACT), expected.contacts) << expected.name;
    EXPECT_EQ(physics.get()->npair, expected.pairs) << expected.name;
  }
}

TEST(PhysicsModel, GymnasiumsModels) {
  for (const Expected& expected : kGymnasiums) {
    const Owned<mjModel> model = LoadGymnasiums(expected.name);
    int constraints = 0;
    for (std::uint32_t seed = 0; seed < 4; ++seed) {
      constraints += ExpectSame(*model, seed, 1'000, expected.name).constraints;
    }
    EXPECT_LT(0, constraints) << expected.name;
  }
}

TEST(PhysicsModel, EverySolverIntegratorAndCone) {
  for (const char* const name : {"ant", "half_cheetah", "hopper", "humanoid", "pusher_v5"}) {
    const Owned<mjModel> model = LoadGymnasiums(name);
    std::uint32_t seed = 0;
    for (const int solver : {mjSOL_PGS, mjSOL_CG, mjSOL_NEWTON}) {
      for (const int integrator :
           {mjINT_EULER, mjINT_RK4, mjINT_IMPLICIT, mjINT_IMPLICITFAST, mjINT_DISCRETE}) {
        for (const int cone : {mjCONE_PYRAMIDAL, mjCONE_ELLIPTIC}) {
          for (const int jacobian : {mjJAC_DENSE, mjJAC_SPARSE}) {
            model->opt.solver = solver;
            model->opt.integrator = integrator;
            model->opt.cone = cone;
            model->opt.jacobian = jacobian;
            model->opt.noslip_iterations = seed % 3 == 0 ? 2 : 0;
            const std::string what = std::string(name) + ", solver " + std::to_string(solver) +
                                     ", integrator " + std::to_string(integrator) + ", cone " +
                                     std::to_string(cone) + ", jacobian " +
                                     std::to_string(jacobian);
            ExpectSame(*model, seed++, 150, what);
          }
        }
      }
    }
  }
}

// A body that moves freely.
std::string Body(const std::string& geoms, double x, double z) {
  return "<body pos='" + std::to_string(x) + " 0 " + std::to_string(z) + "'><freejoint/>" + geoms +
         "</body>";
}

TEST(PhysicsModel, ListsBodiesThatMeetTheGroundAlone) {
  struct Case {
    const char* what;
    std::string world;
    int pairs;
  };
  const std::string ball = "<geom size='0.1' contype='0' conaffinity='1'/>";
  const std::string seen_by_all = "<geom size='0.1'/>";
  const std::string floor = "<geom type='plane' size='5 5 1'/>";
  const Case cases[] = {
      {"one ball", floor + Body(seen_by_all, 0, 0.3), 1},
      {"balls that do not meet", floor + Body(ball, 0, 0.3) + Body(ball, 0.05, 0.3), 2},
      {"balls that meet", floor + Body(seen_by_all, 0, 0.3) + Body(seen_by_all, 0.05, 0.6), 0},
      {"two geoms", floor + Body(ball + ball, 0, 0.3) + Body(ball, 1, 0.3), 1},
      {"two planes", floor + floor + Body(ball, 0, 0.3), 0},
      {"a box for a floor", "<geom type='box' size='5 5 1'/>" + Body(ball, 0, 1.3), 1},
      {"a plane of a fixed body", "<body pos='0 0 0.1'>" + floor + "</body>" + Body(ball, 0, 0.3),
       1},
      {"a plane that comes last", Body(ball, 0, 0.3) + "<body>" + floor + "</body>", 1},
      {"two grounds",
       floor + Body(ball, 0, 0.3) + "<body pos='0 0 0.05'>" + floor + "</body>" +
           Body(ball, 1, 0.3),
       4},
      {"a plane that can be moved", "<body mocap='true'>" + floor + "</body>" + Body(ball, 0, 0.3),
       0},
      {"a ball that the user moves",
       floor + "<body mocap='true'>" + ball + "</body>" + Body(ball, 0, 0.3), 1},
      {"a part of what the user moves",
       floor + "<body mocap='true'>" + ball + "<body><joint type='slide'/>" + ball +
           "</body></body>",
       1},
      {"weights too large",
       "<geom type='plane' size='5 5 1' solmix='1.5e308' solref='0.1 1'/>" +
           Body("<geom size='0.1' solmix='1.5e308'/>", 0, 0.3),
       0},
      {"no weights at all",
       "<geom type='plane' size='5 5 1' solmix='0' solref='0.1 1'/>" +
           Body("<geom size='0.1' solmix='0'/>", 0, 0.3),
       1},
      {"zero",
       "<geom type='box' size='5 5 0.1' solref='0 0'/>" +
           Body("<geom size='0.1' solref='-0.0 -0.0'/>", 0, 0.15),
       1},
      {"a zero below zero",
       "<geom type='box' size='5 5 0.1' solref='-0.0 -0.0'/>" +
           Body("<geom size='0.1' solref='0 0'/>", 0, 0.15),
       1},
      {"a zero below zero on a plane",
       "<geom type='plane' size='5 5 0.1' solref='-0.0 -0.0'/>" +
           Body("<geom size='0.1' solref='0 0'/>", 0, 0.05),
       1},
      {"two geoms, last", floor + Body(ball, 0, 0.3) + Body(ball + ball, 1, 0.3), 1},
      {"a fixed body without", floor + "<body><geom size='0.1'/></body>" + Body(ball, 0, 0.3), 0},
      {"a body of another kind",
       floor + Body(ball, 0, 0.3) + Body("<geom size='0.1' contype='2' conaffinity='2'/>", 0, 1),
       1},
      {"different weights", floor + Body("<geom size='0.1' solmix='3'/>", 0, 0.3), 0},
      {"a priority", floor + Body("<geom size='0.1' solmix='3' priority='1'/>", 0, 0.3), 1},
      {"adhesion", floor + Body("<geom size='0.1' adhesion='1'/>", 0, 0.3), 0},
  };
  for (const Case& each : cases) {
    const Owned<mjModel> model = Compile("<worldbody>" + each.world + "</worldbody>");
    EXPECT_EQ(PhysicsModel(*model).get()->npair, each.pairs) << each.what;
    const Run run = ExpectSame(*model, 3, 400, each.what);
    EXPECT_LT(0, run.contacts) << each.what;
  }
}

TEST(PhysicsModel, EveryParameterOfAContact) {
  const char* const floors[] = {
      "<geom type='plane' size='5 5 1'/>",
      ("<geom type='plane' size='5 5 1' margin='0.02' gap='0.01' condim='6'"
       " friction='0.4 0.3 0.01' solimp='0.7 0.9 0.01 0.4 3' solref='0.03 0.8'/>"),
      "<geom type='plane' size='5 5 1' solref='-900 -20' priority='2' friction='2 0.1 0.2'/>",
      "<geom type='plane' size='5 5 1' solmix='0' pos='0 0 0.02' euler='4 3 0'/>",
  };
  const char* const parameters[] = {
      "",
      "condim='1'",
      "condim='4' friction='0.1 0.2 0.3' margin='0.01'",
      "condim='6' solref='-500 -10' gap='0.03' margin='0.05'",
      "solref='0.05 1.2' solimp='0.5 0.99 0.02 0.3 1' solmix='1'",
      "priority='1' solref='0.1 1' condim='3'",
      "priority='2' friction='0.01 0.01 0.01' solmix='0'",
  };
  const char* const shapes[] = {
      "type='sphere' size='0.1'",
      "type='capsule' size='0.05 0.1'",
      "type='ellipsoid' size='0.05 0.1 0.15'",
      "type='cylinder' size='0.1 0.05'",
      "type='box' size='0.1 0.05 0.08'",
  };
  int listed = 0;
  for (const char* const floor : floors) {
    for (const char* const own : parameters) {
      std::string bodies;
      double x = -1.0;
      for (const char* const shape : shapes) {
        bodies += Body(std::string("<geom contype='0' ") + shape + " " + own + "/>", x, 0.3);
        x += 0.5;
      }
      const Owned<mjModel> model =
          Compile("<worldbody>" + std::string(floor) + bodies + "</worldbody>");
      const std::string what = std::string(floor) + " and " + own;
      listed += static_cast<int>(PhysicsModel(*model).get()->npair);
      for (const int cone : {mjCONE_PYRAMIDAL, mjCONE_ELLIPTIC}) {
        model->opt.cone = cone;
        EXPECT_LT(0, ExpectSame(*model, 5, 300, what).contacts) << what;
      }
    }
  }
  EXPECT_EQ(listed, 5 * (7 + 7 + 6 + 2));  // all pairs without differing weights
}

// A chain of three bodies that hangs from the world, followed by `rest`.
Owned<mjModel> Chain(const std::string& rest) {
  const auto link = [](const std::string& name, const std::string& next) {
    return "<body name='" + name + "' pos='0.3 0 0'><joint name='" + name +
           "' axis='0 1 0' limited='true' range='-90 90' frictionloss='0.1'/><geom name='" + name +
           "' type='capsule' size='0.05' fromto='0 0 0 0.3 0 0'/>" + next + "</body>";
  };
  return Compile("<worldbody><geom name='floor' type='plane' size='5 5 1' pos='0 0 -0.4'/>" +
                 link("a", link("b", link("c", ""))) + "</worldbody>" + rest);
}

TEST(PhysicsModel, LeavesWhatItDoesNotKnow) {
  struct Case {
    const char* what;
    Owned<mjModel> model;
    bool islands;  // whether PhysicsModel skips islands
    int pairs;     // pairs that PhysicsModel lists in addition to the model's own
  };
  const std::string tendon =
      "<tendon><fixed name='t' %><joint joint='a' coef='1'/></fixed></tendon>";
  const auto with_tendon = [&](const std::string& attributes) {
    return Chain(std::string(tendon).replace(tendon.find('%'), 1, attributes));
  };
  Case cases[] = {
      {"nothing else", Chain(""), true, 1},  // b collides with neither of its neighbours
      {"an exclusion", Chain("<contact><exclude body1='a' body2='c'/></contact>"), true, 0},
      {"a pair", Chain("<contact><pair geom1='a' geom2='b'/></contact>"), true, 0},
      {"an equality", Chain("<equality><joint joint1='a' joint2='b'/></equality>"), false, 1},
      {"a tendon", with_tendon(""), true, 1},
      {"a tendon's limit", with_tendon("limited='true' range='-0.5 0.5'"), false, 1},
      {"a tendon's friction", with_tendon("frictionloss='0.2'"), false, 1},
  };
  for (const Case& each : cases) {
    const PhysicsModel physics(*each.model);
    EXPECT_EQ(LeavesOut(physics, mjDSBL_ISLAND), each.islands) << each.what;
    EXPECT_EQ(physics.get()->npair, each.model->npair + each.pairs) << each.what;
    EXPECT_LT(0, ExpectSame(*each.model, 2, 600, each.what).contacts) << each.what;
  }
  const Owned<mjModel> small = Chain("<size memory='500K'/>");
  EXPECT_FALSE(LeavesOut(PhysicsModel(*small), mjDSBL_ISLAND));
  ExpectSame(*small, 1, 200, "little memory");
  const Owned<mjModel> restless = LoadGymnasiums("ant");
  restless->opt.disableflags |= mjDSBL_AUTORESET;
  EXPECT_EQ(PhysicsModel(*restless).get()->npair, 0);
  ExpectSame(*restless, 1, 200, "no automatic resets");
  for (const int flag : {mjENBL_OVERRIDE, mjENBL_SLEEP}) {
    const Owned<mjModel> ant = LoadGymnasiums("ant");
    ant->opt.enableflags |= flag;
    const PhysicsModel physics(*ant);
    EXPECT_FALSE(LeavesOut(physics, mjDSBL_ISLAND));
    EXPECT_EQ(physics.get()->npair, 0);
    ExpectSame(*ant, 1, 200, "flag " + std::to_string(flag));
  }
}

// A state that explodes must explode in the same way, with the same warnings.
TEST(PhysicsModel, Explosions) {
  for (const Expected& expected : kGymnasiums) {
    const Owned<mjModel> model = LoadGymnasiums(expected.name);
    model->opt.timestep *= 30.0;
    for (std::uint32_t seed = 0; seed < 3; ++seed) ExpectSame(*model, seed, 300, expected.name);
  }
}

}  // namespace
}  // namespace engine::mujoco::testing
