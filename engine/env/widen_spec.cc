#include "engine/env/widen_spec.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace engine {
namespace {

const char* NameOf(SpaceKind kind) {
  switch (kind) {
    case SpaceKind::kBox:
      return "box";
    case SpaceKind::kDiscrete:
      return "discrete";
    case SpaceKind::kMultiDiscrete:
      return "multi-discrete";
    case SpaceKind::kMultiBinary:
      return "multi-binary";
    case SpaceKind::kText:
      return "text";
    case SpaceKind::kDict:
      return "dict";
    case SpaceKind::kTuple:
      return "tuple";
  }
  return "";
}

std::string Both(const std::string& where, const std::string& what, const std::string& one,
                 const std::string& other) {
  return where + ": " + what + " " + one + " and " + other;
}

// `where`: "observation", "action", or a leaf of one, such as 'observation "image"'.
std::string SpaceDifference(const SpaceSpec& one, const SpaceSpec& other, const std::string& where,
                            const std::string& path) {
  const std::string here = path.empty() ? where : where + " \"" + path + "\"";
  if (one.kind != other.kind) return Both(here, "kind", NameOf(one.kind), NameOf(other.kind));
  if (one.is_leaf()) {
    if (one.dtype != other.dtype)
      return Both(here, "dtype", engine::NameOf(one.dtype), engine::NameOf(other.dtype));
    if (one.shape != other.shape)
      return Both(here, "shape", ShapeText(one.shape), ShapeText(other.shape));
    return "";
  }
  if (one.children.size() != other.children.size()) {
    return Both(here, "number of parts", std::to_string(one.children.size()),
                std::to_string(other.children.size()));
  }
  for (std::size_t i = 0; i < one.children.size(); ++i) {
    const auto& [name, child] = one.children[i];
    const auto& [other_name, other_child] = other.children[i];
    if (name != other_name) return Both(here, "part", "\"" + name + "\"", "\"" + other_name + "\"");
    std::string difference =
        SpaceDifference(child, other_child, where, path.empty() ? name : path + "/" + name);
    if (!difference.empty()) return difference;
  }
  return "";
}

std::string InfoDifference(const InfoSpec& one, const InfoSpec& other, const std::string& kind) {
  const std::string here = kind + " \"" + one.name + "\"";
  if (one.dtype != other.dtype)
    return Both(here, "dtype", engine::NameOf(one.dtype), engine::NameOf(other.dtype));
  if (one.shape != other.shape)
    return Both(here, "shape", ShapeText(one.shape), ShapeText(other.shape));
  return "";
}

std::string InfosDifference(const std::vector<InfoSpec>& one, const std::vector<InfoSpec>& other,
                            const std::string& kind) {
  for (std::size_t i = 0; i < std::max(one.size(), other.size()); ++i) {
    if (i == one.size()) return kind + " \"" + other[i].name + "\": only one of them has it";
    if (i == other.size()) return kind + " \"" + one[i].name + "\": only one of them has it";
    if (one[i].name != other[i].name)
      return Both(kind, "name", "\"" + one[i].name + "\"", "\"" + other[i].name + "\"");
    std::string difference = InfoDifference(one[i], other[i], kind);
    if (!difference.empty()) return difference;
  }
  return "";
}

// Of the same number of players: their names and their own spaces.
std::string PlayersDifference(const PlayersSpec& one, const PlayersSpec& other) {
  if (one.each.size() != other.each.size()) return "players: only those of one have names";
  for (std::size_t i = 0; i < one.each.size(); ++i) {
    const PlayerSpec& a = one.each[i];
    const PlayerSpec& b = other.each[i];
    if (a.name != b.name)
      return Both("player " + std::to_string(i), "name", "\"" + a.name + "\"",
                  "\"" + b.name + "\"");
    const std::string where = "player \"" + a.name + "\"";
    std::string difference =
        SpaceDifference(a.observation, b.observation, where + " observation", "");
    if (difference.empty()) difference = SpaceDifference(a.action, b.action, where + " action", "");
    if (difference.empty() && a.action.n != b.action.n)
      return Both(where + " action", "n", std::to_string(a.action.n), std::to_string(b.action.n));
    if (!difference.empty()) return difference;
  }
  return "";
}

// The number of fields of info `i`: 2 if the next field widens it.
std::size_t FieldsOf(const std::vector<InfoSpec>& infos, std::size_t i) {
  return i + 1 < infos.size() && infos[i + 1].widens_previous ? 2 : 1;
}

std::size_t Find(const std::vector<InfoSpec>& infos, const std::string& name) {
  return static_cast<std::size_t>(std::ranges::find(infos, name, &InfoSpec::name) - infos.begin());
}

std::string PictureText(const std::optional<RenderSpec>& render) {
  return render ? std::to_string(render->width) + " x " + std::to_string(render->height) : "none";
}

// Actions are checked before they reach the environment, with the bounds of the pool.
std::string ActionBoundDifference(const SpaceSpec& one, const SpaceSpec& other, bool clips) {
  const std::vector<const SpaceSpec*> leaves = one.Leaves();
  const std::vector<const SpaceSpec*> others = other.Leaves();
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const SpaceSpec& a = *leaves[i];
    const SpaceSpec& b = *others[i];
    if (a.n != b.n) return Both("action", "n", std::to_string(a.n), std::to_string(b.n));
    if (a.start != b.start)
      return Both("action", "start", std::to_string(a.start), std::to_string(b.start));
    if (a.nvec != b.nvec) return Both("action", "nvec", ShapeText(a.nvec), ShapeText(b.nvec));
    if (!clips && (a.low != b.low || a.high != b.high)) return "action: other bounds";
  }
  return "";
}

