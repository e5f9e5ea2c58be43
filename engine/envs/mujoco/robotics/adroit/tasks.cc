// The tasks of the Adroit hand.
#include <algorithm>
#include <array>
#include <memory>
#include <string>

#include "engine/base/numpy_arrays.h"
#include "engine/base/numpy_kernels.h"
#include "engine/envs/mujoco/arm_fields.h"
#include "engine/envs/mujoco/robotics/adroit/rules.h"
#include "engine/envs/mujoco/robotics/adroit/scene.h"
#include "engine/envs/mujoco/robotics/rotations.h"

namespace engine::mujoco::robotics::adroit {
namespace {

// Joints of an object that moves freely, behind those of the hand.
constexpr std::size_t kObjectJoints = 6;

std::span<const double> WithoutObject(std::span<const double> joints) {
  return joints.first(joints.size() - kObjectJoints);
}

// Undo the latch and open the door.
class Door final : public Rules {
 public:
  static constexpr Place kPlaces[] = {{.name = "door_body_pos",
                                       .field = "body_pos",
                                       .is_site = false,
                                       .object = "frame",
                                       .size = 3}};
  static constexpr Description kDescription = {.name = "Door",
                                               .model = "adroit_hand/adroit_door.xml",
                                               .actions = 28,
                                               .observation = 39,
                                               .distance = 1.5,
                                               .azimuth = 90.0,
                                               .places = kPlaces};

  explicit Door(Model& model)
      : palm_(model.SiteId("S_grasp")),
        handle_(model.SiteId("S_handle")),
        hinge_(static_cast<std::size_t>(
            ArmFieldsOf(*model.get()).jnt_dofadr[model.JointId("door_hinge")])) {}

  void Draw(Scene& scene, Rng& rng) const override {
    const std::span<double> frame = scene.place(0);
    frame[0] = rng.Uniform(-0.3, -0.2);
    frame[1] = rng.Uniform(0.25, 0.35);
    frame[2] = rng.Uniform(0.252, 0.35);
  }

  void Observe(const Scene& scene, RowWriter& writer) const override {
    const std::span<const double> qpos = scene.qpos();
    const Vector palm = scene.Site(palm_);
    const Vector handle = scene.Site(handle_);
    writer.Put(qpos.subspan(1, qpos.size() - 3));
    writer.Put(qpos.back());
    writer.Put(qpos[hinge_]);
    writer.Put(palm);
    writer.Put(handle);
    writer.Put(palm - handle);
    writer.Put(qpos[hinge_] > 1.0 ? 1.0 : -1.0);
  }

  Outcome Judge(const Scene& scene) const override {
    const double angle = scene.qpos()[hinge_];
    double reward = 0.1 * Norm(scene.Site(palm_) - scene.Site(handle_));
    reward += -0.1 * (angle - 1.57) * (angle - 1.57);
    reward += -1e-5 * SumOfSquares(scene.qvel());
    if (angle > 0.2) reward += 2.0;
    if (angle > 1.0) reward += 8.0;
    if (angle > 1.35) reward += 10.0;
    return {.is_success = angle >= 1.35, .reward = reward};
  }

 private:
  int palm_, handle_;
  std::size_t hinge_;  // in qpos and in qvel, which have the same places
};

// Pick up a hammer and drive a nail into a board.
class Hammer final : public Rules {
 public:
  static constexpr Place kPlaces[] = {{.name = "board_pos",
                                       .field = "body_pos",
                                       .is_site = false,
                                       .object = "nail_board",
                                       .size = 3}};
  static constexpr Description kDescription = {.name = "Hammer",
                                               .model = "adroit_hand/adroit_hammer.xml",
                                               .actions = 26,
                                               .observation = 46,
                                               .distance = 2.0,
                                               .azimuth = 45.0,
                                               .places = kPlaces};

