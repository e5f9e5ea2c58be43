#include "engine/env/params.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <sstream>
#include <string_view>
#include <utility>

#include "engine/base/error.h"

namespace engine {
namespace {

const ParamSpec* FindSpec(const ParamSchema& schema, const std::string& name) {
  for (const ParamSpec& spec : schema) {
    if (spec.name == name && !spec.fixed) return &spec;
  }
  return nullptr;
}

[[noreturn]] void UnknownName(const ParamSchema& schema, const std::string& name,
                              const std::string& what, const std::string& task_id) {
  std::vector<std::string> known;
  for (const ParamSpec& spec : schema) {
    if (!spec.fixed) known.push_back(spec.name);
  }
  std::ostringstream message;
  message << task_id << " has no " << what << " \"" << name << "\"";
  const std::string nearest = NearestName(name, known);
  if (!nearest.empty()) {
    message << "; did you mean \"" << nearest << "\"?";
  } else if (known.empty()) {
    message << "; it has none";
  } else {
    message << "; it takes:";
    for (const std::string& other : known) message << " " << other;
  }
  throw Error(ErrorKind::kOption, message.str());
}

// Converts the value to the schema's type. Throws Error{kOptionType} if it has another type.
ParamValue Convert(const ParamSpec& spec, const ParamValue& given, const std::string& where) {
  if (given.index() == spec.default_value.index()) return given;
  if (spec.or_name && std::holds_alternative<std::string>(given)) return given;
  if (spec.none != NonePolicy::kRefused && std::holds_alternative<std::monostate>(given))
    return given;
  if (std::holds_alternative<double>(spec.default_value)) {
    if (const auto* integer = std::get_if<std::int64_t>(&given))
      return static_cast<double>(*integer);
  }
  if (std::holds_alternative<std::vector<double>>(spec.default_value)) {
    if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&given)) {
      return std::vector<double>(integers->begin(), integers->end());
    }
  }
  // An empty list has no element from which to infer its type.
  if (std::holds_alternative<std::vector<std::int64_t>>(spec.default_value)) {
    if (const auto* floats = std::get_if<std::vector<double>>(&given); floats && floats->empty()) {
      return std::vector<std::int64_t>();
    }
  }
  throw Error(ErrorKind::kOptionType, where + ": expected " + ExpectedTypeOf(spec) + ", got " +
                                          TypeNameOf(given) + " " + ToString(given));
}

// Converts a single number to a list of one element.
ParamValue ListOfOne(const ParamValue& given) {
  if (const auto* integer = std::get_if<std::int64_t>(&given)) {
    return std::vector<std::int64_t>{*integer};
  }
  if (const auto* number = std::get_if<double>(&given)) return std::vector<double>{*number};
  return given;
}

std::string Number(double value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

void CheckRange(const ParamSpec& spec, const ParamValue& value, const std::string& where) {
  // `element` names the number inside the value.
  const auto check = [&](double number, const std::string& element = "") {
    const bool low_ok = !spec.low || number >= *spec.low;
    const bool high_ok = !spec.high || number <= *spec.high;
    if (low_ok && high_ok && !std::isnan(number)) return;
    std::string expected = "a number";
    if (spec.low && spec.high) {
      expected = "a value in [" + Number(*spec.low) + ", " + Number(*spec.high) + "]";
    } else if (spec.low) {
      expected = "a value >= " + Number(*spec.low);
    } else if (spec.high) {
      expected = "a value <= " + Number(*spec.high);
    }
    throw Error(ErrorKind::kOption,
                where + element + ": expected " + expected + ", got " + Number(number));
  };
  if (const auto* integer = std::get_if<std::int64_t>(&value)) check(static_cast<double>(*integer));
  if (const auto* number = std::get_if<double>(&value)) check(*number);
  if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&value)) {
    for (const std::int64_t element : *integers) check(static_cast<double>(element));
  }
  if (const auto* numbers = std::get_if<std::vector<double>>(&value)) {
    for (const double element : *numbers) check(element);
  }
  if (const auto* table = std::get_if<NumberTable>(&value)) {
    for (const auto& [name, elements] : *table) {
      for (std::size_t i = 0; i < elements.size(); ++i) {
        std::string element = "[" + name + "]";
        if (elements.size() > 1) element.append("[").append(std::to_string(i)).append("]");
        check(elements[i], element);
      }
    }
  }
}

void CheckChoice(const ParamSpec& spec, const ParamValue& value, const std::string& where) {
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr || spec.choices.empty()) return;
  if (std::find(spec.choices.begin(), spec.choices.end(), *text) != spec.choices.end()) return;
  std::string expected;
  for (const std::string& choice : spec.choices) {
    expected += (expected.empty() ? "\"" : ", \"") + choice + "\"";
  }
  std::string message = where + ": expected one of " + expected + ", got \"" + *text + "\"";
  const std::string nearest = NearestName(*text, spec.choices);
  if (!nearest.empty()) message += "; did you mean \"" + nearest + "\"?";
  throw Error(ErrorKind::kOption, message);
}

