// Checks bools whose bytes were copied from a file or from another program. Using a bool with a
// byte other than 0 or 1 is undefined. Pure functions; any thread.
#ifndef ENGINE_BASE_COPIED_BOOL_H_
#define ENGINE_BASE_COPIED_BOOL_H_

#include <array>
#include <concepts>
#include <cstddef>

namespace engine {

inline bool IsBool(const bool& value) { return reinterpret_cast<const unsigned char&>(value) <= 1; }

template <std::same_as<bool>... B>
bool AreBools(const B&... values) {
  return (IsBool(values) && ...);
}
template <std::size_t kSize>
bool AreBools(const bool (&values)[kSize]) {
  for (const bool& value : values) {
    if (!IsBool(value)) return false;
  }
  return true;
}
template <std::size_t kSize>
bool AreBools(const std::array<bool, kSize>& values) {
  for (const bool& value : values) {
    if (!IsBool(value)) return false;
  }
  return true;
}

}  // namespace engine

#endif  // ENGINE_BASE_COPIED_BOOL_H_
