// Text in rows of observations.
#include "engine/env/rows.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "engine/base/error.h"
#include "engine/env/spec.h"
#include "tests/engine/harness.h"

namespace engine::testing {
namespace rows_test {

// Two rows of a text of at most four characters, filled with 7.
struct Rows {
  Rows() { memory.fill(7); }
  ObsRow Row(std::size_t row) { return {&column, row}; }
  std::string Text(std::size_t row) const {
    return {reinterpret_cast<const char*>(memory.data()) + 4 * row, 4};
  }

  std::array<std::uint8_t, 8> memory = {};
  Column column{.base = reinterpret_cast<std::byte*>(memory.data()), .row_bytes = 4};
};

TEST(Rows, ZerosFollowAText) {
  Rows rows;
  rows.Row(1).SetText(0, "ab");
  EXPECT_EQ(rows.Text(1), std::string("ab\0\0", 4));
  EXPECT_EQ(rows.Text(0), std::string(4, 7));
  rows.Row(1).SetText(0, "");
  EXPECT_EQ(rows.Text(1), std::string(4, 0));
  rows.Row(0).SetText(0, "abcd");
  EXPECT_EQ(rows.Text(0), "abcd");
}

TEST(Rows, ATextThatIsTooLongIsRefused) {
  Rows rows;
  std::string message;
  try {
    rows.Row(0).SetText(0, "abcde");
  } catch (const Error& error) {
    message = error.what();
  }
  EXPECT_EQ(message, "observation leaf 0: expected at most 4 characters, got 5");
  EXPECT_EQ(rows.Text(0), std::string(4, 7));
}

TEST(Rows, ATextIsNoAction) {
  EnvSpec spec;
  spec.observation = SpaceSpec::Text(4);
  spec.action = SpaceSpec::Text(4);
  std::string message;
  try {
    spec.Validate("Test-v0");
  } catch (const Error& error) {
    message = error.what();
  }
  EXPECT_EQ(message, "inconsistent spec: Test-v0: expected an action without text");
  spec.action = SpaceSpec::Discrete(2);
  spec.Validate("Test-v0");
}

}  // namespace rows_test
}  // namespace engine::testing
