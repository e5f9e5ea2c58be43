// See the header.
#include "engine/env/table_entries.h"

#include <charconv>
#include <cstdint>
#include <string_view>
#include <system_error>

namespace engine {
namespace {

// Reads "2, 3". Returns an empty shape if the text has another form.
Shape ReadShape(std::string_view text) {
  Shape shape;
  for (const char* next = text.data(); next != text.data() + text.size();) {
    std::int64_t size = 0;
    const auto [end, error] = std::from_chars(next, text.data() + text.size(), size);
    if (error != std::errc()) return {};
    shape.push_back(size);
    next = end;
    if (next == text.data() + text.size()) break;
    if (std::string_view(next, text.data() + text.size()).substr(0, 2) != ", ") return {};
    next += 2;
  }
  return shape;
}

}  // namespace

std::string ShapeText(const Shape& shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(shape[i]);
  }
  return text + (shape.size() == 1 ? ",)" : ")");
}

std::string NameInTable(const TableEntry& entry) {
  std::string name = entry.name;
  if (entry.key) name += "[" + *entry.key + "]";
  if (entry.shape.size() > 1) name += ShapeText(entry.shape);
  return name;
}

TableEntry EntryOf(const std::string& name_in_table, std::size_t size) {
  TableEntry entry{.name = name_in_table, .key = {}, .shape = {static_cast<std::int64_t>(size)}};
  if (entry.name.ends_with(')')) {
    const std::size_t open = entry.name.rfind('(');
    if (open != std::string::npos) {
      const Shape shape =
          ReadShape(std::string_view(entry.name).substr(open + 1, entry.name.size() - open - 2));
      if (shape.size() > 1) {
        entry.shape = shape;
        entry.name.resize(open);
      }
    }
  }
  const std::size_t bracket = entry.name.find('[');
  if (entry.name.ends_with(']') && bracket != std::string::npos) {
    entry.key = entry.name.substr(bracket + 1, entry.name.size() - bracket - 2);
    entry.name.resize(bracket);
  }
  return entry;
}

}  // namespace engine
