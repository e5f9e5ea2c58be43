#include "engine/tasks/plugin_stamp.h"

#include <string_view>

namespace engine {
namespace {

std::string Different(const std::string& built_for, const std::string& installed) {
  return "built for " + built_for + ", " + installed + " is installed: build it again";
}

}  // namespace

std::string MismatchOf(const PluginStamp& stamp) {
  const PluginStamp& own = kPluginStamp;
  const auto differs = [](const char* a, const char* b) { return std::string_view(a) != b; };
  // A module that was built for a later version may have more fields, which are not read.
  if (stamp.bytes < own.bytes) {
    return Different("another version of envpool_py", std::string("envpool_py ") + own.version);
  }
  if (differs(stamp.version, own.version)) {
    return Different(std::string("envpool_py ") + stamp.version, own.version);
  }
  const auto compiled = [](const PluginStamp& by, const std::string& with) {
    return with + " by " + by.compiler;
  };
  if (differs(stamp.standard_library, own.standard_library)) {
    return "compiled with " + compiled(stamp, stamp.standard_library) + ", and envpool_py with " +
           compiled(own, own.standard_library) + ": build it with " + own.standard_library;
  }
  if (differs(stamp.string_abi, own.string_abi)) {
    const auto strings = [&](const PluginStamp& by) {
      return compiled(by, "the string ABI \"" + std::string(by.string_abi) + "\"");
    };
    return "compiled with " + strings(stamp) + ", and envpool_py with " + strings(own) +
           ": build it with the flags of `python -m envpool_py --cflags`";
  }
  if (differs(stamp.headers, own.headers)) {
    return Different(
        std::string("other headers of envpool_py ") + stamp.version + " (" + stamp.headers + ")",
        std::string("a build with the headers ") + own.headers);
  }
  if (stamp.layout != own.layout) {
    return "compiled by " + std::string(stamp.compiler) +
           " with options that change the layout of C++ types, and envpool_py by " + own.compiler +
           ": build it with the flags of `python -m envpool_py --cflags`";
  }
  return "";
}

}  // namespace engine
