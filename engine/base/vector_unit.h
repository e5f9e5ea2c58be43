// Whether the processor has AVX2.
#ifndef ENGINE_BASE_VECTOR_UNIT_H_
#define ENGINE_BASE_VECTOR_UNIT_H_

namespace engine {

inline bool SupportsAvx2() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") != 0;
#else
  return false;
#endif
}

}  // namespace engine

#endif  // ENGINE_BASE_VECTOR_UNIT_H_
