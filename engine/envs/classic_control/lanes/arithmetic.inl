// What every function uses: vectors of constants, signs, squares. lanes.cc includes this file in a
// namespace for each instruction set.
constexpr unsigned kAllLanes = (1U << kLanes) - 1;

LANES Vector All(double value) { return value - Vector{}; }
LANES Mask SignBit() { return Mask{} + std::numeric_limits<std::int64_t>::min(); }
LANES Mask SignOf(Vector x) { return reinterpret_cast<Mask>(x) & SignBit(); }
LANES Vector Abs(Vector x) {
  return reinterpret_cast<Vector>(reinterpret_cast<Mask>(x) & ~SignBit());
}
// Changes the sign where the sign bit of `sign` is set.
LANES Vector Flip(Vector x, Mask sign) {
  return reinterpret_cast<Vector>(reinterpret_cast<Mask>(x) ^ sign);
}
LANES Vector CopySign(Vector x, Vector sign) { return Flip(Abs(x), SignOf(sign)); }
LANES bool IsAny(Mask mask) { return BitsOf(mask) != 0; }

// numpy.clip, as NumpyClip.
LANES Vector Clip(Vector x, Vector low, Vector high) {
  const Vector raised = x < low ? low : x;
  return high < raised ? high : raised;
}

[[gnu::noinline, gnu::cold]] inline void SquareLanes(const double* numbers, unsigned lanes,
                                                     double* squares) {
  for (std::uint32_t i = 0; i < kLanes; ++i) {
    if ((lanes >> i & 1U) != 0) squares[i] = PowSquare(numbers[i]);
  }
}

// The square by the C library's pow, as PowSquare. pow errs by less than 0.515 units in the last
// place for numbers of moderate size, so its result is the nearest double to the exact square
// unless that lies near the middle of two doubles: then pow itself is called.
LANES Vector Square(Vector x) {
  constexpr std::int64_t kExponent = 0x7ff0000000000000;
  constexpr double kUnit = std::numeric_limits<double>::epsilon();
  constexpr double kSurelyNearest = 0.48 * kUnit;
  Vector square = x * x;
  const Vector error = MulAdd(x, x, -square);
  const Vector scale = reinterpret_cast<Vector>(reinterpret_cast<Mask>(square) & kExponent);
  const Mask sure =
      (Abs(error) <= scale * kSurelyNearest) & (scale > All(0x1p-200)) & (scale < All(0x1p200));
  const unsigned unsure = BitsOf(~sure);
  if (unsure != 0) [[unlikely]] {
    double numbers[kLanes];
    double squares[kLanes];
    __builtin_memcpy(numbers, &x, sizeof x);
    __builtin_memcpy(squares, &square, sizeof x);
    SquareLanes(numbers, unsure, squares);
    __builtin_memcpy(&square, squares, sizeof x);
  }
  return square;
}
