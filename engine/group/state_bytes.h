// The serialized form of environment states: a header that identifies the task, the state, and a
// checksum. Pure functions; any thread.
#ifndef ENGINE_GROUP_STATE_BYTES_H_
#define ENGINE_GROUP_STATE_BYTES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "engine/env/params.h"

namespace engine {

// The options as text, one line per option. Equal if the options are equal.
std::string OptionsText(const ParamValues& values);

// The properties that must be equal when a state is saved and when it is loaded.
struct StateKey {
  StateKey(std::string task, const ParamValues& values, std::uint32_t version)
      : StateKey(std::move(task), OptionsText(values), version) {}
  StateKey(std::string task, std::string text, std::uint32_t version)
      : task_id(std::move(task)), options(std::move(text)), class_version(version) {}

  std::string task_id;
  std::string options;          // OptionsText
  std::uint32_t class_version;  // kStateVersion of the environment's class
};

// Returns header, state and checksum.
std::string WrapState(const StateKey& key, std::string_view state);

// Returns the state in `bytes`. Throws Error{kState} unless WrapState returned `bytes` for an equal
// key. The message begins with `where`.
std::string_view UnwrapState(const StateKey& key, std::string_view bytes, const std::string& where);

}  // namespace engine

#endif  // ENGINE_GROUP_STATE_BYTES_H_
