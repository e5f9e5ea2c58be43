#include "engine/checks/row_checks.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <sstream>
#include <type_traits>
#include <utility>

#include "engine/base/cache_line.h"

namespace engine {
namespace {

// If an array was written only once, fewer consecutive bytes than this may equal the pattern by
// chance, so they count as written.
constexpr std::size_t kMinRun = 4;
// The guard behind an array has eight times the array's size, so that it detects elements of eight
// bytes written in place of elements of one byte.
constexpr std::size_t kElementRatio = 8;
constexpr std::size_t kMinGuard = 64;

template <class T>
T At(const std::byte* data, std::size_t i) {
  T value;
  std::memcpy(&value, data + i * sizeof(T), sizeof(T));
  return value;
}

template <class T>
std::string Text(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(value)) return "nan";  // whatever its sign
  }
  std::ostringstream text;
  text.precision(std::numeric_limits<T>::max_digits10);
  text << +value;  // int8 as a number
  return text.str();
}

// "[1, 2]" for element 5 of shape (2, 3); "" in a scalar.
std::string IndexText(const Shape& shape, std::size_t element) {
  if (shape.empty()) return "";
  std::string text;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    const auto size = static_cast<std::size_t>(shape[axis]);
    text = (axis == 0 ? "" : ", ") + std::to_string(element % size) + text;
    element /= size;
  }
  return "[" + text + "]";
}

// The bounds of element i of a space without children, inclusive.
template <class T>
std::pair<T, T> BoundsOf(const SpaceSpec& space, std::size_t i) {
  switch (space.kind) {
    case SpaceKind::kBox: {
      const auto at = [i](const std::vector<std::byte>& bound) {
        return At<T>(bound.data(), bound.size() == sizeof(T) ? 0 : i);
      };
      return {at(space.low), at(space.high)};
    }
    case SpaceKind::kDiscrete:
      return {static_cast<T>(space.start), static_cast<T>(space.start + space.n - 1)};
    case SpaceKind::kMultiDiscrete:
      return {T{0}, static_cast<T>(space.nvec[i] - 1)};
    case SpaceKind::kText:
      return {T{0}, static_cast<T>(kLastTextByte)};
    case SpaceKind::kMultiBinary:
    case SpaceKind::kDict:
    case SpaceKind::kTuple:
      break;
  }
  return {T{0}, T{1}};
}

std::string NotWritten(const ArrayDescription& array, const std::vector<bool>& written) {
  const std::size_t size = SizeOf(array.dtype);
  const std::size_t n = written.size() / size;
  const auto first_hole =
      static_cast<std::size_t>(std::find(written.begin(), written.end(), false) - written.begin());
  const auto count = static_cast<std::size_t>(std::count(written.begin(), written.end(), true));
  const std::string dtype = NameOf(array.dtype);
  if (count == 0) return array.name + " is not written";
  const std::size_t other = count / n;
  if (count == first_hole && n > 1 && count % n == 0 && (other == 1 || other == 2 || other == 4)) {
    // The written bytes are as many as n elements of another size have.
    const std::string all = std::to_string(n);
    const std::string others =
        all + " elements of " + std::to_string(other) + (other == 1 ? " byte" : " bytes");
    return array.name + ": only the first " + std::to_string(count) + " of its " +
           std::to_string(written.size()) + " bytes are written: " +
           (count % size == 0 ? std::to_string(count / size) + " of its " + all + " elements of " +
                                    dtype + ", or " + others
                              : others + " in place of " + dtype);
  }
  const std::size_t element = first_hole / size;
  const auto begin = written.begin() + static_cast<std::ptrdiff_t>(element * size);
  const auto bytes = std::count(begin, begin + static_cast<std::ptrdiff_t>(size), true);
  const std::string place = array.name + IndexText(array.shape, element);
  if (bytes == 0) return place + " is not written";
  return place + ": " + std::to_string(bytes) + " of the " + std::to_string(size) +
         " bytes of this " + dtype + " are written";
}

std::string MistakeInWriting(const ArrayDescription& array, const GuardedArray& first,
                             const GuardedArray* second) {
  if (!first.GuardsAreIntact() || (second != nullptr && !second->GuardsAreIntact())) {
    return array.name + " is written beyond its end or before its begin: expected " +
           std::to_string(first.bytes()) + " bytes of " + NameOf(array.dtype);
  }
  std::vector<bool> written(first.bytes());
  for (std::size_t i = 0; i < first.bytes(); ++i) {
    written[i] = !first.Untouched(i) || (second != nullptr && !second->Untouched(i));
  }
  if (second == nullptr) {
    // Short runs of untouched bytes count as written: a written byte may equal the pattern by
    // chance.
    for (auto begin = written.begin(); begin != written.end();) {
      const bool touched = *begin;
      const auto end = std::find(begin, written.end(), !touched);
      if (!touched && static_cast<std::size_t>(end - begin) < kMinRun) std::fill(begin, end, true);
      begin = end;
    }
  }
  if (std::find(written.begin(), written.end(), false) != written.end())
    return NotWritten(array, written);
  return "";
}

