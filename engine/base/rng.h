// Random numbers of an environment, equal to those of numpy.random.Generator: the same seed and the
// same calls give the same values to the last bit and the same generator state. Every environment
// owns one Rng, which the engine passes to Reset and Step; one thread at a time.
//
// Each method is the Generator's method of that name, called without `size`. Arguments that the
// Generator refuses throw Error{kInternal} before anything is drawn, because they are a bug of the
// environment. No method allocates, unless it throws.
//
// For exact results, compile this header without floating-point contraction if the processor has
// fused multiply-add (-ffp-contract=off, or a strict -std=c++20 with GCC).
#ifndef ENGINE_BASE_RNG_H_
#define ENGINE_BASE_RNG_H_

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>

#include "engine/base/pcg64.h"
#include "engine/base/seed_sequence.h"

namespace engine {

// The integer dtypes of Generator.integers.
template <class T>
concept RandomInteger = std::integral<T> && sizeof(T) <= sizeof(std::uint64_t);

class Rng {
 public:
  // An Rng that is not seeded has the stream of seed 0.
  Rng() : Rng(0) {}
  // numpy.random.default_rng(seed), gymnasium.utils.seeding.np_random(seed).
  explicit Rng(std::uint64_t seed) : pcg_(SeedSequence(seed)) {}
  explicit Rng(const SeedSequence& seed) : pcg_(seed) {}
  explicit Rng(const Pcg64State& state) : pcg_(state) {}
  // default_rng([a, b, ...]). Lists that differ only in zeros at the end, within
  // the first four words, give the same stream, as they do in NumPy.
  static Rng FromEntropy(std::initializer_list<std::uint64_t> integers) {
    return Rng(SeedSequence(integers));
  }

  void Seed(std::uint64_t seed) { *this = Rng(seed); }
  const Pcg64State& State() const { return pcg_.State(); }

  // Raw draws of the bit generator.
  std::uint64_t NextUint64() { return pcg_.NextUint64(); }
  std::uint32_t NextUint32() { return pcg_.NextUint32(); }

  // In [0, 1); float draws 32 bits, double 64.
  template <class T = double>
    requires std::same_as<T, double> || std::same_as<T, float>
  T Random() {
    if constexpr (std::same_as<T, double>)
      return pcg_.NextDouble();
    else
      return static_cast<float>(pcg_.NextUint32() >> 8) * 0x1p-24f;
  }

  // In [low, high), though rounding may give high. high - low must be finite
  // and not negative.
  double Uniform(double low, double high) {
    const double range = high - low;
    // Compared as bits: true for negative numbers, infinity and NaN.
    if (std::bit_cast<std::uint64_t>(range) >= 0x7ff0000000000000U) [[unlikely]] {
      ThrowBadArgument("Uniform", "high - low must be finite and not negative");
    }
    return low + range * pcg_.NextDouble();
  }

  // Uniform on low, ..., high - 1; low < high. T is the Generator's dtype and is never deduced from
  // the arguments, because 16-bit, 8-bit and bool draws give other numbers than wider types for the
  // same range.
  template <RandomInteger T = std::int64_t>
  T Integers(std::type_identity_t<T> low, std::type_identity_t<T> high) {
    if (low >= high) [[unlikely]]
      ThrowBadArgument("Integers", "low must be less than high");
    return Bounded<T>(low, static_cast<T>(high - 1));
  }
  // Integers(0, high).
  template <RandomInteger T = std::int64_t>
  T Integers(std::type_identity_t<T> high) {
    return Integers<T>(T{0}, high);
  }
  // Uniform on low, ..., high (endpoint=True); low <= high.
  template <RandomInteger T = std::int64_t>
  T IntegersInclusive(std::type_identity_t<T> low, std::type_identity_t<T> high) {
    if (low > high) [[unlikely]] {
      ThrowBadArgument("IntegersInclusive", "low must not be greater than high");
    }
    return Bounded<T>(low, high);
  }

  // A uniform index in [0, n - 1]; n >= 1.
  std::int64_t Choice(std::int64_t n) {
    if (n <= 0) [[unlikely]]
      ThrowBadArgument("Choice", "n must be positive");
    return Bounded<std::int64_t>(0, n - 1);
  }
  // Index i with probability p[i]. The elements of p must not be negative and must sum to 1 within
  // 1.5e-8; they are divided by their sum.
  std::int64_t Choice(std::span<const double> p);

  // Puts the values in random order.
  template <class T>
  void Shuffle(std::span<T> values) {
    for (std::size_t i = values.size(); i-- > 1;) {
      const std::size_t j = static_cast<std::size_t>(Interval(i));
      if (i != j) std::swap(values[i], values[j]);
    }
  }
  // permutation(n) for n = order.size(): 0, ..., n - 1 in random order.
  template <std::integral T>
  void Permutation(std::span<T> order) {
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<T>(i);
    Shuffle(order);
  }

