// sin and cos of four angles at once, for |x| < 0.85. The results are bitwise equal to those of
// glibc on a processor with fused multiply-add. glibc does not always return the nearest number, so
// this code computes the same sums in the same order: with y = |x| - k/128 for the nearest k,
//
//   sin|x| = sin(k/128) + (cos(k/128) * s - sin(k/128) * c), where s = sin y and c = 1 - cos y
//
// are short polynomials, and sin(k/128), cos(k/128) are numbers of twice the precision.
// SinesAgree() compares the results with the C library's, because other C libraries and processors
// may give other results.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__)
#define CARTPOLE_SIMD 1

#include <immintrin.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#define CARTPOLE_AVX2 __attribute__((target("avx2,fma"), always_inline)) inline

namespace cartpole_simd {

inline constexpr double kLargestAngle = 0.85;

// A number as the sum of two doubles, the second below the precision of the first.
struct Twofold {
  double high = 0.0;
  double low = 0.0;
};
inline Twofold Plus(Twofold a, Twofold b) {
  const double sum = a.high + b.high;
  const double part = sum - a.high;
  const double low = (a.high - (sum - part)) + (b.high - part) + (a.low + b.low);
  return {sum + low, low - ((sum + low) - sum)};
}
inline Twofold Times(Twofold a, Twofold b) {
  const double product = a.high * b.high;
  const double low = std::fma(a.high, b.high, -product) + (a.high * b.low + a.low * b.high);
  return {product + low, low - ((product + low) - product)};
}
inline Twofold Over(Twofold a, double n) {
  const double quotient = a.high / n;
  return Plus({quotient, 0.0}, {(std::fma(-quotient, n, a.high) + a.low) / n, 0.0});
}

// The Taylor series x^first / first! - x^(first + 2) / (first + 2)! + ...
inline Twofold Series(Twofold term, Twofold x, int first) {
  Twofold sum = term;
  for (int n = first + 1; n < first + 32; n += 2) {
    term = Over(Times(term, Times(x, x)), -static_cast<double>(n) * (n + 1));
    sum = Plus(sum, term);
  }
  return sum;
}

// Row k: sin(k/128) and cos(k/128), each in two parts.
struct SineTable {
  struct alignas(32) Row {
    double sin, sin_low, cos, cos_low;
  };
  std::array<Row, 112> rows;

  SineTable() {
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const Twofold x{static_cast<double>(k) / 128.0, 0.0};
      const Twofold sine = Series(x, x, 1);
      const Twofold cosine = Series({1.0, 0.0}, x, 0);
      rows[k] = {sine.high, sine.low, cosine.high, cosine.low};
    }
  }
  static const SineTable& Get() {
    static const SineTable table;
    return table;
  }
};

// Transposes four rows of four numbers.
CARTPOLE_AVX2 void Transpose(__m256d& a, __m256d& b, __m256d& c, __m256d& d) {
  const __m256d ab_low = _mm256_unpacklo_pd(a, b);
  const __m256d ab_high = _mm256_unpackhi_pd(a, b);
  const __m256d cd_low = _mm256_unpacklo_pd(c, d);
  const __m256d cd_high = _mm256_unpackhi_pd(c, d);
  a = _mm256_permute2f128_pd(ab_low, cd_low, 0x20);
  b = _mm256_permute2f128_pd(ab_high, cd_high, 0x20);
  c = _mm256_permute2f128_pd(ab_low, cd_low, 0x31);
  d = _mm256_permute2f128_pd(ab_high, cd_high, 0x31);
}

CARTPOLE_AVX2 __m256d All(double value) { return _mm256_set1_pd(value); }

