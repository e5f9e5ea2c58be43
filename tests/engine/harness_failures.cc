// Tests that must fail. CMakeLists.txt runs them one by one and checks their output: if one of
// these tests passes, the harness is broken.
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/engine/harness.h"

namespace engine {
namespace {

TEST(MustFail, Equal) { EXPECT_EQ(std::vector<int>(2).size(), 3) << "row " << 7; }
TEST(MustFail, NotEqual) { EXPECT_NE(std::string("a"), "a"); }
TEST(MustFail, Less) { EXPECT_LT(1U, -1); }
TEST(MustFail, LessEqual) { EXPECT_LE(0.5, 0.25); }
TEST(MustFail, Truth) { EXPECT_TRUE(std::string("a").empty()); }
TEST(MustFail, Falsehood) { EXPECT_FALSE(std::string().empty()); }
TEST(MustFail, Near) { EXPECT_NEAR(1.0, 1.5, 0.25); }
TEST(MustFail, NearNan) { EXPECT_NEAR(std::stod("nan"), 1.0, 0.25); }
TEST(MustFail, ThrowsNothing) { EXPECT_THROW(std::string("a").size(), std::logic_error); }
TEST(MustFail, ThrowsOther) { EXPECT_THROW(throw std::runtime_error("late"), std::logic_error); }
TEST(MustFail, ThrowsOtherText) {
  EXPECT_THROW_MESSAGE(throw std::runtime_error("late"), std::runtime_error, "early");
}
TEST(MustFail, OtherThread) {
  std::thread other([] { EXPECT_TRUE(false); });
  other.join();
}
TEST(MustFail, Nothing) {}
TEST(MustFail, Escapes) {
  EXPECT_TRUE(true);
  throw std::runtime_error("escaped");
}
TEST(MustFail, Abandons) {
  ASSERT_EQ(1, 2);
  throw std::runtime_error("went on");
}

}  // namespace
}  // namespace engine
