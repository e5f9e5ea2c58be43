#include "engine/batch/action_staging.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <sstream>
#include <type_traits>
#include <utility>

#include "engine/base/error.h"

namespace engine {
namespace {

template <class T>
T Read(const std::byte* bytes, std::size_t index) {
  T value;
  std::memcpy(&value, bytes + index * sizeof(T), sizeof(T));
  return value;
}

template <class T>
void Append(std::vector<std::byte>& bytes, T value) {
  const auto* raw = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), raw, raw + sizeof(T));
}

// Prints 8-bit integers as numbers.
template <class T>
auto Printable(T value) {
  if constexpr (std::is_same_v<T, bool>)
    return static_cast<int>(value);
  else
    return +value;
}

// Whether `value` is a valid element in [low, high], and that element.
template <class Source, class Target>
bool Convert(Source value, bool check_bounds, Target low, Target high, Target& out) {
  if constexpr (std::is_same_v<Target, bool> || std::is_same_v<Source, bool>) {
    const auto number = static_cast<std::int64_t>(value);
    out = static_cast<Target>(value);
    if constexpr (!std::is_same_v<Source, bool>) {
      if (value < Source{0}) return false;
    }
    return number >= static_cast<std::int64_t>(low) && number <= static_cast<std::int64_t>(high);
  } else if constexpr (std::is_floating_point_v<Target>) {
    out = static_cast<Target>(value);
    if constexpr (std::is_floating_point_v<Source>) {
      if (std::isnan(value)) return false;
    }
    return !check_bounds || (out >= low && out <= high);
  } else if constexpr (std::is_floating_point_v<Source>) {
    return false;  // rejected by its dtype before
  } else {
    out = static_cast<Target>(value);
    return std::cmp_greater_equal(value, low) && std::cmp_less_equal(value, high);
  }
}

}  // namespace

std::string ShapeToString(const std::int64_t* shape, std::size_t num_dims) {
  std::ostringstream text;
  text << "(";
  for (std::size_t i = 0; i < num_dims; ++i) {
    text << shape[i] << (i + 1 < num_dims ? ", " : num_dims == 1 ? "," : "");
  }
  text << ")";
  return text.str();
}

ActionStaging::ActionStaging(const EnvSpec& spec, std::uint32_t num_envs)
    : space_(spec.action),
      // An integer outside its bounds might not fit the dtype, so only floating-point actions may
      // be passed on for the environment to clip.
      check_bounds_(spec.action_out_of_bounds == OutOfBounds::kReject || !IsFloat(space_.dtype)),
      elements_(static_cast<std::size_t>(NumElements(space_.shape))),
      slot_bytes_(space_.leaf_bytes()),
      storage_(static_cast<std::byte*>(
          ::operator new(slot_bytes_* num_envs, std::align_val_t(kCacheLineBytes)))) {
  switch (space_.kind) {
    case SpaceKind::kDiscrete:
      Append<std::int64_t>(low_, space_.start);
      Append<std::int64_t>(high_, space_.start + space_.n - 1);
      break;
    case SpaceKind::kMultiDiscrete:
      for (const std::int64_t count : space_.nvec) {
        Append<std::int64_t>(low_, 0);
        Append<std::int64_t>(high_, count - 1);
      }
      break;
    case SpaceKind::kMultiBinary:
      Append<std::int8_t>(low_, 0);
      Append<std::int8_t>(high_, 1);
      break;
    default:
      low_ = space_.low;
      high_ = space_.high;
  }
  std::memset(storage_.get(), 0, slot_bytes_ * num_envs);
}

void ActionStaging::Stage(const ArrayView& actions, const std::uint32_t* ids, std::uint32_t n) {
  if (!Convertible(actions.dtype)) ThrowWrongDType(actions.dtype);
  CheckShape(actions, n);
  DispatchDType(actions.dtype, [&](auto source) {
    DispatchDType(space_.dtype,
                  [&](auto target) { Copy<decltype(source), decltype(target)>(actions, ids, n); });
  });
}

bool ActionStaging::Convertible(DType from) const {
  const bool binary = space_.kind == SpaceKind::kMultiBinary || space_.dtype == DType::kBool;
  if (from == DType::kBool) return binary;
  return IsFloat(space_.dtype) || !IsFloat(from);
}

