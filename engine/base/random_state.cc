// See the header.
#include "engine/base/random_state.h"

#include <bit>
#include <cmath>

namespace engine {

void RandomState::Seed(std::uint32_t seed) {
  // Knuth, The Art of Computer Programming, volume 2, 3rd edition, page 106.
  constexpr std::uint32_t kMultiplier = 1812433253U;
  for (std::uint32_t i = 0; i < kWords; ++i) {
    words_[i] = seed;
    seed = kMultiplier * (seed ^ (seed >> 30)) + i + 1;
  }
  position_ = kWords;
  kept_ = 0.0;
  has_kept_ = false;
}

void RandomState::Generate() {
  constexpr std::size_t kShift = 397;
  constexpr std::uint32_t kTwist = 0x9908b0dfU;
  constexpr std::uint32_t kHighBit = 0x80000000U;
  for (std::size_t i = 0; i < kWords; ++i) {
    const std::uint32_t next = words_[(i + 1) % kWords];
    const std::uint32_t mixed = (words_[i] & kHighBit) | (next & ~kHighBit);
    words_[i] = words_[(i + kShift) % kWords] ^ (mixed >> 1) ^ ((mixed & 1) != 0 ? kTwist : 0);
  }
  position_ = 0;
}

double RandomState::Randn() {
  if (has_kept_) {
    has_kept_ = false;
    return kept_;
  }
  double x = 0.0;
  double y = 0.0;
  double square = 0.0;
  do {
    x = 2.0 * Rand() - 1.0;
    y = 2.0 * Rand() - 1.0;
    square = x * x + y * y;
  } while (square >= 1.0 || square == 0.0);
  const double factor = std::sqrt(-2.0 * std::log(square) / square);
  kept_ = factor * x;
  has_kept_ = true;
  return factor * y;
}

std::uint32_t RandomState::Randint(std::uint32_t n) {
  const std::uint32_t max = n - 1;
  if (max == 0) return 0;  // draws nothing
  const std::uint32_t mask = ~std::uint32_t{0} >> std::countl_zero(max);
  std::uint32_t value = 0;
  do {
    value = NextUint32() & mask;
  } while (value > max);
  return value;
}

std::size_t RandomState::Choice(std::span<const double> p) {
  // NumPy searches in the cumulative sums divided by the last of them; summing twice gives the same
  // numbers without storing them.
  double total = 0.0;
  for (const double value : p) total += value;
  const double uniform = Rand();
  double sum = 0.0;
  std::size_t index = 0;
  for (; index + 1 < p.size(); ++index) {
    sum += p[index];
    if (sum / total > uniform) break;
  }
  return index;
}

}  // namespace engine
