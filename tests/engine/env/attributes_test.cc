// Attributes of a struct of constants: their description, and copies of the struct.
#include "engine/env/attributes.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "tests/engine/harness.h"

namespace engine::testing {
namespace attributes_test {

struct Base {
  int frames = 4;
};
struct Constants : Base {
  double gravity = 9.8;
  double half = 4.9;  // follows from gravity
  bool wind = false;
  bool is_slow = true;
  std::array<double, 2> range = {-1.0, 1.0};

  void Update() { half = gravity / 2.0; }
};

constexpr const char* kPaces[] = {"fast", "slow"};
constexpr Attribute<Constants> kAttributes[] = {
    AttributeOf<&Constants::gravity>("gravity", 0.0),
    AttributeOf<&Constants::frames, Constants>("frames", 1, 10),
    AttributeOf<&Constants::wind>("wind"),
    ChoiceOf<&Constants::is_slow>("pace", kPaces),
    AttributeOf<&Constants::range>("range"),
};
enum Index : std::size_t { kGravity, kFrames, kWind, kPace, kRange };

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Attributes, AreDescribed) {
  Constants constants;
  constants.gravity = 3.0;
  const std::vector<AttributeSpec> specs = Describe(kAttributes, constants);
  ASSERT_EQ(specs.size(), std::size_t{5});
  EXPECT_EQ(specs[kGravity].name, "gravity");
  EXPECT_TRUE(specs[kGravity].type == AttributeType::kFloat);
  EXPECT_EQ(specs[kGravity].elements, 0U);
  EXPECT_EQ(specs[kGravity].high, kInfinity);
  EXPECT_TRUE(specs[kGravity].value == std::vector<double>{3.0});
  EXPECT_TRUE(specs[kFrames].type == AttributeType::kInt);
  EXPECT_TRUE(specs[kFrames].value == std::vector<double>{4.0});
  EXPECT_TRUE(specs[kWind].type == AttributeType::kBool);
  EXPECT_EQ(specs[kWind].high, 1.0);
  EXPECT_TRUE(specs[kPace].type == AttributeType::kText);
  EXPECT_TRUE((specs[kPace].choices == std::vector<std::string>{"fast", "slow"}));
  EXPECT_TRUE(specs[kPace].value == std::vector<double>{1.0});
  EXPECT_EQ(specs[kRange].elements, 2U);
  EXPECT_TRUE((specs[kRange].value == std::vector<double>{-1.0, 1.0}));
}

TEST(Attributes, AcceptWhatTheirTypeHas) {
  const std::vector<AttributeSpec> specs = Describe(kAttributes, Constants());
  const auto accepts = [&](Index index, const std::vector<double>& value) {
    return Accepts(specs[index], value);
  };
  EXPECT_TRUE(accepts(kGravity, {0.0}));
  EXPECT_TRUE(accepts(kGravity, {kInfinity}));
  EXPECT_FALSE(accepts(kGravity, {-1e-300}));
  EXPECT_FALSE(accepts(kGravity, {kNan}));
  EXPECT_FALSE(accepts(kGravity, {1.0, 1.0}));
  EXPECT_FALSE(accepts(kGravity, {}));
  EXPECT_TRUE(accepts(kFrames, {10.0}));
  EXPECT_FALSE(accepts(kFrames, {10.5}));
  EXPECT_FALSE(accepts(kFrames, {2.5}));
  EXPECT_FALSE(accepts(kFrames, {11.0}));
  EXPECT_TRUE(accepts(kWind, {1.0}));
  EXPECT_FALSE(accepts(kWind, {0.5}));
  EXPECT_TRUE(accepts(kPace, {0.0}));
  EXPECT_FALSE(accepts(kPace, {2.0}));
  EXPECT_TRUE(accepts(kRange, {-kInfinity, 5.0}));
  EXPECT_FALSE(accepts(kRange, {1.0}));
  EXPECT_FALSE(accepts(kRange, {1.0, kNan}));
}

TEST(SharedAttributes, CopyTheConstantsAtTheFirstChange) {
  const Constants shared;
  SharedAttributes<Constants> first(shared);
  const SharedAttributes<Constants> second(shared);
  EXPECT_EQ(&*first, &shared);

  first.Set(kAttributes[kGravity], std::array{9.8});  // no change
  EXPECT_EQ(&*first, &shared);

  first.Set(kAttributes[kGravity], std::array{2.0});
  EXPECT_NE(&*first, &shared);
  EXPECT_EQ(first->gravity, 2.0);
  EXPECT_EQ(first->half, 1.0);  // by Update()
  EXPECT_EQ(first->frames, 4);
  EXPECT_EQ(shared.gravity, 9.8);
  EXPECT_EQ(&*second, &shared);

  const Constants* const own = &*first;
  first.Set(kAttributes[kFrames], std::array{7.0});
  first.Set(kAttributes[kWind], std::array{1.0});
  first.Set(kAttributes[kPace], std::array{0.0});
  first.Set(kAttributes[kRange], std::array{-2.0, 3.0});
  EXPECT_EQ(&*first, own);
  EXPECT_EQ(first->gravity, 2.0);
  EXPECT_EQ(first->frames, 7);
  EXPECT_TRUE(first->wind);
  EXPECT_FALSE(first->is_slow);
  EXPECT_TRUE((first->range == std::array{-2.0, 3.0}));
}

TEST(SharedAttributes, KeepTheSignOfZero) {
  Constants shared;
  shared.gravity = 0.0;
  SharedAttributes<Constants> own(shared);
  own.Set(kAttributes[kGravity], std::array{-0.0});
  EXPECT_EQ(1.0 / own->gravity, -kInfinity);
}

TEST(SharedAttributes, ACopyHasValuesOfItsOwn) {
  const Constants shared;
  SharedAttributes<Constants> first(shared);
  SharedAttributes<Constants> early(first);
  EXPECT_TRUE(&*early == &shared);
  const double moon[] = {1.6};
  first.Set(kAttributes[kGravity], moon);
  SharedAttributes<Constants> late(first);
  EXPECT_EQ(late->gravity, 1.6);
  EXPECT_FALSE(&*late == &*first);
  const double mars[] = {3.7};
  first.Set(kAttributes[kGravity], mars);
  EXPECT_EQ(late->half, 0.8);
  EXPECT_EQ(early->gravity, 9.8);
}

TEST(SharedAttributes, TakeTwoWords) {
  EXPECT_EQ(sizeof(SharedAttributes<Constants>), 2 * sizeof(void*));
}

}  // namespace attributes_test
}  // namespace engine::testing
