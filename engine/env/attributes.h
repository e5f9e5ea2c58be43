// Attributes of an environment: constants of its dynamics, rewards and resets that may be changed
// at any time, one by one, as attributes of Gymnasium's environments (`gravity` of CartPole).
//
//   class Ball {
//    public:
//     struct Constants {  // plain data, in Config
//       double gravity = 9.8;  // m/s^2
//       int bounces = 3;
//     };
//     static std::vector<AttributeSpec> Attributes(const Config& config) {
//       return Describe(kAttributes, config.constants);
//     }
//     void SetAttribute(std::size_t index, std::span<const double> value) {
//       constants_.Set(kAttributes[index], value);
//     }
//
//    private:
//     static constexpr Attribute<Constants> kAttributes[] = {
//         AttributeOf<&Constants::gravity>("gravity"),
//         AttributeOf<&Constants::bounces>("bounces", 0, 10)};
//     SharedAttributes<Constants> constants_;  // made from config.constants
//   };
//
// Every value is passed as one or more doubles, whatever its type: a bool as 0 or 1, a text as the
// index of a choice.
#ifndef ENGINE_ENV_ATTRIBUTES_H_
#define ENGINE_ENV_ATTRIBUTES_H_

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace engine {

// ENVPOOL_ATTRIBUTE_FLOAT, ... in abi_data.h are the same.
enum class AttributeType : std::uint8_t { kFloat, kInt, kBool, kText };

struct AttributeSpec {
  std::string name;
  AttributeType type = AttributeType::kFloat;
  std::uint32_t elements = 0;  // of a tuple; 0: the value is not a tuple
  double low = 0.0;            // of each element, inclusive
  double high = 0.0;
  std::vector<std::string> choices;  // only kText
  // The value that environments have until it is changed: one number, or one per element.
  std::vector<double> value;

  // The count of numbers of a value.
  std::size_t size() const { return elements == 0 ? 1 : elements; }
};

// Whether the attributes are equal but for their values.
bool HaveOneForm(const AttributeSpec& left, const AttributeSpec& right);

// Whether an environment may get the value: the number of elements, bounds, and whether they are
// whole where the type asks for it.
bool Accepts(const AttributeSpec& spec, std::span<const double> value);

// An attribute that is a member of the struct A. See AttributeOf.
template <class A>
struct Attribute {
  const char* name;
  AttributeType type;
  std::uint32_t elements;
  double low;
  double high;
  const char* const* choices;  // kText: `high` + 1 texts
  void (*get)(const A& from, double* value);
  void (*set)(A& in, const double* value);
};

namespace attributes_internal {

template <class M>
struct MemberOf;
template <class A, class T>
struct MemberOf<T A::*> {
  using Struct = A;
  using Type = T;
};

constexpr double kLargestInt = 9007199254740992.0;  // 2^53: a double has all integers up to it

template <class T>
constexpr double Lowest() {
  if constexpr (std::same_as<T, bool> || std::is_enum_v<T>) return 0.0;
  if constexpr (std::integral<T>) {
    return std::max(static_cast<double>(std::numeric_limits<T>::min()), -kLargestInt);
  }
  return -std::numeric_limits<double>::infinity();
}
template <class T>
constexpr double Highest() {
  if constexpr (std::same_as<T, bool>) return 1.0;
  if constexpr (std::integral<T>) {
    return std::min(static_cast<double>(std::numeric_limits<T>::max()), kLargestInt);
  }
  return std::numeric_limits<double>::infinity();
}

}  // namespace attributes_internal

// The attribute that is the member kMember of a struct: a double, an integer, a bool, or a struct
// or std::array of doubles, which is a tuple. `low` and `high` are inclusive. A is the struct, if
// the member is one of its base class.
template <auto kMember, class A = typename attributes_internal::MemberOf<decltype(kMember)>::Struct,
          class T = typename attributes_internal::MemberOf<decltype(kMember)>::Type>
constexpr Attribute<A> AttributeOf(const char* name, double low = attributes_internal::Lowest<T>(),
                                   double high = attributes_internal::Highest<T>()) {
  Attribute<A> made{.name = name,
                    .type = AttributeType::kFloat,
                    .elements = 0,
                    .low = low,
                    .high = high,
                    .choices = nullptr,
                    .get = nullptr,
                    .set = nullptr};
  if constexpr (std::is_class_v<T>) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % sizeof(double) == 0,
                  "a tuple is a struct of doubles");
    made.elements = sizeof(T) / sizeof(double);
    made.get = [](const A& from, double* value) {
      std::memcpy(value, &(from.*kMember), sizeof(T));
    };
    made.set = [](A& in, const double* value) {
      std::memcpy(static_cast<void*>(&(in.*kMember)), value, sizeof(T));
    };
  } else {
    if constexpr (std::same_as<T, bool>) {
      made.type = AttributeType::kBool;
    } else if constexpr (std::integral<T>) {
      made.type = AttributeType::kInt;
    }
    made.get = [](const A& from, double* value) { *value = static_cast<double>(from.*kMember); };
    made.set = [](A& in, const double* value) { in.*kMember = static_cast<T>(*value); };
  }
  return made;
}

