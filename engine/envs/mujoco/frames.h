// Observations that consist of frames: the latest states or pictures of an environment. A task with
// the default values of `frame_stack` and `from_pixels` is a StateTask instead.
#ifndef ENGINE_ENVS_MUJOCO_FRAMES_H_
#define ENGINE_ENVS_MUJOCO_FRAMES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "engine/base/rng.h"
#include "engine/env/environment.h"
#include "engine/env/params.h"
#include "engine/env/spec.h"
#include "engine/env/state.h"
#include "engine/envs/mujoco/any_task.h"
#include "engine/envs/mujoco/task.h"
#include "engine/group/env_group.h"

namespace engine::mujoco {

// The options `from_pixels`, `frame_stack` and `channels_first`. Pure data; any thread.
struct FrameOptions {
  explicit FrameOptions(const ParamValues& options);

  // The space of the observations. Pixels: (height, width, 3), or (stack, height, width, 3) as in
  // Gymnasium's FrameStackObservation. Pixels with channels_first: (3 * stack, height, width),
  // where the channels of the oldest frame come first. States: (stack, size).
  SpaceSpec ObservationSpace(const SpaceSpec& state, const RenderSpec& picture) const;

  // Whether observations differ from the task's own observations.
  bool any() const { return pixels || stack > 1; }

  bool pixels;
  bool channels_first;
  std::size_t stack;  // frames
};

// Returns a task's options, followed by the options of FrameOptions.
ParamSchema WithFrames(ParamSchema options);

// The latest frames of one environment, which all have the same size. One thread at a time.
class FrameRing {
 public:
  FrameRing(std::size_t frames, std::size_t frame_bytes)
      : frames_(frames), frame_bytes_(frame_bytes), bytes_(frames * frame_bytes) {}

  // Returns the memory of the next frame, which replaces the oldest frame.
  std::span<std::byte> Next() {
    const std::size_t slot = oldest_;
    oldest_ = (oldest_ + 1) % frames_;
    return Slot(slot);
  }
  // Copies the latest frame to all frames.
  void Fill();
  // Writes all frames, from the oldest on.
  void CopyTo(std::byte* row) const;
  // Writes the same part of each frame, from the oldest on.
  void CopyPart(std::size_t offset, std::size_t bytes, std::byte* row) const;

  void Save(StateWriter& state) const {
    state.Put(oldest_);
    state.PutAll(std::span(bytes_));
  }
  void Load(StateReader& state) {
    oldest_ = state.Get<std::size_t>() % frames_;
    state.GetAll(std::span(bytes_));
  }

 private:
  std::span<std::byte> Slot(std::size_t slot) {
    return std::span(bytes_).subspan(slot * frame_bytes_, frame_bytes_);
  }

  std::size_t frames_;
  std::size_t frame_bytes_;
  std::size_t oldest_ = 0;
  std::vector<std::byte> bytes_;
};

// Converts rows of RGB pixels to a red, a green and a blue plane.
void SplitColours(std::span<const std::uint8_t> rgb, std::span<std::byte> planes);

// StateFrame and PixelFrame write one frame of a task. Each instance belongs to one environment.
//
// Writes the state.
class StateFrame {
 public:
  static constexpr bool kNeverWaits = true;

  explicit StateFrame(const FrameOptions&, std::size_t) {}

  void Write(const AnyTask& task, std::span<std::byte> frame);
};
// Draws a picture. Waits while too many other threads draw.
class PixelFrame {
 public:
  static constexpr bool kNeverWaits = false;

  PixelFrame(const FrameOptions& options, std::size_t frame_bytes)
      : picture_(options.channels_first ? frame_bytes : 0) {}

  void Write(const AnyTask& task, std::span<std::byte> frame);

 private:
  std::vector<std::uint8_t> picture_;  // empty unless channels come first
};

// A task whose observations are its latest frames. Each instance runs on one thread at a time.
template <class Frame>
class FramesOf {
 public:
  static constexpr bool kNeverWaits = Frame::kNeverWaits;

  static ParamSchema ResetOptions() { return Task::ResetOptions(); }

  struct Config {
    Config(std::unique_ptr<const AnyTaskFactory> of, const FrameOptions& frames, std::size_t bytes)
        : tasks(std::move(of)), options(frames), frame_bytes(bytes) {}

    std::unique_ptr<const AnyTaskFactory> tasks;
    FrameOptions options;
    std::size_t frame_bytes;
  };
  using Start = Task::Start;

  explicit FramesOf(const Config& config)
      : task_(config.tasks->Make()),
        ring_(config.options.stack, config.frame_bytes),
        frame_(config.options, config.frame_bytes) {}

  void Reset(const Start& start, Rng& rng) {
    task_->Reset(start, rng);
    frame_.Write(*task_, ring_.Next());
    ring_.Fill();
  }
  StepResult Step(ActionView action, Rng& rng) {
    const StepResult result = task_->Step(action, rng);
    frame_.Write(*task_, ring_.Next());
    return result;
  }
  StepResult StepFloat64(ActionView action, Rng& rng) {
    const StepResult result = task_->StepFloat64(action, rng);
    frame_.Write(*task_, ring_.Next());
    return result;
  }
  void Observe(ObsRow row) const { ring_.CopyTo(row.Data<std::byte>()); }
  void Info(InfoRow row, bool after_reset) const { task_->Info(row, after_reset); }
  void Render(std::span<std::uint8_t> rgb) const { task_->Render(rgb); }
  void EnableRender() { task_->EnableRender(); }
  static std::vector<AttributeSpec> Attributes(const Config& config) {
    return config.tasks->Attributes();
  }
  void SetAttribute(std::size_t index, std::span<const double> value) {
    task_->SetAttribute(index, value);
  }
  static constexpr std::uint32_t kStateVersion = 1;
  void Save(StateWriter& state) const {
    task_->Save(state);
    ring_.Save(state);
  }
  void Load(StateReader& state) {
    task_->Load(state);
    ring_.Load(state);
  }

 private:
  std::unique_ptr<AnyTask> task_;
  FrameRing ring_;
  Frame frame_;
};

// Returns a task's spec with the observations that its options request.
EnvSpec SpecWithFrames(EnvSpec spec, const ParamValues& options);

// Returns environments with the observations that the options request. `spec` is the task's own
// spec.
std::unique_ptr<EnvGroup> MakeTaskGroup(EnvSpec spec, std::unique_ptr<AnyTaskFactory> tasks,
                                        const FrameOptions& options, const GroupConfig& config);

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_FRAMES_H_
