// CarRacing: saved states, copies between pools with and without pictures, and skipped iterations
// of the solver.
#include "engine/envs/box2d/car_racing.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/env/state.h"
#include "tests/engine/harness.h"

namespace engine::box2d::testing {
namespace car_racing_test {

ParamValues DefaultOptions() { return ParamValues(CarRacing::Options(), {}, "option", ""); }

class Race {
 public:
  explicit Race(const CarRacing::Config& config, bool renders = false) : race_(config), rng_(3) {
    if (renders) race_.EnableRender();
    Reset();
  }

  void ActAtRandom(std::uint32_t seed) { actions_.seed(seed); }
  void Reset() {
    race_.Reset(CarRacing::Start(ParamValues(CarRacing::ResetOptions(), {}, "option", "")), rng_);
  }
  // Full gas and long turns, so that the car skids and finally leaves the playfield.
  void Run(int steps, bool looks) {
    for (int i = 0; i < steps; ++i) {
      if (i % 25 == 0) steering_ = static_cast<float>(actions_()) * 0x1p-31f - 1.0f;
      const float brake = actions_() % 16 == 0 ? 0.5f : 0.0f;
      const std::vector<float> action{steering_, 1.0f, brake};
      const StepResult result =
          race_.Step(ActionView(reinterpret_cast<const std::byte*>(action.data())), rng_);
      seen_.push_back(std::bit_cast<std::uint64_t>(result.reward));
      if (looks || result.terminated) Look();
      if (result.terminated) Reset();
    }
  }
  std::string Save() const {
    std::string bytes;
    StateWriter writer(bytes);
    race_.Save(writer);
    writer.Put(rng_);
    return bytes;
  }
  void Load(const std::string& bytes) {
    StateReader reader(bytes);
    race_.Load(reader);
    reader.Get(rng_);
    reader.ExpectEnd();
  }
  std::vector<std::uint8_t> Video() const {
    std::vector<std::uint8_t> rgb(3 * kRaceVideoHeight * kRaceVideoWidth);
    race_.Render(rgb);
    return rgb;
  }
  std::vector<std::uint64_t> TakeSeen() { return std::exchange(seen_, {}); }

 private:
  void Look() {
    std::vector<std::uint8_t> rgb(3 * kRaceObservationSize * kRaceObservationSize);
    const Column column{reinterpret_cast<std::byte*>(rgb.data()), 0};
    race_.Observe(ObsRow(&column, 0));
    seen_.insert(seen_.end(), rgb.begin(), rgb.end());
  }

  ContinuousRace race_;
  Rng rng_;
  std::mt19937 actions_;
  float steering_ = 0.0f;
  std::vector<std::uint64_t> seen_;
};

TEST(CarRacing, ALoadedStateContinues) {
  const CarRacing::Config config(DefaultOptions());
  Race original(config, true);
  Race other(config, true);
  original.Run(120, false);
  other.Run(30, false);
  for (std::uint32_t round = 0; round < 2; ++round) {
    other.Load(original.Save());
    EXPECT_TRUE(original.Video() == other.Video());
    original.TakeSeen();
    other.TakeSeen();
    for (Race* race : {&original, &other}) {
      race->ActAtRandom(10 + round);
      race->Run(40, true);
      race->Reset();
      race->Run(5, true);
    }
    EXPECT_TRUE(original.Video() == other.Video());
    EXPECT_EQ(original.TakeSeen(), other.TakeSeen());
  }
}

TEST(CarRacing, StatesWithAndWithoutPicturesFitBoth) {
  const CarRacing::Config config(DefaultOptions());
  Race drawn(config, true);
  Race plain(config, false);
  drawn.Run(60, false);
  plain.Load(drawn.Save());
  drawn.TakeSeen();
  plain.TakeSeen();
  for (Race* race : {&drawn, &plain}) {
    race->ActAtRandom(1);
    race->Run(20, true);
  }
  EXPECT_EQ(drawn.TakeSeen(), plain.TakeSeen());
  drawn.Load(plain.Save());
  EXPECT_TRUE(drawn.Video() == plain.Video());  // the loaded state has no skid marks
}

TEST(CarRacing, AStateThatEndsTooEarlyIsRefused) {
  const CarRacing::Config config(DefaultOptions());
  Race race(config);
  const std::string bytes = race.Save();
  EXPECT_THROW(race.Load(bytes.substr(0, bytes.size() / 2)), Error);
}

// The solver skips iterations that change no bit. The results are the same with all iterations.
TEST(CarRacing, LeavingOutSettledIterationsChangesNothing) {
  const CarRacing::Config config(DefaultOptions());
  CarRacing::Config all_iterations = config;
  all_iterations.skips_settled = false;
  Race skipping(config);
  Race plain(all_iterations);
  for (Race* race : {&skipping, &plain}) {
    race->Run(1500, false);
    race->Run(3, true);
  }
  EXPECT_EQ(skipping.TakeSeen(), plain.TakeSeen());
}

}  // namespace car_racing_test
}  // namespace engine::box2d::testing
