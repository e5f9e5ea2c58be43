// Cache-line constants. Included wherever different threads write neighbouring fields.
#ifndef ENGINE_BASE_CACHE_LINE_H_
#define ENGINE_BASE_CACHE_LINE_H_

#include <cstddef>

namespace engine {

// Alignment of batch columns handed to NumPy and of fields that different
// threads write. std::hardware_destructive_interference_size is avoided: it
// varies with compiler flags, and plug-ins must agree with the core on layout.
inline constexpr std::size_t kCacheLineBytes = 64;

// For assertions on types that several threads or processes write.
template <class T, std::size_t lines>
inline constexpr bool kFillsCacheLines =
    sizeof(T) == lines * kCacheLineBytes && alignof(T) == kCacheLineBytes;

constexpr std::size_t RoundUpToCacheLine(std::size_t bytes) {
  return (bytes + kCacheLineBytes - 1) / kCacheLineBytes * kCacheLineBytes;
}

}  // namespace engine

#endif  // ENGINE_BASE_CACHE_LINE_H_
