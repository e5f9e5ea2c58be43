#include "engine/base/os/thread_name.h"

#include <pthread.h>

namespace engine {

void NameThisThread([[maybe_unused]] const char* name) {
#if defined(__APPLE__)
  pthread_setname_np(name);
#elif defined(__linux__)
  pthread_setname_np(pthread_self(), name);
#endif
}

}  // namespace engine
