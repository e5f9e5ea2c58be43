// The exception type of the engine. The bindings map each kind to a Python class. A message about
// an argument names the argument, the expected value and the actual value.
#ifndef ENGINE_BASE_ERROR_H_
#define ENGINE_BASE_ERROR_H_

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace engine {

enum class ErrorKind {
  kUnknownTask,      // no environment of that id is registered
  kOption,           // an option or reset option: unknown name or bad value
  kOptionType,       // an option of the wrong type
  kInput,            // an action, seed or mask of the wrong shape or range
  kInputType,        // an input of the wrong dtype or type
  kRom,              // a game's ROM is missing, or is not the expected one
  kEnvId,            // an environment id is out of range, duplicate or in flight
  kResetNeeded,      // step before reset, after an episode's end or after a failure
  kNothingInFlight,  // too few environments in flight for a batch
  kTimeout,          // recv(timeout=) ran out
  kBatchMemory,      // the pool's limit of batch memory is reached
  kResources,        // the system refuses to start threads
  kMemory,           // the system refuses memory
  kWorker,           // a worker process did not start, or could not make its environments
  kReentry,          // a call from a signal handler inside another call of the pool
  kCloseTimeout,     // close(timeout=) ran out
  kState,            // the environments save no states, or cannot load this one
  kReplay,           // the run differs from the recorded one, or the log of batches ends
  kRenderMode,       // the task does not render, or the pool was made without render_mode
  kClosed,           // the pool is closed
  kForked,           // the pool was made in another process
  kPlugin,           // an extension module or one of its tasks is refused
  kInternal,         // a bug in the engine or in a plug-in
};

// Whether an error is typical of programs that were written for EnvPool. The bindings then add how
// to run such a program.
enum class ErrorHint { kNone, kEnvPoolProgram };

// The name of the kind's Python class, in envpool_py.errors.
const char* NameOf(ErrorKind kind);

// The message about the failed environments of a batch: the id of the first one, the message of its
// exception, and the number of the others.
std::string FailureMessage(std::uint32_t env, const std::string& cause, std::size_t num_failed);

// Modules throw it to each other. libc++ compares classes of exceptions by address, so the linker
// has to see this one in every module.
#if defined(_LIBCPP_VERSION)
#define ENGINE_EXCEPTION [[gnu::visibility("default")]]
#else
#define ENGINE_EXCEPTION
#endif

class ENGINE_EXCEPTION Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message, ErrorHint hint = ErrorHint::kNone)
      : std::runtime_error(message), kind_(kind), hint_(hint) {}
  ErrorKind kind() const { return kind_; }
  ErrorHint hint() const { return hint_; }

 private:
  ErrorKind kind_;
  ErrorHint hint_;
};

}  // namespace engine

#endif  // ENGINE_BASE_ERROR_H_
