// PredictedClamp is bit-equal to Clamp for all arguments.
#include "engine/physics2d/geometry.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "tests/engine/harness.h"

namespace engine::physics2d::testing {
namespace geometry_test {

TEST(PredictedClamp, IsClamp) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float values[] = {0.0f,   -0.0f,   1.0f,      -1.0f,      1.5f,         -1.5f,
                          1e-40f, 3.0e38f, kInfinity, -kInfinity, std::nanf("")};
  for (const float value : values) {
    for (const float low : values) {
      for (const float high : values) {
        EXPECT_EQ(std::bit_cast<std::uint32_t>(PredictedClamp(value, low, high)),
                  std::bit_cast<std::uint32_t>(Clamp(value, low, high)));
      }
    }
  }
}

}  // namespace geometry_test
}  // namespace engine::physics2d::testing