  // Mean 0, variance 1; T is double or float.
  template <class T = double>
  T StandardNormal();
  double Normal(double loc, double scale);  // scale: standard deviation
  double Lognormal(double mean, double sigma);

  // Mean 1; T is double or float.
  template <class T = double>
  T StandardExponential();
  double Exponential(double scale);  // scale: mean

  double StandardGamma(double shape);
  double Gamma(double shape, double scale);
  double Beta(double a, double b);
  double Chisquare(double df);
  double StandardT(double df);
  double StandardCauchy();

  double Laplace(double loc, double scale);
  double Logistic(double loc, double scale);
  double Gumbel(double loc, double scale);
  double Rayleigh(double scale);
  double Weibull(double a);
  double Triangular(double left, double mode, double right);
  double VonMises(double mu, double kappa);  // radians, in [-pi, pi]

  std::int64_t Binomial(std::int64_t n, double p);
  std::int64_t Poisson(double lam);
  std::int64_t Geometric(double p);
  // Sets counts[i] to the number of the n trials that fall into class i; counts.size() must equal
  // pvals.size(). The last class gets the remaining probability.
  void Multinomial(std::int64_t n, std::span<const double> pvals, std::span<std::int64_t> counts);

 private:
  [[noreturn]] static void ThrowBadArgument(const char* method, const char* rule);

  // The source of bits of width U for a bounded draw. 8- and 16-bit draws take their bits from a
  // 32-bit word that one call reads; bits that the call does not use are dropped.
  template <class U>
  struct BitSource {
    Pcg64& pcg;
    std::uint32_t word = 0;
    int left = 0;

    U Next() {
      if constexpr (sizeof(U) == 8)
        return pcg.NextUint64();
      else if constexpr (sizeof(U) == 4)
        return pcg.NextUint32();
      else {
        constexpr int kBits = static_cast<int>(8 * sizeof(U));
        if (left == 0) {
          word = pcg.NextUint32();
          left = 32 / kBits;
        } else {
          word >>= kBits;
        }
        --left;
        return static_cast<U>(word & std::numeric_limits<U>::max());
      }
    }
  };

  // Uniform on [0, range] by Lemire's multiplication with rejection.
  template <class U>
  U BoundedBits(U range) {
    using Wide = std::conditional_t<sizeof(U) == 8, UInt128, std::uint64_t>;
    constexpr U kMax = std::numeric_limits<U>::max();
    constexpr int kBits = std::numeric_limits<U>::digits;
    BitSource<U> source{pcg_};
    if (range == kMax) return source.Next();
    const U count = static_cast<U>(range + 1);
    Wide product = static_cast<Wide>(source.Next()) * count;
    if (static_cast<U>(product & kMax) < count) [[unlikely]] {
      const U threshold = static_cast<U>(static_cast<U>(kMax - range) % count);
      while (static_cast<U>(product & kMax) < threshold) {
        product = static_cast<Wide>(source.Next()) * count;
      }
    }
    return static_cast<U>(product >> kBits);
  }

  template <class T>
  T Bounded(T low, T high) {
    if (low == high) return low;
    if constexpr (std::same_as<T, bool>) {
      return (pcg_.NextUint32() & 1) != 0;
    } else {
      using U = std::make_unsigned_t<T>;
      const U range = static_cast<U>(static_cast<U>(high) - static_cast<U>(low));
      U draw = 0;
      // A 64-bit range that fits in 32 bits draws 32 bits.
      if constexpr (sizeof(U) == 8) {
        draw = range <= 0xffffffffU ? BoundedBits<std::uint32_t>(static_cast<std::uint32_t>(range))
                                    : BoundedBits<std::uint64_t>(range);
      } else {
        draw = BoundedBits<U>(range);
      }
      return static_cast<T>(static_cast<U>(static_cast<U>(low) + draw));
    }
  }

  // Uniform on [0, max], max >= 1, as in shuffles: draws as many low bits as max has, again and
  // again until the value is at most max.
  std::uint64_t Interval(std::uint64_t max) {
    const std::uint64_t mask = ~std::uint64_t{0} >> std::countl_zero(max);
    std::uint64_t value = 0;
    do {
      value = (max <= 0xffffffffU ? pcg_.NextUint32() : pcg_.NextUint64()) & mask;
    } while (value > max);
    return value;
  }

  Pcg64 pcg_;
};

template <>
double Rng::StandardNormal<double>();
template <>
float Rng::StandardNormal<float>();
template <>
double Rng::StandardExponential<double>();
template <>
float Rng::StandardExponential<float>();

// Plug-ins get an Rng as its bytes (envpool_rng in c_interface/plugin_abi.h).
static_assert(std::is_trivially_copyable_v<Rng>);
static_assert(std::has_unique_object_representations_v<Rng>);

}  // namespace engine

#endif  // ENGINE_BASE_RNG_H_
