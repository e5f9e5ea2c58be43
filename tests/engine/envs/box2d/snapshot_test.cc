// Saved states: an environment that has loaded another's state continues exactly like it, across
// ends of episodes, whatever it did before.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "engine/env/state.h"
#include "engine/envs/box2d/bipedal_walker.h"
#include "engine/envs/box2d/lunar_lander.h"
#include "tests/engine/harness.h"

namespace engine::box2d::testing {
namespace snapshot_test {

// One environment with its generator, and a record of its observable results.
template <class E>
class Play {
 public:
  Play(const EnvSpec& spec, const typename E::Config& config, bool renders)
      : spec_(spec), env_(config), rng_(7), renders_(renders) {
    if (renders_) env_.EnableRender();
    env_.Reset(rng_);
  }

  void ActAtRandom(std::uint32_t seed) { actions_.seed(seed); }

  void Run(int steps) {
    for (int i = 0; i < steps; ++i) {
      const StepResult result = Step();
      Look(result);
      if (result.terminated || ++elapsed_ == kLimit) {
        elapsed_ = 0;
        ++ended_episodes_;
        env_.Reset(rng_);
        Look({});
      }
    }
  }

  std::string Save() const {
    std::string bytes;
    StateWriter writer(bytes);
    env_.Save(writer);
    writer.Put(rng_);
    return bytes;
  }
  void Load(const std::string& bytes) {
    StateReader reader(bytes);
    env_.Load(reader);
    reader.Get(rng_);
    reader.ExpectEnd();
  }

  // Copies the elapsed steps, which the engine saves separately.
  void TakeElapsed(const Play& other) { elapsed_ = other.elapsed_; }

  int ended_episodes() const { return ended_episodes_; }
  // Returns the results since the previous call.
  std::vector<std::uint64_t> TakeSeen() { return std::exchange(seen_, {}); }

 private:
  static constexpr int kLimit = 60;

  StepResult Step() {
    const auto draw = [this] { return static_cast<float>(actions_()) * 0x1p-32f * 3.0f - 1.5f; };
    if (spec_.action.kind == SpaceKind::kDiscrete) {
      const std::int64_t action = actions_() % static_cast<std::uint32_t>(spec_.action.n);
      return env_.Step(ActionView(reinterpret_cast<const std::byte*>(&action)), rng_);
    }
    std::vector<float> action(static_cast<std::size_t>(NumElements(spec_.action.shape)));
    for (float& value : action) value = draw();
    return env_.Step(ActionView(reinterpret_cast<const std::byte*>(action.data())), rng_);
  }

  void Look(const StepResult& result) {
    std::vector<float> observation(spec_.observation.leaf_bytes() / sizeof(float));
    const Column column{reinterpret_cast<std::byte*>(observation.data()), 0};
    env_.Observe(ObsRow(&column, 0));
    for (const float value : observation) seen_.push_back(std::bit_cast<std::uint32_t>(value));
    seen_.push_back(std::bit_cast<std::uint64_t>(result.reward));
    seen_.push_back(result.terminated ? 1U : 0U);
    if (!renders_) return;
    std::vector<double> scene(static_cast<std::size_t>(spec_.scene_size));
    env_.Scene(scene);
    for (const double value : scene) seen_.push_back(std::bit_cast<std::uint64_t>(value));
  }

  EnvSpec spec_;
  E env_;
  Rng rng_;
  bool renders_;
  std::mt19937 actions_;
  int ended_episodes_ = 0;
  int elapsed_ = 0;
  std::vector<std::uint64_t> seen_;
};

template <class E>
void ExpectLoadedContinues(const ParamSchema& schema,
                           const std::vector<std::pair<std::string, ParamValue>>& given,
                           bool renders) {
  const ParamValues options(schema, given, "option", "");
  const EnvSpec spec = E::Spec(options);
  const typename E::Config config(options);
  Play<E> original(spec, config, renders);
  Play<E> other(spec, config, renders);
  original.ActAtRandom(1);
  original.Run(150);
  other.ActAtRandom(2);
  other.Run(77);
  for (std::uint32_t round = 0; round < 3; ++round) {
    other.Load(original.Save());
    other.TakeElapsed(original);
    original.TakeSeen();
    other.TakeSeen();
    for (Play<E>* play : {&original, &other}) {
      play->ActAtRandom(10 + round);
      play->Run(200);
    }
    EXPECT_EQ(original.TakeSeen(), other.TakeSeen());
    other.ActAtRandom(99);
    other.Run(30);
  }
  EXPECT_GT(original.ended_episodes(), 3);
}

TEST(Snapshot, LunarLander) {
  ExpectLoadedContinues<DiscreteLander>(LunarLander::Options(), {}, false);
}
TEST(Snapshot, LunarLanderInWind) {
  ExpectLoadedContinues<ContinuousLander>(LunarLander::OptionsOf(true), {{"enable_wind", true}},
                                          true);
}
TEST(Snapshot, BipedalWalker) {
  ExpectLoadedContinues<BipedalWalker>(BipedalWalker::Options(), {}, false);
}
TEST(Snapshot, BipedalWalkerHardcore) {
  ExpectLoadedContinues<BipedalWalker>(BipedalWalker::OptionsOf(true), {{"fresh_world", true}},
                                       true);
}

// A pool without pictures can load the state of a pool that draws pictures, and vice versa.
TEST(Snapshot, PicturesDoNotMatter) {
  const ParamValues options(LunarLander::Options(), {}, "option", "");
  const EnvSpec spec = LunarLander::Spec(options);
  const LunarLander::Config config(options);
  Play<DiscreteLander> seen(spec, config, true);
  Play<DiscreteLander> blind(spec, config, false);
  seen.ActAtRandom(1);
  seen.Run(20);
  blind.Load(seen.Save());
  seen.Load(blind.Save());
  for (Play<DiscreteLander>* play : {&seen, &blind}) {
    play->ActAtRandom(3);
    play->Run(20);
  }
  const std::string with = seen.Save();
  const std::string without = blind.Save();
  EXPECT_GT(with.size(), without.size());
  blind.Load(with);
  EXPECT_EQ(blind.Save().size(), without.size());
}

}  // namespace snapshot_test
}  // namespace engine::box2d::testing
