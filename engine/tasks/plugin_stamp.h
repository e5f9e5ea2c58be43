// The properties that an extension module and the core must have in common, because they exchange
// C++ objects. The core compares the stamp of a module with its own before any other use of the
// module. Immutable; any thread.
#ifndef ENGINE_TASKS_PLUGIN_STAMP_H_
#define ENGINE_TASKS_PLUGIN_STAMP_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/error.h"
#include "engine/c_interface/build_stamp.h"
#include "engine/group/env_group.h"
#include "engine/tasks/registry.h"

namespace engine {

// Plain C data without padding, so that every compiler lays it out in the same way. New fields are
// added only at the end.
struct PluginStamp {
  std::uint64_t bytes;           // of this struct
  const char* version;           // "0.2.0"
  const char* compiler;          // "GCC 12.2.0": only for messages
  const char* standard_library;  // "libstdc++"
  const char* string_abi;        // of std::string: "cxx11"
  const char* headers;           // ENVPOOL_HEADERS
  std::uint64_t layout;          // of the types that the core and modules exchange
};

namespace stamp_internal {

#define ENVPOOL_STAMP_TEXT_OF(value) #value
#define ENVPOOL_STAMP_TEXT(value) ENVPOOL_STAMP_TEXT_OF(value)
#if defined(__clang__)
inline constexpr const char* kCompiler = "Clang " __clang_version__;
#else
inline constexpr const char* kCompiler = "GCC " __VERSION__;
#endif
#if defined(_LIBCPP_VERSION)
inline constexpr const char* kStandardLibrary = "libc++";
inline constexpr const char* kStringAbi = ENVPOOL_STAMP_TEXT(_LIBCPP_ABI_NAMESPACE);
#else
inline constexpr const char* kStandardLibrary = "libstdc++";
#if _GLIBCXX_USE_CXX11_ABI
inline constexpr const char* kStringAbi = "cxx11";
#else
inline constexpr const char* kStringAbi = "before cxx11";
#endif
#endif
#undef ENVPOOL_STAMP_TEXT
#undef ENVPOOL_STAMP_TEXT_OF

constexpr bool Same(const char* a, const char* b) { return std::string_view(a) == b; }
// Plug-ins link libenvpool_py.a, whose functions take strings and vectors.
static_assert(Same(kStandardLibrary, ENVPOOL_STANDARD_LIBRARY),
              "compile with the standard library that the installed envpool_py was built "
              "with: " ENVPOOL_STANDARD_LIBRARY);
static_assert(Same(kStringAbi, ENVPOOL_STRING_ABI),
              "compile with the string ABI that the installed envpool_py was built with, by the "
              "flags of `python -m envpool_py --cflags`: " ENVPOOL_STRING_ABI);
#ifdef _GLIBCXX_DEBUG
#error "_GLIBCXX_DEBUG changes the layout of containers that a plug-in and envpool_py exchange"
#endif

// FNV-1a over the size and the alignment of each type.
template <class... Types>
constexpr std::uint64_t LayoutOf() {
  std::uint64_t hash = 0xcbf29ce484222325U;
  const auto absorb = [&](std::size_t value) { hash = (hash ^ value) * 0x100000001b3U; };
  (
      [&] {
        absorb(sizeof(Types));
        absorb(alignof(Types));
      }(),
      ...);
  return hash;
}

}  // namespace stamp_internal

inline constexpr PluginStamp kPluginStamp{
    .bytes = sizeof(PluginStamp),
    .version = ENVPOOL_VERSION,
    .compiler = stamp_internal::kCompiler,
    .standard_library = stamp_internal::kStandardLibrary,
    .string_abi = stamp_internal::kStringAbi,
    .headers = ENVPOOL_HEADERS,
    .layout = stamp_internal::LayoutOf<
        Error, std::string, std::vector<std::string>, std::vector<bool>, std::optional<double>,
        std::shared_ptr<void>, ParamValue, ParamSpec, ParamValues, SpaceSpec, InfoSpec, RenderSpec,
        EnvSpec, TaskEntry, Registry, Rng, GroupConfig, EnvTraits, EnvRange, ActionSlots, ResetPlan,
        RowObject, StopCondition, StepResult, StepColumns, StepCounts, Outcome, EpisodeProgress,
        EpisodeControl, FrameColumns, BatchView, PlayersSpec, PlayerResult, PlayerActions,
        PlayerColumns, PlayerEpisodeColumns, PlayerTable, EnvGroup>(),
};

// Returns why a module with this stamp cannot be used, or "" if it can. The message names the
// difference and the remedy.
std::string MismatchOf(const PluginStamp& stamp);

}  // namespace engine

#endif  // ENGINE_TASKS_PLUGIN_STAMP_H_
