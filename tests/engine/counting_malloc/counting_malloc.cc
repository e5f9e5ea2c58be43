// A shared library for LD_PRELOAD that counts calls of the C library's allocation functions, and
// makes one of them fail. tests/conformance/test_allocations.py uses it to count the allocations of
// the engine's threads, tests/envpool_py/pool/test_failed_allocations.py to fail those of a call.
// All functions may be called on any thread.
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace {

std::atomic<std::uint64_t> of_other_threads{0};

// Of the calling thread, which is the main thread wherever they are used.
thread_local std::uint64_t of_this_thread = 0;
thread_local std::uint64_t failing = 0;  // the number of the allocation that fails; 0: none

// Counts only threads other than the main thread, which runs Python. Returns false if the
// allocation shall fail.
bool Count() {
  if (syscall(SYS_gettid) != getpid()) of_other_threads.fetch_add(1, std::memory_order_relaxed);
  if (++of_this_thread != failing) return true;
  errno = ENOMEM;
  return false;
}

}  // namespace

// glibc's own entry points. operator new calls malloc or aligned_alloc.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) { return Count() ? __libc_malloc(size) : nullptr; }
void* calloc(std::size_t count, std::size_t size) {
  return Count() ? __libc_calloc(count, size) : nullptr;
}
void* realloc(void* memory, std::size_t size) {
  return Count() ? __libc_realloc(memory, size) : nullptr;
}
void* memalign(std::size_t alignment, std::size_t size) {
  return Count() ? __libc_memalign(alignment, size) : nullptr;
}
void* aligned_alloc(std::size_t alignment, std::size_t size) { return memalign(alignment, size); }
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  *memory = memalign(alignment, size);
  return *memory == nullptr ? ENOMEM : 0;
}

// The number of calls so far.
std::uint64_t allocations_of_other_threads() { return of_other_threads.load(); }
// The number of calls of the calling thread so far.
std::uint64_t allocations_of_this_thread() { return of_this_thread; }
// Makes the allocation of the calling thread that follows `after` other ones fail.
void fail_allocation(std::uint64_t after) { failing = of_this_thread + after + 1; }
}