std::size_t EditDistance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      const auto lower = [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
      };
      const std::size_t substituted = diagonal + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      row[j] = std::min({above + 1, row[j - 1] + 1, substituted});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

const char* TypeNameOf(const ParamValue& value) {
  constexpr const char* kNames[] = {"bool",        "int",           "float",
                                    "str",         "list of int",   "list of float",
                                    "list of str", "dict of float", "None"};
  static_assert(std::size(kNames) == std::variant_size_v<ParamValue>);
  return kNames[value.index()];
}

std::string TypeOf(const ParamSpec& spec) {
  const std::string type = TypeNameOf(spec.default_value);
  return spec.none == NonePolicy::kRefused ? type : type + " or None";
}

std::string ExpectedTypeOf(const ParamSpec& spec) {
  const std::string type = TypeOf(spec);
  if (spec.or_name) return type + " or str";
  constexpr std::string_view kListOf = "list of ";
  return spec.one_is_list ? type.substr(kListOf.size()) + " or " + type : type;
}

std::string ToString(const ParamValue& value) {
  std::ostringstream text;
  const auto list = [&](const auto& values) {
    text << "[";
    for (std::size_t i = 0; i < values.size(); ++i) text << (i == 0 ? "" : ", ") << values[i];
    text << "]";
  };
  if (const auto* flag = std::get_if<bool>(&value)) text << (*flag ? "True" : "False");
  if (const auto* integer = std::get_if<std::int64_t>(&value)) text << *integer;
  if (const auto* number = std::get_if<double>(&value)) text << *number;
  if (const auto* string = std::get_if<std::string>(&value)) text << '"' << *string << '"';
  if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&value)) list(*integers);
  if (const auto* numbers = std::get_if<std::vector<double>>(&value)) list(*numbers);
  if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) {
    std::vector<std::string> quoted;
    for (const std::string& each : *texts) quoted.push_back('"' + each + '"');
    list(quoted);
  }
  if (std::holds_alternative<std::monostate>(value)) text << "None";
  if (const auto* table = std::get_if<NumberTable>(&value)) {
    text << "{";
    for (const char* separator = ""; const auto& [key, values] : *table) {
      text << std::exchange(separator, ", ") << key << ": ";
      list(values);
    }
    text << "}";
  }
  return text.str();
}

ParamValues::ParamValues(const ParamSchema& schema,
                         const std::vector<std::pair<std::string, ParamValue>>& given,
                         const std::string& what, const std::string& task_id) {
  for (const ParamSpec& spec : schema) values_.emplace_back(spec.name, spec.Default());
  std::vector<std::string> seen;
  for (const auto& [name, value] : given) {
    const ParamSpec* spec = FindSpec(schema, name);
    if (spec == nullptr) UnknownName(schema, name, what, task_id);
    const std::string where = task_id + " " + what + " \"" + name + "\"";
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) {
      throw Error(ErrorKind::kOption, where + ": given twice");
    }
    seen.push_back(name);
    const ParamValue converted =
        Convert(*spec, spec->one_is_list ? ListOfOne(value) : value, where);
    CheckRange(*spec, converted, where);
    CheckChoice(*spec, converted, where);
    values_[static_cast<std::size_t>(spec - schema.data())].second = converted;
  }
}

ParamValues ParamValues::With(const ParamSchema& schema,
                              const std::vector<std::pair<std::string, ParamValue>>& given,
                              const std::string& what, const std::string& task_id) const {
  const ParamValues checked(schema, given, what, task_id);
  ParamValues both = *this;
  for (const auto& entry : given) {
    const auto named = [&](const auto& value) { return value.first == entry.first; };
    std::ranges::find_if(both.values_, named)->second =
        std::ranges::find_if(checked.values_, named)->second;
  }
  return both;
}

const ParamValue& ParamValues::Find(const std::string& name) const {
  std::vector<std::string> names;
  for (const auto& entry : values_) {
    if (entry.first == name) return entry.second;
    names.push_back(entry.first);
  }
  const std::string nearest = NearestName(name, names);
  throw Error(ErrorKind::kInternal,
              "no option \"" + name + "\" in this environment's schema" +
                  (nearest.empty() ? "" : "; did you mean \"" + nearest + "\"?"));
}

void ParamValues::ThrowWrongType(const std::string& name, const char* asked) const {
  throw Error(ErrorKind::kInternal, "option \"" + name + "\": its value is of type " +
                                        TypeNameOf(Find(name)) + ", and it is read as " + asked);
}

std::string NearestName(const std::string& name, const std::vector<std::string>& candidates) {
  // At most a third of the letters may differ; beyond that it is not a misspelling.
  std::size_t best_distance = std::max<std::size_t>(name.size(), 3) / 3 + 1;
  std::string best;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = EditDistance(name, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace engine