// What holds an element of a bound: std::vector<bool> has no array of elements.
template <class T>
using Element = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;

// The elements of a bound, one for each element of the space.
template <class T>
std::vector<T> BoundsOf(const std::vector<std::byte>& bytes, std::size_t elements) {
  std::vector<T> values(elements);
  for (std::size_t i = 0; i < elements; ++i) {
    std::memcpy(&values[i], bytes.data() + (bytes.size() == sizeof(T) ? 0 : i * sizeof(T)),
                sizeof(T));
  }
  return values;
}

template <class T, class Choose>
void WidenBound(std::vector<std::byte>& bound, const std::vector<std::byte>& other,
                std::size_t elements, const Choose& choose) {
  if (bound == other) return;
  std::vector<T> values = BoundsOf<T>(bound, elements);
  const std::vector<T> others = BoundsOf<T>(other, elements);
  for (std::size_t i = 0; i < elements; ++i) values[i] = choose(values[i], others[i]);
  bound.resize(elements * sizeof(T));
  if (elements > 0) std::memcpy(bound.data(), values.data(), bound.size());
}

void WidenSpace(SpaceSpec& space, const SpaceSpec& other) {
  for (std::size_t i = 0; i < space.children.size(); ++i)
    WidenSpace(space.children[i].second, other.children[i].second);
  switch (space.kind) {
    case SpaceKind::kBox:
      DispatchDType(space.dtype, [&](auto zero) {
        using T = Element<decltype(zero)>;
        const auto elements = static_cast<std::size_t>(NumElements(space.shape));
        WidenBound<T>(space.low, other.low, elements, [](T a, T b) { return std::min(a, b); });
        WidenBound<T>(space.high, other.high, elements, [](T a, T b) { return std::max(a, b); });
      });
      return;
    case SpaceKind::kDiscrete: {
      const std::int64_t end = std::max(space.start + space.n, other.start + other.n);
      space.start = std::min(space.start, other.start);
      space.n = end - space.start;
      return;
    }
    case SpaceKind::kMultiDiscrete:
      for (std::size_t i = 0; i < space.nvec.size(); ++i)
        space.nvec[i] = std::max(space.nvec[i], other.nvec[i]);
      return;
    default:
      return;
  }
}

