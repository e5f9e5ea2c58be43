// The one exception type that the engine raises for what a caller did wrong or
// asked for in vain. Bindings map each kind to a Python class; the message is
// complete as it stands (it names the field, the expected and the actual).
#ifndef ENGINE_BASE_ERROR_H_
#define ENGINE_BASE_ERROR_H_

#include <stdexcept>
#include <string>

namespace engine {

enum class ErrorKind {
  kUnknownTask,      // no environment of that id is registered
  kOption,           // an option or reset option: unknown name or bad value
  kOptionType,       // an option of the wrong type
  kInput,            // an action, seed or mask of the wrong shape or range
  kInputType,        // ... of the wrong dtype or type
  kRom,              // a game's ROM is not there, or is another one
  kEnvId,            // an environment id: out of range, duplicate, in flight
  kResetNeeded,      // step before reset, after an episode's end, after failure
  kNothingInFlight,  // recv that could never complete
  kTimeout,          // recv(timeout=) ran out
  kBatchMemory,      // as many batches as the pool may have are taken
  kResources,        // the system refuses threads
  kReentry,          // a call from a signal handler inside another call of the pool
  kCloseTimeout,     // close(timeout=) ran out
  kRenderMode,       // the environment, or the pool as it was made, does not render
  kClosed,           // the pool is closed
  kForked,           // the pool was made in another process
  kInternal,         // a broken invariant of the engine or of a plug-in
};

class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

}  // namespace engine

#endif  // ENGINE_BASE_ERROR_H_
