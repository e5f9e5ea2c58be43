// Cache-line constants. Included wherever different threads write neighbouring fields.
#ifndef ENGINE_BASE_CACHE_LINE_H_
#define ENGINE_BASE_CACHE_LINE_H_

#include <cstddef>

namespace engine {

// Alignment of fields that different threads write, and of a batch's columns. Some processors for
// ARM have lines of 128 bytes. std::hardware_destructive_interference_size is avoided: it varies
// with compiler flags, and plug-ins must agree with the core on layout.
#if defined(__aarch64__)
inline constexpr std::size_t kCacheLineBytes = 128;
#else
inline constexpr std::size_t kCacheLineBytes = 64;
#endif

// Least alignment of the arrays of other libraries that a pool may write.
inline constexpr std::size_t kArrayAlignment = 64;

// For assertions on types that several threads or processes write.
template <class T, std::size_t lines>
inline constexpr bool kFillsCacheLines =
    sizeof(T) == lines * kCacheLineBytes && alignof(T) == kCacheLineBytes;

constexpr std::size_t RoundUpToCacheLine(std::size_t bytes) {
  return (bytes + kCacheLineBytes - 1) / kCacheLineBytes * kCacheLineBytes;
}

}  // namespace engine

#endif  // ENGINE_BASE_CACHE_LINE_H_