bool HasBoundsOf(const SpaceSpec& space, const SpaceSpec& other) {
  for (std::size_t i = 0; i < space.children.size(); ++i) {
    if (!HasBoundsOf(space.children[i].second, other.children[i].second)) return false;
  }
  bool equal = space.n == other.n && space.start == other.start && space.nvec == other.nvec;
  if (space.kind != SpaceKind::kBox) return equal;
  DispatchDType(space.dtype, [&](auto zero) {
    using T = Element<decltype(zero)>;
    const auto elements = static_cast<std::size_t>(NumElements(space.shape));
    equal = BoundsOf<T>(space.low, elements) == BoundsOf<T>(other.low, elements) &&
            BoundsOf<T>(space.high, elements) == BoundsOf<T>(other.high, elements);
  });
  return equal;
}

}  // namespace

std::string FormDifference(const EnvSpec& one, const EnvSpec& other, bool renders) {
  std::string difference = SpaceDifference(one.observation, other.observation, "observation", "");
  if (difference.empty()) difference = SpaceDifference(one.action, other.action, "action", "");
  if (difference.empty() && one.action_out_of_bounds != other.action_out_of_bounds)
    difference = "action: only one of them refuses actions out of bounds";
  if (difference.empty()) {
    difference = ActionBoundDifference(one.action, other.action,
                                       one.action_out_of_bounds == OutOfBounds::kEnvClips);
  }
  if (difference.empty() && one.max_players() != other.max_players()) {
    difference = Both("players", "number", std::to_string(one.max_players()),
                      std::to_string(other.max_players()));
  }
  if (difference.empty() && one.players && other.players)
    difference = PlayersDifference(*one.players, *other.players);
  if (difference.empty() && one.players && other.players)
    difference = InfosDifference(one.players->infos, other.players->infos, "info of players");
  if (difference.empty() && one.has_terminal_observation != other.has_terminal_observation)
    difference = "observation: only one of them has one of the state that terminates an episode";
  if (difference.empty() && renders && PictureText(one.render) != PictureText(other.render))
    difference = Both("pictures", "size", PictureText(one.render), PictureText(other.render));
  return difference;
}

std::string DifferenceOf(const EnvSpec& one, const EnvSpec& other, bool renders) {
  std::string difference = FormDifference(one, other, renders);
  return difference.empty() ? InfosDifference(one.infos, other.infos, "info") : difference;
}

std::string InfoConflict(const EnvSpec& one, const EnvSpec& other) {
  for (std::size_t i = 0; i < other.infos.size(); i += FieldsOf(other.infos, i)) {
    const std::size_t found = Find(one.infos, other.infos[i].name);
    if (found == one.infos.size()) continue;
    if (FieldsOf(one.infos, found) != FieldsOf(other.infos, i))
      return "info \"" + other.infos[i].name + "\": only one of them has the dtype of the action";
    std::string difference = InfoDifference(one.infos[found], other.infos[i], "info");
    if (!difference.empty()) return difference;
  }
  return "";
}

void AddInfos(EnvSpec& spec, const EnvSpec& other) {
  for (std::size_t i = 0; i < other.infos.size(); i += FieldsOf(other.infos, i)) {
    if (Find(spec.infos, other.infos[i].name) != spec.infos.size()) continue;
    const std::size_t end = i + FieldsOf(other.infos, i);
    for (std::size_t field = i; field < end; ++field) spec.infos.push_back(other.infos[field]);
  }
}

void Widen(EnvSpec& spec, const EnvSpec& other) {
  WidenSpace(spec.observation, other.observation);
  WidenSpace(spec.action, other.action);
  spec.scene_size = std::max(spec.scene_size, other.scene_size);
  spec.max_seed = std::min(spec.max_seed, other.max_seed);
}

bool Includes(const EnvSpec& spec, const EnvSpec& other) {
  EnvSpec both = spec;
  Widen(both, other);
  return HasBoundsOf(spec.observation, both.observation) && HasBoundsOf(spec.action, both.action) &&
         spec.scene_size == both.scene_size && spec.max_seed == both.max_seed;
}

}  // namespace engine
