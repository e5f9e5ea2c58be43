// Named, typed, defaulted and validated options of an environment's constructor and of a reset. A
// schema is data; a ParamValues holds one checked value for every entry of its schema. Immutable
// once built.
#ifndef ENGINE_ENV_PARAMS_H_
#define ENGINE_ENV_PARAMS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace engine {

// Numbers by name, one or more each: {"distance": 4, "lookat": [0, 0, 1]}.
using NumberTable = std::map<std::string, std::vector<double>>;

// bool comes first, so that a Python bool is not taken for an integer. std::monostate is None.
using ParamValue =
    std::variant<bool, std::int64_t, double, std::string, std::vector<std::int64_t>,
                 std::vector<double>, std::vector<std::string>, NumberTable, std::monostate>;

// The types of options: the alternatives of ParamValue except None.
template <class T, class Value = ParamValue>
inline constexpr bool kIsParamType = false;
template <class T, class... Types>
inline constexpr bool kIsParamType<T, std::variant<Types...>> =
    (std::is_same_v<T, Types> || ...) && !std::is_same_v<T, std::monostate>;

// "bool", "int", "float", "str", "list of int", "list of float", "list of str", "dict of float",
// "None".
const char* TypeNameOf(const ParamValue& value);
std::string ToString(const ParamValue& value);

// Whether None may be given for an option: kRefused: no; kAccepted: yes; kDefault: yes, and None is
// the default.
enum class NonePolicy : std::uint8_t { kRefused, kAccepted, kDefault };

struct ParamSpec {
  std::string name;
  ParamValue default_value;               // its alternative is the option's type
  std::string doc = {};                   // one line: meaning and unit
  std::optional<double> low = {};         // inclusive; numbers only
  std::optional<double> high = {};        // inclusive; numbers only
  std::vector<std::string> choices = {};  // str only; empty: any
  bool one_is_list = false;               // lists only: a single element is accepted
  bool or_name = false;                   // int only: a str is accepted too
  bool fixed = false;  // the id determines it; users do not see it and cannot set it
  NonePolicy none = NonePolicy::kRefused;  // kDefault: default_value only defines the type

  ParamValue Default() const {
    return none == NonePolicy::kDefault ? ParamValue(std::monostate()) : default_value;
  }
};

using ParamSchema = std::vector<ParamSpec>;

// The option's own type: "int", "list of str or None".
std::string TypeOf(const ParamSpec& spec);
// The type of accepted values: "int", "list of int", "int or list of int".
std::string ExpectedTypeOf(const ParamSpec& spec);

class ParamValues {
 public:
  // Defaults overridden by `given`. An int is accepted for a float option (a bool is not), and a
  // single element for a list if the option allows it. `what` names the kind of option in messages
  // ("option" or "reset option"), `task_id` the environment. Throws Error{kOption} for an unknown
  // name (with the nearest known one), a value out of range or given twice, or NaN;
  // Error{kOptionType} for a wrong type.
  ParamValues(const ParamSchema& schema,
              const std::vector<std::pair<std::string, ParamValue>>& given, const std::string& what,
              const std::string& task_id);
  // Values that have been checked already.
  explicit ParamValues(std::vector<std::pair<std::string, ParamValue>> checked)
      : values_(std::move(checked)) {}

  // These values, overridden by `given`, which is checked as above.
  ParamValues With(const ParamSchema& schema,
                   const std::vector<std::pair<std::string, ParamValue>>& given,
                   const std::string& what, const std::string& task_id) const;

  // For an option whose value may have another type than its default (or_name, none).
  template <class T>
  bool Holds(const std::string& name) const {
    return std::holds_alternative<T>(Find(name));
  }
  // Throws Error{kInternal} if the schema has no such option of that type.
  template <class T>
  const T& Get(const std::string& name) const {
    static_assert(kIsParamType<T>,
                  "an option is read as the type of its default value: bool, std::int64_t, double, "
                  "std::string, std::vector of one of the last three, or engine::NumberTable");
    if constexpr (kIsParamType<T>) {
      const T* value = std::get_if<T>(&Find(name));
      if (value == nullptr) ThrowWrongType(name, TypeNameOf(T()));
      return *value;
    } else {
      ThrowWrongType(name, "another type");
    }
  }

  // All values, in the order of the schema.
  const std::vector<std::pair<std::string, ParamValue>>& all() const { return values_; }

 private:
  const ParamValue& Find(const std::string& name) const;
  [[noreturn]] void ThrowWrongType(const std::string& name, const char* asked) const;

  std::vector<std::pair<std::string, ParamValue>> values_;
};

// The candidate with the smallest edit distance to `name`, if the distance is plausible for a
// misspelling; otherwise "".
std::string NearestName(const std::string& name, const std::vector<std::string>& candidates);

}  // namespace engine

#endif  // ENGINE_ENV_PARAMS_H_
