#include "engine/tasks/check_task.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <string>
#include <utility>

#include "engine/base/error.h"

namespace engine {
namespace {

std::vector<std::string> reserved_option_names;  // written once, by ReserveOptionNames

bool IsLetterOrDigit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool IsWord(std::string_view text, std::string_view more) {
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    return IsLetterOrDigit(c) || more.find(c) != std::string_view::npos;
  });
}

// [namespace/]name-v<number>, as in Gymnasium. An id has no colon, because a colon separates a
// module from an id.
bool IsTaskId(std::string_view id) {
  if (const std::size_t slash = id.find('/'); slash != std::string_view::npos) {
    if (!IsWord(id.substr(0, slash), "_-")) return false;
    id.remove_prefix(slash + 1);
  }
  const std::size_t version = id.rfind("-v");
  if (version == std::string_view::npos || !IsWord(id.substr(0, version), "_.-")) return false;
  const std::string_view number = id.substr(version + 2);
  return !number.empty() &&
         std::ranges::all_of(number, [](char c) { return c >= '0' && c <= '9'; });
}

bool IsIdentifier(std::string_view name) {
  return IsWord(name, "_") && !(name[0] >= '0' && name[0] <= '9');
}

[[noreturn]] void Refuse(const std::string& where, const std::string& what) {
  throw Error(ErrorKind::kPlugin, where + ": " + what);
}

bool HoldsNumbers(const ParamValue& value) {
  return std::holds_alternative<std::int64_t>(value) || std::holds_alternative<double>(value) ||
         std::holds_alternative<std::vector<std::int64_t>>(value) ||
         std::holds_alternative<std::vector<double>>(value) ||
         std::holds_alternative<NumberTable>(value);
}

void CheckOption(const ParamSpec& option, const std::string& where) {
  const ParamValue& value = option.default_value;
  if (std::holds_alternative<std::monostate>(value)) {
    Refuse(where, "expected a default value, whose type is the option's, got none");
  }
  if ((option.low || option.high) && !HoldsNumbers(value)) {
    Refuse(where, std::string("expected no bounds for a ") + TypeNameOf(value));
  }
  const double low = option.low.value_or(-HUGE_VAL);
  const double high = option.high.value_or(HUGE_VAL);
  if (!(low <= high)) {
    Refuse(where,
           "expected low <= high, got " + std::to_string(low) + " and " + std::to_string(high));
  }
  if (!option.choices.empty() && !std::holds_alternative<std::string>(value)) {
    Refuse(where, std::string("expected no choices for a ") + TypeNameOf(value));
  }
  const bool is_list = std::holds_alternative<std::vector<std::int64_t>>(value) ||
                       std::holds_alternative<std::vector<double>>(value);
  if (option.one_is_list && !is_list) {
    Refuse(where, std::string("expected one_is_list only for a list of numbers, got a ") +
                      TypeNameOf(value));
  }
}

void CheckSchema(const ParamSchema& schema, const std::vector<std::string>& reserved,
                 const std::string& what, const std::string& id) {
  for (std::size_t i = 0; i < schema.size(); ++i) {
    const ParamSpec& option = schema[i];
    const std::string where = id + " " + what + " \"" + option.name + "\"";
    if (!IsIdentifier(option.name)) {
      Refuse(where, "expected a name of letters, digits and _ that begins with no digit");
    }
    if (!option.fixed && std::ranges::find(reserved, option.name) != reserved.end()) {
      Refuse(where, "the name is reserved for an argument of `" +
                        std::string(what == "option" ? "make" : "reset") + "`");
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (schema[j].name == option.name) Refuse(where, "two options have this name");
    }
    CheckOption(option, where);
    // Checks the default like a value from the caller: type, range and choices.
    if (option.none == NonePolicy::kDefault || option.fixed) continue;
    try {
      const ParamValues checked({option}, {{option.name, option.default_value}},
                                "default of " + what, id);
    } catch (const Error& error) {
      throw Error(ErrorKind::kPlugin, error.what());
    }
  }
}

}  // namespace

void ReserveOptionNames(std::vector<std::string> names) {
  reserved_option_names = std::move(names);
}

void CheckTask(const TaskEntry& entry) {
  const std::string& id = entry.id;
  if (!IsTaskId(id)) {
    Refuse("task id \"" + id + "\"",
           "expected [namespace/]name-v<number>, of letters, digits, _, - and .");
  }
  if (entry.max_episode_steps < 0) {
    Refuse(id, "expected max_episode_steps >= 0 (0: no limit), got " +
                   std::to_string(entry.max_episode_steps));
  }
  if (entry.reward_threshold && std::isnan(*entry.reward_threshold)) {
    Refuse(id, "expected a number as reward_threshold, got NaN");
  }
  CheckSchema(entry.options, reserved_option_names, "option", id);
  CheckSchema(entry.reset_options, {"reset_mask"}, "reset option", id);
  std::string what;
  try {
    entry.spec(ParamValues(entry.options, {}, "option", id)).Validate(id);
    return;
  } catch (const std::exception& error) {
    what = error.what();
  } catch (...) {
    what = "an exception that is not a std::exception";
  }
  throw Error(ErrorKind::kPlugin, what.find(id) == std::string::npos ? id + ": " + what : what);
}

}  // namespace engine
