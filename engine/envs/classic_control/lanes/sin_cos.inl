// Sines and cosines of the lanes, bitwise equal to glibc's on a processor with fused multiply-add.
// glibc does not always return the nearest number, so this is its method, with its constants and
// with fused operations where its compiler has put them. lane_functions.cc tests that the results
// are equal.
//
// An angle x becomes a + rest, |a| < 0.86, near a multiple of pi/2 whose parity tells which of the
// two functions of a + rest is the sine of x:
//   |x| < 0.8554...            a = x
//   |x| < 2.426...             a = pi/2 - |x|
//   |x| < 105414350            a = x - n pi/2
// With y = |a| - k/128 for the nearest k, and s = sin y, c = 1 - cos y by short polynomials,
//   sin(k/128 + y) = sin(k/128) + (cos(k/128) s - sin(k/128) c), and likewise the cosine.
constexpr double kTableEnd = 0x1.b6p-1;
constexpr double kFirstTurnEnd = 0x1.368fdp+1;
constexpr double kReductionEnd = 0x1.921fbp+26;

struct SinCos {
  Vector sin, cos;
  Mask valid;
};

// The number of the nearest k/128, in the last bits; less 1.5 * 2^45 it is k/128.
constexpr double kRounder = 0x1.8p45;

LANES Vector SinePolynomial(Vector yy) {
  return MulAdd(yy, All(8.33333214285722277379541354343671e-03),
                All(-1.66666666666664880952546298448555e-01));
}
LANES Vector CosinePolynomial(Vector yy) {
  const Vector inner = MulAdd(yy, All(1.38888874937007937613028114285595617e-03),
                              All(-4.16666666666664434524222570944589e-02));
  return MulAdd(yy, inner, All(0.5));
}

struct TableLanes {
  Vector sin, sin_rest, cos, cos_rest;
};
LANES TableLanes Look(Vector rounded) {
  const Mask k = reinterpret_cast<Mask>(rounded) & std::int64_t{kSineTable.size() - 1};
  const double* rows[kLanes];
  for (std::uint32_t i = 0; i < kLanes; ++i) {
    rows[i] = &kSineTable[static_cast<std::size_t>(k[i])].sin;
  }
  TableLanes found;
  LoadRows(rows, found.sin, found.sin_rest, found.cos, found.cos_rest);
  return found;
}

// sin(a + rest).
LANES Vector SineOf(Vector a, Vector rest, const TableLanes& table) {
  const Vector size = Abs(a);
  const Vector y = size - (size + kRounder - kRounder);
  const Vector dy = Flip(rest, a > 0.0 ? Mask{} : SignBit());
  const Vector yy = y * y;
  const Vector s = y + MulAdd(y * yy, SinePolynomial(yy), dy);
  const Vector c = MulAdd(y, dy, yy * CosinePolynomial(yy));
  const Vector low =
      MulAdd(table.cos, s, NegMulAdd(table.sin, c, MulAdd(s, table.cos_rest, table.sin_rest)));
  const Vector from_table = CopySign(table.sin + low, a);

  // Small angles: the Taylor series alone.
  const Vector aa = a * a;
  Vector series = MulAdd(All(-2.5022014848318398e-08), aa, All(2.755729806860771e-06));
  series = MulAdd(series, aa, All(-0.00019841269834414642));
  series = MulAdd(series, aa, All(0.0083333333333323288));
  series = MulAdd(series, aa, All(-0.16666666666666666));
  const Vector small = a + MulAdd(MulAdd(series, a, -(0.5 * rest)), aa, rest);
  return size < 0.126 ? small : from_table;
}

// cos(a + rest).
LANES Vector CosineOf(Vector a, Vector rest, const TableLanes& table) {
  const Vector size = Abs(a);
  const Vector dy = Flip(rest, a < 0.0 ? SignBit() : Mask{});
  const Vector y = size - (size + kRounder - kRounder) + dy;
  const Vector yy = y * y;
  const Vector s = MulAdd(y * yy, SinePolynomial(yy), y);
  const Vector c = yy * CosinePolynomial(yy);
  const Vector low = NegMulAdd(
      table.sin, s, NegMulAdd(table.cos, c, NegMulAdd(s, table.sin_rest, table.cos_rest)));
  return table.cos + low;
}

