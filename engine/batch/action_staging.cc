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
  const std::size_t end = bytes.size();
  bytes.resize(end + sizeof(T));
  std::memcpy(bytes.data() + end, &value, sizeof(T));
}

// An element as text; 8-bit integers as numbers.
std::string Text(DType dtype, const std::byte* element) {
  std::ostringstream text;
  DispatchDType(dtype, [&](auto zero) { text << +Read<decltype(zero)>(element, 0); });
  return text.str();
}

// Converts `value` to `out`. Returns whether it is a valid element: not NaN, and in [low, high]
// (for floating-point targets, only if `check_bounds`).
template <class Source, class Target>
[[gnu::always_inline]] inline bool Convert(Source value, bool check_bounds, Target low, Target high,
                                           Target& out) {
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
  } else {
    out = static_cast<Target>(value);
    return std::cmp_greater_equal(value, low) && std::cmp_less_equal(value, high);
  }
}

// Converts one element, whose bounds are at `low` and `high`; see Convert.
template <class Source, class Target>
bool ConvertElement(const std::byte* value, bool check_bounds, const std::byte* low,
                    const std::byte* high, std::byte* out) {
  Target converted{};
  const bool valid = Convert(Read<Source>(value, 0), check_bounds, Read<Target>(low, 0),
                             Read<Target>(high, 0), converted);
  std::memcpy(out, &converted, sizeof(Target));
  return valid;
}

