#include "engine/bindings/describe_task.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "engine/bindings/numpy_api.h"
#include "engine/bindings/option_arguments.h"

namespace py = pybind11;

namespace engine::bindings {
namespace {

py::object BoundArray(const SpaceSpec& space, const std::vector<std::byte>& bound) {
  py::object array = NewArray(space.dtype, space.shape);
  auto* const data = DataOf<std::byte>(array);
  const std::size_t size = SizeOf(space.dtype);
  for (std::size_t i = 0; i < static_cast<std::size_t>(NumElements(space.shape)); ++i) {
    std::memcpy(data + i * size, bound.data() + (bound.size() == size ? 0 : i * size), size);
  }
  return array;
}

py::tuple ShapeTuple(const Shape& shape) {
  py::tuple tuple(shape.size());
  for (std::size_t i = 0; i < shape.size(); ++i) tuple[i] = shape[i];
  return tuple;
}

py::dict DescribeSpace(const SpaceSpec& space) {
  py::dict described;
  if (space.is_leaf()) {
    described["dtype"] = NameOf(space.dtype);
    described["shape"] = ShapeTuple(space.shape);
  }
  switch (space.kind) {
    case SpaceKind::kBox:
      described["kind"] = "box";
      described["low"] = BoundArray(space, space.low);
      described["high"] = BoundArray(space, space.high);
      break;
    case SpaceKind::kDiscrete:
      described["kind"] = "discrete";
      described["n"] = space.n;
      described["start"] = space.start;
      break;
    case SpaceKind::kMultiDiscrete: {
      described["kind"] = "multi_discrete";
      py::object nvec = NewArray(DType::kInt64, space.shape);
      std::ranges::copy(space.nvec, DataOf<std::int64_t>(nvec));
      described["nvec"] = nvec;
      break;
    }
    case SpaceKind::kMultiBinary:
      described["kind"] = "multi_binary";
      break;
    case SpaceKind::kText:
      described["kind"] = "text";
      break;
    case SpaceKind::kDict: {
      described["kind"] = "dict";
      py::list children;
      for (const auto& [name, child] : space.children) {
        children.append(py::make_tuple(name, DescribeSpace(child)));
      }
      described["children"] = children;
      break;
    }
    case SpaceKind::kTuple: {
      described["kind"] = "tuple";
      py::list children;
      for (const auto& child : space.children) children.append(DescribeSpace(child.second));
      described["children"] = children;
      break;
    }
  }
  return described;
}

py::list DescribeInfos(const std::vector<InfoSpec>& infos) {
  py::list described;
  for (const InfoSpec& info : infos) {
    if (info.widens_previous) continue;
    py::dict one;
    one["name"] = info.name;
    one["dtype"] = NameOf(info.dtype);
    one["shape"] = ShapeTuple(info.shape);
    described.append(one);
  }
  return described;
}

}  // namespace

py::dict DescribeSpaces(const EnvSpec& spec) {
  py::dict described;
  described["observation"] = DescribeSpace(spec.observation);
  described["action"] = DescribeSpace(spec.action);
  return described;
}

py::dict DescribeTask(const TaskEntry& entry, const EnvSpec& spec) {
  py::dict described;
  described["id"] = entry.id;
  described["max_episode_steps"] = entry.max_episode_steps > 0
                                       ? py::object(py::int_(entry.max_episode_steps))
                                       : py::object(py::none());
  described["reward_threshold"] = OptionalFloat(entry.reward_threshold);
  described["frame_skip"] = spec.frame_skip;
  described["num_players"] = spec.max_players();
  described["players"] = py::none();
  if (spec.players) {
    py::dict players;
    players["max_players"] = spec.players->max_players;
    players["vary"] = spec.players->vary;
    players["infos"] = DescribeInfos(spec.players->infos);
    py::list each;
    for (const PlayerSpec& player : spec.players->each) {
      py::dict one;
      one["name"] = player.name;
      one["observation"] = DescribeSpace(player.observation);
      one["action"] = DescribeSpace(player.action);
      each.append(one);
    }
    players["each"] = each;
    described["players"] = players;
  }
  described.attr("update")(DescribeSpaces(spec));
  described["action_out_of_bounds"] =
      spec.action_out_of_bounds == OutOfBounds::kReject ? "reject" : "clip";
  described["infos"] = DescribeInfos(spec.infos);
  described["render"] = py::none();
  if (spec.render) {
    py::dict render;
    render["height"] = spec.render->height;
    render["width"] = spec.render->width;
    render["fps"] = spec.render->fps;
    described["render"] = render;
  }
  described["scene_size"] = spec.scene_size;
  described["options"] = DescribeSchema(entry.options);
  described["reset_options"] = DescribeSchema(entry.reset_options);
  return described;
}

}  // namespace engine::bindings
