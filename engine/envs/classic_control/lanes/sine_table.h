// sin(k/128) and cos(k/128), each as a sum of two doubles, for the sines of sin_cos.inl.
#ifndef ENGINE_ENVS_CLASSIC_CONTROL_LANES_SINE_TABLE_H_
#define ENGINE_ENVS_CLASSIC_CONTROL_LANES_SINE_TABLE_H_

#include <array>
#include <cstddef>

namespace engine::classic_control {

struct alignas(32) SineRow {
  double sin, sin_rest, cos, cos_rest;
};

namespace sine_table_internal {

#ifdef __SIZEOF_FLOAT128__
__extension__ using Quad = __float128;
#else  // where only tests include this: there are no lanes
using Quad = long double;
#endif

// The Taylor series term * (1 - x^2 / ((n + 1) (n + 2)) + x^4 / ((n + 1) ... (n + 4)) - ...).
constexpr Quad Series(Quad term, Quad x, int n) {
  constexpr int kLast = 30;  // for x < 1, the next term is below the precision of Quad
  Quad sum = term;
  for (; n < kLast; n += 2) {
    term *= -x * x / static_cast<Quad>((n + 1) * (n + 2));
    sum += term;
  }
  return sum;
}

}  // namespace sine_table_internal

inline constexpr std::array<SineRow, 128> kSineTable = [] {
  using sine_table_internal::Quad;
  using sine_table_internal::Series;
  std::array<SineRow, 128> table{};
  for (std::size_t k = 0; k < table.size(); ++k) {
    const Quad x = static_cast<Quad>(k) / 128;
    const Quad sine = Series(x, x, 1);
    const Quad cosine = Series(1, x, 0);
    SineRow& row = table[k];
    row.sin = static_cast<double>(sine);
    row.sin_rest = static_cast<double>(sine - row.sin);
    row.cos = static_cast<double>(cosine);
    row.cos_rest = static_cast<double>(cosine - row.cos);
  }
  return table;
}();

}  // namespace engine::classic_control

#endif  // ENGINE_ENVS_CLASSIC_CONTROL_LANES_SINE_TABLE_H_
