// Scenes: what a group writes for each environment, also if Scene() throws, and specs that require
// members which the class lacks.
#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/group/env_group_of.h"
#include "tests/engine/harness.h"

namespace engine::testing {
namespace scene_test {

// Its scene is (number drawn at the reset, -1, -1, ...). While `fails` is set, Scene() throws.
template <std::int64_t kSceneSize, bool kHasPicture = false>
class Probe {
 public:
  static ParamSchema Options() { return {}; }
  static ParamSchema ResetOptions() { return {}; }
  static EnvSpec Spec(const ParamValues&) {
    EnvSpec spec;
    spec.observation = SpaceSpec::Box<std::int64_t>({1}, INT64_MIN, INT64_MAX);
    spec.action = SpaceSpec::Discrete(1);
    spec.scene_size = kSceneSize;
    if (kHasPicture) spec.render = RenderSpec{.height = 1, .width = 1};
    return spec;
  }
  struct Config {
    explicit Config(const ParamValues&) {}
  };
  struct Start {
    explicit Start(const ParamValues&) {}
  };

  explicit Probe(const Config&) {}
  void Reset(const Start&, Rng& rng) { number_ = rng.Integers(1000); }
  StepResult Step(ActionView, Rng&) { return {}; }
  void Observe(ObsRow row) const { *row.Data<std::int64_t>() = number_; }
  void Scene(std::span<double> scene) const {
    std::ranges::fill(scene, -1.0);
    scene[0] = static_cast<double>(number_);
    if (fails) throw std::runtime_error("no scene");
  }

  static inline bool fails = false;

 private:
  std::int64_t number_ = 0;
};

class WithoutScene : public Probe<0> {
 public:
  using Probe<0>::Probe;
  static EnvSpec Spec(const ParamValues& options) {
    EnvSpec spec = Probe<0>::Spec(options);
    spec.scene_size = 2;
    return spec;
  }

 private:
  using Probe<0>::Scene;
};

template <class E>
EnvGroupOf<E> GroupOf(bool renders) {
  return EnvGroupOf<E>(ParamValues(E::Options(), {}, "option", "Probe"),
                       GroupConfig{.num_envs = 4, .renders = renders});
}

ErrorKind KindOf(void (*body)()) {
  try {
    body();
  } catch (const Error& error) {
    return error.kind();
  }
  throw std::logic_error("nothing was thrown");
}

TEST(Scene, IsWrittenForTheItemsOnly) {
  using Three = Probe<3>;
  EnvGroupOf<Three> group = GroupOf<Three>(true);
  group.Construct(0, 4);
  EXPECT_EQ(group.spec().picture_bytes(), 3 * sizeof(double));
  const std::uint32_t ids[] = {3, 1, 0};
  std::vector<double> scenes(9, 7.0);
  StepCounts counts;
  group.RenderRows({.ids = ids, .begin = 1, .end = 3},
                   reinterpret_cast<std::uint8_t*>(scenes.data()), StopCondition::Never(), counts);
  // The environments were not reset, so their number is 0.
  EXPECT_EQ(scenes, (std::vector<double>{7.0, 7.0, 7.0, 0.0, -1.0, -1.0, 0.0, -1.0, -1.0}));
  EXPECT_EQ(counts.failures, std::uint64_t{0});
}

TEST(Scene, OfOneThatThrowsIsZero) {
  using Two = Probe<2>;
  EnvGroupOf<Two> group = GroupOf<Two>(true);
  group.Construct(0, 4);
  std::vector<double> scenes(8, 7.0);
  StepCounts counts;
  Two::fails = true;
  group.RenderRows({.begin = 1, .end = 3}, reinterpret_cast<std::uint8_t*>(scenes.data()),
                   StopCondition::Never(), counts);
  Two::fails = false;
  EXPECT_EQ(scenes, (std::vector<double>{7.0, 7.0, 0.0, 0.0, 0.0, 0.0, 7.0, 7.0}));
  EXPECT_EQ(counts.failures, std::uint64_t{2});
  EXPECT_EQ(group.FailureOf(1), std::string("no scene"));
  EXPECT_EQ(group.status(0) & EnvStatus::kFailed, 0);
}

TEST(Scene, MustBeWhatTheSpecPromises) {
  EXPECT_EQ(KindOf([] { GroupOf<Probe<0>>(true); }), ErrorKind::kRenderMode);
  EXPECT_EQ(GroupOf<Probe<0>>(false).num_envs(), 4U);
  EXPECT_EQ(KindOf([] { GroupOf<WithoutScene>(false); }), ErrorKind::kInternal);
  const auto spec = [](auto probe) {
    return decltype(probe)::Spec(ParamValues(decltype(probe)::Options(), {}, "option", "Probe"));
  };
  using Both = Probe<2, true>;
  using Negative = Probe<-1>;
  const ParamValues none(ParamSchema{}, {}, "option", "Probe");
  const Both both{Both::Config(none)};
  const Negative negative{Negative::Config(none)};
  for (const EnvSpec& bad : {spec(both), spec(negative)}) {
    EXPECT_THROW(bad.Validate("Probe"), Error);
  }
}

}  // namespace scene_test
}  // namespace engine::testing
