// Sleeping on a 32-bit word: the kernel's futex on Linux, a hashed table of
// condition variables elsewhere. Called by Parker only; any thread.
#ifndef ENGINE_SYNC_FUTEX_H_
#define ENGINE_SYNC_FUTEX_H_

#include <atomic>
#include <cstdint>

namespace engine {

enum class FutexResult : std::uint8_t {
  kWoken,  // a wake, a changed word, or spuriously
  kTimedOut,
  kInterrupted,  // a signal arrived in this thread
};

FutexResult FutexWait(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                      std::int64_t timeout_ns);
void FutexWake(std::atomic<std::uint32_t>& word, std::uint32_t count);

// The same for a word in memory that processes share. On systems other than Linux another process
// cannot wake a sleeper; it wakes after a millisecond instead.
FutexResult SharedFutexWait(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                            std::int64_t timeout_ns);
void SharedFutexWake(std::atomic<std::uint32_t>& word, std::uint32_t count);

}  // namespace engine

#endif  // ENGINE_SYNC_FUTEX_H_
