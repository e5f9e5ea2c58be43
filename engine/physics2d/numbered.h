// std::vector, std::span and std::array whose elements are addressed by signed numbers, which ids
// of bodies, indices in an island and vertices of a shape are, because kNone is -1. As with the
// originals, the number must be that of an element.
#ifndef ENGINE_PHYSICS2D_NUMBERED_H_
#define ENGINE_PHYSICS2D_NUMBERED_H_

#include <array>
#include <concepts>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace engine::physics2d {

template <class T>
struct NumberedVector : std::vector<T> {
  NumberedVector() = default;
  NumberedVector(std::vector<T>&& elements) : std::vector<T>(std::move(elements)) {}

  T& operator[](std::integral auto number) {
    return std::vector<T>::operator[](static_cast<std::size_t>(number));
  }
  const T& operator[](std::integral auto number) const {
    return std::vector<T>::operator[](static_cast<std::size_t>(number));
  }
};

template <class T>
struct NumberedSpan : std::span<T> {
  using std::span<T>::span;

  T& operator[](std::integral auto number) const {
    return std::span<T>::operator[](static_cast<std::size_t>(number));
  }
};

template <class T, std::size_t kSize>
struct NumberedArray : std::array<T, kSize> {
  constexpr T& operator[](std::integral auto number) {
    return std::array<T, kSize>::operator[](static_cast<std::size_t>(number));
  }
  constexpr const T& operator[](std::integral auto number) const {
    return std::array<T, kSize>::operator[](static_cast<std::size_t>(number));
  }
};

}  // namespace engine::physics2d

// For structured bindings.
template <class T, std::size_t kSize>
struct std::tuple_size<engine::physics2d::NumberedArray<T, kSize>>
    : std::tuple_size<std::array<T, kSize>> {};
template <std::size_t kIndex, class T, std::size_t kSize>
struct std::tuple_element<kIndex, engine::physics2d::NumberedArray<T, kSize>>
    : std::tuple_element<kIndex, std::array<T, kSize>> {};

#endif  // ENGINE_PHYSICS2D_NUMBERED_H_
