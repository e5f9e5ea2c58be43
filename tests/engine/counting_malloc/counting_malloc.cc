// A shared library to be loaded before all others: the C library's allocation
// functions, counting. Tests look, from outside, at what the engine's own
// threads allocate (tests/conformance/test_allocations.py). Any thread.
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace {

std::atomic<std::uint64_t> of_other_threads{0};

// Of threads other than the process's first, which runs Python.
void Count() {
  if (syscall(SYS_gettid) != getpid()) of_other_threads.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

// glibc's own entry points; operator new comes through malloc and aligned_alloc.
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

// So many so far.
std::uint64_t allocations_of_other_threads() { return of_other_threads.load(); }
}
