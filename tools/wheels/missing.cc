// What code that is compiled with the headers of a newer glibc calls, and an older one lacks
// (old_libraries.py). Each module gets its own copy, which nothing else can see.
#include <sys/stat.h>

extern "C" {

// glibc 2.33. Before, these were functions of the headers, which called others with the version of
// struct stat: 1 on x86-64, 0 on ARM.
int __xstat(int version, const char* path, struct stat* status);
int __lxstat(int version, const char* path, struct stat* status);
int __fxstat(int version, int file, struct stat* status);

#if defined(__x86_64__)
#define STAT_VERSION 1
#else
#define STAT_VERSION 0
#endif
int stat(const char* path, struct stat* status) noexcept {
  return __xstat(STAT_VERSION, path, status);
}
int lstat(const char* path, struct stat* status) noexcept {
  return __lxstat(STAT_VERSION, path, status);
}
int fstat(int file, struct stat* status) noexcept { return __fxstat(STAT_VERSION, file, status); }

// glibc 2.32. Whether the process has only one thread; libstdc++ then counts references without
// atomic instructions. 0 is always right.
char __libc_single_threaded = 0;

// glibc 2.38: what its headers call in place of strtol and the like, which read binary numbers as C23
// does. Nothing here reads those.
long OldStrtol(const char* text, char** end, int base) noexcept __asm__("strtol");
long __isoc23_strtol(const char* text, char** end, int base) noexcept {
  return OldStrtol(text, end, base);
}
unsigned long OldStrtoul(const char* text, char** end, int base) noexcept __asm__("strtoul");
unsigned long __isoc23_strtoul(const char* text, char** end, int base) noexcept {
  return OldStrtoul(text, end, base);
}
}
