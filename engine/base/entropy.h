// Random words of the system. Needs no descriptor, as std::random_device of some libraries does.
#ifndef ENGINE_BASE_ENTROPY_H_
#define ENGINE_BASE_ENTROPY_H_

#include <sys/random.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>

#include "engine/base/error.h"

namespace engine {

// Throws Error{kResources} if the system has no source of them.
inline std::uint64_t EntropyWord() {
  std::uint64_t word = 0;
  if (getentropy(&word, sizeof word) != 0)
    throw Error(ErrorKind::kResources,
                std::string("the system gives no random words: ") + std::strerror(errno));
  return word;
}

}  // namespace engine

#endif  // ENGINE_BASE_ENTROPY_H_
