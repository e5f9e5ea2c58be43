// What every function uses: vectors of constants, signs, squares. lane_functions.cc includes this
// file in a namespace for each instruction set.
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

// Rounds to float32.
LANES Vector Narrow(Vector x) {
  using Narrowed [[gnu::vector_size(kLanes * sizeof(float))]] = float;
  return __builtin_convertvector(__builtin_convertvector(x, Narrowed), Vector);
}

// Squares of numbers of type T.
template <class T>
[[gnu::noinline, gnu::cold]] void SquareLanes(const double* numbers, unsigned lanes,
                                              double* squares) {
  for (std::uint32_t i = 0; i < kLanes; ++i) {
    if ((lanes >> i & 1U) != 0)
      squares[i] = static_cast<double>(PowSquare(static_cast<T>(numbers[i])));
  }
}

// The square of numbers of type T by the C library's pow, as PowSquare. pow errs by less than 0.515
// units in the last place for numbers of moderate size, so its result is the nearest T to the exact
// square unless that lies near the middle of two: then pow itself is called. (The nearest is never
// a power of two above the exact square, where units have two sizes.)
template <class T = double>
LANES Vector Square(Vector x) {
  constexpr bool kNarrow = sizeof(T) < sizeof(double);
  constexpr std::int64_t kExponent = 0x7ff0000000000000;
  constexpr double kSurelyNearest = 0.48 * static_cast<double>(std::numeric_limits<T>::epsilon());
  constexpr double kLarge = kNarrow ? 0x1p40 : 0x1p200;
  const Vector product = x * x;  // exact if x is float32
  Vector square = kNarrow ? Narrow(product) : product;
  const Vector error = kNarrow ? product - square : MulAdd(x, x, -product);
  const Vector scale = reinterpret_cast<Vector>(reinterpret_cast<Mask>(square) & kExponent);
  const Mask sure =
      (Abs(error) <= scale * kSurelyNearest) & (scale > 1.0 / kLarge) & (scale < kLarge);
  const unsigned unsure = BitsOf(~sure);
  if (unsure != 0) [[unlikely]] {
    double numbers[kLanes];
    double squares[kLanes];
    __builtin_memcpy(numbers, &x, sizeof x);
    __builtin_memcpy(squares, &square, sizeof x);
    SquareLanes<T>(numbers, unsure, squares);
    __builtin_memcpy(&square, squares, sizeof x);
  }
  return square;
}
