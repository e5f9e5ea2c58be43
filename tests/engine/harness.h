// The harness of the C++ tests: small, and without a dependency to install.
//
//   #include "tests/engine/harness.h"
//   TEST(Suite, Name) { EXPECT_EQ(Add(1, 2), 3) << "with extra words"; }
//
// Expectations may be used on any thread, and a failed one does not end the test. A test without
// expectations fails. A failed ASSERT_* ends the test by an exception: use it only on the thread
// that runs the test. A test must join the threads that it starts before it returns.
#ifndef ENGINE_TESTS_ENGINE_HARNESS_H_
#define ENGINE_TESTS_ENGINE_HARNESS_H_

#include <cmath>
#include <concepts>
#include <cstddef>
#include <exception>
#include <iomanip>
#include <limits>
#include <memory>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>

namespace engine::testing {

// Called by TEST before main; `file`, `suite` and `name` must outlive the program.
bool AddTest(const char* file, const char* suite, const char* name, void (*body)());
// Counts one expectation of the running test. Any thread.
void CountExpectation();
// Records one failure of the running test. Any thread.
void RecordFailure(const char* file, int line, const std::string& message);

// The type and message of the current exception. Call it only in a catch block.
std::string Caught();

// Thrown by a failed ASSERT_*, after the failure has been recorded.
struct Abandoned {};

template <class T>
concept Streamable = requires(std::ostream& out, const T& value) { out << value; };

template <class T>
concept Iterable = requires(const T& value) {
  value.begin();
  value.end();
};

template <class T>
concept WholeNumber = std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char> &&
                      !std::same_as<T, wchar_t> && !std::same_as<T, char8_t> &&
                      !std::same_as<T, char16_t> && !std::same_as<T, char32_t>;

template <class T>
void Print(std::ostream& out, const T& value) {
  if constexpr (std::same_as<T, bool>) {
    out << (value ? "true" : "false");
  } else if constexpr (WholeNumber<T>) {
    out << +value;  // int8_t and uint8_t as numbers
  } else if constexpr (std::floating_point<T>) {
    out << std::setprecision(std::numeric_limits<T>::max_digits10) << value;
  } else if constexpr (std::same_as<T, std::nullptr_t>) {
    out << "nullptr";
  } else if constexpr (std::is_enum_v<T>) {
    out << +static_cast<std::underlying_type_t<T>>(value);
  } else if constexpr (Streamable<T>) {
    out << value;
  } else if constexpr (Iterable<T>) {
    out << '{';
    const char* separator = "";
    for (const auto& item : value) {
      out << separator;
      Print(out, item);
      separator = ", ";
    }
    out << '}';
  } else {
    out << '<' << sizeof(T) << " bytes>";
  }
}

template <class T>
std::string Printed(const T& value) {
  std::ostringstream out;
  Print(out, value);
  return out.str();
}

// The relations. Integers compare by value, whatever their signedness.
struct Equal {
  static constexpr const char* kSign = "==";
  template <class A, class B>
  static bool Holds(const A& a, const B& b) {
    if constexpr (WholeNumber<A> && WholeNumber<B>) {
      return std::cmp_equal(a, b);
    } else {
      return a == b;
    }
  }
};
struct NotEqual {
  static constexpr const char* kSign = "!=";
  template <class A, class B>
  static bool Holds(const A& a, const B& b) {
    return !Equal::Holds(a, b);
  }
};
struct Less {
  static constexpr const char* kSign = "<";
  template <class A, class B>
  static bool Holds(const A& a, const B& b) {
    if constexpr (WholeNumber<A> && WholeNumber<B>) {
      return std::cmp_less(a, b);
    } else {
      return a < b;
    }
  }
};
struct LessEqual {
  static constexpr const char* kSign = "<=";
  template <class A, class B>
  static bool Holds(const A& a, const B& b) {
    if constexpr (WholeNumber<A> && WholeNumber<B>) {
      return std::cmp_less_equal(a, b);
    } else {
      return a <= b;
    }
  }
};

// The outcome of one expectation. `<<` adds text to a failure and does nothing otherwise. The
// failure is recorded at the end of the full expression.
class Outcome {
 public:
  Outcome(const char* file, int line, bool fatal) : file_(file), line_(line), fatal_(fatal) {
    CountExpectation();
  }
  Outcome(const Outcome&) = delete;
  Outcome& operator=(const Outcome&) = delete;
  // Throws Abandoned after a failed ASSERT_*.
  ~Outcome() noexcept(false) {
    if (message_ == nullptr) return;
    RecordFailure(file_, line_, message_->str());
    if (fatal_) throw Abandoned{};
  }

