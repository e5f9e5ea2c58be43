// Expectations that must pass. harness_failures.cc has those that must fail.
#include "tests/engine/harness.h"

#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace engine {
namespace {

enum class Colour { kRed, kGreen };

TEST(Harness, ComparesNumbersByValueWhateverTheirTypes) {
  EXPECT_EQ(std::vector<int>(3).size(), 3);
  EXPECT_LT(-1, 1U);
  EXPECT_NE(std::int8_t{-1}, std::uint8_t{255});
  EXPECT_LE(2, 2);
  EXPECT_NEAR(1.0, 1.5, 0.5);
}

TEST(Harness, ComparesWhatHasNoPrinter) {
  EXPECT_NE(Colour::kRed, Colour::kGreen);
  EXPECT_EQ((std::vector<std::vector<int>>{{1}, {}}), (std::vector<std::vector<int>>{{1}, {}}));
  EXPECT_EQ(std::string("a"), "a");
}

TEST(Harness, TakesTheExpectedExceptionAndItsBases) {
  EXPECT_THROW(throw std::runtime_error("late"), std::exception);
  EXPECT_THROW(throw 3, int);
  EXPECT_THROW_MESSAGE(throw std::out_of_range("row 3"), std::out_of_range, "row 3");
}

TEST(Harness, CountsExpectationsOfOtherThreads) {
  std::thread other([] { EXPECT_TRUE(true); });
  other.join();
}

TEST(Harness, PrintsSmallIntegersAsNumbers) {
  EXPECT_EQ(testing::Printed(std::uint8_t{65}), "65");
  EXPECT_EQ(testing::Printed(std::vector<bool>{true, false}), "{true, false}");
  EXPECT_EQ(testing::Printed(0.1), "0.10000000000000001");
  EXPECT_EQ(testing::Printed(Colour::kGreen), "1");
}

}  // namespace
}  // namespace engine
