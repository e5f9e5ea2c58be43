// Sleeping on a 32-bit word: the kernel's futex on Linux, a hashed table of condition variables
// elsewhere. Called by Parker only, on any thread.
#ifndef ENGINE_BASE_OS_FUTEX_H_
#define ENGINE_BASE_OS_FUTEX_H_

#include <atomic>
#include <cstdint>

namespace engine {

enum class FutexResult : std::uint8_t {
  kWoken,  // by a wake, because the word differed, or spuriously
  kTimedOut,
  kInterrupted,  // a signal arrived in this thread; Linux only
};

// Sleeps while `word` equals `expected`; returns at once if it differs. `timeout_ns` < 0: no
// timeout.
FutexResult FutexWait(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                      std::int64_t timeout_ns);
// Wakes at most `count` threads that sleep on `word`.
void FutexWake(std::atomic<std::uint32_t>& word, std::uint32_t count);

// The same for a word in memory that processes share. On systems other than Linux, one process
// cannot wake a sleeper in another; the sleeper returns after at most a millisecond instead.
FutexResult SharedFutexWait(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                            std::int64_t timeout_ns);
void SharedFutexWake(std::atomic<std::uint32_t>& word, std::uint32_t count);

}  // namespace engine

#endif  // ENGINE_BASE_OS_FUTEX_H_
