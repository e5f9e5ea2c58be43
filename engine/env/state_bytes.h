// The form in which states of environments leave the process: a header that identifies the task,
// the state, and a checksum. Pure functions; any thread.
#ifndef ENGINE_ENV_STATE_BYTES_H_
#define ENGINE_ENV_STATE_BYTES_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/env/params.h"

namespace engine {

// What must be the same where a state is loaded.
struct StateKey {
  StateKey(std::string task, const ParamValues& values, std::uint32_t version);

  std::string task_id;
  std::string options;          // a line for each
  std::uint32_t class_version;  // kStateVersion of the environment's class
};

// Returns header, state and checksum.
std::string WrapState(const StateKey& key, std::string_view state);

// Returns the state in `bytes`. Throws Error{kState} if they are not what WrapState has returned
// for an equal key; `where` begins the message.
std::string_view UnwrapState(const StateKey& key, std::string_view bytes, const std::string& where);

}  // namespace engine

#endif  // ENGINE_ENV_STATE_BYTES_H_
