// See the header.
#include "engine/envs/mujoco/dm_control/frames.h"

#include <array>

#include "engine/group/env_group_of.h"

namespace engine::mujoco::suite {
namespace {

constexpr std::size_t kMaxLeaves = 16;

}  // namespace

SpaceSpec FramesSpace(SpaceSpec states, const RenderSpec& picture, const FrameOptions& options) {
  if (options.pixels) {
    std::vector<std::pair<std::string, SpaceSpec>> pixels;
    pixels.emplace_back("pixels", options.ObservationSpace({}, picture));
    return SpaceSpec::Dict(std::move(pixels));
  }
  if (options.stack == 1) return states;
  for (auto& [name, leaf] : states.children) {
    leaf.shape.insert(leaf.shape.begin(), static_cast<std::int64_t>(options.stack));
  }
  return states;
}

template <bool kPixels>
FramesEnvironment<kPixels>::Config::Config(std::unique_ptr<const Setup> shared, const EnvSpec& spec,
                                           const FrameOptions& frames)
    : setup(std::move(shared)), options(frames) {
  for (const auto& [name, leaf] : spec.observation.children) {
    leaf_bytes.push_back(leaf.leaf_bytes() / frames.stack);
    frame_bytes += leaf_bytes.back();
  }
}

template <bool kPixels>
FramesEnvironment<kPixels>::FramesEnvironment(const Config& config)
    : config_(config),
      environment_(*config.setup),
      ring_(config.options.stack, config.frame_bytes),
      picture_(config.options.channels_first ? config.frame_bytes : 0) {}

template <bool kPixels>
void FramesEnvironment<kPixels>::WriteFrame(std::span<std::byte> frame) {
  if constexpr (!kPixels) {
    std::array<Column, kMaxLeaves> columns;
    std::byte* next = frame.data();
    for (std::size_t leaf = 0; leaf < config_.leaf_bytes.size(); ++leaf) {
      columns[leaf] = {.base = next, .row_bytes = 0};
      next += config_.leaf_bytes[leaf];
    }
    environment_.Observe(ObsRow(columns.data(), 0));
  } else if (picture_.empty()) {
    environment_.Render({reinterpret_cast<std::uint8_t*>(frame.data()), frame.size()});
  } else {
    environment_.Render(picture_);
    SplitColours(picture_, frame);
  }
}

template <bool kPixels>
void FramesEnvironment<kPixels>::Observe(ObsRow row) const {
  std::size_t offset = 0;
  for (std::size_t leaf = 0; leaf < config_.leaf_bytes.size(); ++leaf) {
    ring_.CopyPart(offset, config_.leaf_bytes[leaf], row.Data<std::byte>(leaf));
    offset += config_.leaf_bytes[leaf];
  }
}

std::unique_ptr<EnvGroup> MakeSuiteGroup(std::unique_ptr<Setup> setup, const EnvSpec& spec,
                                         const FrameOptions& options, const GroupConfig& config) {
  setup->max_episode_steps = config.max_episode_steps;
  if (!options.any()) {
    return std::make_unique<EnvGroupOf<SuiteEnvironment>>(spec, config, std::move(setup));
  }
  if (!options.pixels) {
    return std::make_unique<EnvGroupOf<FramesEnvironment<false>>>(spec, config, std::move(setup),
                                                                  spec, options);
  }
  setup->renderer.DrawConcurrently();
  setup->renderer.Open();
  return std::make_unique<EnvGroupOf<FramesEnvironment<true>>>(spec, config, std::move(setup), spec,
                                                               options);
}

}  // namespace engine::mujoco::suite
