// What code that is compiled with the headers of a newer glibc calls, and an older one lacks
// (old_libraries.py). Each module gets its own copy, which nothing else can see.
#include <sys/random.h>
#include <sys/stat.h>

#include <cstdint>
#include <cstdlib>

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

// The same function: a file's size has 64 bits on these processors.
int fstat64(int file, struct stat64* status) noexcept {
  return fstat(file, reinterpret_cast<struct stat*>(status));
}

// glibc 2.36: a random number that an attacker cannot know, for std::random_device.
std::uint32_t arc4random() noexcept {
  std::uint32_t number;
  if (getentropy(&number, sizeof(number)) != 0) std::abort();
  return number;
}

// glibc 2.38: what its headers call in place of strtol and the like, which read binary numbers as
// C23 does. Nothing here reads those.
long OldStrtol(const char* text, char** end, int base) noexcept __asm__("strtol");
long __isoc23_strtol(const char* text, char** end, int base) noexcept {
  return OldStrtol(text, end, base);
}
unsigned long OldStrtoul(const char* text, char** end, int base) noexcept __asm__("strtoul");
unsigned long __isoc23_strtoul(const char* text, char** end, int base) noexcept {
  return OldStrtoul(text, end, base);
}
}