// Converts `count` elements that have the same bounds. Returns whether all are valid. Not inlined,
// because vectorizing it twice for each pair of dtypes takes seconds to compile.
template <class Source, class Target>
[[gnu::noinline]] bool ConvertRange(const std::byte* source, std::size_t count, bool check_bounds,
                                    Target low, Target high, std::byte* out) {
  bool all_valid = true;
  for (std::size_t i = 0; i < count; ++i) {
    Target converted{};
    all_valid &= Convert(Read<Source>(source, i), check_bounds, low, high, converted);
    std::memcpy(out + i * sizeof(Target), &converted, sizeof(Target));
  }
  return all_valid;
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

ActionStaging::ActionStaging(const SpaceSpec& leaf, OutOfBounds out_of_bounds,
                             std::uint32_t num_slots, bool keeps_float64,
                             std::uint32_t rows_per_env)
    : space_(leaf),
      // An integer outside its bounds might not fit the dtype, so only floating-point actions may
      // be passed on for the environment to clip.
      check_bounds_(out_of_bounds == OutOfBounds::kReject || !IsFloat(space_.dtype)),
      elements_(static_cast<std::size_t>(NumElements(space_.shape))),
      rows_per_env_(rows_per_env) {
  switch (space_.kind) {
    case SpaceKind::kDiscrete:
      Append<std::int64_t>(native_.low, space_.start);
      Append<std::int64_t>(native_.high, space_.start + space_.n - 1);
      break;
    case SpaceKind::kMultiDiscrete:
      for (const std::int64_t count : space_.nvec) {
        Append<std::int64_t>(native_.low, 0);
        Append<std::int64_t>(native_.high, count - 1);
      }
      break;
    case SpaceKind::kMultiBinary:
      Append<std::int8_t>(native_.low, 0);
      Append<std::int8_t>(native_.high, 1);
      break;
    default:
      native_.low = space_.low;
      native_.high = space_.high;
  }
  native_.Allocate(space_.leaf_bytes(), num_slots);
  std::memset(native_.storage.get(), 0, native_.slot_bytes * num_slots);
  if (!keeps_float64) return;
  for (std::size_t i = 0; i < space_.low.size() / sizeof(float); ++i)
    Append<double>(float64_.low, Read<float>(space_.low.data(), i));
  for (std::size_t i = 0; i < space_.high.size() / sizeof(float); ++i)
    Append<double>(float64_.high, Read<float>(space_.high.data(), i));
  float64_.Allocate(elements_ * sizeof(double), num_slots);
  is_float64_.resize(num_slots);
}

void ActionStaging::Slots::Allocate(std::size_t bytes, std::uint32_t num_slots) {
  slot_bytes = bytes;
  storage.reset(static_cast<std::byte*>(
      ::operator new(bytes * num_slots, std::align_val_t(kCacheLineBytes))));
}

ActionColumn ActionStaging::column() const {
  return {.values = {.base = native_.storage.get(), .row_bytes = native_.slot_bytes},
          .dtype = space_.dtype,
          .is_discrete = space_.kind == SpaceKind::kDiscrete,
          .float64 = {.base = float64_.storage.get(), .row_bytes = float64_.slot_bytes},
          .is_float64 = is_float64_.empty() ? nullptr : is_float64_.data()};
}

void ActionStaging::Stage(const ArrayView& actions, const std::uint32_t* ids, std::uint32_t n) {
  if (!Convertible(actions.dtype)) ThrowWrongDType(actions);
  CheckShape(actions, n);
  const bool is_float64 = !is_float64_.empty() && actions.dtype != DType::kFloat32;
  DispatchDType(actions.dtype, [&](auto source) {
    if (is_float64) {
      Copy<decltype(source), double>(float64_, actions, ids, n);
      return;
    }
    DispatchDType(space_.dtype, [&](auto target) {
      using Source = decltype(source);
      using Target = decltype(target);
      // Convertible refuses the other pairs.
      if constexpr (!std::is_floating_point_v<Source> || std::is_floating_point_v<Target>) {
        Copy<Source, Target>(native_, actions, ids, n);
      }
    });
  });
  if (is_float64 || any_float64_) Mark(ids, n, is_float64);
}

void ActionStaging::Mark(const std::uint32_t* ids, std::uint32_t n, bool is_float64) {
  for (std::uint32_t k = 0; k < n; ++k) {
    is_float64_[ids == nullptr ? k : ids[k]] = is_float64 ? 1 : 0;
  }
  any_float64_ = is_float64 || n < is_float64_.size();
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
  // As in Gymnasium, an array without dimensions is an error of type and not of value.
  throw Error(actions.num_dims == 0 ? ErrorKind::kInputType : ErrorKind::kInput,
              std::string(actions.name) + ": expected shape " +
                  ShapeToString(expected.data(), expected.size()) + " (one row for each of " +
                  std::to_string(n) +
                  (rows_per_env_ == 0 ? " environments), got "
                                      : " players in the latest results of these environments), "
                                        "got ") +
                  ShapeToString(actions.shape, actions.num_dims));
}

template <class Source, class Target>
void ActionStaging::Copy(const Slots& staged, const ArrayView& actions, const std::uint32_t* ids,
                         std::uint32_t n) const {
  if (staged.low.size() != sizeof(Target) || staged.high.size() != sizeof(Target)) {
    CopyElements(staged, DTypeOf<Target>(), &ConvertElement<Source, Target>, actions, ids, n);
    return;
  }
  const std::byte* const source = actions.data;
  std::byte* const slots = staged.storage.get();
  const auto low = Read<Target>(staged.low.data(), 0);
  const auto high = Read<Target>(staged.high.data(), 0);
  const std::size_t elements = elements_;
  const std::size_t source_bytes = elements * sizeof(Source);
  const std::size_t slot_bytes = elements * sizeof(Target);
  bool all_valid = true;
  if (ids == nullptr) {
    all_valid = ConvertRange<Source>(source, n * elements, check_bounds_, low, high, slots);
  } else if (elements == 1) {
    const bool check_bounds = check_bounds_;
    for (std::size_t k = 0; k < n; ++k) {
      Target converted{};
      all_valid &= Convert(Read<Source>(source, k), check_bounds, low, high, converted);
      std::memcpy(slots + ids[k] * sizeof(Target), &converted, sizeof(Target));
    }
  } else {
    for (std::size_t k = 0; k < n; ++k) {
      all_valid &= ConvertRange<Source>(source + k * source_bytes, elements, check_bounds_, low,
                                        high, slots + ids[k] * slot_bytes);
    }
  }
  // Finds the element.
  if (!all_valid) {
    CopyElements(staged, DTypeOf<Target>(), &ConvertElement<Source, Target>, actions, ids, n);
  }
}

// Copies element by element, each with its own bounds. No template, because Copy is compiled for
// each pair of dtypes.
void ActionStaging::CopyElements(const Slots& staged, DType target, ElementConverter convert,
                                 const ArrayView& actions, const std::uint32_t* ids,
                                 std::uint32_t n) const {
  const std::size_t source_bytes = SizeOf(actions.dtype);
  const std::size_t target_bytes = SizeOf(target);
  const std::size_t low_step = staged.low.size() == target_bytes ? 0 : target_bytes;
  const std::size_t high_step = staged.high.size() == target_bytes ? 0 : target_bytes;
  const std::byte* value = actions.data;
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t slot = ids == nullptr ? k : ids[k];
    std::byte* out = staged.storage.get() + slot * elements_ * target_bytes;
    for (std::size_t e = 0; e < elements_; ++e) {
      const std::byte* const low = staged.low.data() + e * low_step;
      const std::byte* const high = staged.high.data() + e * high_step;
      if (!convert(value, check_bounds_, low, high, out)) {
        ThrowOutOfRange(std::string(actions.name) + "[" + std::to_string(k) +
                            (space_.shape.empty() ? "" : "] element [" + std::to_string(e)) + "]",
                        static_cast<std::uint32_t>(slot), Text(target, low), Text(target, high),
                        Text(actions.dtype, value));
      }
      value += source_bytes;
      out += target_bytes;
    }
  }
}

void ActionStaging::ThrowOutOfRange(const std::string& element, std::uint32_t slot,
                                    const std::string& low, const std::string& high,
                                    const std::string& value) const {
  const char* const kind = IsFloat(space_.dtype) ? "a value" : "an integer";
  throw Error(ErrorKind::kInput,
              element + " (" + OwnerOf(slot) + "): expected " +
                  (check_bounds_ ? kind + (" in [" + low + ", " + high + "]") : "a number") +
                  ", got " + value);
}

std::string ActionStaging::OwnerOf(std::uint32_t slot) const {
  if (rows_per_env_ == 0) return "environment " + std::to_string(slot);
  return "environment " + std::to_string(slot / rows_per_env_) + ", player " +
         std::to_string(slot % rows_per_env_);
}

void ActionStaging::ThrowWrongDType(const ArrayView& actions) const {
  throw Error(ErrorKind::kInputType,
              std::string(actions.name) + ": expected a dtype that converts to " +
                  NameOf(space_.dtype) +
                  (IsFloat(space_.dtype) ? " (a float or integer dtype)" : " (an integer dtype)") +
                  ", got " + NameOf(actions.dtype),
              IsFloat(space_.dtype) ? ErrorHint::kNone : ErrorHint::kEnvPoolProgram);
}

}  // namespace engine
