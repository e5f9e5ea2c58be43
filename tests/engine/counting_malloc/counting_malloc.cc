// A shared library for LD_PRELOAD that counts calls of the C library's allocation functions.
// tests/conformance/test_allocations.py uses it to count the allocations of the engine's threads.
// All functions may be called on any thread.
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace {

std::atomic<std::uint64_t> of_other_threads{0};

// Counts only threads other than the main thread, which runs Python.
void Count() {
  if (syscall(SYS_gettid) != getpid()) of_other_threads.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

// glibc's own entry points. operator new calls malloc or aligned_alloc.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) {
  Count();
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  Count();
  return __libc_calloc(count, size);
}
void* realloc(void* memory, std::size_t size) {
  Count();
  return __libc_realloc(memory, size);
}
void* memalign(std::size_t alignment, std::size_t size) {
  Count();
  return __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) { return memalign(alignment, size); }
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  *memory = memalign(alignment, size);
  return *memory == nullptr ? ENOMEM : 0;
}

// The number of calls so far.
std::uint64_t allocations_of_other_threads() { return of_other_threads.load(); }
}
