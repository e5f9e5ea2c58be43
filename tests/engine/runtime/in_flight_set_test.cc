#include "engine/runtime/in_flight_set.h"

#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/base/error.h"
#include "tests/engine/harness.h"

namespace engine {
namespace in_flight_set_test {

template <class T>
constexpr DType DTypeOf() {
  if constexpr (std::is_same_v<T, std::int8_t>) return DType::kInt8;
  if constexpr (std::is_same_v<T, std::uint8_t>) return DType::kUInt8;
  if constexpr (std::is_same_v<T, std::int32_t>) return DType::kInt32;
  if constexpr (std::is_same_v<T, std::uint64_t>) return DType::kUInt64;
  if constexpr (std::is_same_v<T, float>) return DType::kFloat32;
  return DType::kInt64;
}

template <class T>
void Read(InFlightSet& set, const std::vector<T>& ids) {
  const std::int64_t shape[] = {static_cast<std::int64_t>(ids.size())};
  set.ReadIdle({.data = reinterpret_cast<const std::byte*>(ids.data()),
                .dtype = DTypeOf<T>(),
                .shape = shape,
                .num_dims = 1});
}

// The error message for ids that the set rejects.
template <class T>
std::string Complaint(InFlightSet& set, const std::vector<T>& ids, ErrorKind kind) {
  try {
    Read(set, ids);
  } catch (const Error& error) {
    EXPECT_TRUE(error.kind() == kind);
    return error.what();
  }
  return "";
}

TEST(InFlightSet, ReadsIdsOfAnyIntegerDType) {
  InFlightSet set(5);
  const std::vector<std::uint32_t> expected = {3, 0, 4};
  Read<std::int8_t>(set, {3, 0, 4});
  EXPECT_TRUE(set.ids() == expected);
  Read<std::uint8_t>(set, {3, 0, 4});
  EXPECT_TRUE(set.ids() == expected);
  Read<std::int32_t>(set, {3, 0, 4});
  EXPECT_TRUE(set.ids() == expected);
  Read<std::int64_t>(set, {3, 0, 4});
  EXPECT_TRUE(set.ids() == expected);
  Read<std::uint64_t>(set, {3, 0, 4});
  EXPECT_TRUE(set.ids() == expected);
  Complaint<float>(set, {1.0F}, ErrorKind::kInputType);
  EXPECT_EQ(Complaint<std::int64_t>(set, {}, ErrorKind::kInput),
            "env_id: expected shape (n,) with n >= 1, got (0,)");
}

// Includes ids whose low 32 bits equal a valid id.
TEST(InFlightSet, NamesTheFirstIdOutOfRange) {
  InFlightSet set(5);
  const auto complaint = [&](auto id) {
    return Complaint<decltype(id)>(set, {1, id, id}, ErrorKind::kEnvId);
  };
  const std::string begin = "env_id[1]: expected a value in [0, 4], got ";
  EXPECT_EQ(complaint(std::int64_t{5}), begin + "5");
  EXPECT_EQ(complaint(std::int64_t{-1}), begin + "-1");
  EXPECT_EQ(complaint(std::int8_t{-128}), begin + "-128");
  EXPECT_EQ(complaint((std::int64_t{1} << 32) + 2), begin + "4294967298");
  EXPECT_EQ(complaint(std::numeric_limits<std::int64_t>::min() + 2),
            begin + "-9223372036854775806");
  EXPECT_EQ(complaint(std::numeric_limits<std::uint64_t>::max()), begin + "18446744073709551615");
  EXPECT_EQ(Complaint<std::int64_t>(set, {0, 1, 2, 3, 4, 9}, ErrorKind::kEnvId),
            "env_id[5]: expected a value in [0, 4], got 9");  // more ids than environments
}

TEST(InFlightSet, NamesTheFirstIdThatComesAgain) {
  InFlightSet set(3);
  EXPECT_EQ(Complaint<std::int32_t>(set, {2, 0, 2, 7}, ErrorKind::kEnvId),
            "env_id[2]: environment 2 is named more than once");
  EXPECT_EQ(Complaint<std::int32_t>(set, {1, 1, 1, 1, 1, 1, 1}, ErrorKind::kEnvId),
            "env_id[1]: environment 1 is named more than once");
  Read<std::int32_t>(set, {2, 0, 1});  // another call may name them again
  Read<std::int32_t>(set, {2, 0, 1});
}

TEST(InFlightSet, NamesThoseInFlight) {
  InFlightSet set(20);
  const auto complaint = [&](const std::vector<std::int64_t>& ids) {
    return Complaint(set, ids, ErrorKind::kEnvId);
  };
  Read<std::int64_t>(set, {4, 6});
  set.Mark(set.ids().data(), 2, 7);
  EXPECT_EQ(set.count(), 2U);
  EXPECT_EQ(complaint({5, 6}),
            "env_id: environment 6 is in flight: receive its result with recv(), or discard it "
            "with drain()");
  EXPECT_EQ(complaint({6, 6}), "env_id[1]: environment 6 is named more than once");
  const std::uint32_t six = 6;
  set.Clear(&six, 1);
  Read<std::int64_t>(set, {5, 6});
  EXPECT_EQ(complaint({5, 4, 6}),
            "env_id: environment 4 is in flight: receive its result with recv(), or discard it "
            "with drain()");
  set.MarkAll(9);
  EXPECT_EQ(complaint({5, 7}),
            "env_id: environments 5, 7 are in flight: receive their results with recv(), or "
            "discard them with drain()");
  std::vector<std::int64_t> many(12);
  for (std::size_t k = 0; k < many.size(); ++k) many[k] = static_cast<std::int64_t>(k);
  EXPECT_EQ(complaint(many),
            "env_id: environments 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more are in flight: receive "
            "their results with recv(), or discard them with drain()");
  set.ClearAll();
  Read<std::int64_t>(set, many);
  EXPECT_EQ(set.count(), 0U);
}

}  // namespace in_flight_set_test
}  // namespace engine
