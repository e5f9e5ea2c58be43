// See the header.
#include "engine/envs/mujoco/frames.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "engine/base/error.h"
#include "engine/group/env_group_of.h"

namespace engine::mujoco {
namespace {

constexpr std::int64_t kMaxFrames = 1024;
constexpr std::int64_t kMaxBytes = std::int64_t{1} << 30;  // size of an observation

}  // namespace

FrameOptions::FrameOptions(const ParamValues& options)
    : pixels(options.Get<bool>("from_pixels")),
      channels_first(options.Get<bool>("channels_first")),
      stack(static_cast<std::size_t>(options.Get<std::int64_t>("frame_stack"))) {
  if (channels_first && !pixels) {
    throw Error(ErrorKind::kOption, "channels_first: expected False without from_pixels, got True");
  }
}

SpaceSpec FrameOptions::ObservationSpace(const SpaceSpec& state, const RenderSpec& picture) const {
  const auto frames = static_cast<std::int64_t>(stack);
  const std::int64_t frame_bytes =
      static_cast<std::int64_t>(pixels ? picture.bytes() : state.leaf_bytes());
  if (frames > 1 && frames * frame_bytes > kMaxBytes) {
    throw Error(ErrorKind::kOption, "frame_stack: expected observations of at most " +
                                        std::to_string(kMaxBytes) + " bytes, got " +
                                        std::to_string(frames) + " frames of " +
                                        std::to_string(frame_bytes));
  }
  if (!pixels) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    return SpaceSpec::Box<double>({frames, NumElements(state.shape)}, -kInfinity, kInfinity);
  }
  const std::int64_t height = picture.height;
  const std::int64_t width = picture.width;
  Shape shape = {height, width, 3};
  if (frames > 1) shape.insert(shape.begin(), frames);
  if (channels_first) shape = {3 * frames, height, width};
  return SpaceSpec::Box<std::uint8_t>(shape, 0, 255);
}

ParamSchema WithFrames(ParamSchema options) {
  options.push_back({.name = "from_pixels",
                     .default_value = false,
                     .doc = "Whether observations are pictures of the given width and height.",
                     .low = std::nullopt,
                     .high = std::nullopt});
  options.push_back({.name = "frame_stack",
                     .default_value = std::int64_t{1},
                     .doc = "Number of latest frames in one observation.",
                     .low = 1.0,
                     .high = static_cast<double>(kMaxFrames)});
  options.push_back({.name = "channels_first",
                     .default_value = false,
                     .doc = "Whether pixels have the shape (3 * frame_stack, height, width).",
                     .low = std::nullopt,
                     .high = std::nullopt});
  return options;
}

void FrameRing::Fill() {
  const std::size_t latest = (oldest_ + frames_ - 1) % frames_;
  const std::span<const std::byte> frame = Slot(latest);
  for (std::size_t slot = 0; slot < frames_; ++slot) {
    if (slot != latest) std::ranges::copy(frame, Slot(slot).begin());
  }
}

void FrameRing::CopyTo(std::byte* row) const {
  const auto split = static_cast<std::ptrdiff_t>(oldest_ * frame_bytes_);
  row = std::copy(bytes_.begin() + split, bytes_.end(), row);
  std::copy(bytes_.begin(), bytes_.begin() + split, row);
}

void FrameRing::CopyPart(std::size_t offset, std::size_t bytes, std::byte* row) const {
  for (std::size_t i = 0; i < frames_; ++i) {
    const std::size_t slot = (oldest_ + i) % frames_;
    row = std::copy_n(bytes_.data() + slot * frame_bytes_ + offset, bytes, row);
  }
}

void SplitColours(std::span<const std::uint8_t> rgb, std::span<std::byte> planes) {
  const std::size_t pixels = rgb.size() / 3;
  for (std::size_t colour = 0; colour < 3; ++colour) {
    std::byte* const plane = planes.data() + colour * pixels;
    for (std::size_t i = 0; i < pixels; ++i) plane[i] = std::byte{rgb[3 * i + colour]};
  }
}

void StateFrame::Write(const AnyTask& task, std::span<std::byte> frame) {
  const Column column = {.base = frame.data(), .row_bytes = 0};
  task.Observe(ObsRow(&column, 0));
}

void PixelFrame::Write(const AnyTask& task, std::span<std::byte> frame) {
  if (picture_.empty()) {
    task.Render({reinterpret_cast<std::uint8_t*>(frame.data()), frame.size()});
    return;
  }
  task.Render(picture_);
  SplitColours(picture_, frame);
}

EnvSpec SpecWithFrames(EnvSpec spec, const ParamValues& options) {
  const FrameOptions frames(options);
  if (frames.any()) {
    spec.observation = frames.ObservationSpace(spec.observation, spec.render.value());
  }
  return spec;
}

std::unique_ptr<EnvGroup> MakeTaskGroup(EnvSpec spec, std::unique_ptr<AnyTaskFactory> tasks,
                                        const FrameOptions& options, const GroupConfig& config) {
  if (!options.any()) {
    return std::make_unique<EnvGroupOf<StateTask>>(spec, config, std::move(tasks));
  }
  const std::size_t frame_bytes =
      options.pixels ? spec.picture_bytes() : spec.observation.leaf_bytes();
  spec.observation = options.ObservationSpace(spec.observation, spec.render.value());
  if (!options.pixels) {
    return std::make_unique<EnvGroupOf<FramesOf<StateFrame>>>(spec, config, std::move(tasks),
                                                              options, frame_bytes);
  }
  tasks->renderer().DrawConcurrently();
  tasks->renderer().Open();
  return std::make_unique<EnvGroupOf<FramesOf<PixelFrame>>>(spec, config, std::move(tasks), options,
                                                            frame_bytes);
}

}  // namespace engine::mujoco
