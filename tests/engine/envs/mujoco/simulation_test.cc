// Simulation: a step that does not compute again what EndReset has computed gives the bits of a
// whole one.
#include "engine/envs/mujoco/simulation.h"

#include <mujoco/mujoco.h>

#include <algorithm>
#include <array>
#include <random>
#include <span>
#include <string>

#include "engine/envs/mujoco/base_model.h"
#include "engine/envs/mujoco/model.h"
#include "engine/envs/mujoco/model_changes.h"
#include "tests/engine/envs/mujoco/both_ways.h"
#include "tests/engine/envs/mujoco/open_library.h"
#include "tests/engine/harness.h"

namespace engine::mujoco::testing {
namespace {

// An arm of two fingers, whose hand a mocap body moves, and a box and a ball that it pushes over a
// table and another box.
constexpr const char* kArm = R"(<mujoco>
  <option timestep="0.0025"/>
  <worldbody>
    <geom type="plane" size="3 3 0.1"/>
    <geom type="box" size="0.3 0.3 0.05" pos="0 0 0.05"/>
    <body name="mocap" mocap="true" pos="0 0 0.3">
      <geom type="sphere" size="0.02" contype="0" conaffinity="0"/>
    </body>
    <body name="arm" pos="0 0 0.6">
      <joint type="slide" axis="1 0 0" damping="5"/>
      <joint type="slide" axis="0 1 0" damping="5"/>
      <joint type="hinge" axis="0 1 0" damping="1" range="-1 1" limited="true"/>
      <geom type="capsule" size="0.03" fromto="0 0 0 0 0 -0.2"/>
      <body name="hand" pos="0 0 -0.25">
        <joint type="slide" axis="0 0 1" range="-0.4 0.4" limited="true" damping="5"/>
        <geom type="box" size="0.06 0.03 0.02"/>
        <body pos="0.05 0 -0.04">
          <joint name="right" type="slide" axis="1 0 0" range="-0.05 0.05" limited="true"/>
          <geom type="box" size="0.01 0.02 0.04" condim="4"/>
        </body>
        <body pos="-0.05 0 -0.04">
          <joint name="left" type="slide" axis="1 0 0" range="-0.05 0.05" limited="true"/>
          <geom type="box" size="0.01 0.02 0.04" condim="4"/>
        </body>
      </body>
    </body>
    <body pos="0 0 0.13"><freejoint/><geom type="box" size="0.03 0.03 0.03" condim="6"/></body>
    <body pos="0.2 0 0.15"><freejoint/><geom type="sphere" size="0.04"/></body>
  </worldbody>
  <equality><weld body1="mocap" body2="hand"/></equality>
  <actuator>
    <position joint="right" kp="40" ctrlrange="-1 1" ctrllimited="true"/>
    <position joint="left" kp="40" ctrlrange="-1 1" ctrllimited="true"/>
  </actuator>
</mujoco>)";

// All observable results. A contact's H is memory of the solver, which leaves it as it was if it
// needs no matrix.
Seen LookAt(const Model& model, const Simulation& simulation) {
  mjData& data = *simulation.get();
  for (int i = 0; i < data.ncon; ++i) std::ranges::fill(data.contact[i].H, 0.0);
  return Seen(*model.get(), data);
}

// Moves a mocap body at random, and steps one simulation with Step, the other with StepAfterReset.
void ExpectEqualSteps(int solver, int integrator, int cone) {
  const NumberTable changes = {{"opt.solver", {static_cast<double>(solver)}},
                               {"opt.integrator", {static_cast<double>(integrator)}},
                               {"opt.cone", {static_cast<double>(cone)}}};
  const ParamValues options(WithModelChanges({}), {{"model", changes}, {"model_constants", false}},
                            "option", "Task-v0");
  const Model model(CompileText("arm", kArm), options);
  Simulation whole(model);
  Simulation parts(model);
  for (Simulation* const each : {&whole, &parts}) {
    each->BeginReset();
    each->EndReset();
  }
  std::mt19937 random(1);
  std::uniform_real_distribution<mjtNum> uniform(-1.0, 1.0);
  constexpr int kSteps = 150;
  constexpr int kMore = 2;  // whole steps between two comparisons
  int contacts = 0;
  for (int step = 0; step < kSteps; ++step) {
    const std::array<double, 2> controls = {0.1 * uniform(random), 0.1 * uniform(random)};
    std::array<mjtNum, 3> by;
    for (mjtNum& number : by) number = 0.02 * uniform(random);
    by[2] += step % 100 < 50 ? -0.006 : 0.006;  // down to the table, and up
    for (Simulation* const each : {&whole, &parts}) {
      for (std::size_t i = 0; i < by.size(); ++i) {
        mjtNum& place = each->get()->mocap_pos[i];
        place = std::clamp(place + by[i], i == 2 ? 0.12 : -0.25, i == 2 ? 0.4 : 0.25);
      }
    }
    whole.Step(std::span<const double>(controls), 1, BodyForces::kNo);
    parts.StepAfterReset(std::span<const double>(controls));
    const auto same = [&] { return LookAt(model, whole) == LookAt(model, parts); };
    ASSERT_TRUE(same()) << "solver " << solver << ", integrator " << integrator << ", cone " << cone
                        << ", step " << step;
    for (Simulation* const each : {&whole, &parts}) {
      each->Step(std::span<const double>(controls), kMore, BodyForces::kNo);
      each->EndReset();
    }
    ASSERT_TRUE(same()) << "step " << step;
    contacts += whole.get()->ncon;
  }
  EXPECT_GT(contacts, 2 * kSteps);
}

TEST(Simulation, AStepAfterEndResetGivesTheSame) {
  OpenOnce();
  for (const int solver : {mjSOL_PGS, mjSOL_CG, mjSOL_NEWTON}) {
    // A step cannot be taken apart with the Runge-Kutta method: the whole one is made.
    for (const int integrator : {mjINT_EULER, mjINT_RK4, mjINT_IMPLICIT, mjINT_IMPLICITFAST}) {
      for (const int cone : {mjCONE_PYRAMIDAL, mjCONE_ELLIPTIC}) {
        ExpectEqualSteps(solver, integrator, cone);
      }
    }
  }
}

// MuJoCo resets a state with such numbers at the begin of a step.
TEST(Simulation, AStepAfterEndResetOfAnUnsoundState) {
  OpenOnce();
  const ParamValues options(WithModelChanges({}),
                            {{"model", NumberTable{}}, {"model_constants", false}}, "option",
                            "Task-v0");
  const Model model(CompileText("arm", kArm), options);
  Simulation whole(model);
  Simulation parts(model);
  const std::array<double, 2> controls = {0.0, 0.0};
  for (Simulation* const each : {&whole, &parts}) {
    each->BeginReset();
    each->qvel()[0] = 1e11;
    each->EndReset();
  }
  whole.Step(std::span<const double>(controls), 1, BodyForces::kNo);
  parts.StepAfterReset(std::span<const double>(controls));
  EXPECT_EQ(whole.get()->warning[mjWARN_BADQVEL].number, 1);
  EXPECT_TRUE(LookAt(model, whole) == LookAt(model, parts));
}

}  // namespace
}  // namespace engine::mujoco::testing