  template <class T>
  Outcome& operator<<(const T& words) {
    if (message_ != nullptr) Print(*message_ << (separated_ ? "" : "\n    "), words);
    separated_ = true;
    return *this;
  }

  Outcome& True(const char* text, bool value, bool expected) {
    if (value == expected) return *this;
    Fail() << "expected " << text << " to be " << Printed(expected);
    return *this;
  }

  template <class Relation, class A, class B>
  Outcome& Holds(const char* a_text, const char* b_text, const A& a, const B& b) {
    if (Relation::Holds(a, b)) return *this;
    Fail() << "expected " << a_text << ' ' << Relation::kSign << ' ' << b_text;
    *message_ << "\n    left:  " << Printed(a) << "\n    right: " << Printed(b);
    return *this;
  }

  Outcome& Near(const char* a_text, const char* b_text, double a, double b, double tolerance) {
    const double distance = std::fabs(a - b);
    if (distance <= tolerance) return *this;  // false for NaN
    Fail() << "expected " << a_text << " within " << Printed(tolerance) << " of " << b_text;
    *message_ << "\n    left:  " << Printed(a) << "\n    right: " << Printed(b)
              << "\n    apart: " << Printed(distance);
    return *this;
  }

  // Runs `body`, which must throw an Expected (or a derived type) whose what() contains `part`. For
  // types without what(), `part` is empty.
  template <class Expected, class Body>
  Outcome& Throws(const char* text, const char* type, const std::string& part, const Body& body) {
    try {
      body();
    } catch (const Expected& thrown) {
      if constexpr (std::derived_from<Expected, std::exception>) {
        if (std::string(thrown.what()).find(part) != std::string::npos) return *this;
        Fail() << "expected the " << type << " of " << text << " to say \"" << part << '"';
        *message_ << "\n    it says: " << thrown.what();
      }
      return *this;
    } catch (...) {
      Fail() << "expected " << text << " to throw " << type << "\n    it threw: " << Caught();
      return *this;
    }
    Fail() << "expected " << text << " to throw " << type << "; it threw nothing";
    return *this;
  }

 private:
  std::ostringstream& Fail() {
    message_ = std::make_unique<std::ostringstream>();
    return *message_;
  }

  const char* file_;
  int line_;
  bool fatal_;
  bool separated_ = false;
  std::unique_ptr<std::ostringstream> message_;  // null while the expectation holds
};

}  // namespace engine::testing

#define TEST(Suite, Name)                                                          \
  static void Suite##_##Name##_Body();                                             \
  [[maybe_unused]] static const bool Suite##_##Name##_added =                      \
      ::engine::testing::AddTest(__FILE__, #Suite, #Name, &Suite##_##Name##_Body); \
  static void Suite##_##Name##_Body()

#define HARNESS_OUTCOME(fatal) ::engine::testing::Outcome(__FILE__, __LINE__, fatal)
#define HARNESS_HOLDS(fatal, Relation, a, b) \
  HARNESS_OUTCOME(fatal).Holds<::engine::testing::Relation>(#a, #b, a, b)

#define EXPECT_TRUE(value) HARNESS_OUTCOME(false).True(#value, static_cast<bool>(value), true)
#define EXPECT_FALSE(value) HARNESS_OUTCOME(false).True(#value, static_cast<bool>(value), false)
#define EXPECT_EQ(a, b) HARNESS_HOLDS(false, Equal, a, b)
#define EXPECT_NE(a, b) HARNESS_HOLDS(false, NotEqual, a, b)
#define EXPECT_LT(a, b) HARNESS_HOLDS(false, Less, a, b)
#define EXPECT_LE(a, b) HARNESS_HOLDS(false, LessEqual, a, b)
#define EXPECT_GT(a, b) EXPECT_LT(b, a)
#define EXPECT_GE(a, b) EXPECT_LE(b, a)
#define EXPECT_NEAR(a, b, tolerance) HARNESS_OUTCOME(false).Near(#a, #b, a, b, tolerance)
#define EXPECT_THROW(expression, Type) EXPECT_THROW_MESSAGE(expression, Type, "")
#define EXPECT_THROW_MESSAGE(expression, Type, part)            \
  HARNESS_OUTCOME(false).Throws<Type>(#expression, #Type, part, \
                                      [&]() -> void { static_cast<void>(expression); })

#define ASSERT_TRUE(value) HARNESS_OUTCOME(true).True(#value, static_cast<bool>(value), true)
#define ASSERT_FALSE(value) HARNESS_OUTCOME(true).True(#value, static_cast<bool>(value), false)
#define ASSERT_EQ(a, b) HARNESS_HOLDS(true, Equal, a, b)

#endif  // ENGINE_TESTS_ENGINE_HARNESS_H_
