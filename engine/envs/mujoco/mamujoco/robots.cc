// See the header. Names, numbers and neighbours are those of Gymnasium-Robotics 1.4.2.
#include "engine/envs/mujoco/mamujoco/robots.h"

#include <string>
#include <utility>

namespace engine::mujoco::mamujoco {
namespace {

using enum Quantity;

// Returns the terms of consecutive elements.
std::vector<Term> Elements(Quantity array, int first, int count) {
  std::vector<Term> terms;
  for (int i = 0; i < count; ++i) terms.push_back({.array = array, .index = first + i});
  return terms;
}

// Returns joints that are the last ones of the model, with the first controls, both in this order.
std::vector<Part> LastJoints(const std::vector<std::string>& names) {
  std::vector<Part> joints;
  const int count = static_cast<int>(names.size());
  for (int i = 0; i < count; ++i) {
    const std::string& name = names[static_cast<std::size_t>(i)];
    joints.push_back({.name = name, .qpos = i - count, .control = i});
  }
  return joints;
}

// Returns the root of a robot in a plane. Its x is not observed, as in the plain task.
std::vector<Part> PlanarRoot() {
  return {{.name = "root_x", .qpos = 0, .own = {{kQpos, {}}}},
          {.name = "root_z", .qpos = 1},
          {.name = "root_y", .qpos = 2}};
}

// Returns the root of a robot in space. Its x and y are not observed, as in the plain task.
Part FreeRoot(std::string name) {
  return {.name = std::move(name),
          .qpos = 0,
          .own = {{kQpos, Elements(kQpos, 2, 5)}, {kQvel, Elements(kQvel, 0, 6)}}};
}

void ClipVelocity(Part& part) {
  part.own[kQvel] = {{.array = kQvel, .index = part.qvel.value(), .function = Function::kClipTo10}};
}

}  // namespace

Robot AntRobot(const Model&) {
  Robot robot;
  // Legs 1 to 4. The controls of the last leg come first.
  for (int leg = 0; leg < 4; ++leg) {
    const std::string number = std::to_string(leg + 1);
    const int upper = 2 + 3 * leg;  // the body that is joined to the torso
    const int control = (2 + 2 * leg) % 8;
    robot.parts.push_back({.name = "hip" + number,
                           .qpos = 2 * leg - 8,
                           .control = control,
                           .bodies = {1, upper},
                           .of_bodies = Function::kClipTo1});
    robot.parts.push_back({.name = "ankle" + number,
                           .qpos = 2 * leg - 7,
                           .control = control + 1,
                           .bodies = {upper, upper + 1, upper + 2},
                           .of_bodies = Function::kClipTo1});
    robot.Join({"hip" + number, "ankle" + number});
  }
  robot.Join({"hip1", "hip2", "hip3", "hip4"});
  robot.globals = {FreeRoot("root")};
  robot.categories = {kQpos, kQvel, kCfrcExt};
  return robot;
}

std::vector<Division> AntDivisions() {
  const std::string leg1 = "hip1 ankle1";
  const std::string leg2 = "hip2 ankle2";
  const std::string leg3 = "hip3 ankle3";
  const std::string leg4 = "hip4 ankle4";
  return {{.name = "2x4", .agents = {leg1 + " " + leg2, leg3 + " " + leg4}},
          {.name = "2x4d", .agents = {leg1 + " " + leg4, leg2 + " " + leg3}},
          {.name = "4x2", .agents = {leg1, leg2, leg3, leg4}}};
}

Robot HalfCheetahRobot(const Model&) {
  Robot robot{.parts = LastJoints({"bthigh", "bshin", "bfoot", "fthigh", "fshin", "ffoot"}),
              .edges = {},
              .globals = PlanarRoot()};
  robot.Join({"bfoot", "bshin"});
  robot.Join({"bshin", "bthigh"});
  robot.Join({"bthigh", "fthigh"});
  robot.Join({"fthigh", "fshin"});
  robot.Join({"fshin", "ffoot"});
  return robot;
}

std::vector<Division> HalfCheetahDivisions() {
  return {{.name = "2x3", .agents = {"bthigh bshin bfoot", "fthigh fshin ffoot"}},
          {.name = "6x1", .agents = {"bthigh", "bshin", "bfoot", "fthigh", "fshin", "ffoot"}}};
}

Robot HopperRobot(const Model&) {
  Robot robot{.parts = LastJoints({"thigh_joint", "leg_joint", "foot_joint"}),
              .edges = {},
              .globals = PlanarRoot()};
  for (Part& part : robot.parts) ClipVelocity(part);
  for (Part& part : robot.globals) ClipVelocity(part);
  robot.Join({"foot_joint", "leg_joint"});
  robot.Join({"leg_joint", "thigh_joint"});
  return robot;
}

std::vector<Division> HopperDivisions() {
  return {{.name = "3x1", .agents = {"thigh_joint", "leg_joint", "foot_joint"}}};
}

Robot HumanoidRobot(const Model&) {
  enum Body : int {
    kTorso = 1,
    kWaist,
    kPelvis,
    kRightThigh,
    kRightShin,
    kRightFoot,
    kLeftThigh,
    kLeftShin,
    kLeftFoot,
    kRightUpperArm,
    kRightLowerArm,
    kLeftUpperArm,
    kLeftLowerArm,
  };
  Robot robot;
  robot.parts = LastJoints({"abdomen_y", "abdomen_z", "abdomen_x", "right_hip_x", "right_hip_z",
                            "right_hip_y", "right_knee", "left_hip_x", "left_hip_z", "left_hip_y",
                            "left_knee", "right_shoulder1", "right_shoulder2", "right_elbow",
                            "left_shoulder1", "left_shoulder2", "left_elbow"});
  const auto give = [&](const std::vector<int>& bodies, const std::vector<std::string>& names) {
    for (const std::string& name : names) robot.parts[robot.Find(name).value()].bodies = bodies;
  };
  give({kTorso, kWaist, kPelvis}, {"abdomen_y", "abdomen_z"});
  give({kPelvis, kRightThigh, kLeftThigh}, {"abdomen_x"});
  give({kRightThigh, kRightShin}, {"right_hip_x", "right_hip_z", "right_hip_y"});
  give({kRightShin, kRightFoot}, {"right_knee"});
  give({kLeftThigh, kLeftShin}, {"left_hip_x", "left_hip_z", "left_hip_y"});
  give({kLeftShin, kLeftFoot}, {"left_knee"});
  give({kTorso, kRightUpperArm, kRightLowerArm}, {"right_shoulder1", "right_shoulder2"});
  give({kRightLowerArm}, {"right_elbow"});
  give({kTorso, kLeftUpperArm, kLeftLowerArm}, {"left_shoulder1", "left_shoulder2"});
  give({kLeftLowerArm}, {"left_elbow"});

  const auto join = [&](const std::vector<std::string>& some,
                        const std::vector<std::string>& more) {
    std::vector<std::string> all = some;
    all.insert(all.end(), more.begin(), more.end());
    robot.Join(all);
  };
  const std::vector<std::string> abdomen = {"abdomen_x", "abdomen_y", "abdomen_z"};
  robot.Join(abdomen);
  for (const std::string side : {"left", "right"}) {
    const std::vector<std::string> hip = {side + "_hip_x", side + "_hip_y", side + "_hip_z"};
    const std::vector<std::string> shoulder = {side + "_shoulder1", side + "_shoulder2"};
    robot.Join(hip);
    join(hip, {side + "_knee"});
    join(shoulder, {side + "_elbow"});
    join(shoulder, abdomen);
    join(hip, abdomen);
  }
  Part root = FreeRoot("root");
  root.qpos = root.qvel = std::nullopt;
  robot.globals = {std::move(root)};
  robot.categories = {kQpos, kQvel, kCinert, kCvel, kQfrcActuator, kCfrcExt};
  return robot;
}

std::vector<Division> HumanoidDivisions() {
  return {{.name = "9|8",
           .agents = {"abdomen_x abdomen_y abdomen_z right_shoulder1 right_shoulder2 right_elbow "
                      "left_shoulder1 left_shoulder2 left_elbow",
                      "right_hip_x right_hip_y right_hip_z right_knee left_hip_x left_hip_y "
                      "left_hip_z left_knee"}}};
}

Robot PusherRobot(const Model& model) {
  Robot robot;
  int joint = 0;
  for (const char* const name :
       {"r_shoulder_pan_joint", "r_shoulder_lift_joint", "r_upper_arm_roll_joint",
        "r_elbow_flex_joint", "r_forearm_roll_joint", "r_wrist_flex_joint", "r_wrist_roll_joint"}) {
    robot.parts.push_back({.name = name, .qpos = joint, .control = joint});
    if (joint > 0) robot.Join({robot.parts[static_cast<std::size_t>(joint) - 1].name, name});
    ++joint;
  }
  // The reference gives the joints of the shoulder the name of another one, by which it sorts.
  for (const std::size_t part : {0U, 1U}) robot.parts[part].sort_key = "r_wrist_roll_joint";
  for (const char* const name : {"tips_arm", "object", "goal"}) {
    const int body = model.BodyId(name);
    robot.globals.push_back(
        {.name = name, .own = {{kQpos, Elements(kXpos, 3 * body, 3)}, {kQvel, {}}}});
  }
  return robot;
}

std::vector<Division> PusherDivisions() {
  return {{.name = "3p",
           .agents = {"r_shoulder_pan_joint r_shoulder_lift_joint r_upper_arm_roll_joint",
                      "r_elbow_flex_joint",
                      "r_forearm_roll_joint r_wrist_flex_joint r_wrist_roll_joint"}}};
}

Robot ReacherRobot(const Model& model) {
  const auto joint = [](const char* name, int qpos, int control, std::vector<int> bodies) {
    return Part{.name = name,
                .qpos = qpos,
                .control = control,
                .bodies = std::move(bodies),
                .own = {{kQpos,
                         {{.array = kQpos, .index = qpos, .function = Function::kSine},
                          {.array = kQpos, .index = qpos, .function = Function::kCosine}}}}};
  };
  Robot robot;
  robot.parts = {joint("joint0", -4, 0, {1, 2}), joint("joint1", -3, 1, {2, 3})};
  const int fingertip = model.BodyId("fingertip");
  const int target = model.BodyId("target");
  for (int axis = 0; axis < 3; ++axis) {
    robot.parts[1].own[kFingertipDistance].push_back({.array = kXpos,
                                                      .index = 3 * fingertip + axis,
                                                      .function = Function::kMinus,
                                                      .subtracted = 3 * target + axis});
  }
  robot.Join({"joint0", "joint1"});
  robot.globals = {{.name = "target_x", .qpos = -2, .own = {{kQvel, {}}}},
                   {.name = "target_y", .qpos = -1, .own = {{kQvel, {}}}}};
  robot.categories = {kQpos, kQvel, kFingertipDistance};
  return robot;
}

std::vector<Division> ReacherDivisions() {
  return {{.name = "2x1", .agents = {"joint0", "joint1"}}};
}

Robot SwimmerRobot(const Model&) {
  Robot robot;
  robot.parts = LastJoints({"rot2", "rot3"});
  // With each joint, a velocity of the body in the plane.
  for (int joint = 0; joint < 2; ++joint) {
    robot.parts[static_cast<std::size_t>(joint)].own[kQvel] = {
        {.array = kQvel, .index = joint}, {.array = kQvel, .index = joint + 3}};
  }
  robot.Join({"rot2", "rot3"});
  robot.globals = {{.name = "free_body_rot", .qpos = 2}};
  return robot;
}

std::vector<Division> SwimmerDivisions() { return {{.name = "2x1", .agents = {"rot2", "rot3"}}}; }

Robot Walker2dRobot(const Model&) {
  Robot robot{.parts = LastJoints({"thigh_joint", "leg_joint", "foot_joint", "thigh_left_joint",
                                   "leg_left_joint", "foot_left_joint"}),
              .edges = {},
              .globals = PlanarRoot()};
  robot.Join({"foot_joint", "leg_joint"});
  robot.Join({"leg_joint", "thigh_joint"});
  robot.Join({"foot_left_joint", "leg_left_joint"});
  robot.Join({"leg_left_joint", "thigh_left_joint"});
  robot.Join({"thigh_joint", "thigh_left_joint"});
  return robot;
}

std::vector<Division> Walker2dDivisions() {
  return {{.name = "2x3",
           .agents = {"foot_joint leg_joint thigh_joint",
                      "foot_left_joint leg_left_joint thigh_left_joint"}}};
}

Robot SegmentAntRobot(int segments) {
  Robot robot;
  for (int segment = 0; segment < segments; ++segment) {
    // As in the reference, these are not the joints of the segment, except in the last one.
    const int from_last = segments - 1 - segment;
    const int torso = 1 + 7 * segment;
    const auto add = [&](const std::string& name, int joint, int control, std::vector<int> bodies) {
      robot.parts.push_back({.name = name + "_" + std::to_string(segment),
                             .qpos = 4 * from_last + joint - 4,
                             .control = 4 * segment + control,
                             .bodies = std::move(bodies),
                             .of_bodies = Function::kClipTo1});
    };
    add("hip1", 0, 2, {torso, torso + 1});
    add("ankle1", 1, 3, {torso + 1, torso + 2, torso + 3});
    add("hip2", 2, 0, {torso, torso + 4});
    add("ankle2", 3, 1, {torso + 4, torso + 5, torso + 6});
    const std::size_t hip1 = robot.parts.size() - 4;
    robot.edges.insert(robot.edges.end(),
                       {{hip1, hip1 + 1}, {hip1 + 2, hip1 + 3}, {hip1, hip1 + 2}});
  }
  // As in the reference, the hips of a segment are next to copies of those of the segment before,
  // which are no agent's, and not next to the hips themselves.
  for (std::size_t hip1 = 4; hip1 < 4 * static_cast<std::size_t>(segments); hip1 += 4) {
    const std::size_t copy = robot.parts.size();
    robot.edges.push_back({copy, copy + 1, hip1, hip1 + 2});
    for (const std::size_t original : {hip1 - 4, hip1 - 2}) {
      Part part = robot.parts[original];
      part.control = std::nullopt;
      robot.parts.push_back(std::move(part));
    }
  }
  robot.globals = {FreeRoot("free")};
  robot.categories = {kQpos, kQvel, kCfrcExt};
  return robot;
}

Robot SegmentSwimmerRobot(int segments) {
  std::vector<std::string> names;
  for (int joint = 0; joint < segments; ++joint) names.push_back("rot" + std::to_string(joint));
  Robot robot;
  robot.parts = LastJoints(names);
  for (std::size_t joint = 1; joint < names.size(); ++joint)
    robot.Join({names[joint - 1], names[joint]});
  return robot;
}

}  // namespace engine::mujoco::mamujoco
