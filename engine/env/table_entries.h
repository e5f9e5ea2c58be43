// The entries of a NumberTable whose values are more than a number or a list of numbers. Their name
// in the table has the form of the value:
//
//   {"friction": [1, 2]}                 "friction"            [1, 2]
//   {"friction": [[1, 2], [3, 4]]}       "friction(2, 2)"      [1, 2, 3, 4]
//   {"friction": {"floor": 1}}           "friction[floor]"     [1]
//   {"friction": {"floor": [[1, 2]]}}    "friction[floor](1, 2)"
//
// So equal values are equal tables, and whatever stores or passes options needs no other type.
// engine/bindings/option_arguments.h converts Python values. Pure functions; any thread.
#ifndef ENGINE_ENV_TABLE_ENTRIES_H_
#define ENGINE_ENV_TABLE_ENTRIES_H_

#include <cstddef>
#include <optional>
#include <string>

#include "engine/env/spec.h"

namespace engine {

struct TableEntry {
  std::string name;
  std::optional<std::string> key;  // that of the inner dict
  Shape shape;                     // of one dimension for a number and for a list of numbers
};

// Returns the entry's name in a table.
std::string NameInTable(const TableEntry& entry);

// Returns the entry with this name in a table, which has `size` numbers. A name of another form is
// that of an entry without a key.
TableEntry EntryOf(const std::string& name_in_table, std::size_t size);

// "(3, 4)", "(3,)".
std::string ShapeText(const Shape& shape);

}  // namespace engine

#endif  // ENGINE_ENV_TABLE_ENTRIES_H_
