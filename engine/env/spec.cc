#include "engine/env/spec.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <string_view>

#include "engine/base/error.h"

namespace engine {
namespace {

[[noreturn]] void Inconsistent(const std::string& where, const std::string& what) {
  throw Error(ErrorKind::kInternal, "inconsistent spec: " + where + ": " + what);
}

// The most elements of an array of one environment; more bytes than a machine has.
constexpr std::int64_t kMaxElements = std::int64_t{1} << 40;

void CheckShape(const Shape& shape, const std::string& where) {
  std::int64_t elements = 1;
  for (const std::int64_t size : shape) {
    // Arrays without elements occur: a model without actuators has no actions.
    if (size < 0) Inconsistent(where, "expected sizes >= 0 in shape, got " + std::to_string(size));
    if (size > 0 && elements > kMaxElements / size) {
      std::string sizes;
      for (const std::int64_t each : shape)
        sizes += (sizes.empty() ? "" : ", ") + std::to_string(each);
      Inconsistent(where, "expected a shape of at most " + std::to_string(kMaxElements) +
                              " elements, got (" + sizes + ")");
    }
    elements *= size;
  }
}

// The children and the paths of the leaves ("arm/speed"), which are keys of batches, differ.
void CheckNames(const SpaceSpec& space, const std::string& where) {
  std::vector<std::string> paths;
  const auto add = [&](const auto& self, const SpaceSpec& at, const std::string& path) -> void {
    if (at.is_leaf()) paths.push_back(path);
    std::vector<std::string> names;
    for (const auto& [name, child] : at.children) {
      names.push_back(name);
      self(self, child, path.empty() ? name : path + "/" + name);
    }
    std::ranges::sort(names);
    if (const auto equal = std::ranges::adjacent_find(names); equal != names.end())
      Inconsistent(where, "two children have the key \"" + *equal + "\"");
  };
  add(add, space, "");
  std::ranges::sort(paths);
  if (const auto equal = std::ranges::adjacent_find(paths); equal != paths.end())
    Inconsistent(where, "two leaves have the path \"" + *equal + "\"");
}

void CheckBox(const SpaceSpec& space, const std::string& where) {
  const std::size_t one = SizeOf(space.dtype);
  const std::size_t elements = space.leaf_bytes() / one;
  for (const auto* bound : {&space.low, &space.high}) {
    const std::size_t bounds = bound->size() / one;
    if (bounds != 1 && bounds != elements) {
      Inconsistent(where, std::string("expected 1 ") + (bound == &space.low ? "low" : "high") +
                              " bound or " + std::to_string(elements) + ", one per element, got " +
                              std::to_string(bounds));
    }
  }
  DispatchDType(space.dtype, [&](auto zero) {
    using T = decltype(zero);
    const auto at = [](const std::vector<std::byte>& bound, std::size_t i) {
      T value{};
      std::memcpy(&value, bound.data() + (bound.size() == sizeof(T) ? 0 : i * sizeof(T)),
                  sizeof(T));
      return value;
    };
    // One bound applies to all elements, however many there are.
    const std::size_t bounds = std::max(space.low.size(), space.high.size()) / sizeof(T);
    for (std::size_t i = 0; i < std::min(elements, bounds); ++i) {
      if (!(at(space.low, i) <= at(space.high, i))) {
        Inconsistent(where, "expected low <= high at element " + std::to_string(i));
      }
    }
  });
}

}  // namespace

std::int64_t NumElements(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

std::string ShapeText(const Shape& shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(shape[i]);
  }
  return text + (shape.size() == 1 ? ",)" : ")");
}

SpaceSpec::SpaceSpec() = default;
SpaceSpec::SpaceSpec(const SpaceSpec& other) = default;
SpaceSpec::SpaceSpec(SpaceSpec&& other) noexcept = default;
SpaceSpec& SpaceSpec::operator=(const SpaceSpec& other) = default;
SpaceSpec& SpaceSpec::operator=(SpaceSpec&& other) noexcept = default;
SpaceSpec::~SpaceSpec() = default;

std::vector<const SpaceSpec*> SpaceSpec::Leaves() const {
  if (is_leaf()) return {this};
  std::vector<const SpaceSpec*> leaves;
  for (const auto& child : children) {
    for (const SpaceSpec* leaf : child.second.Leaves()) leaves.push_back(leaf);
  }
  return leaves;
}

void SpaceSpec::Validate(const std::string& where) const {
  if (is_leaf()) CheckShape(shape, where);
  switch (kind) {
    case SpaceKind::kBox:
      CheckBox(*this, where);
      return;
    case SpaceKind::kDiscrete:
      if (n <= 0) Inconsistent(where, "expected n >= 1, got " + std::to_string(n));
      if (start > std::numeric_limits<std::int64_t>::max() - (n - 1)) {
        Inconsistent(where, "expected a greatest value, start + n - 1, of int64, got start " +
                                std::to_string(start) + " and n " + std::to_string(n));
      }
      if (dtype != DType::kInt64 || !shape.empty()) Inconsistent(where, "expected int64 scalar");
      return;
    case SpaceKind::kMultiDiscrete:
      if (nvec.size() != static_cast<std::size_t>(NumElements(shape))) {
        Inconsistent(where, "expected " + std::to_string(NumElements(shape)) +
                                " nvec entries, one per element, got " +
                                std::to_string(nvec.size()));
      }
      for (const std::int64_t count : nvec) {
        if (count <= 0) Inconsistent(where, "expected nvec >= 1, got " + std::to_string(count));
      }
      if (dtype != DType::kInt64) Inconsistent(where, "expected int64");
      return;
    case SpaceKind::kMultiBinary:
      if (dtype != DType::kInt8) Inconsistent(where, "expected int8");
      return;
    case SpaceKind::kText:
      if (dtype != DType::kUInt8 || shape.size() != 1 || shape[0] < 1) {
        Inconsistent(where, "expected one dimension of uint8, of at least one element");
      }
      return;
    case SpaceKind::kDict:
    case SpaceKind::kTuple:
      if (children.empty()) Inconsistent(where, "expected at least one child space");
      for (const auto& [name, child] : children) child.Validate(where + "/" + name);
      return;
  }
}

SpaceSpec SpaceSpec::Discrete(std::int64_t n, std::int64_t start) {
  SpaceSpec space;
  space.kind = SpaceKind::kDiscrete;
  space.dtype = DType::kInt64;
  space.n = n;
  space.start = start;
  return space;
}

SpaceSpec SpaceSpec::MultiDiscrete(std::vector<std::int64_t> nvec) {
  SpaceSpec space;
  space.kind = SpaceKind::kMultiDiscrete;
  space.dtype = DType::kInt64;
  space.shape = {static_cast<std::int64_t>(nvec.size())};
  space.nvec = std::move(nvec);
  return space;
}

SpaceSpec SpaceSpec::MultiBinary(std::int64_t n) {
  SpaceSpec space;
  space.kind = SpaceKind::kMultiBinary;
  space.dtype = DType::kInt8;
  space.shape = {n};
  return space;
}

SpaceSpec SpaceSpec::Text(std::int64_t max_length) {
  SpaceSpec space;
  space.kind = SpaceKind::kText;
  space.dtype = DType::kUInt8;
  space.shape = {max_length};
  return space;
}

SpaceSpec SpaceSpec::Dict(std::vector<std::pair<std::string, SpaceSpec>> children) {
  SpaceSpec space;
  space.kind = SpaceKind::kDict;
  space.children = std::move(children);
  return space;
}

SpaceSpec SpaceSpec::Tuple(std::vector<SpaceSpec> children) {
  SpaceSpec space;
  space.kind = SpaceKind::kTuple;
  for (std::size_t i = 0; i < children.size(); ++i) {
    space.children.emplace_back(std::to_string(i), std::move(children[i]));
  }
  return space;
}

namespace {

void CheckInfos(const std::vector<InfoSpec>& infos, const std::string& kind,
                const std::vector<std::string_view>& reserved, const std::string& task_id) {
  for (std::size_t i = 0; i < infos.size(); ++i) {
    const InfoSpec& info = infos[i];
    CheckShape(info.shape, task_id + " " + kind + " " + info.name);
    for (std::size_t j = 0; j < i; ++j) {
      if (infos[j].name == info.name && !(info.widens_previous && j + 1 == i)) {
        Inconsistent(task_id, "two " + kind + "s have the name \"" + info.name + "\"");
      }
    }
    if (info.widens_previous &&
        (i == 0 || info.dtype != DType::kFloat64 || !IsFloat(infos[i - 1].dtype) ||
         infos[i - 1].name != info.name || infos[i - 1].shape != info.shape)) {
      Inconsistent(task_id, kind + " \"" + info.name +
                                "\": expected a field of the same name in float32 before it");
    }
    if (info.name.empty() || info.name[0] == '_' ||
        std::find(reserved.begin(), reserved.end(), info.name) != reserved.end()) {
      Inconsistent(task_id, kind + " name \"" + info.name + "\" is reserved");
    }
  }
}

// Whether two spaces are equal, apart from bounds.
bool HaveOneForm(const SpaceSpec& one, const SpaceSpec& other) {
  return one.kind == other.kind && one.dtype == other.dtype && one.shape == other.shape &&
         one.n == other.n && one.start == other.start && one.nvec == other.nvec &&
         std::ranges::equal(one.children, other.children, [](const auto& a, const auto& b) {
           return a.first == b.first && HaveOneForm(a.second, b.second);
         });
}

// Whether a player's own space is a part of the space of all players.
bool IsPartOf(const SpaceSpec& own, const SpaceSpec& all) {
  if (HaveOneForm(own, all)) return true;
  if (own.kind != all.kind || own.dtype != all.dtype) return false;
  if (own.kind == SpaceKind::kDiscrete) return own.start == all.start && own.n <= all.n;
  return own.kind == SpaceKind::kBox && own.shape.size() == 1 && all.shape.size() == 1 &&
         own.shape[0] <= all.shape[0];
}

void CheckEachPlayer(const PlayersSpec& players, const EnvSpec& spec, const std::string& task_id) {
  if (players.each.empty()) return;
  if (players.each.size() != static_cast<std::size_t>(players.max_players)) {
    Inconsistent(task_id, "expected players->each of " + std::to_string(players.max_players) +
                              " players, got " + std::to_string(players.each.size()));
  }
  std::vector<std::string> names;
  for (const PlayerSpec& player : players.each) {
    const std::string where = task_id + " player " + player.name;
    if (player.name.empty()) Inconsistent(task_id, "expected a name of each player");
    player.observation.Validate(where + " observation");
    player.action.Validate(where + " action");
    if (!IsPartOf(player.observation, spec.observation) || !IsPartOf(player.action, spec.action)) {
      Inconsistent(where,
                   "expected the spaces of all players, or smaller ones: discrete spaces, or boxes "
                   "of one dimension");
    }
    names.push_back(player.name);
  }
  std::ranges::sort(names);
  if (const auto equal = std::ranges::adjacent_find(names); equal != names.end())
    Inconsistent(task_id, "two players have the name \"" + *equal + "\"");
}

void CheckPlayers(const PlayersSpec& players, const EnvSpec& spec, const std::string& task_id) {
  if (players.max_players < 1 || players.max_players > kMaxPlayers) {
    Inconsistent(task_id, "expected players->max_players in [1, " + std::to_string(kMaxPlayers) +
                              "], got " + std::to_string(players.max_players));
  }
  for (const SpaceSpec* leaf : spec.observation.Leaves()) {
    if (leaf->kind == SpaceKind::kText) {
      Inconsistent(task_id, "expected an observation without text, because it has players");
    }
  }
  CheckInfos(players.infos, "info of players",
             {"env_id", "id", "name", "reward", "terminated", "truncated"}, task_id);
  for (const InfoSpec& info : players.infos) {
    if (info.widens_previous)
      Inconsistent(task_id, "expected no info of players with widens_previous");
  }
  CheckEachPlayer(players, spec, task_id);
}

}  // namespace

void EnvSpec::Validate(const std::string& task_id) const {
  observation.Validate(task_id + " observation");
  action.Validate(task_id + " action");
  CheckNames(observation, task_id + " observation");
  CheckNames(action, task_id + " action");
  for (const SpaceSpec* leaf : action.Leaves()) {
    if (leaf->kind == SpaceKind::kText) Inconsistent(task_id, "expected an action without text");
  }
  if (frame_skip < 1) Inconsistent(task_id, "expected frame_skip >= 1");
  if (render && (render->height < 1 || render->width < 1 || render->fps < 1)) {
    Inconsistent(task_id, "expected a picture of at least one pixel, and fps >= 1");
  }
  if (render) CheckShape({render->height, render->width, 3}, task_id + " picture");
  if (scene_size < 0) Inconsistent(task_id, "expected scene_size >= 0");
  CheckShape({scene_size}, task_id + " scene");
  if (render && scene_size > 0) Inconsistent(task_id, "expected a picture or a scene, not both");
  std::vector<std::string_view> reserved = {"env_id", "elapsed_step", "final_obs", "episode",
                                            "final_info"};
  if (players) reserved.emplace_back("players");
  CheckInfos(infos, "info", reserved, task_id);
  if (players) CheckPlayers(*players, *this, task_id);
}

}  // namespace engine
