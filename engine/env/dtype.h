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

template <class T>
constexpr DType DTypeOf() {
  using U = std::remove_cv_t<T>;
  if constexpr (std::is_same_v<U, bool>)
    return DType::kBool;
  else if constexpr (std::is_same_v<U, std::int8_t>)
    return DType::kInt8;
  else if constexpr (std::is_same_v<U, std::int16_t>)
    return DType::kInt16;
  else if constexpr (std::is_same_v<U, std::int32_t>)
    return DType::kInt32;
  else if constexpr (std::is_same_v<U, std::int64_t>)
    return DType::kInt64;
  else if constexpr (std::is_same_v<U, std::uint8_t>)
    return DType::kUInt8;
  else if constexpr (std::is_same_v<U, std::uint16_t>)
    return DType::kUInt16;
  else if constexpr (std::is_same_v<U, std::uint32_t>)
    return DType::kUInt32;
  else if constexpr (std::is_same_v<U, std::uint64_t>)
    return DType::kUInt64;
  else if constexpr (std::is_same_v<U, float>)
    return DType::kFloat32;
  else {
    static_assert(std::is_same_v<U, double>, "not an element type of the engine");
    return DType::kFloat64;
  }
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
