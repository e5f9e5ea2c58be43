// The pass in vectors of 64 bytes, for processors with AVX-512 and VBMI, its
// shuffles of single bytes (Ice Lake, Zen 4 and later).
#if defined(__x86_64__)
#include <immintrin.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "engine/envs/atari/console/picture.h"
#include "engine/envs/atari/pixels/pixel_tables.h"

// GCC 12 takes the operands that its own intrinsics leave undefined for mistakes (GCC bug 105593).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif

// From here on all is compiled for these processors, templates included: what is included above is
// not, and nothing may be included below that other files include too.
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,avx512f,avx512bw,avx512vbmi"))), \
                             apply_to = function)
#else
#pragma GCC target("avx2,avx512f,avx512bw,avx512vbmi")
#endif

#include "engine/envs/atari/pixels/avx2_vectors.h"
#include "engine/envs/atari/pixels/avx512_vectors.h"
#include "engine/envs/atari/pixels/pixel_pass.h"

namespace engine::atari {

constinit const PixelKernel kAvx512Kernel{&Avx512Vectors::Prepare, &MakeFrame<Avx512Vectors>};

}  // namespace engine::atari

#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
