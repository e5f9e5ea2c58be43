// Snapshots: a copy of an environment with its generator continues exactly like the original, for
// every task, across ends of episodes, whatever either of them does in between.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "engine/envs/mujoco/ant.h"
#include "engine/envs/mujoco/half_cheetah.h"
#include "engine/envs/mujoco/hopper.h"
#include "engine/envs/mujoco/humanoid.h"
#include "engine/envs/mujoco/humanoid_standup.h"
#include "engine/envs/mujoco/inverted_double_pendulum.h"
#include "engine/envs/mujoco/inverted_pendulum.h"
#include "engine/envs/mujoco/model_changes.h"
#include "engine/envs/mujoco/pusher.h"
#include "engine/envs/mujoco/reacher.h"
#include "engine/envs/mujoco/swimmer.h"
#include "engine/envs/mujoco/walker2d.h"
#include "tests/engine/envs/mujoco/open_library.h"
#include "tests/engine/harness.h"

namespace engine::mujoco::testing {
namespace {

// One environment with a record of its observable results.
template <class E>
class Scene {
 public:
  explicit Scene(const EnvSpec& spec, const typename E::Config& config)
      : spec_(spec), env_(config), rng_(7) {}

  // Environments with equal seeds draw equal actions.
  void ActAtRandom(std::uint32_t seed) { actions_.seed(seed); }

  void Reset() {
    env_.Reset(typename E::Start(ParamValues({}, {}, "reset option", "")), rng_);
    elapsed_steps_ = 0;
    Look(0.0, false, true);
  }

  // Ends an episode as the engine does: if the task terminates it, or at a limit.
  void Step() {
    // Controls exceed their range by up to one half.
    std::vector<float> action(static_cast<std::size_t>(NumElements(spec_.action.shape)));
    for (float& control : action) {
      control = static_cast<float>(actions_()) * 0x1p-32f * 3.0f - 1.5f;
    }
    const StepResult result =
        env_.Step(ActionView(reinterpret_cast<const std::byte*>(action.data())), rng_);
    Look(result.reward, result.terminated, false);
    if (result.terminated || ++elapsed_steps_ == kLimit) {
      ++ended_episodes_;
      Reset();
    }
  }

  int ended_episodes() const { return ended_episodes_; }
  // Returns the results since the previous call.
  std::vector<std::uint64_t> TakeSeen() { return std::exchange(seen_, {}); }

 private:
  static constexpr int kLimit = 90;

  // Compares NaN by its bits as well, since NaN != NaN.
  static std::uint64_t BitsOf(double value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
  }

  void Look(double reward, bool terminated, bool after_reset) {
    std::vector<double> observation(spec_.observation.leaf_bytes() / sizeof(double));
    const Column column{reinterpret_cast<std::byte*>(observation.data()), 0};
    env_.Observe(ObsRow(&column, 0));
    for (const double value : observation) seen_.push_back(BitsOf(value));
    seen_.push_back(BitsOf(reward));
    seen_.push_back(terminated ? 1 : 0);
    // Infos as bytes, whatever their types.
    std::vector<std::vector<std::byte>> storage;
    for (const InfoSpec& info : spec_.infos) storage.emplace_back(info.bytes() + sizeof(double));
    std::vector<Column> values;
    for (auto& bytes : storage) values.push_back({bytes.data(), 0});
    std::vector<std::byte> set(spec_.infos.size());
    std::vector<Column> masks;
    for (std::byte& mask : set) masks.push_back({&mask, 0});
    if constexpr (HasInfo<E>) env_.Info(InfoRow(values.data(), masks.data(), 0), after_reset);
    for (const auto& bytes : storage) {
      for (const std::byte byte : bytes) seen_.push_back(std::to_integer<std::uint64_t>(byte));
    }
  }

  EnvSpec spec_;
  E env_;
  Rng rng_;
  std::mt19937 actions_;
  int elapsed_steps_ = 0;
  int ended_episodes_ = 0;
  std::vector<std::uint64_t> seen_;
};

template <class E>
void TestCopies(const std::string& name) {
  OpenOnce();
  const ParamValues options(WithRendering(WithModelChanges(E::Options())), {}, "option", name);
  const typename E::Config config(options);
  Scene<E> original(E::Spec(options), config);
  original.Reset();
  for (const int steps : {0, 61}) {
    original.ActAtRandom(1);
    for (int i = 0; i < steps; ++i) original.Step();
    original.TakeSeen();

    auto copy = std::make_unique<Scene<E>>(original);
    const int episodes = original.ended_episodes();
    for (int i = 0; i < 300; ++i) original.Step();
    EXPECT_LE(episodes + 3, original.ended_episodes()) << name;
    const std::vector<std::uint64_t> expected = original.TakeSeen();
    for (int i = 0; i < 300; ++i) copy->Step();
    EXPECT_TRUE(copy->TakeSeen() == expected) << name << ", " << steps << " steps";
    // The original does not depend on the copy.
    copy.reset();
    original.Step();
    EXPECT_LT(0U, original.TakeSeen().size());
  }
}

TEST(MujocoSnapshot, Ant) {
  TestCopies<AntV4>("Ant-v4");
  TestCopies<AntV5>("Ant-v5");
}
TEST(MujocoSnapshot, HalfCheetah) {
  TestCopies<HalfCheetahV4>("HalfCheetah-v4");
  TestCopies<HalfCheetahV5>("HalfCheetah-v5");
}
TEST(MujocoSnapshot, Hopper) {
  TestCopies<HopperV4>("Hopper-v4");
  TestCopies<HopperV5>("Hopper-v5");
}
TEST(MujocoSnapshot, Humanoid) {
  TestCopies<HumanoidV4>("Humanoid-v4");
  TestCopies<HumanoidV5>("Humanoid-v5");
}
TEST(MujocoSnapshot, HumanoidStandup) {
  TestCopies<HumanoidStandupV4>("HumanoidStandup-v4");
  TestCopies<HumanoidStandupV5>("HumanoidStandup-v5");
}
TEST(MujocoSnapshot, InvertedDoublePendulum) {
  TestCopies<InvertedDoublePendulumV4>("InvertedDoublePendulum-v4");
  TestCopies<InvertedDoublePendulumV5>("InvertedDoublePendulum-v5");
}
TEST(MujocoSnapshot, InvertedPendulum) {
  TestCopies<InvertedPendulumV4>("InvertedPendulum-v4");
  TestCopies<InvertedPendulumV5>("InvertedPendulum-v5");
}
TEST(MujocoSnapshot, Pusher) { TestCopies<Pusher>("Pusher-v5"); }
TEST(MujocoSnapshot, Reacher) {
  TestCopies<ReacherV4>("Reacher-v4");
  TestCopies<ReacherV5>("Reacher-v5");
}
TEST(MujocoSnapshot, Swimmer) {
  TestCopies<SwimmerV4>("Swimmer-v4");
  TestCopies<SwimmerV5>("Swimmer-v5");
}
TEST(MujocoSnapshot, Walker2d) {
  TestCopies<Walker2dV4>("Walker2d-v4");
  TestCopies<Walker2dV5>("Walker2d-v5");
}

}  // namespace
}  // namespace engine::mujoco::testing