// An attribute that is a text: the member is a bool or an enumeration with the index of the choice.
template <auto kMember, std::size_t kCount>
constexpr auto ChoiceOf(const char* name, const char* const (&choices)[kCount]) {
  auto made = AttributeOf<kMember>(name);
  made.type = AttributeType::kText;
  made.low = 0.0;
  made.high = static_cast<double>(kCount - 1);
  made.choices = choices;
  return made;
}

// Returns the attributes with the values of `from`.
template <class A>
std::vector<AttributeSpec> Describe(std::type_identity_t<std::span<const Attribute<A>>> attributes,
                                    const A& from) {
  std::vector<AttributeSpec> specs;
  for (const Attribute<A>& attribute : attributes) {
    AttributeSpec& spec = specs.emplace_back();
    spec.name = attribute.name;
    spec.type = attribute.type;
    spec.elements = attribute.elements;
    spec.low = attribute.low;
    spec.high = attribute.high;
    if (attribute.choices != nullptr) {
      spec.choices.assign(attribute.choices,
                          attribute.choices + static_cast<std::size_t>(attribute.high) + 1);
    }
    spec.value.resize(spec.size());
    attribute.get(from, spec.value.data());
  }
  return specs;
}

// The struct of constants of one environment: that of its Config, which all environments share,
// until an attribute is changed; then its own copy. If A has `void Update()`, it is called after
// every change, to compute what follows from the attributes.
template <class A>
class SharedAttributes {
 public:
  // `shared` outlives this object.
  explicit SharedAttributes(const A& shared) : values_(&shared) {}
  SharedAttributes(const SharedAttributes& other)
      : values_(other.values_),
        own_(other.own_ == nullptr ? nullptr : std::make_unique<A>(*other.own_)) {
    if (own_ != nullptr) values_ = own_.get();
  }
  SharedAttributes& operator=(const SharedAttributes&) = delete;

  const A* operator->() const { return values_; }
  const A& operator*() const { return *values_; }

  void Set(const Attribute<A>& attribute, std::span<const double> value) {
    // An equal value needs no copy.
    std::vector<double> before(value.size());
    attribute.get(*values_, before.data());
    if (std::memcmp(before.data(), value.data(), value.size_bytes()) == 0) return;
    if (own_ == nullptr) {
      own_ = std::make_unique<A>(*values_);
      values_ = own_.get();
    }
    attribute.set(*own_, value.data());
    if constexpr (requires { own_->Update(); }) own_->Update();
  }

 private:
  const A* values_;
  std::unique_ptr<A> own_;
};

}  // namespace engine

#endif  // ENGINE_ENV_ATTRIBUTES_H_
