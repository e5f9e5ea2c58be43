// The harness and the main() of every C++ test executable.
//
//   some_test [--file FILE] [--filter PART] [--list]
//
// Runs the tests whose source file's path ends with FILE and whose "Suite.Name" contains PART, and
// prints one line for each. Exits with 0 if all passed, 1 if one failed, 2 on a wrong command line.
#include "tests/engine/harness.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string_view>
#include <vector>

namespace engine::testing {
namespace {

struct Test {
  std::string_view file;
  std::string name;  // "Suite.Name"
  void (*body)();
};

std::vector<Test>& Tests() {
  static std::vector<Test> tests;
  return tests;
}

// State of the running test. The test joins its threads before it returns, so no thread accesses
// the state when the next test resets it.
struct Running {
  std::atomic<long long> expectations{0};
  std::mutex mutex;
  std::vector<std::string> failures;  // guarded by mutex
};

Running& Current() {
  static Running running;
  return running;
}

void Record(std::string failure) {
  const std::lock_guard lock(Current().mutex);
  Current().failures.push_back(std::move(failure));
}

bool Run(const Test& test) {
  // Prints the name first, so that it is the last line after a crash or a hang.
  std::printf("%s ... ", test.name.c_str());
  std::fflush(stdout);
  Current().expectations.store(0, std::memory_order_relaxed);
  Current().failures.clear();
  const auto start = std::chrono::steady_clock::now();
  try {
    test.body();
  } catch (const Abandoned&) {
    // ~Outcome() has recorded the failure.
  } catch (...) {
    Record("the test threw: " + Caught());
  }
  const long long expectations = Current().expectations.load(std::memory_order_relaxed);
  if (expectations == 0) Record("the test expects nothing");
  const auto spent = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - start);
  const std::vector<std::string>& failures = Current().failures;
  std::printf("%s (%lld expectations, %lld ms)\n", failures.empty() ? "ok" : "FAILED", expectations,
              static_cast<long long>(spent.count()));
  constexpr std::size_t kShown = 20;
  for (std::size_t i = 0; i < failures.size() && i < kShown; ++i) {
    std::printf("  %s\n", failures[i].c_str());
  }
  if (failures.size() > kShown) std::printf("  and %zu more\n", failures.size() - kShown);
  std::fflush(stdout);
  return failures.empty();
}

}  // namespace

bool AddTest(const char* file, const char* suite, const char* name, void (*body)()) {
  Tests().push_back({file, std::string(suite) + "." + name, body});
  return true;
}

void CountExpectation() { Current().expectations.fetch_add(1, std::memory_order_relaxed); }

void RecordFailure(const char* file, int line, const std::string& message) {
  Record(std::string(file) + ":" + std::to_string(line) + ": " + message);
}

std::string Caught() {
  try {
    throw;
  } catch (const std::exception& thrown) {
    return thrown.what();
  } catch (...) {
    return "something that is no std::exception";
  }
}

int Main(int argc, char** argv) {
  std::string file, filter;
  bool list = false;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--file") == 0 && i + 1 < argc) {
      file = argv[++i];
    } else if (std::strcmp(argv[i], "--filter") == 0 && i + 1 < argc) {
      filter = argv[++i];
    } else if (std::strcmp(argv[i], "--list") == 0) {
      list = true;
    } else {
      std::fprintf(stderr, "usage: %s [--file FILE] [--filter PART] [--list]\n", argv[0]);
      return 2;
    }
  }
  std::size_t ran = 0;
  std::vector<std::string> failed;
  for (const Test& test : Tests()) {
    if (!test.file.ends_with(file) || test.name.find(filter) == std::string::npos) continue;
    ++ran;
    if (list) {
      std::printf("%s\n", test.name.c_str());
    } else if (!Run(test)) {
      failed.push_back(test.name);
    }
  }
  if (list) return 0;
  std::printf("%zu tests, %zu failed\n", ran, failed.size());
  for (const std::string& name : failed) std::printf("  failed: %s\n", name.c_str());
  if (ran == 0)
    std::fprintf(stderr, "no test of a file '%s' matches '%s'\n", file.c_str(), filter.c_str());
  return ran > 0 && failed.empty() ? 0 : 1;
}

}  // namespace engine::testing

int main(int argc, char** argv) { return engine::testing::Main(argc, argv); }
