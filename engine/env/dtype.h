// Element types of observations, actions and info fields. A DType is known only at run time: the
// pool and the bindings handle arrays by DType, environments by C++ type.
#ifndef ENGINE_ENV_DTYPE_H_
#define ENGINE_ENV_DTYPE_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace engine {

enum class DType : std::uint8_t {
  kBool,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUInt8,
  kUInt16,
  kUInt32,
  kUInt64,
  kFloat32,
  kFloat64,
};
inline constexpr std::size_t kNumDTypes = 11;

namespace dtype_internal {

// The position of T among the types.
template <class T, class... Types>
constexpr std::size_t IndexIn() {
  constexpr bool kSame[] = {std::is_same_v<T, Types>...};
  std::size_t i = 0;
  while (i < sizeof...(Types) && !kSame[i]) ++i;
  return i;
}

}  // namespace dtype_internal

template <class T>
constexpr DType DTypeOf() {
  constexpr std::size_t kIndex =
      dtype_internal::IndexIn<std::remove_cv_t<T>, bool, std::int8_t, std::int16_t, std::int32_t,
                              std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
                              std::uint64_t, float, double>();
  static_assert(kIndex < kNumDTypes, "not an element type of the engine");
  return static_cast<DType>(kIndex);
}

// Calls f(T{}) with the C++ type of `dtype` and returns its result.
template <class F>
constexpr decltype(auto) DispatchDType(DType dtype, F&& f) {
  switch (dtype) {
    case DType::kBool:
      return f(bool{});
    case DType::kInt8:
      return f(std::int8_t{});
    case DType::kInt16:
      return f(std::int16_t{});
    case DType::kInt32:
      return f(std::int32_t{});
    case DType::kInt64:
      return f(std::int64_t{});
    case DType::kUInt8:
      return f(std::uint8_t{});
    case DType::kUInt16:
      return f(std::uint16_t{});
    case DType::kUInt32:
      return f(std::uint32_t{});
    case DType::kUInt64:
      return f(std::uint64_t{});
    case DType::kFloat32:
      return f(float{});
    case DType::kFloat64:
      break;
  }
  return f(double{});
}

constexpr std::size_t SizeOf(DType dtype) {
  return DispatchDType(dtype, [](auto zero) { return sizeof(zero); });
}

// NumPy's name for the type.
constexpr const char* NameOf(DType dtype) {
  constexpr const char* kNames[] = {"bool",   "int8",   "int16",  "int32",   "int64",  "uint8",
                                    "uint16", "uint32", "uint64", "float32", "float64"};
  return kNames[static_cast<std::size_t>(dtype)];
}

constexpr bool IsFloat(DType dtype) { return dtype == DType::kFloat32 || dtype == DType::kFloat64; }

}  // namespace engine

#endif  // ENGINE_ENV_DTYPE_H_