  explicit Hammer(Model& model)
      : palm_(model.SiteId("S_grasp")),
        head_(model.SiteId("tool")),
        nail_(model.SiteId("S_target")),
        goal_(model.SiteId("nail_goal")),
        hammer_(model.BodyId("Object")),
        impact_(model.SensorId("S_nail")) {}

  void Draw(Scene& scene, Rng& rng) const override { scene.place(0)[2] = rng.Uniform(0.1, 0.25); }

  void Observe(const Scene& scene, RowWriter& writer) const override {
    writer.Put(WithoutObject(scene.qpos()));
    writer.PutClipped(scene.qvel().last(kObjectJoints), -1.0, 1.0);
    writer.Put(scene.Site(palm_));
    writer.Put(scene.Body(hammer_));
    writer.Put(EulerAngles(scene.Rotation(hammer_)));
    writer.Put(scene.Site(nail_));
    writer.Put(Clip(scene.sensor(impact_), -1.0, 1.0));
  }

  Outcome Judge(const Scene& scene) const override {
    const Vector hammer = scene.Body(hammer_);
    const Vector head = scene.Site(head_);
    const Vector nail = scene.Site(nail_);
    const double distance = Norm(nail - scene.Site(goal_));
    double reward = 0.1 * Norm(scene.Site(palm_) - hammer);
    reward -= Norm(head - nail);
    reward -= 10.0 * distance;
    reward -= 1e-2 * Norm(scene.qvel());
    if (hammer[2] > 0.04 && head[2] > 0.04) reward += 2.0;
    if (distance < 0.02) reward += 25.0;
    if (distance < 0.01) reward += 75.0;
    return {.is_success = distance < 0.01, .reward = reward};
  }

 private:
  int palm_, head_, nail_, goal_;  // sites
  int hammer_;                     // body
  int impact_;                     // sensor, each of which has one number
};

// Turn a pen in the hand into the orientation of another one.
class Pen final : public Rules {
 public:
  static constexpr Place kPlaces[] = {{.name = "desired_orien",
                                       .field = "body_quat",
                                       .is_site = false,
                                       .object = "target",
                                       .size = 4}};
  static constexpr Description kDescription = {.name = "Pen",
                                               .model = "adroit_hand/adroit_pen.xml",
                                               .actions = 24,
                                               .observation = 45,
                                               .distance = 1.0,
                                               .azimuth = -45.0,
                                               .places = kPlaces};

  explicit Pen(Model& model)
      : pen_(model.BodyId("Object")),
        center_(model.SiteId("eps_ball")),
        ends_{{{model.SiteId("object_top"), model.SiteId("object_bottom")},
               {model.SiteId("target_top"), model.SiteId("target_bottom")}}} {}

  void Draw(Scene& scene, Rng& rng) const override {
    const double about_x = rng.Uniform(-1.0, 1.0);
    const double about_y = rng.Uniform(-1.0, 1.0);
    std::ranges::copy(QuaternionOf({about_x, about_y, 0.0}), scene.place(0).begin());
  }

  void EndReset(Scene& scene) const override {
    for (std::size_t i = 0; i < ends_.size(); ++i) scene.lengths[i] = Norm(Axis(scene, i));
  }

  void Observe(const Scene& scene, RowWriter& writer) const override {
    const Vector position = scene.Body(pen_);
    const Vector direction = Direction(scene, kPen);
    const Vector desired = Direction(scene, kTarget);
    writer.Put(WithoutObject(scene.qpos()));
    writer.Put(position);
    writer.Put(scene.qvel().last(kObjectJoints));
    writer.Put(direction);
    writer.Put(desired);
    writer.Put(position - scene.Site(center_));
    writer.Put(direction - desired);
  }

  Outcome Judge(const Scene& scene) const override {
    const Vector position = scene.Body(pen_);
    const double distance = Norm(position - scene.Site(center_));
    const double similarity = NumpyDot(Direction(scene, kPen), Direction(scene, kTarget));
    const bool is_near = distance < 0.075;
    double reward = -distance + similarity;
    if (is_near && similarity > 0.9) reward += 10.0;
    if (is_near && similarity > 0.95) reward += 50.0;
    if (position[2] < 0.075) reward -= 5.0;
    return {.is_success = is_near && similarity > 0.95, .reward = reward};
  }

