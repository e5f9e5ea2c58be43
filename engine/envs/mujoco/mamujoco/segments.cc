// See the header.
#include "engine/envs/mujoco/mamujoco/segments.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <system_error>

#include "engine/base/error.h"
#include "engine/envs/mujoco/mamujoco/agents.h"

namespace engine::mujoco::mamujoco {
namespace {

constexpr int kMostSegments = 100;

ModelSource model_source = nullptr;  // written once, before any thread reads it

std::string TextOf(const std::string& key) {
  if (model_source == nullptr) {
    throw Error(ErrorKind::kInternal, "expected a source of the models, got none");
  }
  return model_source(key);
}

}  // namespace

void SetModelSource(ModelSource source) { model_source = source; }

SegmentDivision::SegmentDivision(const ParamValues& options, int least_segments)
    : name(options.Get<std::string>(kDivision)), agents(0), segments_of_each(0) {
  const char* const end = name.data() + name.size();
  const auto first = std::from_chars(name.data(), end, agents);
  const bool has_first = first.ec == std::errc() && first.ptr != end && *first.ptr == 'x';
  const auto second = has_first ? std::from_chars(first.ptr + 1, end, segments_of_each) : first;
  const bool has_form = has_first && second.ec == std::errc() && second.ptr == end &&
                        std::min(agents, segments_of_each) >= 1 &&
                        std::max(agents, segments_of_each) <= kMostSegments;
  if (has_form && segments() >= least_segments && segments() <= kMostSegments) return;
  throw Error(ErrorKind::kOption,
              std::string(kDivision) +
                  ": expected agents x segments of each, such as \"5x2\", with " +
                  std::to_string(least_segments) + " to " + std::to_string(kMostSegments) +
                  " segments, got \"" + name + "\"");
}

std::vector<Division> SegmentDivision::Divide(const Robot& robot) const {
  Division division{.name = name,
                    .agents = std::vector<std::string>(static_cast<std::size_t>(agents))};
  const auto num_joints = static_cast<std::size_t>(std::ranges::count_if(
      robot.parts, [](const Part& part) { return part.control.has_value(); }));
  const std::size_t of_each = num_joints / division.agents.size();
  for (std::size_t joint = 0; joint < num_joints; ++joint)
    division.agents[joint / of_each] += robot.parts[joint].name + " ";
  return {division};
}

BaseModelPtr SegmentModel(const std::string& robot, int segments) {
  const std::string key = robot + " " + std::to_string(segments);
  return CompileText("the " + robot + " of " + std::to_string(segments) + " segments", TextOf(key));
}

}  // namespace engine::mujoco::mamujoco
