// Mistakes found in one array of a row: bytes that are not written, writes out of bounds, bad
// values.
#include "engine/checks/row_checks.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "tests/engine/harness.h"

namespace engine::testing {
namespace row_checks_test {

// Writes `values` at byte `offset` into the arrays of both looks, or of the first one only. Returns
// the mistake that was found.
template <class T>
std::string Written(const ArrayDescription& array, const std::vector<T>& values,
                    std::ptrdiff_t offset = 0, bool both = true) {
  const std::size_t bytes =
      SizeOf(array.dtype) * static_cast<std::size_t>(NumElements(array.shape));
  GuardedArray first(bytes);
  GuardedArray second(bytes);
  first.Fill(GuardedArray::Look::kFirst);
  second.Fill(GuardedArray::Look::kSecond);
  for (GuardedArray* look : {&first, &second})
    std::ranges::copy(std::as_bytes(std::span(values)), look->data() + offset);
  return MistakeIn(array, first, both ? &second : nullptr);
}

const SpaceSpec kBytes = SpaceSpec::Box<std::uint8_t>({4}, 0, 200);

ArrayDescription Of(const SpaceSpec& space) { return DescribeLeaves(space, "x").at(0); }

TEST(RowChecks, EveryValueOfAByteCountsAsWritten) {
  const SpaceSpec space = SpaceSpec::Box<std::uint8_t>({1}, 0, 255);
  for (int value = 0; value < 256; ++value)
    EXPECT_EQ(Written<std::uint8_t>(Of(space), {static_cast<std::uint8_t>(value)}), "");
}

TEST(RowChecks, HolesAreNamed) {
  EXPECT_EQ(Written<std::uint8_t>(Of(kBytes), {1, 2, 3, 4}), "");
  EXPECT_EQ(Written<std::uint8_t>(Of(kBytes), {}), "x is not written");
  EXPECT_EQ(Written<std::uint8_t>(Of(kBytes), {1, 2, 3}), "x[3] is not written");
  EXPECT_EQ(Written<std::uint8_t>(Of(kBytes), {2, 3, 4}, 1), "x[0] is not written");
  const ArrayDescription wide{.name = "x", .dtype = DType::kInt64, .shape = {2, 2}};
  EXPECT_EQ(Written<std::int32_t>(wide, {1, 2, 3, 4}),
            "x: only the first 16 of its 32 bytes are written: 2 of its 4 elements of int64, or 4 "
            "elements of 4 bytes");
  EXPECT_EQ(Written<std::int8_t>(wide, {1, 2, 3, 4}),
            "x: only the first 4 of its 32 bytes are written: 4 elements of 1 byte in place of "
            "int64");
  EXPECT_EQ(Written<std::int32_t>(wide, {1, 2, 3, 4, 5, 6, 7}),
            "x[1, 1]: 4 of the 8 bytes of this int64 are written");
}

TEST(RowChecks, OneLookFindsLongHoles) {
  const ArrayDescription wide{.name = "x", .dtype = DType::kInt64, .shape = {3}};
  EXPECT_EQ(Written<std::int64_t>(wide, {1, 2}, 8, false), "x[0] is not written");
  EXPECT_EQ(Written<std::int64_t>(wide, {1, 2}, 0, false), "x[2] is not written");
  EXPECT_EQ(Written<std::int64_t>(wide, {1, 2, 3}, 0, false), "");
  // A write may give two bytes the values of the fill by chance.
  EXPECT_EQ(Written<std::uint8_t>(Of(kBytes), {1, 2}, 0, false).find("not written"),
            std::string::npos);
}

TEST(RowChecks, WritesBesideItAreFound) {
  const std::string beyond =
      "x is written beyond its end or before its begin: expected 4 bytes of uint8";
  EXPECT_EQ(Written<std::uint8_t>(Of(kBytes), {1, 2, 3, 4, 5}), beyond);
  EXPECT_EQ(Written<double>(Of(kBytes), {1, 2, 3, 4}), beyond);
  EXPECT_EQ(Written<std::uint8_t>(Of(kBytes), {1, 2, 3, 4}, -1), beyond);
}

TEST(RowChecks, BoundsAreThoseOfTheElement) {
  EXPECT_EQ(Written<std::uint8_t>(Of(kBytes), {1, 2, 201, 4}),
            "x[2]: expected a value in [0, 200], got 201");
  const SpaceSpec each = SpaceSpec::Box<std::int64_t>({2}, {INT64_MIN, -3}, {0, INT64_MAX});
  EXPECT_EQ(Written<std::int64_t>(Of(each), {INT64_MIN, INT64_MAX}), "");
  EXPECT_EQ(Written<std::int64_t>(Of(each), {0, -4}),
            "x[1]: expected a value in [-3, 9223372036854775807], got -4");
  const SpaceSpec counts = SpaceSpec::MultiDiscrete({2, 3});
  EXPECT_EQ(Written<std::int64_t>(Of(counts), {2, 2}), "x[0]: expected a value in [0, 1], got 2");
  const SpaceSpec bits = SpaceSpec::MultiBinary(2);
  EXPECT_EQ(Written<std::int8_t>(Of(bits), {1, -1}), "x[1]: expected a value in [0, 1], got -1");
  constexpr float kAny = std::numeric_limits<float>::infinity();
  const SpaceSpec any = SpaceSpec::Box<float>({2}, -kAny, kAny);
  EXPECT_EQ(Written<float>(Of(any), {kAny, 0.0F}), "");
  EXPECT_EQ(Written<float>(Of(any), {0.0F, std::numeric_limits<float>::quiet_NaN()}),
            "x[1]: expected a value in [-inf, inf], got nan");
}

TEST(RowChecks, IntegersInAFloatArray) {
  constexpr float kAny = std::numeric_limits<float>::infinity();
  const SpaceSpec any = SpaceSpec::Box<float>({2}, -kAny, kAny);
  EXPECT_EQ(
      Written<std::int32_t>(Of(any), {0, 3}),
      "x[1]: expected a float32, got the subnormal number 4.20389539e-45, which has the bytes "
      "of the integer 3");
  EXPECT_EQ(Written<std::int32_t>(Of(any), {0, 0}), "");
  EXPECT_EQ(Written<float>(Of(any), {4.2e-45F, 1.0F}), "");  // one small number among others
}

TEST(RowChecks, BoolsAreBytes) {
  const SpaceSpec flags = SpaceSpec::Box<bool>({2}, false, true);
  EXPECT_EQ(Written<std::uint8_t>(Of(flags), {0, 1}), "");
  EXPECT_EQ(Written<std::uint8_t>(Of(flags), {0, 2}), "x[1]: expected a bool, got the byte 2");
}

TEST(RowChecks, LeavesAreNamedByTheirPlace) {
  const SpaceSpec space = SpaceSpec::Dict(
      {{"a", SpaceSpec::Tuple({SpaceSpec::Discrete(2), kBytes})}, {"b", SpaceSpec::Discrete(3)}});
  std::vector<std::string> names;
  for (const ArrayDescription& leaf : DescribeLeaves(space, "obs")) names.push_back(leaf.name);
  EXPECT_EQ(names, (std::vector<std::string>{"obs[\"a\"][0]", "obs[\"a\"][1]", "obs[\"b\"]"}));
}

}  // namespace row_checks_test
}  // namespace engine::testing