// Requires: every |x| < kLargestAngle.
CARTPOLE_AVX2 void SinCos(const SineTable& table, __m256d x, __m256d& sine, __m256d& cosine) {
  const __m256d sign_bit = All(-0.0);
  const __m256d size = _mm256_andnot_pd(sign_bit, x);
  // 1.5 * 2^45 + |x|: its last bit is 1/128, so its low bits are k.
  const __m256d rounder = All(0x1.8p45);
  const __m256d rounded = _mm256_add_pd(rounder, size);
  const __m256d y = _mm256_sub_pd(size, _mm256_sub_pd(rounded, rounder));
  alignas(32) std::uint64_t k[4];
  _mm256_store_si256(reinterpret_cast<__m256i*>(k),
                     _mm256_and_si256(_mm256_castpd_si256(rounded), _mm256_set1_epi64x(0xff)));
  __m256d sin_k = _mm256_load_pd(&table.rows[k[0]].sin);
  __m256d sin_low = _mm256_load_pd(&table.rows[k[1]].sin);
  __m256d cos_k = _mm256_load_pd(&table.rows[k[2]].sin);
  __m256d cos_low = _mm256_load_pd(&table.rows[k[3]].sin);
  Transpose(sin_k, sin_low, cos_k, cos_low);

  const __m256d yy = _mm256_mul_pd(y, y);
  const __m256d s = _mm256_add_pd(
      y, _mm256_mul_pd(_mm256_mul_pd(y, yy),
                       _mm256_fmadd_pd(yy, All(8.33333214285722277379541354343671e-03),
                                       All(-1.66666666666664880952546298448555e-01))));
  const __m256d c = _mm256_mul_pd(
      yy, _mm256_fmadd_pd(yy,
                          _mm256_fmadd_pd(yy, All(1.38888874937007937613028114285595617e-03),
                                          All(-4.16666666666664434524222570944589e-02)),
                          All(0.5)));
  __m256d low = _mm256_fmadd_pd(s, cos_low, sin_low);
  low = _mm256_fmadd_pd(cos_k, s, _mm256_fnmadd_pd(sin_k, c, low));
  const __m256d from_table = _mm256_add_pd(sin_k, low);
  __m256d cos_rest = _mm256_fnmadd_pd(s, sin_low, cos_low);
  cos_rest = _mm256_fnmadd_pd(sin_k, s, _mm256_fnmadd_pd(cos_k, c, cos_rest));
  cosine = _mm256_add_pd(cos_k, cos_rest);

  // Small angles: the Taylor series alone.
  const __m256d xx = _mm256_mul_pd(x, x);
  __m256d poly = _mm256_fmadd_pd(All(-2.5022014848318398e-08), xx, All(2.755729806860771e-06));
  poly = _mm256_fmadd_pd(poly, xx, All(-0.00019841269834414642));
  poly = _mm256_fmadd_pd(poly, xx, All(0.0083333333333323288));
  poly = _mm256_fmadd_pd(poly, xx, All(-0.16666666666666666));
  const __m256d small = _mm256_add_pd(x, _mm256_mul_pd(_mm256_mul_pd(poly, x), xx));
  const __m256d is_small = _mm256_cmp_pd(size, All(0.126), _CMP_LT_OQ);
  const __m256d is_tiny = _mm256_cmp_pd(size, All(0x1p-26), _CMP_LT_OQ);
  sine = _mm256_blendv_pd(_mm256_or_pd(from_table, _mm256_and_pd(sign_bit, x)), small, is_small);
  sine = _mm256_blendv_pd(sine, x, is_tiny);  // keeps the sign of zero
}

__attribute__((target("avx2,fma"))) inline bool SinesAgreeHere() {
  const SineTable& table = SineTable::Get();
  for (int i = 0; i < 4096; ++i) {
    // Angles at irregular distances, of both signs.
    const double step = std::fmod(i * 0.6180339887498949, 1.0);
    const double angle = (i % 2 == 0 ? 1.0 : -1.0) * kLargestAngle * step * step;
    __m256d sine;
    __m256d cosine;
    SinCos(table, All(angle), sine, cosine);
    if (_mm256_cvtsd_f64(sine) != std::sin(angle) || _mm256_cvtsd_f64(cosine) != std::cos(angle)) {
      return false;
    }
  }
  return true;
}

// Whether this machine has the instructions, and its C library gives the same results.
inline bool SinesAgree() {
  static const bool agree =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && SinesAgreeHere();
  return agree;
}

}  // namespace cartpole_simd

#endif
