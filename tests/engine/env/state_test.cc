// Writing and reading states: the values that are read back, and bytes that are too short or too
// long.
#include "engine/env/state.h"

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/env/params.h"
#include "engine/group/state_bytes.h"
#include "tests/engine/harness.h"

namespace engine::testing {
namespace state_test {

struct Pair {
  std::int32_t left;
  std::int32_t right;
};

TEST(State, ComesBackInOrder) {
  std::string bytes;
  StateWriter writer(bytes);
  const std::vector<double> values = {1.5, -2.5, 0.0};
  writer.Put(std::int64_t{-7});
  writer.Put(true);
  writer.Put(Pair{3, 4});
  writer.PutAll(std::span(values));
  writer.PutAll(std::span<const double>());
  writer.PutText("two\nlines");
  StateReader reader(bytes);
  EXPECT_EQ(reader.Get<std::int64_t>(), -7);
  EXPECT_TRUE(reader.Get<bool>());
  EXPECT_EQ(reader.Get<Pair>().right, 4);
  double some[3] = {};
  reader.GetAll(std::span(some));
  EXPECT_EQ(some[1], -2.5);
  EXPECT_TRUE(reader.GetVector<double>().empty());
  EXPECT_EQ(reader.GetText(), "two\nlines");
  EXPECT_EQ(reader.left(), 0U);
  reader.ExpectEnd();
}

TEST(State, RefusesOtherLengths) {
  std::string bytes;
  StateWriter writer(bytes);
  const std::vector<std::int32_t> values = {1, 2};
  writer.PutAll(std::span(values));
  std::int32_t three[3] = {};
  EXPECT_THROW_MESSAGE(StateReader(bytes).GetAll(std::span(three)), Error,
                       "an array of 2 elements, and Load expects 3");
  EXPECT_THROW_MESSAGE(StateReader(bytes).ExpectEnd(), Error, "16 bytes more");
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THROW_MESSAGE(
        StateReader(std::string_view(bytes).substr(0, size)).GetVector<std::int32_t>(), Error,
        "ends too early");
  }
  // A count that would require all memory.
  std::string huge;
  StateWriter(huge).Put(UINT64_MAX);
  EXPECT_THROW_MESSAGE(StateReader(huge).GetVector<std::int64_t>(), Error, "ends too early");
}

TEST(State, ReaderNamesValuesThatSaveDoesNotWrite) {
  std::string bytes;
  StateWriter writer(bytes);
  writer.Put(std::int32_t{7});
  writer.Put(std::numeric_limits<double>::quiet_NaN());
  std::int32_t row = 1;
  EXPECT_THROW_MESSAGE(StateReader(bytes).GetWithin("the row", row, 0, 6), Error,
                       "the state has the row 7, and Load expects 0 to 6");
  EXPECT_EQ(row, 1);
  StateReader reader(bytes);
  reader.GetWithin("the row", row, 0, 7);
  EXPECT_EQ(row, 7);
  double speed = 0.0;
  EXPECT_THROW_MESSAGE(reader.GetWithin("the speed", speed, -1.0, 1.0), Error,
                       "the state has the speed nan");
  EXPECT_THROW_MESSAGE(ExpectState(false, "a list"), Error,
                       "the state has a list that Save does not write");
}

TEST(State, HeaderNamesTheDifference) {
  const ParamSchema schema = {
      {.name = "size", .default_value = std::int64_t{4}},
      {.name = "map", .default_value = std::string("a\nb")},
      {.name = "rate", .default_value = 0.1},
  };
  const ParamValues values(schema, {}, "option", "T-v0");
  const ParamValues others(schema, {{"rate", 0.1000000000000001}}, "option", "T-v0");
  const StateKey key("T-v0", values, 2);
  const std::string bytes = WrapState(key, "content");
  EXPECT_EQ(std::string(UnwrapState(key, bytes, "s")), "content");
  EXPECT_EQ(std::string(UnwrapState(key, WrapState(key, ""), "s")), "");
  EXPECT_THROW_MESSAGE(UnwrapState(StateKey("U-v0", values, 2), bytes, "s"), Error,
                       "s: expected a state of U-v0, got one of T-v0");
  EXPECT_THROW_MESSAGE(
      UnwrapState(StateKey("T-v0", values, 3), bytes, "s"), Error,
      "version 3 of the environment's class (kStateVersion), got one of version 2");
  EXPECT_THROW_MESSAGE(UnwrapState(StateKey("T-v0", others, 2), bytes, "s"), Error,
                       "the option rate=0.1000000000000001, got one with rate=0.1");
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW(UnwrapState(key, std::string_view(bytes).substr(0, size), "s"), Error);
}

}  // namespace state_test
}  // namespace engine::testing
