// Known words of NumPy's SeedSequence, also computed at compile time. tests/envpool_py/test_rng.py
// compares many seeds.
#include "engine/base/seed_sequence.h"

#include <array>
#include <cstdint>
#include <span>
#include <type_traits>

#include "tests/engine/harness.h"

namespace engine {
namespace seed_sequence_test {

using Words32 = std::array<std::uint32_t, 4>;
using Words64 = std::array<std::uint64_t, 2>;

// python -c "import numpy; print(numpy.random.SeedSequence(0).generate_state(4))"
constexpr Words32 kOfZero{2968811710U, 3677149159U, 745650761U, 2884920346U};
static_assert(SeedSequence(0).GenerateState<std::uint32_t, 4>() == kOfZero);
static_assert(std::is_trivially_copyable_v<SeedSequence>);

TEST(SeedSequence, IntegersOfOneAndTwoWords) {
  EXPECT_EQ((SeedSequence(0).GenerateState<std::uint32_t, 4>()), kOfZero);
  // SeedSequence(2**32 + 5).generate_state(2, numpy.uint64)
  const Words64 expected{0xf9c15bd6e249d9acU, 0xb2021b4036320ed7U};
  EXPECT_EQ((SeedSequence((std::uint64_t{1} << 32) + 5).GenerateState<std::uint64_t, 2>()),
            expected);
}

TEST(SeedSequence, A64BitWordIsTwo32BitWordsLowFirst) {
  const SeedSequence sequence(77);
  const Words32 halves = sequence.GenerateState<std::uint32_t, 4>();
  const Words64 whole = sequence.GenerateState<std::uint64_t, 2>();
  for (std::size_t i = 0; i < whole.size(); ++i) {
    EXPECT_EQ(whole[i], static_cast<std::uint64_t>(halves[2 * i + 1]) << 32 | halves[2 * i]);
  }
}

TEST(SeedSequence, AskingForMoreWordsKeepsTheFirst) {
  const SeedSequence sequence{3, 4};
  const auto few = sequence.GenerateState<std::uint32_t, 3>();
  const auto many = sequence.GenerateState<std::uint32_t, 11>();
  for (std::size_t i = 0; i < few.size(); ++i) EXPECT_EQ(few[i], many[i]);
}

TEST(SeedSequence, OneIntegerOf128Bits) {
  // SeedSequence(2**127 + 2**64 + 3).generate_state(2, numpy.uint64)
  const Words64 expected{0xbff4e235b1657766U, 0xbf676fa92984cc80U};
  const SeedSequence sequence = SeedSequence::FromUInt128((std::uint64_t{1} << 63) + 1, 3);
  EXPECT_EQ((sequence.GenerateState<std::uint64_t, 2>()), expected);
  EXPECT_EQ((SeedSequence::FromUInt128(0, 9).GenerateState<std::uint64_t, 2>()),
            (SeedSequence(9).GenerateState<std::uint64_t, 2>()));
}

TEST(SeedSequence, SpawnKeys) {
  // SeedSequence(7, spawn_key=(2, 1)).generate_state(2, numpy.uint64)
  const Words64 expected{0x4c6c63f6a2d3017eU, 0x6dae0022dcce2820U};
  const std::array<std::uint64_t, 2> spawn_key{2, 1};
  EXPECT_EQ((SeedSequence(7, spawn_key).GenerateState<std::uint64_t, 2>()), expected);
  // A spawn key is not entropy: the same integers in one list give other words.
  EXPECT_NE((SeedSequence{7, 2, 1}.GenerateState<std::uint64_t, 2>()), expected);
}

TEST(SeedSequence, ListsLongerThanThePool) {
  // SeedSequence([1, 2, 3, 4, 5, 2**33]).generate_state(2, numpy.uint64)
  const Words64 expected{0xcf12c9627156863aU, 0xf54e9527874fd255U};
  const SeedSequence sequence{1, 2, 3, 4, 5, std::uint64_t{1} << 33};
  EXPECT_EQ((sequence.GenerateState<std::uint64_t, 2>()), expected);
}

}  // namespace seed_sequence_test
}  // namespace engine
