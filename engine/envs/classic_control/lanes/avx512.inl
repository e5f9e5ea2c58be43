// Vectors of eight numbers. lane_functions.cc includes this file in a namespace of its own.
constexpr std::uint32_t kLanes = 8;
using Vector [[gnu::vector_size(64)]] = double;
using Mask [[gnu::vector_size(64)]] = std::int64_t;  // -1 or 0 in each lane, or integers

// Functions of <immintrin.h> without a mask read an uninitialized variable in GCC 12's header, of
// which it warns. With all bits, the instructions are the same.
constexpr std::uint8_t kAllBits = 0xff;

LANES unsigned BitsOf(Mask mask) {
  return static_cast<unsigned>(_mm512_movepi64_mask(reinterpret_cast<__m512i>(mask)));
}
// a * b + c, rounded once.
LANES Vector MulAdd(Vector a, Vector b, Vector c) { return _mm512_fmadd_pd(a, b, c); }
// c - a * b, rounded once.
LANES Vector NegMulAdd(Vector a, Vector b, Vector c) { return _mm512_fnmadd_pd(a, b, c); }
LANES Vector Truncate(Vector x) {
  return _mm512_maskz_roundscale_pd(kAllBits, x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
}

// Rows of four numbers to four vectors, or back: a has rows 0 and 4, b rows 1 and 5, and so on.
LANES void Transpose(Vector& a, Vector& b, Vector& c, Vector& d) {
  const Vector ab_low = _mm512_maskz_unpacklo_pd(kAllBits, a, b);
  const Vector ab_high = _mm512_maskz_unpackhi_pd(kAllBits, a, b);
  const Vector cd_low = _mm512_maskz_unpacklo_pd(kAllBits, c, d);
  const Vector cd_high = _mm512_maskz_unpackhi_pd(kAllBits, c, d);
  const __m512i first = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
  const __m512i second = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
  a = _mm512_permutex2var_pd(ab_low, first, cd_low);
  b = _mm512_permutex2var_pd(ab_high, first, cd_high);
  c = _mm512_permutex2var_pd(ab_low, second, cd_low);
  d = _mm512_permutex2var_pd(ab_high, second, cd_high);
}
LANES Vector LoadTwo(const double* low, const double* high) {
  return _mm512_maskz_insertf64x4(kAllBits, _mm512_castpd256_pd512(_mm256_loadu_pd(low)),
                                  _mm256_loadu_pd(high), 1);
}
LANES void LoadRows(const double* const* rows, Vector& a, Vector& b, Vector& c, Vector& d,
                    std::size_t first = 0) {
  a = LoadTwo(rows[0] + first, rows[4] + first);
  b = LoadTwo(rows[1] + first, rows[5] + first);
  c = LoadTwo(rows[2] + first, rows[6] + first);
  d = LoadTwo(rows[3] + first, rows[7] + first);
  Transpose(a, b, c, d);
}
LANES void StoreTwo(double* low, double* high, Vector rows) {
  _mm256_storeu_pd(low, _mm512_maskz_extractf64x4_pd(kAllBits, rows, 0));
  _mm256_storeu_pd(high, _mm512_maskz_extractf64x4_pd(kAllBits, rows, 1));
}
LANES void StoreRows(double* const* rows, Vector a, Vector b, Vector c, Vector d,
                     std::size_t first = 0) {
  Transpose(a, b, c, d);
  StoreTwo(rows[0] + first, rows[4] + first, a);
  StoreTwo(rows[1] + first, rows[5] + first, b);
  StoreTwo(rows[2] + first, rows[6] + first, c);
  StoreTwo(rows[3] + first, rows[7] + first, d);
}

// The member or the element of each lane.
template <class C>
LANES Vector Gather(const C* const* lanes, double C::* member) {
  return Vector{lanes[0]->*member, lanes[1]->*member, lanes[2]->*member, lanes[3]->*member,
                lanes[4]->*member, lanes[5]->*member, lanes[6]->*member, lanes[7]->*member};
}
LANES Vector Gather(const double* const* rows, std::size_t element) {
  return Vector{rows[0][element], rows[1][element], rows[2][element], rows[3][element],
                rows[4][element], rows[5][element], rows[6][element], rows[7][element]};
}
