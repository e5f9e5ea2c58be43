// A plug-in whose stamp the environment variable STAMP changes, as if it had been built for another
// envpool_py. test_stamp.py imports it.
#include <envpool.h>

#include <cstdlib>
#include <string_view>

namespace {

void AddNothing(engine::Registry&) {}

engine::PluginStamp Stamp() {
  engine::PluginStamp stamp = engine::kPluginStamp;
  const char* const other = std::getenv("STAMP");
  const std::string_view which = other == nullptr ? "" : other;
  if (which == "version") stamp.version = "0.0.9";
  if (which == "standard library") {
    stamp.standard_library = "libc++";
    stamp.compiler = "Clang 19.1.0";
  }
  if (which == "string ABI") stamp.string_abi = "before cxx11";
  if (which == "headers") stamp.headers = "0123456789abcdef";
  if (which == "layout") stamp.layout += 1;
  if (which == "fewer fields") stamp.bytes = 8;
  if (which == "more fields") stamp.bytes += 8;
  return stamp;
}

}  // namespace

// Registers like a module of the package, but with another stamp.
extern "C" __attribute__((visibility("default"))) void* PyInit_stamps() {
  const envpool_core* const core = engine::FindCore();
  if (core == nullptr) return nullptr;
  const engine::Plugin in_cpp{.add_tasks = &AddNothing, .stamp = Stamp()};
  envpool_plugin plugin = engine::DescribePlugin("stamps");
  plugin.exact = &in_cpp;
  plugin.needs_exact = 1;
  return core->add(&plugin) == 0 ? core->new_module("stamps") : nullptr;
}