 private:
  static constexpr std::size_t kPen = 0;
  static constexpr std::size_t kTarget = 1;

  Vector Axis(const Scene& scene, std::size_t which) const {
    return scene.Site(ends_[which][0]) - scene.Site(ends_[which][1]);
  }
  Vector Direction(const Scene& scene, std::size_t which) const {
    Vector axis = Axis(scene, which);
    for (double& each : axis) each /= scene.lengths[which];
    return axis;
  }

  int pen_;                                 // body
  int center_;                              // site
  std::array<std::array<int, 2>, 2> ends_;  // sites at the ends of the pen and of its target
};

// Carry a ball to a goal.
class Relocate final : public Rules {
 public:
  static constexpr Place kPlaces[] = {
      {.name = "obj_pos", .field = "body_pos", .is_site = false, .object = "Object", .size = 3},
      {.name = "target_pos", .field = "site_pos", .is_site = true, .object = "target", .size = 3}};
  static constexpr Description kDescription = {.name = "Relocate",
                                               .model = "adroit_hand/adroit_relocate.xml",
                                               .actions = 30,
                                               .observation = 39,
                                               .distance = 1.5,
                                               .azimuth = 90.0,
                                               .places = kPlaces};

  explicit Relocate(Model& model)
      : ball_(model.BodyId("Object")),
        palm_(model.SiteId("S_grasp")),
        goal_(model.SiteId("target")) {}

  void Draw(Scene& scene, Rng& rng) const override {
    const std::span<double> ball = scene.place(0);
    const std::span<double> goal = scene.place(1);
    ball[0] = rng.Uniform(-0.15, 0.15);
    ball[1] = rng.Uniform(-0.15, 0.3);
    goal[0] = rng.Uniform(-0.2, 0.2);
    goal[1] = rng.Uniform(-0.2, 0.2);
    goal[2] = rng.Uniform(0.15, 0.35);
  }

  void Observe(const Scene& scene, RowWriter& writer) const override {
    const Vector ball = scene.Body(ball_);
    const Vector palm = scene.Site(palm_);
    const Vector goal = scene.Site(goal_);
    writer.Put(WithoutObject(scene.qpos()));
    writer.Put(palm - ball);
    writer.Put(palm - goal);
    writer.Put(ball - goal);
  }

  Outcome Judge(const Scene& scene) const override {
    const Vector ball = scene.Body(ball_);
    const Vector palm = scene.Site(palm_);
    const Vector goal = scene.Site(goal_);
    const double distance = Norm(ball - goal);
    double reward = 0.1 * Norm(palm - ball);
    if (ball[2] > 0.04) {
      reward += 1.0;
      reward += -0.5 * Norm(palm - goal);
      reward += -0.5 * distance;
    }
    if (distance < 0.1) reward += 10.0;
    if (distance < 0.05) reward += 20.0;
    return {.is_success = distance < 0.1, .reward = reward};
  }

 private:
  int ball_;         // body
  int palm_, goal_;  // sites
};

template <class Each>
TaskEntry EntryOf() {
  return {.description = Each::kDescription,
          .make = [](Model& model) -> std::unique_ptr<const Rules> {
            return std::make_unique<const Each>(model);
          }};
}

}  // namespace

std::span<const TaskEntry> AllTasks() {
  static const std::array kTasks = {EntryOf<Door>(), EntryOf<Hammer>(), EntryOf<Pen>(),
                                    EntryOf<Relocate>()};
  return kTasks;
}

const TaskEntry& TaskOf(const std::string& name) {
  return *std::ranges::find(AllTasks(), name,
                            [](const TaskEntry& entry) { return entry.description.name; });
}

}  // namespace engine::mujoco::robotics::adroit
