// Numbers of a program in Python: floats, and NumPy's float32 and float64. The reference's rewards
// are sums and products of all three, and the rounding depends on their types: an operation of a
// float32 with a float of Python is computed in float32. Pure data and functions; any thread.
#ifndef ENGINE_ENVS_MUJOCO_METAWORLD_SCALAR_H_
#define ENGINE_ENVS_MUJOCO_METAWORLD_SCALAR_H_

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace engine::mujoco::metaworld {

class Scalar {
 public:
  // In the order in which one type replaces another.
  enum class Type : std::uint8_t { kPython, kFloat32, kFloat64 };

  Scalar() = default;
  // A float of Python; an integer of Python has the same results.
  Scalar(double value) : value_(value) {}  // NOLINT(google-explicit-constructor)
  static Scalar Float32(float value) { return {static_cast<double>(value), Type::kFloat32}; }
  static Scalar Float64(double value) { return {value, Type::kFloat64}; }
  // A number of an action, which has the dtype of the action.
  static Scalar Of(float value) { return Float32(value); }
  static Scalar Of(double value) { return Float64(value); }

  Scalar(double value, Type type) : value_(value), type_(type) {}

  double value() const { return value_; }
  Type type() const { return type_; }
  // A number that this type has exactly, in this type.
  Scalar Like(double value) const { return {value, type_}; }

  // NumPy's square root. That of a float of Python is a float64.
  Scalar Root() const {
    if (type_ == Type::kFloat32) return Float32(std::sqrt(static_cast<float>(value_)));
    return Float64(std::sqrt(value_));
  }
  // NumPy's square. That of a float of Python is a float64.
  Scalar Square() const {
    const Scalar square = *this * *this;
    return type_ == Type::kFloat32 ? square : Float64(square.value_);
  }

  Scalar operator-() const { return {-value_, type_}; }
  friend Scalar operator+(Scalar a, Scalar b) {
    return Combine(a, b, [](auto x, auto y) { return x + y; });
  }
  friend Scalar operator-(Scalar a, Scalar b) {
    return Combine(a, b, [](auto x, auto y) { return x - y; });
  }
  friend Scalar operator*(Scalar a, Scalar b) {
    return Combine(a, b, [](auto x, auto y) { return x * y; });
  }
  friend Scalar operator/(Scalar a, Scalar b) {
    return Combine(a, b, [](auto x, auto y) { return x / y; });
  }
  Scalar& operator+=(Scalar other) { return *this = *this + other; }
  Scalar& operator*=(Scalar other) { return *this = *this * other; }
  friend bool operator<(Scalar a, Scalar b) {
    if (Common(a, b) != Type::kFloat32) return a.value_ < b.value_;
    return static_cast<float>(a.value_) < static_cast<float>(b.value_);
  }
  friend bool operator>(Scalar a, Scalar b) { return b < a; }

 private:
  static Type Common(Scalar a, Scalar b) { return std::max(a.type_, b.type_); }
  template <class Operation>
  static Scalar Combine(Scalar a, Scalar b, const Operation& operation) {
    const Type type = Common(a, b);
    if (type != Type::kFloat32) return {operation(a.value_, b.value_), type};
    return Float32(operation(static_cast<float>(a.value_), static_cast<float>(b.value_)));
  }

  double value_ = 0.0;
  Type type_ = Type::kPython;
};

// Python's max(number, 0) and min(a, b).
inline Scalar AtLeastZero(Scalar number) { return number < 0.0 ? Scalar(0.0) : number; }
inline Scalar Least(Scalar a, Scalar b) { return b < a ? b : a; }

}  // namespace engine::mujoco::metaworld

#endif  // ENGINE_ENVS_MUJOCO_METAWORLD_SCALAR_H_