void ActionStaging::CheckShape(const ArrayView& actions, std::uint32_t n) const {
  const Shape& row = space_.shape;
  if (actions.num_dims == row.size() + 1 && actions.shape[0] == static_cast<std::int64_t>(n) &&
      std::equal(row.begin(), row.end(), actions.shape + 1)) {
    return;
  }
  Shape expected{static_cast<std::int64_t>(n)};
  expected.insert(expected.end(), row.begin(), row.end());
  throw Error(ErrorKind::kInput,
              "actions: expected shape " + ShapeToString(expected.data(), expected.size()) +
                  " (one row for each of " + std::to_string(n) + " environments), got " +
                  ShapeToString(actions.shape, actions.num_dims));
}

template <class Source, class Target>
void ActionStaging::Copy(const ArrayView& actions, const std::uint32_t* ids, std::uint32_t n) {
  const std::byte* const source = actions.data;
  std::byte* const slots = storage_.get();
  const bool check_bounds = check_bounds_;
  const std::size_t elements = elements_;
  bool all_good = true;
  if (low_.size() == sizeof(Target) && high_.size() == sizeof(Target)) {
    const auto low = Read<Target>(low_.data(), 0);
    const auto high = Read<Target>(high_.data(), 0);
    const auto copy = [&](std::size_t from, std::size_t to) {
      Target value{};
      all_good &= Convert(Read<Source>(source, from), check_bounds, low, high, value);
      std::memcpy(slots + to * sizeof(Target), &value, sizeof(Target));
    };
    if (ids == nullptr) {
      for (std::size_t i = 0; i < n * elements; ++i) copy(i, i);
    } else if (elements == 1) {
      for (std::size_t k = 0; k < n; ++k) copy(k, ids[k]);
    } else {
      for (std::size_t k = 0; k < n; ++k) {
        for (std::size_t e = 0; e < elements; ++e) copy(k * elements + e, ids[k] * elements + e);
      }
    }
  } else {
    const std::size_t low_step = low_.size() == sizeof(Target) ? 0 : 1;
    const std::size_t high_step = high_.size() == sizeof(Target) ? 0 : 1;
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t env = ids == nullptr ? k : ids[k];
      for (std::size_t e = 0; e < elements; ++e) {
        Target value{};
        all_good &= Convert(Read<Source>(source, k * elements + e), check_bounds,
                            Read<Target>(low_.data(), e * low_step),
                            Read<Target>(high_.data(), e * high_step), value);
        std::memcpy(slots + (env * elements + e) * sizeof(Target), &value, sizeof(Target));
      }
    }
  }
  if (!all_good) ThrowOutOfRange<Source, Target>(actions, ids, n);
}

template <class Source, class Target>
void ActionStaging::ThrowOutOfRange(const ArrayView& actions, const std::uint32_t* ids,
                                    std::uint32_t n) const {
  const auto bound = [&](const std::vector<std::byte>& bounds, std::size_t e) {
    return Read<Target>(bounds.data(), bounds.size() == sizeof(Target) ? 0 : e);
  };
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t e = 0; e < elements_; ++e) {
      const auto value = Read<Source>(actions.data, k * elements_ + e);
      Target converted{};
      if (Convert(value, check_bounds_, bound(low_, e), bound(high_, e), converted)) continue;
      std::ostringstream message;
      message << "actions[" << k;
      if (!space_.shape.empty()) message << "] element [" << e;
      message << "] (environment " << (ids == nullptr ? k : ids[k]) << "): expected ";
      if (check_bounds_) {
        message << (IsFloat(space_.dtype) ? "a value in [" : "an integer in [")
                << Printable(bound(low_, e)) << ", " << Printable(bound(high_, e)) << "]";
      } else {
        message << "a number";
      }
      message << ", got " << Printable(value);
      throw Error(ErrorKind::kInput, message.str());
    }
  }
  throw Error(ErrorKind::kInput, "actions: changed while they were read");
}

void ActionStaging::ThrowWrongDType(DType dtype) const {
  throw Error(ErrorKind::kInputType,
              std::string("actions: expected a dtype that converts to ") + NameOf(space_.dtype) +
                  (IsFloat(space_.dtype) ? " (a float or integer dtype)" : " (an integer dtype)") +
                  ", got " + NameOf(dtype));
}

}  // namespace engine
