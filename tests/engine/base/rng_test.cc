// Known draws of numpy.random.Generator, errors, and a check that no draw allocates on the heap.
// tests/envpool_py/test_rng.py compares every method over many seeds.
#include "engine/base/rng.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "tests/engine/harness.h"

namespace {

std::atomic<std::int64_t> heap_allocations{0};

void* CountedAllocation(std::size_t bytes) {
  heap_allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}

}  // namespace

// Replaces operator new in this executable to count heap allocations. Counting operator new is
// enough: the NumPy functions that rng.cc calls do not call malloc(). The functions below are not
// inlined because GCC would report inlined calls of malloc() and free() as mismatched.
[[gnu::noinline]] void* operator new(std::size_t bytes) { return CountedAllocation(bytes); }
[[gnu::noinline]] void* operator new[](std::size_t bytes) { return CountedAllocation(bytes); }
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace engine {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::array<double, 4> kTenths{0.1, 0.2, 0.3, 0.4};

TEST(Rng, KnownDrawsInTurn) {
  // r = numpy.random.default_rng(42), then the methods of the same names; floats as hex.
  Rng rng(42);
  EXPECT_EQ(rng.Random(), 0x1.8c43f79a2db24p-1);
  EXPECT_EQ(rng.Random(), 0x1.c16959869e47ep-2);
  EXPECT_EQ(rng.Uniform(-0.05, 0.05), 0x1.25c36f3afc536p-5);
  EXPECT_EQ(rng.Integers(10), 0);
  EXPECT_EQ(rng.Integers(0, std::int64_t{1} << 40), 103549089075);
  EXPECT_EQ(rng.Integers<std::uint8_t>(0, 100), 5);
  EXPECT_EQ(rng.Normal(1.0, 2.0), -0x1.9ab745b6fd790p+0);
  EXPECT_EQ(rng.Gamma(2.5, 1.0), 0x1.2e1fb7a8745ddp+1);
  EXPECT_EQ(rng.Binomial(100, 0.5), 49);
  EXPECT_EQ(rng.Poisson(20.0), 18);
  EXPECT_EQ(rng.Choice(kTenths), 3);
  std::array<std::int32_t, 8> order{};
  rng.Permutation(std::span<std::int32_t>(order));
  const std::array<std::int32_t, 8> expected{1, 0, 7, 4, 2, 3, 5, 6};
  EXPECT_EQ(order, expected);
}

TEST(Rng, SeedStartsOver) {
  Rng rng;
  EXPECT_EQ(rng.State(), Rng(0).State());
  rng.NextUint32();
  EXPECT_NE(rng.State(), Rng(0).State());
  rng.Seed(6);
  EXPECT_EQ(rng.State(), Rng(6).State());
  EXPECT_EQ(Rng::FromEntropy({6}).State(), Rng(6).State());
  EXPECT_EQ(Rng::FromEntropy({6, 0}).State(), Rng(6).State());
  EXPECT_NE(Rng::FromEntropy({0, 6}).State(), Rng(6).State());
}

TEST(Rng, ACopyOfTheBytesGoesOnAlike) {
  Rng original(4);
  original.NextUint32();
  Rng copy;
  std::memcpy(static_cast<void*>(&copy), &original, sizeof(copy));
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(copy.StandardNormal(), original.StandardNormal());
    EXPECT_EQ(copy.Integers(1000), original.Integers(1000));
  }
}

TEST(Rng, ARangeOfOneValueDrawsNothing) {
  Rng rng(9);
  EXPECT_EQ(rng.Integers(7, 8), 7);
  EXPECT_EQ(rng.IntegersInclusive<std::uint8_t>(255, 255), 255);
  EXPECT_EQ(rng.IntegersInclusive<bool>(true, true), true);
  EXPECT_EQ(rng.Choice(1), 0);
  std::array<int, 1> one{3};
  rng.Shuffle(std::span<int>(one));
  rng.Shuffle(std::span<int>());
  EXPECT_EQ(rng.State(), Rng(9).State());
}

TEST(Rng, EveryValueOfARangeComesAndNoOther) {
  Rng rng(10);
  std::array<int, 7> seen{};
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t value = rng.Integers(-3, 4);
    ASSERT_TRUE(value >= -3 && value <= 3);
    ++seen[static_cast<std::size_t>(value + 3)];
  }
  EXPECT_GT(*std::min_element(seen.begin(), seen.end()), 0);
}

