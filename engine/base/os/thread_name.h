// Names of threads, which debuggers and profilers show.
#ifndef ENGINE_BASE_OS_THREAD_NAME_H_
#define ENGINE_BASE_OS_THREAD_NAME_H_

namespace engine {

// Names the calling thread, if the system can. Linux allows 15 characters.
void NameThisThread(const char* name);

}  // namespace engine

#endif  // ENGINE_BASE_OS_THREAD_NAME_H_
