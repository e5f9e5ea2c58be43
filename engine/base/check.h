// Checks of invariants of the engine itself, never of user input. A failed check throws
// Error{kInternal} and does not abort the process.
#ifndef ENGINE_BASE_CHECK_H_
#define ENGINE_BASE_CHECK_H_

#include <string>

#include "engine/base/error.h"

namespace engine {

[[noreturn]] inline void CheckFailed(const char* condition, const char* file, int line) {
  throw Error(ErrorKind::kInternal, std::string("engine invariant broken: ") + condition + " at " +
                                        file + ":" + std::to_string(line));
}

}  // namespace engine

#define ENGINE_CHECK(condition)                              \
  do {                                                       \
    if (!(condition)) [[unlikely]]                           \
      ::engine::CheckFailed(#condition, __FILE__, __LINE__); \
  } while (false)

#endif  // ENGINE_BASE_CHECK_H_
