// Known draws of NumPy's RandomState. tests/envpool_py/test_random_state.py compares many seeds and
// calls.
#include "engine/base/random_state.h"

#include <cstdint>
#include <vector>

#include "tests/engine/harness.h"

namespace engine {
namespace random_state_test {

TEST(RandomState, WordsOfTheReferenceImplementation) {
  // numpy.random.RandomState(5489).randint(0, 2**32, dtype="uint32"). 5489 is the default seed of
  // Matsumoto and Nishimura's mt19937ar.c.
  RandomState random(5489);
  EXPECT_EQ(random.NextUint32(), 3499211612U);
  EXPECT_EQ(random.NextUint32(), 581869302U);
  EXPECT_EQ(random.NextUint32(), 3890346734U);
  // The 10,000th draw, as the C++ standard specifies it for std::mt19937.
  for (int i = 3; i < 9999; ++i) random.NextUint32();
  EXPECT_EQ(random.NextUint32(), 4123659995U);
}

TEST(RandomState, TheSecondNormalValueIsKeptAcrossOtherDraws) {
  RandomState random(3);
  const double first = random.Randn();
  random.Uniform(0.0, 1.0);
  const double second = random.Randn();
  RandomState again(3);
  std::vector<double> values(2);
  again.Randn(values);
  EXPECT_EQ(first, values[0]);
  EXPECT_EQ(second, values[1]);
}

TEST(RandomState, ACopyContinuesAlike) {
  RandomState random(11);
  random.Randn();
  RandomState copy = random;
  for (int i = 0; i < 2000; ++i) ASSERT_EQ(random.Randn(), copy.Randn());
}

TEST(RandomState, OneValueDrawsNothing) {
  RandomState random(11);
  RandomState other(11);
  EXPECT_EQ(random.Randint(1), 0U);
  EXPECT_EQ(random.NextUint32(), other.NextUint32());
}

}  // namespace random_state_test
}  // namespace engine
