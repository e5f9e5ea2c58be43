// Known draws and states of NumPy's PCG64. tests/envpool_py/test_rng.py compares many seeds.
#include "engine/base/pcg64.h"

#include <cstdint>
#include <cstring>
#include <limits>

#include "engine/base/seed_sequence.h"
#include "tests/engine/harness.h"

namespace engine {
namespace pcg64_test {

constexpr std::uint64_t kGreatestSeed = std::numeric_limits<std::uint64_t>::max();

constexpr std::uint64_t FirstDraw(std::uint64_t seed) {
  return Pcg64(SeedSequence(seed)).NextUint64();
}
// numpy.random.PCG64(0).random_raw()
static_assert(FirstDraw(0) == 0xa30febcfd9c2825fU);

TEST(Pcg64, StateAfterSeeding) {
  // b = numpy.random.PCG64(seed).state["state"]
  // [hex(half) for half in (*divmod(b["state"], 2**64), *divmod(b["inc"], 2**64))]
  const Pcg64State of_zero{
      0x1aa1b5345996452dU, 0x09585eb7a69561e3U, 0x418ddadb3af71a82U, 0x588133bc447873a9U, 0, 0};
  const Pcg64State of_greatest{
      0xddc419442aebde79U, 0x4d8b0a3b048acdb0U, 0x37762aacb3cc854fU, 0x4ed623c7d18951edU, 0, 0};
  EXPECT_EQ(Pcg64(SeedSequence(0)).State(), of_zero);
  EXPECT_EQ(Pcg64(SeedSequence(kGreatestSeed)).State(), of_greatest);
}

TEST(Pcg64, Draws64Bits) {
  // [hex(draw) for draw in numpy.random.PCG64(seed).random_raw(3)]
  Pcg64 of_zero{SeedSequence(0)};
  EXPECT_EQ(of_zero.NextUint64(), 0xa30febcfd9c2825fU);
  EXPECT_EQ(of_zero.NextUint64(), 0x4510bdf882d9d721U);
  EXPECT_EQ(of_zero.NextUint64(), 0x0a7d3da94ecde8b8U);
  Pcg64 of_greatest{SeedSequence(kGreatestSeed)};
  EXPECT_EQ(of_greatest.NextUint64(), 0xae163a7a8c47568fU);
  EXPECT_EQ(of_greatest.NextUint64(), 0xd86659f5f3382359U);
  EXPECT_EQ(of_greatest.NextUint64(), 0x01e52b195bc2d24aU);
}

TEST(Pcg64, AWaitingHalfOutlives64BitDraws) {
  // r = numpy.random.default_rng(42)
  // [hex(v) for v in (r.integers(2**32), r.bit_generator.random_raw(),
  //                   r.integers(2**32), r.integers(2**32))]
  Pcg64 pcg{SeedSequence(42)};
  EXPECT_EQ(pcg.NextUint32(), 0x16d92688U);
  EXPECT_EQ(pcg.State().has_uint32, 1U);
  EXPECT_EQ(pcg.NextUint64(), 0x705a5661a791ffc1U);
  EXPECT_EQ(pcg.NextUint32(), 0xc621fbcdU);
  EXPECT_EQ(pcg.State().has_uint32, 0U);
  EXPECT_EQ(pcg.NextUint32(), 0x6eda1624U);
}

TEST(Pcg64, DoublesKeepTheHigh53Bits) {
  Pcg64 bits{SeedSequence(5)};
  Pcg64 doubles{SeedSequence(5)};
  for (int i = 0; i < 1000; ++i) {
    const double draw = doubles.NextDouble();
    EXPECT_EQ(draw * 0x1p53, static_cast<double>(bits.NextUint64() >> 11));
    EXPECT_LT(draw, 1.0);
  }
}

TEST(Pcg64, ACopyOfTheBytesIsACopyOfTheGenerator) {
  Pcg64 original{SeedSequence(8)};
  original.NextUint32();  // so that the second half of a draw is buffered
  Pcg64 copy{Pcg64State{}};
  std::memcpy(static_cast<void*>(&copy), &original, sizeof(copy));
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(copy.NextUint32(), original.NextUint32());
    EXPECT_EQ(copy.NextUint64(), original.NextUint64());
  }
  EXPECT_EQ(std::memcmp(&copy, &original, sizeof(copy)), 0);
}

}  // namespace pcg64_test
}  // namespace engine