TEST(Rng, ShuffleMovesValuesThatCannotBeCopied) {
  std::vector<std::unique_ptr<int>> values;
  for (int i = 0; i < 20; ++i) values.push_back(std::make_unique<int>(i));
  std::array<int, 20> order{};
  Rng values_rng(2);
  Rng order_rng(2);
  values_rng.Shuffle(std::span(values));
  order_rng.Permutation(std::span<int>(order));
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(*values[i], order[i]);
}

TEST(Rng, RefusedArgumentsAreInternalErrorsThatNameTheCall) {
  Rng rng(3);
  try {
    rng.Uniform(1.0, 0.0);
    EXPECT_TRUE(false) << "Uniform(1, 0) was let through";
  } catch (const Error& error) {
    EXPECT_TRUE(error.kind() == ErrorKind::kInternal);
  }
  EXPECT_THROW_MESSAGE(rng.Uniform(0.0, kInfinity), Error, "Rng::Uniform: high - low");
  EXPECT_THROW_MESSAGE(rng.Integers(0), Error, "Rng::Integers: low");
  EXPECT_THROW_MESSAGE(rng.IntegersInclusive(2, 1), Error, "Rng::IntegersInclusive: low");
  EXPECT_THROW_MESSAGE(rng.Choice(0), Error, "Rng::Choice: n");
  EXPECT_THROW_MESSAGE(rng.Choice(std::span(kTenths).first(3)), Error, "Rng::Choice: p must sum");
  EXPECT_THROW_MESSAGE(rng.Normal(0.0, -1.0), Error, "Rng::Normal: scale");
  EXPECT_THROW_MESSAGE(rng.Binomial(1, 2.0), Error, "Rng::Binomial: p");
  std::array<std::int64_t, 3> too_few{};
  EXPECT_THROW_MESSAGE(rng.Multinomial(5, kTenths, too_few), Error, "Rng::Multinomial: counts");
  EXPECT_EQ(rng.State(), Rng(3).State());
}

// Calls every method once and returns a sum over all results, so that the compiler cannot remove a
// call.
double OneOfEach(Rng& rng, std::span<std::int64_t> counts) {
  double sum = rng.Random() + rng.Random<float>() + rng.Uniform(-1.0, 1.0);
  sum += rng.StandardNormal() + rng.StandardNormal<float>() + rng.Normal(0.0, 2.0);
  sum += rng.Lognormal(0.0, 1.0) + rng.StandardExponential() + rng.StandardExponential<float>();
  sum += rng.Exponential(2.0) + rng.StandardGamma(0.5) + rng.Gamma(2.0, 1.0);
  sum += rng.Beta(0.5, 0.5) + rng.Beta(2.0, 3.0) + rng.Chisquare(2.0) + rng.StandardT(3.0);
  sum += rng.StandardCauchy() + rng.Laplace(0.0, 1.0) + rng.Logistic(0.0, 1.0);
  sum += rng.Gumbel(0.0, 1.0) + rng.Rayleigh(1.0) + rng.Weibull(2.0);
  sum += rng.Triangular(0.0, 0.5, 1.0) + rng.VonMises(0.0, 1.0);
  std::int64_t whole = rng.Integers(10) + rng.Integers(-5, 5) + rng.IntegersInclusive(1, 6);
  whole += rng.Integers<std::uint8_t>(3, 200) + rng.Integers<std::int16_t>(-9, 9);
  whole += rng.Binomial(10, 0.3) + rng.Binomial(1000, 0.4) + rng.Poisson(2.0) + rng.Poisson(50.0);
  whole += rng.Geometric(0.1) + rng.Geometric(0.9) + rng.Choice(5) + rng.Choice(kTenths);
  rng.Multinomial(100, kTenths, counts);
  rng.Shuffle(counts);
  rng.Permutation(counts);
  return sum + static_cast<double>(whole + std::accumulate(counts.begin(), counts.end(), 0));
}

TEST(Rng, NoDrawTouchesTheHeap) {
  Rng rng(1);
  std::array<std::int64_t, 4> counts{};
  double sum = 0.0;
  const std::int64_t before = heap_allocations.load(std::memory_order_relaxed);
  for (int i = 0; i < 1000; ++i) sum += OneOfEach(rng, counts);
  const std::int64_t after = heap_allocations.load(std::memory_order_relaxed);
  EXPECT_EQ(after, before);
  EXPECT_NE(sum, 0.0);
  int* volatile const counted = new int(1);  // volatile: the compiler must not remove it
  EXPECT_GT(heap_allocations.load(std::memory_order_relaxed), before) << "the counter is dead";
  delete counted;
}

}  // namespace
}  // namespace engine
