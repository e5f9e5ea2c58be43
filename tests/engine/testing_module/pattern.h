// Values that Python can compute as well: the test environments write a function of a token drawn
// at the reset, the step and the position. Any thread; no state.
#ifndef ENGINE_TESTS_ENGINE_TESTING_MODULE_PATTERN_H_
#define ENGINE_TESTS_ENGINE_TESTING_MODULE_PATTERN_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace engine::testing {

// 64 well-mixed bits for element `element` of column `column` after `step` steps.
// tests/envpool_py/multi_field.py computes the same bits.
inline std::uint64_t Pattern(std::uint64_t token, std::uint64_t step, std::uint64_t column,
                             std::uint64_t element) {
  std::uint64_t bits = token + step * 0x9e3779b97f4a7c15U + column * 0xc2b2ae3d27d4eb4fU +
                       element * 0x165667b19e3779f9U;
  bits ^= bits >> 33;
  bits *= 0xff51afd7ed558ccdU;
  bits ^= bits >> 29;
  return bits;
}

// A value within inclusive bounds. Integers: low + bits mod (high - low + 1), or the bits
// themselves for the full 64-bit range. Floating point: low + (high - low) * (bits >> 40) / 2^24
// computed in double, or the lower 32 bits as a signed number divided by 16 if a bound is infinite.
template <class T>
T PatternWithin(T low, T high, std::uint64_t bits) {
  if constexpr (std::is_same_v<T, bool>) {
    return low == high ? low : (bits & 1) != 0;
  } else if constexpr (std::is_floating_point_v<T>) {
    if (std::isinf(low) || std::isinf(high)) {
      return static_cast<T>(static_cast<std::int32_t>(static_cast<std::uint32_t>(bits))) / T{16};
    }
    const double unit = static_cast<double>(bits >> 40) * 0x1p-24;
    const double range = static_cast<double>(high) - static_cast<double>(low);
    return static_cast<T>(static_cast<double>(low) + range * unit);
  } else {
    // Sign-extended to 64 bits and wrapped, which is correct for every integer type.
    const std::uint64_t base = static_cast<std::uint64_t>(low);
    const std::uint64_t count = static_cast<std::uint64_t>(high) - base + 1;
    return static_cast<T>(base + (count == 0 ? bits : bits % count));
  }
}

}  // namespace engine::testing

#endif  // ENGINE_TESTS_ENGINE_TESTING_MODULE_PATTERN_H_
