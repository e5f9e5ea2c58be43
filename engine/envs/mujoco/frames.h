// Observations made of frames: the last states of an environment, or pictures in their place. A
// task with the options `frame_stack` and `from_pixels` at their defaults has no part of this.
#ifndef ENGINE_ENVS_MUJOCO_FRAMES_H_
#define ENGINE_ENVS_MUJOCO_FRAMES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/rng.h"
#include "engine/env/environment.h"
#include "engine/env/params.h"
#include "engine/env/spec.h"
#include "engine/envs/mujoco/basics.h"

namespace engine::mujoco {

// The options `from_pixels`, `frame_stack` and `channels_first`. Pure data; any thread.
struct FrameOptions {
  explicit FrameOptions(const ParamValues& options);

  // Pixels: (height, width, 3), or (stack, height, width, 3) as Gymnasium's FrameStackObservation
  // has them; channels first: (3 * stack, height, width), the oldest frame's colours first.
  // States: (stack, size).
  SpaceSpec ObservationSpace(const SpaceSpec& state, const RenderSpec& picture) const;

  // Whether observations differ from the task's own.
  bool any() const { return pixels || stack > 1; }

  bool pixels;
  bool channels_first;
  std::size_t stack;  // frames
};

// A task's options, followed by those of FrameOptions.
ParamSchema WithFrames(ParamSchema options);

// The last frames of one environment, each of the same size. One thread at a time.
class FrameRing {
 public:
  FrameRing(std::size_t frames, std::size_t frame_bytes)
      : frames_(frames), frame_bytes_(frame_bytes), bytes_(frames * frame_bytes) {}

  // Where the next frame is to be written, in place of the oldest one.
  std::span<std::byte> Next() {
    const std::size_t slot = oldest_;
    oldest_ = (oldest_ + 1) % frames_;
    return Slot(slot);
  }
  // Makes all frames equal to the one that Next() gave last.
  void Fill();
  // Writes all frames, the oldest first.
  void CopyTo(std::byte* row) const;

 private:
  std::span<std::byte> Slot(std::size_t slot) {
    return std::span(bytes_).subspan(slot * frame_bytes_, frame_bytes_);
  }

  std::size_t frames_;
  std::size_t frame_bytes_;
  std::size_t oldest_ = 0;
  std::vector<std::byte> bytes_;
};

// From rows of RGB to three pictures of one colour each.
void SplitColours(std::span<const std::uint8_t> rgb, std::span<std::byte> planes);

// The states of the task E over the last steps. Each instance runs on one thread at a time.
template <Environment E>
class FramesOfStates {
 public:
  static constexpr bool kNeverWaits = true;

  static ParamSchema Options() { return WithFrames(E::Options()); }
  static ParamSchema ResetOptions() { return E::ResetOptions(); }
  static EnvSpec Spec(const ParamValues& options) {
    EnvSpec spec = E::Spec(options);
    spec.observation = FrameOptions(options).ObservationSpace(spec.observation,
                                                              spec.render.value_or(RenderSpec{}));
    return spec;
  }

  struct Config {
    explicit Config(const ParamValues& options)
        : task(options), frames(options), frame_bytes(E::Spec(options).observation.leaf_bytes()) {}

    typename E::Config task;
    FrameOptions frames;
    std::size_t frame_bytes;
  };
  using Start = typename E::Start;

  explicit FramesOfStates(const Config& config)
      : task_(config.task), ring_(config.frames.stack, config.frame_bytes) {}

  void Reset(const Start& start, Rng& rng) {
    task_.Reset(start, rng);
    Push();
    ring_.Fill();
  }
  StepResult Step(ActionView action, Rng& rng) {
    const StepResult result = task_.Step(action, rng);
    Push();
    return result;
  }
  void Observe(ObsRow row) const { ring_.CopyTo(row.Data<std::byte>()); }
  void Info(InfoRow row, bool after_reset) const
    requires HasInfo<E>
  {
    task_.Info(row, after_reset);
  }
  void Render(std::span<std::uint8_t> rgb) const { task_.Render(rgb); }
  void EnableRender() { task_.EnableRender(); }

 private:
  void Push() {
    const Column frame = {.base = ring_.Next().data(), .row_bytes = 0};
    task_.Observe(ObsRow(&frame, 0));
  }

  E task_;
  FrameRing ring_;
};

// Pictures of the task E after the last steps. Drawing waits for other threads that draw. Each
// instance runs on one thread at a time.
template <Environment E>
class FramesOfPixels {
 public:
  static ParamSchema Options() { return WithFrames(E::Options()); }
  static ParamSchema ResetOptions() { return E::ResetOptions(); }
  static EnvSpec Spec(const ParamValues& options) { return FramesOfStates<E>::Spec(options); }

  struct Config {
    explicit Config(const ParamValues& options)
        : task(options),
          frames(options),
          picture_bytes(static_cast<std::size_t>(3 * task.renderer.width()) *
                        static_cast<std::size_t>(task.renderer.height())) {
      task.renderer.DrawConcurrently();
      task.renderer.Open();
    }

    typename E::Config task;
    FrameOptions frames;
    std::size_t picture_bytes;
  };
  using Start = typename E::Start;

  explicit FramesOfPixels(const Config& config)
      : task_(config.task),
        ring_(config.frames.stack, config.picture_bytes),
        picture_(config.frames.channels_first ? config.picture_bytes : 0) {}

  void Reset(const Start& start, Rng& rng) {
    task_.Reset(start, rng);
    Push();
    ring_.Fill();
  }
  StepResult Step(ActionView action, Rng& rng) {
    const StepResult result = task_.Step(action, rng);
    Push();
    return result;
  }
  void Observe(ObsRow row) const { ring_.CopyTo(row.Data<std::byte>()); }
  void Info(InfoRow row, bool after_reset) const
    requires HasInfo<E>
  {
    task_.Info(row, after_reset);
  }
  void Render(std::span<std::uint8_t> rgb) const { task_.Render(rgb); }

 private:
  void Push() {
    const std::span<std::byte> frame = ring_.Next();
    if (picture_.empty()) {
      task_.Render({reinterpret_cast<std::uint8_t*>(frame.data()), frame.size()});
      return;
    }
    task_.Render(picture_);
    SplitColours(picture_, frame);
  }

  E task_;
  FrameRing ring_;
  std::vector<std::uint8_t> picture_;  // if channels come first
};

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_FRAMES_H_
