// Random numbers for plug-ins in C (plugin_abi.h). The functions draw from the generator of an
// environment and return the same numbers as numpy.random.Generator. Call them only on the thread
// that holds the environment.
#ifndef ENGINE_C_INTERFACE_ABI_RANDOM_H_
#define ENGINE_C_INTERFACE_ABI_RANDOM_H_

#include <stdint.h>

#include "engine/c_interface/plugin_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

__extension__ typedef unsigned __int128 envpool_uint128;

static inline uint64_t envpool_next_uint64(envpool_rng* rng) {
  const envpool_uint128 multiplier =
      (envpool_uint128)0x2360ed051fc65da4U << 64 | 0x4385df649fccf645U;
  const envpool_uint128 increment = (envpool_uint128)rng->inc_high << 64 | rng->inc_low;
  const envpool_uint128 state =
      ((envpool_uint128)rng->state_high << 64 | rng->state_low) * multiplier + increment;
  const uint64_t mixed = (uint64_t)(state >> 64) ^ (uint64_t)state;
  const unsigned rotation = (unsigned)(state >> 122);
  rng->state_high = (uint64_t)(state >> 64);
  rng->state_low = (uint64_t)state;
  return mixed >> rotation | mixed << (-rotation & 63U);
}

/* Half of a 64-bit draw; the other half is kept for the next call. */
static inline uint32_t envpool_next_uint32(envpool_rng* rng) {
  uint64_t both;
  if (rng->has_uint32 != 0) {
    rng->has_uint32 = 0;
    return rng->uinteger;
  }
  both = envpool_next_uint64(rng);
  rng->has_uint32 = 1;
  rng->uinteger = (uint32_t)(both >> 32);
  return (uint32_t)both;
}

/* As Generator.random(): in [0, 1). */
static inline double envpool_random(envpool_rng* rng) {
  return (double)(envpool_next_uint64(rng) >> 11) * (1.0 / 9007199254740992.0);
}

/* As Generator.uniform(low, high). */
static inline double envpool_uniform(envpool_rng* rng, double low, double high) {
  const double range = high - low;
  return low + range * envpool_random(rng);
}

/* As Generator.integers(low, high): in [low, high - 1]. Requires: low < high. */
static inline int64_t envpool_integers(envpool_rng* rng, int64_t low, int64_t high) {
  const uint64_t range = (uint64_t)high - (uint64_t)low - 1;
  const uint64_t count = range + 1;
  if (range == 0) return low;
  if (range == UINT32_MAX) return (int64_t)((uint64_t)low + envpool_next_uint32(rng));
  if (range == UINT64_MAX) return (int64_t)envpool_next_uint64(rng);
  /* Multiplies, and rejects draws that would make some results more likely than others. */
  if (range < UINT32_MAX) {
    const uint32_t narrow = (uint32_t)count;
    uint64_t product = (uint64_t)envpool_next_uint32(rng) * narrow;
    if ((uint32_t)product < narrow) {
      const uint32_t threshold = (uint32_t)(UINT32_MAX - (uint32_t)range) % narrow;
      while ((uint32_t)product < threshold) {
        product = (uint64_t)envpool_next_uint32(rng) * narrow;
      }
    }
    return (int64_t)((uint64_t)low + (product >> 32));
  } else {
    envpool_uint128 product = (envpool_uint128)envpool_next_uint64(rng) * count;
    if ((uint64_t)product < count) {
      const uint64_t threshold = (UINT64_MAX - range) % count;
      while ((uint64_t)product < threshold) {
        product = (envpool_uint128)envpool_next_uint64(rng) * count;
      }
    }
    return (int64_t)((uint64_t)low + (uint64_t)(product >> 64));
  }
}

#ifdef __cplusplus
}
#endif

#endif /* ENGINE_C_INTERFACE_ABI_RANDOM_H_ */
