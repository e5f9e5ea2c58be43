// Observations made of frames, compared with a list of all frames: for a task that counts, which
// needs no MuJoCo for its pictures, and for Hopper.
#include "engine/envs/mujoco/frames.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/envs/mujoco/hopper.h"
#include "engine/envs/mujoco/model_changes.h"
#include "tests/engine/envs/mujoco/open_library.h"
#include "tests/engine/harness.h"

namespace engine::mujoco::testing {
namespace {

using Given = std::vector<std::pair<std::string, ParamValue>>;
using Bytes = std::vector<std::byte>;

ParamValues Values(const Given& given) {
  return ParamValues(WithFrames({}), given, "option", "Task-v0");
}
FrameOptions Options(const Given& given) { return FrameOptions(Values(given)); }
SpaceSpec States() { return SpaceSpec::Box<double>({3}, -1.0, 1.0); }

// The last `stack` frames. The first frame of an episode is repeated while there are fewer.
class AllFrames {
 public:
  explicit AllFrames(std::size_t stack) : stack_(stack) {}

  void Restart(const Bytes& frame) { frames_.assign(stack_, frame); }
  void Add(const Bytes& frame) { frames_.push_back(frame); }
  Bytes Last() const {
    Bytes joined;
    for (auto frame = frames_.end() - static_cast<std::ptrdiff_t>(stack_); frame != frames_.end();
         ++frame) {
      joined.insert(joined.end(), frame->begin(), frame->end());
    }
    return joined;
  }

 private:
  std::size_t stack_;
  std::deque<Bytes> frames_;
};

template <class E>
Bytes Observed(const E& env, std::size_t bytes) {
  // The extra byte detects writes past the end.
  Bytes row(bytes + 1, std::byte{0xA5});
  const Column column = {.base = row.data(), .row_bytes = 0};
  env.Observe(ObsRow(&column, 0));
  EXPECT_TRUE(row.back() == std::byte{0xA5});
  row.pop_back();
  return row;
}

// A task whose state, reward and picture count the calls. StepFloat64 returns a negative reward.
constexpr std::size_t kPixels = 6;
class Counting final : public AnyTask {
 public:
  void Reset(const Task::Start&, Rng&) override { count_ += 100; }
  StepResult Step(ActionView, Rng&) override {
    ++count_;
    return {.reward = count_, .terminated = static_cast<int>(count_) % 2 == 0};
  }
  StepResult StepFloat64(ActionView action, Rng& rng) override {
    StepResult result = Step(action, rng);
    result.reward = -result.reward;
    return result;
  }
  void Observe(ObsRow row) const override { std::fill_n(row.Data<double>(), 3, count_); }
  void Info(InfoRow row, bool after_reset) const override {
    row.Set<double>(0, after_reset ? -count_ : count_);
  }
  void Render(std::span<std::uint8_t> rgb) const override {
    for (std::size_t i = 0; i < rgb.size(); ++i) rgb[i] = Colour(count_, i);
  }
  void EnableRender() override {}
  void SetAttribute(std::size_t, std::span<const double>) override {}
  void Save(StateWriter& state) const override { state.Put(count_); }
  void Load(StateReader& state) override { state.Get(count_); }
  Simulation& simulation() override { throw Error(ErrorKind::kInternal, "it simulates nothing"); }

  static std::uint8_t Colour(double count, std::size_t i) {
    return static_cast<std::uint8_t>(static_cast<std::size_t>(count) * 31 + i);
  }

