// Vectors of four numbers. lane_functions.cc includes this file in a namespace of its own.
constexpr std::uint32_t kLanes = 4;
using Vector [[gnu::vector_size(32)]] = double;
using Mask [[gnu::vector_size(32)]] = std::int64_t;  // -1 or 0 in each lane, or integers

LANES unsigned BitsOf(Mask mask) {
  return static_cast<unsigned>(_mm256_movemask_pd(reinterpret_cast<__m256d>(mask)));
}
// a * b + c, rounded once.
LANES Vector MulAdd(Vector a, Vector b, Vector c) { return _mm256_fmadd_pd(a, b, c); }
// c - a * b, rounded once.
LANES Vector NegMulAdd(Vector a, Vector b, Vector c) { return _mm256_fnmadd_pd(a, b, c); }
LANES Vector Truncate(Vector x) {
  return _mm256_round_pd(x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
}

// Rows of four numbers, one row per lane, to four vectors, or back.
LANES void Transpose(Vector& a, Vector& b, Vector& c, Vector& d) {
  const Vector ab_low = _mm256_unpacklo_pd(a, b);
  const Vector ab_high = _mm256_unpackhi_pd(a, b);
  const Vector cd_low = _mm256_unpacklo_pd(c, d);
  const Vector cd_high = _mm256_unpackhi_pd(c, d);
  a = _mm256_permute2f128_pd(ab_low, cd_low, 0x20);
  b = _mm256_permute2f128_pd(ab_high, cd_high, 0x20);
  c = _mm256_permute2f128_pd(ab_low, cd_low, 0x31);
  d = _mm256_permute2f128_pd(ab_high, cd_high, 0x31);
}
LANES void LoadRows(const double* const* rows, Vector& a, Vector& b, Vector& c, Vector& d,
                    std::size_t first = 0) {
  a = _mm256_loadu_pd(rows[0] + first);
  b = _mm256_loadu_pd(rows[1] + first);
  c = _mm256_loadu_pd(rows[2] + first);
  d = _mm256_loadu_pd(rows[3] + first);
  Transpose(a, b, c, d);
}
LANES void StoreRows(double* const* rows, Vector a, Vector b, Vector c, Vector d,
                     std::size_t first = 0) {
  Transpose(a, b, c, d);
  _mm256_storeu_pd(rows[0] + first, a);
  _mm256_storeu_pd(rows[1] + first, b);
  _mm256_storeu_pd(rows[2] + first, c);
  _mm256_storeu_pd(rows[3] + first, d);
}

// The member or the element of each lane.
template <class C>
LANES Vector Gather(const C* const* lanes, double C::* member) {
  return Vector{lanes[0]->*member, lanes[1]->*member, lanes[2]->*member, lanes[3]->*member};
}
LANES Vector Gather(const double* const* rows, std::size_t element) {
  return Vector{rows[0][element], rows[1][element], rows[2][element], rows[3][element]};
}
