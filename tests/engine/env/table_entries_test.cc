// The names of entries in a NumberTable, to and fro.
#include "engine/env/table_entries.h"

#include <string>

#include "tests/engine/harness.h"

namespace engine::table_entries_test {
namespace {

void ExpectBothWays(const TableEntry& entry, const std::string& name, std::size_t size) {
  EXPECT_EQ(NameInTable(entry), name);
  const TableEntry read = EntryOf(name, size);
  EXPECT_EQ(read.name, entry.name);
  EXPECT_TRUE(read.key == entry.key) << name;
  EXPECT_TRUE(read.shape == entry.shape) << name;
}

TEST(TableEntries, BothWays) {
  ExpectBothWays({.name = "mass", .key = {}, .shape = {3}}, "mass", 3);
  ExpectBothWays({.name = "mass", .key = {}, .shape = {0}}, "mass", 0);
  ExpectBothWays({.name = "friction", .key = {}, .shape = {2, 3}}, "friction(2, 3)", 6);
  ExpectBothWays({.name = "mass", .key = "torso", .shape = {1}}, "mass[torso]", 1);
  ExpectBothWays({.name = "rows", .key = "floor", .shape = {1, 2, 3}}, "rows[floor](1, 2, 3)", 6);
  ExpectBothWays({.name = "mass", .key = "a]b[(2, 3)", .shape = {1}}, "mass[a]b[(2, 3)]", 1);
  ExpectBothWays({.name = "mass", .key = "", .shape = {1}}, "mass[]", 1);
}

TEST(TableEntries, OtherNamesAreNames) {
  for (const char* const name : {"", ")", "(", "a)", "(2)", "a(2)", "a(2,3)", "a(x, y)", "a()",
                                 "a]", "a(2, 99999999999999999999)"}) {
    const TableEntry entry = EntryOf(name, 4);
    EXPECT_EQ(entry.name, std::string(name));
    EXPECT_TRUE(!entry.key);
    EXPECT_TRUE(entry.shape == Shape{4}) << name;
  }
}

TEST(TableEntries, Shapes) {
  EXPECT_EQ(ShapeText({3}), std::string("(3,)"));
  EXPECT_EQ(ShapeText({3, 4}), std::string("(3, 4)"));
  EXPECT_EQ(ShapeText({}), std::string("()"));
}

}  // namespace
}  // namespace engine::table_entries_test
