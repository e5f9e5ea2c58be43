// Observations of the suite that consist of frames: the latest states, or the latest pictures as in
// dm_control's pixel wrapper.
#ifndef ENGINE_ENVS_MUJOCO_DM_CONTROL_FRAMES_H_
#define ENGINE_ENVS_MUJOCO_DM_CONTROL_FRAMES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "engine/env/spec.h"
#include "engine/envs/mujoco/dm_control/environment.h"
#include "engine/envs/mujoco/frames.h"
#include "engine/group/env_group.h"

namespace engine::mujoco::suite {

// Returns the space of observations for these options. `states` is a dict of boxes. With several
// frames, the first dimension of each box is the frame. With pixels, the space is a dict with the
// key `pixels`, in the shapes of FrameOptions::ObservationSpace.
SpaceSpec FramesSpace(SpaceSpec states, const RenderSpec& picture, const FrameOptions& options);

// An environment whose observations are its latest frames. Each instance runs on one thread at a
// time.
template <bool kPixels>
class FramesEnvironment {
 public:
  // Drawing a picture waits while too many other threads draw.
  static constexpr bool kNeverWaits = !kPixels;
  static constexpr bool kSetsEveryInfo = true;

  static ParamSchema ResetOptions() { return SuiteEnvironment::ResetOptions(); }
  using Start = SuiteEnvironment::Start;
  struct Config {
    Config(std::unique_ptr<const Setup> shared, const EnvSpec& spec, const FrameOptions& frames);

    std::unique_ptr<const Setup> setup;
    FrameOptions options;
    std::vector<std::size_t> leaf_bytes;  // size of each leaf of one frame
    std::size_t frame_bytes = 0;
  };

  explicit FramesEnvironment(const Config& config);

  void Seed(std::uint64_t seed, Rng& rng) { environment_.Seed(seed, rng); }
  void Reset(const Start& start, Rng& rng) {
    environment_.Reset(start, rng);
    WriteFrame(ring_.Next());
    ring_.Fill();
  }
  StepResult Step(ActionView action, Rng& rng) {
    const StepResult result = environment_.Step(action, rng);
    WriteFrame(ring_.Next());
    return result;
  }
  void Observe(ObsRow row) const;
  void Info(InfoRow row, bool after_reset) const { environment_.Info(row, after_reset); }
  void Render(std::span<std::uint8_t> rgb) const { environment_.Render(rgb); }
  void EnableRender() { environment_.EnableRender(); }

  static constexpr std::uint32_t kStateVersion = 1;
  void Save(StateWriter& state) const {
    environment_.Save(state);
    ring_.Save(state);
  }
  void Load(StateReader& state) {
    environment_.Load(state);
    ring_.Load(state);
  }

 private:
  void WriteFrame(std::span<std::byte> frame);

  const Config& config_;
  SuiteEnvironment environment_;
  FrameRing ring_;
  std::vector<std::uint8_t> picture_;  // empty unless channels come first
};

// Returns environments with the observations that the options request.
std::unique_ptr<EnvGroup> MakeSuiteGroup(std::unique_ptr<Setup> setup, const EnvSpec& spec,
                                         const FrameOptions& options, const GroupConfig& config);

}  // namespace engine::mujoco::suite

#endif  // ENGINE_ENVS_MUJOCO_DM_CONTROL_FRAMES_H_
