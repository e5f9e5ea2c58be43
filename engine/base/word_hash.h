// A hash of bytes that is read eight bytes at a time. It finds damage and differences, not attacks.
// For a processor that is little-endian, as all supported ones are.
#ifndef ENGINE_BASE_WORD_HASH_H_
#define ENGINE_BASE_WORD_HASH_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace engine {

// Adds a word to a hash.
inline void MixWord(std::uint64_t& hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9E3779B97F4A7C15U;
  hash ^= hash >> 29;
}

// Adds bytes to a hash; the number of bytes is not part of it.
inline void MixBytes(std::uint64_t& hash, const void* data, std::size_t n) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  std::uint64_t word = 0;
  if (n >= 64) {  // in four lanes, because a multiplication takes several cycles
    std::uint64_t lanes[4] = {1, 2, 3, 4};
    for (; n >= sizeof(lanes); bytes += sizeof(lanes), n -= sizeof(lanes)) {
      for (std::size_t i = 0; i < 4; ++i) {
        std::memcpy(&word, bytes + i * sizeof(word), sizeof(word));
        MixWord(lanes[i], word);
      }
    }
    for (const std::uint64_t lane : lanes) MixWord(hash, lane);
  }
  for (; n >= sizeof(word); bytes += sizeof(word), n -= sizeof(word)) {
    std::memcpy(&word, bytes, sizeof(word));
    MixWord(hash, word);
  }
  if (n == 0) return;
  word = 0;
  std::memcpy(&word, bytes, n);
  MixWord(hash, word);
}

}  // namespace engine

#endif  // ENGINE_BASE_WORD_HASH_H_
