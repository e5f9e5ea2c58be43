#include "engine/runtime/ledger.h"

#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/base/error.h"
#include "tests/engine/harness.h"

namespace engine {
namespace {

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
void Read(Ledger& ledger, const std::vector<T>& ids) {
  const std::int64_t shape[] = {static_cast<std::int64_t>(ids.size())};
  ledger.ReadIdle({.data = reinterpret_cast<const std::byte*>(ids.data()),
                   .dtype = DTypeOf<T>(),
                   .shape = shape,
                   .num_dims = 1});
}

// What it says of ids that it does not take.
template <class T>
std::string Complaint(Ledger& ledger, const std::vector<T>& ids, ErrorKind kind) {
  try {
    Read(ledger, ids);
  } catch (const Error& error) {
    EXPECT_TRUE(error.kind() == kind);
    return error.what();
  }
  return "";
}

TEST(Ledger, ReadsIdsOfAnyIntegerDType) {
  Ledger ledger(5);
  const std::vector<std::uint32_t> expected = {3, 0, 4};
  Read<std::int8_t>(ledger, {3, 0, 4});
  EXPECT_TRUE(ledger.ids() == expected);
  Read<std::uint8_t>(ledger, {3, 0, 4});
  EXPECT_TRUE(ledger.ids() == expected);
  Read<std::int32_t>(ledger, {3, 0, 4});
  EXPECT_TRUE(ledger.ids() == expected);
  Read<std::int64_t>(ledger, {3, 0, 4});
  EXPECT_TRUE(ledger.ids() == expected);
  Read<std::uint64_t>(ledger, {3, 0, 4});
  EXPECT_TRUE(ledger.ids() == expected);
  Complaint<float>(ledger, {1.0F}, ErrorKind::kInputType);
  EXPECT_EQ(Complaint<std::int64_t>(ledger, {}, ErrorKind::kInput),
            "env_id: expected shape (n,) with n >= 1, got (0,)");
}

// Also those whose low 32 bits are an environment's.
TEST(Ledger, NamesTheFirstIdOutOfRange) {
  Ledger ledger(5);
  const auto complaint = [&](auto id) {
    return Complaint<decltype(id)>(ledger, {1, id, id}, ErrorKind::kEnvId);
  };
  const std::string begin = "env_id[1]: expected a value in [0, 4], got ";
  EXPECT_EQ(complaint(std::int64_t{5}), begin + "5");
  EXPECT_EQ(complaint(std::int64_t{-1}), begin + "-1");
  EXPECT_EQ(complaint(std::int8_t{-128}), begin + "-128");
  EXPECT_EQ(complaint((std::int64_t{1} << 32) + 2), begin + "4294967298");
  EXPECT_EQ(complaint(std::numeric_limits<std::int64_t>::min() + 2),
            begin + "-9223372036854775806");
  EXPECT_EQ(complaint(std::numeric_limits<std::uint64_t>::max()), begin + "18446744073709551615");
  EXPECT_EQ(Complaint<std::int64_t>(ledger, {0, 1, 2, 3, 4, 9}, ErrorKind::kEnvId),
            "env_id[5]: expected a value in [0, 4], got 9");  // more than there are
}

TEST(Ledger, NamesTheFirstIdThatComesAgain) {
  Ledger ledger(3);
  EXPECT_EQ(Complaint<std::int32_t>(ledger, {2, 0, 2, 7}, ErrorKind::kEnvId),
            "env_id[2]: environment 2 is named more than once");
  EXPECT_EQ(Complaint<std::int32_t>(ledger, {1, 1, 1, 1, 1, 1, 1}, ErrorKind::kEnvId),
            "env_id[1]: environment 1 is named more than once");
  Read<std::int32_t>(ledger, {2, 0, 1});  // in another call each may come again
  Read<std::int32_t>(ledger, {2, 0, 1});
}

TEST(Ledger, NamesThoseInFlight) {
  Ledger ledger(20);
  const auto complaint = [&](const std::vector<std::int64_t>& ids) {
    return Complaint(ledger, ids, ErrorKind::kEnvId);
  };
  Read<std::int64_t>(ledger, {4, 6});
  ledger.Mark(ledger.ids().data(), 2);
  EXPECT_EQ(ledger.count(), 2U);
  EXPECT_EQ(complaint({5, 6}),
            "env_id: environment 6 is in flight: receive its result with recv() first");
  EXPECT_EQ(complaint({6, 6}), "env_id[1]: environment 6 is named more than once");
  const std::uint32_t six = 6;
  ledger.Clear(&six, 1);
  Read<std::int64_t>(ledger, {5, 6});
  EXPECT_EQ(complaint({5, 4, 6}),
            "env_id: environment 4 is in flight: receive its result with recv() first");
  ledger.MarkAll();
  EXPECT_EQ(complaint({5, 7}),
            "env_id: environments 5, 7 are in flight: receive their results with recv() first");
  std::vector<std::int64_t> many(12);
  for (std::size_t k = 0; k < many.size(); ++k) many[k] = static_cast<std::int64_t>(k);
  EXPECT_EQ(complaint(many),
            "env_id: environments 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more are in flight: receive "
            "their results with recv() first");
  ledger.ClearAll();
  Read<std::int64_t>(ledger, many);
  EXPECT_EQ(ledger.count(), 0U);
}

}  // namespace
}  // namespace engine