template <class T>
std::string MistakeInValues(const ArrayDescription& array, const std::byte* data) {
  const auto n = static_cast<std::size_t>(NumElements(array.shape));
  if constexpr (std::is_floating_point_v<T>) {
    // Detects small integers that were written as integers of the float's size.
    using Integer = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
    std::size_t suspect = n;
    bool all = true;
    for (std::size_t i = 0; i < n; ++i) {
      const T value = At<T>(data, i);
      if (value == T{0}) continue;
      all = all && std::fpclassify(value) == FP_SUBNORMAL;
      suspect = std::min(suspect, i);
    }
    if (all && suspect < n) {
      return array.name + IndexText(array.shape, suspect) + ": expected a " + NameOf(array.dtype) +
             ", got the subnormal number " + Text(At<T>(data, suspect)) +
             ", which has the bytes of the integer " + Text(At<Integer>(data, suspect));
    }
  }
  if (array.space == nullptr) return "";
  for (std::size_t i = 0; i < n; ++i) {
    const T value = At<T>(data, i);
    const auto [low, high] = BoundsOf<T>(*array.space, i);
    if (low <= value && value <= high) continue;  // false for NaN
    return array.name + IndexText(array.shape, i) + ": expected a value in [" + Text(low) + ", " +
           Text(high) + "], got " + Text(value);
  }
  return "";
}

// Reads the elements as bytes, because reading a byte other than 0 and 1 as a bool is undefined
// behaviour.
std::string MistakeInBools(const ArrayDescription& array, const std::byte* data) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(NumElements(array.shape)); ++i) {
    const auto value = At<std::uint8_t>(data, i);
    if (value > 1) {
      return array.name + IndexText(array.shape, i) + ": expected a bool, got the byte " +
             Text(value);
    }
  }
  return "";
}

std::string Difference(const ArrayDescription& array, const GuardedArray& first,
                       const GuardedArray& second) {
  if (std::memcmp(first.data(), second.data(), first.bytes()) == 0) return "";
  const std::size_t size = SizeOf(array.dtype);
  std::size_t i = 0;
  while (std::memcmp(first.data() + i * size, second.data() + i * size, size) == 0) ++i;
  const std::string values = DispatchDType(array.dtype, [&](auto zero) {
    using T =
        std::conditional_t<std::is_same_v<decltype(zero), bool>, std::uint8_t, decltype(zero)>;
    return Text(At<T>(first.data(), i)) + " and then " + Text(At<T>(second.data(), i));
  });
  return array.name + IndexText(array.shape, i) +
         ": written twice for the same state, expected equal values, got " + values;
}

}  // namespace

namespace {

std::shared_ptr<std::byte[]> Allocate(std::size_t bytes) {
  return std::shared_ptr<std::byte[]>(new std::byte[bytes]());
}

}  // namespace

GuardedArray::GuardedArray(std::size_t bytes, std::shared_ptr<std::byte[]> memory)
    : bytes_(bytes), all_bytes_(WithGuards(bytes)), memory_(std::move(memory)) {}

GuardedArray::GuardedArray(std::size_t bytes) : GuardedArray(bytes, Allocate(WithGuards(bytes))) {}

std::vector<GuardedArray> GuardedArray::Rows(std::size_t bytes, std::size_t rows) {
  const std::size_t distance = RoundUpToCacheLine(WithGuards(bytes));
  const std::shared_ptr<std::byte[]> memory = Allocate(distance * rows);
  std::vector<GuardedArray> arrays;
  for (std::size_t row = 0; row < rows; ++row) {
    arrays.push_back(
        GuardedArray(bytes, std::shared_ptr<std::byte[]>(memory, memory.get() + row * distance)));
  }
  return arrays;
}

std::size_t GuardedArray::WithGuards(std::size_t bytes) {
  return kBefore + bytes + std::max(kElementRatio * bytes, kMinGuard);
}

std::byte GuardedArray::Pattern(std::size_t i) const {
  // A byte of SplitMix64's sequence.
  std::uint64_t z = (static_cast<std::uint64_t>(i) + 1) * 0x9E3779B97F4A7C15U;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z ^= z >> 27U;
  const auto byte = static_cast<std::uint8_t>(z >> 16U);
  return static_cast<std::byte>(look_ == Look::kFirst ? byte : static_cast<std::uint8_t>(~byte));
}

void GuardedArray::Fill(Look look) {
  look_ = look;
  for (std::size_t i = 0; i < all_bytes_; ++i) memory_.get()[i] = Pattern(i);
}

bool GuardedArray::GuardsAreIntact() const {
  for (std::size_t i = 0; i < all_bytes_; ++i) {
    if (i == kBefore) i += bytes_;
    if (i < all_bytes_ && memory_.get()[i] != Pattern(i)) return false;
  }
  return true;
}

std::vector<ArrayDescription> DescribeLeaves(const SpaceSpec& space, const std::string& name) {
  if (space.is_leaf())
    return {{.name = name, .dtype = space.dtype, .shape = space.shape, .space = &space}};
  std::vector<ArrayDescription> leaves;
  for (const auto& [key, child] : space.children) {
    const std::string part = space.kind == SpaceKind::kDict ? "[\"" + key + "\"]" : "[" + key + "]";
    for (ArrayDescription& leaf : DescribeLeaves(child, name + part))
      leaves.push_back(std::move(leaf));
  }
  return leaves;
}

std::string MistakeIn(const ArrayDescription& array, const GuardedArray& first,
                      const GuardedArray* second) {
  std::string mistake = MistakeInWriting(array, first, second);
  if (mistake.empty() && second != nullptr) mistake = Difference(array, first, *second);
  if (!mistake.empty()) return mistake;
  if (array.dtype == DType::kBool) return MistakeInBools(array, first.data());
  return DispatchDType(array.dtype, [&](auto zero) -> std::string {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, bool>) {
      return "";
    } else {
      return MistakeInValues<T>(array, first.data());
    }
  });
}

}  // namespace engine
