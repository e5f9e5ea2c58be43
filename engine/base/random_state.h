// Random numbers equal to those of numpy.random.RandomState, NumPy's generator before version 1.17,
// which some reference environments still use: the same seed and the same calls give the same
// values to the last bit. The generator is MT19937 (Matsumoto and Nishimura, 1998). One thread at a
// time.
//
// New environments use Rng.
#ifndef ENGINE_BASE_RANDOM_STATE_H_
#define ENGINE_BASE_RANDOM_STATE_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "engine/base/copied_bool.h"

namespace engine {

class RandomState {
 public:
  // The largest seed that RandomState takes as an integer.
  static constexpr std::uint64_t kMaxSeed = 0xffffffffU;

  explicit RandomState(std::uint32_t seed = 0) { Seed(seed); }

  // RandomState(seed): also discards the cached normal value.
  void Seed(std::uint32_t seed);

  // A raw draw of the bit generator.
  std::uint32_t NextUint32() {
    if (position_ == kWords) Generate();
    std::uint32_t word = words_[position_++];
    word ^= word >> 11;
    word ^= (word << 7) & 0x9d2c5680U;
    word ^= (word << 15) & 0xefc60000U;
    return word ^ (word >> 18);
  }

  // Whether the bytes, if they were copied from elsewhere, are a generator whose draws end. One
  // with only zeros draws only zeros.
  bool IsValid() const {
    return position_ <= kWords && IsBool(has_kept_) &&
           ((words_[0] & 0x80000000U) != 0 ||
            std::any_of(words_.begin() + 1, words_.end(), [](auto word) { return word != 0; }));
  }

  // rand(), random_sample(): in [0, 1), from 53 bits of two words.
  double Rand() {
    const std::uint32_t high = NextUint32() >> 5;
    const std::uint32_t low = NextUint32() >> 6;
    return (high * 67108864.0 + low) / 9007199254740992.0;
  }
  // uniform(low, high).
  double Uniform(double low, double high) { return low + (high - low) * Rand(); }
  // randn(), standard_normal(): the polar form of the Box-Muller transform, which gives two values.
  // The second one is kept for the next call.
  double Randn();
  // randn(values.size()).
  void Randn(std::span<double> values) {
    for (double& value : values) value = Randn();
  }
  // rand(values.size()).
  void Rand(std::span<double> values) {
    for (double& value : values) value = Rand();
  }
  // randint(n): uniform on 0, ..., n - 1; n >= 1.
  std::uint32_t Randint(std::uint32_t n);
  // choice(len(p), p=p): index i with probability p[i]. The elements of p must sum to 1.
  std::size_t Choice(std::span<const double> p);

 private:
  static constexpr std::size_t kWords = 624;

  void Generate();

  std::array<std::uint32_t, kWords> words_;
  std::size_t position_ = kWords;  // of the next word
  double kept_ = 0.0;              // the second value of Randn
  bool has_kept_ = false;
};

static_assert(std::is_trivially_copyable_v<RandomState>);

}  // namespace engine

#endif  // ENGINE_BASE_RANDOM_STATE_H_