 private:
  double count_ = 0.0;
};

class CountingFactory final : public AnyTaskFactory {
 public:
  std::unique_ptr<AnyTask> Make() const override { return std::make_unique<Counting>(); }
  const Model& model() const override { throw Error(ErrorKind::kInternal, "it has no model"); }
  Renderer& renderer() override { throw Error(ErrorKind::kInternal, "it draws by itself"); }
  std::vector<AttributeSpec> Attributes() const override { return {}; }
};

Bytes CountingState(double count) {
  const std::vector<double> state(3, count);
  Bytes bytes(3 * sizeof(double));
  std::memcpy(bytes.data(), state.data(), bytes.size());
  return bytes;
}

Bytes CountingPicture(double count, bool channels_first) {
  Bytes bytes(3 * kPixels);
  for (std::size_t pixel = 0; pixel < kPixels; ++pixel) {
    for (std::size_t colour = 0; colour < 3; ++colour) {
      const std::size_t to = channels_first ? colour * kPixels + pixel : pixel * 3 + colour;
      bytes[to] = std::byte{Counting::Colour(count, pixel * 3 + colour)};
    }
  }
  return bytes;
}

template <class Frame, class FrameAt>
void TestCounting(const Given& given, std::size_t frame_bytes, const FrameAt& frame_at) {
  const FrameOptions options = Options(given);
  using Env = FramesOf<Frame>;
  const typename Env::Config config(std::make_unique<CountingFactory>(), options, frame_bytes);
  Env env(config);
  Rng rng(1);
  const Task::Start start(ParamValues({}, {}, "reset option", ""));
  AllFrames frames(options.stack);
  double count = 0.0;
  for (int episode = 0; episode < 3; ++episode) {
    env.Reset(start, rng);
    count += 100;
    frames.Restart(frame_at(count));
    EXPECT_TRUE(Observed(env, options.stack * frame_bytes) == frames.Last());
    // 11 is no multiple of the stack sizes, so that each episode begins at another place in the
    // ring.
    for (int step = 0; step < 11; ++step) {
      const bool is_float64 = step % 3 == 1;
      const StepResult result = is_float64 ? env.StepFloat64(ActionView(nullptr), rng)
                                           : env.Step(ActionView(nullptr), rng);
      ++count;
      frames.Add(frame_at(count));
      EXPECT_EQ(result.reward, is_float64 ? -count : count);
      EXPECT_EQ(result.terminated, static_cast<int>(count) % 2 == 0);
      EXPECT_TRUE(Observed(env, options.stack * frame_bytes) == frames.Last());
      // A second Observe() gives the same frames.
      EXPECT_TRUE(Observed(env, options.stack * frame_bytes) == frames.Last());
    }
    double value = 0.0;
    bool mask = false;
    const Column values = {reinterpret_cast<std::byte*>(&value), 0};
    const Column masks = {reinterpret_cast<std::byte*>(&mask), 0};
    env.Info(InfoRow(&values, &masks, 0), true);
    EXPECT_EQ(value, -count);
    env.Info(InfoRow(&values, &masks, 0), false);
    EXPECT_EQ(value, count);
    std::vector<std::uint8_t> picture(3 * kPixels);
    env.Render(picture);
    EXPECT_TRUE(std::ranges::equal(std::as_bytes(std::span(picture)),
                                   CountingPicture(count, /*channels_first=*/false)));
  }
}

TEST(MujocoFrames, StackStates) {
  for (const std::int64_t stack : {2, 3, 4, 12, 40}) {
    TestCounting<StateFrame>({{"frame_stack", stack}}, 3 * sizeof(double), CountingState);
  }
}

TEST(MujocoFrames, StackPictures) {
  for (const bool channels_first : {false, true}) {
    for (const std::int64_t stack : {1, 2, 3, 40}) {
      TestCounting<PixelFrame>(
          {{"from_pixels", true}, {"frame_stack", stack}, {"channels_first", channels_first}},
          3 * kPixels, [&](double count) { return CountingPicture(count, channels_first); });
    }
  }
}

TEST(MujocoFrames, OnlyDrawingWaits) {
  EXPECT_TRUE(NeverWaits<FramesOf<StateFrame>>);
  EXPECT_FALSE(NeverWaits<FramesOf<PixelFrame>>);
}

TEST(MujocoFrames, ObservationSpaces) {
  const RenderSpec picture = {.height = 4, .width = 5};
  const auto shape = [&](const Given& given) {
    return Options(given).ObservationSpace(States(), picture).shape;
  };
  EXPECT_EQ(shape({{"frame_stack", std::int64_t{2}}}), (Shape{2, 3}));
  EXPECT_EQ(shape({{"from_pixels", true}}), (Shape{4, 5, 3}));
  EXPECT_EQ(shape({{"from_pixels", true}, {"frame_stack", std::int64_t{2}}}), (Shape{2, 4, 5, 3}));
  EXPECT_EQ(shape({{"from_pixels", true}, {"channels_first", true}}), (Shape{3, 4, 5}));
  EXPECT_EQ(
      shape({{"from_pixels", true}, {"channels_first", true}, {"frame_stack", std::int64_t{2}}}),
      (Shape{6, 4, 5}));

  const Given channels = {{"channels_first", true}};
  EXPECT_THROW_MESSAGE(Options(channels), Error, "channels_first");
  const RenderSpec large = {.height = 8192, .width = 8192};
  const FrameOptions six = Options({{"from_pixels", true}, {"frame_stack", std::int64_t{6}}});
  EXPECT_THROW_MESSAGE(six.ObservationSpace(States(), large), Error, "frame_stack");
  const FrameOptions five = Options({{"from_pixels", true}, {"frame_stack", std::int64_t{5}}});
  EXPECT_EQ(five.ObservationSpace(States(), large).leaf_bytes(), std::size_t{5} * 3 * 8192 * 8192);
}

TEST(MujocoFrames, SpecsOfPlainTasksStay) {
  EnvSpec spec;
  spec.observation = States();
  spec.render = RenderSpec{.height = 4, .width = 5};
  EXPECT_EQ(SpecWithFrames(spec, Values({})).observation.shape, (Shape{3}));
  EXPECT_EQ(SpecWithFrames(spec, Values({{"frame_stack", std::int64_t{2}}})).observation.shape,
            (Shape{2, 3}));
}

TEST(MujocoFrames, SplitsColours) {
  const std::vector<std::uint8_t> rgb = {1, 2, 3, 4, 5, 6};
  Bytes planes(6);
  SplitColours(rgb, planes);
  const std::vector<std::uint8_t> expected = {1, 4, 2, 5, 3, 6};
  EXPECT_TRUE(std::ranges::equal(planes, std::as_bytes(std::span(expected))));
}

// The dynamics, random draws and infos equal those of the task without frames.
TEST(MujocoFrames, HopperIsTheSameTask) {
  OpenOnce();
  constexpr std::size_t kStack = 3;
  const ParamValues options(WithFrames(WithRendering(WithModelChanges(HopperV5::Options()))),
                            {{"frame_stack", std::int64_t{kStack}}}, "option", "Hopper-v5");
  const EnvSpec spec = HopperV5::Spec(options);
  const std::size_t bytes = spec.observation.leaf_bytes();
  const HopperV5::Config plain_config(options);
  HopperV5 plain(plain_config);
  using Env = FramesOf<StateFrame>;
  const Env::Config config(std::make_unique<AnyTaskFactoryOf<HopperV5>>(options),
                           FrameOptions(options), bytes);
  Env env(config);
  Rng plain_rng(5);
  Rng rng(5);
  const Task::Start start(ParamValues({}, {}, "reset option", ""));
  AllFrames frames(kStack);
  const auto restart = [&] {
    plain.Reset(start, plain_rng);
    env.Reset(start, rng);
    frames.Restart(Observed(plain, bytes));
  };
  restart();
  int ends = 0;
  for (int step = 0; step < 200; ++step) {
    const double control = step % 7 < 3 ? 0.9 : -0.4;  // not exact in float32
    const std::vector<float> action(3, static_cast<float>(control));
    const std::vector<double> wide_action(3, control);
    const bool is_float64 = step % 5 < 2;
    const ActionView view(is_float64 ? reinterpret_cast<const std::byte*>(wide_action.data())
                                     : reinterpret_cast<const std::byte*>(action.data()));
    const StepResult expected =
        is_float64 ? plain.StepFloat64(view, plain_rng) : plain.Step(view, plain_rng);
    const StepResult result = is_float64 ? env.StepFloat64(view, rng) : env.Step(view, rng);
    frames.Add(Observed(plain, bytes));
    EXPECT_EQ(result.reward, expected.reward);
    EXPECT_EQ(result.terminated, expected.terminated);
    EXPECT_TRUE(Observed(env, kStack * bytes) == frames.Last()) << step;
    if (expected.terminated) {
      ++ends;
      restart();
    }
  }
  EXPECT_LT(1, ends);
}

TEST(MujocoFrames, GroupOfStackedStates) {
  OpenOnce();
  const ParamValues options(WithFrames(WithRendering(WithModelChanges(HopperV5::Options()))),
                            {{"frame_stack", std::int64_t{4}}}, "option", "Hopper-v5");
  const auto group =
      MakeTaskGroup(HopperV5::Spec(options), std::make_unique<AnyTaskFactoryOf<HopperV5>>(options),
                    FrameOptions(options), {.num_envs = 3});
  EXPECT_EQ(group->spec().observation.shape, (Shape{4, 11}));
  EXPECT_EQ(group->num_envs(), 3U);
  EXPECT_TRUE(group->never_waits());
  EXPECT_TRUE(group->steps_float64());
  group->Construct(0, 3);
}

}  // namespace
}  // namespace engine::mujoco::testing