LANES Vector KeepTiny(Vector x, Vector sine) { return Abs(x) < 0x1p-26 ? x : sine; }

// Requires: |x| < kTableEnd.
LANES SinCos SmallSinCos(Vector x) {
  const TableLanes table = Look(Abs(x) + kRounder);
  return {KeepTiny(x, SineOf(x, Vector{}, table)), CosineOf(x, Vector{}, table), ~Mask{}};
}

// Lanes whose angle is NaN, infinite or too large are not valid.
[[gnu::noinline]] LANE_TARGET static SinCos AnySinCos(Vector x) {
  const Vector size = Abs(x);
  const Mask in_table = size < kTableEnd;
  const Mask in_first_turn = ~in_table & (size < kFirstTurnEnd);

  // x - n pi/2, with pi/2 as the sum of four numbers.
  const Vector turns = MulAdd(x, All(0x1.45f306dc9c883p-1), All(0x1.8p52));
  const Mask n = reinterpret_cast<Mask>(turns);
  const Vector whole = turns - 0x1.8p52;
  const Vector third = All(-0x1.cb3b398p-55);
  const Vector fourth = All(-0x1.d747f23e32ed7p-83);
  const Vector y = NegMulAdd(whole, All(-0x1.dde973cp-27), NegMulAdd(whole, All(0x1.921fb58p0), x));
  const Vector near = NegMulAdd(whole, third, y);
  const Vector reduced = NegMulAdd(whole, fourth, near);
  const Vector reduced_rest =
      NegMulAdd(whole, third, y - near) + NegMulAdd(whole, fourth, near - reduced);

  // pi/2 - |x|. The cosine, which is sin(pi/2 - |x|), takes the sum of both parts of pi/2.
  const Vector second_half = All(0x1.1a62633145c07p-54);
  const Vector left = 0x1.921fb54442d18p0 - size;
  const Vector sum = left + second_half;
  const Vector sum_rest = (left - sum) + second_half;

  const Vector none = {};
  const Vector a_sine = in_table ? x : in_first_turn ? sum : reduced;
  const Vector a_cosine = in_first_turn ? left : a_sine;
  const Vector rest_sine = in_table ? none : in_first_turn ? sum_rest : reduced_rest;
  const Vector rest_cosine = in_first_turn ? second_half : rest_sine;
  const Vector rounded = Abs(a_sine) + kRounder;
  const TableLanes table = Look(rounded);
  const Vector sine = SineOf(a_sine, rest_sine, table);
  const Vector cosine = CosineOf(a_cosine, rest_cosine, table);

  const Mask swapped = in_first_turn | (~in_table & ((n & 1) != 0));
  const Mask is_negative = n << 62;               // the sign bit is bit 1 of n
  const Mask is_negative_cosine = (n + 1) << 62;  // and bit 1 of n + 1
  const Mask sine_sign = in_first_turn ? reinterpret_cast<Mask>(x)
                         : in_table    ? Mask{}
                                       : is_negative;
  const Mask cosine_sign = in_first_turn | in_table ? Mask{} : is_negative_cosine;
  return {KeepTiny(x, Flip(swapped ? cosine : sine, sine_sign & SignBit())),
          Flip(swapped ? sine : cosine, cosine_sign & SignBit()),
          // The table has one row for both, so both must be nearest to the same k/128.
          (size < kReductionEnd) & (rounded == Abs(a_cosine) + kRounder)};
}

LANES SinCos SineAndCosine(Vector x) {
  if (BitsOf(Abs(x) < kTableEnd) == kAllLanes) [[likely]]
    return SmallSinCos(x);
  return AnySinCos(x);
}
