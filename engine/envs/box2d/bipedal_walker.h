// BipedalWalker: walk over rough ground with a robot that has two legs with two joints each. The
// random draws and the arithmetic (with NumPy 2's types) are those of Gymnasium 1.4.0's
// BipedalWalker, and the physics is physics2d. Trajectories are bit-equal to Gymnasium's. Each
// instance runs on one thread at a time.
//
// As in Gymnasium, the world is kept from episode to episode by default. The order in which the
// world solves contacts depends on the node numbers of its tree, and therefore on all bodies that
// the world has had.
#ifndef ENGINE_ENVS_BOX2D_BIPEDAL_WALKER_H_
#define ENGINE_ENVS_BOX2D_BIPEDAL_WALKER_H_

#include <array>
#include <concepts>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/env/environment.h"
#include "engine/envs/box2d/walker_terrain.h"
#include "engine/envs/box2d/worlds_together.h"
#include "engine/physics2d/world.h"

namespace engine::box2d {

class BipedalWalker {
 public:
  static constexpr bool kNeverWaits = true;

  static ParamSchema Options() { return OptionsOf(false); }
  static ParamSchema OptionsOf(bool hardcore);
  static EnvSpec Spec(const ParamValues& options);

  struct Constants {
    bool hardcore;  // from the next reset on
  };
  struct Config {
    explicit Config(const ParamValues& options)
        : constants{.hardcore = options.Get<bool>("hardcore")},
          fresh_world(options.Get<bool>("fresh_world")) {}
    Constants constants;
    bool fresh_world;
  };

  explicit BipedalWalker(const Config& config);

  static std::vector<AttributeSpec> Attributes(const Config& config);
  void SetAttribute(std::size_t index, std::span<const double> value);

  void Reset(Rng& rng);
  StepResult Step(ActionView action, Rng&) { return Walk(action.Data<float>()); }
  StepResult StepFloat64(ActionView action, Rng&) { return Walk(action.Data<double>()); }
  static void StepMany(StepRange<BipedalWalker> range);
  void Observe(ObsRow row) const;

  void EnableRender() { landscape_ = std::make_unique<WalkerTerrain>(); }
  // Position x, y (m) and angle (rad) of the hull and of the four parts of the legs; the number of
  // steps since the reset; the start and the end of each lidar ray (m); the heights of the ground
  // (m); the points of the clouds (m); the number of obstacles and their points (m).
  void Scene(std::span<double> scene) const;

  void Save(StateWriter& state) const;
  void Load(StateReader& state);

 private:
  static constexpr int kJoints = 4;
  static constexpr int kRays = 10;
  static constexpr std::int64_t kSceneSize =
      15 + 1 + 4 * kRays + WalkerTerrain::kColumns +
      2 * WalkerTerrain::kClouds * WalkerTerrain::kCloudPoints + 1 +
      8 * WalkerTerrain::kMaxObstacles;

  // Records contacts of the hull and of the lower legs with the ground.
  class ContactRecorder final : public physics2d::ContactListener {
   public:
    explicit ContactRecorder(BipedalWalker& walker) : walker_(walker) {}
    void BeginContact(const physics2d::Contact& contact) override;
    void EndContact(const physics2d::Contact& contact) override;

   private:
    BipedalWalker& walker_;
  };

  void DestroyAll();
  void MakeGround(const WalkerTerrain& terrain);
  void MakeHull(Rng& rng);
  void MakeLeg(int side);
  template <std::floating_point T>
  StepResult Walk(const T* action);
  // The parts of Walk; see World::BeginStep.
  template <std::floating_point T>
  physics2d::Island* BeginWalk(const T* action);
  physics2d::Island* ContinueWalk();
  template <std::floating_point T>
  StepResult EndWalk(const T* action);
  void ReadState();
  void CastLidar();

  const Config* config_;
  SharedAttributes<Constants> constants_;
  physics2d::World world_;
  std::vector<physics2d::BodyId> ground_;
  physics2d::BodyId hull_ = physics2d::kNone;
  // Upper and lower part of the first leg, then of the second leg.
  std::array<physics2d::BodyId, kJoints> legs_{};
  std::array<physics2d::JointId, kJoints> joints_{};
  std::array<bool, 2> on_ground_{};  // of the lower parts
  bool hull_touched_ = false;
  bool has_shaping_ = false;
  double shaping_ = 0.0;
  std::int64_t steps_ = 0;  // since the reset
  std::array<double, 14> state_{};
  std::array<float, kRays> lidar_{};  // fractions of the range
  std::array<Point, kRays> ray_ends_{};
  std::unique_ptr<WalkerTerrain> landscape_;  // null unless pictures may be drawn
};

}  // namespace engine::box2d

#endif  // ENGINE_ENVS_BOX2D_BIPEDAL_WALKER_H_
